//! Flakes: 128-bit ids, as in Boundary's service of that name.
//!
//! ```text
//! 0 time, 63 bits of milliseconds since 1970 | worker, 48 bits | sequence, 16 bits
//! 00 00 01 8b cf e5 68 00                    | 00 00 00 00 00 07 | 00 01
//! ```
//!
//! Source: <https://github.com/boundary/flake>, "128-bit ids: 64-bit timestamp, 48-bit worker id, 16-bit sequence
//! number". The time is kept below 2⁶³ ms, so that it is always a [`Millis`].

use std::fmt;
use std::str::FromStr;

use super::ticks::Ticks;
use super::{IdError, integer_field};
use crate::keys::clock::{Clock, SystemClock};
use crate::keys::encode::{Field, Millis};

const WORKERS: u64 = (1 << 48) - 1;

/// A unique id of 128 bits: time, worker, sequence. As a key field it is its `u128`, so it sorts by time.
///
/// Its text is 32 lower-case hex digits, which sort as the ids do.
///
/// ```
/// use rowkey::Millis;
/// use rowkey::ids::Flake;
///
/// let id = Flake::new(Millis(1_700_000_000_000), 7, 1)?;
/// assert_eq!(id.to_string(), "0000018bcfe568000000000000070001");
/// assert_eq!("0000018bcfe568000000000000070001".parse::<Flake>()?, id);
/// assert_eq!((id.time(), id.worker(), id.sequence()), (Millis(1_700_000_000_000), 7, 1));
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flake(u128);

impl Flake {
    /// The id of this time, worker (48 bits) and sequence number.
    ///
    /// # Errors
    /// [`IdError::Time`] before 1970, [`IdError::Worker`] from 2⁴⁸ on.
    pub fn new(time: Millis, worker: u64, sequence: u16) -> Result<Self, IdError> {
        let millis = u64::try_from(time.0).map_err(|_| IdError::Time { millis: time.0, of: "flakes" })?;
        if worker > WORKERS {
            return Err(IdError::Worker { worker, max: WORKERS });
        }
        Ok(Self(u128::from(millis) << 64 | u128::from(worker) << 16 | u128::from(sequence)))
    }

    /// The smallest id of this millisecond: all ids made from then on are at or above it.
    ///
    /// # Errors
    /// [`IdError::Time`] before 1970.
    ///
    /// ```
    /// use rowkey::ids::Flake;
    /// use rowkey::{Millis, RowKey, Select};
    ///
    /// #[derive(RowKey)]
    /// struct Event {
    ///     id: Flake,
    /// }
    ///
    /// let of_one_second = Flake::first_of(Millis(5_000))?..Flake::first_of(Millis(6_000))?;
    /// assert_eq!(Event::prefix().id_range(of_one_second).ranges().len(), 1);
    /// # Ok::<(), rowkey::ids::IdError>(())
    /// ```
    pub fn first_of(time: Millis) -> Result<Self, IdError> {
        Self::new(time, 0, 0)
    }

    /// The time when the id was made, by its worker's clock.
    pub const fn time(self) -> Millis {
        Millis((self.0 >> 64) as i64)
    }

    /// The worker that made the id, 48 bits.
    pub const fn worker(self) -> u64 {
        (self.0 >> 16) as u64 & WORKERS
    }

    /// The id's number within its millisecond.
    pub const fn sequence(self) -> u16 {
        self.0 as u16
    }
}

integer_field!([] Flake, u128: <u128 as Field>::TYPE, "the first bit of a flake is 0");

impl fmt::Display for Flake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Flake {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let malformed = IdError::Malformed("a flake's text is 32 lower-case hex digits");
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.as_bytes().iter().all(is_digit) {
            return Err(malformed);
        }
        u128::from_str_radix(text, 16).map_err(|_| malformed)?.try_into()
    }
}

/// Generates [`Flake`]s. Each is greater than the one before. Threads can share it; it has no lock.
///
/// ```
/// use rowkey::ids::FlakeIds;
///
/// let ids = FlakeIds::new(7)?;
/// assert!(ids.next()? < ids.next()?);
/// // With a clock of a test, which stands still:
/// let ids = FlakeIds::with_clock(7, || 1_700_000_000_000)?;
/// assert_eq!((ids.next()?.sequence(), ids.next()?.sequence()), (0, 1));
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
#[derive(Debug)]
pub struct FlakeIds<C = SystemClock> {
    clock: C,
    worker: u64,
    ticks: Ticks<16>,
}

impl FlakeIds {
    /// A generator for a worker, by the system's clock. No two workers may have the same number (48 bits); a network
    /// card's address will do.
    ///
    /// # Errors
    /// [`IdError::Worker`] from 2⁴⁸ on.
    pub fn new(worker: u64) -> Result<Self, IdError> {
        Self::with_clock(worker, SystemClock)
    }
}

impl<C: Clock> FlakeIds<C> {
    /// A generator for a worker, with a clock of your own.
    ///
    /// # Errors
    /// [`IdError::Worker`] from 2⁴⁸ on.
    pub fn with_clock(worker: u64, clock: C) -> Result<Self, IdError> {
        match worker {
            ..=WORKERS => Ok(Self { clock, worker, ticks: Ticks::starting(0) }),
            _ => Err(IdError::Worker { worker, max: WORKERS }),
        }
    }

    /// Continues after an id: the ids that follow are greater, with the same time or a later one.
    #[must_use]
    pub fn after(self, last: Flake) -> Self {
        let millis = last.time().0 as u64;
        let last = if millis > Ticks::<16>::LAST { u64::MAX - 1 } else { millis << 16 | u64::from(last.sequence()) };
        Self { ticks: Ticks::starting(last + 1), ..self }
    }

    /// Returns the next id.
    ///
    /// # Errors
    /// [`IdError::Time`] while the clock is before 1970 or after the year 10888.
    #[inline]
    pub fn next(&self) -> Result<Flake, IdError> {
        let out_of_range = |millis| IdError::Time { millis, of: "the generator of flakes" };
        let now = || {
            let now = self.clock.now();
            u64::try_from(now).ok().filter(|&now| now <= Ticks::<16>::LAST).ok_or_else(|| out_of_range(now))
        };
        let tick = self.ticks.take(Ticks::<16>::LAST, now)?;
        let tick = tick.ok_or_else(|| out_of_range(Ticks::<16>::LAST as i64 + 1))?;
        Ok(Flake(u128::from(tick >> 16) << 64 | u128::from(self.worker) << 16 | u128::from(tick & 0xffff)))
    }
}
