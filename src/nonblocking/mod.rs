//! Asynchronous engines and tables (feature `async`), for any runtime.
//!
//! | in asynchronous code | in synchronous code | the engine |
//! |---|---|---|
//! | [`AsyncStore`], [`AsyncDatabase`] | [`Store`](crate::store::Store), [`Database`](crate::store::Database) | plain tables |
//! | [`AsyncWideStore`], [`AsyncWideDatabase`] | [`WideStore`](crate::wide::WideStore), [`WideDatabase`](crate::wide::WideDatabase) | wide tables |
//! | [`AsyncTable`], [`AsyncWideTable`], [`TableStream`] | [`Table`](crate::Table), [`WideTable`](crate::WideTable), [`TableScan`](crate::TableScan) | |
//!
//! [`OneColumn`](crate::wide::OneColumn) gives plain tables to an engine of wide ones, of either kind.
//!
//! Two adapters lead from one kind to the other, and neither is applied implicitly:
//!
//! - [`Unblock`] (feature `unblock`) gives an embedded engine to asynchronous code. Its calls run in a thread pool.
//! - [`Blocking`] gives an asynchronous engine to synchronous code: to secondary tables, migrations, jobs and ids. Its
//!   calls run on a runtime with threads of its own, so they can be made anywhere, inside another runtime too. There
//!   they block the thread that calls.
//!
//! ```
//! use rowkey::Memory;
//! use rowkey::nonblocking::{AsyncTable, Unblock};
//! # futures_lite::future::block_on(async {
//!
//! let squares: AsyncTable<u32, String, _> = AsyncTable::open(Unblock::new(Memory::new()), "squares").await?;
//! for n in 0..100 {
//!     squares.put(&n, &(n * n).to_string()).await?;
//! }
//! let mut rows = squares.scan(..).reverse().limit(2);
//! while let Some(row) = rows.next().await {
//!     let (n, square) = row?;
//!     println!("{n} {square}");
//! }
//! # Ok::<(), rowkey::Error>(()) }).unwrap();
//! ```
//!
//! # Cancellation
//!
//! - **A scan that is dropped ends**, also on the engine's server.
//! - **A read that is dropped** is abandoned. (One that a thread of [`Unblock`] has begun runs to its end there.)
//! - **The outcome of a write whose future is dropped is unknown**, once it was polled: it may have been applied, it
//!   may be applied later, or never. That is the state after [`Error::OutcomeUnknown`], and a later write of the same
//!   program can be overtaken by it. To have an outcome, let the call end: by its timeout or a
//!   [`Cancel`](crate::store::Cancel) token ([`CallOptions`]).
//! - A timeout or deadline of the handle bounds the whole operation: look-ups and retries of the engine, and all calls
//!   of an operation that makes several, such as [`AsyncTable::update`]. Of a scan a timeout bounds each batch, and a
//!   deadline the whole.
//! - A server drops the future that handles a request when the client goes away: of several writes in a row some are
//!   then made. Give them a task of their own.
#![cfg_attr(
    not(feature = "unblock"),
    doc = "",
    doc = "[`Unblock`]: https://docs.rs/rowkey/latest/rowkey/nonblocking/struct.Unblock.html"
)]

mod blocking;
mod driven;
mod feed;
mod one_column;
mod scan;
mod table;
#[cfg(feature = "unblock")]
mod unblock;
mod unread;
mod wide;
mod wide_table;

use std::sync::Arc;

pub use futures_core::future::BoxFuture;
pub use futures_core::stream::BoxStream;

pub use self::blocking::Blocking;
pub use self::scan::{KeyStream, TableStream};
pub use self::table::AsyncTable;
#[cfg(feature = "unblock")]
pub use self::unblock::Unblock;
pub use self::unread::{empty_scan, refused_scan};
pub use self::wide::{AsyncWideDatabase, AsyncWideStore};
pub use self::wide_table::AsyncWideTable;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::options::handles;
use crate::store::pointers::through_pointers;
use crate::store::{Batch, CallOptions, DatabaseId, Guarantees, NewTable, RowBatch, Scan, TableId};

/// The future of a call of an engine. It borrows the handle, and nothing else.
pub type StoreFuture<'s, T> = BoxFuture<'s, Result<T, Error>>;

/// The name that [`StoreFuture`] had.
#[doc(hidden)]
pub type Answer<'s, T> = StoreFuture<'s, T>;

/// The batches of an open scan. It yields the batches in order, and then ends. Rows that were read before an error come
/// before it; after the error it ends.
pub type Batches = BoxStream<'static, Result<RowBatch, Error>>;

/// One ordered table of key → value, of an asynchronous engine. Methods do what those of
/// [`Store`](crate::store::Store) do, and have the same errors.
///
/// For authors of engines:
///
/// - A call does nothing before its future is polled. It copies the parts of its arguments that it needs.
/// - At its first poll a call that writes begins with [`TableId::check_write`], in the thread that polls, and every
///   call with [`CallOptions::begin`]. It ends by its deadline, and when its token is cancelled
///   ([`Cancel::cancelled`](crate::store::Cancel::cancelled)), with [`Error::DeadlineExceeded`] or [`Error::Cancelled`]
///   if nothing was written, and [`Error::OutcomeUnknown`] if that is not known.
/// - A future or stream that is dropped frees what it holds of the engine, its scanner on a server too.
/// - If the engine needs a runtime, its futures and streams are polled inside one. [`Blocking`] provides it.
/// - There are no transactions: those who need the view of one use an engine's synchronous face ([`Unblock::run`]).
#[cfg_attr(
    not(feature = "unblock"),
    doc = "",
    doc = "[`Unblock::run`]: https://docs.rs/rowkey/latest/rowkey/nonblocking/struct.Unblock.html#method.run"
)]
pub trait AsyncStore: Send + Sync {
    /// The id of this table. A wrapper returns the id of the table it wraps.
    fn id(&self) -> &TableId;

