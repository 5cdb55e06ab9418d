//! Backoff: pauses that double, up to the longest.

use std::time::Duration;

/// Pauses that double up to the longest. Half of each is random, so that clients that failed together do not come back
/// together.
#[derive(Debug, Clone)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
    has_jitter: bool,
}

/// The factor of a pause for an overloaded server.
const OVERLOADED: u32 = 4;

impl Backoff {
    /// Makes one with the first pause, and the longest.
    #[must_use]
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first, has_jitter: true }
    }

    /// Takes the random part away, to poll the state of one thing.
    #[must_use]
    pub fn without_jitter(self) -> Self {
        Self { has_jitter: false, ..self }
    }

    /// Begins with the first pause again.
    pub fn reset(&mut self) {
        self.next = self.first;
    }

    /// The next pause, never more than the longest.
    pub fn next_backoff(&mut self) -> Duration {
        self.times(1)
    }

    /// The next pause before a call to an overloaded server: four times as long, never more than the longest.
    pub fn next_overloaded(&mut self) -> Duration {
        self.times(OVERLOADED)
    }

    fn times(&mut self, factor: u32) -> Duration {
        let pause = self.next.saturating_mul(factor).min(self.longest);
        self.next = self.next.saturating_mul(2).min(self.longest);
        if !self.has_jitter {
            return pause;
        }
        let half = pause / 2;
        half + half.mul_f64(fastrand::f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(16);
    const LONGEST: Duration = Duration::from_secs(1);

    #[test]
    fn pauses_double_up_to_the_longest() {
        fastrand::seed(11);
        for factor in [1, OVERLOADED] {
            let mut backoff = Backoff::new(FIRST, LONGEST);
            let mut most = FIRST;
            for _ in 0..12 {
                let bound = (most * factor).min(LONGEST);
                let pause = if factor == 1 { backoff.next_backoff() } else { backoff.next_overloaded() };
                assert!(pause >= bound / 2 && pause <= bound, "{pause:?} of {bound:?}");
                most = (most * 2).min(LONGEST);
            }
            backoff.reset();
            assert!(backoff.next_backoff() <= FIRST);
        }
    }

    #[test]
    fn without_jitter_pauses_are_exact() {
        let mut backoff = Backoff::new(Duration::from_millis(20), Duration::from_millis(500)).without_jitter();
        let pauses: Vec<_> = (0..7).map(|_| backoff.next_backoff().as_millis()).collect();
        assert_eq!(pauses, [20, 40, 80, 160, 320, 500, 500]);
    }

    #[test]
    fn no_times_are_too_long_or_too_short() {
        for (first, longest) in
            [(Duration::MAX, Duration::MAX), (Duration::ZERO, Duration::MAX), (Duration::MAX, Duration::ZERO)]
        {
            let mut backoff = Backoff::new(first, longest);
            for _ in 0..3 {
                assert!(backoff.next_overloaded() <= longest);
            }
        }
    }
}
