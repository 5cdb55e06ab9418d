//! The traits of ordered key-value engines: [`Store`] is one table of key → value, [`Database`] opens tables by name.
//!
//! Both traits are object-safe and synchronous. Keys and values are bytes: an engine does not know key types. Engines
//! promise different things. Each declares its [`Guarantees`], which a program can read and which the conformance suite
//! (feature `conformance`) checks.

mod batch;
mod bounded;
mod by_table;
mod cancel;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod error;
mod guarantees;
mod id;
mod limits;
#[cfg(feature = "memory")]
mod memory;
#[doc(hidden)]
pub mod merge;
mod metered;
mod new_table;
pub(crate) mod options;
pub(crate) mod phase;
pub(crate) mod reentry;
pub(crate) mod row_batch;
#[doc(hidden)]
pub mod secret;
mod sub;
#[doc(hidden)]
pub mod value;
mod walk;

use std::sync::Arc;

pub use self::batch::{Batch, Write};
pub use self::bounded::Bounded;
pub use self::by_table::write_by_table;
pub use self::cancel::Cancel;
pub use self::guarantees::{Atomicity, Guarantees};
pub use self::id::{DatabaseId, TableId};
pub use self::limits::Limits;
pub(crate) use self::limits::check_len;
#[cfg(feature = "memory")]
pub use self::memory::Memory;
pub use self::metered::{Costs, Metered};
pub use self::new_table::NewTable;
use self::options::Within;
pub use self::options::{Call, CallOptions};
pub use self::reentry::Entered;
pub use self::row_batch::{Room, RowBatch, RowBatchIter};
pub use self::sub::SubStore;
pub use self::walk::{RangeReader, RangeRows, Walk};
use crate::keys::range::KeyRange;
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

    /// What this store promises.
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

    /// Deletes all rows in the ranges.
    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error>;

    /// Runs a transaction. `body` reads through the [`Readable`] and returns the batch to write. Nobody else writes
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

    /// What this database and its tables promise.
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

    /// Drops a table and its rows. Does nothing if there is no such table. What older handles to the table do is up to
    /// the engine.
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

/// What to scan: key ranges, direction, limit, size of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scan {
    /// The ranges to read: sorted, not overlapping ([`KeyRange::merged`]). Without a range the scan has no rows.
    pub ranges: Vec<KeyRange>,
    /// Whether rows come from the last to the first. Default: `false`.
    pub reverse: bool,
    /// Maximum number of rows. Default: no limit.
    pub limit: Option<u64>,
    /// Maximum number of rows per batch, at least 1. Default: 256.
    pub batch_rows: usize,
    /// Target size of a batch in bytes of keys and values. A batch ends with the row that reaches it, so a batch has at
    /// least one row. A scan that holds several batches divides this among them, so that together they hold about this
    /// many bytes, plus one row per batch. Default: [`DEFAULT_BATCH_BYTES`].
    pub batch_bytes: usize,
}

/// Default of [`Scan::batch_bytes`]: 4 MiB. 256 rows of up to 16 KiB fit into one batch, each of 64 merged buckets
/// still reads 64 KiB at a time, and a hundred open scans hold at most 400 MiB however large the values are.
pub const DEFAULT_BATCH_BYTES: usize = 4 << 20;

impl Scan {
    /// A forward scan of `ranges`, which may overlap and come in any order.
    pub fn new(ranges: Vec<KeyRange>) -> Self {
        Self {
            ranges: KeyRange::merged(ranges),
            reverse: false,
            limit: None,
            batch_rows: 256,
            batch_bytes: DEFAULT_BATCH_BYTES,
        }
    }

    /// A forward scan of the whole table.
    pub fn all() -> Self {
        Self::new(vec![KeyRange::all()])
    }

    /// Whether rows come from the last to the first. Default: `false`.
    #[must_use]
    pub fn reverse(mut self, reverse: bool) -> Self {
        self.reverse = reverse;
        self
    }

