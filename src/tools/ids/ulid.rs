//! ULIDs, made by the crate `ulid` (feature `ulid-ids`).
//!
//! ```text
//! time, 48 bits of milliseconds since 1970 | random, 80 bits
//! ```
//!
//! Source: <https://github.com/ulid/spec>, monotonic: within a millisecond each is the one before plus one.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ulid::{Generator, Ulid};

use super::IdError;
use crate::keys::clock::{Clock, SystemClock};
use crate::keys::encode::Millis;

/// The last millisecond of 48 bits but one: randomness that overflows carries into the next.
const LAST: i64 = (1 << 48) - 2;

/// Generates ULIDs. Each is greater than the one before. Threads can share it.
///
/// ```
/// use rowkey::Millis;
/// use rowkey::ids::UlidIds;
///
/// let ids = UlidIds::with_clock(|| 1_700_000_000_000);
/// let (first, second) = (ids.next()?, ids.next()?);
/// assert!(first < second);
/// assert_eq!(UlidIds::time(&first), Millis(1_700_000_000_000));
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
#[derive(Debug, Default)]
pub struct UlidIds<C = SystemClock> {
    clock: C,
    generator: Mutex<Generator>,
}

impl UlidIds {
    /// A generator with the system's clock.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the time when a ULID was made.
    pub const fn time(id: &Ulid) -> Millis {
        Millis(id.timestamp_ms() as i64)
    }
}

impl<C: Clock> UlidIds<C> {
    /// A generator with a clock of your own.
    pub fn with_clock(clock: C) -> Self {
        Self { clock, generator: Mutex::default() }
    }

    /// Returns the next id.
    ///
    /// # Errors
    /// [`IdError::Time`] while the clock is before 1970 or after the year 10888.
    pub fn next(&self) -> Result<Ulid, IdError> {
        let now = self.clock.now();
        let out_of_range = IdError::Time { millis: now, of: "ULIDs" };
        let Some(time) = u64::try_from(now).ok().filter(|_| now <= LAST).map(Duration::from_millis) else {
            return Err(out_of_range);
        };
        let time = SystemTime::UNIX_EPOCH.checked_add(time).ok_or(out_of_range)?;
        let mut generator = self.generator.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(generator.generate_from_datetime(time).unwrap_or_else(|overflow| overflow.commit_overflow_increment()))
    }
}
