//! Gets and scans: how many rows they read of which region, and the reads that its server counts for them.

use std::ops::Range as Places;

use rowkey_design::internal::cost::ReadCost;

pub(crate) use super::call::READ;
use super::rows::{Counts, Part};
use super::state::Cluster;
use crate::chance::Chance;
use crate::event::Most;

/// The reads of a range of so many rows, in hundredths.
pub(crate) fn hundredths(cost: ReadCost, rows: u64) -> u64 {
    (cost.of_range(rows as f64) * READ as f64).round() as u64
}

/// A range that is scanned, as of `Op::Scan`.
pub(crate) struct Range<'e> {
    pub(crate) start: &'e [u8],
    pub(crate) end: Option<&'e [u8]>,
    pub(crate) limit: Option<u64>,
    pub(crate) reverse: bool,
    pub(crate) few: Option<u64>,
    pub(crate) most: Option<Most>,
}

/// A scan that ends with enough rows: the region that it begins in, the first that has any of them, and what it has
/// read.
#[derive(Default)]
struct Limited {
    begins: Option<usize>,
    rows: u64,
    reads: u64,
}

/// The rows of a range, region after region, of each in proportion to what is found there.
#[derive(Default)]
struct Rows {
    /// The rows that there are, and what is found: versions of them. None if each that is found is a row.
    of_found: Option<(u64, u64)>,
    /// The part of what is found that was in the regions before.
    before: u64,
}

impl Rows {
    /// The most rows in the next region.
    fn next(&mut self, parts: &[Part<'_>]) -> u64 {
        let Some((rows, found)) = self.of_found else { return u64::MAX };
        let until = |found_before: u64| (u128::from(rows) * u128::from(found_before)).div_ceil(u128::from(found));
        let before = self.before;
        self.before = before.saturating_add(counts(parts).puts);
        u64::try_from(until(self.before) - until(before)).unwrap_or(u64::MAX)
    }
}

impl Cluster {
    pub(crate) fn get(&mut self, key: &[u8], weight: u64) {
        let region = self.locate(key);
        self.last_reads = self.count_reads(region, hundredths(self.options.read_cost, 1), 1, weight);
    }

    /// Reads from region to region, until the end or enough rows.
    ///
    /// A range that is read to its end has a start in each region. One that ends with enough rows has one start,
    /// whatever is found in the regions before: a sample of rows does not tell whether these had enough.
    pub(crate) fn scan(&mut self, range: &Range<'_>, weight: u64) {
        let most = [range.limit, range.few].into_iter().flatten().min();
        let (mut wanted, mut limited, mut reads) = (most.unwrap_or(u64::MAX), Limited::default(), 0u64);
        let mut place = Some(self.first_place(range));
        let first = place.and_then(|place| self.by_start.at(place)).unwrap_or(0);
        if let Some(place) = place
            && range.few.is_some()
            && self.is_known(range, place, first)
        {
            self.last_reads = self.count_more(&mut limited, first, wanted, weight);
            return;
        }
        let (mut rows_of, mut unfound) = (self.rows_of_versions(range), self.rows_of_unfound(range));
        while wanted > 0
            && let Some((at, number)) = place.and_then(|place| Some((place, self.by_start.at(place)?)))
        {
            let region = &mut self.regions[number];
            let most_rows = self.all.as_ref().map_or(u64::MAX, |all| {
                let end = [range.end, region.end.as_deref()].into_iter().flatten().min();
                all.rows(range.start.max(&region.start), end)
            });
            let parts = region.parts(range.start, range.end);
            let most_rows = most_rows.min(rows_of.next(&parts));
            let (rows, live) = match self.options.live_alone {
                true => found(&parts, wanted, most_rows),
                false => read(&parts, wanted, most_rows, range.reverse),
            };
            let more = if unfound.of_found.is_some() { unfound.next(&parts).saturating_sub(live) } else { 0 };
            let (rows, live) = (rows.saturating_add(more), live.saturating_add(more));
            let counted = match most {
                None => self.count_reads(number, hundredths(self.options.read_cost, rows), rows, weight),
                Some(_) if rows > 0 => self.count_more(&mut limited, number, rows, weight),
                Some(_) => 0,
            };
            reads = reads.saturating_add(counted);
            wanted -= live.min(wanted);
            place = self.next_place(range, at, number);
        }
        let missing = range.few.map_or(0, |_| wanted);
        if most.is_some() && (limited.begins.is_none() || missing > 0) {
            let number = limited.begins.unwrap_or(first);
            reads = reads.saturating_add(self.count_more(&mut limited, number, missing, weight));
        }
        self.last_reads = reads;
    }

