//! Laws of handles with options: deadlines, timeouts, cancellation.
//!
//! To make calls wait, they are made while the body of another transaction runs. It ends when they have returned, or
//! when that has taken too long.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::laws::{Model, compare, done, equal, fill, holds, put, refused};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, CallOptions, Cancel, Database, NewTable, RowBatch, Rows, Scan, Store};

const DEADLINE: &str = "deadline";
const CANCEL: &str = "cancel";
const WAITS: &str = "waits-in-bounds";

/// The time for which the body of a transaction waits for calls that must end earlier.
const PATIENCE: Duration = Duration::from_secs(20);

/// The timeout of calls that wait, and when the others are cancelled.
const SOON: Duration = Duration::from_millis(50);

/// The errors with which a call may end.
type Why = fn(&Error) -> bool;

pub(crate) fn is_late(error: &Error) -> bool {
    matches!(error, Error::DeadlineExceeded { .. })
}

pub(crate) fn is_cancelled(error: &Error) -> bool {
    matches!(error, Error::Cancelled { .. })
}

/// Options of calls that are late before they begin.
pub(crate) fn late() -> [(&'static str, CallOptions); 3] {
    let hour = Duration::from_secs(3600);
    [
        ("a deadline that has passed", CallOptions::new().deadline(Instant::now())),
        ("a timeout of nothing", CallOptions::new().timeout(Duration::ZERO).deadline(Instant::now() + hour)),
        ("a deadline before the timeout", CallOptions::new().deadline(Instant::now()).timeout(hour)),
    ]
}

/// Bounds that no call of the suite reaches.
pub(crate) fn far() -> CallOptions {
    let hour = Duration::from_secs(3600);
    CallOptions::new().timeout(hour).deadline(Instant::now() + 2 * hour).cancel(&Cancel::new())
}

/// The next batch is an error, and then the scan has ended.
#[track_caller]
pub(crate) fn scan_refused(law: &str, what: &str, rows: &mut dyn Rows, why: fn(&Error) -> bool) {
    let mut batch = RowBatch::new();
    batch.push(b"left over", b"from before");
    refused(law, what, rows.next_batch(&mut batch), why);
    for _ in 0..3 {
        done(law, rows.next_batch(&mut batch));
        holds(law, batch.is_empty(), format_args!("{what}: rows come after the error"));
    }
}

fn one(key: &str, value: &str) -> Batch {
    std::mem::take(Batch::new().put(key, value))
}

/// Every call is refused.
#[track_caller]
fn all_refused(law: &str, store: &dyn Store, why: fn(&Error) -> bool) {
    let guarantees = store.guarantees();
    refused(law, "a get", store.get(b"a"), why);
    refused(law, "a get of many rows", store.get_many(&[b"a", b"absent"]), why);
    for reverse in [false, true] {
        scan_refused(law, "a scan", &mut *store.scan(&Scan::all().reverse(reverse)), why);
    }
    refused(law, "a put", store.write(&one("new", "v")), why);
    refused(law, "a delete", store.write(Batch::new().delete("a")), why);
    refused(law, "a deletion of ranges", store.delete_ranges(&[KeyRange::prefix("a")]), why);
    refused(law, "a deletion of all rows", store.delete_ranges(&[KeyRange::all()]), why);
    if guarantees.increment {
        refused(law, "an increment", store.increment(b"new", 1), why);
    }
    if guarantees.compare_and_write {
        refused(law, "a compare-and-write", store.compare_and_write(b"new", None, Some(b"v")), why);
    }
    if guarantees.transactions {
        refused(law, "a transaction", store.transact(&mut |_| Ok(one("new", "v"))), why);
    }
}

/// A handle with options is a handle to the same table, and its calls succeed within the bounds.
fn goes_on(law: &str, handle: &dyn Store, model: &mut Model, key: &[u8]) {
    compare(law, handle, model, &Scan::all().batch_rows(3));
    put(handle, model, key, b"v");
    equal(law, "a row, read by a handle with options", done(law, handle.get(key)), Some(b"v".to_vec()));
    compare(law, handle, model, &Scan::all().reverse(true));
}

pub(super) fn deadlines(store: &dyn Store) {
    let mut model = fill(store);
    for (what, options) in late() {
        let handle = store.with_options(&options);
        equal(DEADLINE, format_args!("the options of a handle with {what}"), handle.options(), &options);
        equal(DEADLINE, "the id of a handle with options", handle.id(), store.id());
        equal(DEADLINE, "what a handle with options promises", handle.guarantees(), store.guarantees());
        all_refused(DEADLINE, &*handle, is_late);
        done(DEADLINE, store.get(b"a"));
        compare(DEADLINE, store, &model, &Scan::all());
        // Other options replace these.
        let again = handle.with_options(CallOptions::none());
        equal(DEADLINE, "the options of a handle without any", again.options(), CallOptions::none());
        goes_on(DEADLINE, &*again, &mut model, b"again");
        all_refused(DEADLINE, &*handle, is_late);
    }
    goes_on(DEADLINE, &*store.with_options(&far()), &mut model, b"far");
    put(store, &mut model, b"after", b"the deadlines of others");
    compare(DEADLINE, store, &model, &Scan::all());
}

pub(super) fn cancels(store: &dyn Store) {
    let mut model = fill(store);
    let cancel = Cancel::new();
    let options = CallOptions::new().cancel(&cancel);
    let handle = store.with_options(&options);
    equal(CANCEL, "the options of a handle", handle.options(), &options);
    goes_on(CANCEL, &*handle, &mut model, b"new");
    if store.guarantees().transactions {
        let own = Cancel::new();
        let answer = store.with_options(&CallOptions::new().cancel(&own)).transact(&mut |_| {
            own.cancel();
            Ok(one("of the body", "v"))
        });
        refused(CANCEL, "a transaction that is cancelled in its body", answer, is_cancelled);
        compare(CANCEL, store, &model, &Scan::all());
    }
    let mut open = [false, true].map(|reverse| handle.scan(&Scan::all().reverse(reverse).batch_rows(1)));
    let mut batch = RowBatch::new();
    for rows in &mut open {
        done(CANCEL, rows.next_batch(&mut batch));
        holds(CANCEL, batch.len() == 1, "a scan of one row a batch has another number");
    }
    cancel.cancel();
    for rows in &mut open {
        rows.skip_to(b"b");
        scan_refused(CANCEL, "an open scan", &mut **rows, is_cancelled);
    }
    all_refused(CANCEL, &*handle, is_cancelled);
    compare(CANCEL, store, &model, &Scan::all());
    let other = store.with_options(&CallOptions::new().cancel(&Cancel::new()));
    goes_on(CANCEL, &*other, &mut model, b"other");
    goes_on(CANCEL, store, &mut model, b"none");
}

/// A call that waits.
struct Waiter<'w> {
    what: &'static str,
    /// The error that it must end with.
    ends: Why,
    call: Box<dyn Fn() -> Result<(), Error> + Send + 'w>,
}

