//! Ordered tables of bytes: the one thing an engine has to be.
//!
//! [`Store`] is one table of key → value, [`Database`] opens tables by name and writes one batch across them. Both are
//! object-safe and synchronous, and neither knows what a key means. Engines promise different things; each declares
//! its [`Guarantees`], the conformance suite (feature `conformance`) holds it to them, and a user can ask.

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
pub use self::row_batch::{Room, RowBatch};
pub use self::sub::SubStore;
pub use self::walk::{RangeReader, RangeRows, Walk};
use crate::keys::range::KeyRange;
use crate::store::error::Error;

/// What can be read by key and by range: a table as it is now, or as a transaction sees it.
pub trait Readable {
    /// Returns the value of `key`, if it is there.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error>;

    /// Opens a scan. It owns what it needs, so it can move to another thread. If it can't be opened, the first
    /// [`Rows::next_batch`] returns the error.
    fn scan(&self, scan: &Scan) -> Box<dyn Rows>;
}

/// One ordered table of key → value.
///
/// Keys are not empty: every method that would store, or change, the empty key answers [`Error::EmptyKey`]; one that
/// reads it answers that, or that there is no such row.
///
/// A method that writes begins with [`TableId::check_write`]: inside a closure that is part of a write to the same database
/// it returns [`Error::Reentrant`], and never waits for that write. Reads return in any case.
///
/// Each method, and each batch of a scan, begins by [`CallOptions::begin`], and ends by [`Error::DeadlineExceeded`] or
/// [`Error::Cancelled`] where the options of the handle say so.
pub trait Store: Readable + Send + Sync {
    /// Which table of which database it is; of a wrapper, what it wraps.
    fn id(&self) -> &TableId;

    /// What bounds the calls of this handle; of a wrapper, those of what it wraps.
    fn options(&self) -> &CallOptions;

    /// A handle to the same table with these options in place of those of this handle.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store>;

    /// What this store promises.
    fn guarantees(&self) -> Guarantees;

    /// The values of `keys`, in their order.
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let store = Within::one_call(&self as &dyn Store);
        keys.iter().map(|key| store.get(key)).collect()
    }

    /// Applies a batch, in its order: of two writes to one key the later holds. What is not valid (an empty key, one that is too
    /// long) is refused before anything is written.
    ///
    /// # Errors
    ///
    /// With [`Error::Rows`] the writes that it names failed, and all others are in; a store whose batches are atomic does not
    /// return it. Any other error is of the whole batch, and nothing of it is written, unless its
    /// [kind](crate::ErrorKind) is `OutcomeUnknown`.
    fn write(&self, batch: &Batch) -> Result<(), Error>;

    /// Adds `by` to the counter at `key` and answers its new value. A counter is eight bytes, big-endian, two's
    /// complement, as HBase and Bigtable keep it; an absent one is 0; it wraps around. A value of any other length is
    /// [`Error::NotACounter`].
    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error>;

    /// Writes `new` (`None` deletes) if the value of `key` is `expected` (`None`: there is none); answers whether it
    /// did.
    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error>;

    /// Deletes every row in the ranges.
    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error>;

    /// Reads and writes as one: what `body` answers is written, and nobody else writes between what it reads and that.
    /// If it fails, nothing is written. It may be called again, where an engine finds out at the end that somebody else wrote in between.
    ///
    /// `body` reads through the [`Readable`] that it is given. Other handles still read what was there before; a write by
    /// them, to any table of the database, returns [`Error::Reentrant`], and the transaction goes on. What `body` wants
    /// to write it returns. It does not wait for another thread that writes, which may be waiting for it. If it panics,
    /// nothing is written, and the store is as usable as before. A call that has to end while `body` runs ends when that
    /// returns, and writes nothing.
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
    /// What `body` fails with; [`Error::Unsupported`] unless [`Guarantees::transactions`]; [`Error::Reentrant`] inside
    /// another closure of a write to the database.
    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let _ = body;
        Err(Error::Unsupported("transactions"))
    }

    /// The row keys at which the table's regions meet now, sorted; none of a table that is one. They are those that it was
    /// [made with](NewTable::split_at) until the engine splits or merges regions. Default: none.
    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(Vec::new())
    }
}

/// Tables by name, and writes that span them.
///
/// A method that writes, makes a table or drops one begins with [`DatabaseId::check_write`], as those of a [`Store`] do.
pub trait Database: Send + Sync {
    /// Which database it is: one for all its handles. An engine keeps a [`DatabaseId::unique`], one on a network a
    /// [`DatabaseId::of`] its address; a wrapper forwards it. The id of a table is [`DatabaseId::table`] of its name.
    fn id(&self) -> DatabaseId;

    /// What bounds the calls of this handle, and of the tables that it opens.
    fn options(&self) -> &CallOptions;

    /// A handle to the same database with these options in place of those of this handle. The tables that it opens have them too.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database>;

    /// What this database and its tables promise.
    fn guarantees(&self) -> Guarantees;

    /// Opens a table; it is made if it is not there. Two handles of one name are one table.
    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;

    /// Opens a table that is there.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it is not; it is not made.
    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;

