//! Gets and scans: how many rows they read of which region, and the reads that its server counts for them.

use std::ops::Range;

use super::rows::{Counts, Part};
use super::state::Cluster;

/// Reads are counted in hundredths: each row of a range after the first is one (`ReadCost`).
pub(crate) const READ: u64 = 100;

impl Cluster {
    pub(crate) fn get(&mut self, key: &[u8], weight: u64) {
        let region = self.locate(key);
        let reads = self.count_range(region, 1, weight);
        self.count_square(reads);
    }

    /// Reads from region to region, until the end or enough rows.
    pub(crate) fn scan(&mut self, start: &[u8], end: Option<&[u8]>, limit: Option<u64>, weight: u64) {
        let mut wanted = limit.unwrap_or(u64::MAX);
        let mut places = self.place(start)..;
        let mut reads = 0u64;
        while wanted > 0
            && let Some(number) = places.next().and_then(|place| self.by_start.at(place))
        {
            let (rows, live) = read(&self.regions[number].parts(start, end), wanted);
            reads = reads.saturating_add(self.count_range(number, rows, weight));
            wanted -= live.min(wanted);
            let region_end = self.regions[number].end.as_deref();
            if region_end.is_none_or(|region_end| end.is_some_and(|end| end <= region_end)) {
                break;
            }
        }
        self.count_square(reads);
    }

    fn count_square(&mut self, reads: u64) {
        let reads = reads as f64 / READ as f64;
        self.read_squares += reads * reads;
    }

    /// Counts a range of so many rows in a region, and returns its reads, in hundredths.
    fn count_range(&mut self, number: usize, rows: u64, weight: u64) -> u64 {
        let reads = (self.options.read_cost.of_range(rows as f64) * READ as f64).round() as u64;
        let (reads, rows) = (reads.saturating_mul(weight), rows.saturating_mul(weight));
        let region = &mut self.regions[number];
        region.reads = region.reads.saturating_add(reads);
        let server = &mut self.servers[region.server];
        server.reads = server.reads.saturating_add(reads);
        server.rows_read = server.rows_read.saturating_add(rows);
        reads
    }
}

/// The rows that are read until so many are found, those that were deleted too; and how many are found.
fn read(parts: &[Part<'_>], wanted: u64) -> (u64, u64) {
    let all = counts(parts);
    if all.live() < wanted {
        return (all.scanned(), all.live());
    }
    if all.tombstones == 0 {
        return (wanted, wanted);
    }
    // The shortest beginnings of the parts that have enough: they end within these ranges.
    let mut ends: Vec<Range<usize>> = parts.iter().map(|(_, range)| range.clone()).collect();
    while let Some(widest) = (0..ends.len()).max_by_key(|part| ends[*part].len())
        && !ends[widest].is_empty()
    {
        let middle = ends[widest].start + ends[widest].len() / 2;
        let key = parts[widest].0.key(middle);
        let places = parts.iter().zip(&ends).map(|((rows, _), within)| rows.rank(key, within.clone()));
        let places: Vec<usize> = places.collect();
        if beginnings(parts, places.iter().copied()).live() < wanted {
            ends.iter_mut().zip(places).for_each(|(end, place)| end.start = place);
            ends[widest].start = middle + 1;
        } else {
            ends.iter_mut().zip(places).for_each(|(end, place)| end.end = place);
        }
    }
    let read = beginnings(parts, ends.iter().map(|end| end.end));
    // What was found beyond the last that is wanted was not read.
    (read.scanned() - read.live().saturating_sub(wanted), wanted)
}

fn counts(parts: &[Part<'_>]) -> Counts {
    beginnings(parts, parts.iter().map(|(_, range)| range.end))
}

/// The sums of the parts up to these places.
fn beginnings(parts: &[Part<'_>], ends: impl Iterator<Item = usize>) -> Counts {
    let counts = parts.iter().zip(ends).map(|((rows, range), end)| rows.counts(range.start..end));
    counts.fold(Counts::default(), Counts::plus)
}
