//! The suite for authors of asynchronous engines.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::store::laws::{broken, done, equal, holds};
use crate::nonblocking::{
    AsyncDatabase, AsyncStore, AsyncWideDatabase, AsyncWideStore, Batches, Blocking, BoxFuture, StoreFuture,
};
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, CallOptions, Cancel, NewTable, RowBatch, Scan};
use crate::wide::{Columns, FamilySchema, Mutation, TableSchema};

/// Runs futures of the engine.
trait Spawn: Fn(BoxFuture<'static, ()>) + Send + Sync + 'static {}
impl<S: Fn(BoxFuture<'static, ()>) + Send + Sync + 'static> Spawn for S {}

/// Checks an asynchronous database, and the tables that it opens: the laws below, and then those of
/// [`database`](super::database), through [`Blocking`]. `make` returns a new empty database each time. `spawn` runs a
/// future to its end on the engine's runtime, in threads of its own, as for [`Blocking::on`].
///
/// It blocks the thread that calls it, so call it from a plain `#[test]`, and not from a task. `make` is called in
/// several threads, none of which is the runtime's: an engine that is connected by a future, or starts tasks, is made
/// in `handle.block_on(..)`.
///
/// ```
/// # use rowkey::Memory;
/// # use rowkey::nonblocking::{BoxFuture, Unblock};
/// let runtime = tokio::runtime::Runtime::new()?;
/// let handle = runtime.handle();
/// let connect = || handle.block_on(async { Unblock::new(Memory::new()) });
/// let spawned = handle.clone();
/// rowkey::conformance::async_database(connect, move |future| drop(spawned.spawn(future)));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// | law | what it says |
/// |---|---|
/// | `unpolled` | a call whose future is dropped before it is polled does nothing |
/// | `copied-arguments` | a future borrows the handle alone: its arguments can be dropped before it is polled |
/// | `at-once` | calls that one task polls at once all end: each increment counts, each row is there |
/// | `dropped-write` | a batch whose future is dropped while it runs is applied in full or not at all, if batches are atomic; the store stays usable |
/// | `dropped-scan` | a scan can be dropped after any batch; the store stays usable |
/// | `snapshot` | a scan of snapshots shows the table as it was when it was opened, not when it was first polled |
/// | `owned-scan` | a scan goes on when the handle that opened it is dropped |
/// | `open-scans` | scans that one task polls at once each have all rows |
/// | `batch-rows` | a batch has no more rows than were asked for |
/// | `created-once` | of calls at once that create one table, one does, and the others are told that it exists |
/// | `ended` | the end of a scan comes, which is `None` and not an empty batch; an error of a scan is its last item |
/// | `new-waker` | a call or a scan that was polled by one task ends when another task awaits it |
/// | `late-call` | a call with a cancelled token ends with `Cancelled`, one after its deadline with `DeadlineExceeded` |
/// | `cancelled-write` | a write that is cancelled while it runs ends with `Cancelled` only if it is never applied, else with `OutcomeUnknown` or in success |
/// | `reentrant-write` | a write that is first polled in a thread that has [entered](crate::store::DatabaseId::enter) the database is refused |
///
/// # Panics
///
/// If a law fails.
#[track_caller]
pub fn async_database<D: AsyncDatabase + 'static>(
    make: impl Fn() -> D,
    spawn: impl Fn(BoxFuture<'static, ()>) + Send + Sync + 'static,
) {
    let spawn = Arc::new(spawn);
    trial(&*spawn);
    let table = || -> Arc<dyn AsyncStore> {
        let db = make();
        run("one-table", &*spawn, async move { done("one-table", db.table("a").await) })
    };
    let law =
        |law: &'static str, laws: fn(Arc<dyn AsyncStore>) -> BoxFuture<'static, ()>| run(law, &*spawn, laws(table()));
    law("unpolled", |store| Box::pin(unpolled(store)));
    law("at-once", |store| Box::pin(at_once(store)));
    law("dropped-write", |store| Box::pin(dropped_writes(store)));
    law("dropped-scan", |store| Box::pin(scans(store)));
    law("new-waker", |store| Box::pin(new_wakers(store)));
    let db = make();
    run("created-once", &*spawn, async move { created_once(db).await });
    law("late-call", |store| Box::pin(late_calls(store)));
    law("cancelled-write", |store| Box::pin(cancelled_writes(store)));
    law("reentrant-write", |store| Box::pin(reentrant_writes(store)));
    super::database(|| {
        let spawn = Arc::clone(&spawn);
        Blocking::on(make(), move |future| spawn(future))
    });
}

/// Checks an asynchronous database of wide tables: the laws of [`async_database`] that are not about counters and
/// batches, and then those of [`wide_database`](super::wide_database), through [`Blocking`]. See there.
///
/// # Panics
///
/// If a law fails.
#[track_caller]
pub fn async_wide_database<D: AsyncWideDatabase + 'static>(
    make: impl Fn() -> D,
    spawn: impl Fn(BoxFuture<'static, ()>) + Send + Sync + 'static,
) {
    let spawn = Arc::new(spawn);
    trial(&*spawn);
    let db = make();
    run("dropped-scan", &*spawn, async move {
        let schema = TableSchema::new().family("f", FamilySchema::new());
        wide(done("one-table", db.table("a", &schema).await)).await;
    });
    super::wide_database(|| {
        let spawn = Arc::clone(&spawn);
        Blocking::on(make(), move |future| spawn(future))
    });
}

/// Timeout of the futures of a law together.
const PATIENCE: Duration = Duration::from_secs(120);
/// Timeout of a future that does nothing.
const TRIAL: Duration = Duration::from_secs(20);

/// Runs a future where the engine's futures run, and returns its result. Its panic becomes one of this thread, which
/// the test reports.
#[track_caller]
fn run<T: Send + 'static>(law: &str, spawn: &impl Spawn, future: impl Future<Output = T> + Send + 'static) -> T {
    let (tell, told) = sync_channel(1);
    let mut future = Box::pin(future);
    spawn(Box::pin(async move {
        let caught = poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        });
        let _ = tell.try_send(caught.await);
    }));
    match told.recv_timeout(PATIENCE) {
        Ok(Ok(output)) => output,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(RecvTimeoutError::Timeout) => broken(law, format_args!("its future has not ended after {PATIENCE:?}")),
        Err(RecvTimeoutError::Disconnected) => broken(law, "its future was dropped"),
    }
}

