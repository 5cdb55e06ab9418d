//! Counts that come later than the reading: those until its time.

use crate::timeline::Requests;

/// The requests of a region until a time, by those that were made until one before it, and until one at it or after:
/// they are taken to come evenly between.
pub(super) fn until(t_ms: u64, before: (u64, Requests), after: (u64, Requests)) -> Requests {
    let ((before_ms, before), (after_ms, after)) = (before, after);
    let all_ms = after_ms.saturating_sub(before_ms);
    if after_ms <= t_ms || all_ms == 0 {
        return after;
    }
    let part = |before: u64, after: u64| {
        let more = u128::from(after.saturating_sub(before)) * u128::from(t_ms.saturating_sub(before_ms));
        before + u64::try_from(more / u128::from(all_ms)).unwrap_or(u64::MAX)
    };
    Requests { writes: part(before.writes, after.writes), reads: part(before.reads, after.reads) }
}
