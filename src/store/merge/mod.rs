//! K-way merges: one sorted stream of rows out of many, such as the buckets of a salted table.
//!
//! - [`MergedRows`] merges open scans of a store, and is itself an open scan.
//! - [`BatchMerge`] merges batches that its caller feeds it. It does no I/O, so the driver can block or be
//!   asynchronous.
//! - [`Merge`] merges iterators of items that are not rows of a batch: cells of a wide row, typed rows, your own items.
//!
//! The first two lend each row from the batch it arrived in. All three run in the caller's thread and keep the same
//! promises:
//!
//! - **Order.** All sources are sorted in one direction. The first bytes of a key, which hold the salt, are left out of
//!   the comparison. Of equal keys the row of the earlier source comes first, forward and in reverse. (If a source is
//!   not sorted, all rows still come, in no defined order.)
//! - **Errors.** All rows that come before a failed read are returned, then the error once, then always the end. A row
//!   is returned before its source is read again, so no row is lost to a source that fails later. An error that
//!   [names a row](crate::Error::engine_at) comes at the place of that row among all sources.
//! - **Laziness.** Nothing is read before the first row is asked for. Then every source is read once, in order. If a
//!   scan could not be opened, its error is the first item. Later one source at a time is read, when its rows have been
//!   returned and the next row is asked for.
//! - **Limits.** No source is read once the limit is reached. A source does not know the limit, so give each of them
//!   the same one, as [`MergedRows::open`] does.
//!
//! [`Prefetch`] reads a source ahead in a thread. [`Counted`] counts the rows that are read.

mod batches;
mod counted;
mod iterators;
mod order;
mod prefetch;
mod rows;
mod scans;
mod stages;
mod tree;

pub use self::batches::{BatchMerge, Step};
pub use self::counted::Counted;
pub use self::iterators::{Keyed, Merge};
pub use self::prefetch::Prefetch;
pub use self::rows::MergedRows;
pub(crate) use self::scans::Scans;