/// A transaction, given what its body calls.
type Transact<'t> = dyn Fn(&mut dyn FnMut()) -> Result<(), Error> + Sync + 't;

/// Runs `transact` with a body that ends when all waiters have returned. Returns which of them succeeded.
fn while_a_body_runs(transact: &Transact<'_>, waiters: Vec<Waiter<'_>>, cancel: &Cancel) -> Vec<bool> {
    let (count, mut answers) = (waiters.len(), Vec::new());
    answers.resize_with(count, || None);
    let ways: Vec<_> = waiters.iter().map(|waiter| (waiter.what, waiter.ends)).collect();
    thread::scope(|scope| {
        let (tell_inside, inside) = channel();
        let (end, ended) = sync_channel::<()>(1);
        let body = scope.spawn(move || {
            // When it is called again, it does not wait again.
            let mut first = Some(());
            transact(&mut || {
                if first.take().is_some() {
                    let _ = tell_inside.send(());
                    let _ = ended.recv_timeout(PATIENCE);
                }
            })
        });
        holds(WAITS, inside.recv_timeout(PATIENCE).is_ok(), "the body of a transaction is not called");
        let (tell, returned) = channel();
        for (at, waiter) in waiters.into_iter().enumerate() {
            let tell = tell.clone();
            scope.spawn(move || {
                let _ = tell.send((at, (waiter.call)()));
            });
        }
        thread::sleep(SOON);
        cancel.cancel();
        let patient_until = Instant::now() + PATIENCE / 2;
        while answers.iter().any(Option::is_none) {
            let left = patient_until.saturating_duration_since(Instant::now());
            let Ok((at, answer)) = returned.recv_timeout(left) else { break };
            answers[at] = Some(answer);
        }
        let _ = end.send(());
        match body.join() {
            Ok(answer) => done(WAITS, answer),
            Err(panic) => resume_unwind(panic),
        }
    });
    let answered = answers.into_iter().zip(ways).map(|(answer, (what, ends))| match answer {
        Some(Ok(())) => true,
        Some(answer) => {
            refused(WAITS, what, answer, ends);
            false
        }
        None => {
            holds(WAITS, false, format_args!("{what} has not returned while the body of another transaction runs"));
            false
        }
    });
    answered.collect()
}

