//! Stores and databases that declare less than the ones beneath, and do less.

use std::sync::Arc;

use rowkey::store::{
    Atomicity, Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store,
    TableId, Walk, write_by_table,
};
use rowkey::{Error, KeyRange};

/// A store (`Restrict<dyn Store>`) or a database that has the guarantees it is given. Operations that they leave out it
/// does not do: it writes row by row, its scans show what is written meanwhile, and operations that it does not have
/// are `Unsupported`.
pub struct Restrict<T: ?Sized> {
    inner: Arc<T>,
    guarantees: Guarantees,
    skips: bool,
}

impl<T: ?Sized> Restrict<T> {
    /// Scans take no hint: they go on row by row.
    #[must_use]
    pub fn without_skips(mut self) -> Self {
        self.skips = false;
        self
    }
}

impl Restrict<dyn Store> {
    /// A store over another one.
    pub fn store(inner: Arc<dyn Store>, guarantees: Guarantees) -> Self {
        Self { inner, guarantees, skips: true }
    }

    /// A store that promises nothing.
    pub fn none(inner: Arc<dyn Store>) -> Self {
        Self::store(inner, Guarantees::none())
    }
}

impl Restrict<dyn Database> {
    /// A database over another one.
    pub fn database(inner: Arc<dyn Database>, guarantees: Guarantees) -> Self {
        Self { inner, guarantees, skips: true }
    }

    fn of(&self, inner: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(Restrict { inner, guarantees: self.guarantees, skips: self.skips })
    }
}

impl Database for Restrict<dyn Database> {
    fn id(&self) -> DatabaseId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { inner: self.inner.with_options(options), ..*self })
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(self.inner.table(name)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(self.inner.open_table(name)?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(self.inner.create_table(name, new)?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.inner.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.inner.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        if self.guarantees.batch == Atomicity::Database {
            return self.inner.write(batches);
        }
        self.id().check_write(batches.iter().map(|(name, _)| *name))?;
        write_by_table(batches, |name, batch| self.table(name)?.write(batch))
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        match self.guarantees.transactions {
            true => self.inner.transact(tables, body),
            false => Err(Error::Unsupported("transactions")),
        }
    }
}

impl Readable for Restrict<dyn Store> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.inner.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let rows: Box<dyn Rows> = match self.guarantees.snapshot_scans {
            true => self.inner.scan(scan),
            false => Box::new(Live::new(Arc::clone(&self.inner), scan)),
        };
        if self.skips { rows } else { Box::new(NoSkip(rows)) }
    }
}

impl Store for Restrict<dyn Store> {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { inner: self.inner.with_options(options), ..*self })
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        if self.guarantees.batch >= Atomicity::Table {
            return self.inner.write(batch);
        }
        self.id().check_write()?;
        batch.check_keys()?;
        batch.writes().try_for_each(|write| self.inner.write(Batch::new().push(write)))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        match self.guarantees.increment {
            true => self.inner.increment(key, by),
            false => Err(Error::Unsupported("increment")),
        }
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        match self.guarantees.compare_and_write {
            true => self.inner.compare_and_write(key, expected, new),
            false => Err(Error::Unsupported("compare-and-write")),
        }
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.inner.delete_ranges(ranges)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        match self.guarantees.transactions {
            true => self.inner.transact(body),
            false => Err(Error::Unsupported("transactions")),
        }
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        if self.guarantees.split_points { self.inner.split_points() } else { Ok(Vec::new()) }
    }
}

struct NoSkip(Box<dyn Rows>);

impl Rows for NoSkip {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.0.next_batch(batch)
    }
}

/// A scan that is opened anew for each batch: it shows what was written since the batch before.
pub struct Live {
    store: Arc<dyn Store>,
    walk: Walk,
}

impl Live {
    /// A scan of a store.
    pub fn new(store: Arc<dyn Store>, scan: &Scan) -> Self {
        Self { store, walk: Walk::new(scan) }
    }
}

impl Rows for Live {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        if self.walk.is_over() {
            return Ok(());
        }
        let read = self.store.scan(&self.walk.rest()).next_batch(batch);
        match read.is_err() || batch.is_empty() {
            true => self.walk.end(),
            false => self.walk.took_batch(batch),
        }
        read
    }
}
