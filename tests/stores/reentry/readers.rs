//! Who reads waits for no body, and a body that panics is not felt by anyone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Barrier};
use std::thread;

use rowkey::Table;
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Batch, Database, RowBatch, Scan, Store};

use crate::reentry::{engines, in_time};

fn first_value(table: &dyn Store) -> Option<Vec<u8>> {
    let mut batch = RowBatch::new();
    table.scan(&Scan::all()).next_batch(&mut batch).unwrap();
    batch.get(0).map(|(_, value)| value.to_vec())
}

/// Another thread reads while a body is half done, and the body waits until it has.
#[test]
fn other_threads_read_while_a_body_runs() {
    in_time(|tell| {
        for (engine, db) in engines().into_iter().filter(|(_, db)| db.guarantees().transactions) {
            tell(format!("reads beside a body, {engine},"));
            let (table, more) = (db.table("rows").unwrap(), db.table("more").unwrap());
            table.write(Batch::new().put("k", "before")).unwrap();
            let (begun, seen) = (Barrier::new(2), Barrier::new(2));
            let change = || {
                let (mut of_rows, mut of_more) = (Batch::new(), Batch::new());
                of_rows.put("k", "after");
                of_more.put("k", "after");
                let mut body = |_: &[&dyn rowkey::store::Readable]| {
                    begun.wait();
                    seen.wait();
                    Ok(vec![of_rows.clone(), of_more.clone()])
                };
                db.transact(&["rows", "more"], &mut body).unwrap();
            };
            thread::scope(|scope| {
                scope.spawn(change);
                begun.wait();
                let before = Some(b"before".to_vec());
                assert_eq!((table.get(b"k").unwrap(), first_value(&*table)), (before.clone(), before));
                assert_eq!((more.get(b"k").unwrap(), first_value(&*more)), (None, None));
                assert!(db.tables().unwrap().contains(&"rows".to_owned()));
                seen.wait();
            });
            let after = Some(b"after".to_vec());
            assert_eq!((table.get(b"k").unwrap(), more.get(b"k").unwrap()), (after.clone(), after));
        }
    });
}

/// A scan that was opened in a body, and outlives it, shows the table as the body saw it.
#[test]
fn a_scan_outlives_its_body() {
    in_time(|tell| {
        for (engine, db) in engines().into_iter().filter(|(_, db)| db.guarantees().transactions) {
            tell(format!("a scan that was opened in a body, {engine},"));
            let table = db.table("rows").unwrap();
            table.write(Batch::new().put("k", "before")).unwrap();
            let mut opened = None;
            let mut body = |view: &dyn rowkey::store::Readable| {
                opened = Some(view.scan(&Scan::all()));
                Ok(std::mem::take(Batch::new().put("k", "after").put("l", "after")))
            };
            table.transact(&mut body).unwrap();
            let mut batch = RowBatch::new();
            opened.unwrap().next_batch(&mut batch).unwrap();
            assert_eq!(batch.iter().collect::<Vec<_>>(), [(&b"k"[..], &b"before"[..])]);
            assert_eq!(table.get(b"k").unwrap().as_deref(), Some(&b"after"[..]));
        }
    });
}

/// A panic that no hook shows.
fn panics<T>() -> T {
    resume_unwind(Box::new("the closure's own"))
}

#[test]
fn closures_that_panic_leave_everything_usable() {
    in_time(|tell| {
        for (engine, db) in engines() {
            let caught = |what: &str, run: &mut dyn FnMut()| {
                tell(format!("{what} that panics, {engine},"));
                assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{what}, {engine}");
                assert!(db.id().check_write(["rows"]).is_ok(), "{what}, {engine}: the thread is still inside");
            };
            let numbers: Table<u64, u64, _> = Table::open(&db, "numbers").unwrap();
            caught("an update", &mut || drop(numbers.update(&1, |_| panics())));
            let mut users = Primary::<u64, u64, _>::open(Arc::clone(&db), "users").unwrap();
            caught("an update of a primary row", &mut || drop(users.update(&1, |_| panics())));
            users.secondary("users.by", |id: &u64, n: &u64| if *n == 9 { panics() } else { [(*id, ())] }).unwrap();
            caught("what derives secondary rows", &mut || drop(users.put(&1, &9)));
            let keys =
                Conversion::keys(|key: u64| (key, 0_u64), |(key, _): (u64, u64)| if key == 9 { panics() } else { key });
            let moving = Migration::<u64, u64, _, _, _>::open(Arc::clone(&db), "m", "old", "new", keys).unwrap();
            caught("a conversion", &mut || drop(moving.put(&(9, 0), &1)));
            if db.guarantees().transactions {
                caught("an update of a migrated row", &mut || drop(moving.update(&(1, 0), |_| panics())));
                let table = db.table("numbers").unwrap();
                caught("a transaction", &mut || drop(table.transact(&mut |_| panics())));
                let both = ["numbers", "users"];
                caught("a transaction across tables", &mut || drop(db.transact(&both, &mut |_| panics())));
            }
            tell(format!("what comes after, {engine},"));
            numbers.put(&1, &1).unwrap();
            users.put(&1, &1).unwrap();
            moving.put(&(1, 0), &1).unwrap();
            thread::scope(|scope| {
                scope.spawn(|| numbers.update(&1, |n| n.map(|n| n + 1)).unwrap());
            });
            assert_eq!((numbers.get(&1).unwrap(), users.get(&1).unwrap()), (Some(2), Some(1)));
        }
    });
}
