//! Laws of opening and creating wide tables that exist or do not.

use super::laws::{done, equal, holds, mutate, row_is};
use crate::conformance::store::laws::broken;
use crate::conformance::store::making::{is_refusal, one_makes, refused};
use crate::store::NewTable;
use crate::store::error::Error;
use crate::wide::{Columns, FamilySchema, Mutation, TableSchema, WideDatabase};

fn one() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new())
}

fn put(value: &str) -> Mutation {
    Mutation::new().put_at("f:q", 1, value)
}

#[track_caller]
fn tables_are(law: &str, database: &dyn WideDatabase, names: &[&str]) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    equal(law, "the list of wide tables", done(law, database.tables()), names);
}

#[track_caller]
fn is_absent(database: &dyn WideDatabase, name: &str) {
    match database.open_table(name, &one()).map(drop) {
        Err(Error::NoSuchTable(said)) if said == name => {}
        other => broken("open-absent", format_args!("to open {name:?}, which is not there, is {other:?}")),
    }
}

pub(super) fn open_absent(database: &dyn WideDatabase) {
    let law = "open-absent";
    is_absent(database, "a");
    tables_are(law, database, &[]);
    equal(law, "the schema of a table that is not there", done(law, database.schema("a")), None);
    mutate(law, &*done(law, database.table("ab", &one())), b"r", put("v"));
    let opened = done(law, database.open_table("ab", &one()));
    row_is(law, &*opened, b"r", &Columns::all(), &["f:q@1=v"]);
    let other = one().family("new", FamilySchema::new());
    match database.open_table("ab", &other).map(drop) {
        Err(Error::Schema { table, .. }) if table == "ab" => {}
        answer => broken("other-schema", format_args!("opening a table with another schema is {answer:?}")),
    }
    equal("other-schema", "the schema of a table", done(law, database.schema("ab")), Some(one()));
    is_absent(database, "a");
    tables_are(law, database, &["ab"]);
    drop(opened);
    done(law, database.drop_table("ab"));
    is_absent(database, "ab");
    tables_are(law, database, &[]);
}

pub(super) fn create_existing(database: &dyn WideDatabase) {
    let law = "create-existing";
    let made = done(law, database.create_table("a", &one(), &NewTable::new()));
    tables_are(law, database, &["a"]);
    equal(law, "the schema of a table that was made", done(law, database.schema("a")), Some(one()));
    mutate(law, &*made, b"r", put("v"));
    let other = one().family("new", FamilySchema::new());
    for schema in [one(), other] {
        match database.create_table("a", &schema, &NewTable::new()).map(drop) {
            Err(Error::TableExists(said)) if said == "a" => {}
            answer => broken(law, format_args!("creating a table that exists is {answer:?}")),
        }
        equal(law, "its schema", done(law, database.schema("a")), Some(one()));
    }
    row_is(law, &*done(law, database.open_table("a", &one())), b"r", &Columns::all(), &["f:q@1=v"]);
    done(law, database.table("b", &one()));
    let answer = database.create_table("b", &one(), &NewTable::new()).map(drop);
    holds(
        law,
        matches!(answer, Err(Error::TableExists(_))),
        format_args!("creating a table that exists is {answer:?}"),
    );
    drop(made);
    done(law, database.drop_table("a"));
    let again = done(law, database.create_table("a", &one(), &NewTable::new()));
    row_is(law, &*again, b"r", &Columns::all(), &[]);
}

pub(super) fn create_refused(database: &dyn WideDatabase) {
    let law = "create-refused";
    for (what, new) in refused() {
        match database.create_table("a", &one(), &new).map(drop) {
            Err(error) if is_refusal(&error) => {}
            other => broken(law, format_args!("a table with {what} is {other:?}")),
        }
        is_absent(database, "a");
        tables_are(law, database, &[]);
    }
    let answer = database.create_table("a", &TableSchema::new(), &NewTable::new()).map(drop);
    holds(law, answer.is_err(), "a table without families is created");
    tables_are(law, database, &[]);
    done(law, database.create_table("a", &one(), &NewTable::new()));
}

pub(super) fn create_once<D: WideDatabase + ?Sized>(database: &D) {
    let law = "create-once";
    for name in ["a", "ab", "b", "a"] {
        one_makes(law, &|| database.create_table(name, &one(), &NewTable::new()).map(drop));
        mutate(law, &*done(law, database.open_table(name, &one())), b"r", put("v"));
        equal(law, "the list of wide tables", done(law, database.tables()), vec![name.to_owned()]);
        done(law, database.drop_table(name));
    }
}

/// Rows of a table with regions are read as those of any other.
pub(super) fn split_points(database: &dyn WideDatabase) {
    let law = "split-points";
    let points: [&[u8]; 5] = [b"\0", b"b", b"b\0", b"m", b"\xff"];
    let table = done(law, database.create_table("a", &one(), &NewTable::new().split_at(points)));
    let told = done(law, table.split_points());
    // An engine without regions ignores the points.
    if database.guarantees().split_points {
        equal(law, "the split points of a table", told, points.map(<[u8]>::to_vec).to_vec());
    }
    for point in points {
        for row in [point.to_vec(), [point, b"\0"].concat(), [point, b"\xff"].concat()] {
            mutate(law, &*table, &row, put("v"));
            row_is(law, &*table, &row, &Columns::all(), &["f:q@1=v"]);
        }
    }
}
