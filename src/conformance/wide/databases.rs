//! Laws of several wide tables, and of their schemas.

use std::time::Duration;

use super::laws::{done, equal, holds, keys, mutate, values_are};
use crate::conformance::store::laws::broken;
use crate::store::Scan;
use crate::store::error::Error;
use crate::wide::{Columns, FamilySchema, Mutation, TableSchema, WideDatabase};

/// Names that every engine accepts.
const NAMES: [&str; 3] = ["a", "ab", "b"];

fn one() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new())
}

fn put(value: &str) -> Mutation {
    Mutation::new().put("f:q", value)
}

#[track_caller]
fn schema_is(law: &str, database: &dyn WideDatabase, name: &str, should_be: Option<&TableSchema>) {
    equal(law, format_args!("the schema of {name:?}"), done(law, database.schema(name)), should_be.cloned());
}

/// A refused schema: the error names the table and contains all of `words`.
#[track_caller]
fn refused<T>(law: &str, answer: Result<T, Error>, name: &str, words: &[&str]) {
    match answer {
        Err(Error::Schema { table, differences })
            if table == name && words.iter().all(|word| differences.contains(word)) => {}
        Err(error) => broken(law, format_args!("another schema for {name:?} is refused without {words:?}: {error:?}")),
        Ok(_) => broken(law, format_args!("another schema for {name:?} is taken")),
    }
}

pub(super) fn schemas(database: &dyn WideDatabase) {
    let law = "schema-kept";
    schema_is(law, database, "a", None);
    let family = FamilySchema::new().max_versions(7).min_versions(2).ttl(Duration::from_secs(1_000_000));
    let mut schema = one().family("g.2", family);
    schema.row_key = Some("u64, i64 desc".to_owned());
    let table = done(law, database.table("a", &schema));
    equal(law, "the schema of a table", table.schema().clone(), schema.clone());
    schema_is(law, database, "a", Some(&schema));
    mutate(law, &*table, b"r", put("v"));
    values_are("one-table", &*done(law, database.table("a", &schema)), b"r", &Columns::all(), &["f:q=v"]);
    mutate("one-table", &*done(law, database.table("a", &schema)), b"r", put("by another handle"));
    values_are("one-table", &*table, b"r", &Columns::all(), &["f:q=by another handle"]);

    let law = "other-schema";
    let other = TableSchema { row_key: schema.row_key.clone(), ..one().family("new", FamilySchema::new()) };
    refused(law, database.table("a", &other), "a", &["family g.2", "family new"]);
    let altered = schema.clone().family("f", FamilySchema::new().max_versions(2)).family("new", family);
    refused(law, database.table("a", &altered), "a", &["family f", "family new"]);
    schema_is(law, database, "a", Some(&schema));

    let law = "alter-refused";
    refused(law, database.alter("a", &other), "a", &["family g.2"]);
    let mut rekeyed = schema.clone();
    rekeyed.row_key = Some("text".to_owned());
    refused(law, database.alter("a", &rekeyed), "a", &["text"]);
    refused(law, database.alter("b", &schema), "b", &[]);
    schema_is(law, database, "a", Some(&schema));
    schema_is(law, database, "b", None);
    values_are(law, &*table, b"r", &Columns::all(), &["f:q=by another handle"]);
    let bad = schema.clone().family("f", FamilySchema::new().max_versions(0));
    holds(law, database.alter("a", &bad).is_err(), "a family of no version is taken");
    holds("other-schema", database.table("b", &TableSchema::new()).is_err(), "a table of no family is taken");
    schema_is(law, database, "a", Some(&schema));

    let law = "alter";
    let changes = done(law, database.alter("a", &altered));
    equal(law, "what was changed", changes, schema.changes_to(&altered));
    schema_is(law, database, "a", Some(&altered));
    refused("other-schema", database.table("a", &schema), "a", &["family f"]);
    let table = done(law, database.table("a", &altered));
    values_are(law, &*table, b"r", &Columns::all(), &["f:q=by another handle"]);
    mutate(law, &*table, b"r", Mutation::new().put("new:q", "new"));
    values_are(law, &*table, b"r", &Columns::all(), &["f:q=by another handle", "new:q=new"]);
    if table.guarantees().timestamps.is_some() {
        mutate(law, &*table, b"versions", Mutation::new().put_at("f:q", 2, "second").put_at("f:q", 1, "first"));
        values_are(law, &*table, b"versions", &Columns::all().versions(9), &["f:q=second", "f:q=first"]);
    }
    equal(law, "nothing to change", done(law, database.alter("a", &altered)), vec![]);
}

pub(super) fn tables(database: &dyn WideDatabase) {
    let listed = |law: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        equal(law, "the list of wide tables", done(law, database.tables()), names);
    };
    listed("tables", &[]);
    let law = "isolated";
    let open = |name: &str| done(law, database.table(name, &one()));
    let opened = NAMES.iter().rev().map(|&name| (name, open(name))).collect::<Vec<_>>();
    listed("tables", &NAMES);
    open("ab");
    listed("tables", &NAMES);
    for (name, table) in &opened {
        for row in [&b"\0"[..], b"r", b"\xff\xff"] {
            mutate(law, &**table, row, put(name));
        }
    }
    for (name, table) in &opened {
        for reverse in [false, true] {
            let found = keys(law, &**table, &Scan::all().reverse(reverse), &Columns::all());
            equal(law, format_args!("how many rows {name:?} has"), found.len(), 3);
        }
        values_are(law, &**table, b"r", &Columns::all(), &[&format!("f:q={name}")]);
    }

    let law = "drop-table";
    done(law, database.drop_table("absent"));
    drop(opened);
    for (index, name) in NAMES.iter().enumerate() {
        done(law, database.drop_table(name));
        listed(law, &NAMES[index + 1..]);
        schema_is(law, database, name, None);
        for left in &NAMES[index + 1..] {
            values_are(law, &*open(left), b"r", &Columns::all(), &[&format!("f:q={left}")]);
        }
    }
    let other = one().family("other", FamilySchema::new());
    let again = done(law, database.table("a", &other));
    equal(law, "rows of a table opened again", keys(law, &*again, &Scan::all(), &Columns::all()).len(), 0);
    mutate(law, &*again, b"r", put("again"));
    values_are(law, &*again, b"r", &Columns::all(), &["f:q=again"]);
}
