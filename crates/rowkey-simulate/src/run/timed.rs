//! The times of intervals.

use super::Interval;

/// Each interval with its start in milliseconds, and its length in seconds.
pub(crate) fn timed(intervals: &[Interval]) -> impl Iterator<Item = (&Interval, u64, f64)> {
    intervals.iter().enumerate().map(|(i, interval)| {
        let from = i.checked_sub(1).and_then(|before| intervals.get(before)).map_or(0, |before| before.t_ms);
        let from = from.min(interval.t_ms.saturating_sub(1));
        (interval, from, (interval.t_ms - from).max(1) as f64 / 1000.0)
    })
}
