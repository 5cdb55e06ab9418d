//! Counts what a database reads and writes.

use std::fmt;
use std::ops::{Add, Sub};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store, TableId,
};
use crate::keys::range::KeyRange;
use crate::store::error::{Error, RowErrors};

/// A [`Database`] that counts what it reads and writes: the cost of a query in seeks, rows, cells and bytes.
#[doc(alias = "metrics")]
#[doc(alias = "statistics")]
///
/// ```
/// use rowkey::store::Metered;
/// use rowkey::{Memory, Table};
///
/// let db = Metered::new(Memory::new());
/// let squares: Table<u32, i64, _> = Table::open(db.clone(), "squares")?;
/// (0..100).try_for_each(|n| squares.put(&n, &i64::from(n * n)))?;
///
/// let before = db.costs();
/// let even = squares.scan(10..20).filter(|row| row.as_ref().is_ok_and(|(n, _)| n % 2 == 0));
/// assert_eq!(even.count(), 5);
/// let costs = db.costs() - before;
/// assert_eq!((costs.seeks, costs.rows_read), (1, 10));
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// Clones share their counters, and so do all tables. Rows are counted when the database returns them, so rows that
/// were read ahead and not used are included. Under a [wide table](crate::WideTable) a row has many entries: see
/// [`CellsDatabase::metered`](crate::wide::CellsDatabase::metered).
#[derive(Clone)]
pub struct Metered<D> {
    db: D,
    meter: Arc<Meter>,
    row_of: RowOf,
}

/// Returns the part of an entry's key that identifies its row.
type RowOf = fn(&[u8]) -> &[u8];

/// The reads and writes of a [`Metered`] database so far. Subtract two to get the cost of the calls in between,
/// add those of two databases to get the cost of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Costs {
    /// Number of seeks: one per key looked up, and one per range of each scan. Skips inside a range ([`Rows::skip_to`])
    /// are not counted, as a store may read on instead.
    pub seeks: u64,
    /// Number of rows returned.
    pub rows_read: u64,
    /// Number of cells returned. A plain row is one cell. A wide row has one per stored version, delete markers
    /// included.
    pub cells_read: u64,
    /// Number of bytes returned, in keys and values.
    pub bytes_read: u64,
    /// Number of atomic writes: a batch, an increment or a transaction counts as one. Empty batches, transactions that
    /// only read, and conditional writes whose condition does not hold are not counted.
    pub writes: u64,
    /// Number of cells put or deleted. A deleted range counts as one.
    pub cells_written: u64,
    /// Number of bytes put or deleted, in keys and values.
    pub bytes_written: u64,
}

impl Costs {
    /// Combines each count with that of `other`.
    fn each(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            seeks: combine(self.seeks, other.seeks),
            rows_read: combine(self.rows_read, other.rows_read),
            cells_read: combine(self.cells_read, other.cells_read),
            bytes_read: combine(self.bytes_read, other.bytes_read),
            writes: combine(self.writes, other.writes),
            cells_written: combine(self.cells_written, other.cells_written),
            bytes_written: combine(self.bytes_written, other.bytes_written),
        }
    }
}

impl Add for Costs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.each(other, u64::saturating_add)
    }
}

impl Sub for Costs {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        self.each(before, u64::saturating_sub)
    }
}

#[derive(Default)]
struct Meter {
    seeks: AtomicU64,
    rows_read: AtomicU64,
    cells_read: AtomicU64,
    bytes_read: AtomicU64,
    writes: AtomicU64,
    cells_written: AtomicU64,
    bytes_written: AtomicU64,
}

impl Meter {
    fn seek(&self, places: usize) {
        self.seeks.fetch_add(places as u64, Relaxed);
    }

    fn read(&self, rows: u64, cells: u64, bytes: usize) {
        self.rows_read.fetch_add(rows, Relaxed);
        self.cells_read.fetch_add(cells, Relaxed);
        self.bytes_read.fetch_add(bytes as u64, Relaxed);
    }

    /// A key that was looked up, and its value.
    fn looked_up(&self, key: &[u8], value: Option<&[u8]>) {
        self.seek(1);
        if let Some(value) = value {
            self.read(1, 1, key.len() + value.len());
        }
    }

    fn wrote(&self, cells: usize, bytes: usize) {
        if cells == 0 {
            return;
        }
        self.writes.fetch_add(1, Relaxed);
        self.cells_written.fetch_add(cells as u64, Relaxed);
        self.bytes_written.fetch_add(bytes as u64, Relaxed);
    }

    fn wrote_all<'b>(&self, batches: impl IntoIterator<Item = &'b Batch>) {
        self.wrote_but(batches, &RowErrors::new(0));
    }

    /// Counts batches without the writes that failed.
    fn wrote_but<'b>(&self, batches: impl IntoIterator<Item = &'b Batch>, failed: &RowErrors) {
        let mut failed = failed.iter().map(|row| row.index()).peekable();
        let writes = batches.into_iter().flat_map(Batch::writes).enumerate();
        let writes = writes.filter(|(index, _)| failed.next_if_eq(index).is_none());
        let writes = writes.map(|(_, write)| write.key().len() + write.value().map_or(0, <[u8]>::len));
        let (cells, bytes) = writes.fold((0, 0), |(cells, bytes), len| (cells + 1, bytes + len));
        self.wrote(cells, bytes);
    }

    /// Counts what a write of batches has written, by what it returned.
    fn written<'b>(
        &self,
        batches: impl IntoIterator<Item = &'b Batch>,
        result: Result<(), Error>,
    ) -> Result<(), Error> {
        match &result {
            Ok(()) => self.wrote_all(batches),
            Err(Error::Rows(failed)) => self.wrote_but(batches, failed),
            Err(_) => {}
        }
        result
    }
}

