//! Snowflakes: 64-bit ids, as in Twitter's service of that name.
//!
//! ```text
//! 0, 1 bit | time, 41 bits of milliseconds since the epoch | worker, 10 bits | sequence, 12 bits
//! ```
//!
//! Source: `IdWorker.scala` of <https://github.com/twitter-archive/snowflake/tree/snowflake-2010>; its 10 bits of
//! worker are 5 of data centre and 5 of worker. The epoch is part of the type, so an id can't be read with another
//! epoch than it was made with. An epoch lasts 69 years and 8 months.

use std::fmt;
use std::str::FromStr;

use super::ticks::Ticks;
use super::{IdError, integer_field};
use crate::keys::clock::{Clock, SystemClock};
use crate::keys::encode::{Field, Millis};
use crate::keys::layout::{Type, Unit};

const WORKERS: u16 = (1 << 10) - 1;
const SEQUENCES: u16 = (1 << 12) - 1;
const TIMES: u64 = (1 << 41) - 1;

/// Twitter's epoch, 2010-11-04T01:42:54.657Z, in milliseconds since 1970.
pub const TWITTER_EPOCH: i64 = 1_288_834_974_657;

/// A unique id of 64 bits: time since `EPOCH` (milliseconds since 1970), worker, sequence. As a key field it is its
/// `u64`, so it sorts by time.
///
/// Its text is its decimal number.
///
/// ```
/// use rowkey::Millis;
/// use rowkey::ids::Snowflake;
///
/// let of_a_tweet: Snowflake = "1541815603606036480".parse()?;
/// assert_eq!(of_a_tweet.time(), Millis(1_656_432_460_105)); // 2022-06-28T16:07:40.105Z
/// assert_eq!((of_a_tweet.worker(), of_a_tweet.sequence()), (378, 0));
///
/// type Ours = Snowflake<1_700_000_000_000>;
/// assert_eq!(Ours::new(Millis(1_700_000_000_001), 2, 3)?.to_string(), "4202499");
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snowflake<const EPOCH: i64 = TWITTER_EPOCH>(u64);

impl<const EPOCH: i64> Snowflake<EPOCH> {
    /// The last millisecond, since 1970, of this epoch.
    const LAST: i64 = {
        assert!(EPOCH <= i64::MAX - TIMES as i64, "the epoch of a snowflake is too late");
        EPOCH + TIMES as i64
    };

    const fn since_epoch(millis: i64) -> Result<u64, IdError> {
        match millis {
            _ if EPOCH <= millis && millis <= Self::LAST => Ok(millis.wrapping_sub(EPOCH) as u64),
            _ => Err(IdError::Time { millis, of: "snowflakes of their epoch" }),
        }
    }

    /// The id of this time, worker (10 bits) and sequence number (12 bits).
    ///
    /// # Errors
    /// [`IdError::Time`] before the epoch and from 2⁴¹ ms after it on, [`IdError::Worker`] from 1024 on,
    /// [`IdError::Sequence`] from 4096 on.
    pub fn new(time: Millis, worker: u16, sequence: u16) -> Result<Self, IdError> {
        let since_epoch = Self::since_epoch(time.0)?;
        if worker > WORKERS {
            return Err(IdError::Worker { worker: worker.into(), max: WORKERS.into() });
        }
        if sequence > SEQUENCES {
            return Err(IdError::Sequence { sequence, max: SEQUENCES });
        }
        Ok(Self(since_epoch << 22 | u64::from(worker) << 12 | u64::from(sequence)))
    }

    /// The smallest id of this millisecond: all ids made from then on are at or above it.
    ///
    /// # Errors
    /// [`IdError::Time`] before the epoch and from 2⁴¹ ms after it on.
    pub fn first_of(time: Millis) -> Result<Self, IdError> {
        Self::new(time, 0, 0)
    }

    /// The time when the id was made, by its worker's clock.
    pub const fn time(self) -> Millis {
        Millis(Self::LAST - (TIMES - (self.0 >> 22)) as i64)
    }

