//! The hottest region of a run.

use super::moving::moving_region;
use super::shares::Share;
use crate::recording::Run;
use crate::run::{Interval, Key};

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

/// Two parts that are known by samples are about the same if one is no more than this part of the other.
const ABOUT: f64 = 1.05;

impl Hottest {
    /// That of intervals, by the writes or the reads of their regions; none if there are none.
    ///
    /// It is the region of the interval in which the hottest has its median part; of those in which it has the same, of
    /// the last. It has no more than `busiest`, the busiest server at a moment, which is none where the load goes to
    /// other regions from time to time. Of a watched table it is a region that is there at the end, if the hottest of
    /// one of them is, and is where it is then.
    pub(super) fn of(run: &Run, shares: &[Share<'_>], reads: bool, busiest: Option<f64>) -> Option<Self> {
        let there: Vec<Share<'_>> = match run.is_watched() {
            true => shares.iter().filter(|share| server_at_end(run, share).is_some()).cloned().collect(),
            false => Vec::new(),
        };
        let mut hottest = Self::of_all(run, if there.is_empty() { shares } else { &there }, reads, busiest)?;
        if let Some(server) = run.server_at_end(&hottest.start, hottest.end.as_ref()).filter(|_| run.is_watched()) {
            hottest.server = server;
        }
        Some(hottest)
    }

    /// The same, whatever became of the region.
    pub(super) fn of_all(run: &Run, shares: &[Share<'_>], reads: bool, busiest: Option<f64>) -> Option<Self> {
        let mut sorted: Vec<&Share<'_>> = shares.iter().collect();
        sorted.sort_by(|a, b| a.region.share.total_cmp(&b.region.share).then(a.interval.t_ms.cmp(&b.interval.t_ms)));
        let median = sorted.get(sorted.len() / 2)?.region.share;
        let hottest = sorted.into_iter().rfind(|share| share.region.share <= median)?;
        let intervals: Vec<&Interval> = shares.iter().map(|share| share.interval).collect();
        let moving =
            busiest.and_then(|busiest| moving_region(run, &intervals, reads).filter(|part| *part <= ABOUT * busiest));
        let share = moving.unwrap_or(0.0).max(median);
        let regions = &hottest.interval.regions;
        let region = regions.get(hottest.region.at)?;
        let end = regions.get(hottest.region.at + 1).map(|next| next.start.clone());
        Some(Self { start: region.start.clone(), end, server: region.server, share, t_ms: hottest.interval.t_ms })
    }

    /// True if it has a key of those from one up to another.
    pub(super) fn has_keys_of(&self, start: &Key, end: Option<&Key>) -> bool {
        let is_above = |end: Option<&Key>, key: &Key| end.is_none_or(|end| end > key);
        is_above(self.end.as_ref(), start) && is_above(end, &self.start)
    }
}

/// The server at the end of the hottest region of an interval; none if the region is not there then.
fn server_at_end(run: &Run, share: &Share<'_>) -> Option<u32> {
    let regions = &share.interval.regions;
    let end = regions.get(share.region.at + 1).map(|next| &next.start);
    run.server_at_end(&regions.get(share.region.at)?.start, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::shares::Shares;
    use crate::run::{Region, Settings};

    const MINUTE_MS: u64 = 60_000;

    fn interval(minutes: u64, counts: &[u64]) -> Interval {
        let region = |(start, count): (u8, &u64)| Region {
            start: Key(vec![start]),
            server: u32::from(start),
            rows: 0,
            rows_this_interval: *count,
            reads_this_interval: 0,
            bytes: 0,
            files: 0,
            known: <_>::default(),
        };
        let t_ms = minutes * MINUTE_MS;
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
        // Nothing is known of chance.
        let of = |intervals: &[Interval]| {
            let run = Run { intervals: intervals.to_vec(), ..Run::new(Settings::default()) };
            Hottest::of(&run, &Shares::of(&run, false).of, false, Some(1.0))
        };
        let found = of(&all).unwrap();
        assert_eq!((found.t_ms, found.server, found.start, found.share), (3 * MINUTE_MS, 1, Key(vec![1]), 0.75));
        assert_eq!(found.end, None);
        assert_eq!(of(&all[4..]).map(|found| (found.server, found.end)), Some((0, Some(Key(vec![1])))));
        assert_eq!(of(&all[3..4]), None);
    }
}
