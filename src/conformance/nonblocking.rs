//! The suite for authors of asynchronous engines.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::store::laws::{broken, done, equal, holds};
use crate::nonblocking::{
    Answer, AsyncDatabase, AsyncStore, AsyncWideDatabase, AsyncWideStore, Batches, Blocking, BoxFuture,
};
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, CallOptions, Cancel, RowBatch, Scan};
use crate::wide::{Columns, FamilySchema, Mutation, TableSchema};

/// Runs futures of the engine.
trait Spawn: Fn(BoxFuture<'static, ()>) + Send + Sync + 'static {}
impl<S: Fn(BoxFuture<'static, ()>) + Send + Sync + 'static> Spawn for S {}

/// Checks an asynchronous database, and the tables that it opens: the laws of [`database`](super::database), through
/// [`Blocking`], and those below. `make` returns a new empty database each time. `spawn` runs a future to its end on
/// the engine's runtime, in threads of its own, as for [`Blocking::on`].
///
/// ```
/// # use rowkey::Memory;
/// # use rowkey::nonblocking::{BoxFuture, Unblock};
/// let runtime = tokio::runtime::Runtime::new()?;
/// let handle = runtime.handle().clone();
/// rowkey::conformance::async_database(|| Unblock::new(Memory::new()), move |future| drop(handle.spawn(future)));
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
/// | `owned-scan` | a scan goes on when the handle that opened it is dropped |
/// | `open-scans` | scans that one task polls at once each have all rows |
/// | `ended` | the end of a scan comes, and an error of a scan is its last item |
/// | `new-waker` | a call or a scan that was polled by one task ends when another task awaits it |
/// | `late-call` | a call with a cancelled token ends with `Cancelled`, one after its deadline with `DeadlineExceeded` |
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
    let of_blocking = Arc::clone(&spawn);
    super::database(|| {
        let spawn = Arc::clone(&of_blocking);
        Blocking::on(make(), move |future| spawn(future))
    });
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
    law("late-call", |store| Box::pin(late_calls(store)));
}

/// Checks an asynchronous database of wide tables: the laws of [`wide_database`](super::wide_database), through
/// [`Blocking`], and those of [`async_database`] that are not about counters and batches. See there.
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
    let of_blocking = Arc::clone(&spawn);
    super::wide_database(|| {
        let spawn = Arc::clone(&of_blocking);
        Blocking::on(make(), move |future| spawn(future))
    });
    let db = make();
    run("dropped-scan", &*spawn, async move {
        let schema = TableSchema::new().family("f", FamilySchema::new());
        wide(done("one-table", db.table("a", &schema).await)).await;
    });
}

/// How long the futures of a law may take together.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a future returned that was run where the engine's futures run.
#[track_caller]
fn run<T: Send + 'static>(law: &str, spawn: &impl Spawn, future: impl Future<Output = T> + Send + 'static) -> T {
    let (tell, told) = sync_channel(1);
    spawn(Box::pin(async move {
        let _ = tell.try_send(future.await);
    }));
    told.recv_timeout(PATIENCE).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => broken(law, format_args!("its future has not ended after {PATIENCE:?}")),
        RecvTimeoutError::Disconnected => broken(law, "its future panicked or was dropped: see above"),
    })
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
async fn polled_once<T>(mut future: Answer<'_, T>) {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await;
}

async fn next(batches: &mut Batches) -> Option<Result<RowBatch, Error>> {
    poll_fn(|context| batches.as_mut().poll_next(context)).await
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
    let gets: Vec<Answer<'_, _>> = (0..50).map(|n| store.get(&key(n))).collect();
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
    for round in 0..20_u8 {
        let mut batch = Batch::new();
        for n in 0..30 {
            batch.put(key(n), [round]);
        }
        polled_once(store.write(&batch)).await;
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
                let batch = next(&mut dropped).await.map(|batch| done(law, batch));
                holds("ended", batch.is_some_and(|batch| !batch.is_empty()), "a scan ends before its rows do");
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
    let mut rows = store.scan(&Scan::all().batch_rows(7));
    drop(store);
    equal("owned-scan", "the keys of a scan without its handle", keys("owned-scan", &mut rows).await, due);
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
        holds("ended", next(&mut rows).await.is_none(), "an item comes after the error of a scan");
        for error in errors {
            holds(law, error.as_ref().is_some_and(why), format_args!("it ended otherwise: {error:?}"));
        }
        equal(law, "what a refused call wrote", done(law, store.get(b"k").await), None);
    }
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
    let gets: Vec<Answer<'_, _>> = due.iter().map(|key| store.get(key, &columns)).collect();
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
