//! Where the time of now comes from: the system, or a clock of a test's own.

use std::sync::Arc;
use std::time::SystemTime;

use crate::keys::encode::Millis;

/// Tells the time of now. It may stand still, jump and step back, as a system's clock does; who needs more sees to it.
///
/// Every closure that gives milliseconds is one:
///
/// ```
/// use rowkey::clock::{Clock, SystemClock};
///
/// let fixed = || 1_700_000_000_000;
/// assert_eq!(Clock::now(&fixed), 1_700_000_000_000);
/// assert!(SystemClock.now() > fixed());
/// ```
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970, rounded down.
    fn now(&self) -> i64;
}

/// The system's clock, [`SystemTime::now`].
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
