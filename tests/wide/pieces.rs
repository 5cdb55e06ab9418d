//! Purges that begin and end inside of a row, and what others write between two of their pieces.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use rowkey::conformance;
use rowkey::jobs::{Checkpoint, Report};
use rowkey::store::{Batch, CallOptions, Readable, RowBatch, Rows, Scan, Store};
use rowkey::wide::{Cells, Column, Columns, FamilySchema, Mutation, TableSchema, WideStore};
use rowkey::{CursorError, Error, KeyRange, Memory};
use rowkey_testkit::{Over, Random, StoreOver, cases};

use crate::drawn::{Draw, NOW, cells_of, column, entries, memory, over, rows_of, schema};

/// A store that counts what its transactions read and write, and may take its time for each entry read.
#[derive(Clone)]
struct Counting {
    store: Arc<dyn Store>,
    counts: Arc<Counts>,
    slow: Duration,
}

#[derive(Default)]
struct Counts {
    transactions: AtomicUsize,
    /// The most entries that a transaction has read, or written.
    most: AtomicUsize,
}

struct View<'v>(&'v dyn Readable, &'v Arc<AtomicUsize>, Duration);

impl Readable for View<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let scan = if self.2.is_zero() { scan.clone() } else { scan.clone().batch_rows(1) };
        Box::new(Counted(self.0.scan(&scan), Arc::clone(self.1), self.2))
    }
}

struct Counted(Box<dyn Rows>, Arc<AtomicUsize>, Duration);

impl Rows for Counted {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        thread::sleep(self.2);
        self.0.next_batch(batch)?;
        self.1.fetch_add(batch.len(), Ordering::Relaxed);
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.0.skip_to(key);
    }
}

impl StoreOver for Counting {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn over(&self, store: Arc<dyn Store>) -> Self {
        Self { store, ..self.clone() }
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let read = Arc::new(AtomicUsize::new(0));
        let mut written = 0;
        self.store.transact(&mut |view| {
            let batch = body(&View(view, &read, self.slow))?;
            written = batch.len();
            Ok(batch)
        })?;
        self.counts.transactions.fetch_add(1, Ordering::Relaxed);
        self.counts.most.fetch_max(read.load(Ordering::Relaxed).max(written), Ordering::Relaxed);
        Ok(())
    }
}

impl Counting {
    fn new(slow: Duration) -> Self {
        Self { store: memory(), counts: Arc::default(), slow }
    }

    fn table(&self, schema: TableSchema) -> Cells {
        let store: Arc<dyn Store> = Arc::new(Over(self.clone()));
        Cells::over(store, schema).unwrap().with_clock(|| NOW)
    }
}

fn name(n: u32) -> Column {
    Column::from(("a", format!("{n:06}")))
}

/// Rows whose entries are all of one kind, which is the hard one for a purge that ends anywhere.
fn long_rows(entries: u32) -> Vec<(&'static str, Mutation, usize)> {
    let each = |add: &dyn Fn(Mutation, u32) -> Mutation| (0..entries).fold(Mutation::new(), add);
    let versions = each(&|row, n| row.put_at("a:q", n.into(), "v"));
    let columns = each(&|row, n| row.put_at(name(n), 7, "v"));
    let of_each_column = each(&|row, n| row.put_at(name(n), 7, "v").delete_column_until(name(n), 7));
    vec![
        ("columns of a deleted row", columns.clone().delete_row_until(7), 0),
        ("kept columns", columns, entries as usize),
        ("deleted columns", of_each_column, 0),
        ("old versions", versions.clone(), 2),
        ("versions of a deleted column", versions.clone().delete_column_until("a:q", i64::from(entries)), 0),
        ("versions of a deleted family", versions.delete_family_until("a", i64::from(entries)), 0),
        (
            "versions that are deleted",
            each(&|row, n| row.put_at("a:q", n.into(), "v").delete_version("a:q", n.into())),
            0,
        ),
        ("markers of a family", each(&|row, n| row.delete_family_until("a", n.into())), 0),
        ("markers of a column", each(&|row, n| row.delete_column_until("a:q", n.into())), 0),
        ("markers of versions", each(&|row, n| row.delete_version("a:q", n.into())), 0),
        ("kept versions", each(&|row, n| row.put_at("all:q", n.into(), "v")), entries as usize),
        ("expired versions, of which one stays", each(&|row, n| row.put_at("ttl:q", n.into(), "v")), 1),
        (
            "cells of a family that is not in the schema",
            each(&|row, n| row.put_at(("other", format!("{n}")), 1, "")),
            0,
        ),
    ]
}