/// A call by a handle, and the key that it writes.
type Call = (&'static str, bool, fn(&dyn Store, &[u8]) -> Result<(), Error>);

const CALLS: [Call; 5] = [
    ("a put", true, |store, key| store.write(Batch::new().put(key, "v"))),
    ("a deletion of ranges", true, |store, key| store.delete_ranges(&[KeyRange::point(key)])),
    ("an increment", false, |store, key| store.increment(key, 1).map(drop)),
    ("a compare-and-write", false, |store, key| store.compare_and_write(key, None, Some(b"v")).map(drop)),
    ("a transaction", true, |store, key| store.transact(&mut |_| Ok(std::mem::take(Batch::new().put(key, "v"))))),
];

pub(super) fn waits(store: &dyn Store) {
    let guarantees = store.guarantees();
    if !guarantees.transactions {
        return;
    }
    let cancel = Cancel::new();
    let bounds: [(_, Why); 2] =
        [(CallOptions::new().timeout(SOON), is_late), (CallOptions::new().cancel(&cancel), is_cancelled)];
    let (mut waiters, mut keys) = (Vec::new(), Vec::new());
    for (number, (options, ends)) in (b'0'..).zip(bounds) {
        for (at, (what, always, call)) in (b'0'..).zip(CALLS) {
            let declared = always
                || (what == "an increment" && guarantees.increment)
                || (what == "a compare-and-write" && guarantees.compare_and_write);
            if !declared {
                continue;
            }
            let (key, handle) = ([number, at], store.with_options(&options));
            if what == "a deletion of ranges" {
                done(WAITS, store.write(Batch::new().put(key, "v")));
            }
            keys.push((what, key));
            waiters.push(Waiter { what, ends, call: Box::new(move || call(&*handle, &key)) });
        }
    }
    let transact = |body: &mut dyn FnMut()| {
        store.transact(&mut |_| {
            body();
            Ok(one("of the body", "v"))
        })
    };
    let answered = while_a_body_runs(&transact, waiters, &cancel);
    for ((what, key), is_done) in keys.into_iter().zip(answered) {
        let is_there = done(WAITS, store.get(&key)).is_some();
        let should_be = is_done != (what == "a deletion of ranges");
        equal(WAITS, format_args!("whether {what}, done: {is_done}, has left a row"), is_there, should_be);
    }
    equal(WAITS, "the row of the body", done(WAITS, store.get(b"of the body")), Some(b"v".to_vec()));
    done(WAITS, store.write(&one("after", "v")));
    // A body that panicked must not block later callers, including those with bounds.
    let panicked =
        catch_unwind(AssertUnwindSafe(|| store.transact(&mut |_| resume_unwind(Box::new("the body's own")))));
    holds(WAITS, !matches!(panicked, Ok(Ok(()))), "a transaction whose body panicked is done");
    done(WAITS, store.with_options(&CallOptions::new().timeout(PATIENCE / 2)).write(&one("after", "a panic")));
}

/// Every call is refused.
#[track_caller]
fn database_refuses(law: &str, database: &dyn Database, why: fn(&Error) -> bool) {
    let guarantees = database.guarantees();
    refused(law, "an opening", database.table("a").map(drop), why);
    refused(law, "an opening that makes a table", database.table("ab").map(drop), why);
    refused(law, "an opening of a table that exists", database.open_table("a").map(drop), why);
    refused(law, "a creation", database.create_table("ab", &NewTable::new()).map(drop), why);
    refused(law, "the list of tables", database.tables(), why);
    refused(law, "a drop of a table", database.drop_table("a"), why);
    refused(law, "a write across tables", database.write(&[("a", &one("new", "v")), ("ab", &one("new", "v"))]), why);
    if guarantees.transactions && guarantees.batch >= Atomicity::Database {
        let answer = database.transact(&["a", "ab"], &mut |_| Ok(vec![one("new", "v")]));
        refused(law, "a transaction across tables", answer, why);
    }
}

/// For a database, and the tables that it opens.
pub(super) fn of_a_database(database: &dyn Database) {
    let a = done(DEADLINE, database.table("a"));
    let mut model = Model::new();
    put(&*a, &mut model, b"a", b"v");
    let unchanged = |law: &str, model: &Model| {
        compare(law, &*a, model, &Scan::all());
        equal(law, "the tables", done(law, database.tables()), vec!["a".to_owned()]);
    };
    for (what, options) in late() {
        let handle = database.with_options(&options);
        equal(DEADLINE, format_args!("the options of a database with {what}"), handle.options(), &options);
        equal(DEADLINE, "the id of a database with options", handle.id(), database.id());
        equal(DEADLINE, "what a database with options promises", handle.guarantees(), database.guarantees());
        database_refuses(DEADLINE, &*handle, is_late);
        unchanged(DEADLINE, &model);
        let again = handle.with_options(CallOptions::none());
        goes_on(DEADLINE, &*done(DEADLINE, again.table("a")), &mut model, b"again");
    }
    let options = far();
    let table = done(DEADLINE, database.with_options(&options).table("a"));
    equal(DEADLINE, "the options of a table of a database with options", table.options(), &options);
    goes_on(DEADLINE, &*table, &mut model, b"far");

    let cancel = Cancel::new();
    let handle = database.with_options(&CallOptions::new().cancel(&cancel));
    let table = done(CANCEL, handle.table("a"));
    goes_on(CANCEL, &*table, &mut model, b"new");
    if database.guarantees().transactions && database.guarantees().batch >= Atomicity::Database {
        let own = Cancel::new();
        let answer = database.with_options(&CallOptions::new().cancel(&own)).transact(&["a"], &mut |_| {
            own.cancel();
            Ok(vec![one("of the body", "v")])
        });
        refused(CANCEL, "a transaction across tables that is cancelled in its body", answer, is_cancelled);
        unchanged(CANCEL, &model);
    }
    cancel.cancel();
    database_refuses(CANCEL, &*handle, is_cancelled);
    all_refused(CANCEL, &*table, is_cancelled);
    unchanged(CANCEL, &model);
    goes_on(CANCEL, &*a, &mut model, b"none");
}

pub(super) fn waits_across_tables(database: &dyn Database) {
    let guarantees = database.guarantees();
    if !guarantees.transactions || guarantees.batch < Atomicity::Database {
        return;
    }
    let a = done(WAITS, database.table("a"));
    done(WAITS, database.table("b"));
    let cancel = Cancel::new();
    let timed = database.with_options(&CallOptions::new().timeout(SOON));
    let cancelled = database.with_options(&CallOptions::new().cancel(&cancel));
    let write = |database: &dyn Database, key: &str| database.write(&[("b", &one(key, "v")), ("a", &one(key, "v"))]);
    let transact = |database: &dyn Database, key: &str| {
        database.transact(&["b", "a"], &mut |_| Ok(vec![one(key, "v"), one(key, "v")]))
    };
    let waiters = vec![
        Waiter { what: "a write across tables", ends: is_late, call: Box::new(|| write(&*timed, "0")) },
        Waiter { what: "a transaction across tables", ends: is_late, call: Box::new(|| transact(&*timed, "1")) },
        Waiter { what: "a write across tables", ends: is_cancelled, call: Box::new(|| write(&*cancelled, "2")) },
        Waiter {
            what: "a transaction across tables",
            ends: is_cancelled,
            call: Box::new(|| transact(&*cancelled, "3")),
        },
    ];
    let body = |body: &mut dyn FnMut()| {
        database.transact(&["a", "b"], &mut |_| {
            body();
            Ok(vec![one("of the body", "v")])
        })
    };
    let answered = while_a_body_runs(&body, waiters, &cancel);
    for (key, is_done) in ["0", "1", "2", "3"].iter().zip(answered) {
        let is_there = done(WAITS, a.get(key.as_bytes())).is_some();
        equal(WAITS, format_args!("whether call {key} across tables has left a row"), is_there, is_done);
    }
    equal(WAITS, "the row of the body", done(WAITS, a.get(b"of the body")), Some(b"v".to_vec()));
    done(WAITS, write(database, "after"));
}
