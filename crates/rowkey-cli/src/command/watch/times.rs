//! The times of readings.

use std::time::Duration;

use tokio::time::Instant;

/// The times of the readings after the first one.
pub(super) struct Times {
    every: Duration,
    end: Option<Instant>,
    /// The time that the last reading was to begin at, and the number of those before it.
    last: Instant,
    before: usize,
}

impl Times {
    /// Those of a run of this length, whose first reading began at a time.
    pub(super) fn new(begun: Instant, every: Duration, length: Option<Duration>) -> Self {
        Self { every, end: length.map(|length| begun + length), last: begun, before: 0 }
    }

    /// The next time that is to come, at most the run's end: those that have passed are left out, and the others stay
    /// where they were. None once the run is over; but without a second reading nothing is counted.
    pub(super) fn next(&mut self, now: Instant) -> Option<Instant> {
        if self.before > 0 && self.end.is_some_and(|end| end <= now) {
            return None;
        }
        let passed = now.saturating_duration_since(self.last).as_secs_f64() / self.every.as_secs_f64();
        let next = self.last + self.every.mul_f64(passed.floor() + 1.0);
        (self.last, self.before) = (self.end.map_or(next, |end| next.min(end)), self.before + 1);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of readings in milliseconds, of which each takes so long.
    fn read(every_ms: u64, length_ms: u64, takes_ms: &[u64]) -> Vec<u64> {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut times = Times::new(begun, Duration::from_millis(every_ms), Some(Duration::from_millis(length_ms)));
        let (mut now, mut read) = (begun, Vec::new());
        for takes_ms in takes_ms.iter().chain(std::iter::repeat(&0)) {
            now += Duration::from_millis(*takes_ms);
            let Some(next) = times.next(now) else { break };
            assert!(next <= at(length_ms), "{read:?}");
            now = now.max(next);
            read.push((now - begun).as_millis().try_into().unwrap());
        }
        read
    }

    #[test]
    fn no_reading_begins_after_the_end() {
        assert_eq!(read(1000, 3500, &[]), [1000, 2000, 3000, 3500]);
        assert_eq!(read(1000, 3000, &[]), [1000, 2000, 3000]);
        // The last one is over after the end.
        assert_eq!(read(1000, 3500, &[0, 0, 0, 900]), [1000, 2000, 3000]);
        assert_eq!(read(1000, 3500, &[0, 0, 1200]), [1000, 2000, 3500]);
        assert_eq!(read(1000, 3500, &[0, 2500]), [1000]);
        // The first one is, and counts alone are not enough.
        assert_eq!(read(1000, 3500, &[5000]), [5000]);
    }

    #[test]
    fn a_late_reading_moves_no_other() {
        assert_eq!(read(1000, 6000, &[300, 1200, 0, 1900]), [1000, 3000, 4000, 6000]);
    }
}
