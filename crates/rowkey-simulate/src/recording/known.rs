//! The time of which counts of regions are known.

use std::collections::BTreeMap;

use super::Run;
use crate::run::{Key, Known, timed};

/// The time of a region in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Time {
    pub(crate) all_ms: u64,
    /// The part of it of which its counts are known.
    pub(crate) known_ms: u64,
    /// The rows that were counted, and the reads.
    counted: [u64; 2],
}

impl Run {
    /// The times of regions, by their first keys; none where all is known.
    pub(crate) fn times(&self) -> BTreeMap<&Key, Time> {
        let mut times: BTreeMap<&Key, Time> = BTreeMap::new();
        let is_unknown = |known: Known| known == Known::None;
        if !self.intervals.iter().flat_map(|interval| &interval.regions).any(|region| is_unknown(region.known)) {
            return times;
        }
        for (interval, from_ms, _) in timed(&self.intervals) {
            let length_ms = interval.t_ms.saturating_sub(from_ms);
            for region in &interval.regions {
                let time = times.entry(&region.start).or_default();
                time.all_ms += length_ms;
                time.known_ms += if is_unknown(region.known) { 0 } else { length_ms };
                let counted = [region.rows_this_interval, region.reads_this_interval];
                time.counted.iter_mut().zip(counted).for_each(|(all, own)| *all = all.saturating_add(own));
            }
        }
        times
    }

    /// The number by which the rows that were counted, or the reads, are multiplied so that they are those of the whole
    /// time: while nothing is known of a region, it has its rate of the rest.
    pub(crate) fn extension(&self, reads: bool) -> f64 {
        let (mut counted, mut extended) = (0.0, 0.0);
        for time in self.times().values().filter(|time| time.known_ms > 0) {
            let own = time.counted[usize::from(reads)] as f64;
            counted += own;
            extended += own * (time.all_ms as f64 / time.known_ms as f64);
        }
        if counted > 0.0 { extended / counted } else { 1.0 }
    }
}
