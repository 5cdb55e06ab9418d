//! UUIDs of version 7, made by the crate `uuid` (feature `uuid-ids`).
//!
//! ```text
//! time, 48 bits of milliseconds since 1970 | 0111 | counter, 12 bits | 10 | counter, 30 bits | random, 32 bits
//! ```
//!
//! Source: RFC 9562, 5.7, with a counter of 42 bits by its method 1 (6.2). The counter starts at a random number in
//! each millisecond.

use std::sync::{Mutex, PoisonError};

use uuid::{ContextV7, Timestamp, Uuid};

use super::IdError;
use crate::keys::clock::{Clock, SystemClock};
use crate::keys::encode::Millis;

/// The last millisecond of 48 bits but one: a counter that overflows carries into the next.
const LAST: i64 = (1 << 48) - 2;

/// Generates UUIDs of version 7. Each is greater than the one before. Threads can share it.
///
/// ```
/// use rowkey::Millis;
/// use rowkey::ids::UuidIds;
///
/// let ids = UuidIds::with_clock(|| 1_700_000_000_000);
/// let (first, second) = (ids.next()?, ids.next()?);
/// assert!(first < second);
/// assert_eq!(UuidIds::time(&first), Some(Millis(1_700_000_000_000)));
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
#[derive(Debug)]
pub struct UuidIds<C = SystemClock> {
    clock: C,
    state: Mutex<State>,
}

/// The clock's last time. Up to uuid 1.26 the context could step back with its clock.
#[derive(Debug)]
struct State {
    last: i64,
    context: ContextV7,
}

impl State {
    const fn new() -> Self {
        Self { last: 0, context: ContextV7::new() }
    }
}

impl UuidIds {
    /// A generator with the system's clock.
    pub const fn new() -> Self {
        Self { clock: SystemClock, state: Mutex::new(State::new()) }
    }

    /// Returns the time when a UUID of version 7 was made, or `None` for another version.
    pub fn time(id: &Uuid) -> Option<Millis> {
        let (seconds, nanos) = id.get_timestamp().filter(|_| id.get_version_num() == 7)?.to_unix();
        Millis::floor((i64::try_from(seconds).ok()?, nanos)).ok()
    }
}

impl Default for UuidIds {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Clock> UuidIds<C> {
    /// A generator with a clock of your own.
    pub fn with_clock(clock: C) -> Self {
        Self { clock, state: Mutex::new(State::new()) }
    }

    /// Returns the next id.
    ///
    /// # Errors
    /// [`IdError::Time`] while the clock is before 1970 or after the year 10888.
    pub fn next(&self) -> Result<Uuid, IdError> {
        let now = self.clock.now();
        if !(0..=LAST).contains(&now) {
            return Err(IdError::Time { millis: now, of: "UUIDs of version 7" });
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last = state.last.max(now);
        let time =
            Timestamp::from_unix(&state.context, state.last as u64 / 1000, (state.last % 1000) as u32 * 1_000_000);
        drop(state);
        Ok(Uuid::new_v7(time))
    }
}