/// Checks that futures are run at all.
#[track_caller]
fn trial(spawn: &impl Spawn) {
    let (tell, told) = sync_channel(1);
    spawn(Box::pin(async move {
        let _ = tell.try_send(());
    }));
    if told.recv_timeout(TRIAL).is_err() {
        panic!(
            "`spawn` ran no future within {TRIAL:?}: the suite is called from a task of its runtime, or no thread runs that"
        );
    }
}

/// Polls futures until all have ended.
async fn all<T>(mut futures: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

/// Polls a future once, and drops it.
async fn polled_once<T>(mut future: StoreFuture<'_, T>) {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await;
}

/// The next batch that has rows.
async fn next(batches: &mut Batches) -> Option<Result<RowBatch, Error>> {
    const EMPTY: u32 = 10_000;
    for _ in 0..EMPTY {
        match poll_fn(|context| batches.as_mut().poll_next(context)).await {
            Some(Ok(batch)) if batch.is_empty() => {}
            yielded => return yielded,
        }
    }
    broken("ended", format_args!("{EMPTY} empty batches, one after the other: a stream ends with `None`"))
}

/// The keys that are left of a scan.
async fn keys(law: &str, batches: &mut Batches) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    while let Some(batch) = next(batches).await {
        keys.extend(done(law, batch).iter().map(|(key, _)| key.to_vec()));
    }
    keys
}

