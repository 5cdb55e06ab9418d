//! An operation of several calls has one deadline for all of them.

use std::sync::Arc;
use std::time::Duration;

use rowkey::Memory;
use rowkey::store::{Batch, CallOptions, Database, SubStore};

use crate::bounds::operations::operations;
use crate::bounds::slow::{DELAY, slow};
use crate::bounds::{Db, is_late};

/// What goes on batch by batch, with a deadline for each.
const BATCHES: [&str; 13] = [
    "scan",
    "keys",
    "first_of_each",
    "a parallel scan",
    "a parallel scan of bytes",
    "split points",
    "bulk_load",
    "a bulk load of bytes",
    "wide scan",
    "Secondary::scan",
    "Secondary::verify",
    "Secondary::rebuild",
    "Migration::backfill",
];

/// How many calls each operation makes that has time.
fn calls(transactions: bool) -> Vec<u64> {
    let slow = slow(Memory::new(), transactions, Duration::from_millis(0));
    let db: Db = Arc::new(slow.clone());
    let all = operations(&db, &CallOptions::new().timeout(Duration::from_secs(120)));
    let count = |operation: &crate::bounds::operations::Operation| {
        let before = slow.calls();
        let answer = (operation.run)();
        assert!(answer.is_ok(), "{}, transactions: {transactions}: {answer:?}", operation.name);
        slow.calls() - before
    };
    all.iter().map(count).collect()
}

fn have_one_deadline(transactions: bool) {
    let calls = calls(transactions);
    let slow = slow(Memory::new(), transactions, DELAY);
    let db: Db = Arc::new(slow.clone());
    // Longer than a call, shorter than two.
    let all = operations(&db, &CallOptions::new().timeout(DELAY * 3 / 2));
    assert_eq!(calls.len(), all.len());
    slow.begin();
    let mut several = 0;
    for (operation, calls) in all.iter().zip(calls) {
        let (name, answer) = (operation.name, (operation.run)());
        let in_time = answer.is_ok();
        assert!(answer.as_ref().is_ok() || answer.as_ref().is_err_and(is_late), "{name}: {answer:?}");
        if calls > 1 && !BATCHES.contains(&name) {
            several += 1;
            assert!(!in_time, "{name} makes {calls} calls, and was in time; transactions: {transactions}");
        }
    }
    assert!(several > 20, "{several} operations make several calls");
}

#[test]
fn operations_of_several_calls_have_one_deadline() {
    have_one_deadline(true);
}

#[test]
fn operations_of_several_calls_have_one_deadline_without_transactions() {
    have_one_deadline(false);
}

/// Where its store's batches are not atomic, it writes twice.
#[test]
fn a_write_across_tables_of_a_sub_store_has_one_deadline() {
    let slow = slow(Memory::new(), false, DELAY);
    let db = SubStore::new(slow.table("all").unwrap());
    let bounded = db.with_options(&CallOptions::new().timeout(DELAY * 3 / 2));
    slow.begin();
    let answer = bounded.write(&[("a", Batch::new().put("k", "v"))]);
    assert!(answer.as_ref().is_err_and(is_late), "{answer:?}");
    assert_eq!(db.table("a").unwrap().get(b"k").unwrap(), None);
}
