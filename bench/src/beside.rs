//! Latency of puts beside work on many rows, in another table of one database on disk.
//!
//! One thread puts a row every half millisecond, or as soon as the row before is put. After the work, and for as long
//! as that took, the same puts are measured as `idle`. The clock is the wall's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rowkey::Table;
use rowkey::jobs::BulkLoad;
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::{Primary, Secondary};
use rowkey::store::{Batch, Database, Store};
use rowkey::wide::{Cells, FamilySchema, Mutation, TableSchema, WideStore};
use rowkey_fjall::Fjall;

use crate::measure::{Bench, Line};
use crate::memory::mix;

const EVERY: Duration = Duration::from_micros(500);
const ROWS: usize = 300_000;

type Job<'j> = Box<dyn FnOnce() + Send + 'j>;

pub fn measure(bench: &mut Bench) {
    let n = bench.size(ROWS) as u64;
    beside(bench, "purge of a row of 300,000 deleted columns", |db| {
        let wide = long_row(db, n);
        wide.mutate(b"row", &Mutation::new().delete_row_until(i64::MAX)).unwrap();
        Box::new(move || assert_eq!(wide.purge().run().unwrap().written, n + 1))
    });
    beside(bench, "purge of a row of 300,000 columns, of two versions", |db| {
        long_row(db, n);
        let wide = columns(db, 8, n);
        Box::new(move || assert_eq!(wide.purge().run().unwrap().written, n))
    });
    beside(bench, "purge of 100,000 rows of three versions", |db| {
        let wide = wide(db);
        let rows: Vec<_> = (0..n / 3).map(|row| (row.to_be_bytes().to_vec(), versions())).collect();
        rows.chunks(1000).for_each(|some| wide.mutate_many(some).unwrap());
        Box::new(move || assert_eq!(wide.purge().run().unwrap().cells.kept, n / 3))
    });
    beside(bench, "deletion of 300,000 rows", |db| {
        let table = filled(db, n);
        Box::new(move || table.delete_rows(..).unwrap())
    });
    beside(bench, "drop of a table of 300,000 rows", |db| {
        filled(db, n);
        Box::new(move || db.drop_table("rows").unwrap())
    });
    beside(bench, "bulk load of 300,000 rows", |db| {
        let store = db.table("rows").unwrap();
        Box::new(move || {
            let rows = (0..n).map(|row| Ok((row.to_be_bytes(), [7; 32])));
            BulkLoad::to_store(&store).threads(1).run(rows).unwrap();
        })
    });
    beside(bench, "mutation of 100,000 wide rows in one call", |db| {
        let wide = wide(db);
        let put = |row: u64| (row.to_be_bytes().to_vec(), Mutation::new().put("a:q", [7; 32]));
        let rows: Vec<_> = (0..n / 3).map(put).collect();
        Box::new(move || wide.mutate_many(&rows).unwrap())
    });
    beside(bench, "rebuild of an index of 100,000 rows", |db| {
        let (_, by_value) = indexed(db, n / 3);
        Box::new(move || assert_eq!(by_value.rebuild().run().unwrap().written, n / 3))
    });
    beside(bench, "verification of an index of 100,000 rows", |db| {
        let (_, by_value) = indexed(db, n / 3);
        by_value.rebuild().run().unwrap();
        Box::new(move || assert!(by_value.verify().run().unwrap().is_clean()))
    });
    beside(bench, "deletion of 100,000 rows with an index", |db| {
        let (rows, by_value) = indexed(db, n / 3);
        by_value.rebuild().run().unwrap();
        Box::new(move || rows.delete_rows(..).unwrap())
    });
    beside(bench, "backfill of 100,000 rows", |db| {
        filled(db, n / 3);
        let same = Conversion::keys(|key: u64| !key, |key: u64| !key);
        let migration: Migration<u64, u64, u64, u64, _> =
            Migration::open(db.clone(), "m", "rows", "after", same).unwrap();
        Box::new(move || assert_eq!(migration.backfill().run().unwrap().written, n / 3))
    });
    beside(bench, "delete of a row of 300,000 columns, atomic", |db| {
        let wide = long_row(db, n);
        Box::new(move || wide.mutate(b"row", &Mutation::new().delete_row()).unwrap())
    });
}

