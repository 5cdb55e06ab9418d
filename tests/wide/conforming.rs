//! Every wide store and database of the crate, and every pointer to one, held to its laws.

use std::sync::Arc;

use rowkey::Memory;
use rowkey::conformance;
use rowkey::store::{Database, Store, SubStore};
use rowkey::wide::{Cells, CellsDatabase, TableSchema, WideDatabase, WideStore};
use rowkey_testkit::Restrict;

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").unwrap()
}

fn cells(schema: &TableSchema) -> Cells {
    Cells::open(&Memory::new(), "rows", schema).unwrap()
}

#[test]
fn memory() {
    conformance::wide_database(|| CellsDatabase::new(Memory::new()));
}

#[test]
fn sub_store() {
    conformance::wide_database(|| CellsDatabase::new(SubStore::new(table())));
}

#[test]
fn over_a_store() {
    conformance::wide(|schema| Cells::over(table(), schema.clone()).unwrap());
}

#[test]
fn pointers() {
    // One over another: what any of them does not pass on is missing at the top.
    conformance::wide(|schema| -> Box<dyn WideStore> {
        let leaked: &'static dyn WideStore = Box::leak(Box::new(cells(schema)));
        let shared: Arc<dyn WideStore> = Arc::new(leaked);
        Box::new(shared)
    });
    conformance::wide_database(|| -> Box<dyn WideDatabase> { Box::new(CellsDatabase::new(Memory::new())) });
}

#[test]
fn over_a_modest_store() {
    conformance::wide_database(|| CellsDatabase::new(SubStore::new(Restrict::none(table()))));
}
