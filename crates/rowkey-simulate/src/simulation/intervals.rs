//! The intervals of a run: at given times, or of a length, which may not be known before its end.

use crate::chance::Chance;
use crate::cluster::Cluster;
use crate::recording::joined;
use crate::run::Interval;

/// The intervals of a run, as they end.
pub(super) struct Intervals {
    ended: Vec<Interval>,
    /// The chance that is known in the writes and in the reads of each.
    chances: Vec<[Chance; 2]>,
    length_ms: u64,
    /// The most: more are joined by two.
    most: usize,
    /// The times at which they end, where these are given: no others do.
    times: Option<Vec<u64>>,
    /// The regions of all of them; and true if these were too many for the intervals of the length.
    regions: usize,
    is_coarser: bool,
}

/// The most intervals of a length that is given.
const MOST: usize = 1 << 14;

/// The most regions of all intervals: with more of them intervals are longer.
const MOST_REGIONS: usize = 1 << 20;

impl Intervals {
    /// Intervals of a length; where it is 0, of one that gives `most` at most.
    pub(super) fn new(length_ms: u64, most: usize) -> Self {
        let (length_ms, most) = if length_ms == 0 { (1000, most.max(2)) } else { (length_ms, MOST) };
        Self { ended: Vec::new(), chances: Vec::new(), length_ms, most, times: None, regions: 0, is_coarser: false }
    }

    /// Intervals that end at these times; without any, of a length that fits the run.
    pub(super) fn at(times: Vec<u64>) -> Self {
        Self { times: Some(times).filter(|times| !times.is_empty()), ..Self::new(0, super::INTERVALS) }
    }

    /// The end of the next interval; none after the last time that is given.
    fn end_ms(&self) -> Option<u64> {
        match &self.times {
            Some(times) => times.get(self.ended.len()).copied(),
            None => Some(self.length_ms.saturating_mul(self.ended.len() as u64 + 1)),
        }
    }

    /// Ends the intervals that end before this time.
    pub(super) fn until(&mut self, t_ms: u64, cluster: &mut Cluster) {
        while let Some(end_ms) = self.end_ms().filter(|end_ms| *end_ms < t_ms) {
            // Nothing is written for so long: what follows is one interval.
            let is_even = self.ended.len().is_multiple_of(2);
            if self.times.is_none() && is_even && t_ms - end_ms > self.length_ms.saturating_mul(MOST as u64) {
                self.length_ms = self.length_ms.saturating_mul(2);
                self.join();
                continue;
            }
            self.push(end_ms, cluster);
            // Of an odd number the last would stay half as long as the others.
            let is_even = self.ended.len().is_multiple_of(2);
            let is_large = self.regions > MOST_REGIONS;
            if self.times.is_none() && is_even && (self.ended.len() >= self.most || is_large) {
                self.is_coarser |= is_large;
                self.length_ms = self.length_ms.saturating_mul(2);
                self.join();
            }
        }
    }

    fn push(&mut self, end_ms: u64, cluster: &mut Cluster) {
        let interval = cluster.interval(end_ms);
        self.chances.push(cluster.take_chances());
        self.regions += interval.regions.len();
        self.ended.push(interval);
    }

    /// The words for what is coarser than was asked for.
    pub(super) fn coarser(&self) -> Option<String> {
        let told = || format!("its regions are told {} times: with more there would be too many", self.ended.len());
        self.is_coarser.then(told)
    }

    fn join(&mut self) {
        let mut pairs = Vec::with_capacity(self.ended.len() / 2 + 1);
        let mut rest = std::mem::take(&mut self.ended).into_iter();
        while let Some(first) = rest.next() {
            pairs.push(match rest.next() {
                Some(second) => joined(&first, second),
                None => first,
            });
        }
        self.regions = pairs.iter().map(|interval| interval.regions.len()).sum();
        self.ended = pairs;
        let join = |pair: &[[Chance; 2]]| {
            pair.iter().skip(1).fold(pair[0], |mut sum, more| {
                sum.iter_mut().zip(more).for_each(|(sum, more)| sum.add(more));
                sum
            })
        };
        self.chances = self.chances.chunks(2).map(join).collect();
    }

