//! When the next attempt of an operation begins.

use std::time::Duration;

use tokio::time::Instant;

use crate::options::Options;

/// The pauses between the attempts of one operation: each about twice the one before, by chance a third longer or shorter, so
/// that those who failed together do not come back together.
#[derive(Debug, Clone)]
pub(crate) struct Pauses {
    next: Duration,
    longest: Duration,
}

impl Pauses {
    pub(crate) fn new(options: &Options) -> Self {
        Self { next: options.first_pause, longest: options.longest_pause }
    }

    /// The next pause. An overloaded server is given more time.
    pub(crate) fn next(&mut self, overloaded: bool) -> Duration {
        let pause = if overloaded { self.next * 4 } else { self.next };
        self.next = (self.next * 2).min(self.longest);
        pause.min(self.longest).mul_f64(2.0 / 3.0 + fastrand::f64() * 2.0 / 3.0)
    }
}

/// The time of an operation. No attempt begins so late that its answer could hardly come: it would only leave the outcome open.
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

    /// When to go on after a pause. It is cut to half of what is left, so the last attempts are made near the deadline, and each
    /// has as much time as was waited for it. `None` if it is too late for another one.
    pub(crate) fn after(&self, pause: Duration) -> Option<Instant> {
        let now = Instant::now();
        let left = self.at.saturating_duration_since(now);
        (left > self.least).then(|| now + pause.min(left / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest() {
        let options = Options::new().pauses(Duration::from_millis(16), Duration::from_secs(1));
        let mut pauses = Pauses::new(&options);
        let taken: Vec<_> = (0..12).map(|_| pauses.next(false).as_millis()).collect();
        assert!((10..=22).contains(&taken[0]), "{taken:?}");
        assert!(taken[1] >= 21 && taken[11] >= 666 && taken[11] <= 1334, "{taken:?}");
        assert!(Pauses::new(&options).next(true).as_millis() >= 42);
    }

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
