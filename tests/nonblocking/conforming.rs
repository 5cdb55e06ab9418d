//! Both conformance suites, through both faces of an engine.

use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::Memory;
use rowkey::conformance;
use rowkey::nonblocking::{Blocking, Unblock};
use rowkey::wide::CellsDatabase;
use rowkey_testkit::Slow;

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

#[test]
fn a_slow_engine() {
    let seed = AtomicU64::new(0);
    conformance::database(|| Blocking::new(Slow::new(Memory::new(), seed.fetch_add(1, Ordering::Relaxed))).unwrap());
}

#[test]
fn a_slow_engine_of_wide_tables() {
    let seed = AtomicU64::new(0);
    conformance::wide_database(|| {
        let cells = CellsDatabase::new(Memory::new());
        Blocking::new(Slow::new(cells, seed.fetch_add(1, Ordering::Relaxed))).unwrap()
    });
}
