//! Laws of handles with options. No method of a wide store takes a closure in which another call could be made to wait,
//! so these are calls that are late, or cancelled, before they begin.

use super::laws::{done, equal, holds, mutate, put, refused, values_are};
use crate::conformance::store::bounds::{far, is_cancelled, is_late, late, scan_refused};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{CallOptions, Cancel, NewTable, RowBatch, Rows, Scan};
use crate::wide::{Column, Columns, Condition, FamilySchema, Mutation, TableSchema, WideDatabase, WideStore};

const DEADLINE: &str = "deadline";
const CANCEL: &str = "cancel";

/// Every call is refused.
#[track_caller]
fn all_refused(law: &str, store: &dyn WideStore, why: fn(&Error) -> bool) {
    let guarantees = store.guarantees();
    let (all, edit) = (Columns::all(), put(store, Mutation::new(), "a:q", "v"));
    refused(law, "a get", store.get(b"r", &all), why);
    refused(law, "a get of many rows", store.get_many(&[b"r", b"absent"], &all), why);
    refused(law, "whether there is a row", store.exists(b"r"), why);
    refused(law, "the first row at or after a key", store.first_at_or_after(b"r", &all), why);
    for reverse in [false, true] {
        scan_refused(law, "a scan", &mut *store.scan(&Scan::all().reverse(reverse), &all), why);
    }
    refused(law, "a mutation", store.mutate(b"r", &edit), why);
    refused(law, "a mutation without a timestamp", store.mutate(b"r", &Mutation::new().put("a:q", "v")), why);
    refused(law, "a delete", store.mutate(b"r", &Mutation::new().delete_row()), why);
    let many = [(b"r".to_vec(), edit.clone()), (b"new".to_vec(), edit.clone())];
    refused(law, "mutations", store.mutate_many(&many), why);
    if guarantees.increment {
        refused(law, "an increment", store.increment(b"r", &[(Column::from("a:n"), 1)]), why);
    }
    if guarantees.check_and_mutate {
        refused(law, "a check-and-mutate", store.check_and_mutate(b"r", &Condition::absent("a:n"), &edit), why);
    }
}

const ROWS: [&[u8]; 3] = [b"r", b"s", b"t"];

/// Each row has the number, and nothing else.
#[track_caller]
fn rows_have(law: &str, store: &dyn WideStore, number: usize) {
    for row in ROWS {
        values_are(law, store, row, &Columns::all(), &[&format!("a:q={number}")]);
    }
    let found = super::laws::keys(law, store, &Scan::all(), &Columns::all());
    equal(law, "the rows that there are", found, ROWS.map(<[u8]>::to_vec).into());
}

/// The calls of a handle succeed; each row gets another number.
#[track_caller]
fn goes_on(law: &str, handle: &dyn WideStore, number: &mut usize) {
    *number += 1;
    let text = number.to_string();
    ROWS.iter().for_each(|row| mutate(law, handle, row, put(handle, Mutation::new(), "a:q", &text)));
    rows_have(law, handle, *number);
}

pub(super) fn deadlines(store: &dyn WideStore) {
    let mut number = 0;
    goes_on(DEADLINE, store, &mut number);
    for (what, options) in late() {
        let handle = store.with_options(&options);
        equal(DEADLINE, format_args!("the options of a handle with {what}"), handle.options(), &options);
        equal(DEADLINE, "the id of a handle with options", handle.id(), store.id());
        equal(DEADLINE, "what a handle with options promises", handle.guarantees(), store.guarantees());
        equal(DEADLINE, "the schema of a handle with options", handle.schema(), store.schema());
        all_refused(DEADLINE, &*handle, is_late);
        rows_have(DEADLINE, store, number);
        // Other options replace these.
        let again = handle.with_options(CallOptions::none());
        equal(DEADLINE, "the options of a handle without any", again.options(), CallOptions::none());
        goes_on(DEADLINE, &*again, &mut number);
        all_refused(DEADLINE, &*handle, is_late);
    }
    goes_on(DEADLINE, &*store.with_options(&far()), &mut number);
    goes_on(DEADLINE, store, &mut number);
}