    /// True of a range of a few rows that is in one region: it reads as many, whatever is found, if none was deleted.
    fn is_known(&self, range: &Range<'_>, place: usize, number: usize) -> bool {
        let is_last = self.next_place(range, place, number).is_none();
        is_last && (self.options.live_alone || self.regions[number].counts(None).tombstones == 0)
    }

    /// The rows of a range, as far as what is found in it are versions of fewer.
    fn rows_of_versions(&mut self, range: &Range<'_>) -> Rows {
        let Some(most) = range.most else { return Rows::default() };
        let found = self.found(range);
        Rows { of_found: (found > most.keys).then_some((most.rows, found)), before: 0 }
    }

    /// The rows of a range that is read to its end, as far as fewer are found in it than there are.
    fn rows_of_unfound(&mut self, range: &Range<'_>) -> Rows {
        let Some(few) = range.few.filter(|_| range.limit.is_none()) else { return Rows::default() };
        let found = self.found(range);
        Rows { of_found: (0 < found && found < few).then_some((few, found)), before: 0 }
    }

    /// The rows that are in a range, each version by itself.
    fn found(&mut self, range: &Range<'_>) -> u64 {
        let mut found = 0u64;
        let mut place = Some(self.first_place(range));
        while let Some((at, number)) = place.and_then(|place| Some((place, self.by_start.at(place)?))) {
            found = found.saturating_add(counts(&self.regions[number].parts(range.start, range.end)).puts);
            place = self.next_place(range, at, number);
        }
        found
    }

    /// The place of the region that a scan asks first.
    fn first_place(&mut self, range: &Range<'_>) -> usize {
        match range.end {
            _ if !range.reverse => self.place(range.start),
            None => self.by_start.len().saturating_sub(1),
            Some(end) => {
                let place = self.place(end);
                let ends_before = self.by_start.at(place).is_some_and(|number| *self.regions[number].start >= *end);
                if ends_before { place.saturating_sub(1) } else { place }
            }
        }
    }

    /// The place of the region that it asks after one; none after its last.
    fn next_place(&self, range: &Range<'_>, place: usize, number: usize) -> Option<usize> {
        let region = &self.regions[number];
        if range.reverse {
            return place.checked_sub(1).filter(|_| *region.start > *range.start);
        }
        let region_end = region.end.as_deref()?;
        range.end.is_none_or(|end| end > region_end).then_some(place + 1)
    }

    /// Counts more rows of a scan that ends with enough.
    fn count_more(&mut self, limited: &mut Limited, number: usize, rows: u64, weight: u64) -> u64 {
        limited.begins.get_or_insert(number);
        limited.rows = limited.rows.saturating_add(rows);
        let all = hundredths(self.options.read_cost, limited.rows);
        let reads = all - std::mem::replace(&mut limited.reads, all);
        self.count_reads(number, reads, rows, weight)
    }

    /// Counts reads of a region, and returns them; each stands for so many.
    fn count_reads(&mut self, number: usize, reads: u64, rows: u64, weight: u64) -> u64 {
        let (reads, rows) = (reads.saturating_mul(weight), rows.saturating_mul(weight));
        let region = &mut self.regions[number];
        region.reads = region.reads.saturating_add(reads);
        let server = &mut self.servers[region.server];
        server.reads = server.reads.saturating_add(reads);
        server.rows_read = server.rows_read.saturating_add(rows);
        self.call[0].add(region.server, reads);
        self.call[1].add(number, reads);
        self.count_at_first(number, 1, reads);
        reads
    }

