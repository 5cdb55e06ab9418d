//! The traits of ordered key-value engines: [`Store`] is one table of key → value, [`Database`] opens tables by name.
//!
//! Both traits are object-safe and synchronous. Keys and values are bytes: an engine does not know key types. Engines
//! promise different things. Each declares its [`Guarantees`], which a program can read and which the conformance suite
//! (feature `conformance`) checks.

mod batch;
pub(crate) mod bounded;
pub(crate) mod by_table;
mod cancel;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod error;
mod guarantees;
mod id;
mod iterator_rows;
mod limits;
#[cfg(feature = "memory")]
mod memory;
#[doc(hidden)]
pub mod merge;
mod metered;
mod new_table;
pub(crate) mod options;
pub(crate) mod phase;
pub(crate) mod pointers;
pub(crate) mod reentry;
mod requests;
pub(crate) mod row_batch;
mod scan;
#[doc(hidden)]
pub mod secret;
mod sub;
mod time_slice;
#[doc(hidden)]
pub mod value;
mod walk;

use std::sync::Arc;

pub use self::batch::{Batch, Write};
pub use self::bounded::Bounded;
pub use self::by_table::write_by_table;
pub use self::cancel::{Cancel, Cancelled};
pub use self::guarantees::{Atomicity, Guarantees};
pub use self::id::{DatabaseId, TableId};
pub use self::iterator_rows::IteratorRows;
pub use self::limits::Limits;
pub(crate) use self::limits::check_len;
#[cfg(feature = "memory")]
pub use self::memory::Memory;
pub use self::metered::{Costs, Metered};
pub use self::new_table::{NewTable, OpenMode};
use self::options::Within;
pub use self::options::{Call, CallOptions};
use self::pointers::through_pointers;
pub use self::reentry::Entered;
pub use self::requests::requests_within;
pub use self::row_batch::{Room, RowBatch, RowBatchIter};
pub(crate) use self::scan::count;
pub use self::scan::{DEFAULT_BATCH_BYTES, Rows, Scan};
pub use self::sub::SubStore;
pub use self::time_slice::TimeSlice;
pub use self::walk::{RangeReader, RangeRows, Walk};
use crate::keys::range::KeyRange;
pub use crate::store::error::CommitPoint;
use crate::store::error::Error;

/// Point reads and range scans: of a table as it is now, or of the snapshot that a transaction reads.
#[doc(alias = "snapshot")]
pub trait Readable {
    /// Returns the value of `key`, or `None` if there is no such row.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error>;

    /// Opens a scan. The returned [`Rows`] owns what it needs, so it can move to another thread. If the scan can't be
    /// opened, the first [`Rows::next_batch`] returns the error.
    #[doc(alias = "iterator")]
    #[doc(alias = "seek")]
    fn scan(&self, scan: &Scan) -> Box<dyn Rows>;
}

/// One ordered table of key → value.
///
/// A key is not empty. A method that would write the empty key returns [`Error::EmptyKey`]. A method that reads it
/// returns `EmptyKey` or finds no row.
///
/// For authors of engines: a method that writes calls [`TableId::check_write`] first. Inside a closure that is part of
/// a write to the same database it returns [`Error::Reentrant`] at once and does not wait for that write; reads are
/// always allowed. Every method, and every batch of a scan, calls [`CallOptions::begin`] first, and returns
/// [`Error::DeadlineExceeded`] or [`Error::Cancelled`] where the options of the handle require it.
pub trait Store: Readable + Send + Sync {
    /// The id of this table. A wrapper returns the id of the table it wraps.
    fn id(&self) -> &TableId;

    /// The options of this handle. A wrapper returns the options of the store it wraps.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same table with `options`. They replace the options of this handle.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store>;

    /// The guarantees of this store.
    #[doc(alias = "capabilities")]
    fn guarantees(&self) -> Guarantees;

