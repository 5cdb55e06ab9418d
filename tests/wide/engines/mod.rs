//! Wide stores that return what HBase and Bigtable return. They are compared with the recorded results, then run the
//! suite, each with its own guarantees; and the suite names the law where a store declares what it does not keep.

mod bigtable;
mod declared;
mod engine;
mod hbase;
mod modest;
mod replay;

use std::sync::atomic::{AtomicI64, Ordering};

use bigtable::Bigtable;
use engine::Double;
use hbase::Hbase;
use rowkey::clock::{Clock, SystemClock};
use rowkey::wide::{Cells, FamilySchema, OneColumn, TableSchema};
use rowkey::{Memory, conformance};

fn hbase(schema: &TableSchema) -> Double<Hbase> {
    Double::new(schema, Hbase::new)
}

/// One in which no two writes have the same time, as that of an adapter which waits after each delete.
fn of_other_milliseconds(schema: &TableSchema) -> Double<Hbase> {
    let last = AtomicI64::new(0);
    let mut store = hbase(schema).with_clock(move || {
        last.fetch_max(SystemClock.now(), Ordering::Relaxed);
        last.fetch_add(1, Ordering::Relaxed)
    });
    store.guarantees.put_after_delete = true;
    store
}

fn bigtable(schema: &TableSchema) -> Double<Bigtable> {
    Double::new(schema, Bigtable::new)
}

fn cells(schema: &TableSchema) -> Cells {
    Cells::open(&Memory::new(), "t", schema).unwrap()
}

#[test]
fn what_answers_as_hbase_passes() {
    conformance::wide(hbase);
}

#[test]
fn what_answers_as_bigtable_passes() {
    conformance::wide(bigtable);
}

#[test]
fn what_a_purge_leaves() {
    conformance::wide_purge(cells, |cells| drop(cells.purge().run().unwrap()));
    conformance::wide_purge(hbase, |store| {
        store.engine(|engine, now| {
            engine.flush(now);
            engine.major_compact(now);
        });
    });
    conformance::wide_purge(bigtable, |store| store.engine(|engine, now| engine.collect(now * 1000)));
}

#[test]
fn one_column_of_what_answers_as_bigtable_or_hbase_is_a_store() {
    let schema = TableSchema::new().family("v", FamilySchema::new());
    conformance::store(|| OneColumn::new(bigtable(&schema), "v:"));
    conformance::store(|| OneColumn::new(of_other_milliseconds(&schema), "v:"));
}
