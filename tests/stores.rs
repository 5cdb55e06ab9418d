//! Every store and database of the crate, and every pointer to one, held to its laws.

use std::sync::Arc;

use rowkey::conformance;
use rowkey::store::{Database, Memory, Store, SubStore};

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").expect("memory opens any table")
}

#[test]
fn memory() {
    conformance::database(Memory::new);
}

#[test]
fn a_table_of_memory() {
    conformance::store(table);
}

#[test]
fn pointers_to_a_store() {
    conformance::store(|| Box::new(table()));
    conformance::store(|| Arc::new(table()));
    conformance::store(|| -> &'static dyn Store { Box::leak(Box::new(table())) });
}

#[test]
fn pointers_to_a_database() {
    conformance::database(|| -> Box<dyn Database> { Box::new(Memory::new()) });
    conformance::database(|| -> Arc<dyn Database> { Arc::new(Memory::new()) });
    conformance::database(|| -> &'static Memory { Box::leak(Box::new(Memory::new())) });
}

#[test]
fn sub_store() {
    conformance::database(|| SubStore::new(table()));
}

#[test]
fn a_table_of_a_sub_store_among_others() {
    conformance::store(|| {
        let database = SubStore::new(table());
        for neighbour in ["", "a", "a\0", "aa", "b"] {
            let rows = database.table(neighbour).unwrap();
            rows.compare_and_write(b"\0", None, Some(b"a neighbour's")).unwrap();
            rows.compare_and_write(b"\xff\xff\xff", None, Some(b"a neighbour's")).unwrap();
        }
        database.table("a\x01").unwrap()
    });
}

#[test]
fn sub_store_in_a_sub_store() {
    conformance::database(|| SubStore::new(SubStore::new(table()).table("inner").unwrap()));
}
