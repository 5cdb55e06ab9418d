//! Wide rows beside plain ones: what families, versions and deletes cost where there is one column to a row. And what a
//! secondary table costs beside a plain put, and how work on whole tables grows with their rows.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rowkey::jobs::ParallelScan;
use rowkey::secondary::Primary;
use rowkey::splits::Splits;
use rowkey::store::{Batch, Database, RowBatch, Rows, Scan, Store};
use rowkey::wide::{Cells, Column, Columns, FamilySchema, Mutation, TableSchema, WideStore};
use rowkey::{Memory, RowKey, Table};

use crate::measure::{Bench, OURS, Work, timed};
use crate::memory::{key, mix};

const PLAIN: &str = "plain";
const FIRST_PAGE: &str = "the first page";
const READS: usize = 100_000;

pub fn measure(bench: &mut Bench) {
    const GET: &str = "wide: get of one column";
    const SCAN: &str = "wide: scan of rows of one column";
    const INCREMENT: &str = "wide: increment";
    if [GET, SCAN, INCREMENT].iter().any(|name| bench.wants(name)) {
        let n = bench.size(1_000_000);
        let (plain, wide) = (plain(n), wide(n, 1));
        let reads = bench.size(READS);
        let some = |turn: u64| (0..reads as u64).map(move |read| key(mix(turn ^ read) % n as u64));
        let column = Columns::of("a:q");
        bench.measure(
            Work::new(GET, reads)
                .run(OURS, || some(1).for_each(|row| _ = black_box(wide.get(&row, &column).unwrap())))
                .run(PLAIN, || some(1).for_each(|row| _ = black_box(plain.get(&row).unwrap())))
                .goal(PLAIN, 2.0),
        );
        bench.measure(
            Work::new(SCAN, n)
                .run(OURS, || read(wide.scan(&Scan::all(), &Columns::all())))
                .run("one column asked for", || read(wide.scan(&Scan::all(), &column)))
                .run(PLAIN, || read(plain.scan(&Scan::all())))
                .goal(PLAIN, 2.5),
        );
        let counter = [(Column::from("a:counter"), 1)];
        bench.measure(
            Work::new(INCREMENT, reads)
                .run(OURS, || some(2).for_each(|row| _ = black_box(wide.increment(&row, &counter).unwrap())))
                .run("get and put", || {
                    some(2).for_each(|row| {
                        black_box(plain.get(&row).unwrap());
                        plain.write(Batch::new().put(row, [0; 8])).unwrap();
                    });
                })
                .goal("get and put", 3.0),
        );
    }
    page(bench);
    purge(bench);
    secondary(bench);
    parallel(bench);
}

/// Puts beside a plain put, in tables of 100,000 rows: of new rows, and of rows that move to another secondary key.
fn secondary(bench: &mut Bench) {
    const NEW: &str = "put kept in one secondary table";
    const MOVED: &str = "put that moves a row in its secondary table";
    if ![NEW, MOVED].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.size(100_000) as u64;
    let puts = bench.size(20_000) as u64;
    let plain: Table<u64, u64, _> = Table::open(Memory::new(), "plain").unwrap();
    let by_hand = Memory::new();
    let mut kept = Primary::<u64, u64, _>::open(Memory::new(), "kept").unwrap();
    let _by_value = kept.secondary("by_value", |id: &u64, value: &u64| [((*value, *id), ())]).unwrap();
    for row in 0..n {
        plain.put(&mix(row), &mix(!row)).unwrap();
        kept.put(&mix(row), &mix(!row)).unwrap();
        let (mut rows, mut by_value) = (Batch::new(), Batch::new());
        rows.put(mix(row).encode(), mix(!row).to_be_bytes());
        by_value.put((mix(!row), mix(row)).encode(), mix(row).to_be_bytes());
        by_hand.write(&[("rows", &rows), ("by_value", &by_value)]).unwrap();
    }
    let mut new = n;
    let mut new_rows = move || {
        new += puts;
        (new..new + puts).map(|row| (mix(row), mix(!row)))
    };
    let mut moved = 0;
    let mut moved_rows = move || {
        moved += 1;
        (0..puts).map(move |put| (mix(mix(moved ^ put) % n), mix(moved)))
    };
    let (mut new_too, mut new_by_hand, mut moved_too) = (new_rows, new_rows, moved_rows);
    let put_all =
        |rows: &mut dyn Iterator<Item = (u64, u64)>| rows.for_each(|(key, value)| kept.put(&key, &value).unwrap());
    let put_plain =
        |rows: &mut dyn Iterator<Item = (u64, u64)>| rows.for_each(|(key, value)| plain.put(&key, &value).unwrap());
    bench.measure(
        Work::new(NEW, puts as usize)
            .run(OURS, || put_all(&mut new_rows()))
            .run("a put", || put_plain(&mut new_too()))
            .run("by hand, one batch over both, nothing checked", || {
                new_by_hand().for_each(|(key, value): (u64, u64)| {
                    let (mut rows, mut by_value) = (Batch::new(), Batch::new());
                    rows.put(key.encode(), value.to_be_bytes());
                    by_value.put((value, key).encode(), key.to_be_bytes());
                    by_hand.write(&[("rows", &rows), ("by_value", &by_value)]).unwrap();
                });
            })
            .goal("a put", 2.5),
    );
    bench.measure(
        Work::new(MOVED, puts as usize)
            .run(OURS, || put_all(&mut moved_rows()))
            .run("a put", || put_plain(&mut moved_too())),
    );
}

