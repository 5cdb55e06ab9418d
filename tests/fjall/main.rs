//! The engine on disk: its laws, what it outlives, what it refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::conformance;
use rowkey::store::{Database, Fjall, Store, SubStore};
use rowkey::wide::{Cells, CellsDatabase};
use tempfile::TempDir;

/// A database in a directory that goes with the process.
fn database() -> Fjall {
    static DIRECTORY: std::sync::LazyLock<TempDir> = std::sync::LazyLock::new(|| tempfile::tempdir().unwrap());
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    Fjall::open(DIRECTORY.path().join(next)).unwrap()
}

fn table() -> Arc<dyn Store> {
    database().table("rows").unwrap()
}

#[test]
fn a_database() {
    conformance::database(database);
}

#[test]
fn pointers() {
    conformance::database(|| -> Box<dyn Database> { Box::new(database()) });
    conformance::database(|| Arc::new(database()));
    conformance::store(|| Box::new(table()));
}

#[test]
fn a_table_and_tables_in_it() {
    conformance::store(table);
    conformance::database(|| SubStore::new(table()));
}

#[test]
fn wide_tables() {
    conformance::wide_database(|| CellsDatabase::new(database()));
    conformance::wide(|schema| Cells::over(table(), schema.clone()).unwrap());
}
