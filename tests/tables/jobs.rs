//! Parallel scans return what plain scans return, and loads write everything. A failure is reported once, and ends all
//! threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use rowkey::jobs::{BulkLoad, Checkpoint, ParallelIter, ParallelScan};
use rowkey::splits::Splits;
use rowkey::store::{Batch, Database, RowBatch, Store};
use rowkey::wide::{Cells, CellsDatabase, FamilySchema, Mutation, TableSchema};
use rowkey::{CursorError, Error, KeyRange, Memory, Table, WideTable};

type Row = (Vec<u8>, Vec<u8>);

fn store(rows: &BTreeMap<Vec<u8>, Vec<u8>>) -> Arc<dyn Store> {
    let store = Memory::new().table("rows").unwrap();
    let mut batch = Batch::new();
    for (key, value) in rows {
        batch.put(key.clone(), value.clone());
    }
    store.write(&batch).unwrap();
    store
}

fn rows(scan: impl Iterator<Item = Result<RowBatch, Error>>) -> Vec<Row> {
    let rows = |batch: RowBatch| batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect::<Vec<_>>();
    scan.flat_map(|batch| rows(batch.unwrap())).collect()
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(0u8), Just(0xff), any::<u8>()], 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_parallel_scan_is_the_plain_scan(
        table in btree_map(key(), vec(any::<u8>(), 0..4), 0..80),
        splits in btree_set(key(), 0..12),
        threads in 0..6usize,
        ahead in 0..4usize,
    ) {
        let splits = Splits::new(splits).unwrap();
        let scan = |in_order| {
            let scan = ParallelScan::rows(store(&table), splits.ranges());
            scan.threads(threads).ahead(ahead).in_order(in_order).start()
        };
        let due: Vec<Row> = table.clone().into_iter().collect();

        let mut in_order = scan(true);
        prop_assert_eq!(&rows(in_order.by_ref()), &due);
        prop_assert!(in_order.next().is_none());

        let mut mixed = scan(false);
        let mut found = rows(mixed.by_ref());
        for range in splits.ranges() {
            let inside = |rows: &[Row]| rows.iter().filter(|row| range.contains(&row.0)).cloned().collect::<Vec<_>>();
            prop_assert_eq!(inside(&found), inside(&due));
        }
        found.sort_unstable();
        prop_assert_eq!(&found, &due);

        for progress in [in_order.progress(), mixed.progress()] {
            prop_assert_eq!((progress.ranges_done, progress.ranges), (splits.regions(), splits.regions()));
            prop_assert_eq!(progress.rows, due.len() as u64);
            prop_assert_eq!(progress.bytes, due.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum::<u64>());
        }
    }

    #[test]
    fn a_load_writes_all(
        table in btree_map(key(), vec(any::<u8>(), 0..4), 0..80),
        threads in 0..6usize,
        batch in 0..9usize,
    ) {
        let empty = store(&BTreeMap::new());
        let writes = table.iter().map(|(key, value)| Ok((key, value)));
        let loaded = BulkLoad::to_store(&empty).threads(threads).batch(batch).run(writes).unwrap();
        prop_assert_eq!((loaded.writes, loaded.stopped), (table.len() as u64, false));
        prop_assert_eq!(loaded.batches, table.len().div_ceil(batch.max(1)) as u64);
        let scan = ParallelScan::rows(empty, vec![KeyRange::all()]);
        prop_assert_eq!(rows(scan.start()), table.into_iter().collect::<Vec<_>>());
    }
}

/// How many of these there are: readers that are open.
#[derive(Clone, Default)]
struct Open(Arc<AtomicUsize>);

