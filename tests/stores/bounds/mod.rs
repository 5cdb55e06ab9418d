//! Time-outs, deadlines and tokens, in all that is built over stores: late calls are refused, calls that wait end in
//! time, and an operation of several calls has one deadline.

mod kept;
mod late;
mod one_call;
mod operations;
mod recovery;
mod said;
mod slow;
mod under_way;
mod waiting;

use std::sync::Arc;

use rowkey::nonblocking::{Blocking, Unblock};
use rowkey::store::{Database, Metered, RowBatch, Rows, Scan, SubStore};
use rowkey::wide::{CellsDatabase, OneColumn};
use rowkey::{Error, Memory};
use rowkey_fjall::Fjall;

type Db = Arc<dyn Database>;

fn is_late(error: &Error) -> bool {
    is_all(error, |error| matches!(error, Error::DeadlineExceeded { .. }))
}

fn is_cancelled(error: &Error) -> bool {
    is_all(error, |error| matches!(error, Error::Cancelled { .. }))
}

/// Of several writes all failed, for the same reason.
fn is_all(error: &Error, why: fn(&Error) -> bool) -> bool {
    match error {
        Error::Rows(rows) => rows.written() == 0 && rows.iter().all(|row| why(row.error())),
        error => why(error),
    }
}

/// A database, and the engine beneath it.
struct Engine {
    name: &'static str,
    base: Db,
    db: Db,
    _directory: Option<Directory>,
}

/// A directory that is gone at the end.
struct Directory(std::path::PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Databases of every kind, by a name that no other test takes.
fn engines(test: &str) -> Vec<Engine> {
    let over = |name, make: fn(Memory) -> Db| {
        let memory = Memory::new();
        Engine { name, db: make(memory.clone()), base: Arc::new(memory), _directory: None }
    };
    let directory = Directory(std::env::temp_dir().join(format!("rowkey-bounds-{test}-{}", std::process::id())));
    let fjall = Fjall::open(&directory.0).unwrap();
    vec![
        over("Memory", |memory| Arc::new(memory)),
        over("SubStore", |memory| Arc::new(SubStore::new(memory.table("all").unwrap()))),
        over("Metered", |memory| Arc::new(Metered::new(memory))),
        over("OneColumnDatabase", |memory| Arc::new(OneColumn::database(CellsDatabase::new(memory)))),
        over("OneColumnDatabase, asynchronous", |memory| {
            let wide = Unblock::new(CellsDatabase::new(memory));
            Arc::new(Blocking::new(OneColumn::database(wide)).unwrap())
        }),
        Engine { name: "Fjall", base: Arc::new(fjall.clone()), db: Arc::new(fjall), _directory: Some(directory) },
    ]
}

/// All rows of all tables.
fn rows(db: &dyn Database) -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    for name in db.tables().unwrap() {
        let (mut rows, mut batch) = (db.table(&name).unwrap().scan(&Scan::all()), RowBatch::new());
        loop {
            rows.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                break;
            }
            all.extend(batch.iter().map(|(key, value)| (name.clone(), key.to_vec(), value.to_vec())));
        }
    }
    all
}