    /// Ends what a call reads.
    pub(crate) fn end_call(&mut self) {
        let [(all, by_server), (_, by_region)] = self.call.each_mut().map(super::call::Call::end);
        self.read_squares += by_server;
        self.chances[1].add(&Chance { by_server, by_region, by_call: all * all, ..Chance::default() });
    }
}

/// The rows that are read until so many are found, those that were deleted too; and how many are found. From the last
/// on, if it is in reverse.
///
/// There are no more than `most`: those that are there several times are read once.
fn read(parts: &[Part<'_>], wanted: u64, most: u64, reverse: bool) -> (u64, u64) {
    let all = counts(parts);
    let all = Counts { puts: all.puts.min(most), ..all };
    if all.live() < wanted {
        return (all.scanned(), all.live());
    }
    if all.tombstones == 0 {
        return (wanted, wanted);
    }
    let read = if reverse { least_end(parts, wanted) } else { least_beginning(parts, wanted) };
    // What was found beyond the last that is wanted was not read.
    (read.scanned() - read.live().saturating_sub(wanted), wanted)
}

/// The same of rows that are gone once they are deleted.
fn found(parts: &[Part<'_>], wanted: u64, most: u64) -> (u64, u64) {
    let all = counts(parts);
    let live = Counts { puts: all.puts.min(most), ..all }.live().min(wanted);
    (live, live)
}

/// The shortest beginnings of the parts that have so many rows.
fn least_beginning(parts: &[Part<'_>], wanted: u64) -> Counts {
    // They end within these ranges.
    let mut ends: Vec<Places<usize>> = parts.iter().map(|(_, range)| range.clone()).collect();
    while let Some((widest, middle)) = middle(&ends) {
        let places = ranks(parts, &ends, widest, middle);
        if beginnings(parts, places.iter().copied()).live() < wanted {
            ends.iter_mut().zip(places).for_each(|(end, place)| end.start = place);
            ends[widest].start = middle + 1;
        } else {
            ends.iter_mut().zip(places).for_each(|(end, place)| end.end = place);
        }
    }
    beginnings(parts, ends.iter().map(|end| end.end))
}

/// The shortest ends of the parts that have so many rows.
fn least_end(parts: &[Part<'_>], wanted: u64) -> Counts {
    let ends_from = |places: &mut dyn Iterator<Item = usize>| {
        let counts = parts.iter().zip(places).map(|((rows, range), from)| rows.counts(from..range.end));
        counts.fold(Counts::default(), Counts::plus)
    };
    // They begin within these ranges.
    let mut begins: Vec<Places<usize>> = parts.iter().map(|(_, range)| range.clone()).collect();
    while let Some((widest, middle)) = middle(&begins) {
        let mut places = ranks(parts, &begins, widest, middle);
        places[widest] = middle + 1;
        if ends_from(&mut places.iter().copied()).live() < wanted {
            places[widest] = middle;
            begins.iter_mut().zip(places).for_each(|(begin, place)| begin.end = place);
        } else {
            begins.iter_mut().zip(places).for_each(|(begin, place)| begin.start = place);
        }
    }
    ends_from(&mut begins.iter().map(|begin| begin.start))
}

/// The widest of the ranges, and its middle; none if all are empty.
fn middle(ranges: &[Places<usize>]) -> Option<(usize, usize)> {
    let widest = (0..ranges.len()).max_by_key(|at| ranges[*at].len())?;
    let Places { start, end } = ranges[widest];
    (start < end).then(|| (widest, start + (end - start) / 2))
}

/// The places in each part of the key in the middle of one.
fn ranks(parts: &[Part<'_>], within: &[Places<usize>], widest: usize, middle: usize) -> Vec<usize> {
    let key = parts[widest].0.key(middle);
    parts.iter().zip(within).map(|((rows, _), within)| rows.rank(key, within.clone())).collect()
}

fn counts(parts: &[Part<'_>]) -> Counts {
    beginnings(parts, parts.iter().map(|(_, range)| range.end))
}

/// The sums of the parts up to these places.
fn beginnings(parts: &[Part<'_>], ends: impl Iterator<Item = usize>) -> Counts {
    let counts = parts.iter().zip(ends).map(|((rows, range), end)| rows.counts(range.start..end));
    counts.fold(Counts::default(), Counts::plus)
}
