//! The hottest region of a run.

use crate::run::{Interval, Key, Region};

/// The hottest region, in an interval in which its part is what it is in the median.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hottest {
    pub(super) start: Key,
    /// The first key of the next region.
    pub(super) end: Option<Key>,
    pub(super) server: u32,
    pub(super) share: f64,
    /// The end of the interval.
    pub(super) t_ms: u64,
}

impl Hottest {
    /// That of intervals, by a count of their regions; none if there is nothing to count. Of intervals in which the
    /// hottest has the same part, the last.
    pub(super) fn of(intervals: &[&Interval], of: fn(&Region) -> u64) -> Option<Self> {
        let mut found: Vec<Self> = intervals.iter().filter_map(|interval| hottest(interval, of)).collect();
        found.sort_by(|a, b| a.share.total_cmp(&b.share));
        let median = found.get(found.len() / 2)?.share;
        found.into_iter().rfind(|hottest| hottest.share <= median)
    }
}

fn hottest(interval: &Interval, of: fn(&Region) -> u64) -> Option<Hottest> {
    let sum: u128 = interval.regions.iter().map(|region| u128::from(of(region))).sum();
    let (at, region) = interval.regions.iter().enumerate().rev().max_by_key(|(_, region)| of(region))?;
    let share = of(region) as f64 / sum as f64;
    let (start, server) = (region.start.clone(), region.server);
    let end = interval.regions.get(at + 1).map(|next| next.start.clone());
    (sum > 0).then_some(Hottest { start, end, server, share, t_ms: interval.t_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(t_ms: u64, counts: &[u64]) -> Interval {
        let region = |(start, count): (u8, &u64)| Region {
            start: Key(vec![start]),
            server: u32::from(start),
            rows: 0,
            rows_this_interval: *count,
            reads_this_interval: 0,
            bytes: 0,
            files: 0,
        };
        Interval { t_ms, regions: (0..).zip(counts).map(region).collect(), servers: Vec::new() }
    }

    #[test]
    fn the_hottest_region_is_that_of_the_median_and_the_last_of_equals() {
        let all = [
            interval(1, &[9, 1]),
            interval(2, &[1, 3]),
            interval(3, &[5, 15]),
            interval(4, &[0, 0]),
            interval(5, &[1, 1]),
        ];
        let of = |intervals: &[&Interval]| Hottest::of(intervals, |region| region.rows_this_interval);
        let found = of(&all.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!((found.t_ms, found.server, found.start, found.share), (3, 1, Key(vec![1]), 0.75));
        assert_eq!(found.end, None);
        assert_eq!(of(&[&all[4]]).map(|found| (found.server, found.end)), Some((0, Some(Key(vec![1])))));
        assert_eq!(of(&[&all[3]]), None);
    }
}
