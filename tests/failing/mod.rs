//! A database that fails from some operation on, as one whose process is killed there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rowkey::store::{
    Atomicity, Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store,
    TableId,
};
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

#[allow(dead_code)]
pub(crate) const WITHOUT: How = How { reads: false, applied: false, transactions: false, compare_and_write: true };

#[derive(Clone)]
pub(crate) struct Failing {
    memory: Arc<dyn Database>,
    how: How,
    left: Arc<AtomicI64>,
    interrupts: Arc<Mutex<VecDeque<Interrupt>>>,
    /// Of random stalls, if there are any.
    seed: Option<Arc<AtomicU64>>,
}

/// Before which operation, counted from the interruption before, and what.
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
        Self {
            memory: Arc::new(memory.clone()),
            how,
            left: Arc::new(AtomicI64::new(after)),
            interrupts: Arc::default(),
            seed: None,
        }
    }

    #[allow(dead_code)]
    pub(crate) fn never(memory: &Memory, how: How) -> Self {
        Self::new(memory, how, i64::MAX / 2)
    }

    /// Before operation `at`, reads too, something else is done: as if the process had stalled there meanwhile. Of several,
    /// each is counted from the one before.
    #[allow(dead_code)]
    pub(crate) fn interrupt(&self, at: u64, by: impl FnOnce() + Send + 'static) {
        self.interrupts.lock().unwrap().push_back((at, Box::new(by)));
    }

    /// Whether an interruption is still to come; then none does any more.
    #[allow(dead_code)]
    pub(crate) fn take_interrupt(&self) -> bool {
        std::mem::take(&mut *self.interrupts.lock().unwrap()).pop_front().is_some()
    }

    /// From here on it fails.
    #[allow(dead_code)]
    pub(crate) fn die(&self) {
        self.die_after(0);
    }

    /// After so many more operations it fails.
    #[allow(dead_code)]
    pub(crate) fn die_after(&self, more: i64) {
        self.left.store(more, Ordering::SeqCst);
    }

    /// One operation in fifty stalls for some milliseconds.
    #[allow(dead_code)]
    pub(crate) fn stalling(memory: &Memory, how: How, seed: u64) -> Self {
        Self { seed: Some(Arc::new(AtomicU64::new(seed))), ..Self::never(memory, how) }
    }

    fn tick(&self) {
        if let Some(seed) = &self.seed {
            let random = seed.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let random = (random ^ random >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32;
            if random % 50 == 0 {
                thread::sleep(Duration::from_micros(random % 4000));
            }
        }
        let mut interrupts = self.interrupts.lock().unwrap();
        match interrupts.front_mut() {
            Some((0, _)) => {
                let due = interrupts.pop_front();
                drop(interrupts);
                due.into_iter().for_each(|(_, by)| by());
            }
            Some((at, _)) => *at -= 1,
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

    fn options(&self) -> &CallOptions {
        self.memory.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { memory: self.memory.with_options(options), ..self.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = self.memory.guarantees();
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

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.read()?;
        Ok(Arc::new(FailingStore { db: self.clone(), store: self.memory.open_table(name)? }))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        let store = self.written(|| self.memory.create_table(name, new))?;
        Ok(Arc::new(FailingStore { db: self.clone(), store }))
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
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
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

impl Readable for FailingStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.db.read()?;
        self.store.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(FailingRows { db: self.db.clone(), rows: self.store.scan(scan), ended: false })
    }
}

impl Store for FailingStore {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { db: self.db.clone(), store: self.store.with_options(options) })
    }

    fn guarantees(&self) -> Guarantees {
        self.db.guarantees()
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

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        if !self.db.how.transactions {
            return Err(Error::Unsupported("transactions"));
        }
        self.db.written(|| self.store.transact(body))
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