fn families() -> TableSchema {
    TableSchema::new()
        .family("a", FamilySchema::new().max_versions(2))
        .family("all", FamilySchema::new().max_versions(u32::MAX))
        .family("ttl", FamilySchema::new().max_versions(u32::MAX).min_versions(1).ttl(Duration::from_millis(1)))
}

/// However long a row is, and however large a batch may be, a transaction reads and writes a bounded number of entries.
/// Each kind of row comes to what a purge in one piece makes of it, when it is stopped anywhere and resumed from text.
#[test]
fn a_row_is_purged_in_pieces() {
    let clock = |table: Cells| table.with_clock(|| 1_000_000);
    let entries_of_row = 2400;
    for (what, row, kept) in long_rows(entries_of_row) {
        let counting = Counting::new(Duration::ZERO);
        let with_other = what.contains("not in the schema");
        let all = if with_other { families().family("other", FamilySchema::new()) } else { families() };
        clock(counting.table(all)).mutate(b"r", &row).unwrap();
        clock(counting.table(families())).mutate(b"s", &Mutation::new().put("a:q", "next")).unwrap();
        let stored = entries(&*counting.store);

        let table = clock(counting.table(families()));
        let report = table.purge().batch_rows(usize::MAX).batch_bytes(usize::MAX).run().unwrap();
        let (transactions, most) = (&counting.counts.transactions, counting.counts.most.load(Ordering::Relaxed));
        // Batches of 256 entries are read, and for versions the newest ones again.
        assert!(most <= 1600, "{what}: a transaction read or wrote {most} entries");
        assert!(transactions.load(Ordering::Relaxed) >= 3, "{what}");
        assert_eq!((report.rows, report.cells.kept), (2, kept as u64 + 1), "{what}");
        let after = entries(&*counting.store);
        let other = if with_other { entries_of_row as usize } else { 0 };
        assert_eq!(after.len(), kept + other + 1, "{what}");

        for batch_rows in [1 + entries_of_row as usize / 50, 999] {
            let again = memory();
            again.write(&stored.iter().map(|(key, value)| rowkey::store::Write::Put(key, value)).collect()).unwrap();
            let table = clock(Cells::over(Arc::clone(&again), families()).unwrap());
            let mut sum = Report::default();
            let mut inside = 0;
            loop {
                let purge = table.purge().batch_rows(batch_rows).resume(sum.next.take());
                let step = purge.run_watched(|_| ControlFlow::Break(())).unwrap();
                assert!(step.cells.kept + step.written <= 2 * batch_rows as u64 + 3, "{what}: {step:?}");
                sum.rows += step.rows;
                sum.written += step.written;
                sum.cells.kept += step.cells.kept;
                match step.next {
                    Some(next) => {
                        inside += usize::from(next.cursor().is_some_and(|at| at.key().len() > 20));
                        sum.next = Some(next.to_string().parse::<Checkpoint>().unwrap());
                    }
                    None => break,
                }
            }
            assert_eq!(
                (sum.rows, sum.written, sum.cells.kept),
                (report.rows, report.written, report.cells.kept),
                "{what}"
            );
            assert!(inside >= 2, "{what}");
            assert_eq!(entries(&*again), after, "{what}");
        }
    }
}

