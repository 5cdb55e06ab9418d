//! Laws of invalid writes, and of what is too large.

use super::laws::{Model, Show, broken, compare, done, equal, holds, put};
use crate::store::error::{Error, RowErrors};
use crate::store::{Batch, Database, Limits, Scan, Store, Write};

/// Longer values are not tried.
const LARGEST: usize = 16 << 20;

/// Writes that no store with these limits accepts.
fn invalid(limits: &Limits) -> Vec<(&'static str, Batch)> {
    let mut all = vec![
        ("a put of the empty key", one(Write::Put(b"", b"v"))),
        ("a delete of the empty key", one(Write::Delete(b""))),
    ];
    if let Some(max) = limits.key.filter(|max| *max < LARGEST) {
        all.push(("a put of too long a key", one(Write::Put(&vec![b'k'; max + 1], b"v"))));
    }
    if let Some(max) = limits.value.filter(|max| *max < LARGEST) {
        all.push(("a put of too long a value", one(Write::Put(b"too long", &vec![b'v'; max + 1]))));
    }
    all
}

fn one(write: Write<'_>) -> Batch {
    std::iter::once(write).collect()
}

/// Checks the result of a call in which only the write at `place` is invalid. Returns whether the others are written.
#[track_caller]
pub(crate) fn others_are_written(law: &str, what: &str, answer: Result<(), Error>, place: usize, of: usize) -> bool {
    match answer {
        Ok(()) => broken(law, format_args!("{what} among {of} writes is taken")),
        Err(Error::Rows(rows)) => {
            let named: Vec<usize> = RowErrors::iter(&rows).map(|row| row.index()).collect();
            equal(law, format_args!("what is named of {of} writes with {what} at {place}"), named, vec![place]);
            equal(law, "of how many writes some failed", rows.total(), of);
            true
        }
        Err(_) => false,
    }
}

/// Of a batch with an invalid write nothing is written, or only that write is named and the others are written.
pub(super) fn failed_rows(store: &dyn Store) {
    let law = "failed-rows";
    let mut model = Model::new();
    put(store, &mut model, b"before", b"v");
    for (what, invalid) in invalid(&store.guarantees().limits) {
        for (of, place) in [(2, 0), (2, 1), (3, 1), (5, 2), (5, 4)] {
            let (mut batch, mut written) = (Batch::new(), model.clone());
            for index in 0..of {
                let (key, value) = (format!("row {}", index / 2), format!("{what}, {index} of {of}, not {place}"));
                if index == place {
                    batch.extend(invalid.writes());
                } else {
                    batch.put(&key, &value);
                    written.insert(key.into(), value.into());
                }
            }
            if others_are_written(law, what, store.write(&batch), place, of) {
                model = written;
            }
            compare(law, store, &model, &Scan::all());
        }
    }
}

/// The same across tables.
pub(super) fn failed_rows_across_tables(database: &dyn Database) {
    let law = "failed-rows";
    let (a, b) = (done(law, database.table("a")), done(law, database.table("b")));
    let (mut in_a, mut in_b) = (Model::new(), Model::new());
    for (what, invalid) in invalid(&a.guarantees().limits) {
        // In the first table, in the second, and in the first again.
        for place in 0..6 {
            let mut batches = [Batch::new(), Batch::new(), Batch::new()];
            let (mut written_a, mut written_b) = (in_a.clone(), in_b.clone());
            for index in 0..6 {
                let (batch, key, value) = (index / 2, format!("row {index}"), format!("{what}, {index} not {place}"));
                if index == place {
                    batches[batch].extend(invalid.writes());
                } else {
                    batches[batch].put(&key, &value);
                    let model = if batch == 1 { &mut written_b } else { &mut written_a };
                    model.insert(key.into(), value.into());
                }
            }
            let answer = database.write(&[("a", &batches[0]), ("b", &batches[1]), ("a", &batches[2])]);
            if let Err(Error::Rows(rows)) = &answer {
                let table = if place / 2 == 1 { "b" } else { "a" };
                let told = RowErrors::iter(rows).all(|row| row.table() == table);
                holds(law, told, format_args!("a write to table {table:?} is named otherwise: {rows}"));
            }
            if others_are_written(law, what, answer, place, 6) {
                (in_a, in_b) = (written_a, written_b);
            }
            compare(law, &*a, &in_a, &Scan::all());
            compare(law, &*b, &in_b, &Scan::all());
        }
    }
}

