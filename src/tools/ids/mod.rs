//! Unique ids that sort by the time when they were made, numbers granted in blocks by a store's counter, and short ids for
//! names ([`NameIds`]).
//!
//! | id | bits | made by | ids a millisecond |
//! |---|---|---|---|
//! | [`Flake`] | 128: time, worker, sequence | [`FlakeIds`] | 65,536 a worker |
//! | [`Snowflake`] | 64: time, worker, sequence | [`SnowflakeIds`] | 4,096 a worker |
//! | `Uuid`, version 7 | 128: time, counter, chance | `UuidIds` (feature `uuid-ids`) | as many as you can |
//! | `Ulid` | 128: time, chance | `UlidIds` (feature `ulid-ids`) | as many as you can |
//! | `u64` | 64: counted from 0 | [`BlockCounter`] | as many as you can |
//!
//! A generator's `next(&self)` gives an id that is greater than all it gave before, in whatever thread. It holds where the
//! clock stands still or steps back: ids then go on from the last one's time. Where the ids of a millisecond are used up, they
//! go on in the next one, as if the clock had moved. They run ahead of the clock by a second at most (and by what the
//! clock was put back); from there on each further millisecond is waited for.
//!
//! Two generators of one worker at one time give ids twice: a worker's number has to be its own. A worker that
//! starts again within a second, or after its clock was put back, goes on behind its last id with `after`.
//!
//! Their first bits are a clock's, so rows with such ids in front are all written to one place: salt the key.
//!
//! ```
//! use rowkey::RowKey;
//! use rowkey::ids::{Flake, FlakeIds};
//!
//! #[derive(RowKey)]
//! #[rowkey(salt(buckets = 16))]
//! struct Event {
//!     id: Flake,
//! }
//!
//! let ids = FlakeIds::new(7)?;
//! let (first, second) = (Event { id: ids.next()? }, Event { id: ids.next()? });
//! assert!(first.id < second.id);
//! assert_eq!(Event::decode(&first.encode())?.id.worker(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod flake;
mod names;
mod snowflake;
mod ticks;
#[cfg(feature = "ulid-ids")]
mod ulid;
#[cfg(feature = "uuid-ids")]
mod uuid;

pub use self::block::BlockCounter;
pub use self::flake::{Flake, FlakeIds};
pub use self::names::NameIds;
pub use self::snowflake::{Snowflake, SnowflakeIds, TWITTER_EPOCH};
#[cfg(feature = "ulid-ids")]
pub use self::ulid::UlidIds;
#[cfg(feature = "uuid-ids")]
pub use self::uuid::UuidIds;
use crate::store::error::Error;

/// Why there is no id.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The worker's number has more bits than the id has for it.
    #[error("worker {worker} is out of range: the last one is {max}")]
    Worker {
        /// The number that was given.
        worker: u64,
        /// The last that there is.
        max: u64,
    },
    /// The sequence number has more bits than the id has for it.
    #[error("sequence number {sequence} is out of range: the last one is {max}")]
    Sequence {
        /// The number that was given.
        sequence: u16,
        /// The last that there is.
        max: u16,
    },
    /// The time, the clock's or one given, is one that the id can't hold.
    #[error("{millis} ms since 1970 is out of the range of {of}")]
    Time {
        /// Milliseconds since 1970.
        millis: i64,
        /// What can't hold it.
        of: &'static str,
    },
    /// A number or a text that is no id.
    #[error("not an id: {0}")]
    Malformed(&'static str),
    /// A block of no numbers was asked for.
    #[error("a block counter's blocks have at least one number")]
    EmptyBlock,
    /// The counter has come to its end, or is below zero: it has no number left that was surely never given.
    #[error("the counter stands at {value}, there are no numbers left")]
    Spent {
        /// What stands in the store.
        value: i64,
    },
    /// Every id has a name already.
    #[error("all ids of {bytes} bytes have names")]
    NamesFull {
        /// How many bytes an id has.
        bytes: usize,
    },
    /// The store of the counter, or of the names, failed, or lacks what they need.
    #[error(transparent)]
    Store(#[from] Error),
}

/// A newtype over an integer of which not every value is an id: encoded as the integer is.
macro_rules! integer_field {
    ([$($generics:tt)*] $type:ty, $int:ident: $layout:expr, $expected:literal) => {
        impl<$($generics)*> $crate::keys::encode::Field for $type {
            type Ref<'a> = Self;
            const TYPE: &'static $crate::keys::layout::Type = $layout;

            #[inline]
            fn encode<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                $crate::keys::encode::Field::encode(&self.0, w);
            }

            #[inline]
            fn decode<'a>(r: &mut $crate::keys::encode::Reader<'a>) -> Result<Self, $crate::keys::error::DecodeError> {
                let at = r.offset();
                let bits = <$int as $crate::keys::encode::Field>::decode(r)?;
                Self::try_from(bits).map_err(|_| r.bad_value(at, bits.to_string(), $expected))
            }

            #[inline]
            fn skip(r: &mut $crate::keys::encode::Reader<'_>) -> Result<(), $crate::keys::error::DecodeError> {
                <$int as $crate::keys::encode::Field>::skip(r)
            }
        }
        $crate::keys::encode::into_field!(@ [$($generics)*] $type);

        impl<$($generics)*> TryFrom<$int> for $type {
            type Error = $crate::tools::ids::IdError;

            fn try_from(bits: $int) -> Result<Self, Self::Error> {
                if bits >> ($int::BITS - 1) == 0 { Ok(Self(bits)) } else { Err(Self::Error::Malformed($expected)) }
            }
        }

        impl<$($generics)*> From<$type> for $int {
            fn from(id: $type) -> Self {
                id.0
            }
        }
    };
}
pub(crate) use integer_field;
