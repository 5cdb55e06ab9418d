//! Both conformance suites, through both faces of an engine.

use rowkey::Memory;
use rowkey::conformance::{async_database, async_wide_database};
use rowkey::nonblocking::{BoxFuture, Unblock};
use rowkey::wide::{CellsDatabase, OneColumn};
use tokio::runtime::Runtime;

/// A runtime, and what runs futures there.
fn spawn() -> impl Fn(BoxFuture<'static, ()>) + Send + Sync {
    let runtime = Runtime::new().unwrap();
    move |future| drop(runtime.spawn(future))
}

#[test]
fn memory_in_the_pool() {
    async_database(|| Unblock::new(Memory::new()), spawn());
}

#[test]
fn memory_in_place() {
    async_database(|| Unblock::in_place(Memory::new()), spawn());
}

#[test]
fn cells_in_the_pool() {
    async_wide_database(|| Unblock::new(CellsDatabase::new(Memory::new())), spawn());
}

#[test]
fn one_column_of_cells_in_the_pool() {
    async_database(|| OneColumn::database(Unblock::new(CellsDatabase::new(Memory::new()))), spawn());
}
