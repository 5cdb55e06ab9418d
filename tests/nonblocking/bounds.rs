//! What becomes of calls and scans that are late, cancelled, dropped, or whose runtime stops.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_lite::future::{block_on, poll_once};
use rowkey::nonblocking::{
    AsyncDatabase, AsyncStore, AsyncTable, AsyncWideTable, Batches, Blocking, BoxFuture, StoreFuture, Unblock,
};
use rowkey::store::{Batch, CallOptions, Cancel, Database, Guarantees, Readable, RowBatch, Scan, TableId};
use rowkey::wide::{CellsDatabase, FamilySchema, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange, Memory, RowKey, Table};
use rowkey_testkit::{Cue, Cued, Fate, Op, Slow, over_a_line};
use tokio::runtime::{Builder, Runtime};

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 4))]
struct Event {
    at: u32,
}

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);
const SOON: Duration = Duration::from_millis(20);

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Operations of an engine stand before a gate while it is shut.
#[derive(Clone)]
struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    is_shut: bool,
    standing: u32,
}

impl Gate {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn set(&self, is_shut: bool) {
        self.0.0.lock().unwrap().is_shut = is_shut;
        self.0.1.notify_all();
    }

    fn standing(&self) -> u32 {
        self.0.0.lock().unwrap().standing
    }

    /// Waits until so many operations stand before it.
    fn wait_for(&self, standing: u32) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |state| state.standing < standing).unwrap());
    }
}

impl Cue for Gate {
    fn before(&self, _: Op) -> Fate {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.standing += 1;
        self.0.1.notify_all();
        let mut state = self.0.1.wait_while(state, |state| state.is_shut).unwrap();
        state.standing -= 1;
        Fate::Done
    }
}

/// A table of an engine that stands still while its gate is shut, whatever its bounds.
fn gated() -> (Gate, Memory, Arc<dyn AsyncStore>) {
    let (gate, memory) = (Gate::new(), Memory::new());
    let db = Unblock::new(Cued::over(Arc::new(memory.clone()) as Arc<dyn Database>, gate.clone()));
    let table = block_on(AsyncDatabase::table(&db, "t")).unwrap();
    (gate, memory, table)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn calls_of_an_engine_that_stands_still_end_in_time() {
    let (gate, memory, table) = gated();
    gate.set(true);
    let begun = Instant::now();
    let timed = table.with_options(&CallOptions::new().timeout(SOON));
    assert_eq!(kind(block_on(timed.get(b"k"))), Some(ErrorKind::DeadlineExceeded));
    assert_eq!(kind(block_on(timed.get_many(&[b"k"]))), Some(ErrorKind::DeadlineExceeded));
    let mut scan = timed.scan(&Scan::all());
    let next = block_on(futures_lite::StreamExt::next(&mut scan));
    assert_eq!(kind(next.unwrap()), Some(ErrorKind::DeadlineExceeded));
    assert!(block_on(futures_lite::StreamExt::next(&mut scan)).is_none());
    // It has begun, and its engine says nothing. On a busy machine it may be over before it begins.
    let write = |time: Duration| {
        let timed = table.with_options(&CallOptions::new().timeout(time));
        block_on(timed.write(Batch::new().put("k", "v"))).unwrap_err()
    };
    let errors = (0..).map(|attempt| write(SOON * (1 << attempt)));
    let unknown = errors.into_iter().find(|error| error.kind() != ErrorKind::DeadlineExceeded).unwrap();
    assert!(
        matches!(&unknown, Error::OutcomeUnknown { table, source } if table == "t" && source.kind() == ErrorKind::DeadlineExceeded)
    );
    assert!(begun.elapsed() < LONG);

    let cancel = Cancel::new();
    let cancelled = table.with_options(&CallOptions::new().cancel(&cancel).timeout(LONG));
    std::thread::scope(|scope| {
        let standing = gate.standing();
        let get = scope.spawn(|| block_on(cancelled.get(b"k")));
        gate.wait_for(standing + 1);
        cancel.cancel();
        assert_eq!(kind(get.join().unwrap()), Some(ErrorKind::Cancelled));
    });
    gate.set(false);
    block_on(timed.with_options(CallOptions::none()).write(Batch::new().put("k", "w"))).unwrap();
    assert_eq!(memory.table("t").unwrap().get(b"k").unwrap().as_deref(), Some(&b"w"[..]));
}

#[test]
fn one_deadline_is_that_of_the_whole_operation() {
    // Each attempt of the update fails, as the closure itself writes in between.
    let db = Memory::new();
    let beside: Table<u8, u64, _> = Table::open(&db, "t").unwrap();
    block_on(async {
        let table: AsyncTable<u8, u64, _> = AsyncTable::open(Unblock::new(db.clone()), "t").await.unwrap();
        let timed = table.with_options(&CallOptions::new().timeout(SOON));
        let mut attempts = 0;
        let late = timed.update(&1, |value| {
            attempts += 1;
            std::thread::scope(|scope| scope.spawn(|| beside.put(&1, &attempts).unwrap()).join().unwrap());
            value.or(Some(0))
        });
        assert_eq!(kind(late.await), Some(ErrorKind::DeadlineExceeded));
    });
    // Opening a table is a dozen calls, one of which stands still.
    let gate = Gate::new();
    gate.set(true);
    let still = Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, gate.clone());
    let timed = AsyncDatabase::with_options(&Unblock::new(still), &CallOptions::new().timeout(SOON));
    let opened = block_on(AsyncTable::<u8, u64, _>::open(&*timed, "t"));
    gate.set(false);
    assert!(matches!(opened.unwrap_err().kind(), ErrorKind::DeadlineExceeded | ErrorKind::OutcomeUnknown));
}