    /// Returns the values of `keys`, in the order of `keys`.
    #[doc(alias = "multiget")]
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let store = Within::one_call(&self as &dyn Store);
        keys.iter().map(|key| store.get(key)).collect()
    }

    /// Applies a batch of puts and deletes, in order: of two writes to one key the later wins. A batch that is not
    /// valid (an empty key, a key that is too long) is refused before anything is written.
    ///
    /// # Errors
    ///
    /// [`Error::Rows`]: the writes it names failed, all others are written. A store with atomic batches does not return
    /// it. With any other error nothing is written, unless its [kind](crate::ErrorKind) is `OutcomeUnknown`.
    #[doc(alias = "put")]
    #[doc(alias = "delete")]
    fn write(&self, batch: &Batch) -> Result<(), Error>;

    /// Adds `by` to the counter at `key` and returns the new value. A counter is eight bytes, a big-endian two's
    /// complement integer, as in HBase and Bigtable. An absent counter is 0. The sum wraps around. A value of any other
    /// length is [`Error::NotACounter`].
    #[doc(alias = "counter")]
    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error>;

    /// Writes `new` (`None` deletes) if the value of `key` is `expected` (`None`: no row). Returns whether it was
    /// written.
    #[doc(alias = "compare_and_swap")]
    #[doc(alias = "checkAndPut")]
    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error>;

    /// Deletes the rows that are in the ranges when the call begins.
    ///
    /// It is not atomic. An engine that locks deletes many rows in pieces, in the order of the ranges and the keys, and
    /// lets others write in between ([`TimeSlice`]). Rows that others put into the ranges meanwhile may be deleted or
    /// not. The bounds of the call hold between two pieces too. It is idempotent: calling it again deletes the rest.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] once rows of a piece are deleted, whatever the reason. With any other error nothing is
    /// deleted.
    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error>;

    /// Runs a transaction. `body` reads through the [`Readable`] and returns the batch to write. No other write happens
    /// between the reads and the write. If `body` returns an error, nothing is written. An engine that detects a
    /// conflict at the end calls `body` again.
    ///
    /// Inside `body`:
    ///
    /// - Reads through other handles return what was there before the transaction.
    /// - A write through another handle, to any table of the database, returns [`Error::Reentrant`]; the transaction
    ///   continues. Return the writes from `body` instead.
    /// - Do not wait for another thread that writes to the database: it may be waiting for this transaction.
    ///
    /// If `body` panics, nothing is written and the store stays usable. If a deadline passes or the call is cancelled
    /// while `body` runs, the call ends when `body` returns and writes nothing.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::store::{Batch, Database, Store};
    ///
    /// let accounts = Memory::new().table("accounts")?;
    /// accounts.write(Batch::new().put("ada", "3").put("bob", "1"))?;
    /// accounts.transact(&mut |view| {
    ///     let (ada, bob) = (view.get(b"ada")?.unwrap_or_default(), view.get(b"bob")?.unwrap_or_default());
    ///     let mut swapped = Batch::new();
    ///     swapped.put("ada", bob).put("bob", ada);
    ///     Ok(swapped)
    /// })?;
    /// assert_eq!(accounts.get(b"ada")?.as_deref(), Some(&b"1"[..]));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error that `body` returned; [`Error::Unsupported`] without [`Guarantees::transactions`];
    /// [`Error::Reentrant`] inside another closure that is part of a write to the database.
    #[doc(alias = "transaction")]
    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let _ = body;
        Err(Error::Unsupported("transactions"))
    }

    /// Returns the row keys at which the table's regions begin now, sorted, without the first. A table with one region
    /// returns none. They are the points of [`NewTable::split_at`] until the engine splits or merges regions. Default:
    /// none.
    #[doc(alias = "regions")]
    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(Vec::new())
    }
}

/// Tables by name, and writes across tables.
///
/// For authors of engines: a method that writes, creates a table or drops one calls [`DatabaseId::check_write`] first,
/// as in a [`Store`].
#[doc(alias = "keyspace")]
pub trait Database: Send + Sync {
    /// The id of this database, the same for all its handles. An engine in this process keeps a [`DatabaseId::unique`];
    /// an engine on a network returns the [`DatabaseId::of`] its address; a wrapper returns the id of what it wraps.
    /// The id of a table is [`DatabaseId::table`] of its name.
    fn id(&self) -> DatabaseId;

    /// The options of this handle and of the tables opened through it.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same database with `options`. They replace the options of this handle, and apply to
    /// tables opened through the new one.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database>;

    /// The guarantees of this database and its tables.
    fn guarantees(&self) -> Guarantees;

    /// Opens a table, and creates it if it does not exist. Two handles with one name are one table.
    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;

    /// Opens a table that exists.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it does not exist; it is not created.
    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;

    /// Creates a table that does not exist. Of several concurrent calls for one name, one succeeds.
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if the table exists; it stays as it is. [`Error::SplitPoint`] or [`Error::TableOption`]
    /// if `new` is not valid ([`NewTable::check`]).
    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error>;

    /// The names of all tables, sorted.
    fn tables(&self) -> Result<Vec<String>, Error>;

    /// Drops a table and its rows. Does nothing if there is no such table. The engine decides the behaviour of older
    /// handles to the table.
    fn drop_table(&self, name: &str) -> Result<(), Error>;

