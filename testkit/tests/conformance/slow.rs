//! Both suites, through both faces of an engine at the end of a bad line.

use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::Memory;
use rowkey::conformance::{async_database, async_wide_database};
use rowkey::nonblocking::BoxFuture;
use rowkey::wide::{CellsDatabase, OneColumn};
use rowkey_testkit::Slow;
use tokio::runtime::Runtime;

/// A runtime, and what runs futures there.
fn spawn() -> impl Fn(BoxFuture<'static, ()>) + Send + Sync {
    let runtime = Runtime::new().unwrap();
    move |future| drop(runtime.spawn(future))
}

#[test]
fn a_slow_engine() {
    let seed = AtomicU64::new(0);
    async_database(|| Slow::new(Memory::new(), seed.fetch_add(1, Ordering::Relaxed)), spawn());
}

#[test]
fn a_slow_engine_of_wide_tables() {
    let seed = AtomicU64::new(0);
    async_wide_database(|| Slow::new(CellsDatabase::new(Memory::new()), seed.fetch_add(1, Ordering::Relaxed)), spawn());
}

#[test]
fn one_column_of_a_slow_engine() {
    let seed = AtomicU64::new(0);
    let wide = || Slow::new(CellsDatabase::new(Memory::new()), seed.fetch_add(1, Ordering::Relaxed));
    async_database(|| OneColumn::database(wide()), spawn());
}
