//! Jobs let others write: a batch is divided into transactions by time, and comes to the same.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use rowkey::jobs::{DifferenceKind, Job, Report};
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Batch, CallOptions, Database, Readable, RowBatch, Rows, Scan, TimeSlice};
use rowkey::{Error, Memory, Table};
use rowkey_testkit::{DatabaseOver, Over};

/// A database that counts its transactions.
#[derive(Clone)]
struct Counting(Arc<dyn Database>, Arc<AtomicUsize>);

impl DatabaseOver for Counting {
    fn inner(&self) -> &Arc<dyn Database> {
        &self.0
    }

    fn over(&self, inner: Arc<dyn Database>) -> Self {
        Self(inner, Arc::clone(&self.1))
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.transact(tables, body)
    }
}

/// A database, and how many transactions something takes there.
#[expect(clippy::type_complexity, reason = "a closure that is called in two tests")]
fn counting() -> (Arc<dyn Database>, impl Fn(&mut dyn FnMut()) -> usize) {
    let transactions = Arc::new(AtomicUsize::new(0));
    let db: Arc<dyn Database> = Arc::new(Over(Counting(Arc::new(Memory::new()), Arc::clone(&transactions))));
    let count = move |run: &mut dyn FnMut()| {
        let before = transactions.load(Ordering::Relaxed);
        run();
        transactions.load(Ordering::Relaxed) - before
    };
    (db, count)
}

const ROWS: u32 = 8;

/// Runs a job in batches of more rows than there are. Returns its report, and how often it told of its progress.
fn run<K1, K2>(job: Job<'_, K1, K2>) -> (Report, usize) {
    let mut told = 0;
    let watch = |_: &_| {
        told += 1;
        ControlFlow::Continue(())
    };
    let report = job.batch_rows(1_000_000).batch_bytes(usize::MAX).run_watched(watch).unwrap();
    (report, told)
}

/// Each row's entries take longer than a piece may: each row is a transaction.
#[test]
fn verifications_rebuilds_and_deletions_are_divided_by_time() {
    let (db, transactions) = counting();
    let before: Table<u32, u32, _> = Table::open(db.clone(), "rows").unwrap();
    (0..ROWS).for_each(|row| before.put(&row, &(row / 2)).unwrap());
    let mut rows = Primary::<u32, u32, _>::open(db.clone(), "rows").unwrap();
    let slow = Arc::new(AtomicBool::new(true));
    let wait = Arc::clone(&slow);
    let by_value = rows.secondary("by_value", move |_: &u32, value: &u32| {
        if wait.load(Ordering::Relaxed) {
            thread::sleep(TimeSlice::LENGTH);
        }
        [(*value, ())]
    });
    let by_value = by_value.unwrap();
    let few = ROWS as usize - 1;

    // Rows of two and two have the same key, also in two transactions of one batch.
    let mut report = Report::default();
    let count = transactions(&mut || {
        let (verified, told) = run(by_value.verify());
        assert_eq!(told, 3);
        report = verified;
    });
    assert!(count >= few, "{count} transactions of a verification");
    assert_eq!((report.rows, report.missing, report.conflicts), (u64::from(ROWS), 4, 4));

    let count = transactions(&mut || report = run(by_value.rebuild()).0);
    assert!(count >= few, "{count} transactions of a rebuild");
    assert_eq!((report.written, report.missing, report.conflicts), (4, 4, 4));
    let (report, told) = run(by_value.verify());
    assert_eq!((report.missing, report.conflicts, told), (0, 4, 4));

    let count = transactions(&mut || rows.delete_rows(..).unwrap());
    assert!(count >= 1, "{count} transactions of a deletion");
    slow.store(false, Ordering::Relaxed);
    assert_eq!(rows.table().scan(..).count(), 0);

    // Later deletions take fewer rows at once: 16 were too many.
    (0..60).for_each(|row| rows.put(&row, &row).unwrap());
    slow.store(true, Ordering::Relaxed);
    let count = transactions(&mut || rows.delete_rows(..).unwrap());
    assert!(count >= 10, "{count} transactions of a deletion");
}

#[test]
fn migrations_are_divided_by_time() {
    let (db, transactions) = counting();
    let before: Table<u32, u32, _> = Table::open(db.clone(), "before").unwrap();
    (0..ROWS).for_each(|row| before.put(&row, &row).unwrap());
    let wider = Conversion::keys(
        |key: u32| {
            thread::sleep(TimeSlice::LENGTH);
            u64::from(key)
        },
        |key: u64| {
            thread::sleep(TimeSlice::LENGTH);
            key as u32
        },
    );
    let migration = Migration::<u32, u32, u64, u32, _>::open(db.clone(), "wider", "before", "after", wider).unwrap();
    let few = ROWS as usize - 1;
    let (mut report, mut told) = (Report::default(), 0);
    let count = transactions(&mut || (report, told) = run(migration.backfill()));
    assert!(count >= few, "{count} transactions of a backfill");
    assert_eq!((report.rows, report.written, told), (u64::from(ROWS), u64::from(ROWS), 2));

    // A row that only the new table has.
    db.table("after").unwrap().write(Batch::new().put(77_u64.to_be_bytes(), 7_u32.to_be_bytes())).unwrap();
    let count = transactions(&mut || (report, told) = run(migration.verify()));
    assert!(count >= 2 * few, "{count} transactions of a verification");
    assert_eq!((report.rows, report.extra, report.differences(), told), (2 * u64::from(ROWS) + 1, 1, 1, 4));
    let mut seen = Vec::new();
    let repair = migration.repair().batch_rows(3).run_watched(|progress| {
        seen.extend(progress.differences.iter().map(|difference| (difference.kind, difference.target)));
        ControlFlow::Continue(())
    });
    assert_eq!((repair.unwrap().written, seen), (1, vec![(DifferenceKind::Extra, 77)]));
    assert!(run(migration.verify()).0.is_clean());
}

/// Between two pieces of a batch its deadline counts, and what was done is done.
#[test]
fn a_batch_ends_at_its_deadline_with_some_of_its_pieces() {
    let some_were_done = |slices: u32| {
        let db = Memory::new();
        let before: Table<u32, u32, _> = Table::open(db.clone(), "rows").unwrap();
        (0..1000).for_each(|row| before.put(&row, &row).unwrap());
        let bounded = db.with_options(&CallOptions::new().timeout(TimeSlice::LENGTH * slices));
        let mut rows = Primary::<u32, u32, _>::open(bounded, "rows").unwrap();
        let by_value = rows.secondary("by_value", |_: &u32, value: &u32| {
            thread::sleep(TimeSlice::LENGTH);
            [(*value, ())]
        });
        let late = by_value.unwrap().rebuild().batch_rows(1000).run();
        assert!(matches!(late, Err(Error::DeadlineExceeded { .. })), "{late:?}");
        let (mut some, mut scan) = (RowBatch::new(), db.table("by_value").unwrap().scan(&Scan::all()));
        scan.next_batch(&mut some).unwrap();
        !some.is_empty()
    };
    assert!([5, 10, 50, 200, 500].into_iter().any(some_were_done));
}
