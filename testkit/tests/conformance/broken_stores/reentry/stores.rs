//! Stores with one fault each.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use rowkey::store::{Batch, Readable, Rows, Scan, Store};
use rowkey::{Error, KeyRange, conformance};
use rowkey_testkit::{Over, StoreOver};

use super::{Live, unasked};
use crate::broken_stores::{refused, table, waiting};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    WaitsForItself,
    LetsItselfThrough,
    ReadsWaitForTheBody,
    WriteLetThrough,
    IncrementLetThrough,
    CompareLetThrough,
    DeleteRangesLetThrough,
    TransactionLetThrough,
    AnotherError,
    StaysInside,
    Poisoned,
    PanicSwallowed,
    LockedAfterPanic,
}
use Fault::*;

refused! { Broken::new, store:
    LetsItselfThrough => "reentrant-write",
    WriteLetThrough => "reentrant-write",
    IncrementLetThrough => "reentrant-write",
    CompareLetThrough => "reentrant-write",
    DeleteRangesLetThrough => "reentrant-write",
    TransactionLetThrough => "reentrant-write",
    AnotherError => "reentrant-write",
    StaysInside => "body-panics",
    Poisoned => "body-panics",
    PanicSwallowed => "body-panics",
}

waiting! { Broken::new, store:
    WaitsForItself => "reentrant-write",
    ReadsWaitForTheBody => "body-reads",
    LockedAfterPanic => "body-panics",
}

/// A table of a [`Memory`](rowkey::Memory), whose transactions are its own, with one fault.
struct Broken {
    inner: Arc<dyn Store>,
    fault: Fault,
    writer: Arc<Mutex<()>>,
    /// The thread that holds the lock of writers.
    holder: Arc<Mutex<Option<ThreadId>>>,
}

impl Broken {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: table(), fault, writer: Arc::default(), holder: Arc::default() })
    }

    fn is_in_its_body(&self) -> bool {
        *self.holder.lock().unwrap() == Some(thread::current().id())
    }

    fn writer(&self) -> Option<MutexGuard<'_, ()>> {
        match self.fault {
            LetsItselfThrough if self.is_in_its_body() => None,
            WaitsForItself if self.is_in_its_body() => wait_for_ever(),
            Poisoned => Some(self.writer.lock().unwrap()),
            _ => Some(self.writer.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn check(&self) -> Result<(), Error> {
        match (self.fault, self.id().check_write()) {
            (WaitsForItself | LetsItselfThrough, _) => Ok(()),
            (AnotherError, checked) => checked.map_err(|_| Error::Unsupported("writes in a closure")),
            (_, checked) => checked,
        }
    }

    /// Writes under the lock of writers.
    fn written<T: Send>(&self, fault: Fault, write: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        match self.check() {
            Err(_) if self.fault == fault => return unasked(write),
            checked => checked?,
        }
        let _writer = self.writer();
        write()
    }

    fn before_reading(&self) {
        if self.fault == ReadsWaitForTheBody && self.is_in_its_body() {
            wait_for_ever()
        }
    }

    fn run_body(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<Batch, Error> {
        let view = Live(Arc::clone(&self.inner));
        match self.fault {
            WaitsForItself | LetsItselfThrough => body(&view),
            StaysInside => {
                let inside = self.id().database().enter();
                catch_unwind(AssertUnwindSafe(|| body(&view))).unwrap_or_else(|panic| {
                    std::mem::forget(inside);
                    resume_unwind(panic)
                })
            }
            PanicSwallowed => {
                let _inside = self.id().database().enter();
                catch_unwind(AssertUnwindSafe(|| body(&view))).unwrap_or_else(|_| Ok(Batch::new()))
            }
            _ => {
                let _inside = self.id().database().enter();
                body(&view)
            }
        }
    }
}

/// The behaviour, on most systems, of a lock that its holder asks for again.
fn wait_for_ever() -> ! {
    loop {
        thread::park();
    }
}

impl StoreOver for Broken {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Store>) -> Self {
        let (writer, holder) = (Arc::clone(&self.writer), Arc::clone(&self.holder));
        Self { inner, fault: self.fault, writer, holder }
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.before_reading();
        self.inner.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.before_reading();
        self.inner.scan(scan)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.written(WriteLetThrough, || self.inner.write(batch))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.written(IncrementLetThrough, || self.inner.increment(key, by))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.written(CompareLetThrough, || self.inner.compare_and_write(key, expected, new))
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.written(DeleteRangesLetThrough, || self.inner.delete_ranges(ranges))
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        match self.check() {
            Err(_) if self.fault == TransactionLetThrough => return Ok(()),
            checked => checked?,
        }
        let writer = self.writer();
        *self.holder.lock().unwrap() = Some(thread::current().id());
        let batch = match self.fault {
            LockedAfterPanic => catch_unwind(AssertUnwindSafe(|| self.run_body(body))),
            _ => Ok(self.run_body(body)),
        };
        *self.holder.lock().unwrap() = None;
        match batch {
            Ok(batch) => self.inner.write(&batch?),
            Err(panic) => {
                std::mem::forget(writer);
                resume_unwind(panic)
            }
        }
    }
}
