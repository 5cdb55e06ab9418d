//! Backoff: the pauses between the attempts of one operation.

use std::time::Duration;

use crate::config::options::Options;

/// Pauses that double up to the longest. Half of each is random, so that clients that failed together do not come back
/// together.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    pub(crate) fn new(options: &Options) -> Self {
        Self { next: options.first_pause, longest: options.longest_pause }
    }

    /// The next pause, never more than the longest. An overloaded server is given four times as long.
    pub(crate) fn next(&mut self, overloaded: bool) -> Duration {
        let pause = if overloaded { self.next * 4 } else { self.next };
        self.next = (self.next * 2).min(self.longest);
        pause.min(self.longest).mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest() {
        let options = Options::new().pauses(Duration::from_millis(16), Duration::from_secs(1));
        for overloaded in [false, true] {
            let mut backoff = Backoff::new(&options);
            let mut most = Duration::from_millis(16);
            for _ in 0..12 {
                let bound = (if overloaded { most * 4 } else { most }).min(Duration::from_secs(1));
                let pause = backoff.next(overloaded);
                assert!(pause >= bound / 2 && pause <= bound, "{pause:?} of {bound:?}");
                most = (most * 2).min(Duration::from_secs(1));
            }
        }
    }
}
