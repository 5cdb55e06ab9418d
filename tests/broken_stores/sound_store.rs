//! Stores that keep every law in a way of their own.

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::sleep;
use std::time::Duration;

use rowkey::store::{Batch, CallOptions, Guarantees, Readable, RowBatch, Rows, Scan, Store, TableId};
use rowkey::{Error, KeyRange};

/// Every operation takes its time, as over a network.
pub(crate) struct Slow<S>(pub(crate) S, pub(crate) Duration);

impl<S: Store> Readable for Slow<S> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        sleep(self.1);
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(SlowRows { rows: self.0.scan(scan), ended: false, latency: self.1 })
    }
}

impl<S: Store> Store for Slow<S> {
    fn id(&self) -> &TableId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Slow(self.0.with_options(options), self.1))
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = self.0.guarantees();
        guarantees.slow_scans = true;
        guarantees
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        sleep(self.1);
        self.0.get_many(keys)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        sleep(self.1);
        self.0.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        sleep(self.1);
        self.0.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        sleep(self.1);
        self.0.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        sleep(self.1);
        self.0.delete_ranges(ranges)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        sleep(self.1);
        self.0.transact(&mut |view| {
            let batch = body(&SlowView(view, self.1))?;
            sleep(self.1);
            Ok(batch)
        })
    }
}

struct SlowView<'v>(&'v dyn Readable, Duration);

impl Readable for SlowView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        sleep(self.1);
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(SlowRows { rows: self.0.scan(scan), ended: false, latency: self.1 })
    }
}

struct SlowRows {
    rows: Box<dyn Rows>,
    ended: bool,
    latency: Duration,
}

impl Rows for SlowRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        if !self.ended {
            sleep(self.latency);
        }
        let answer = self.rows.next_batch(batch);
        self.ended = batch.is_empty();
        answer
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}

/// Transactions hold nobody up: they read what is there, whoever writes meanwhile, and begin again if at their end somebody
/// has.
pub(crate) struct Optimistic {
    inner: Arc<dyn Store>,
    /// How many writes there were; held while one is made.
    writes: Arc<Mutex<u64>>,
}

impl Optimistic {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, writes: Arc::default() }
    }

    fn writing(&self) -> MutexGuard<'_, u64> {
        let mut writes = self.writes.lock().unwrap();
        *writes += 1;
        writes
    }
}

impl Readable for Optimistic {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.inner.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.inner.scan(scan)
    }
}

impl Store for Optimistic {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { inner: self.inner.with_options(options), writes: Arc::clone(&self.writes) })
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        let _writing = self.writing();
        self.inner.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        let _writing = self.writing();
        self.inner.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        let _writing = self.writing();
        self.inner.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        let _writing = self.writing();
        self.inner.delete_ranges(ranges)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let call = self.options().begin("transaction", self.id().name())?;
        loop {
            let before = *self.writes.lock().unwrap();
            let inside = self.id().database().enter();
            let batch = body(&AsItIs(&*self.inner))?;
            drop(inside);
            call.check()?;
            let mut writes = self.writes.lock().unwrap();
            if *writes == before {
                *writes += 1;
                return self.inner.write(&batch);
            }
        }
    }
}

struct AsItIs<'v>(&'v dyn Store);

impl Readable for AsItIs<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.0.scan(scan)
    }
}