    /// The worker that made the id, 10 bits.
    pub const fn worker(self) -> u16 {
        (self.0 >> 12) as u16 & WORKERS
    }

    /// The id's number within its millisecond, 12 bits.
    pub const fn sequence(self) -> u16 {
        self.0 as u16 & SEQUENCES
    }
}

integer_field!(
    [const EPOCH: i64] Snowflake<EPOCH>,
    u64: &Type::Measured { unit: Unit::SnowflakeSince(EPOCH), ty: <u64 as Field>::TYPE },
    "the first bit of a snowflake is 0"
);

impl<const EPOCH: i64> fmt::Display for Snowflake<EPOCH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const EPOCH: i64> FromStr for Snowflake<EPOCH> {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let bits: Option<u64> = text.parse().ok().filter(|bits: &u64| bits.to_string() == text);
        bits.ok_or(IdError::Malformed("a snowflake's text is a decimal number"))?.try_into()
    }
}

/// Generates [`Snowflake`]s. Each is greater than the one before. Threads can share it; it has no lock.
///
/// ```
/// use rowkey::ids::{Snowflake, SnowflakeIds};
///
/// let ids = SnowflakeIds::new(7)?;
/// assert!(ids.next()? < ids.next()?);
/// // With another epoch, and a clock that stands still:
/// let ids = SnowflakeIds::<1_700_000_000_000, _>::with_clock(7, || 1_700_000_000_001)?;
/// let id: Snowflake<1_700_000_000_000> = ids.next()?;
/// assert_eq!(id.time().0, 1_700_000_000_001);
/// # Ok::<(), rowkey::ids::IdError>(())
/// ```
#[derive(Debug)]
pub struct SnowflakeIds<const EPOCH: i64 = TWITTER_EPOCH, C = SystemClock> {
    clock: C,
    worker: u16,
    ticks: Ticks<12>,
}

impl SnowflakeIds {
    /// A generator for a worker, with Twitter's epoch and the system's clock. No two workers may have the same number
    /// (10 bits).
    ///
    /// # Errors
    /// [`IdError::Worker`] from 1024 on.
    pub fn new(worker: u16) -> Result<Self, IdError> {
        Self::with_clock(worker, SystemClock)
    }
}

impl<const EPOCH: i64, C: Clock> SnowflakeIds<EPOCH, C> {
    /// A generator for a worker, with an epoch and a clock of your own.
    ///
    /// # Errors
    /// [`IdError::Worker`] from 1024 on.
    pub fn with_clock(worker: u16, clock: C) -> Result<Self, IdError> {
        match worker {
            ..=WORKERS => Ok(Self { clock, worker, ticks: Ticks::starting(0) }),
            _ => Err(IdError::Worker { worker: worker.into(), max: WORKERS.into() }),
        }
    }

    /// Continues after an id: the ids that follow are greater, with the same time or a later one.
    #[must_use]
    pub fn after(self, last: Snowflake<EPOCH>) -> Self {
        let tick = last.0 >> 22 << 12 | u64::from(last.sequence());
        Self { ticks: Ticks::starting(tick + 1), ..self }
    }

    /// Returns the next id.
    ///
    /// # Errors
    /// [`IdError::Time`] while the clock is before the epoch, or 2⁴¹ ms after it.
    #[inline]
    pub fn next(&self) -> Result<Snowflake<EPOCH>, IdError> {
        let tick = self.ticks.take(TIMES, || Snowflake::<EPOCH>::since_epoch(self.clock.now()))?;
        let end =
            IdError::Time { millis: Snowflake::<EPOCH>::LAST, of: "the generator of snowflakes, which is at its end" };
        let tick = tick.ok_or(end)?;
        Ok(Snowflake(tick >> 12 << 22 | u64::from(self.worker) << 12 | tick & u64::from(SEQUENCES)))
    }
}
