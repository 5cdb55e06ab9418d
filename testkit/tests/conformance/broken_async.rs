//! Asynchronous engines with one fault each.

use std::sync::Arc;
use std::task::Poll;

use futures_lite::future::{block_on, yield_now};
use futures_lite::stream::{self, StreamExt};
use rowkey::conformance::async_database;
use rowkey::nonblocking::{AsyncDatabase, AsyncStore, Batches, BoxFuture, StoreFuture, Unblock};
use rowkey::store::{Batch, CallOptions, DatabaseId, Guarantees, NewTable, RowBatch, Scan, TableId, Write};
use rowkey::{Error, KeyRange, Memory};
use rowkey_testkit::{assert_named, verdict};
use tokio::runtime::Runtime;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// A write begins before its future is polled.
    Eager,
    /// After its rows a scan yields empty batches, without end.
    EmptyAtTheEnd,
    /// An item comes after the error of a scan.
    AfterTheError,
    /// A scan is opened when it is first polled.
    OpenedLate,
    /// A batch has more rows than were asked for.
    LongBatches,
    /// A write does not look whether it is inside a closure.
    Reentrant,
    /// A write that is cancelled after it was sent ends as if nothing was written.
    Cancelled,
    /// A write ends in the middle when its future is dropped.
    HalfWritten,
    /// The check that a table does not exist, and its creation, are two calls.
    CreatedTwice,
    /// Options are not looked at.
    Boundless,
}

/// A store or a database with one fault. All else is done by `inner`, a `Memory`.
struct Faulty<T: ?Sized> {
    fault: Fault,
    inner: Arc<T>,
    /// A handle without options.
    unbounded: Arc<T>,
}

impl<T: ?Sized> Clone for Faulty<T> {
    fn clone(&self) -> Self {
        Self { fault: self.fault, inner: self.inner.clone(), unbounded: self.unbounded.clone() }
    }
}

impl Faulty<dyn AsyncStore> {
    fn store(&self) -> &Arc<dyn AsyncStore> {
        if self.fault == Fault::Boundless { &self.unbounded } else { &self.inner }
    }
}

impl AsyncStore for Faulty<dyn AsyncStore> {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore> {
        Arc::new(Self { inner: self.inner.with_options(options), ..self.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    fn get(&self, key: &[u8]) -> StoreFuture<'_, Option<Vec<u8>>> {
        self.store().get(key)
    }

    fn get_many(&self, keys: &[&[u8]]) -> StoreFuture<'_, Vec<Option<Vec<u8>>>> {
        self.store().get_many(keys)
    }

    fn scan(&self, scan: &Scan) -> Batches {
        match self.fault {
            Fault::EmptyAtTheEnd => Box::pin(self.inner.scan(scan).chain(stream::repeat_with(|| Ok(RowBatch::new())))),
            Fault::AfterTheError => {
                let mut scan = self.inner.scan(scan);
                let mut failed = false;
                Box::pin(stream::poll_fn(move |context| match failed {
                    true => Poll::Ready(Some(Ok(RowBatch::new()))),
                    false => {
                        let next = scan.poll_next(context);
                        failed = matches!(next, Poll::Ready(Some(Err(_))));
                        next
                    }
                }))
            }
            Fault::OpenedLate => {
                let (store, scan) = (self.inner.clone(), scan.clone());
                Box::pin(stream::once(()).flat_map(move |()| store.scan(&scan)))
            }
            Fault::LongBatches => self.inner.scan(&scan.clone().batch_rows(scan.batch_rows + 1)),
            _ => self.store().scan(scan),
        }
    }

