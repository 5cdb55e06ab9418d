//! Times that users give, and deadlines of operations.

use std::time::Duration;

use tokio::time::Instant;

/// A time is added to an instant, which has an end.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// A time that a user gave.
pub(crate) fn bounded(time: Duration) -> Duration {
    time.min(LONGEST)
}

/// The time of an operation. No attempt begins so late that its answer could hardly come: it would only leave the
/// outcome open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    /// An attempt that has less time is not made.
    least: Duration,
}

impl Deadline {
    /// Of an operation that begins now.
    pub(crate) fn new(at: Instant) -> Self {
        let all = at.saturating_duration_since(Instant::now());
        Self { at, least: (all / 16).clamp(Duration::from_millis(5), Duration::from_millis(250)) }
    }

    /// When to go on after a pause. It is cut to half of what is left, so the last attempts are made near the deadline,
    /// and each has as much time as was waited for it. `None` if it is too late for another one.
    pub(crate) fn after(&self, pause: Duration) -> Option<Instant> {
        let now = Instant::now();
        let left = self.at.saturating_duration_since(now);
        (left > self.least).then(|| now + pause.min(left / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_cut_before_the_deadline() {
        for seconds in [1_u64, 8, 60] {
            let all = Duration::from_secs(seconds);
            let (began, deadline) = (Instant::now(), Deadline::new(Instant::now() + all));
            let mut last = began;
            while let Some(next) = deadline.after(all) {
                tokio::time::sleep_until(next).await;
                last = Instant::now();
            }
            let unused = all - (last - began);
            assert!(unused <= all / 8 && !unused.is_zero(), "{unused:?} of {all:?}");
        }
        assert_eq!(Deadline::new(Instant::now()).after(Duration::ZERO), None);
    }
}
