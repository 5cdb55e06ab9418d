//! Spans of time: what the busiest server is asked for in each, and what is known of it without chance.

use crate::chance::most_above;
use crate::recording::Busiest;

/// The events that a share is known by.
const EVENTS: f64 = 30.0;

/// The busiest of several servers in one of a thousand steps has so many times more by chance than one has.
const OF_SEVERAL: f64 = 1.5;

/// A time and what the busiest server is asked for in it, of writes and of reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The place of the interval that it is in.
    pub(super) at: usize,
    pub(super) t_ms: u64,
    pub(super) length_ms: u64,
    pub(super) counted: [Busiest; 2],
    pub(super) expected: [Expected; 2],
    pub(super) chance: f64,
    /// The samples among which one is the busiest: each server in each span.
    pub(super) samples: f64,
}

/// The rate that a server is asked for by what is known of the load around a time: the highest in it, where that is
/// declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) server: u32,
    pub(super) rate: f64,
    /// The server's part of the load.
    pub(super) part: f64,
    /// The part of it that is more than chance in the load of several times; none where it is known by counting alone.
    pub(super) sure: Option<f64>,
    /// True if the rate is the declared one: then nothing is told by counting events.
    pub(super) is_paced: bool,
}

impl Span {
    /// The time at which it begins.
    pub(super) const fn begins_ms(&self) -> u64 {
        self.t_ms.saturating_sub(self.length_ms)
    }

    pub(super) const fn of(&self, reads: bool) -> &Busiest {
        &self.counted[reads as usize]
    }

    pub(super) const fn expected(&self, reads: bool) -> &Expected {
        &self.expected[reads as usize]
    }

    pub(super) fn rate(&self, reads: bool) -> f64 {
        self.of(reads).rows as f64 / seconds(self.length_ms)
    }

    /// The rate that a server with this mean has at most by chance, where each event stands for so many rows.
    pub(super) fn limit(&self, mean: f64, reads: bool) -> f64 {
        let Busiest { all, events, .. } = self.of(reads);
        let a_second = *all as f64 / (*events).max(1) as f64 / seconds(self.length_ms);
        if a_second > 0.0 { mean + a_second * most_above(mean / a_second, self.samples) } else { mean }
    }

    /// The most that the busiest server is asked for: what is expected of it, or what is counted, if that is more than
    /// chance.
    pub(super) fn most(&self, reads: bool) -> f64 {
        let Expected { rate: expected, is_paced, .. } = *self.expected(reads);
        let rate = self.rate(reads);
        if !is_paced && rate > self.limit(expected, reads) { rate.max(expected) } else { expected }
    }

    /// True if more than `takes` are asked for: by what is expected, or what is counted, by more than chance.
    pub(super) fn is_over(&self, takes: f64, reads: bool) -> bool {
        let Expected { rate, sure, .. } = *self.expected(reads);
        sure.is_some_and(|sure| sure * rate > takes) || self.is_counted(takes, reads)
    }

    /// True if it is over, and a step in it too, as far as is known.
    pub(super) fn is_over_in(&self, step: &Self, takes: f64, reads: bool) -> bool {
        let is_known = step.expected(reads).sure.is_some();
        if is_known { self.is_counted(takes, reads) } else { self.is_over(takes, reads) }
    }

    pub(super) fn is_counted(&self, takes: f64, reads: bool) -> bool {
        let expected = self.expected(reads);
        // What is expected, and not too much, is not too much by chance.
        let least = if expected.sure.is_some() { takes.max(expected.rate) } else { takes };
        !expected.is_paced && self.rate(reads) > self.limit(least, reads)
    }

    /// The part of the writes that is more than chance, if it is so much more than another.
    pub(super) fn share_above(&self, later: f64) -> Option<f64> {
        let Expected { part, sure, is_paced, .. } = *self.expected(false);
        if is_paced {
            return Some(part).filter(|part| sure.unwrap_or(0.0) * part > later);
        }
        let Busiest { rows, all, events, .. } = *self.of(false);
        let (share, events) = (rows as f64 / all as f64, events as f64);
        let chance = OF_SEVERAL * self.chance * (later * (1.0 - later) / events).sqrt();
        (share * events >= EVENTS && share > later + chance).then_some(share)
    }
}

pub(super) fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
