//! A database each of whose calls takes its time, before it looks at its options.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rowkey::store::{
    Atomicity, Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store,
    TableId,
};
use rowkey::{Error, KeyRange, Memory};

use crate::Db;

/// How long a call takes, at least.
pub(crate) const DELAY: Duration = Duration::from_millis(20);

#[derive(Clone)]
pub(crate) struct Slow {
    db: Db,
    transactions: bool,
    delay: Duration,
    begun: Arc<AtomicBool>,
    calls: Arc<AtomicU64>,
}

impl Slow {
    pub(crate) fn new(memory: Memory, transactions: bool, delay: Duration) -> Self {
        Self { db: Arc::new(memory), transactions, delay, begun: Arc::default(), calls: Arc::default() }
    }

    /// From now on calls take their time.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::SeqCst);
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    fn takes_time(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if self.begun.load(Ordering::SeqCst) {
            sleep(self.delay);
        }
    }

    fn promises(&self) -> Guarantees {
        let mut guarantees = self.db.guarantees();
        if !self.transactions {
            guarantees.transactions = false;
            guarantees.batch = Atomicity::Row;
        }
        guarantees
    }
}

impl Database for Slow {
    fn id(&self) -> DatabaseId {
        self.db.id()
    }

    fn options(&self) -> &CallOptions {
        self.db.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { db: self.db.with_options(options), ..self.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        self.promises()
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.takes_time();
        Ok(Arc::new(SlowStore { of: self.clone(), store: self.db.table(name)? }))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.takes_time();
        Ok(Arc::new(SlowStore { of: self.clone(), store: self.db.open_table(name)? }))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.takes_time();
        Ok(Arc::new(SlowStore { of: self.clone(), store: self.db.create_table(name, new)? }))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.takes_time();
        self.db.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.takes_time();
        self.db.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.takes_time();
        self.db.write(batches)
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        if !self.transactions {
            return Err(Error::Unsupported("transactions"));
        }
        self.takes_time();
        self.db.transact(tables, body)
    }
}

struct SlowStore {
    of: Slow,
    store: Arc<dyn Store>,
}

impl Readable for SlowStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.of.takes_time();
        self.store.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(SlowRows { of: self.of.clone(), rows: self.store.scan(scan), ended: false })
    }
}

impl Store for SlowStore {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { of: self.of.clone(), store: self.store.with_options(options) })
    }

    fn guarantees(&self) -> Guarantees {
        self.of.promises()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.of.takes_time();
        self.store.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.of.takes_time();
        self.store.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.of.takes_time();
        self.store.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.of.takes_time();
        self.store.delete_ranges(ranges)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        if !self.of.transactions {
            return Err(Error::Unsupported("transactions"));
        }
        self.of.takes_time();
        self.store.transact(body)
    }
}

struct SlowRows {
    of: Slow,
    rows: Box<dyn Rows>,
    ended: bool,
}

impl Rows for SlowRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        if !self.ended {
            self.of.takes_time();
        }
        let read = self.rows.next_batch(batch);
        self.ended = batch.is_empty();
        read
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}