impl<D> Metered<D> {
    /// Wraps `db` and starts to count. Each entry is a row.
    pub fn new(db: D) -> Self {
        Self { db, meter: Arc::default(), row_of: |key| key }
    }

    /// The same database with the same counters, for entries that are parts of rows.
    pub(crate) fn rows_by(&self, row_of: RowOf) -> Self
    where
        D: Clone,
    {
        Self { row_of, ..self.clone() }
    }

    /// The counters so far.
    pub fn costs(&self) -> Costs {
        let Meter { seeks, rows_read, cells_read, bytes_read, writes, cells_written, bytes_written } = &*self.meter;
        Costs {
            seeks: seeks.load(Relaxed),
            rows_read: rows_read.load(Relaxed),
            cells_read: cells_read.load(Relaxed),
            bytes_read: bytes_read.load(Relaxed),
            writes: writes.load(Relaxed),
            cells_written: cells_written.load(Relaxed),
            bytes_written: bytes_written.load(Relaxed),
        }
    }
}

impl<D> fmt::Debug for Metered<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered").field("costs", &self.costs()).finish_non_exhaustive()
    }
}

impl<D: Database> Database for Metered<D> {
    fn id(&self) -> DatabaseId {
        self.db.id()
    }

    fn options(&self) -> &CallOptions {
        self.db.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Metered { db: self.db.with_options(options), meter: Arc::clone(&self.meter), row_of: self.row_of })
    }

    fn guarantees(&self) -> Guarantees {
        self.db.guarantees()
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.metered(self.db.table(name)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.metered(self.db.open_table(name)?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        Ok(self.metered(self.db.create_table(name, new)?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.db.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.db.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.meter.written(batches.iter().map(|(_, batch)| *batch), self.db.write(batches))
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        let mut written = Vec::new();
        self.db.transact(tables, &mut |views| {
            let views: Vec<_> = views.iter().map(|&view| self.view(view)).collect();
            let views: Vec<&dyn Readable> = views.iter().map(|view| view as &dyn Readable).collect();
            let batches = body(&views)?;
            written.clone_from(&batches);
            Ok(batches)
        })?;
        self.meter.wrote_all(&written);
        Ok(())
    }
}

impl<D> Metered<D> {
    fn metered(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(MeteredStore { store, meter: Arc::clone(&self.meter), row_of: self.row_of })
    }

    fn view<'v>(&'v self, view: &'v dyn Readable) -> MeteredView<'v> {
        MeteredView { view, meter: &self.meter, row_of: self.row_of }
    }
}

struct MeteredStore {
    store: Arc<dyn Store>,
    meter: Arc<Meter>,
    row_of: RowOf,
}

impl Readable for MeteredStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let value = self.store.get(key)?;
        self.meter.looked_up(key, value.as_deref());
        Ok(value)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        MeteredRows::open(self.store.scan(scan), scan, &self.meter, self.row_of)
    }
}

impl Store for MeteredStore {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        let store = self.store.with_options(options);
        Arc::new(Self { store, meter: Arc::clone(&self.meter), row_of: self.row_of })
    }

    fn guarantees(&self) -> Guarantees {
        self.store.guarantees()
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let values = self.store.get_many(keys)?;
        keys.iter().zip(&values).for_each(|(key, value)| self.meter.looked_up(key, value.as_deref()));
        Ok(values)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.meter.written([batch], self.store.write(batch))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        let sum = self.store.increment(key, by)?;
        self.meter.wrote(1, key.len() + size_of_val(&sum));
        Ok(sum)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        let written = self.store.compare_and_write(key, expected, new)?;
        if written {
            self.meter.wrote(1, key.len() + new.map_or(0, <[u8]>::len));
        }
        Ok(written)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.store.delete_ranges(ranges)?;
        self.meter.wrote(ranges.len(), 0);
        Ok(())
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let mut written = Batch::new();
        self.store.transact(&mut |view| {
            let batch = body(&MeteredView { view, meter: &self.meter, row_of: self.row_of })?;
            written.clone_from(&batch);
            Ok(batch)
        })?;
        self.meter.wrote_all([&written]);
        Ok(())
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.store.split_points()
    }
}

/// A table as a transaction sees it.
struct MeteredView<'v> {
    view: &'v dyn Readable,
    meter: &'v Arc<Meter>,
    row_of: RowOf,
}

impl Readable for MeteredView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let value = self.view.get(key)?;
        self.meter.looked_up(key, value.as_deref());
        Ok(value)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        MeteredRows::open(self.view.scan(scan), scan, self.meter, self.row_of)
    }
}

struct MeteredRows {
    rows: Box<dyn Rows>,
    meter: Arc<Meter>,
    row_of: RowOf,
    /// The row of the last entry.
    row: Option<Vec<u8>>,
}

impl MeteredRows {
    fn open(rows: Box<dyn Rows>, scan: &Scan, meter: &Arc<Meter>, row_of: RowOf) -> Box<dyn Rows> {
        meter.seek(scan.ranges.len());
        Box::new(Self { rows, meter: Arc::clone(meter), row_of, row: None })
    }
}

impl Rows for MeteredRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.rows.next_batch(batch)?;
        let (mut rows, mut bytes) = (0, 0);
        for (key, value) in &*batch {
            bytes += key.len() + value.len();
            let row = (self.row_of)(key);
            if self.row.as_deref() != Some(row) {
                rows += 1;
                let kept = self.row.get_or_insert_default();
                kept.clear();
                kept.extend_from_slice(row);
            }
        }
        self.meter.read(rows, batch.len() as u64, bytes);
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}