impl Open {
    fn one(&self) -> Opened {
        self.0.fetch_add(1, Ordering::SeqCst);
        Opened(self.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct Opened(Open);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn ranges(n: u32) -> Vec<KeyRange> {
    Splits::uniform(n).unwrap().ranges()
}

/// A scan of endless ranges, each of which gives its start and a number; `fail` makes an item an error.
fn endless(
    open: &Open,
    n: u32,
    fail: impl Fn(&KeyRange, u32) -> Option<Error> + Clone + Send + Sync + 'static,
) -> ParallelScan<(KeyRange, u32)> {
    let open = open.clone();
    ParallelScan::new(ranges(n), move |range| {
        let (opened, fail) = (open.one(), fail.clone());
        Box::new((0..).map(move |n| {
            let _ = &opened;
            fail(&range, n).map_or_else(|| Ok((range.clone(), n)), Err)
        }))
    })
}

#[test]
fn dropped_half_way_it_ends_its_threads() {
    for in_order in [true, false] {
        let open = Open::default();
        let mut scan = endless(&open, 9, |_, _| None).threads(4).in_order(in_order).start();
        assert_eq!(scan.by_ref().take(100).filter(Result::is_ok).count(), 100);
        assert!(open.count() > 0);
        drop(scan);
        assert_eq!(open.count(), 0);

        let unread: ParallelIter<_> = endless(&open, 9, |_, _| None).threads(4).in_order(in_order).start();
        drop(unread);
        assert_eq!(open.count(), 0);
    }
}

#[test]
fn broken_off_it_ends_its_threads() {
    let open = Open::default();
    let mut seen = 0;
    let answer = endless(&open, 9, |_, _| None).threads(3).in_order(false).run(|_| {
        seen += 1;
        if seen == 50 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!((answer.unwrap(), seen, open.count()), (Some("enough"), 50, 0));
}

#[test]
fn an_error_is_told_once_and_is_the_end() {
    for in_order in [true, false] {
        let open = Open::default();
        let fail = |range: &KeyRange, n| (range.start().is_empty() && n == 30).then(|| Error::engine("lost"));
        let mut scan = endless(&open, 9, fail).threads(4).in_order(in_order).start();
        let items: Vec<_> = scan.by_ref().collect();
        let of_first = items.iter().flatten().filter(|(range, _)| range.start().is_empty()).map(|(_, n)| *n);
        assert!(of_first.eq(0..30), "what was read before the error comes before it");
        assert_eq!(items.iter().filter(|item| item.is_err()).count(), 1);
        assert!(items.last().unwrap().is_err());
        assert!(scan.next().is_none() && open.count() == 0);
        assert!(!in_order || items.len() == 31);
    }
}

#[test]
fn in_order_an_error_waits_for_its_turn() {
    let last = ranges(3).pop().unwrap();
    let scan = ParallelScan::new(ranges(3), move |range| {
        let item = if range == last { Err(Error::engine("lost")) } else { Ok(range.start().to_vec()) };
        Box::new([item].into_iter())
    });
    let items: Vec<_> = scan.threads(3).start().collect();
    assert!(items.len() == 3 && items[0].is_ok() && items[1].is_ok() && items[2].is_err());
}

#[test]
fn a_panic_is_an_error() {
    for in_order in [true, false] {
        let open = Open::default();
        let fail = |range: &KeyRange, n| match (range.start(), n) {
            ([], 3) => panic!("no row {n}"),
            _ => None,
        };
        let error = endless(&open, 9, fail).threads(4).in_order(in_order).start().find_map(Result::err).unwrap();
        assert_eq!((error.to_string().as_str(), open.count()), ("a scan panicked: no row 3", 0));
    }
    let scan = ParallelScan::<()>::new(ranges(5), |_| panic!("not even opened"));
    assert_eq!(scan.threads(2).start().filter(Result::is_err).count(), 1);
}

#[test]
fn no_more_is_read_ahead_than_was_said() {
    for (in_order, most) in [(true, 2 * 3 * 2 + 3), (false, 3 * 2 + 3)] {
        let read = Arc::new(AtomicUsize::new(0));
        let counter = read.clone();
        let scan = ParallelScan::new(ranges(50), move |_| {
            let counter = counter.clone();
            Box::new((0..2).map(move |n| Ok((counter.fetch_add(1, Ordering::SeqCst), n))))
        });
        let mut given = 0;
        for item in scan.threads(3).ahead(2).in_order(in_order).start() {
            item.unwrap();
            given += 1;
            std::thread::sleep(Duration::from_millis(1));
            assert!(read.load(Ordering::SeqCst) <= given + most);
        }
        assert_eq!(given, 100);
    }
}

#[test]
fn no_range_is_no_item() {
    let mut scan = ParallelScan::rows(store(&BTreeMap::new()), Vec::new()).start();
    assert!(scan.next().is_none());
    assert_eq!(scan.progress(), Default::default());
}

#[test]
fn settings_beyond_all_bounds() {
    let scan = ParallelScan::new(ranges(2), |_| Box::new([Ok(1)].into_iter())).threads(usize::MAX).ahead(usize::MAX);
    assert_eq!(scan.in_order(false).start().count(), 2);
    let loaded = BulkLoad::new(|_: Vec<u32>| Ok(())).threads(usize::MAX).batch(usize::MAX).run(numbers(5)).unwrap();
    assert_eq!((loaded.writes, loaded.batches), (5, 1));
}

fn numbers(n: u32) -> impl Iterator<Item = Result<u32, Error>> {
    (0..n).map(Ok)
}

/// Says when it is dropped.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_load_that_fails_tells_what_is_in() {
    let written = Mutex::new(Vec::new());
    let ended = Arc::new(AtomicBool::new(false));
    let load = BulkLoad::new(|batch: Vec<u32>| {
        if batch.contains(&5_555) {
            return Err(Error::engine("full"));
        }
        // Writes that were under way when another failed: they end when no more input is read.
        let begun = Instant::now();
        while batch[0] > 5_555 && !ended.load(Ordering::SeqCst) && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        written.lock().unwrap().extend(batch);
        Ok(())
    });
    let input = Gone(Arc::clone(&ended));
    let input = numbers(1_000_000).inspect(move |_| _ = &input);
    let error = load.threads(4).batch(10).run(input).unwrap_err();
    assert_eq!(error.loaded.writes, written.lock().unwrap().len() as u64);
    // Each of the three others had one batch in hand: from before, and left out, or from after, and under way.
    assert!((5_520..=5_580).contains(&error.loaded.writes), "{}", error.loaded.writes);
    assert!(matches!(error.source, Error::Engine(_)));
    assert_eq!(error.loaded.batches * 10, error.loaded.writes);
    let due = format!(
        "the load failed; the store acknowledged {} writes ({} whole batches)",
        error.loaded.writes, error.loaded.batches
    );
    assert_eq!(error.to_string(), due);
}

#[test]
fn an_error_of_the_input_ends_a_load() {
    let written = AtomicUsize::new(0);
    let load = BulkLoad::new(|batch: Vec<u32>| {
        written.fetch_add(batch.len(), Ordering::SeqCst);
        Ok(())
    });
    let input = numbers(25).chain([Err(Error::engine("line 26"))]).chain(numbers(100));
    let error = load.threads(2).batch(10).run(input).unwrap_err();
    assert_eq!((error.loaded.writes, written.load(Ordering::SeqCst)), (25, 25));
}

#[test]
fn a_load_that_panics_hangs_nowhere() {
    let load = BulkLoad::new(|_: Vec<u32>| panic!("no disk"));
    let error = load.threads(3).batch(2).run(numbers(10_000)).unwrap_err();
    assert_eq!(error.loaded.writes, 0);
    let input = (0..).map(|n| if n < 100 { Ok(n) } else { panic!("no input") });
    let load = BulkLoad::new(|_: Vec<u32>| Ok(()));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| load.threads(3).batch(2).run(input))).is_err());
}

#[test]
fn a_load_is_watched_and_stopped() {
    let load = BulkLoad::new(|_: Vec<u32>| Ok(()));
    let mut last = 0;
    let loaded = load.threads(2).batch(10).run_watched((0..).map(Ok), |loaded| {
        assert!(loaded.writes >= last && loaded.writes == 10 * loaded.batches);
        last = loaded.writes;
        if last >= 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let loaded = loaded.unwrap();
    assert!(loaded.stopped && loaded.writes >= last && loaded.writes <= last + 40);
}

/// A purge of a typed table, and one of its cells, resume each other; checkpoints of other jobs are refused.
#[test]
fn checkpoints_of_purges() {
    let db = Memory::new();
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let typed = WideTable::<u16, _>::open(CellsDatabase::new(&db), "t", &schema).unwrap();
    for row in 0..6 {
        (1..4).for_each(|at| typed.mutate(&row, &Mutation::new().put_at("a:q", at, "v")).unwrap());
    }
    let cells = Cells::open(&db, "t", typed.store().schema()).unwrap();
    let stop = |_: &_| ControlFlow::Break(());
    // Three entries a row: a batch of four ends with the second one.
    let first = typed.purge().batch_rows(4).run_watched(stop).unwrap();
    assert_eq!((first.rows, first.written, first.cells.old, first.cells.kept), (2, 4, 4, 2));
    assert_eq!(first.next.as_ref().and_then(Checkpoint::cursor), Checkpoint::after_row(&1_u16.to_be_bytes()).cursor());
    let text = first.next.unwrap().to_string();
    let second = cells.purge().batch_bytes(1).resume(text.parse::<Checkpoint>().unwrap()).run_watched(stop).unwrap();
    assert_eq!((second.rows, second.written, second.is_done()), (1, 2, false));
    let rest = typed.purge().resume(second.next).run().unwrap();
    assert_eq!((rest.rows, rest.written, rest.is_done()), (3, 6, true));
    assert_eq!(cells.purge().run().unwrap().written, 0);

    let numbers: Table<u16, (), _> = Table::open(Memory::new(), "numbers").unwrap();
    (0..3).for_each(|n| numbers.put(&n, &()).unwrap());
    let cursor = numbers.scan(..).page(1).unwrap().next.unwrap();
    let of_another: Checkpoint = format!("1.{cursor}").parse().unwrap();
    let refused = typed.purge().resume(of_another).run();
    assert!(matches!(refused, Err(Error::Cursor(CursorError::OtherLayout { .. }))), "{refused:?}");
    let refused = typed.purge().resume("2".parse::<Checkpoint>().unwrap()).run();
    assert!(matches!(refused, Err(Error::Cursor(CursorError::Malformed(_)))), "{refused:?}");
}
