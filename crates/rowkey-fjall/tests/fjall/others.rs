//! Others write while many rows are deleted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rowkey::store::{Batch, CallOptions, Cancel, Database, RowBatch, Rows, Scan, Store};
use rowkey::{Error, KeyRange, Memory};
use rowkey_fjall::Durability;

use crate::database;

/// Rows that are deleted in some pieces: a piece has 1 MiB of keys, or 4096 rows of Memory.
const ROWS: u16 = 4 * 4096;

fn key(row: u16) -> Vec<u8> {
    [&row.to_be_bytes()[..], &[7; 300]].concat()
}

fn fill(table: &dyn Store) {
    for some in (0..ROWS).step_by(4096) {
        let mut batch = Batch::new();
        (some..some + 4096).for_each(|row| _ = batch.put(key(row), "v"));
        table.write(&batch).unwrap();
    }
}

fn rows(table: &dyn Store) -> usize {
    let (mut scan, mut batch, mut rows) = (table.scan(&Scan::all()), RowBatch::new(), 0);
    loop {
        scan.next_batch(&mut batch).unwrap();
        match batch.len() {
            0 => return rows,
            more => rows += more,
        }
    }
}

/// Returns whether one of the puts that go on while a table's rows are deleted took place between the first row and the
/// last.
fn a_put_came_between(table: &dyn Store, put: &dyn Fn()) -> bool {
    fill(table);
    let done = AtomicBool::new(false);
    let between = thread::scope(|scope| {
        scope.spawn(|| {
            table.delete_ranges(&[KeyRange::from_start(key(0)), KeyRange::prefix("none")]).unwrap();
            done.store(true, Ordering::Relaxed);
        });
        let mut between = false;
        while !done.load(Ordering::Relaxed) {
            put();
            between |= table.get(&key(0)).unwrap().is_none() && table.get(&key(ROWS - 1)).unwrap().is_some();
        }
        between
    });
    assert_eq!(rows(table), 0);
    between
}

#[test]
fn puts_come_between_the_rows_of_a_deletion() {
    let long = CallOptions::new().timeout(Duration::from_secs(600));
    let fjall = database();
    let databases: [(&str, Arc<dyn Database>); 3] = [
        ("fjall", Arc::new(fjall.clone())),
        ("fjall, synced", Arc::new(fjall.durability(Durability::Synced))),
        ("Memory", Arc::new(Memory::new())),
    ];
    for (name, db) in databases {
        // In Memory a table has a lock of its own; its rows of other keys stand in for another table.
        let other = db.table(if name == "Memory" { "rows" } else { "other" }).unwrap();
        for (how, other) in [("", Arc::clone(&other)), (", with a timeout", other.with_options(&long))] {
            let table = db.table("rows").unwrap();
            let put = || {
                other.write(Batch::new().put(b"\0", "v").put(b"\0\0", "w")).unwrap();
                other.write(Batch::new().delete(b"\0").delete(b"\0\0")).unwrap();
            };
            let between = (0..20).any(|_| a_put_came_between(&*table, &put));
            assert!(between, "{name}{how}: no put took place while rows were deleted");
        }
    }
}

/// A deletion that is cancelled between two pieces has deleted the first of them, says so, and can be repeated.
#[test]
fn a_deletion_is_cancelled_between_its_pieces() {
    let fjall = database();
    let databases: [(&str, Arc<dyn Database>); 2] = [("fjall", Arc::new(fjall)), ("Memory", Arc::new(Memory::new()))];
    // Memory drops all rows at once.
    let ranges = [KeyRange::from_start(key(0))];
    for (name, db) in databases {
        let table = db.table("rows").unwrap();
        let cancelled = (0..20).any(|_| {
            fill(&*table);
            let cancel = Cancel::new();
            let bounded = table.with_options(&CallOptions::new().cancel(&cancel));
            let result = thread::scope(|scope| {
                let deletion = scope.spawn(|| bounded.delete_ranges(&ranges));
                while !deletion.is_finished() && table.get(&key(0)).unwrap().is_some() {
                    thread::yield_now();
                }
                cancel.cancel();
                deletion.join().unwrap()
            });
            let left = rows(&*table);
            table.delete_ranges(&ranges).unwrap();
            match &result {
                Ok(()) => assert_eq!(left, 0, "{name}"),
                Err(Error::Cancelled { .. }) => assert_eq!(left, usize::from(ROWS), "{name}"),
                Err(Error::OutcomeUnknown { table, source }) => {
                    assert!(left < usize::from(ROWS) && table == "rows", "{name}: {left}");
                    assert!(matches!(**source, Error::Cancelled { .. }), "{name}: {source}");
                }
                Err(other) => panic!("{name}: {other}"),
            }
            left > 0 && left < usize::from(ROWS)
        });
        assert!(cancelled, "{name}: no deletion was cancelled before its end");
        assert_eq!(rows(&*table), 0, "{name}");
    }
}
