//! The current time: from the system, or from a clock of your own in tests.

use std::sync::Arc;
use std::time::SystemTime;

use crate::keys::encode::Millis;

/// Returns the current time, to whatever stamps or expires rows. It need not be monotonic: like the system's clock, it
/// may stand still, jump, and go back.
///
/// Every closure that returns milliseconds is a clock:
///
/// ```
/// use rowkey::clock::{Clock, SystemClock};
///
/// let fixed = || 1_700_000_000_000;
/// assert_eq!(Clock::now(&fixed), 1_700_000_000_000);
/// assert!(SystemClock.now() > fixed());
/// ```
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01T00:00:00Z, rounded down.
    fn now(&self) -> i64;
}

/// The system's clock: [`SystemTime::now`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        Millis::floor(SystemTime::now()).map_or(i64::MAX, |now| now.0)
    }
}

impl<F: Fn() -> i64 + Send + Sync> Clock for F {
    fn now(&self) -> i64 {
        self()
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> i64 {
        (**self).now()
    }
}
