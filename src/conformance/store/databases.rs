//! Laws of several tables.

use std::sync::Arc;

use super::laws::{Model, Row, compare, done, equal, holds, put, read, read_batch, read_on, refused};
use super::meetings::read_while_writing;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, Database, Rows, Scan, Store};

/// Names that every engine accepts.
const PLAIN: [&str; 3] = ["a", "ab", "b"];
/// Names that an engine may refuse, but must not confuse.
const TRICKY: [&str; 11] =
    ["", "\0", "\u{1}", "\u{1}\u{1}", "\u{1}\u{2}", "a\0", "a\0\0", "a\u{1}", "aä", "ä", "\u{10ffff}"];

type Table = (&'static str, Arc<dyn Store>);

fn open_all(database: &dyn Database) -> Vec<Table> {
    let plain = PLAIN.map(|name| (name, done("tables", database.table(name))));
    let tricky = TRICKY.iter().filter_map(|&name| Some((name, database.table(name).ok()?)));
    plain.into_iter().chain(tricky).collect()
}

pub(super) fn names(database: &dyn Database) {
    let none: [&str; 0] = [];
    tables_are("tables", database, none);
    let tables = open_all(database);
    tables_are("tables", database, tables.iter().map(|(name, _)| *name));
    done("tables", database.table("ab"));
    tables_are("tables", database, tables.iter().map(|(name, _)| *name));

    let mut model = Model::new();
    let (one, other) = (done("one-table", database.table("b")), done("one-table", database.table("b")));
    put(&*one, &mut model, b"k", b"by one handle");
    compare("one-table", &*other, &model, &Scan::all());
    put(&*other, &mut model, b"k", b"by the other");
    compare("one-table", &*one, &model, &Scan::all());
}

fn tables_are<'a>(law: &str, database: &dyn Database, names: impl IntoIterator<Item = &'a str>) {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    equal(law, "the list of tables", done(law, database.tables()), names);
}

pub(super) fn isolation(database: &dyn Database) {
    let law = "isolated";
    let keys: [&[u8]; 8] = [b"\0", b"\0a", b"\x01", b"a", b"a\0", b"k", b"\xff", b"\xff\xff"];
    let own = |name: &str| format!("of table {name:?}").into_bytes();
    let rows = |name: &str| -> Model { keys.iter().map(|key| (key.to_vec(), own(name))).collect() };
    let tables = open_all(database);
    for (name, table) in &tables {
        let mut batch = Batch::new();
        for (key, value) in rows(name) {
            batch.put(key, value);
        }
        done(law, table.write(&batch));
    }
    let own_rows_alone = |(name, table): &Table, rows: &Model| {
        for reverse in [false, true] {
            // First whose they are, then their order.
            let scan = Scan::all().reverse(reverse);
            let mut found = table.scan(&scan);
            loop {
                let batch = read_batch(&mut *found, &scan);
                let foreign = batch.iter().find(|(_, value)| *value != own(name));
                holds(law, foreign.is_none(), format_args!("table {name:?} has a row of another: {foreign:?}"));
                if batch.is_empty() {
                    break;
                }
            }
            compare(law, &**table, rows, &Scan::all().reverse(reverse));
            compare(law, &**table, rows, &Scan::all().reverse(reverse).limit(3).batch_rows(2));
            compare(law, &**table, rows, &Scan::new(vec![KeyRange::prefix("a")]).reverse(reverse));
            compare(law, &**table, rows, &Scan::new(vec![KeyRange::prefix(b"\xff")]).reverse(reverse));
        }
        for key in keys {
            equal(law, format_args!("a row of table {name:?}"), done(law, table.get(key)), rows.get(key).cloned());
        }
    };
    tables.iter().for_each(|table| own_rows_alone(table, &rows(table.0)));
    for emptied in 0..tables.len() {
        done(law, tables[emptied].1.delete_ranges(&[KeyRange::all()]));
        for (index, table) in tables.iter().enumerate() {
            own_rows_alone(table, &if index > emptied { rows(table.0) } else { Model::new() });
        }
    }
    tables_are("tables", database, tables.iter().map(|(name, _)| *name));
}

