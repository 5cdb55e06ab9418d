//! Both conformance suites, through both faces of an engine.

use rowkey::Memory;
use rowkey::conformance;
use rowkey::nonblocking::{Blocking, Unblock};
use rowkey::wide::CellsDatabase;

#[test]
fn memory_in_the_pool() {
    conformance::database(|| Blocking::new(Unblock::new(Memory::new())).unwrap());
}

#[test]
fn memory_in_place() {
    conformance::database(|| Blocking::new(Unblock::in_place(Memory::new())).unwrap());
}

#[test]
fn cells_in_the_pool() {
    conformance::wide_database(|| Blocking::new(Unblock::new(CellsDatabase::new(Memory::new()))).unwrap());
}
