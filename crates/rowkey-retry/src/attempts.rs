//! Attempts of one operation: how many were made, when the next one is, and whether there is time for it.

use std::time::{Duration, Instant};

use crate::Backoff;

/// The time of the next attempt. Of several failures the greatest one holds: a server's own delay before any backoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Delay {
    /// At once, at most three times without progress. After that as [`Backoff`](Self::Backoff).
    Immediate,
    /// After a pause of the backoff.
    Backoff,
    /// After a longer pause of the backoff: the server is overloaded.
    Overloaded,
    /// After the time that the server asks for, at least 5 ms.
    Server(Duration),
}

/// The attempts of one operation. Whoever makes them hands in the time, and sleeps.
#[derive(Debug, Clone)]
pub struct Attempts {
    made: u32,
    /// Immediate retries since the last progress.
    immediate: u32,
    backoff: Backoff,
    deadline: Option<Deadline>,
    retry_for: Duration,
    /// The first failure since the last progress.
    failing_since: Option<Instant>,
}

/// Immediate retries without progress at most.
const IMMEDIATE: u32 = 3;
/// A server that asks for no pause at all is not called in a busy loop.
const SHORTEST_SERVER_DELAY: Duration = Duration::from_millis(5);

impl Attempts {
    /// Makes attempts without an end.
    #[must_use]
    pub fn new(backoff: Backoff) -> Self {
        Self { made: 0, immediate: 0, backoff, deadline: None, retry_for: Duration::MAX, failing_since: None }
    }

    /// Sets the deadline of the operation. A pause is cut to half of the time that is left, so the last attempts are
    /// near the deadline, each with as much time as was waited for it, or more. None begins in the last sixteenth of
    /// the time (5 to 250 ms), when its response could hardly come: it would only leave the outcome unknown.
    #[must_use]
    pub fn until(mut self, deadline: Instant, now: Instant) -> Self {
        self.extend(deadline, now);
        self
    }

    /// Sets the time of retries, which begins with the first failure since the last [`progress`](Self::progress). A
    /// pause is not cut to it.
    #[must_use]
    pub fn retry_for(self, time: Duration) -> Self {
        Self { retry_for: time, ..self }
    }

    /// Moves the deadline.
    pub fn extend(&mut self, deadline: Instant, now: Instant) {
        self.deadline = Some(Deadline::new(deadline, now));
    }

    /// Counts an attempt, which begins.
    pub fn begin(&mut self) {
        self.made = self.made.saturating_add(1);
    }

    /// The number of attempts so far.
    #[must_use]
    pub fn made(&self) -> u32 {
        self.made
    }

    /// Notes that the last attempt did a part of the operation: the next failure is the first one again.
    pub fn progress(&mut self) {
        self.backoff.reset();
        (self.immediate, self.failing_since) = (0, None);
    }

    /// Returns whether there is time for an attempt after a pause that is not cut.
    #[must_use]
    pub fn allows(&self, pause: Duration, now: Instant) -> bool {
        let is_early = |deadline: Deadline| pause < deadline.last.saturating_duration_since(now);
        self.still_retries(pause, now) && self.deadline.is_none_or(is_early)
    }

    fn still_retries(&self, pause: Duration, now: Instant) -> bool {
        let failing = self.failing_since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        failing.saturating_add(pause) < self.retry_for
    }

    /// The backoff before the next attempt, after one that failed now; `None` if there is no time for another one. A
    /// server's own delay is never cut.
    pub fn next_backoff(&mut self, delay: Delay, now: Instant) -> Option<Duration> {
        self.failing_since.get_or_insert(now);
        let pause = match delay {
            Delay::Immediate if self.immediate < IMMEDIATE => {
                self.immediate += 1;
                Duration::ZERO
            }
            Delay::Immediate | Delay::Backoff => self.backoff.next_backoff(),
            Delay::Overloaded => self.backoff.next_overloaded(),
            Delay::Server(delay) => {
                self.backoff.next_backoff();
                let delay = delay.max(SHORTEST_SERVER_DELAY);
                return self.allows(delay, now).then_some(delay);
            }
        };
        let cut = self.deadline.map_or(pause, |Deadline { at, last }| {
            cut(pause, at.saturating_duration_since(now), last.saturating_duration_since(now))
        });
        (self.still_retries(cut, now) && self.allows(Duration::ZERO, now)).then_some(cut)
    }
}

#[derive(Debug, Clone, Copy)]
struct Deadline {
    at: Instant,
    /// No attempt begins later.
    last: Instant,
}

impl Deadline {
    /// Of an operation that begins now.
    fn new(at: Instant, now: Instant) -> Self {
        let least = least(at.saturating_duration_since(now));
        Self { at, last: at.checked_sub(least).unwrap_or(now) }
    }
}

/// The time before a deadline in which no attempt begins, of `all` the time until it.
fn least(all: Duration) -> Duration {
    (all / 16).clamp(Duration::from_millis(5), Duration::from_millis(250))
}

/// A pause, with the time until the deadline and until the last attempt may begin.
fn cut(pause: Duration, left: Duration, last: Duration) -> Duration {
    pause.min(left / 2).min(last)
}