pub(super) fn drops(database: &dyn Database) {
    let law = "drop-table";
    done(law, database.drop_table("a"));
    let tables = open_all(database);
    for (_, table) in &tables {
        done(law, table.write(Batch::new().put("k", "v").put("\0", "v")));
    }
    let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
    drop(tables);
    for dropped in 0..names.len() {
        done(law, database.drop_table(names[dropped]));
        tables_are(law, database, names[dropped + 1..].iter().copied());
        for name in &names[dropped + 1..] {
            let left = read(&*done(law, database.table(name)), &Scan::all()).len();
            equal(law, format_args!("the rows of {name:?} when {:?} was dropped", names[dropped]), left, 2);
        }
    }
    for name in names {
        let rows = read(&*done(law, database.table(name)), &Scan::all());
        holds(law, rows.is_empty(), format_args!("{name:?}, dropped and opened again, still has rows"));
    }
}

pub(super) fn writes(database: &dyn Database) {
    let law = "write-makes-tables";
    let (mut first, mut second) = (Batch::new(), Batch::new());
    first.put("k", "in a").put("gone", "");
    second.put("k", "in b");
    done(law, database.write(&[("b", &second), ("a", &first)]));
    tables_are(law, database, ["a", "b"]);
    let rows = |name: &str| -> Vec<Row> { read(&*done(law, database.table(name)), &Scan::all()) };
    equal(law, "the rows of b", rows("b"), vec![(b"k".into(), b"in b".into())]);
    equal(law, "how many rows a has", rows("a").len(), 2);

    let (mut earlier, mut later) = (Batch::new(), Batch::new());
    earlier.put("k", "earlier").put("gone", "earlier");
    later.put("k", "later").delete("gone");
    done("batch-order", database.write(&[("a", &earlier), ("b", &Batch::new()), ("a", &later)]));
    equal("batch-order", "the rows of a, written twice", rows("a"), vec![(b"k".into(), b"later".into())]);
    done("batch-order", database.write(&[]));

    let mut empty_key = Batch::new();
    empty_key.put("fine", "v").put("", "v");
    let answer = database.write(&[("a", &earlier), ("b", &empty_key)]);
    if database.guarantees().batch >= Atomicity::Database {
        refused("empty-key", "a batch with an empty key", answer, |error| matches!(error, Error::EmptyKey));
        let law = "batch-across-tables";
        equal(law, "the rows of a when b's were refused", rows("a"), vec![(b"k".into(), b"later".into())]);
        equal(law, "the rows of b, refused", rows("b"), vec![(b"k".into(), b"in b".into())]);
    }
}

/// Two tables with two rows each; one write sets the same number in all four.
pub(super) fn threads(database: &dyn Database) {
    let guarantees = database.guarantees();
    if guarantees.batch < Atomicity::Database || !guarantees.snapshot_scans {
        return;
    }
    let law = "batch-across-tables";
    let write = |number: u64| {
        let mut batch = Batch::new();
        batch.put("first", number.to_be_bytes()).put("last", number.to_be_bytes());
        done(law, database.write(&[("b", &batch), ("a", &batch)]));
    };
    write(0);
    let (a, b) = (done(law, database.table("a")), done(law, database.table("b")));
    let scan = Scan::all().batch_rows(1);
    let number = |rows: &mut dyn Rows| {
        let rows = read_on(rows, &scan);
        let whole = rows.len() == 2 && rows[0].1 == rows[1].1;
        holds(law, whole, format_args!("rows that are always written together are {rows:?}"));
        rows[0].1.clone()
    };
    let in_turn = |earlier: &dyn Store, later: &dyn Store| {
        // Each scan is a snapshot of when it was opened, so the later one is at least as new.
        let (mut earlier, mut later) = (earlier.scan(&scan), later.scan(&scan));
        let (earlier, later) = (number(&mut *earlier), number(&mut *later));
        let what =
            format_args!("a table read later has {later:?} and not the {earlier:?} of the one before").to_string();
        holds(law, earlier <= later, what);
    };
    read_while_writing(&write, &[&|| in_turn(&*a, &*b), &|| in_turn(&*b, &*a)]);
}