    /// Maximum number of rows. Default: no limit.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.limit = limit.into();
        self
    }

    /// Maximum number of rows per batch, clamped to at least 1. Default: 256.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// Target size of a batch in bytes: see [the field](Self#structfield.batch_bytes).
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::store::{Batch, Database, RowBatch, Scan};
    ///
    /// let images = Memory::new().table("images")?;
    /// images.write(Batch::new().put("a", [0; 600]).put("b", [0; 600]).put("c", [0; 600]))?;
    /// let mut batch = RowBatch::new();
    /// images.scan(&Scan::all().batch_bytes(1000)).next_batch(&mut batch)?;
    /// assert_eq!((batch.len(), batch.bytes()), (2, 1202));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// The same scan with [`batch_bytes`](Self::batch_bytes) divided by `batches`, for a reader that holds this many
    /// batches.
    #[must_use]
    pub(crate) fn divided(self, batches: usize) -> Self {
        let bytes = self.batch_bytes / batches.max(1);
        self.batch_bytes(bytes)
    }
}

/// An open scan: returns rows in order, batch by batch.
#[doc(alias = "cursor")]
#[doc(alias = "iterator")]
pub trait Rows: Send {
    /// Clears `batch` and fills it with the next rows. An empty batch is the end. Rows that were read before an error
    /// are returned before the error. After the error, or the end, every call returns an empty batch.
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error>;

    /// Hint: the caller no longer needs rows before `key` (after `key`, in a reverse scan). They may still be returned;
    /// `key` and every row past it must be.
    #[doc(alias = "seek")]
    fn skip_to(&mut self, key: &[u8]) {
        let _ = key;
    }
}

impl<R: Rows + ?Sized> Rows for Box<R> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        (**self).next_batch(batch)
    }

    fn skip_to(&mut self, key: &[u8]) {
        (**self).skip_to(key);
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

/// Counts the rows that are left of a scan.
pub(crate) fn count(mut rows: Box<dyn Rows>) -> Result<u64, Error> {
    let (mut batch, mut count) = (RowBatch::new(), 0);
    loop {
        rows.next_batch(&mut batch)?;
        match batch.len() {
            0 => return Ok(count),
            more => count += more as u64,
        }
    }
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

macro_rules! through_a_pointer {
    ($inner:ident: $($pointer:ty),*) => {$(
        impl<$inner: Store + ?Sized> Readable for $pointer {
            fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
                (**self).get(key)
            }

            fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
                (**self).scan(scan)
            }
        }

        impl<$inner: Store + ?Sized> Store for $pointer {
            fn id(&self) -> &TableId {
                (**self).id()
            }
            fn options(&self) -> &CallOptions {
                (**self).options()
            }
            fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
                (**self).with_options(options)
            }
            fn guarantees(&self) -> Guarantees {
                (**self).guarantees()
            }
            fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
                (**self).get_many(keys)
            }
            fn write(&self, batch: &Batch) -> Result<(), Error> {
                (**self).write(batch)
            }
            fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
                (**self).increment(key, by)
            }
            fn compare_and_write(
                &self,
                key: &[u8],
                expected: Option<&[u8]>,
                new: Option<&[u8]>,
            ) -> Result<bool, Error> {
                (**self).compare_and_write(key, expected, new)
            }
            fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
                (**self).delete_ranges(ranges)
            }
            fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
                (**self).transact(body)
            }
            fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
                (**self).split_points()
            }
        }

        impl<$inner: Database + ?Sized> Database for $pointer {
            fn id(&self) -> DatabaseId {
                (**self).id()
            }
            fn options(&self) -> &CallOptions {
                (**self).options()
            }
            fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
                (**self).with_options(options)
            }
            fn guarantees(&self) -> Guarantees {
                (**self).guarantees()
            }
            fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
                (**self).table(name)
            }
            fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
                (**self).open_table(name)
            }
            fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
                (**self).create_table(name, new)
            }
            fn tables(&self) -> Result<Vec<String>, Error> {
                (**self).tables()
            }
            fn drop_table(&self, name: &str) -> Result<(), Error> {
                (**self).drop_table(name)
            }
            fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
                (**self).write(batches)
            }
            fn transact(
                &self,
                tables: &[&str],
                body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
            ) -> Result<(), Error> {
                (**self).transact(tables, body)
            }
        }
    )*};
}
through_a_pointer!(T: &T, Box<T>, Arc<T>);
