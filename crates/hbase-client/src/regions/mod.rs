//! Which regions a table has, and where they are: a cache, filled by look-ups in `hbase:meta`.

mod cache;
mod locator;
mod meta;
mod region;

pub(crate) use self::cache::Place;
pub(crate) use self::locator::{Locator, Missing};
pub(crate) use self::meta::{Entry, SYSTEM_PRIORITY, rows_of};
pub use self::region::Region;
pub(crate) use self::region::{Location, readable};

#[cfg(test)]
pub(crate) use self::region::tests;