/// A slow store ends a piece by time.
#[test]
fn a_piece_ends_when_its_time_is_over() {
    let counting = Counting::new(Duration::from_millis(2));
    let table = counting.table(families());
    let row = (0..60).fold(Mutation::new(), |row, n| row.put_at(name(n), 7, "v"));
    table.mutate(b"r", &row.delete_row_until(7)).unwrap();
    let mut told = 0;
    let report = table
        .purge()
        .run_watched(|_| {
            told += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((told, report.written, entries(&*counting.store).len()), (1, 61 + 2, 0));
    let transactions = counting.counts.transactions.load(Ordering::Relaxed);
    assert!(transactions >= 4, "{transactions} transactions read 120 ms");

    // Of many rows, some are written in each transaction.
    let before = counting.counts.transactions.load(Ordering::Relaxed);
    let rows: Vec<_> = (0..60_u8).map(|row| (vec![row + 1], Mutation::new().put("a:q", "v"))).collect();
    table.mutate_many(&rows).unwrap();
    let transactions = counting.counts.transactions.load(Ordering::Relaxed) - before;
    assert!(transactions >= 4, "{transactions} transactions read 120 ms");
    assert_eq!(rows_of(&table, &Scan::all(), &Columns::all()).len(), 60);
    assert_eq!(table.purge().run().unwrap().rows, 60, "rows are counted once, wherever time was over");

    // After an error, those that are not written are named.
    let limited = table.with_options(&CallOptions::new().timeout(Duration::from_millis(60)));
    match limited
        .mutate_many(&(0..200_u8).map(|row| (vec![0, row], Mutation::new().put("a:q", "v"))).collect::<Vec<_>>())
    {
        Err(Error::Rows(failed)) => {
            assert!(failed.iter().all(|row| matches!(row.error(), Error::DeadlineExceeded { .. })));
            let written = rows_of(&table, &Scan::new(vec![KeyRange::prefix([0])]), &Columns::all()).len();
            assert_eq!((failed.total(), failed.written()), (200, written));
        }
        Err(Error::DeadlineExceeded { .. }) => {}
        other => panic!("{other:?}"),
    }
}

/// Purges, and lets others write after the first batch, which ends inside of the row.
fn with_a_write_between(batch_rows: usize, before: &[Mutation], between: &[Mutation]) -> Cells {
    let table = Cells::over(memory(), families()).unwrap().with_clock(|| NOW);
    before.iter().for_each(|row| table.mutate(b"r", row).unwrap());
    let mut told = 0;
    let report = table.purge().batch_rows(batch_rows).run_watched(|progress| {
        told += 1;
        if told == 1 {
            assert_eq!((progress.report.rows, progress.report.is_done()), (0, false));
            between.iter().for_each(|row| table.mutate(b"r", row).unwrap());
        }
        ControlFlow::Continue(())
    });
    assert!(report.unwrap().is_done() && told > 1);
    table
}

fn times(table: &Cells, column: &str) -> Vec<i64> {
    let row = table.get(b"r", &Columns::of(column).versions(u32::MAX)).unwrap();
    row.versions(column).map(|cell| cell.timestamp).collect()
}

#[test]
fn a_version_that_becomes_visible_again_is_kept() {
    let versions = |family: &str| (0..20).fold(Mutation::new(), |row, at| row.put_at((family, "q"), at, "v"));
    // 19 and 18 were kept, and are deleted. 17 to 15 are purged.
    let deleted = Mutation::new().delete_version("a:q", 19).delete_version("a:q", 18);
    let table = with_a_write_between(5, &[versions("a")], &[deleted]);
    assert_eq!(times(&table, "a:q"), [14, 13]);
    // All have expired, and the newest is kept until it is deleted.
    let table = with_a_write_between(5, &[versions("ttl")], &[Mutation::new().delete_version("ttl:q", 19)]);
    assert_eq!(times(&table, "ttl:q"), [14]);
    // A delete moves back before a put.
    let ahead = (NOW..NOW + 20).fold(Mutation::new(), |row, at| row.put_at("all:q", at, "v"));
    let deleted = Mutation::new().delete_column_until("all:q", NOW + 50);
    let table = with_a_write_between(5, &[versions("all"), ahead, deleted], &[Mutation::new().put("all:q", "new")]);
    assert_eq!(times(&table, "all:q"), [NOW]);
    let deleted = Mutation::new().delete_family_until("all", NOW + 50);
    let put = Mutation::new().put("all:q", "new").put_at("all:p", NOW, "p").put_at("all:r", NOW + 1, "r");
    let table = with_a_write_between(5, &[versions("all"), deleted], &[put]);
    assert_eq!(times(&table, "all:q"), [NOW]);
    assert_eq!((times(&table, "all:p"), times(&table, "all:r")), (vec![NOW], vec![NOW + 1]));
}

#[test]
fn a_delete_that_came_between_is_not_dropped() {
    let columns = (0..40).fold(Mutation::new(), |row, n| row.put_at(name(n), 2, "old").put_at(name(n), 5, "v"));
    let first = Mutation::new().delete_family_until("a", 3);
    for delete in [Mutation::new().delete_family_until("a", 7), Mutation::new().delete_row()] {
        for before in [vec![columns.clone(), first.clone()], vec![columns.clone()]] {
            let table = with_a_write_between(10, &before, std::slice::from_ref(&delete));
            assert!(table.get(b"r", &Columns::all().versions(9)).unwrap().is_empty());
            table.purge().run().unwrap();
            assert!(entries(&**table.store()).is_empty());
        }
    }
    let versions = (0..20).fold(Mutation::new(), |row, at| row.put_at("all:q", at, "v"));
    for before in [vec![versions.clone()], vec![versions, Mutation::new().delete_column_until("all:q", 17)]] {
        let delete = Mutation::new().delete_column_until("all:q", 18);
        let table = with_a_write_between(5, &before, std::slice::from_ref(&delete));
        assert_eq!(times(&table, "all:q"), [19]);
        table.purge().run().unwrap();
        assert_eq!((times(&table, "all:q"), entries(&**table.store()).len()), (vec![19], 1));
    }
}

#[test]
fn places_that_are_none_are_refused() {
    let table = over(memory());
    table.mutate(b"r", &(0..9).fold(Mutation::new(), |row, at| row.put_at("ab:q", at, "v"))).unwrap();
    let stopped = table.purge().batch_rows(3).run_watched(|_| ControlFlow::Break(())).unwrap().next.unwrap();
    let cursor = stopped.cursor().unwrap();
    let text = cursor.to_string();
    let refused = table.purge().resume(format!("2.{text}").parse::<Checkpoint>().unwrap()).run();
    assert!(matches!(refused, Err(Error::Cursor(CursorError::Malformed(_)))), "{refused:?}");
    let report = table.purge().resume(stopped).run().unwrap();
    assert_eq!((report.rows, report.written, entries(&**table.store()).len()), (1, 6, 1));
}

/// A write that hides all that is older: nothing that a purge has removed could be seen again.
fn hiding(random: &mut Random, now: i64) -> Mutation {
    let column = column(random, true);
    let at = now - random.below(20) as i64;
    match random.below(8) {
        0 => Mutation::new().delete_column(column),
        1 => Mutation::new().delete_family(column.family),
        2 => Mutation::new().delete_row(),
        3 => Mutation::new().delete_column_until(column, at),
        4 => Mutation::new().delete_family_until(column.family, at),
        _ => Mutation::new().put(column, "v"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(10, 400)) })]

    /// Beside a purge that stops everywhere and goes on as text, writes have the effect that they have without it.
    #[test]
    fn writes_between_pieces_are_those_without_a_purge(seed: u64) {
        let random = &mut Random(seed);
        let now = Arc::new(AtomicI64::new(NOW));
        let open = || {
            let now = Arc::clone(&now);
            Cells::over(memory(), schema()).unwrap().with_clock(move || now.load(Ordering::Relaxed))
        };
        let (purged, other) = (open(), open());
        let write = |row: &[u8], mutation: &Mutation| [&purged, &other].map(|table| table.mutate(row, mutation).unwrap());
        for _ in 0..random.below(150) {
            let mut mutation = Mutation::new();
            for _ in 0..1 + random.below(3) {
                mutation = mutation.put_at(column(random, true), random.at().min(NOW), "old");
            }
            write(random.one_of(&[&b"r"[..], b"s"]), &mutation);
            if random.chance(6) {
                write(b"r", &hiding(random, NOW));
            }
        }
        let mut next: Option<Checkpoint> = None;
        for _ in 0..150 {
            let purge = purged.purge().batch_rows(1 + random.below(12) as usize).resume(next.take());
            next = purge.run_watched(|_| ControlFlow::Break(())).unwrap().next;
            next = next.map(|next| next.to_string().parse().unwrap());
            if random.chance(3) {
                let now = now.fetch_add(random.below(30) as i64, Ordering::Relaxed);
                write(random.one_of(&[&b"r"[..], b"s"]), &hiding(random, now));
            }
            for row in [b"r", b"s"] {
                let of = |table: &Cells| cells_of(table.get(row, &Columns::all().versions(9)).unwrap().as_bytes());
                prop_assert_eq!(of(&purged), of(&other), "beside {:?}", next);
            }
        }
        now.fetch_add(1, Ordering::Relaxed);
        purged.purge().run().unwrap();
        let all = |table: &Cells| rows_of(table, &Scan::all(), &Columns::all().versions(9));
        prop_assert_eq!(all(&purged), all(&other));
    }
}

/// Purges in small batches, each from the text of the one before.
#[test]
fn a_store_that_is_purged_piece_by_piece_conforms() {
    let open = |schema: &TableSchema| Cells::open(&Memory::new(), "t", schema).unwrap();
    conformance::wide_purge(open, |cells| {
        let mut next: Option<Checkpoint> = None;
        loop {
            let purge = cells.purge().batch_rows(1).resume(next.take());
            match purge.run_watched(|_| ControlFlow::Break(())).unwrap().next {
                Some(at) => next = Some(at.to_string().parse().unwrap()),
                None => return,
            }
        }
    });
}
