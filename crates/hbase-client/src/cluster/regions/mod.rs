//! The regions of a table, and their locations: a cache, filled by look-ups in `hbase:meta`.

mod cache;
mod locator;
mod meta;

pub(crate) use self::cache::Place;
pub(crate) use self::locator::{Locator, Missing};
pub(crate) use self::meta::{Entry, SYSTEM_PRIORITY, rows_of};