fn key(n: u8) -> Vec<u8> {
    vec![b'k', n]
}

async fn unpolled(store: Arc<dyn AsyncStore>) {
    drop(store.write(Batch::new().put("k", "v")));
    drop(store.compare_and_write(b"k", None, Some(b"v")));
    drop(store.increment(b"k", 1));
    let get = {
        let key = b"k".to_vec();
        store.get(&key)
    };
    equal("unpolled", "a row that unpolled futures would write", done("unpolled", get.await), None);
    let write = {
        let batch = std::mem::take(Batch::new().put("k", "v"));
        store.write(&batch)
    };
    done("copied-arguments", write.await);
    drop(store.delete_ranges(&[crate::KeyRange::all()]));
    let row = done("unpolled", store.get(b"k").await);
    equal("copied-arguments", "a row that was written", row, Some(b"v".to_vec()));
}

async fn at_once(store: Arc<dyn AsyncStore>) {
    let law = "at-once";
    let writes = (0..50).map(|n| store.write(Batch::new().put(key(n), [n])));
    all(writes.collect()).await.into_iter().for_each(|written| done(law, written));
    let gets: Vec<StoreFuture<'_, _>> = (0..50).map(|n| store.get(&key(n))).collect();
    for (n, row) in (0..50).zip(all(gets).await) {
        equal(law, "a row that was written", done(law, row), Some(vec![n]));
    }
    if store.guarantees().increment {
        let sums = all((0..50).map(|_| store.increment(b"counter", 1)).collect()).await;
        let mut sums: Vec<_> = sums.into_iter().map(|sum| done(law, sum)).collect();
        sums.sort_unstable();
        equal(law, "the sums", sums, (1..=50).collect::<Vec<i64>>());
    }
}

async fn dropped_writes(store: Arc<dyn AsyncStore>) {
    let law = "dropped-write";
    let whole = store.guarantees().batch != Atomicity::Row;
    let batch = |value: u8| {
        let mut batch = Batch::new();
        (0..30).for_each(|n| _ = batch.put(key(n), [value]));
        batch
    };
    // A part of a later batch is seen beside it.
    done(law, store.write(&batch(u8::MAX)).await);
    for round in 0..20_u8 {
        polled_once(store.write(&batch(round))).await;
        // It may be applied later, so the read is one that reads all rows at one time.
        if whole && store.guarantees().snapshot_scans {
            let mut seen: Vec<_> = Vec::new();
            let mut batches = store.scan(&Scan::all());
            while let Some(rows) = next(&mut batches).await {
                seen.extend(done(law, rows).iter().map(|(_, value)| value.to_vec()));
            }
            seen.dedup();
            holds(law, seen.len() <= 1, format_args!("a part of a batch was applied: rows have the values {seen:?}"));
        }
    }
    done(law, store.write(Batch::new().put("after", "v")).await);
    equal(law, "a row that was written after it", done(law, store.get(b"after").await), Some(b"v".to_vec()));
}