#[test]
fn an_opening_that_is_dropped_ends() {
    let gate = Gate::new();
    gate.set(true);
    let still = Unblock::new(Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, gate.clone()));
    let mut opening = Box::pin(AsyncTable::<u8, u64, _>::open(still, "t"));
    block_on(async {
        while poll_once(&mut opening).await.is_none() && gate.0.0.lock().unwrap().standing == 0 {
            futures_lite::future::yield_now().await;
        }
    });
    drop(opening);
    gate.set(false);
}

#[test]
fn a_write_inside_an_updates_closure_is_refused() {
    block_on(async {
        let db = Unblock::new(Memory::new());
        let table: AsyncTable<u8, u64, _> = AsyncTable::open(db, "t").await.unwrap();
        let mut inner = None;
        let updated = table.update(&1, |_| {
            inner = Some(block_on(table.put(&1, &7)));
            // What exists can be read and opened, by any way.
            assert_eq!(block_on(table.get(&1)).unwrap(), None);
            block_on(AsyncTable::<u8, u64, _>::open_existing(table.database(), "t")).unwrap();
            block_on(AsyncDatabase::table(table.database(), "t")).unwrap();
            let absent = block_on(AsyncDatabase::table(table.database(), "absent"));
            assert!(matches!(absent.err(), Some(Error::Reentrant { .. })));
            let run = table.database().run(|db| db.table("t")?.write(Batch::new().put("k", "v")));
            assert!(matches!(block_on(run), Err(Error::Reentrant { .. })));
            Some(1)
        });
        assert_eq!(updated.await.unwrap(), Some(1));
        assert!(matches!(inner, Some(Err(Error::Reentrant { .. }))));
        block_on(table.put(&1, &8)).unwrap();
    });
    let table: Table<u8, u64, _> = Table::open(over_a_line(1), "t").unwrap();
    let updated = table.update(&1, |_| {
        assert!(matches!(table.put(&1, &7), Err(Error::Reentrant { .. })));
        assert_eq!(table.get(&1).unwrap(), None);
        Some(1)
    });
    assert_eq!(updated.unwrap(), Some(1));
}

#[test]
fn a_scan_that_is_dropped_ends_on_the_server() {
    let server = Memory::new();
    let table: Table<Event, u32, _> = Table::open(&server, "t").unwrap();
    (0..500).for_each(|at| table.put(&Event { at }, &at).unwrap());
    let engine = Slow::new(server, 1);
    current_thread().block_on(async {
        let table: AsyncTable<Event, u32, _> = AsyncTable::open(engine.clone(), "t").await.unwrap();
        for rows in [0, 1, 30] {
            let mut scan = table.scan(..).batch_rows(5);
            for at in 0..rows {
                assert_eq!(scan.next().await.unwrap().unwrap().1, at);
            }
            assert_eq!(engine.open_scans(), if rows == 0 { 0 } else { 4 });
            drop(scan);
            assert_eq!(engine.open_scans(), 0);
        }
        // At its end, before it is dropped.
        let mut scan = table.scan(..).limit(3);
        while scan.next().await.is_some() {}
        assert_eq!(engine.open_scans(), 0);
    });
    let blocking = Blocking::new(engine.clone()).unwrap();
    let table: Table<Event, u32, _> = Table::open(&blocking, "t").unwrap();
    let mut scan = table.scan(..).batch_rows(5);
    assert_eq!(scan.next().unwrap().unwrap().1, 0);
    drop(scan);
    while engine.open_scans() > 0 {
        std::thread::yield_now();
    }
}

