//! Calls that wait: for the body of a transaction, for a lock that a killed writer has left, for a thread that reads.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rowkey::jobs::ParallelScan;
use rowkey::merge::{MergedRows, Prefetch};
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{CallOptions, Cancel, Database, RowBatch, Rows, Store};
use rowkey::{Error, KeyRange, Memory, Table};
use rowkey_testkit::{Failing, WITHOUT};

use crate::bounds::operations::{Operation, operations};
use crate::bounds::{Db, engines, is_cancelled, is_late, rows};

/// How long the body of a transaction waits for calls that should end before.
const PATIENCE: Duration = Duration::from_secs(20);
const SOON: Duration = Duration::from_millis(50);

/// Does something while the body of a transaction over all tables runs.
fn while_a_body_runs<T>(base: &Db, work: impl FnOnce() -> T) -> T {
    let names = base.tables().unwrap();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    thread::scope(|scope| {
        let (tell_inside, inside) = channel();
        let (end, ended) = channel::<()>();
        let names = &names;
        let body = scope.spawn(move || {
            base.transact(names, &mut |_| {
                tell_inside.send(()).unwrap();
                let waited = ended.recv_timeout(PATIENCE);
                assert_eq!(waited, Err(RecvTimeoutError::Disconnected), "what should have ended waits for this body");
                Ok(Vec::new())
            })
        });
        inside.recv_timeout(PATIENCE).unwrap();
        let answer = work();
        drop(end);
        body.join().unwrap().unwrap();
        answer
    })
}