#[track_caller]
fn too_large<T: std::fmt::Debug>(what: &str, answer: Result<T, Error>, of: usize, most: usize, or_unsupported: bool) {
    match answer {
        Err(Error::TooLarge { len, max, .. }) if (len, max) == (of, most) => {}
        Err(Error::Unsupported(_)) if or_unsupported => {}
        other => broken("limits", format_args!("{what} of {of} bytes, where {most} are declared: {other:?}")),
    }
}

pub(super) fn limits(store: &dyn Store) {
    let law = "limits";
    let guarantees = store.guarantees();
    let mut model = Model::new();
    put(store, &mut model, b"k", b"before");
    let transacts = |what: &str, write: Write<'_>, of: usize, most: usize| {
        if guarantees.transactions {
            let answer = store.transact(&mut |_| {
                let mut batch = one(Write::Put(b"k", b"after"));
                batch.push(write);
                Ok(batch)
            });
            too_large(what, answer, of, most, false);
        }
    };
    if let Some(max) = guarantees.limits.key.filter(|max| *max < LARGEST) {
        for byte in [0, 1, b'k', 0xff] {
            let longest = vec![byte; max];
            match store.write(&one(Write::Put(&longest, b"longest"))) {
                Ok(()) => model.insert(longest.clone(), b"longest".into()),
                Err(error) => broken(law, format_args!("a key of {max} bytes is not taken: {error:?}")),
            };
            let got = done(law, store.get(&longest));
            equal(law, format_args!("the row {}", Show(&longest[..])), got, Some(b"longest".into()));
        }
        let longer = vec![b'k'; max + 1];
        too_large("a put of a key", store.write(&one(Write::Put(&longer, b"v"))), max + 1, max, false);
        too_large("a delete of a key", store.write(&one(Write::Delete(&longer))), max + 1, max, false);
        too_large("an increment of a key", store.increment(&longer, 1), max + 1, max, true);
        let answer = store.compare_and_write(&longer, None, Some(b"v"));
        too_large("a compare-and-write of a key", answer, max + 1, max, true);
        transacts("a transaction with a key", Write::Put(&longer, b"v"), max + 1, max);
        equal(law, "a row that is too long", done(law, store.get(&longer)), None);
        compare(law, store, &model, &Scan::all());
    }
    if let Some(max) = guarantees.limits.value.filter(|max| *max < LARGEST) {
        let largest: Vec<u8> = (0..max).map(|byte| (byte % 251) as u8).collect();
        match store.write(&one(Write::Put(b"largest", &largest))) {
            Ok(()) => model.insert(b"largest".into(), largest.clone()),
            Err(error) => broken(law, format_args!("a value of {max} bytes is not taken: {error:?}")),
        };
        holds(law, done(law, store.get(b"largest")).as_ref() == Some(&largest), "the largest value comes back changed");
        let larger = vec![b'v'; max + 1];
        too_large("a put of a value", store.write(&one(Write::Put(b"k", &larger))), max + 1, max, false);
        let answer = store.compare_and_write(b"k", Some(b"before"), Some(&larger));
        too_large("a compare-and-write of a value", answer, max + 1, max, true);
        transacts("a transaction with a value", Write::Put(b"larger", &larger), max + 1, max);
        compare(law, store, &model, &Scan::all());
    }
}

pub(super) fn limits_of_names(database: &dyn Database) {
    let law = "limits";
    let Some(max) = database.guarantees().limits.table_name.filter(|max| *max < LARGEST) else { return };
    let (longest, longer) = ("n".repeat(max), "n".repeat(max + 1));
    done(law, database.table(&longest));
    let too_long = |what: &str, answer: Result<(), Error>| too_large(what, answer, max + 1, max, false);
    too_long("a table's name", database.table(&longer).map(drop));
    too_long("a new table's name", database.create_table(&longer, &super::making::plain()).map(drop));
    too_long(
        "a written table's name",
        database.write(&[("a", &one(Write::Put(b"k", b"v"))), (&longer, &Batch::new())]),
    );
    equal(law, "the list of tables", done(law, database.tables()), vec![longest]);
}