/// Counts the batches that are asked for, and fails one of them.
#[derive(Clone)]
struct Batched {
    asked: Arc<AtomicU32>,
    fails: u32,
}

impl Cue for Batched {
    fn before(&self, op: Op) -> Fate {
        let is_failed = op == Op::Rows && self.asked.fetch_add(1, Ordering::Relaxed) == self.fails;
        if is_failed { Fate::Fails } else { Fate::Done }
    }
}

#[test]
fn a_stream_of_the_pool_reads_no_more_ahead_than_a_batch_may_have() {
    const ROWS: u32 = 300;
    let memory = Memory::new();
    let table = memory.table("t").unwrap();
    (0..ROWS).for_each(|n| table.write(Batch::new().put(n.to_be_bytes(), [7; 996])).unwrap());
    for fails in [0, 1, 9, 150, u32::MAX] {
        let cue = Batched { asked: Arc::default(), fails };
        let db = Unblock::new(Cued::over(Arc::new(memory.clone()) as Arc<dyn Database>, cue.clone()));
        let table = block_on(AsyncDatabase::table(&db, "t")).unwrap();
        let mut scan = table.scan(&Scan::all().batch_rows(1).batch_bytes(10_000));
        let mut returned = 0;
        let end = block_on(async {
            loop {
                match futures_lite::StreamExt::next(&mut scan).await {
                    Some(Ok(batch)) => returned += batch.len() as u32,
                    end => break end,
                }
                // What the last job read, and what the running one does.
                assert!(cue.asked.load(Ordering::Relaxed) <= returned + 9 + 10);
            }
        });
        assert_eq!(returned, fails.min(ROWS), "rows come before an error");
        assert_eq!(end.is_some(), fails < ROWS);
        assert!(block_on(futures_lite::StreamExt::next(&mut scan)).is_none());
    }
}

#[test]
fn a_scan_outlives_the_last_handle_of_its_engine() {
    let mut rows = {
        let db = Blocking::new(Unblock::new(Memory::new())).unwrap();
        let table = Database::table(&db, "t").unwrap();
        for n in 0..100_u8 {
            table.write(Batch::new().put([n], "v")).unwrap();
        }
        table.scan(&Scan::all().batch_rows(7))
    };
    let (mut batch, mut seen) = (RowBatch::new(), 0);
    loop {
        rows.next_batch(&mut batch).unwrap();
        match batch.len() {
            0 => break,
            more => seen += more,
        }
    }
    assert_eq!(seen, 100);
}

#[test]
fn a_stream_that_is_always_ready_lets_other_tasks_go_on() {
    let db = Memory::new();
    let table: Table<Event, u32, _> = Table::open(&db, "t").unwrap();
    table.bulk_load().run((0..20_000).map(|at| Ok((Event { at }, at)))).unwrap();
    for engine in [Unblock::in_place(db.clone()), Unblock::new(db.clone())] {
        let turns = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&turns);
        current_thread().block_on(async {
            let task = tokio::spawn(async move {
                loop {
                    other.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                }
            });
            let table: AsyncTable<Event, u32, _> = AsyncTable::open(engine, "t").await.unwrap();
            let mut rows = table.scan(..);
            let (mut last, mut longest, mut since) = (0, 0, 0);
            while let Some(row) = rows.next().await {
                row.unwrap();
                let now = turns.load(Ordering::Relaxed);
                since = if now > last { 0 } else { since + 1 };
                (last, longest) = (now, longest.max(since));
            }
            assert!(longest <= 256, "{longest} rows without a turn of the other task");
            task.abort();
        });
    }
}

/// A store whose scans yield empty batches without end.
struct Empty(Arc<dyn AsyncStore>);

impl AsyncStore for Empty {
    fn id(&self) -> &TableId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore> {
        Arc::new(Self(self.0.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        self.0.guarantees()
    }

    fn get(&self, key: &[u8]) -> StoreFuture<'_, Option<Vec<u8>>> {
        self.0.get(key)
    }

    fn get_many(&self, keys: &[&[u8]]) -> StoreFuture<'_, Vec<Option<Vec<u8>>>> {
        self.0.get_many(keys)
    }

    fn scan(&self, _: &Scan) -> Batches {
        Box::pin(futures_lite::stream::repeat_with(|| Ok(RowBatch::new())))
    }

