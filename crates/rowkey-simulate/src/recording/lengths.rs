//! The lengths of intervals.

use super::Run;
use crate::run::{Interval, timed};

impl Run {
    /// The milliseconds that each interval takes. Of one behind others that is less than half as long as they are no rate
    /// is told: it counts as one of their length.
    pub(crate) fn lengths(&self) -> Vec<u64> {
        let all_ms = self.settings.interval_ms.max(1);
        let own = |(at, (interval, from_ms, _)): (usize, (&Interval, u64, f64))| {
            let own_ms = interval.t_ms.saturating_sub(from_ms).max(1);
            if at > 0 && own_ms < all_ms.div_ceil(2) { all_ms } else { own_ms }
        };
        timed(&self.intervals).enumerate().map(own).collect()
    }
}
