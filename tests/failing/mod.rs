//! A database that fails from some operation on, as one whose process is killed there.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use rowkey::store::{Atomicity, Batch, Database, DatabaseId, Guarantees, RowBatch, Rows, Scan, Store, TableId, View};
use rowkey::{Error, KeyRange, Memory};

/// What is counted, and what the database promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct How {
    /// Every operation counts, or writes alone.
    pub(crate) reads: bool,
    /// Whether the first operation that fails is applied all the same.
    pub(crate) applied: bool,
    pub(crate) transactions: bool,
    pub(crate) compare_and_write: bool,
}

pub(crate) const WITHOUT: How = How { reads: false, applied: false, transactions: false, compare_and_write: true };

#[derive(Clone)]
pub(crate) struct Failing {
    memory: Memory,
    how: How,
    left: Arc<AtomicI64>,
    interrupt: Arc<Mutex<Option<Interrupt>>>,
}

/// Before which operation, and what.
type Interrupt = (u64, Box<dyn FnOnce() + Send>);

/// What an operation does.
enum Fate {
    Goes,
    /// It is applied, and then it fails.
    Last,
    Fails,
}

fn dead() -> Error {
    Error::engine("the process is dead")
}

impl Failing {
    /// Fails from operation `after` on, counted from 0.
    pub(crate) fn new(memory: &Memory, how: How, after: i64) -> Self {
        Self { memory: memory.clone(), how, left: Arc::new(AtomicI64::new(after)), interrupt: Arc::default() }
    }

    #[allow(dead_code)]
    pub(crate) fn never(memory: &Memory, how: How) -> Self {
        Self::new(memory, how, i64::MAX / 2)
    }

    /// Before operation `at`, reads too, something else is done.
    #[allow(dead_code)]
    pub(crate) fn interrupt(&self, at: u64, by: impl FnOnce() + Send + 'static) {
        *self.interrupt.lock().unwrap() = Some((at, Box::new(by)));
    }

    /// Whether the interruption is still to come; then it does not any more.
    #[allow(dead_code)]
    pub(crate) fn take_interrupt(&self) -> bool {
        self.interrupt.lock().unwrap().take().is_some()
    }

    fn tick(&self) {
        let mut interrupt = self.interrupt.lock().unwrap();
        match interrupt.take() {
            Some((0, by)) => {
                drop(interrupt);
                by();
            }
            Some((at, by)) => *interrupt = Some((at - 1, by)),
            None => {}
        }
    }

    fn write_fate(&self) -> Fate {
        self.tick();
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => Fate::Goes,
            0 if self.how.applied => Fate::Last,
            _ => Fate::Fails,
        }
    }

    fn written<T>(&self, write: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        match self.write_fate() {
            Fate::Goes => write(),
            Fate::Last => write().and_then(|_| Err(dead())),
            Fate::Fails => Err(dead()),
        }
    }

    fn read(&self) -> Result<(), Error> {
        self.tick();
        let left = if self.how.reads {
            self.left.fetch_sub(1, Ordering::SeqCst)
        } else {
            // A process that can't write any more reads nothing either.
            self.left.load(Ordering::SeqCst).max(0) + 1
        };
        if left > 0 { Ok(()) } else { Err(dead()) }
    }
}

impl Database for Failing {
    fn id(&self) -> DatabaseId {
        self.memory.id()
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = Guarantees::all();
        guarantees.transactions = self.how.transactions;
        guarantees.compare_and_write = self.how.compare_and_write;
        if !self.how.transactions {
            guarantees.batch = Atomicity::Row;
        }
        guarantees
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.read()?;
        Ok(Arc::new(FailingStore { db: self.clone(), store: self.memory.table(name)? }))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.read()?;
        self.memory.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.written(|| self.memory.drop_table(name))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.written(|| self.memory.write(batches))
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn View]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        if !self.how.transactions {
            return Err(Error::Unsupported("transactions"));
        }
        self.written(|| self.memory.transact(tables, body))
    }
}

struct FailingStore {
    db: Failing,
    store: Arc<dyn Store>,
}

impl Store for FailingStore {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn guarantees(&self) -> Guarantees {
        self.db.guarantees()
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.db.read()?;
        self.store.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(FailingRows { db: self.db.clone(), rows: self.store.scan(scan), ended: false })
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.db.written(|| self.store.write(batch))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.db.written(|| self.store.increment(key, by))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        if !self.db.how.compare_and_write {
            return Err(Error::Unsupported("compare-and-write"));
        }
        self.db.written(|| self.store.compare_and_write(key, expected, new))
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.db.written(|| self.store.delete_ranges(ranges))
    }
}

struct FailingRows {
    db: Failing,
    rows: Box<dyn Rows>,
    ended: bool,
}

impl Rows for FailingRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        if self.ended {
            return Ok(());
        }
        self.db.read().inspect_err(|_| self.ended = true)?;
        self.rows.next_batch(batch)
    }
}