/// What each operation returns if it runs, with all others, while a transaction has every table.
fn all_at_once(base: &Db, all: &[Operation], meanwhile: impl FnOnce()) -> Vec<Result<(), Error>> {
    while_a_body_runs(base, || {
        thread::scope(|scope| {
            let running: Vec<_> = all.iter().map(|operation| scope.spawn(|| (operation.run)())).collect();
            meanwhile();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    })
}

/// The reason is this one, also of writes whose outcome is not known.
fn is_or_may_be(error: &Error, why: fn(&Error) -> bool) -> bool {
    match error {
        Error::OutcomeUnknown { source, .. } => why(source),
        Error::Rows(rows) => rows.iter().all(|row| is_or_may_be(row.error(), why)),
        error => why(error),
    }
}

fn end_in_time(test: &str, bounds: impl Fn(&Cancel) -> CallOptions, why: fn(&Error) -> bool) {
    for engine in engines(test) {
        let cancel = Cancel::new();
        let all = operations(&engine.db, &bounds(&cancel));
        let before = rows(&*engine.base);
        let meanwhile = || {
            thread::sleep(SOON);
            cancel.cancel();
        };
        for (operation, answer) in all.iter().zip(all_at_once(&engine.base, &all, meanwhile)) {
            let name = operation.name;
            match answer {
                // Reads do not wait, unless a busy machine lets them.
                Ok(()) => assert!(!operation.writes, "{name} of {} has written", engine.name),
                // A busy machine may not tell in time that the thread of a write has ended without having written.
                Err(error) if operation.writes && engine.name.ends_with("asynchronous") => {
                    assert!(is_or_may_be(&error, why), "{name} of {}: {error}", engine.name);
                }
                Err(error) => assert!(why(&error), "{name} of {}: {error}", engine.name),
            }
        }
        assert_eq!(rows(&*engine.base), before, "{}", engine.name);
        for operation in operations(&engine.db, CallOptions::none()) {
            let answer = (operation.run)();
            assert!(answer.is_ok(), "{} of {}: {answer:?}", operation.name, engine.name);
        }
    }
}

#[test]
fn an_operation_that_waits_ends_by_its_time_out() {
    end_in_time("waits-timeout", |_| CallOptions::new().timeout(SOON), is_late);
}

#[test]
fn an_operation_that_waits_ends_by_its_deadline() {
    // Where a busy machine takes longer to open all tables, the operations are late before they begin, and refused as
    // well.
    end_in_time("waits-deadline", |_| CallOptions::new().deadline(Instant::now() + 10 * SOON), is_late);
}

#[test]
fn an_operation_that_waits_ends_when_it_is_cancelled() {
    end_in_time("waits-cancel", |cancel| CallOptions::new().cancel(cancel), is_cancelled);
}

#[test]
fn an_update_that_never_comes_through_ends() {
    let table = Table::<u8, i64, _>::open(Memory::new(), "t").unwrap();
    let update = |options: &CallOptions, each: &mut dyn FnMut()| {
        table.with_options(options).update(&1, |n| {
            each();
            // Somebody else is always faster.
            thread::scope(|scope| scope.spawn(|| table.increment(&1, 1).unwrap()).join().unwrap());
            n
        })
    };
    let answer = update(&CallOptions::new().timeout(SOON), &mut || ());
    assert!(answer.as_ref().is_err_and(is_late), "{answer:?}");
    let (cancel, mut tries) = (Cancel::new(), 0);
    let answer = update(&CallOptions::new().cancel(&cancel), &mut || {
        tries += 1;
        if tries == 5 {
            cancel.cancel();
        }
    });
    assert!(answer.as_ref().is_err_and(is_cancelled), "{answer:?}");
    assert_eq!(tries, 5);
}

/// A write that was killed has locked its row; the next one waits for it.
#[test]
fn a_write_that_waits_for_a_killed_one_ends() {
    let keys = || Conversion::keys(|n: u8| (n,), |(n,): (u8,)| n);
    let open = |db: Failing| Migration::<u8, i64, (u8,), i64, _>::open(db, "move", "old", "moved", keys());
    let waits = &|killed_at| {
        let memory = Memory::new();
        let plain = open(Failing::never(&memory, WITHOUT)).unwrap();
        let dying = Failing::never(&memory, WITHOUT);
        let moving = open(dying.clone()).unwrap();
        dying.die_after(killed_at);
        if moving.put(&(1,), &1).is_ok() {
            return false;
        }
        // Those that have no lock to wait for, or find one to finish, are not late.
        match plain.with_options(&CallOptions::new().timeout(SOON)).put(&(1,), &2) {
            Ok(()) => return false,
            Err(error) => assert!(is_late(&error), "killed at {killed_at}: {error}"),
        }
        let cancel = Cancel::new();
        let begun = Instant::now();
        thread::scope(|scope| {
            let waits = plain.with_options(&CallOptions::new().cancel(&cancel));
            let waits = scope.spawn(move || waits.put(&(1,), &2));
            thread::sleep(SOON);
            cancel.cancel();
            assert!(waits.join().unwrap().is_err_and(|error| is_cancelled(&error)));
        });
        assert!(begun.elapsed() < PATIENCE);
        true
    };
    let waited = thread::scope(|scope| {
        // All wait at the same time.
        let threads: Vec<_> = (0..30).map(|killed_at| scope.spawn(move || waits(killed_at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|waited| *waited).count()
    });
    assert!(waited > 0);
}

/// A claim to a secondary key by a write that was killed is looked at again and again.
#[test]
fn a_claim_that_waits_for_a_killed_one_ends() {
    let open = |db: Failing| {
        let mut users = Primary::<u8, String, _>::open(db, "users")?;
        users.secondary("users.by", |_: &u8, name: &String| [(name.clone(), ())])?;
        Ok::<_, Error>(users)
    };
    let mut waited = 0;
    for killed_at in 0..30 {
        let memory = Memory::new();
        let plain = open(Failing::never(&memory, WITHOUT)).unwrap();
        let dying = Failing::never(&memory, WITHOUT);
        let users = open(dying.clone()).unwrap();
        dying.die_after(killed_at);
        if users.put(&1, &"ada".into()).is_ok() {
            break;
        }
        // Twenty looks, a millisecond apart, are more.
        let late = plain.with_options(&CallOptions::new().timeout(Duration::from_millis(10)));
        match late.put(&2, &"ada".into()) {
            Ok(()) | Err(Error::SecondaryConflict { .. }) => {}
            Err(error) => {
                assert!(is_late(&error), "{error}");
                waited += 1;
            }
        }
    }
    assert!(waited > 0);
}

/// A scan that reads nothing before it is let.
#[derive(Clone, Default)]
struct Stuck(Arc<(Mutex<bool>, Condvar)>);

impl Stuck {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

impl Rows for Stuck {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let open = self.0.0.lock().unwrap();
        let (_open, late) = self.0.1.wait_timeout_while(open, PATIENCE, |open| !*open).unwrap();
        assert!(!late.timed_out(), "nobody lets it read");
        Ok(())
    }
}

#[test]
fn a_reader_does_not_wait_for_a_thread_that_is_stuck() {
    let stuck = Stuck::default();
    let mut batch = RowBatch::new();
    let read = |options: &CallOptions, batch: &mut RowBatch| {
        let mut rows = Prefetch::new(Box::new(stuck.clone()), 2).options(options, "t");
        let answer = rows.next_batch(batch);
        assert!(rows.next_batch(batch).is_ok() && batch.is_empty(), "after the error it has ended");
        answer
    };
    let late = CallOptions::new().timeout(Duration::from_millis(5));
    let error = read(&late, &mut batch).unwrap_err();
    assert_eq!(error.to_string(), "deadline exceeded: scan, table \"t\"");
    let cancel = Cancel::new();
    thread::scope(|scope| {
        let reads = scope.spawn(|| read(&CallOptions::new().cancel(&cancel), &mut RowBatch::new()));
        cancel.cancel();
        assert!(reads.join().unwrap().is_err_and(|error| is_cancelled(&error)));
    });
    let sources = [0, 1].map(|_| Box::new(stuck.clone()) as Box<dyn Rows>);
    let mut merged = MergedRows::new(sources).prefetch(2).options(&late, "t");
    assert!(merged.next_row().is_err_and(|error| is_late(&error)));
    stuck.open();
    assert!(read(CallOptions::none(), &mut batch).is_ok());
}

#[test]
fn a_parallel_scan_does_not_wait_longer_than_it_may() {
    // The threads read on only when the one who waits for them is told that it is late.
    let cancel = Cancel::new();
    let ranges = ["a", "b"].map(KeyRange::prefix).to_vec();
    let token = cancel.clone();
    let scan = ParallelScan::new(ranges, move |_| {
        let token = token.clone();
        let options = CallOptions::new().cancel(&token);
        Box::new(std::iter::once_with(move || options.begin("test", "t")?.sleep(PATIENCE)))
    });
    let mut scan = scan.threads(2).options(&CallOptions::new().cancel(&cancel)).start();
    thread::scope(|scope| {
        let reads = scope.spawn(move || (scan.next(), scan.next().is_none()));
        cancel.cancel();
        let (first, ended) = reads.join().unwrap();
        assert!(ended && first.unwrap().is_err_and(|error| is_cancelled(&error)));
    });

    let table = Table::<u8, i64, _>::open(Memory::new(), "t").unwrap();
    (0..100).for_each(|n| table.put(&n, &0).unwrap());
    let cancel = Cancel::new();
    let store = table.store().with_options(&CallOptions::new().cancel(&cancel));
    let mut scan = ParallelScan::rows(store, ["\0", "\x01", "\x02"].map(KeyRange::prefix).to_vec()).start();
    assert!(scan.next().is_some_and(|batch| batch.is_ok()));
    cancel.cancel();
    // Though more was read.
    assert!(scan.next().is_some_and(|batch| batch.is_err_and(|error| is_cancelled(&error))));
    assert!(scan.next().is_none());
}