pub(super) fn cancels(store: &dyn WideStore) {
    let (mut number, cancel) = (0, Cancel::new());
    goes_on(CANCEL, store, &mut number);
    let handle = store.with_options(&CallOptions::new().cancel(&cancel));
    goes_on(CANCEL, &*handle, &mut number);
    let mut open = [false, true].map(|reverse| {
        let scan = Scan::new(vec![KeyRange::all()]).reverse(reverse).batch_rows(1);
        handle.scan(&scan, &Columns::all())
    });
    let mut batch = RowBatch::new();
    for rows in &mut open {
        done(CANCEL, rows.next_batch(&mut batch));
        holds(CANCEL, batch.len() == 1, "a scan of one row a batch has another number");
    }
    cancel.cancel();
    for rows in &mut open {
        scan_refused(CANCEL, "an open scan", &mut **rows, is_cancelled);
    }
    all_refused(CANCEL, &*handle, is_cancelled);
    rows_have(CANCEL, store, number);
    goes_on(CANCEL, &*store.with_options(&CallOptions::new().cancel(&Cancel::new())), &mut number);
    goes_on(CANCEL, store, &mut number);
}

/// Every call is refused.
#[track_caller]
fn database_refuses(law: &str, database: &dyn WideDatabase, schema: &TableSchema, why: fn(&Error) -> bool) {
    let more = schema.clone().family("a", FamilySchema::new().max_versions(2));
    refused(law, "an opening", database.table("a", schema).map(drop), why);
    refused(law, "an opening that makes a table", database.table("b", schema).map(drop), why);
    refused(law, "an opening of a table that exists", database.open_table("a", schema).map(drop), why);
    refused(law, "a creation", database.create_table("b", schema, &NewTable::new()).map(drop), why);
    refused(law, "a schema", database.schema("a"), why);
    refused(law, "an alteration", database.alter("a", &more), why);
    refused(law, "the list of tables", database.tables(), why);
    refused(law, "a drop of a table", database.drop_table("a"), why);
}

/// For a database, and the tables that it opens.
pub(super) fn of_a_database(database: &dyn WideDatabase) {
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let a = done(DEADLINE, database.table("a", &schema));
    let mut number = 0;
    goes_on(DEADLINE, &*a, &mut number);
    let unchanged = |law: &str, number: usize| {
        rows_have(law, &*a, number);
        equal(law, "the tables", done(law, database.tables()), vec!["a".to_owned()]);
        equal(law, "the schema of a table", done(law, database.schema("a")), Some(schema.clone()));
    };
    for (what, options) in late() {
        let handle = database.with_options(&options);
        equal(DEADLINE, format_args!("the options of a database with {what}"), handle.options(), &options);
        equal(DEADLINE, "the id of a database with options", handle.id(), database.id());
        equal(DEADLINE, "what a database with options promises", handle.guarantees(), database.guarantees());
        database_refuses(DEADLINE, &*handle, &schema, is_late);
        unchanged(DEADLINE, number);
        let again = handle.with_options(CallOptions::none());
        goes_on(DEADLINE, &*done(DEADLINE, again.table("a", &schema)), &mut number);
    }
    let options = far();
    let table = done(DEADLINE, database.with_options(&options).table("a", &schema));
    equal(DEADLINE, "the options of a table of a database with options", table.options(), &options);
    goes_on(DEADLINE, &*table, &mut number);

    let cancel = Cancel::new();
    let handle = database.with_options(&CallOptions::new().cancel(&cancel));
    let table = done(CANCEL, handle.table("a", &schema));
    goes_on(CANCEL, &*table, &mut number);
    cancel.cancel();
    database_refuses(CANCEL, &*handle, &schema, is_cancelled);
    all_refused(CANCEL, &*table, is_cancelled);
    unchanged(CANCEL, number);
    goes_on(CANCEL, &*a, &mut number);
}
