//! Deadlines and cancellation for engines that never wait: checked before each call and each batch.

use std::fmt;
use std::sync::Arc;

use super::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store, TableId,
};
use crate::keys::range::KeyRange;
use crate::store::error::Error;

/// Gives a store or a database [`CallOptions`], for an engine that never waits. The options are checked before each
/// call, before each batch of a scan, and between a transaction's body and its write. An engine that can wait handles
/// them itself ([`CallOptions::begin`]).
///
/// Return it from `with_options`:
///
/// ```
/// use std::sync::Arc;
///
/// use rowkey::store::{Bounded, CallOptions, Database, Store};
/// # use rowkey::store::{Batch, Guarantees, Readable, Rows, Scan, TableId};
/// # use rowkey::{Error, KeyRange, Memory, Result};
///
/// #[derive(Clone)]
/// struct Shelf {
///     // ..
/// #     inner: Arc<dyn Store>,
/// }
/// # impl Readable for Shelf {
/// #     fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> { self.inner.get(key) }
/// #     fn scan(&self, scan: &Scan) -> Box<dyn Rows> { self.inner.scan(scan) }
/// # }
///
/// impl Store for Shelf {
///     fn options(&self) -> &CallOptions {
///         CallOptions::none()
///     }
///
///     fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
///         Arc::new(Bounded::new(Arc::new(self.clone()), options))
///     }
///     // ..
/// #     fn id(&self) -> &TableId { self.inner.id() }
/// #     fn guarantees(&self) -> Guarantees { self.inner.guarantees() }
/// #     fn write(&self, batch: &Batch) -> Result<()> { self.inner.write(batch) }
/// #     fn increment(&self, key: &[u8], by: i64) -> Result<i64> { self.inner.increment(key, by) }
/// #     fn compare_and_write(&self, key: &[u8], old: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool> {
/// #         self.inner.compare_and_write(key, old, new)
/// #     }
/// #     fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<()> { self.inner.delete_ranges(ranges) }
/// }
/// # let shelf = Shelf { inner: Memory::new().table("shelf")? };
/// # let late = shelf.with_options(&CallOptions::new().timeout(std::time::Duration::ZERO));
/// # assert!(matches!(late.get(b"k"), Err(Error::DeadlineExceeded { .. })));
/// # Ok::<(), Error>(())
/// ```
pub struct Bounded<T: ?Sized> {
    pub(crate) inner: Arc<T>,
    pub(crate) options: CallOptions,
}

impl<T: ?Sized> Bounded<T> {
    /// A handle to `inner` with these options. `inner` has no options of its own.
    pub fn new(inner: Arc<T>, options: &CallOptions) -> Self {
        Self { inner, options: options.clone() }
    }

    pub(crate) fn with(&self, options: &CallOptions) -> Self {
        Self::new(Arc::clone(&self.inner), options)
    }
}

impl<T: ?Sized> fmt::Debug for Bounded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Methods that are calls on the table `$table`: each begins with the options, and then is the method of the inner
/// store.
macro_rules! calls {
    (on $table:expr; $($doing:literal: fn $method:ident(&$self:ident $(, $argument:ident: $type:ty)*) -> $returned:ty;)*) => {$(
        fn $method(&$self $(, $argument: $type)*) -> $returned {
            $self.options.begin($doing, $table)?;
            $self.inner.$method($($argument),*)
        }
    )*};
}
pub(crate) use calls;

impl<S: Store + ?Sized + 'static> Readable for Bounded<S> {
    calls! { on self.id().name();
        "get": fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error>;
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.options.rows(self.id().name(), self.inner.scan(scan))
    }
}

impl<S: Store + ?Sized + 'static> Store for Bounded<S> {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    calls! { on self.id().name();
        "get": fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error>;
        "write": fn write(&self, batch: &Batch) -> Result<(), Error>;
        "increment": fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error>;
        "compare-and-write":
            fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error>;
        "deletion of ranges": fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error>;
        "split points": fn split_points(&self) -> Result<Vec<Vec<u8>>, Error>;
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let call = self.options.begin("transaction", self.id().name())?;
        self.inner.transact(&mut |view| {
            let batch = body(view)?;
            call.check()?;
            Ok(batch)
        })
    }
}

impl<D: Database + ?Sized + 'static> Database for Bounded<D> {
    fn id(&self) -> DatabaseId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.options.begin("opening", name)?;
        Ok(self.inner.table(name)?.with_options(&self.options))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.options.begin("opening", name)?;
        Ok(self.inner.open_table(name)?.with_options(&self.options))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.options.begin("creation", name)?;
        Ok(self.inner.create_table(name, new)?.with_options(&self.options))
    }

    calls! { on "";
        "list of tables": fn tables(&self) -> Result<Vec<String>, Error>;
    }

    calls! { on name;
        "drop": fn drop_table(&self, name: &str) -> Result<(), Error>;
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.options.begin_across("write", batches.iter().map(|&(name, _)| name))?;
        self.inner.write(batches)
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        let call = self.options.begin_across("transaction", tables.iter().copied())?;
        self.inner.transact(tables, &mut |views| {
            let batches = body(views)?;
            call.check()?;
            Ok(batches)
        })
    }
}

/// A scan in which each batch is a call with its own timeout.
pub(super) struct BoundedRows {
    /// `None` after the end or an error, so that the engine can free the resources of the scan.
    rows: Option<Box<dyn Rows>>,
    options: CallOptions,
    table: Box<str>,
}

impl BoundedRows {
    pub(super) fn new(rows: Box<dyn Rows>, options: CallOptions, table: &str) -> Self {
        Self { rows: Some(rows), options, table: table.into() }
    }
}

impl Rows for BoundedRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let Some(rows) = &mut self.rows else { return Ok(()) };
        let read = self.options.begin("scan", &self.table).and_then(|_| rows.next_batch(batch));
        if read.is_err() || batch.is_empty() {
            self.rows = None;
        }
        read
    }

    fn skip_to(&mut self, key: &[u8]) {
        if let Some(rows) = &mut self.rows {
            rows.skip_to(key);
        }
    }
}

/// A scan that could not be opened: its first batch is the error.
pub(super) struct Failed(pub(super) Option<Error>);

impl Rows for Failed {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        self.0.take().map_or(Ok(()), Err)
    }
}