    fn write(&self, batch: &Batch) -> StoreFuture<'_, ()> {
        let (store, batch) = (self.store().clone(), batch.clone());
        match self.fault {
            Fault::Eager => {
                let written = block_on(store.write(&batch));
                Box::pin(async { written })
            }
            // Another thread is in no closure.
            Fault::Reentrant => Box::pin(async move {
                std::thread::spawn(move || block_on(store.write(&batch))).join().expect("a write does not panic")
            }),
            Fault::Cancelled => Box::pin(async move {
                let call = self.options().begin("write", self.id().name())?;
                self.unbounded.write(&batch).await?;
                yield_now().await;
                call.check()
            }),
            Fault::HalfWritten => Box::pin(async move {
                let mut parts = batch.writes().map(|write| {
                    let mut part = Batch::new();
                    match write {
                        Write::Put(key, value) => _ = part.put(key, value),
                        Write::Delete(key) => _ = part.delete(key),
                    }
                    part
                });
                // The first half is there when the future is first pending.
                for part in parts.by_ref().take(15) {
                    block_on(store.write(&part))?;
                }
                yield_now().await;
                parts.try_for_each(|part| block_on(store.write(&part)))
            }),
            _ => Box::pin(async move { store.write(&batch).await }),
        }
    }

    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64> {
        self.store().increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> StoreFuture<'_, bool> {
        self.store().compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> StoreFuture<'_, ()> {
        self.store().delete_ranges(ranges)
    }
}

impl Faulty<dyn AsyncDatabase> {
    fn opened(&self, table: Arc<dyn AsyncStore>) -> Arc<dyn AsyncStore> {
        let unbounded = table.with_options(CallOptions::none());
        Arc::new(Faulty { fault: self.fault, inner: table, unbounded })
    }
}

impl AsyncDatabase for Faulty<dyn AsyncDatabase> {
    fn id(&self) -> DatabaseId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncDatabase> {
        Arc::new(Self { inner: self.inner.with_options(options), ..self.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    fn table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let opened = self.inner.table(name);
        Box::pin(async { Ok(self.opened(opened.await?)) })
    }

    fn open_table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let opened = self.inner.open_table(name);
        Box::pin(async { Ok(self.opened(opened.await?)) })
    }

    fn create_table(&self, name: &str, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let (name, new) = (name.to_owned(), new.clone());
        Box::pin(async move {
            if self.fault == Fault::CreatedTwice {
                if self.inner.open_table(&name).await.is_ok() {
                    return Err(Error::TableExists(name));
                }
                yield_now().await;
                return Ok(self.opened(self.inner.table(&name).await?));
            }
            Ok(self.opened(self.inner.create_table(&name, &new).await?))
        })
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        self.inner.tables()
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        self.inner.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> StoreFuture<'_, ()> {
        self.inner.write(batches)
    }
}

fn faulty(fault: Fault) -> Faulty<dyn AsyncDatabase> {
    let inner: Arc<dyn AsyncDatabase> = Arc::new(Unblock::in_place(Memory::new()));
    Faulty { fault, unbounded: inner.clone(), inner }
}

#[test]
fn each_fault_is_named_by_its_law() {
    let runtime = Runtime::new().unwrap();
    for (fault, law) in [
        (Fault::Eager, "unpolled"),
        (Fault::EmptyAtTheEnd, "ended"),
        (Fault::AfterTheError, "ended"),
        (Fault::OpenedLate, "snapshot"),
        (Fault::LongBatches, "batch-rows"),
        (Fault::Reentrant, "reentrant-write"),
        (Fault::Cancelled, "cancelled-write"),
        (Fault::HalfWritten, "dropped-write"),
        (Fault::CreatedTwice, "created-once"),
        (Fault::Boundless, "late-call"),
    ] {
        let handle = runtime.handle().clone();
        let suite = || async_database(|| faulty(fault), move |future| drop(handle.spawn(future)));
        assert_named(verdict(suite), law);
    }
}

/// Called from a task of the only thread of its runtime, or with futures that are dropped.
#[test]
#[should_panic(expected = "`spawn` ran no future")]
fn futures_that_nobody_runs() {
    async_database(|| Unblock::in_place(Memory::new()), |future: BoxFuture<'static, ()>| drop(future));
}
