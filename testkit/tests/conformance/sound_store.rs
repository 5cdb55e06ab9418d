//! Stores that keep every law in a way of their own.

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::sleep;
use std::time::Duration;

use rowkey::store::{Batch, Readable, Rows, Scan, Store};
use rowkey::{Error, KeyRange};
use rowkey_testkit::{Cue, Cued, Fate, Op, Over, Restrict, StoreOver};

/// Every operation takes its time, as over a network.
#[derive(Clone)]
struct Latency(Duration);

impl Cue for Latency {
    fn before(&self, _: Op) -> Fate {
        sleep(self.0);
        Fate::Done
    }
}

/// A store each of whose operations takes a given time.
pub(crate) fn slow(store: Arc<dyn Store>, latency: Duration) -> impl Store {
    let promised = store.guarantees().slow_scans(true);
    Cued::over(Arc::new(Restrict::store(store, promised)) as Arc<dyn Store>, Latency(latency))
}

/// Transactions hold nobody up: they read what is there, whoever writes meanwhile, and begin again if at their end
/// somebody has.
pub(crate) struct Optimistic {
    inner: Arc<dyn Store>,
    /// The number of writes; held while one is made.
    writes: Arc<Mutex<u64>>,
}

impl Optimistic {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Over<Self> {
        Over(Self { inner, writes: Arc::default() })
    }

    fn writing(&self) -> MutexGuard<'_, u64> {
        let mut writes = self.writes.lock().unwrap();
        *writes += 1;
        writes
    }
}

impl StoreOver for Optimistic {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Store>) -> Self {
        Self { inner, writes: Arc::clone(&self.writes) }
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
