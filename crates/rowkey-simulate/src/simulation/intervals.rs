//! The intervals of a run: at given times, or of a length, which may not be known before its end.

use crate::cluster::Cluster;
use crate::run::{Interval, Region};

/// The intervals of a run, as they end.
pub(super) struct Intervals {
    ended: Vec<Interval>,
    length_ms: u64,
    /// The most: more are joined by two. None where the length is given.
    most: Option<usize>,
    /// The times at which they end, where these are given.
    times: Vec<u64>,
}

impl Intervals {
    pub(super) fn new(length_ms: u64, most: usize) -> Self {
        let most = (length_ms == 0).then_some(most.max(2));
        Self { ended: Vec::new(), length_ms: if length_ms == 0 { 1000 } else { length_ms }, most, times: Vec::new() }
    }

    /// Intervals that end at these times, and then each after the length.
    pub(super) fn at(times: Vec<u64>, length_ms: u64) -> Self {
        Self { ended: Vec::new(), length_ms: length_ms.max(1), most: None, times }
    }

    fn end_ms(&self) -> u64 {
        let (ended, last) = (self.ended.len(), self.times.last().copied().unwrap_or(0));
        let more = (ended + 1).saturating_sub(self.times.len()) as u64;
        self.times.get(ended).copied().unwrap_or_else(|| last.saturating_add(self.length_ms.saturating_mul(more)))
    }

    /// Ends the intervals that end by this time.
    pub(super) fn until(&mut self, t_ms: u64, cluster: &mut Cluster) {
        while self.end_ms() < t_ms {
            self.ended.push(cluster.interval(self.end_ms()));
            if self.most.is_some_and(|most| self.ended.len() >= most) {
                self.join();
            }
        }
    }

    fn join(&mut self) {
        let mut joined = Vec::new();
        let mut rest = std::mem::take(&mut self.ended).into_iter();
        while let Some(first) = rest.next() {
            joined.push(match rest.next() {
                Some(second) => sum(&first, second),
                None => first,
            });
        }
        self.ended = joined;
        self.length_ms = self.length_ms.saturating_mul(2);
    }

    /// The length of an interval, and all: with the one that the last event is in.
    pub(super) fn end(mut self, last_ms: u64, cluster: &mut Cluster) -> (u64, Vec<Interval>) {
        self.until(last_ms, cluster);
        let left = self.times.len().saturating_sub(self.ended.len());
        for _ in 0..left.max(usize::from(self.times.is_empty())) {
            self.ended.push(cluster.interval(self.end_ms()));
        }
        (self.length_ms, self.ended)
    }
}

/// Two intervals as one: the regions of the second, with the counts of both. Those of a region that was split are
/// divided as its rows lie.
fn sum(first: &Interval, mut second: Interval) -> Interval {
    let mut regions = &mut second.regions[..];
    for (at, before) in first.regions.iter().enumerate() {
        let end = first.regions.get(at + 1).map(|next| &next.start);
        let count = regions.partition_point(|region| end.is_none_or(|end| region.start < *end));
        let (within, rest) = std::mem::take(&mut regions).split_at_mut(count);
        divide(before, within);
        regions = rest;
    }
    for (server, before) in second.servers.iter_mut().zip(&first.servers) {
        server.add(before);
    }
    second
}

fn divide(before: &Region, among: &mut [Region]) {
    let all: u128 = among.iter().map(|region| u128::from(region.rows)).sum();
    let mut part = |count: u64, field: fn(&mut Region) -> &mut u64| {
        let (mut rows, mut given) = (0u128, 0u64);
        let last = among.len().saturating_sub(1);
        for (at, region) in among.iter_mut().enumerate() {
            rows += u128::from(region.rows);
            let until =
                if at == last { count } else { (u128::from(count) * rows).checked_div(all).unwrap_or(0) as u64 };
            let field = field(region);
            *field = field.saturating_add(until - given);
            given = until;
        }
    };
    part(before.rows_this_interval, |region| &mut region.rows_this_interval);
    part(before.reads_this_interval, |region| &mut region.reads_this_interval);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Key, Server};

    fn region(start: &str, rows: u64, written: u64) -> Region {
        let start = Key(start.as_bytes().to_vec());
        Region { start, server: 0, rows, rows_this_interval: written, reads_this_interval: written, bytes: 0, files: 0 }
    }

    #[test]
    fn the_counts_of_a_region_that_was_split_are_divided_as_its_rows_lie() {
        let servers = |writes| vec![Server { writes, reads: 2 * writes }];
        let first = Interval { t_ms: 1, regions: vec![region("", 9, 9), region("m", 5, 1)], servers: servers(10) };
        let after = vec![region("", 10, 1), region("c", 20, 1), region("m", 5, 0), region("t", 0, 0)];
        let both = sum(&first, Interval { t_ms: 2, regions: after, servers: servers(2) });
        let counts: Vec<u64> = both.regions.iter().map(|region| region.rows_this_interval).collect();
        assert_eq!(counts, [4, 7, 1, 0]);
        assert!(both.regions.iter().all(|region| region.reads_this_interval == region.rows_this_interval));
        assert_eq!((both.servers, both.t_ms), (vec![Server { writes: 12, reads: 24 }], 2));
    }
}
