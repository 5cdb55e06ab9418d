//! Laws of writes inside a closure that is part of a write, of ids, and of bodies that panic.
//!
//! Calls that may hang run in a thread of their own, which is abandoned if they do.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::laws::{Model, broken, compare, compare_rows, done, equal, expected, fill, holds, put, read_on, refused};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, Database, Readable, Scan, Store};

const WRITES: &str = "reentrant-write";
const READS: &str = "body-reads";
const PANICS: &str = "body-panics";

/// Maximum time of a step, which is one operation on a few rows.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reports which law is tried now, and by which step.
type Tell<'t> = &'t dyn Fn(&'static str, &'static str);

/// Runs laws in a thread. If a step does not return, its law is broken.
fn in_time(laws: impl FnOnce(Tell<'_>) + Send + 'static) {
    let (tell, told) = channel();
    let running = thread::spawn(move || {
        laws(&|law, step| {
            // Nobody receives it if a step took too long.
            let _ = tell.send((law, step));
        });
    });
    let (mut law, mut step) = (WRITES, "the first step");
    loop {
        match told.recv_timeout(PATIENCE) {
            Ok(next) => (law, step) = next,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                broken(law, format_args!("{step} has not returned after {} seconds", PATIENCE.as_secs()))
            }
        }
    }
    if let Err(panic) = running.join() {
        resume_unwind(panic)
    }
}

fn is_reentrant(error: &Error) -> bool {
    matches!(error, Error::Reentrant { .. })
}

fn one(key: &str, value: &str) -> Batch {
    std::mem::take(Batch::new().put(key, value))
}

/// Every write that the store declares is refused now.
fn writes_are_refused(tell: Tell<'_>, store: &dyn Store) {
    let guarantees = store.guarantees();
    let try_to = |step: &'static str, answer: &dyn Fn() -> Result<(), Error>| {
        tell(WRITES, step);
        refused(WRITES, step, answer(), is_reentrant);
    };
    try_to("a put inside a closure of a write", &|| store.write(&one("new", "v")));
    try_to("a delete inside a closure of a write", &|| store.write(Batch::new().delete("a")));
    try_to("a deletion of ranges inside a closure of a write", &|| store.delete_ranges(&[KeyRange::prefix("a")]));
    try_to("a deletion of no row inside a closure of a write", &|| store.delete_ranges(&[KeyRange::prefix("absent")]));
    try_to("a deletion of all rows inside a closure of a write", &|| store.delete_ranges(&[KeyRange::all()]));
    if guarantees.increment {
        try_to("an increment inside a closure of a write", &|| store.increment(b"new", 1).map(drop));
    }
    if guarantees.compare_and_write {
        try_to("a compare-and-write inside a closure of a write", &|| {
            store.compare_and_write(b"new", None, Some(b"v")).map(drop)
        });
    }
    if guarantees.transactions {
        try_to("a transaction inside a closure of a write", &|| store.transact(&mut |_| Ok(one("new", "v"))));
    }
}

/// Every way of reading returns the model's data.
fn reads_return(tell: Tell<'_>, store: &dyn Store, model: &Model) {
    let keys: Vec<&[u8]> = model.keys().map(Vec::as_slice).chain([&b"absent"[..]]).collect();
    let values: Vec<_> = keys.iter().map(|&key| model.get(key).cloned()).collect();
    tell(READS, "a get inside a closure of a write");
    let got = keys.iter().map(|key| done(READS, store.get(key))).collect();
    equal(READS, "rows, read one by one by a handle inside a body", got, values.clone());
    tell(READS, "a get of many rows inside a closure of a write");
    equal(READS, "rows, read by a handle inside a body", done(READS, store.get_many(&keys)), values);
    for reverse in [false, true] {
        tell(READS, "a scan inside a closure of a write");
        let scan = Scan::all().reverse(reverse).batch_rows(3);
        compare_rows(READS, &scan, &read_on(&mut *store.scan(&scan), &scan), &expected(model, &scan));
    }
}

/// Laws of one store, in each of its closures that are part of a write.
pub(super) fn in_a_store(store: impl Store + 'static) {
    in_time(move |tell| {
        let store: &dyn Store = &store;
        let database = store.id().database();
        equal("same-id", "the id of a store, asked for again", store.id().clone(), database.table(store.id().name()));
        let mut model = fill(store);

        let entered = database.enter();
        writes_are_refused(tell, store);
        reads_return(tell, store, &model);
        drop(entered);
        compare(WRITES, store, &model, &Scan::all());
        put(store, &mut model, b"after", b"the closure");
        if store.guarantees().transactions {
            inside_a_body(tell, store, &mut model);
            body_panics(tell, store, &mut model);
        }
        compare(WRITES, store, &model, &Scan::all());
    });
}

fn inside_a_body(tell: Tell<'_>, store: &dyn Store, model: &mut Model) {
    tell(WRITES, "a transaction");
    let answer = store.transact(&mut |view| {
        writes_are_refused(tell, store);
        reads_return(tell, store, model);
        tell(WRITES, "a view inside its transaction");
        equal(WRITES, "a row, read by the view", done(WRITES, view.get(b"a")), model.get(&b"a"[..]).cloned());
        tell(WRITES, "what a body returned, whose writes by handles were refused");
        Ok(one("of the body", "v"))
    });
    done(WRITES, answer);
    model.insert(b"of the body".into(), b"v".into());
    compare(WRITES, store, model, &Scan::all());

    tell(WRITES, "a body that fails as its write by a handle was refused");
    let answer = store.transact(&mut |_| store.write(&one("new", "v")).map(|()| one("new", "v")));
    refused(WRITES, "a write by a body that returns what it got", answer, is_reentrant);
    compare(WRITES, store, model, &Scan::all());
    tell(WRITES, "a put after a transaction");
    put(store, model, b"after", b"the transaction");
}