    /// Writes to several tables, and creates those that do not exist. The write is atomic if [`Guarantees::batch`] is
    /// [`Atomicity::Database`]. A batch that is not valid is refused before anything is written.
    ///
    /// # Errors
    ///
    /// [`Error::Rows`]: the writes it names failed, all others are written; indexes count through all `batches` in
    /// order. With any other error nothing is written, unless its [kind](crate::ErrorKind) is `OutcomeUnknown`.
    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error>;

    /// Runs a transaction over several tables, and creates those that do not exist. As [`Store::transact`], with one
    /// view and one batch per table, in the order of `tables`. Batches of the last tables can be left out. A table that
    /// is named twice has two views and two batches; of two writes to one of its keys the later wins. Inside `body`
    /// other handles can read but not write ([`Error::Reentrant`]).
    ///
    /// ```
    /// use rowkey::store::{Batch, Database, Readable};
    /// use rowkey::{Memory, RowKey, RowValue, Table};
    ///
    /// let db = Memory::new();
    /// let stock: Table<String, u32, _> = Table::open(&db, "stock")?;
    /// let orders: Table<u64, String, _> = Table::open(&db, "orders")?;
    /// stock.put(&"tea".into(), &1)?;
    ///
    /// db.transact(&["stock", "orders"], &mut |views| {
    ///     let tea = "tea".to_owned();
    ///     let left = views[0].get(&tea.encode())?.map_or(Ok(0), |bytes| u32::decode_value(&bytes));
    ///     let Some(left) = left.map_err(rowkey::Error::engine)?.checked_sub(1) else { return Ok(vec![]) };
    ///     let (mut stock, mut orders) = (Batch::new(), Batch::new());
    ///     stock.put(tea.encode(), left.to_be_bytes());
    ///     orders.put(7_u64.encode(), "tea");
    ///     Ok(vec![stock, orders])
    /// })?;
    /// assert_eq!((stock.get(&"tea".into())?, orders.get(&7)?), (Some(0), Some("tea".into())));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// `body` may write to another database. Two threads that do so in opposite directions deadlock: one in a
    /// transaction of A writes to B while the other, in a transaction of B, writes to A.
    ///
    /// # Errors
    ///
    /// The error that `body` returned; [`Error::Unsupported`] unless the database declares [`Guarantees::transactions`]
    /// and [`Atomicity::Database`]; [`Error::Reentrant`] inside another closure that is part of a write to the
    /// database.
    #[doc(alias = "transaction")]
    #[expect(clippy::type_complexity, reason = "as Store::transact, of several tables")]
    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        let _ = (tables, body);
        Err(Error::Unsupported("transactions"))
    }
}

/// Returns [`Error::EmptyKey`] if the key is empty. For authors of engines, to call before a write.
pub fn check_key(key: &[u8]) -> Result<(), Error> {
    if key.is_empty() { Err(Error::EmptyKey) } else { Ok(()) }
}

/// Checks what the body of a transaction over `tables` returned: a batch for each table, or for the first of them, and
/// no empty key. For authors of engines, to call before the write.
pub fn check_batches(tables: &[&str], batches: &[Batch]) -> Result<(), Error> {
    if batches.len() > tables.len() {
        return Err(Error::engine(format!(
            "a transaction over {} tables returned {} batches",
            tables.len(),
            batches.len()
        )));
    }
    batches.iter().try_for_each(Batch::check_keys)
}

/// Returns the counter's value after `by` is added to the stored value. For authors of engines.
pub fn add_to_counter(key: &[u8], stored: Option<&[u8]>, by: i64) -> Result<i64, Error> {
    let before = match stored {
        None => 0,
        Some(bytes) => i64::from_be_bytes(
            bytes.try_into().map_err(|_| Error::NotACounter { key: key.to_vec(), len: bytes.len() })?,
        ),
    };
    Ok(before.wrapping_add(by))
}

through_pointers!(Readable {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error>;
    fn scan(&self, scan: &Scan) -> Box<dyn Rows>;
});
through_pointers!(Store {
    fn id(&self) -> &TableId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store>;
    fn guarantees(&self) -> Guarantees;
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error>;
    fn write(&self, batch: &Batch) -> Result<(), Error>;
    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error>;
    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error>;
    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error>;
    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error>;
    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error>;
});
through_pointers!(Database {
    fn id(&self) -> DatabaseId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database>;
    fn guarantees(&self) -> Guarantees;
    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;
    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;
    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error>;
    fn tables(&self) -> Result<Vec<String>, Error>;
    fn drop_table(&self, name: &str) -> Result<(), Error>;
    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error>;
    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error>;
});