/// A parallel scan by two threads, in proportion to a table's rows. The clock is the wall's.
fn parallel(bench: &mut Bench) {
    const PARALLEL: &str = "parallel scan, 2 threads, 16 parts, ns a row";
    if !bench.wants(PARALLEL) {
        return;
    }
    for rows in [10_000, 100_000, 1_000_000] {
        let n = bench.size(rows);
        let store = plain(n);
        let splits = Splits::uniform(16).unwrap();
        let scan = |in_order| {
            let start = Instant::now();
            let scan = ParallelScan::rows(Arc::clone(&store), splits.ranges()).threads(2).in_order(in_order);
            let read: usize = scan.start().map(|batch| batch.unwrap().len()).sum();
            assert_eq!(read, n);
            start.elapsed()
        };
        let one = || {
            let start = Instant::now();
            read(store.scan(&Scan::all()));
            start.elapsed()
        };
        let work = Work::new(PARALLEL, n).at(rows as u64);
        bench.measure(work.timed(OURS, || scan(true)).timed("not in order", || scan(false)).timed("one thread", one));
    }
}

/// Pages of a row of very many columns: the first, and one in the middle, from the column after the previous page.
fn page(bench: &mut Bench) {
    const PAGE: &str = "wide: a page of 50 columns in the middle of 100,000";
    if !bench.wants(PAGE) {
        return;
    }
    let n = bench.size(100_000) as u64;
    let wide = wide(0, 1);
    let name = |column: u64| format!("{column:06}");
    for from in (0..n).step_by(1000) {
        let columns = (from..n.min(from + 1000)).fold(Mutation::new(), |m, column| m.put(("a", name(column)), "value"));
        wide.mutate(b"row", &columns).unwrap();
    }
    let after = |column: u64| Columns::all().qualifier_range("a", name(column)..).limit(50);
    let (first, middle, by_number) = (after(0), after(n / 2), Columns::all().family("a").offset(n / 2).limit(50));
    bench.measure(
        Work::new(PAGE, 1)
            .run(OURS, || wide.get(b"row", &middle).unwrap())
            .run(FIRST_PAGE, || wide.get(b"row", &first).unwrap())
            .run("by its number", || wide.get(b"row", &by_number).unwrap())
            .goal(FIRST_PAGE, 3.0),
    );
}

/// A purge of rows, each of which has three versions and keeps one, in proportion to their number.
fn purge(bench: &mut Bench) {
    const PURGE: &str = "wide: purge, ns a row";
    if !bench.wants(PURGE) {
        return;
    }
    for rows in [10_000, 100_000, 1_000_000] {
        let n = bench.size(rows);
        let purge = || {
            let table = wide(n, 3);
            timed(|| table.purge().run().unwrap()).0
        };
        bench.measure(Work::new(PURGE, n).at(rows as u64).timed(OURS, purge));
    }
}

fn read(mut rows: Box<dyn Rows>) {
    let mut batch = RowBatch::new();
    loop {
        rows.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            return;
        }
        batch.iter().for_each(|row| _ = black_box(row));
    }
}

fn plain(rows: usize) -> Arc<dyn Store> {
    let store = Memory::new().table("plain").unwrap();
    (0..rows as u64).for_each(|row| store.write(Batch::new().put(key(row), [7; 32])).unwrap());
    store
}

fn wide(rows: usize, versions: i64) -> Cells {
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let wide = Cells::open(&Memory::new(), "wide", &schema).unwrap();
    for row in 0..rows as u64 {
        let mutation = (1..=versions).fold(Mutation::new(), |mutation, at| mutation.put_at("a:q", at, [7; 32]));
        wide.mutate(&key(row), &mutation).unwrap();
    }
    wide
}
