//! The engine on disk: its laws, what it survives, what it refuses.

mod damage;
mod dropped;
mod journal;
mod others;
#[cfg(target_os = "linux")]
mod power;
mod refused;
mod synced;

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use rowkey::conformance;
use rowkey::nonblocking::Unblock;
use rowkey::store::{Database, Store, SubStore};
use rowkey::wide::{Cells, CellsDatabase};
use rowkey_fjall::{Durability, Fjall};
use rowkey_testkit::{is_long, killed};
use tempfile::TempDir;
use tokio::runtime::{Handle, Runtime};

/// A directory for tests that create many databases which need not survive: in memory, where there is such a file
/// system.
fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// A database in a directory that is removed with the process.
fn database() -> Fjall {
    static DIRECTORY: LazyLock<TempDir> = LazyLock::new(in_memory);
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
    conformance::database(|| database().durability(Durability::Synced));
}

#[test]
fn pointers() {
    conformance::store(|| Box::new(table()));
    // What they point to has run the suite.
    if is_long() {
        conformance::database(|| -> Box<dyn Database> { Box::new(database()) });
        conformance::database(|| Arc::new(database()));
    }
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
    if is_long() {
        conformance::wide(|schema| Box::new(Cells::over(table(), schema.clone()).unwrap()));
        conformance::wide(|schema| Arc::new(Cells::over(table(), schema.clone()).unwrap()));
    }
}

#[test]
fn in_asynchronous_code() {
    let runtime = Runtime::new().unwrap();
    let spawn = |handle: Handle| move |future| drop(handle.spawn(future));
    conformance::async_database(|| Unblock::new(database()), spawn(runtime.handle().clone()));
    let cells = || Unblock::new(CellsDatabase::new(database()));
    conformance::async_wide_database(cells, spawn(runtime.handle().clone()));
}

/// The command that runs one test of this program as a process of its own.
fn only(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]);
    command
}

/// The environment variable with the directory to which a process of [`only`] writes.
const WRITES_TO: &str = "ROWKEY_TEST_WRITES_TO";

#[test]
fn what_was_answered_outlives_the_process() {
    if let Some(directory) = std::env::var_os(WRITES_TO) {
        killed::write_on(&Fjall::open(directory).unwrap());
    }
    let directory = tempfile::tempdir().unwrap();
    killed::kill(
        10,
        || Fjall::open(directory.path()).unwrap(),
        || {
            let mut child = only("what_was_answered_outlives_the_process");
            child.env(WRITES_TO, directory.path());
            child
        },
    );
}
