//! Laws of opening and creating tables that exist or do not.

use std::sync::Barrier;
use std::thread;

use super::laws::{Model, broken, compare, done, equal, holds, put};
use super::meetings::THREADS;
use crate::store::error::Error;
use crate::store::{Database, NewTable, Scan};

pub(super) const fn plain() -> NewTable {
    NewTable::new()
}

#[track_caller]
fn tables_are(law: &str, database: &dyn Database, names: &[&str]) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    equal(law, "the list of tables", done(law, database.tables()), names);
}

#[track_caller]
fn is_absent(database: &dyn Database, name: &str) {
    let law = "open-absent";
    match database.open_table(name).map(drop) {
        Err(Error::NoSuchTable(said)) if said == name => {}
        other => broken(law, format_args!("to open {name:?}, which is not there, is {other:?}")),
    }
}

pub(super) fn open_absent(database: &dyn Database) {
    let law = "open-absent";
    is_absent(database, "a");
    is_absent(database, "ab");
    tables_are(law, database, &[]);
    let mut model = Model::new();
    put(&*done(law, database.table("ab")), &mut model, b"k", b"v");
    let opened = done(law, database.open_table("ab"));
    compare(law, &*opened, &model, &Scan::all());
    put(&*opened, &mut model, b"l", b"by the handle that was opened");
    compare(law, &*done(law, database.table("ab")), &model, &Scan::all());
    is_absent(database, "a");
    is_absent(database, "b");
    tables_are(law, database, &["ab"]);
    done(law, database.drop_table("ab"));
    is_absent(database, "ab");
    tables_are(law, database, &[]);
}

#[track_caller]
fn is_there(database: &dyn Database, name: &str, new: &NewTable) {
    match database.create_table(name, new).map(drop) {
        Err(Error::TableExists(said)) if said == name => {}
        other => broken("create-existing", format_args!("creating {name:?}, which exists, is {other:?}")),
    }
}

pub(super) fn create_existing(database: &dyn Database) {
    let law = "create-existing";
    let mut model = Model::new();
    let made = done(law, database.create_table("a", &plain()));
    tables_are(law, database, &["a"]);
    compare(law, &*made, &model, &Scan::all());
    put(&*made, &mut model, b"k", b"v");
    is_there(database, "a", &plain());
    is_there(database, "a", &plain().split_at(["m"]));
    for table in [database.table("a"), database.open_table("a")] {
        compare(law, &*done(law, table), &model, &Scan::all());
    }
    put(&*done(law, database.table("b")), &mut Model::new(), b"k", b"v");
    is_there(database, "b", &plain());
    tables_are(law, database, &["a", "b"]);
    drop(made);
    done(law, database.drop_table("a"));
    let again = done(law, database.create_table("a", &plain()));
    compare(law, &*again, &Model::new(), &Scan::all());
}

/// Split points that are not valid, and an option that no engine has.
pub(crate) fn refused() -> [(&'static str, NewTable); 4] {
    [
        ("an empty split point", plain().split_at(["", "m"])),
        ("split points that are not sorted", plain().split_at(["m", "f"])),
        ("a split point that is repeated", plain().split_at(["f", "m", "m"])),
        ("an option that no engine has", plain().option("rowkey has no such option", "1")),
    ]
}

pub(crate) fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::SplitPoint { .. } | Error::TableOption { .. })
}

pub(super) fn create_refused(database: &dyn Database) {
    let law = "create-refused";
    for (what, new) in refused() {
        match database.create_table("a", &new).map(drop) {
            Err(error) if is_refusal(&error) => {}
            other => broken(law, format_args!("a table with {what} is {other:?}")),
        }
        tables_are(law, database, &[]);
    }
    done(law, database.create_table("a", &plain()));
}

/// Of several concurrent calls one succeeds, and the others find the table.
#[track_caller]
pub(crate) fn one_makes(law: &str, make: &(dyn Fn() -> Result<(), Error> + Sync)) {
    let together = Barrier::new(THREADS);
    let answers: Vec<_> = thread::scope(|scope| {
        let call = || {
            together.wait();
            make()
        };
        let running: Vec<_> = (0..THREADS).map(|_| scope.spawn(call)).collect();
        running.into_iter().map(|thread| thread.join()).collect()
    });
    let mut made = 0;
    for answer in answers {
        match answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
            Ok(()) => made += 1,
            Err(Error::TableExists(_)) => {}
            Err(other) => broken(law, format_args!("a table that others make is {other:?}")),
        }
    }
    equal(law, format_args!("how many of {THREADS} have made a table"), made, 1);
}

pub(super) fn create_once(database: &dyn Database) {
    let law = "create-once";
    for name in ["a", "ab", "b", "a"] {
        one_makes(law, &|| database.create_table(name, &plain()).map(drop));
        let mut model = Model::new();
        put(&*done(law, database.open_table(name)), &mut model, b"k", b"v");
        compare(law, &*done(law, database.table(name)), &model, &Scan::all());
        tables_are(law, database, &[name]);
        done(law, database.drop_table(name));
    }
}

/// Rows of a table with regions are read as those of any other.
pub(super) fn split_points(database: &dyn Database) {
    let law = "split-points";
    let points: [&[u8]; 5] = [b"\0", b"b", b"b\0", b"m", b"\xff"];
    let table = done(law, database.create_table("a", &plain().split_at(points)));
    let told = done(law, table.split_points());
    if database.guarantees().split_points {
        equal(law, "the split points of a table", told, points.map(<[u8]>::to_vec).to_vec());
        let whole = done(law, done(law, database.create_table("b", &plain())).split_points());
        equal(law, "the split points of a table without any", whole, vec![]);
    } else {
        let sorted = told.first().is_none_or(|first| !first.is_empty()) && told.is_sorted_by(|a, b| a < b);
        holds(law, sorted, format_args!("the split points {told:?} are not sorted, or one is empty"));
    }
    let mut model = Model::new();
    for point in points {
        for key in [point.to_vec(), [point, b"\0"].concat(), [point, b"\xff"].concat()] {
            put(&*table, &mut model, &key, point);
        }
    }
    put(&*table, &mut model, b"a", b"v");
    for reverse in [false, true] {
        compare(law, &*table, &model, &Scan::all().reverse(reverse));
        compare(law, &*table, &model, &Scan::all().reverse(reverse).limit(5).batch_rows(2));
    }
}
