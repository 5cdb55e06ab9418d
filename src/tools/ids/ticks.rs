//! A monotonic number of time and sequence, from which [`Flake`](super::Flake) and [`Snowflake`](super::Snowflake) are
//! made.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Number of milliseconds that ids may run ahead of the clock before the generator waits.
const AHEAD: u64 = 1000;

/// The next free tick: milliseconds since an epoch, and `BITS` bits of sequence below them.
#[derive(Debug)]
pub(super) struct Ticks<const BITS: u32>(AtomicU64);

impl<const BITS: u32> Ticks<BITS> {
    /// The last millisecond that has ticks. One is left over, so that there is a number after the last tick.
    pub(super) const LAST: u64 = (u64::MAX >> BITS) - 1;

    pub(super) const fn starting(at: u64) -> Self {
        Self(AtomicU64::new(at))
    }

    /// Takes the first free tick from the clock's millisecond on, or `None` if it would be after `last`.
    ///
    /// A sequence that is used up carries over into the milliseconds.
    pub(super) fn take<E>(&self, last: u64, now: impl Fn() -> Result<u64, E>) -> Result<Option<u64>, E> {
        let mut waited_for = None;
        loop {
            let next = self.0.load(Ordering::Relaxed);
            let now = now()?.min(Self::LAST);
            let tick = next.max(now << BITS);
            let millis = tick >> BITS;
            if millis > last.min(Self::LAST) {
                return Ok(None);
            }
            // Only a thread that has waited for this millisecond may open it, so the lead does not grow with the number
            // of threads.
            let opens = tick.trailing_zeros() >= BITS;
            if opens && millis - now > AHEAD && waited_for != Some(millis) {
                thread::sleep(Duration::from_millis(1));
                waited_for = Some(millis);
                continue;
            }
            if self.0.compare_exchange_weak(next, tick + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return Ok(Some(tick));
            }
        }
    }
}