    fn write(&self, batch: &Batch) -> StoreFuture<'_, ()> {
        self.0.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64> {
        self.0.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> StoreFuture<'_, bool> {
        self.0.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> StoreFuture<'_, ()> {
        self.0.delete_ranges(ranges)
    }
}

#[test]
fn empty_batches_without_end_hold_no_thread() {
    let engine = Empty(block_on(AsyncDatabase::table(&Unblock::new(Memory::new()), "t")).unwrap());
    let store = Blocking::new(engine).unwrap();
    // More than the runtime has threads.
    let _scans: Vec<_> = (0..4).map(|_| Readable::scan(&store, &Scan::all())).collect();
    assert_eq!(store.get(b"k").unwrap(), None);
}

#[test]
fn synchronous_code_runs_inside_any_runtime() {
    let inside = || {
        let table: Table<Event, u32, _> = Table::open(over_a_line(1), "t").unwrap();
        (0..50).for_each(|at| table.put(&Event { at }, &at).unwrap());
        let rows: Vec<u32> = table.scan(..).map(|row| row.unwrap().1).collect();
        assert!(rows.into_iter().eq(0..50));
        let db = Blocking::connect(async { Ok(Slow::new(Memory::new(), 2)) }).unwrap();
        Table::<u8, u8, _>::open(db, "t").unwrap().put(&1, &1).unwrap();
        // The last handles are dropped here, and their runtimes with them.
    };
    inside();
    current_thread().block_on(async { inside() });
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async { inside() });
    runtime.block_on(async { tokio::spawn(async move { inside() }).await.unwrap() });
    block_on(async { inside() });
}

#[test]
fn a_runtime_that_stops_leaves_errors() {
    let runtime = Runtime::new().unwrap();
    let handle = runtime.handle().clone();
    let gate = Gate::new();
    let engine = Unblock::new(Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, gate.clone()));
    let db = Blocking::on(engine, move |future: BoxFuture<'static, ()>| drop(handle.spawn(future)));
    let table = Database::table(&db, "t").unwrap();
    table.write(Batch::new().put("a", "1").put("b", "2")).unwrap();
    gate.set(true);
    std::thread::scope(|scope| {
        let get = scope.spawn(|| table.get(b"a"));
        let write = scope.spawn(|| table.write(Batch::new().put("a", "3")));
        let scan = scope.spawn(|| table.scan(&Scan::all()).next_batch(&mut Default::default()));
        gate.wait_for(3);
        runtime.shutdown_background();
        assert_eq!(kind(get.join().unwrap()), Some(ErrorKind::Other));
        assert_eq!(kind(write.join().unwrap()), Some(ErrorKind::OutcomeUnknown));
        assert_eq!(kind(scan.join().unwrap()), Some(ErrorKind::Other));
    });
    gate.set(false);
    assert_eq!(kind(table.get(b"a")), Some(ErrorKind::Other));
    assert_eq!(kind(table.scan(&Scan::all()).next_batch(&mut Default::default())), Some(ErrorKind::Other));
}

/// A call that its own thread keeps from running ends at its bounds all the same.
#[test]
fn a_task_of_the_engines_own_runtime_waits_no_longer_than_it_may() {
    let runtime = current_thread();
    let handle = runtime.handle().clone();
    let spawn = move |future: BoxFuture<'static, ()>| drop(handle.spawn(future));
    let opened = {
        let db = Blocking::on(Unblock::new(Memory::new()), spawn);
        let opening = std::thread::spawn(move || (Database::table(&db, "t").unwrap(), db));
        while !opening.is_finished() {
            runtime.block_on(tokio::task::yield_now());
        }
        opening.join().unwrap()
    };
    let (table, db) = opened;
    let table = table.with_options(&CallOptions::new().timeout(SOON));
    let db = db.with_options(&CallOptions::new().timeout(SOON));
    runtime.block_on(async {
        assert_eq!(kind(table.get(b"a")), Some(ErrorKind::DeadlineExceeded));
        assert_eq!(kind(db.tables()), Some(ErrorKind::DeadlineExceeded));
        assert_eq!(kind(db.create_table("u", &Default::default())), Some(ErrorKind::OutcomeUnknown));
        let mut scan = table.scan(&Scan::all());
        assert_eq!(kind(scan.next_batch(&mut Default::default())), Some(ErrorKind::DeadlineExceeded));
        let mut batch = RowBatch::default();
        scan.next_batch(&mut batch).unwrap();
        assert_eq!(batch.len(), 0, "a scan has ended after its error");
        let cancel = Cancel::new();
        let table = table.with_options(&CallOptions::new().cancel(&cancel));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(SOON);
                cancel.cancel();
            });
            assert_eq!(kind(table.get(b"a")), Some(ErrorKind::Cancelled));
        });
    });
    // A write is carried out as soon as the thread is free: within its own timeout, which begins then.
    let mut timeouts = (0..).map(|attempt| SOON * (1 << attempt));
    let is_written = |timeout| {
        let timed = table.with_options(&CallOptions::new().timeout(timeout));
        runtime.block_on(async {
            assert_eq!(kind(timed.write(Batch::new().put("a", "1"))), Some(ErrorKind::OutcomeUnknown));
        });
        let table = table.with_options(CallOptions::none());
        let reading = std::thread::spawn(move || table.get(b"a").unwrap().is_some());
        while !reading.is_finished() {
            runtime.block_on(tokio::task::yield_now());
        }
        reading.join().unwrap()
    };
    assert!(timeouts.any(is_written));
}

