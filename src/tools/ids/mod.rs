//! Unique ids that sort by the time they were made, numbers reserved in blocks from a store's counter, and short ids
//! for names ([`NameIds`]).
//!
//! | id | bits | generator | ids per millisecond |
//! |---|---|---|---|
//! | [`Flake`] | 128: time, worker, sequence | [`FlakeIds`] | 65,536 per worker |
//! | [`Snowflake`] | 64: time, worker, sequence | [`SnowflakeIds`] | 4,096 per worker |
//! | `Uuid`, version 7 | 128: time, counter, random | `UuidIds` (feature `uuid-ids`) | unlimited |
//! | `Ulid` | 128: time, random | `UlidIds` (feature `ulid-ids`) | unlimited |
//! | `u64` | 64: counted from 0 | [`BlockCounter`] | unlimited |
//!
//! A generator is monotonic: `next(&self)` returns an id greater than all before, in any thread, also if the clock
//! stands still or steps back. Ids then continue from the last one's time. If the ids of a millisecond are used up,
//! they continue in the next one, as if the clock had moved. They run ahead of the clock by at most a second (and by
//! what the clock was set back); after that the generator waits for each further millisecond.
//!
//! Two generators with the same worker number at the same time return duplicate ids: give each worker its own number. A
//! worker that restarts within a second, or after its clock was set back, continues after its last id with `after`.
//!
//! Such an id begins with a clock's bits. Rows whose keys begin with one are all written to one place: salt the key.
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

/// Why an id could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The worker's number has more bits than the id has for it.
    #[error("worker {worker} is out of range: the last one is {max}")]
    Worker {
        /// The number that was given.
        worker: u64,
        /// The largest one.
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
    /// The time, of the clock or given, does not fit into the id.
    #[error("{millis} ms since 1970 is out of the range of {of}")]
    Time {
        /// Milliseconds since 1970.
        millis: i64,
        /// The kind of id or generator.
        of: &'static str,
    },
    /// A number or text that is not a valid id.
    #[error("not a valid id: {0}")]
    Malformed(&'static str),
    /// The size of a counter's blocks is 0.
    #[error("a block of a counter has at least one number")]
    EmptyBlock,
    /// The counter is at its end, or below zero: it has no numbers left that are certainly unique.
    #[error("the counter is at {value}: there are no numbers left")]
    Spent {
        /// The counter's value in the store.
        value: i64,
    },
    /// Every id has a name already: a new name gets none.
    #[error("all {bytes}-byte ids are taken")]
    NamesFull {
        /// Number of bytes in an id.
        bytes: usize,
    },
    /// The store failed, or does not support what a counter or names need.
    #[error(transparent)]
    Store(#[from] Error),
}

/// A newtype over an integer, encoded as the integer, of which not every value is a valid id.
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