fn beside(bench: &mut Bench, what: &str, prepare: impl for<'d> Fn(&'d Fjall) -> Job<'d>) {
    let work = format!("fjall: put beside a {what}");
    if !bench.wants(&work) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let db = Fjall::open(directory.path().join("db")).unwrap();
    let other = db.table("other").unwrap();
    let job = prepare(&db);
    let done = AtomicBool::new(false);
    let (busy, took) = thread::scope(|scope| {
        scope.spawn(|| {
            job();
            done.store(true, Ordering::Relaxed);
        });
        let start = Instant::now();
        (puts(&*other, || done.load(Ordering::Relaxed)), start.elapsed())
    });
    let start = Instant::now();
    let idle = puts(&*other, || start.elapsed() >= took);
    let line = |who: String, ns: Duration| Line {
        work: work.clone(),
        who,
        x: None,
        ns: Some(ns.as_secs_f64() * 1e9),
        bytes: None,
        goal: None,
    };
    let mut lines = vec![line("the work takes".into(), took)];
    for (name, per_mille) in [("p50", 500), ("p99", 990), ("p99.9", 999), ("the longest", 1000)] {
        let at = |times: &[Duration]| times[(times.len() * per_mille / 1000).min(times.len() - 1)];
        lines.push(line(name.into(), at(&busy)));
        lines.push(line(format!("{name}, idle"), at(&idle)));
    }
    bench.report(lines);
}

/// Puts rows until it is `done`, and returns how long each took, sorted.
fn puts(other: &dyn Store, done: impl Fn() -> bool) -> Vec<Duration> {
    let mut times = Vec::new();
    while !done() || times.is_empty() {
        let start = Instant::now();
        other.write(Batch::new().put((times.len() as u64).to_be_bytes(), [7; 32])).unwrap();
        times.push(start.elapsed());
        thread::sleep(EVERY.saturating_sub(start.elapsed()));
    }
    times.sort_unstable();
    times
}

fn filled(db: &Fjall, rows: u64) -> Table<u64, u64, Fjall> {
    let table = Table::open(db.clone(), "rows").unwrap();
    table.bulk_load().threads(1).run((0..rows).map(|row| Ok((row, mix(row))))).unwrap();
    table
}

type Indexed = (Primary<u64, u64, Fjall>, Secondary<(u64, u64), (), u64, u64, Fjall>);

/// Rows, and an index that does not have them yet.
fn indexed(db: &Fjall, rows: u64) -> Indexed {
    filled(db, rows);
    let mut rows = Primary::open(db.clone(), "rows").unwrap();
    let by_value = rows.secondary("by_value", |id: &u64, value: &u64| [((*value, *id), ())]).unwrap();
    (rows, by_value)
}

fn wide(db: &Fjall) -> Cells {
    Cells::open(db, "wide", &TableSchema::new().family("a", FamilySchema::new())).unwrap()
}

fn versions() -> Mutation {
    (1..4).fold(Mutation::new(), |mutation, at| mutation.put_at("a:q", at, [7; 32]))
}

/// A row of many columns, of one version.
fn long_row(db: &Fjall, n: u64) -> Cells {
    columns(db, 7, n)
}

fn columns(db: &Fjall, at: i64, n: u64) -> Cells {
    let wide = wide(db);
    for from in (0..n).step_by(1000) {
        let put = |row: Mutation, column: u64| row.put_at(("a", format!("{column:08}")), at, "value");
        wide.mutate(b"row", &(from..n.min(from + 1000)).fold(Mutation::new(), put)).unwrap();
    }
    wide
}
