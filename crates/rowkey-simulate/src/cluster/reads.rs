//! Gets and scans: how many rows they read of which region.

use super::rows::{Counts, Part};
use super::state::Cluster;

impl Cluster {
    pub(crate) fn get(&mut self, key: &[u8], weight: u64) {
        let region = self.locate(key);
        self.count_reads(region, weight);
    }

    /// Reads from region to region, until the end or enough rows.
    pub(crate) fn scan(&mut self, start: &[u8], end: Option<&[u8]>, limit: Option<u64>, weight: u64) {
        let mut wanted = limit.unwrap_or(u64::MAX);
        let mut number = self.locate(start);
        while wanted > 0 {
            let (read, live) = read(&self.regions[number].parts(start, end), wanted);
            self.count_reads(number, read.saturating_mul(weight));
            wanted -= live.min(wanted);
            let region_end = self.regions[number].end.as_deref();
            let next = region_end.filter(|region_end| end.is_none_or(|end| *region_end < end));
            match next.and_then(|next| self.by_start.get(next)) {
                Some(next) => number = *next,
                None => return,
            }
        }
    }

    fn count_reads(&mut self, number: usize, rows: u64) {
        let region = &mut self.regions[number];
        region.reads = region.reads.saturating_add(rows);
        let server = &mut self.servers[region.server];
        server.reads = server.reads.saturating_add(rows);
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
    // The first key of the largest part before which enough is found.
    let Some((rows, range)) = parts.iter().max_by_key(|(_, range)| range.len()) else { return (0, 0) };
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if counts(&before(parts, rows.key(middle))).live() < wanted { low = middle + 1 } else { high = middle }
    }
    let read = if low == range.end { all } else { counts(&before(parts, rows.key(low))) };
    // What was found beyond the last that is wanted was not read.
    (read.scanned() - read.live().saturating_sub(wanted), wanted)
}

fn counts(parts: &[Part<'_>]) -> Counts {
    parts.iter().map(|(rows, range)| rows.counts(range.clone())).fold(Counts::default(), Counts::plus)
}

fn before<'r>(parts: &[Part<'r>], key: &[u8]) -> Vec<Part<'r>> {
    let before = |(rows, range): &Part<'r>| (*rows, range.start..rows.rank(key).clamp(range.start, range.end));
    parts.iter().map(before).collect()
}
