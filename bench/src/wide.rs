//! Wide rows beside plain ones: what families, versions and deletes cost where there is one column to a row.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

use rowkey::Memory;
use rowkey::store::{Batch, Database, RowBatch, Rows, Scan, Store};
use rowkey::wide::{Cells, Column, Columns, FamilySchema, Mutation, TableSchema, WideStore};

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
}

/// Pages of a row of very many columns: the first, and one in the middle, from the column behind the page before it.
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
            timed(|| table.purge(None, |_| ControlFlow::Continue(())).unwrap()).0
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
