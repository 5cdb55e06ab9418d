//! Every closure that is part of a write, and every write to the same database inside it, on every engine: refused,
//! soon, and the write that the closure is part of goes on.

mod closures;
mod mixed;
mod readers;
mod writes;

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use closures::CLOSURES;
use rowkey::Error;
use rowkey::nonblocking::{Blocking, Unblock};
use rowkey::store::{Database, Memory, Metered, SubStore};
use rowkey::wide::{CellsDatabase, OneColumn};
use rowkey_fjall::{Durability, Fjall};
use rowkey_testkit::{Failing, WITHOUT, every};
use tempfile::TempDir;
use writes::{WRITES, make_tables};

/// A database of any kind, as the closures and writes of this test use it.
type Db = Arc<dyn Database>;

fn fjall() -> Fjall {
    static DIRECTORY: LazyLock<TempDir> =
        LazyLock::new(|| tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap());
    let directory = tempfile::tempdir_in(DIRECTORY.path()).unwrap();
    Fjall::open(directory.keep()).unwrap()
}

fn engines() -> Vec<(&'static str, Db)> {
    let boxed: Box<dyn Database> = Box::new(Memory::new());
    vec![
        ("memory", Arc::new(Memory::new())),
        ("fjall", Arc::new(fjall())),
        ("fjall, synced", Arc::new(fjall().durability(Durability::Synced))),
        ("a box", Arc::new(boxed)),
        ("metered", Arc::new(Metered::new(Memory::new()))),
        ("metered fjall", Arc::new(Metered::new(fjall()))),
        ("a table of memory", Arc::new(SubStore::new(Memory::new().table("beneath").unwrap()))),
        ("a table of fjall", Arc::new(SubStore::new(fjall().table("beneath").unwrap()))),
        ("without transactions", Arc::new(Failing::never(&Memory::new(), WITHOUT))),
        ("columns", Arc::new(OneColumn::database(CellsDatabase::new(Memory::new())))),
        (
            "asynchronous columns",
            Arc::new(Blocking::new(OneColumn::database(Unblock::new(CellsDatabase::new(Memory::new())))).unwrap()),
        ),
    ]
}

/// Runs it in a thread; fails by the name of the step that did not return.
fn in_time(run: impl FnOnce(&dyn Fn(String)) + Send + 'static) {
    const PATIENCE: Duration = Duration::from_secs(30);
    let (tell, told) = channel();
    let running = thread::spawn(move || run(&|step| tell.send(step).unwrap()));
    let mut step = String::new();
    loop {
        match told.recv_timeout(PATIENCE) {
            Ok(next) => step = next,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => panic!("{step} has not returned after {PATIENCE:?}"),
        }
    }
    if let Err(panic) = running.join() {
        resume_unwind(panic)
    }
}

#[test]
fn every_write_is_refused_inside_every_closure() {
    in_time(|tell| {
        // In turn, so that each write is tried inside each closure on some engines, and on each engine inside some
        // closures.
        let step = every(3);
        for (nth, (engine, db)) in engines().into_iter().enumerate() {
            let transactions = db.guarantees().transactions;
            make_tables(&db);
            for (at, closure) in CLOSURES.iter().enumerate().filter(|(_, closure)| transactions || !closure.transaction)
            {
                let writes = WRITES.iter().skip((nth + at) % step).step_by(step);
                for write in writes.filter(|write| transactions || !write.transaction) {
                    let step = format!("{} inside {}, {engine},", write.name, closure.name);
                    tell(step.clone());
                    let answers: Arc<Mutex<Vec<Result<(), Error>>>> = Arc::default();
                    let inside = {
                        let (db, answers) = (Arc::clone(&db), Arc::clone(&answers));
                        Arc::new(move || answers.lock().unwrap().push((write.run)(&db)))
                    };
                    (closure.run)(&db, inside).unwrap_or_else(|error| panic!("{step} fails the closure's: {error}"));
                    let answers = answers.lock().unwrap();
                    assert!(!answers.is_empty(), "{step}: the closure did not run");
                    for answer in &*answers {
                        assert!(matches!(answer, Err(Error::Reentrant { .. })), "{step}: {answer:?}");
                    }
                }
            }
            for write in WRITES.iter().filter(|write| transactions || !write.transaction) {
                let step = format!("{} after all, {engine},", write.name);
                tell(step.clone());
                (write.run)(&db).unwrap_or_else(|error| panic!("{step}: {error}"));
            }
        }
    });
}

/// A closure of one database writes to another one as ever.
#[test]
fn another_database_is_written_inside_every_closure() {
    in_time(|tell| {
        for ((engine, db), (_, other)) in engines().into_iter().zip(engines()) {
            let transactions = db.guarantees().transactions;
            make_tables(&db);
            make_tables(&other);
            for closure in CLOSURES.iter().filter(|closure| transactions || !closure.transaction) {
                let step = format!("a put to another database inside {}, {engine},", closure.name);
                tell(step.clone());
                let inside = {
                    let (other, step) = (Arc::clone(&other), step.clone());
                    Arc::new(move || (WRITES[0].run)(&other).unwrap_or_else(|error| panic!("{step}: {error}")))
                };
                (closure.run)(&db, inside).unwrap_or_else(|error| panic!("{step}: {error}"));
            }
        }
    });
}

/// A wide table of the same engine is as its plain ones.
#[test]
fn a_database_beneath_and_one_beside_are_the_same_engine() {
    in_time(|tell| {
        let memory = Memory::new();
        let beneath = memory.table("beneath").unwrap();
        let (one, other) = (SubStore::new(Arc::clone(&beneath)), SubStore::new(beneath));
        let dbs: [Db; 3] = [Arc::new(memory), Arc::new(one), Arc::new(other)];
        dbs.iter().for_each(make_tables);
        for outer in &dbs {
            for inner in &dbs {
                for write in WRITES {
                    tell(format!("{} of another handle", write.name));
                    let mut refused = false;
                    let table = outer.table("rows").unwrap();
                    let transacted = table.transact(&mut |_| {
                        refused = matches!((write.run)(inner), Err(Error::Reentrant { .. }));
                        Ok(rowkey::store::Batch::new())
                    });
                    transacted.unwrap();
                    assert!(refused, "{}", write.name);
                }
            }
        }
    });
}

#[test]
fn the_error_says_which_table_and_what_to_do() {
    let db = Memory::new();
    let table = db.table("users").unwrap();
    let _inside = db.id().enter();
    let error = table.increment(b"k", 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "can't write to [\"users\"] inside a closure that is part of a write to the same database: return the write from \
         the closure, or write after it"
    );
    assert!(matches!(error, Error::Reentrant { tables } if tables == ["users"]));
}