    /// Ends all, with the one that the last event is in: it is as long as that needs, and the first of all a second.
    pub(super) fn end(&mut self, last_ms: u64, cluster: &mut Cluster) {
        self.until(last_ms, cluster);
        let shortest_ms = last_ms.saturating_add(1).max(1000);
        while let Some(end_ms) = self.end_ms() {
            self.push(if self.times.is_none() { end_ms.min(shortest_ms) } else { end_ms }, cluster);
            if self.times.is_none() {
                break;
            }
        }
    }

    /// The length of an interval, all, and what is known of chance in each.
    pub(super) fn ended(self) -> (u64, Vec<Interval>, Vec<[Chance; 2]>) {
        (self.length_ms, self.ended, self.chances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterOptions;
    use crate::run::{Key, Settings, SplitPolicy};

    #[test]
    fn intervals_are_bounded_however_long_nothing_happens() {
        let settings = Settings {
            split_policy: SplitPolicy::Disabled,
            balancer_ms: None,
            discharger_ms: 1,
            ..Settings::default()
        };
        for (length_ms, last_ms) in [(1, u64::MAX), (1, 1 << 40), (0, u64::MAX), (7, 1000), (0, 999_999)] {
            let mut cluster = Cluster::new(&settings, ClusterOptions::default());
            let mut intervals = Intervals::new(length_ms, 8);
            [0, 3, last_ms].into_iter().for_each(|t_ms| intervals.until(t_ms, &mut cluster));
            intervals.end(last_ms, &mut cluster);
            let (length_ms, ended, _) = intervals.ended();
            assert!(ended.len() <= 2 * MOST && ended.is_sorted_by_key(|interval| interval.t_ms));
            let longest = last_ms.saturating_add(1).max(1000);
            let ends = (1..).map(|at| length_ms.saturating_mul(at).min(longest).min(1 << 62));
            assert!(ended.iter().map(|interval| interval.t_ms).eq(ends.take(ended.len())), "{length_ms}");
        }
        let mut cluster = Cluster::new(&settings, ClusterOptions::default());
        let mut intervals = Intervals::at(vec![5, 9]);
        intervals.until(u64::MAX, &mut cluster);
        intervals.end(u64::MAX, &mut cluster);
        let (_, ended, chances) = intervals.ended();
        assert_eq!(ended.iter().map(|interval| interval.t_ms).collect::<Vec<_>>(), [5, 9]);
        assert_eq!(chances.len(), 2);
    }

    #[test]
    fn intervals_of_many_regions_are_few() {
        let splits = (1..10_000u32).map(|at| Key(at.to_be_bytes().to_vec())).collect();
        let settings = Settings { splits, split_policy: SplitPolicy::Disabled, ..Settings::default() };
        for (length_ms, last_ms) in [(1000, 1_000_000), (0, 1_000_000), (1000, 50_000)] {
            let mut cluster = Cluster::new(&settings, ClusterOptions::default());
            let mut intervals = Intervals::new(length_ms, 192);
            intervals.until(last_ms, &mut cluster);
            intervals.end(last_ms, &mut cluster);
            assert_eq!(intervals.coarser().is_some(), last_ms > 100_000);
            let (length_ms, ended, _) = intervals.ended();
            let ends = (1..).map(|at| (length_ms * at).min(last_ms + 1));
            assert!(ended.iter().map(|interval| interval.t_ms).eq(ends.take(ended.len())), "{length_ms}");
            let regions: usize = ended.iter().map(|interval| interval.regions.len()).sum();
            assert!((400_000..=MOST_REGIONS + 10_000).contains(&regions), "{regions}");
            assert!(length_ms * ended.len() as u64 >= last_ms && ended.last().unwrap().t_ms >= last_ms);
        }
    }
}