    /// The options of this handle.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same table with `options`. They replace the options of this handle.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore>;

    /// The guarantees of this store.
    #[doc(alias = "capabilities")]
    fn guarantees(&self) -> Guarantees;

    /// Returns the value of `key`, or `None` if there is no such row.
    fn get(&self, key: &[u8]) -> StoreFuture<'_, Option<Vec<u8>>>;

    /// Returns the values of `keys`, in the order of `keys`.
    #[doc(alias = "multiget")]
    fn get_many(&self, keys: &[&[u8]]) -> StoreFuture<'_, Vec<Option<Vec<u8>>>>;

    /// Opens a scan, without waiting. If it can't be opened, the first item of the stream is the error. With
    /// [`Guarantees::snapshot_scans`] it returns the table as it was when this method was called.
    ///
    /// The stream ends with `None`: an empty batch is passed over, and not the end that it is of
    /// [`Rows`](crate::store::Rows). A batch has no more rows than [`Scan::batch_rows`], and ends with the row that
    /// reaches [`Scan::batch_bytes`]. An engine that reads ahead of what the stream has yielded, by at most
    /// [`Scan::batch_bytes`], does not declare [`Guarantees::slow_scans`]. With it, the reader asks for one batch
    /// ahead.
    fn scan(&self, scan: &Scan) -> Batches;

    /// Applies a batch of puts and deletes, in order.
    #[doc(alias = "put")]
    #[doc(alias = "delete")]
    fn write(&self, batch: &Batch) -> StoreFuture<'_, ()>;

    /// Adds `by` to the counter at `key` and returns the new value.
    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64>;

    /// Writes `new` (`None` deletes) if the value of `key` is `expected` (`None`: no row). Returns whether it was
    /// written.
    #[doc(alias = "compare_and_swap")]
    #[doc(alias = "checkAndPut")]
    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> StoreFuture<'_, bool>;

    /// Deletes all rows in the ranges.
    fn delete_ranges(&self, ranges: &[KeyRange]) -> StoreFuture<'_, ()>;

    /// Returns the row keys at which the table's regions begin now. Default: none.
    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// Tables by name, of an asynchronous engine. Methods do what those of [`Database`](crate::store::Database) do, and
/// have the same errors. See [`AsyncStore`] for the duties of engines.
#[doc(alias = "keyspace")]
pub trait AsyncDatabase: Send + Sync {
    /// The id of this database, the same for all its handles.
    fn id(&self) -> DatabaseId;

    /// The options of this handle and of the tables opened through it.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same database with `options`. They replace the options of this handle, and apply to
    /// tables opened through the new one.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncDatabase>;

    /// The guarantees of this database and its tables.
    fn guarantees(&self) -> Guarantees;

    /// Opens a table, and creates it if it does not exist.
    fn table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>>;

    /// Opens a table that exists.
    fn open_table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>>;

    /// Creates a table that does not exist.
    fn create_table(&self, name: &str, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncStore>>;

    /// The names of all tables, sorted.
    fn tables(&self) -> StoreFuture<'_, Vec<String>>;

    /// Drops a table and its rows. Does nothing if there is no such table.
    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()>;

    /// Writes to several tables, and creates those that do not exist.
    fn write(&self, batches: &[(&str, &Batch)]) -> StoreFuture<'_, ()>;
}

/// The guarantees of an engine through an adapter.
fn promised(of_engine: Guarantees) -> Guarantees {
    of_engine.slow_scans(false).transactions(false)
}

through_pointers!(AsyncStore {
    fn id(&self) -> &TableId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore>;
    fn guarantees(&self) -> Guarantees;
    fn get(&self, key: &[u8]) -> StoreFuture<'_, Option<Vec<u8>>>;
    fn get_many(&self, keys: &[&[u8]]) -> StoreFuture<'_, Vec<Option<Vec<u8>>>>;
    fn scan(&self, scan: &Scan) -> Batches;
    fn write(&self, batch: &Batch) -> StoreFuture<'_, ()>;
    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64>;
    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> StoreFuture<'_, bool>;
    fn delete_ranges(&self, ranges: &[KeyRange]) -> StoreFuture<'_, ()>;
    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>>;
});
through_pointers!(AsyncDatabase {
    fn id(&self) -> DatabaseId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncDatabase>;
    fn guarantees(&self) -> Guarantees;
    fn table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>>;
    fn open_table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>>;
    fn create_table(&self, name: &str, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncStore>>;
    fn tables(&self) -> StoreFuture<'_, Vec<String>>;
    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()>;
    fn write(&self, batches: &[(&str, &Batch)]) -> StoreFuture<'_, ()>;
});
handles!(AsyncStore, AsyncDatabase);
