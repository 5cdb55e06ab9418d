//! When the next attempt of an operation begins.

use std::time::Duration;

use crate::config::options::Options;

/// The pauses between the attempts of one operation: each about twice the one before, by chance a third longer or
/// shorter, so that those who failed together do not come back together.
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
}