    /// Makes a table that is not there. Of several that make one at once, one does.
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if it is there, which is left as it is. [`Error::SplitPoint`] and [`Error::TableOption`] if it
    /// can't be made so: [`NewTable::check`].
    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error>;

    /// The names of the tables, sorted.
    fn tables(&self) -> Result<Vec<String>, Error>;

    /// Drops a table and its rows; nothing happens where there is none. What becomes of handles from before is the
    /// engine's to say.
    fn drop_table(&self, name: &str) -> Result<(), Error>;

    /// Writes to several tables (made if not there), as one where [`Guarantees::batch`] says so. What is not valid is refused
    /// before anything is written.
    ///
    /// # Errors
    ///
    /// With [`Error::Rows`] the writes that it names failed, counted through in the order of `batches`, and all others are in.
    /// Any other error is of the whole call, and nothing of it is written, unless its [kind](crate::ErrorKind) is
    /// `OutcomeUnknown`.
    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error>;

    /// Reads and writes several tables (made if not there) as one: as [`Store::transact`], with a view and a batch for
    /// each of `tables`, in their order; the last tables can be left out. A table that is named twice comes twice, and of two
    /// writes to one of its keys the later holds. Inside `body` other handles read and do not write:
    /// [`Error::Reentrant`], as of [`Store::transact`].
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
    /// Inside `body` another database may be written. Two threads that do so in opposite orders, one from the first into the
    /// second, the other from the second into the first, wait for each other for ever.
    ///
    /// # Errors
    ///
    /// What `body` fails with; [`Error::Unsupported`] unless the database declares [`Guarantees::transactions`] and
    /// batches that are atomic across it; [`Error::Reentrant`] inside another closure of a write to the database.
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

/// What to scan: ranges, direction, limit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scan {
    /// The rows wanted: sorted, not overlapping ([`KeyRange::merged`]). No range is no row.
    pub ranges: Vec<KeyRange>,
    /// From the last row to the first.
    pub reverse: bool,
    /// At most so many rows.
    pub limit: Option<u64>,
    /// At most so many rows a batch; at least one.
    pub batch_rows: usize,
    /// A batch ends with the row by which its keys and values reach so many bytes, so it has one row at least. A scan that
    /// holds several batches at once divides the bound among them: it holds about so many bytes in all, and a row for
    /// each batch. Default: [`DEFAULT_BATCH_BYTES`].
    pub batch_bytes: usize,
}

/// What [`Scan::batch_bytes`] is by default: 4 MiB. With it 256 rows of up to 16 KiB are one batch, and 64 merged buckets still
/// read 64 KiB each at a time, while a hundred open scans hold 400 MiB at most, however large the values are.
pub const DEFAULT_BATCH_BYTES: usize = 4 << 20;

impl Scan {
    /// All rows of the ranges, in any order and overlapping as they may be, forward.
    pub fn new(ranges: Vec<KeyRange>) -> Self {
        Self {
            ranges: KeyRange::merged(ranges),
            reverse: false,
            limit: None,
            batch_rows: 256,
            batch_bytes: DEFAULT_BATCH_BYTES,
        }
    }

    /// The whole table, forward.
    pub fn all() -> Self {
        Self::new(vec![KeyRange::all()])
    }

    /// From the last row to the first.
    #[must_use]
    pub fn reverse(mut self, reverse: bool) -> Self {
        self.reverse = reverse;
        self
    }

    /// At most so many rows.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.limit = limit.into();
        self
    }

    /// At most so many rows a batch.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// A batch ends with the row by which it reaches so many bytes: see [the field](Self#structfield.batch_bytes).
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

    /// The same scan with its bound in bytes divided by `batches`: for what holds so many batches at once.
    #[must_use]
    pub(crate) fn divided(self, batches: usize) -> Self {
        let bytes = self.batch_bytes / batches.max(1);
        self.batch_bytes(bytes)
    }
}

/// An open scan: batches of rows, in order.
pub trait Rows: Send {
    /// Clears `batch` and fills it with the next rows; an empty batch is the end. After an error, or the end, it
    /// answers an empty batch for ever. Rows read before an error are handed out before it.
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error>;

    /// Rows before `key` (behind it, in a reverse scan) are of no use any more. It is a hint: they may still come; `key`
    /// and all beyond it do.
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

/// [`Error::EmptyKey`] if the key is empty; a store asks before it writes.
pub fn check_key(key: &[u8]) -> Result<(), Error> {
    if key.is_empty() { Err(Error::EmptyKey) } else { Ok(()) }
}

/// Whether what a transaction answered can be written to its tables: a batch for each, or for the first of them, and no
/// empty key; a database asks before it writes.
pub fn check_batches(tables: &[&str], batches: &[Batch]) -> Result<(), Error> {
    if batches.len() > tables.len() {
        return Err(Error::engine(format!(
            "a transaction over {} tables answered {} batches",
            tables.len(),
            batches.len()
        )));
    }
    batches.iter().try_for_each(Batch::check_keys)
}

/// How many rows are left of a scan.
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

/// A counter's value after `by` was added to what stands in the store; for a store's author.
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