/// An engine that panics at its gate.
#[derive(Clone)]
struct Panics(Arc<Mutex<bool>>);

impl Cue for Panics {
    fn before(&self, _: Op) -> Fate {
        let panics = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(!panics, "of the engine");
        Fate::Done
    }
}

#[test]
fn a_panic_of_the_engine_is_an_error() {
    let panics = Panics(Arc::default());
    let engine = Unblock::new(Cued::over(Arc::new(Memory::new()) as Arc<dyn Database>, panics.clone()));
    let table = block_on(AsyncDatabase::table(&engine, "t")).unwrap();
    let rows: Arc<dyn rowkey::store::Store> = Database::table(&Blocking::new(engine).unwrap(), "t").unwrap();
    *panics.0.lock().unwrap() = true;
    let told = |error: Option<Error>| assert!(error.unwrap().to_string().contains("panicked: of the engine"));
    told(block_on(table.get(b"a")).err());
    told(block_on(table.write(Batch::new().put("a", "1"))).err());
    told(block_on(futures_lite::StreamExt::next(&mut table.scan(&Scan::all()))).unwrap().err());
    told(rows.get(b"a").err());
    told(rows.scan(&Scan::all()).next_batch(&mut Default::default()).err());
    *panics.0.lock().unwrap() = false;
    assert_eq!(block_on(table.get(b"a")).unwrap(), None);
}

#[test]
fn tasks_update_one_row_at_once() {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let table: AsyncTable<u8, u64, _> = AsyncTable::open(Slow::new(Memory::new(), 1), "t").await.unwrap();
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let table = table.clone();
                tokio::spawn(async move {
                    for _ in 0..20 {
                        table.update(&1, |n| Some(n.unwrap_or(0) + 1)).await.unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(table.get(&1).await.unwrap(), Some(160));
    });
}

#[test]
fn futures_do_not_borrow_the_key() {
    let table = block_on(AsyncTable::<Event, i64, _>::open(Unblock::new(Memory::new()), "t")).unwrap();
    let put = {
        let (key, value) = (Event { at: 1 }, 7);
        table.put(&key, &value)
    };
    let get = {
        let key = Event { at: 1 };
        table.get(&key)
    };
    block_on(put).unwrap();
    assert_eq!(block_on(get).unwrap(), Some(7));
}

/// Futures and streams can be given to `tokio::spawn`.
#[test]
fn futures_are_send() {
    fn send<T: Send>(_: T) {}
    fn all<D: AsyncDatabase + Clone>(t: &AsyncTable<Event, i64, D>, key: &Event) {
        send(t.put(key, &1));
        send(t.get(key));
        send(t.get_many([key.clone()]));
        send(t.update(key, |n| n));
        send(t.increment(key, 1));
        send(t.delete(key));
        send(t.count(..));
        send(t.first(..));
        send(t.first_at_or_after(key));
        send(t.delete_rows(..));
        send(t.scan(..));
        send(t.scan(..).page(2));
        send(t.keys(..).all());
        send(t.clone().drop_table());
    }
    let db = Unblock::new(Memory::new());
    send(AsyncTable::<Event, i64, _>::open(db.clone(), "t"));
    let table = block_on(AsyncTable::<Event, i64, _>::open(db, "t")).unwrap();
    all(&table, &Event { at: 1 });
    let schema = TableSchema::new().family("f", FamilySchema::new());
    let wide = Unblock::new(CellsDatabase::new(Memory::new()));
    send(AsyncWideTable::<u8, _>::open(wide, "t", &schema));
}
