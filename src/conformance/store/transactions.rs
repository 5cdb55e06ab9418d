//! Laws of transactions.

use super::laws::{Model, Row, compare, compare_rows, done, equal, expected, fill, holds, put, range, read, read_on};
use super::laws::{Show, refused};
use super::meetings::{THREADS, in_threads};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, Database, Readable, Scan, Store};

const ACROSS: &str = "transaction-across-tables";

fn is_unsupported(error: &Error) -> bool {
    matches!(error, Error::Unsupported(_))
}

/// A view returns the model's data.
#[track_caller]
fn compare_view(law: &str, view: &dyn Readable, model: &Model) {
    for key in model.keys().map(Vec::as_slice).chain([&b"absent"[..], b"\0\x01"]) {
        let row: [Row; 1] = [(key.to_vec(), Vec::new())];
        equal(law, Show(&row[..]), done(law, view.get(key)), model.get(key).cloned());
    }
    let two = vec![range(b"a", Some(b"aa")), range(b"b", None)];
    for reverse in [false, true] {
        let all = Scan::all().reverse(reverse);
        let of_two = Scan::new(two.clone()).reverse(reverse);
        for scan in [&all, &all.clone().batch_rows(3).limit(4), &of_two, &of_two.clone().limit(5), &Scan::new(vec![])] {
            compare_rows(law, scan, &read_on(&mut *view.scan(scan), scan), &expected(model, scan));
        }
    }
}

pub(super) fn transactions(store: &dyn Store) {
    let law = "transaction";
    if !store.guarantees().transactions {
        let answer = store.transact(&mut |_| Ok(std::mem::take(Batch::new().put("k", "v"))));
        refused("unsupported", "a transaction", answer, is_unsupported);
        return compare("unsupported", store, &Model::new(), &Scan::all());
    }
    let transact = |body: &mut dyn FnMut(&dyn Readable, &mut Batch)| {
        done(
            law,
            store.transact(&mut |view| {
                let mut batch = Batch::new();
                body(view, &mut batch);
                Ok(batch)
            }),
        );
    };
    transact(&mut |view, _| compare_view(law, view, &Model::new()));
    let mut model = fill(store);
    transact(&mut |view, _| compare_view(law, view, &model));
    compare(law, store, &model, &Scan::all());

    transact(&mut |view, batch| {
        let found = done(law, view.get(b"a")).unwrap_or_default();
        batch.put("new", found).put("a", "changed").delete("b").delete("absent");
        batch.put("c", "first").put("c", "second").put("gone", "v").delete("gone");
        equal(law, "what a body is about to write, read by it", done(law, view.get(b"new")), None);
    });
    let of_a = model.insert(b"a".into(), b"changed".into()).unwrap_or_default();
    model.insert(b"new".into(), of_a);
    model.insert(b"c".into(), b"second".into());
    model.remove(&b"b"[..]);
    compare(law, store, &model, &Scan::all());
    transact(&mut |view, _| compare_view(law, view, &model));
    put(store, &mut model, b"b", b"again");
    transact(&mut |view, _| compare_view(law, view, &model));

    let mut empty_key = Batch::new();
    empty_key.put("fine", "v").put("", "v").put("a", "v");
    let answer = store.transact(&mut |_| Ok(empty_key.clone()));
    refused(law, "a transaction's batch with an empty key", answer, |error| matches!(error, Error::EmptyKey));
    compare(law, store, &model, &Scan::all());
    fails(law, &mut |error| store.transact(&mut |_| Err(error.take().unwrap_or(Error::EmptyKey))));
    let answer = store.transact(&mut |view| {
        done(law, view.get(b"a"));
        Err(Error::Unsupported("what the body asks for"))
    });
    refused(law, "a body that fails", answer, is_unsupported);
    compare(law, store, &model, &Scan::all());
    put(store, &mut model, b"a", b"as free as before");
    compare(law, store, &model, &Scan::all());
}

/// The error that a body returns is returned unchanged.
#[track_caller]
fn fails(law: &str, transact: &mut dyn FnMut(&mut Option<Error>) -> Result<(), Error>) {
    let mut failure = Some(Error::engine("the body's own"));
    match transact(&mut failure) {
        Err(Error::Engine(error)) if error.to_string() == "the body's own" => {}
        other => holds(law, false, format_args!("a body that fails returns {other:?}")),
    }
}

/// A counter. Some callers add to it in transactions, others by increments, if the store has them.
pub(super) fn threads(store: &dyn Store) {
    if !store.guarantees().transactions {
        return;
    }
    let law = "lost-transaction";
    let number = |bytes: Option<Vec<u8>>| bytes.map_or(0, |bytes| bytes.try_into().map_or(-1, i64::from_be_bytes));
    let incremented = store.guarantees().increment;
    let added = in_threads(THREADS, |caller| {
        let mut added = 0;
        while caller.goes_on() {
            if incremented && added % 5 == 0 {
                caller.call(|| done(law, store.increment(b"counter", 1)));
            } else {
                let mut body = |view: &dyn Readable| {
                    let sum = number(done(law, view.get(b"counter"))) + 1;
                    Ok(std::mem::take(Batch::new().put("counter", sum.to_be_bytes())))
                };
                caller.call(|| done(law, store.transact(&mut body)));
            }
            added += 1;
        }
        added
    });
    let sum: i64 = added.iter().sum();
    equal(law, "a number that was counted up", number(done(law, store.get(b"counter"))), sum);
}