/// A panic without output.
fn panics<T>() -> T {
    resume_unwind(Box::new("the body's own"))
}

fn body_panics(tell: Tell<'_>, store: &dyn Store, model: &mut Model) {
    tell(PANICS, "a transaction whose body panics");
    let answer = catch_unwind(AssertUnwindSafe(|| store.transact(&mut |_| panics())));
    holds(PANICS, !matches!(answer, Ok(Ok(()))), "a transaction whose body panicked is done");
    usable(tell, &mut || {
        compare(PANICS, store, model, &Scan::all());
        done(PANICS, store.write(&one("after", "a panic")));
        model.insert(b"after".into(), b"a panic".into());
        done(PANICS, store.transact(&mut |_| Ok(one("again", "v"))));
        model.insert(b"again".into(), b"v".into());
        compare(PANICS, store, model, &Scan::all());
    });
}

/// After a body has panicked, the next operations neither hang nor panic.
fn usable(tell: Tell<'_>, after: &mut dyn FnMut()) {
    tell(PANICS, "what comes after a body that panicked");
    if let Err(panic) = catch_unwind(AssertUnwindSafe(after)) {
        match panic.downcast_ref::<String>() {
            Some(law) if law.starts_with("the law `") => resume_unwind(panic),
            _ => broken(PANICS, "a panic of a body makes later operations panic"),
        }
    }
}

/// Every write to the database is refused now, through any handle.
fn database_refuses(tell: Tell<'_>, database: &dyn Database) {
    let guarantees = database.guarantees();
    let try_to = |step: &'static str, answer: &dyn Fn() -> Result<(), Error>| {
        tell(WRITES, step);
        refused(WRITES, step, answer(), is_reentrant);
    };
    let batch = one("new", "v");
    try_to("a write to a table inside a closure of a write", &|| database.write(&[("a", &batch)]));
    try_to("a write across tables inside a closure of a write", &|| database.write(&[("b", &batch), ("a", &batch)]));
    try_to("a write that makes a table inside a closure of a write", &|| database.write(&[("ab", &batch)]));
    try_to("an opening that makes a table inside a closure of a write", &|| database.table("ab").map(drop));
    try_to("a making of a table inside a closure of a write", &|| {
        database.create_table("ab", &super::making::plain()).map(drop)
    });
    try_to("a drop of a table inside a closure of a write", &|| database.drop_table("b"));
    try_to("a drop of no table inside a closure of a write", &|| database.drop_table("ab"));
    if guarantees.transactions && guarantees.batch >= Atomicity::Database {
        try_to("a transaction across tables inside a closure of a write", &|| {
            database.transact(&["a", "b"], &mut |_| Ok(vec![one("new", "v")]))
        });
    }
}

/// Laws of a database and its tables.
pub(super) fn in_a_database(database: impl Database + 'static) {
    in_time(move |tell| {
        let database: &dyn Database = &database;
        let (a, b) = (done(WRITES, database.table("a")), done(WRITES, database.table("b")));
        let id = database.id();
        equal("same-id", "the id of a database, asked for again", database.id(), id);
        for (name, table) in [("a", &a), ("b", &b)] {
            equal("same-id", format_args!("the id of table {name:?}"), table.id().clone(), id.table(name));
        }
        let mut model = Model::new();
        put(&*a, &mut model, b"a", b"v");
        done(WRITES, b.write(&one("a", "v")));
        let all = |tell: Tell<'_>, model: &Model| {
            database_refuses(tell, database);
            for table in [&a, &b, &done(READS, database.table("a")), &done(READS, database.open_table("a"))] {
                writes_are_refused(tell, &**table);
                reads_return(tell, &**table, model);
            }
            tell(READS, "the list of tables inside a closure of a write");
            let names = done(READS, database.tables());
            equal(READS, "the list of tables, read inside a body", names, vec!["a".to_owned(), "b".to_owned()]);
        };
        let entered = id.enter();
        all(tell, &model);
        drop(entered);
        let guarantees = database.guarantees();
        if guarantees.transactions {
            tell(WRITES, "a transaction of one table");
            done(WRITES, a.transact(&mut |_| Ok(Batch::new()).inspect(|_| all(tell, &model))));
        }
        if guarantees.transactions && guarantees.batch >= Atomicity::Database {
            tell(WRITES, "a transaction across tables");
            let answer = database.transact(&["a"], &mut |_: &[&dyn Readable]| {
                all(tell, &model);
                Ok(vec![one("of the body", "v")])
            });
            done(WRITES, answer);
            model.insert(b"of the body".into(), b"v".into());
            tell(PANICS, "a transaction across tables whose body panics");
            let answer = catch_unwind(AssertUnwindSafe(|| database.transact(&["a", "b"], &mut |_| panics())));
            holds(PANICS, !matches!(answer, Ok(Ok(()))), "a transaction whose body panicked is done");
            usable(tell, &mut || {
                let both = |value: &str| vec![one("a", value); 2];
                done(PANICS, database.transact(&["a", "b"], &mut |_| Ok(both("again"))));
                model.insert(b"a".into(), b"again".into());
            });
        }
        compare(WRITES, &*a, &model, &Scan::all());
        tell(WRITES, "what comes after the closures of writes");
        done(WRITES, database.write(&[("a", &one("a", "after")), ("ab", &one("a", "after"))]));
        done(WRITES, database.drop_table("b"));
        equal(WRITES, "the tables at the end", done(WRITES, database.tables()), vec!["a".to_owned(), "ab".to_owned()]);
    });
}