async fn scans(store: Arc<dyn AsyncStore>) {
    let law = "dropped-scan";
    let due: Vec<_> = (0..40).map(key).collect();
    let mut batch = Batch::new();
    for key in &due {
        batch.put(key.clone(), "v");
    }
    done(law, store.write(&batch).await);
    for reverse in [false, true] {
        let scan = Scan::all().batch_rows(3).reverse(reverse);
        for read in 0..6 {
            let mut dropped = store.scan(&scan);
            for _ in 0..read {
                let rows = next(&mut dropped).await.map_or(0, |batch| done(law, batch).len());
                holds("ended", rows > 0, "a scan ends before its rows do");
                holds("batch-rows", rows <= 3, format_args!("a batch has {rows} rows, and 3 were asked for"));
            }
            // While the next batch is on its way, too.
            poll_fn(|context| Poll::Ready(dropped.as_mut().poll_next(context).is_ready())).await;
        }
        let mut open: Vec<_> = (0..8).map(|_| store.scan(&scan)).collect();
        let reads = open.iter_mut().map(|scan| Box::pin(keys("open-scans", scan)) as BoxFuture<'_, _>).collect();
        let mut due = due.clone();
        if reverse {
            due.reverse();
        }
        for seen in all(reads).await {
            equal("open-scans", "the keys of a scan beside others", seen, due.clone());
        }
    }
    if store.guarantees().snapshot_scans {
        let mut rows = store.scan(&Scan::all());
        done(law, store.write(Batch::new().put("later", "v")).await);
        let seen = keys("snapshot", &mut rows).await;
        equal("snapshot", "the keys of a scan that was opened before a write, and polled after it", seen, due.clone());
        done(law, store.write(Batch::new().delete("later")).await);
    }
    let mut rows = store.scan(&Scan::all().batch_rows(7));
    drop(store);
    equal("owned-scan", "the keys of a scan without its handle", keys("owned-scan", &mut rows).await, due);
}

async fn created_once<D: AsyncDatabase>(db: D) {
    let new = NewTable::new();
    let created = all((0..4).map(|_| db.create_table("once", &new)).collect()).await;
    let (made, refused): (Vec<_>, Vec<_>) = created.into_iter().partition(Result::is_ok);
    let exists = refused.iter().all(|refused| matches!(refused, Err(Error::TableExists(_))));
    let (made, refused) = (made.len(), refused.len());
    let found = format!("of 4 calls at once {made} created the table, and {refused} were refused");
    holds("created-once", made == 1 && exists, found);
}

async fn new_wakers(store: Arc<dyn AsyncStore>) {
    let law = "new-waker";
    let first = |poll: &mut dyn FnMut(&mut Context<'_>) -> bool| poll(&mut Context::from_waker(Waker::noop()));
    for n in 0..20 {
        let batch = std::mem::take(Batch::new().put(key(n), "v"));
        let mut write = store.write(&batch);
        let mut written = None;
        first(&mut |context| match write.as_mut().poll(context) {
            Poll::Ready(ready) => written.insert(ready).is_ok(),
            Poll::Pending => false,
        });
        match written {
            Some(written) => done(law, written),
            None => done(law, write.await),
        }
        let mut rows = store.scan(&Scan::all().batch_rows(1));
        let mut seen = 0;
        first(&mut |context| match rows.as_mut().poll_next(context) {
            Poll::Ready(Some(batch)) => {
                seen += done(law, batch).len();
                true
            }
            _ => false,
        });
        seen += keys(law, &mut rows).await.len();
        equal(law, "the number of rows", seen, usize::from(n) + 1);
    }
}

async fn late_calls(store: Arc<dyn AsyncStore>) {
    let law = "late-call";
    let cancel = Cancel::new();
    cancel.cancel();
    let is_cancelled: fn(&Error) -> bool = |error| matches!(error, Error::Cancelled { .. });
    let is_late: fn(&Error) -> bool = |error| matches!(error, Error::DeadlineExceeded { .. });
    let late = CallOptions::new().deadline(std::time::Instant::now());
    for (options, why) in [(CallOptions::new().cancel(&cancel), is_cancelled), (late, is_late)] {
        let handle = store.with_options(&options);
        let mut errors = vec![handle.get(b"k").await.err(), handle.write(Batch::new().put("k", "v")).await.err()];
        let mut rows = handle.scan(&Scan::all());
        errors.push(next(&mut rows).await.and_then(Result::err));
        for error in errors {
            holds(law, error.as_ref().is_some_and(why), format_args!("it ended otherwise: {error:?}"));
        }
        holds("ended", next(&mut rows).await.is_none(), "an item comes after the error of a scan");
        equal(law, "what a refused call wrote", done(law, store.get(b"k").await), None);
    }
}

/// Checks that no write that ends with `Cancelled` was applied. Some end before the token is seen; of others the engine
/// knows.
async fn cancelled_writes(store: Arc<dyn AsyncStore>) {
    let law = "cancelled-write";
    let mut unwritten = Vec::new();
    for n in 0..100 {
        let cancel = Cancel::new();
        let handle = store.with_options(&CallOptions::new().cancel(&cancel));
        let batch = std::mem::take(Batch::new().put(key(n), "v"));
        let mut write = handle.write(&batch);
        let polled = poll_fn(|context| Poll::Ready(write.as_mut().poll(context))).await;
        cancel.cancel();
        let written = match polled {
            Poll::Ready(written) => written,
            Poll::Pending => write.await,
        };
        match written {
            Ok(()) => equal(law, "a row that was written", done(law, store.get(&key(n)).await), Some(b"v".to_vec())),
            Err(Error::Cancelled { .. }) => unwritten.push(key(n)),
            Err(Error::OutcomeUnknown { .. }) => {}
            Err(other) => broken(law, format_args!("it ended otherwise: {other}")),
        }
    }
    // Writes that were sent have arrived by now.
    done(law, store.write(Batch::new().put("after", "v")).await);
    for key in unwritten {
        equal(law, "a row of a write that ended with `Cancelled`", done(law, store.get(&key).await), None);
    }
}

async fn reentrant_writes(store: Arc<dyn AsyncStore>) {
    let law = "reentrant-write";
    let batch = std::mem::take(Batch::new().put("k", "v"));
    let mut write = store.write(&batch);
    let polled = poll_fn(|context| {
        let _entered = store.id().database().enter();
        Poll::Ready(write.as_mut().poll(context))
    });
    let written = match polled.await {
        Poll::Ready(written) => written,
        Poll::Pending => write.await,
    };
    let refused = matches!(written, Err(Error::Reentrant { .. }));
    holds(law, refused, format_args!("it was not refused: {written:?}"));
    equal(law, "a row that was not written", done(law, store.get(b"k").await), None);
}

async fn wide(store: Arc<dyn AsyncWideStore>) {
    let (law, columns) = ("dropped-scan", Columns::all());
    drop(store.mutate(b"k", &Mutation::new().put("f:q", "v")));
    let row = done("unpolled", store.get(b"k", &columns).await);
    holds("unpolled", row.is_empty(), "a future that was not polled has written");
    let due: Vec<_> = (0..20).map(key).collect();
    let rows: Vec<_> = due.iter().map(|key| (key.clone(), Mutation::new().put("f:q", "v"))).collect();
    polled_once(store.mutate_many(&rows)).await;
    done("dropped-write", store.mutate_many(&rows).await);
    let gets: Vec<StoreFuture<'_, _>> = due.iter().map(|key| store.get(key, &columns)).collect();
    for row in all(gets).await {
        equal(
            "at-once",
            "a cell that was written",
            done("at-once", row).value("f:q").map(<[u8]>::to_vec),
            Some(b"v".to_vec()),
        );
    }
    for read in 0..4 {
        let mut dropped = store.scan(&Scan::all().batch_rows(3), &columns);
        for _ in 0..read {
            holds(
                "ended",
                next(&mut dropped).await.map(|batch| done(law, batch)).is_some(),
                "a scan ends before its rows do",
            );
        }
    }
    let mut open: Vec<_> = (0..4).map(|_| store.scan(&Scan::all().batch_rows(3), &columns)).collect();
    let reads = open.iter_mut().map(|scan| Box::pin(keys("open-scans", scan)) as BoxFuture<'_, _>).collect();
    for seen in all(reads).await {
        equal("open-scans", "the row keys of a scan beside others", seen, due.clone());
    }
    let mut rows = store.scan(&Scan::all(), &columns);
    drop(store);
    equal("owned-scan", "the row keys of a scan without its handle", keys("owned-scan", &mut rows).await, due);
}