pub(super) fn across_tables(database: &dyn Database) {
    let guarantees = database.guarantees();
    let put_in = |rows: &'static [(&str, &str)]| -> Vec<Batch> {
        rows.iter().map(|&(key, value)| std::mem::take(Batch::new().put(key, value))).collect()
    };
    if !guarantees.transactions || guarantees.batch < Atomicity::Database {
        let answer = database.transact(&["a"], &mut |_| Ok(put_in(&[("k", "v")])));
        return refused("unsupported", "a transaction across tables", answer, is_unsupported);
    }
    let transact = |tables: &[&str], body: &mut dyn FnMut(&[&dyn Readable]) -> Vec<Batch>| {
        let mut counted = |views: &[&dyn Readable]| {
            equal(ACROSS, "how many views there are", views.len(), tables.len());
            Ok(body(views))
        };
        done(ACROSS, database.transact(tables, &mut counted));
    };
    let rows_are = |tables: &[(&str, &[(&str, &str)])]| {
        for (name, rows) in tables {
            let rows: Vec<Row> = rows.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
            let is = read(&*done(ACROSS, database.table(name)), &Scan::all());
            equal(ACROSS, format_args!("the rows of {name:?}"), is, rows);
        }
    };

    transact(&["b", "a"], &mut |_| put_in(&[("k", "of b"), ("k", "of a")]));
    equal(ACROSS, "the tables that it made", done(ACROSS, database.tables()), vec!["a".to_owned(), "b".to_owned()]);
    rows_are(&[("a", &[("k", "of a")]), ("b", &[("k", "of b")])]);

    transact(&["b", "ab", "a"], &mut |views| {
        let own: Vec<_> = views.iter().map(|view| done(ACROSS, view.get(b"k"))).collect();
        equal(ACROSS, "what the views show", own, vec![Some(b"of b".to_vec()), None, Some(b"of a".to_vec())]);
        let scanned = views.iter().map(|view| read_on(&mut *view.scan(&Scan::all()), &Scan::all()).len());
        equal(ACROSS, "how many rows the views show", scanned.collect(), vec![1, 0, 1]);
        put_in(&[("l", "of b"), ("l", "of ab"), ("k", "changed")])
    });
    let after: [(&str, &[(&str, &str)]); 3] =
        [("a", &[("k", "changed")]), ("ab", &[("l", "of ab")]), ("b", &[("k", "of b"), ("l", "of b")])];
    rows_are(&after);

    let answer = database.transact(&["a", "b"], &mut |_| Ok(put_in(&[("m", "fine"), ("", "empty")])));
    refused(ACROSS, "an empty key in one of the batches", answer, |error| matches!(error, Error::EmptyKey));
    rows_are(&after);
    fails(ACROSS, &mut |error| database.transact(&["a", "b"], &mut |_| Err(error.take().unwrap_or(Error::EmptyKey))));
    rows_are(&after);
    transact(&[], &mut |_| Vec::new());

    // One table under two names: both views read it; of two writes to one row the later wins.
    transact(&["a", "b", "a"], &mut |views| {
        let own: Vec<_> = [0, 2].map(|view| done(ACROSS, views[view].get(b"k"))).into();
        equal(ACROSS, "a table that is named twice", own, vec![Some(b"changed".to_vec()); 2]);
        put_in(&[("k", "earlier"), ("k", "of b"), ("k", "later")])
    });
    rows_are(&[("a", &[("k", "later")]), after[1], after[2]]);
    done(ACROSS, done(ACROSS, database.table("a")).delete_ranges(&[KeyRange::all()]));
    transact(&["a"], &mut |views| {
        equal(ACROSS, "a row that was deleted", done(ACROSS, views[0].get(b"k")), None);
        vec![Batch::new()]
    });
}

/// Moves an amount from one table to the other, so that each transaction finds the same sum. The tables are named in
/// either order, which must not deadlock.
pub(super) fn threads_across_tables(database: &dyn Database) {
    let guarantees = database.guarantees();
    if !guarantees.transactions || guarantees.batch < Atomicity::Database {
        return;
    }
    let number = |view: &dyn Readable| {
        let bytes = done(ACROSS, view.get(b"k"));
        bytes.map_or(0, |bytes| bytes.try_into().map_or(i64::MIN, i64::from_be_bytes))
    };
    let move_one = |tables: [&str; 2]| {
        // A body that was called again: its earlier reads were not used.
        let mut read = [0; 2];
        let mut body = |views: &[&dyn Readable]| {
            read = [number(views[0]), number(views[1])];
            let moved = [read[0] - 1, read[1] + 1];
            Ok(moved.iter().map(|sum| std::mem::take(Batch::new().put("k", sum.to_be_bytes()))).collect())
        };
        done(ACROSS, database.transact(&tables, &mut body));
        equal(ACROSS, "the sum over two tables", read[0].wrapping_add(read[1]), 0);
    };
    let moved = in_threads(THREADS, |caller| {
        let mut moved = 0;
        while caller.goes_on() {
            caller.call(|| move_one(["a", "b"]));
            caller.call(|| move_one(["a", "b"]));
            caller.call(|| move_one(["b", "a"]));
            moved += 1;
        }
        moved
    });
    let moved: i64 = moved.iter().sum();
    let mut ends = |views: &[&dyn Readable]| {
        let sums = vec![number(views[0]), number(views[1])];
        equal(ACROSS, "what was moved", sums, vec![-moved, moved]);
        Ok(vec![Batch::new(); 2])
    };
    done(ACROSS, database.transact(&["a", "b"], &mut ends));
}