/// A pause cut as [`Attempts::until`] cuts one, by the time that is left to whoever waits: for a deadline of one wait,
/// and not of all attempts. `None` if no attempt may begin before it.
#[must_use]
pub fn cut_pause(pause: Duration, left: Duration) -> Option<Duration> {
    let last = left.checked_sub(least(left)).filter(|last| !last.is_zero())?;
    Some(cut(pause, left, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(10);

    fn attempts() -> Attempts {
        Attempts::new(Backoff::new(FIRST, LONGEST))
    }

    #[test]
    fn delays_are_in_the_order_of_time() {
        let server = |ms| Delay::Server(Duration::from_millis(ms));
        let sorted = [Delay::Immediate, Delay::Backoff, Delay::Overloaded, server(1), server(2)];
        assert!(sorted.is_sorted());
    }

    #[test]
    fn a_pause_is_cut_before_the_deadline() {
        let start = Instant::now();
        for seconds in [1_u64, 8, 60] {
            let all = Duration::from_secs(seconds);
            let mut attempts = Attempts::new(Backoff::new(all, all).without_jitter()).until(start + all, start);
            let mut now = start;
            while let Some(pause) = attempts.next_backoff(Delay::Backoff, now) {
                now += pause;
            }
            let unused = all - (now - start);
            assert!(unused <= all / 8 && !unused.is_zero(), "{unused:?} of {all:?}");
        }
        assert_eq!(attempts().until(start, start).next_backoff(Delay::Immediate, start), None);
        let mut late = attempts().until(start, start);
        late.extend(start + LONGEST, start);
        assert_eq!(late.next_backoff(Delay::Immediate, start), Some(Duration::ZERO));
    }

    #[test]
    fn no_attempt_begins_too_late() {
        let start = Instant::now();
        let millis = Duration::from_millis;
        for (all, least) in [(8, 5), (80, 5), (800, 50), (4000, 250), (60_000, 250)] {
            let (all, last) = (millis(all), start + millis(all - least));
            for first in (1..all.as_millis() as u64).step_by(all.as_millis() as usize / 8) {
                let backoff = Backoff::new(millis(first), LONGEST).without_jitter();
                let (mut attempts, mut now) = (Attempts::new(backoff).until(start + all, start), start);
                while let Some(pause) = attempts.next_backoff(Delay::Backoff, now) {
                    now += pause;
                    assert!(now <= last, "{:?} too late, of {all:?}", now - last);
                }
                assert_eq!(now, last, "the last one is as late as it may be, of {all:?}");
            }
        }
    }

    #[test]
    fn a_wait_of_its_own_is_cut_as_the_deadline_of_all_would() {
        let start = Instant::now();
        for left in [0, 1, 5, 6, 9, 80, 500, 4000, 60_000].map(Duration::from_millis).into_iter().chain([LONGEST]) {
            let of_all = attempts().until(start + left, start).next_backoff(Delay::Immediate, start);
            assert_eq!(cut_pause(Duration::ZERO, left), of_all);
            let pauses = Backoff::new(LONGEST, LONGEST).without_jitter();
            let of_all = Attempts::new(pauses).until(start + left, start).next_backoff(Delay::Backoff, start);
            assert_eq!(cut_pause(LONGEST, left), of_all);
        }
        assert_eq!(cut_pause(Duration::MAX, Duration::MAX), Some(Duration::MAX / 2));
    }

    #[test]
    fn the_delay_of_a_server_is_not_cut() {
        let start = Instant::now();
        let mut attempts = attempts().until(start + Duration::from_secs(60), start);
        for (seconds, pause) in [(1, Some(1)), (59, Some(59)), (60, None), (u64::MAX, None)] {
            let pause = pause.map(Duration::from_secs);
            assert_eq!(attempts.next_backoff(Delay::Server(Duration::from_secs(seconds)), start), pause);
        }
        assert!(attempts.next_backoff(Delay::Backoff, start).is_some(), "it is only later than there is time for");
    }

    #[test]
    fn retries_end_after_their_time_since_the_last_progress() {
        let start = Instant::now();
        let mut attempts = attempts().retry_for(Duration::from_secs(60));
        let mut most = FIRST;
        for _ in 0..20 {
            let pause = attempts.next_backoff(Delay::Backoff, start).unwrap();
            assert!(pause >= most / 2 && pause <= most, "{pause:?} of {most:?}");
            most = (most * 2).min(LONGEST);
        }
        let server = Delay::Server;
        assert_eq!(attempts.next_backoff(server(Duration::from_secs(59)), start), Some(Duration::from_secs(59)));
        assert_eq!(attempts.next_backoff(server(Duration::ZERO), start), Some(SHORTEST_SERVER_DELAY));
        assert_eq!(attempts.next_backoff(server(Duration::from_secs(60)), start), None);
        assert_eq!(attempts.next_backoff(server(Duration::MAX), start), None);
        let later = start + Duration::from_secs(59);
        assert_eq!(attempts.next_backoff(server(Duration::from_secs(1)), later), None);
        assert!(attempts.allows(Duration::from_millis(999), later));
        attempts.progress();
        assert!(attempts.next_backoff(Delay::Backoff, later).unwrap() <= FIRST);
        assert_eq!(self::attempts().retry_for(Duration::ZERO).next_backoff(Delay::Immediate, start), None);
        assert_eq!(self::attempts().next_backoff(server(Duration::MAX), start), None);
    }

    #[test]
    fn immediate_retries_are_few() {
        let start = Instant::now();
        let mut attempts = attempts();
        for _ in 0..2 {
            for _ in 0..IMMEDIATE {
                assert_eq!(attempts.next_backoff(Delay::Immediate, start), Some(Duration::ZERO));
            }
            assert!(!attempts.next_backoff(Delay::Immediate, start).unwrap().is_zero());
            attempts.progress();
        }
    }

    #[test]
    fn attempts_are_counted_where_they_begin() {
        let mut attempts = attempts();
        assert_eq!(attempts.made(), 0);
        attempts.begin();
        attempts.next_backoff(Delay::Backoff, Instant::now()).unwrap();
        attempts.progress();
        attempts.begin();
        assert_eq!(attempts.made(), 2);
    }
}
