//! An operation of several calls has one deadline for all of them.

use std::sync::Arc;
use std::time::Duration;

use rowkey::secondary::Primary;
use rowkey::store::{Batch, CallOptions, Database, SubStore};
use rowkey::{Memory, RowKey};

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

#[derive(RowKey, Debug, PartialEq)]
#[rowkey(salt(buckets = 4))]
struct Age {
    age: u64,
    user: u64,
}

/// A batch of a secondary table and the primary rows that it leads to are one call. With more time, all rows come.
#[test]
fn a_batch_of_a_secondary_scan_has_one_deadline() {
    const USERS: u64 = 700;
    const DELAY: Duration = Duration::from_millis(100);
    let slow = slow(Memory::new(), false, DELAY);
    let db: Db = Arc::new(slow.clone());
    let mut users = Primary::<u64, u64, _>::open(db, "users").unwrap();
    let by_age = users.secondary("users.by_age", |&user: &u64, &age: &u64| [(Age { age, user }, ())]).unwrap();
    (0..USERS).for_each(|user| users.put(&user, &(user * 7 % 50)).unwrap());
    let within = |timeout| by_age.with_options(&CallOptions::new().timeout(timeout)).scan_rows(..);
    let rows: Vec<_> = within(Duration::from_secs(120)).map(Result::unwrap).collect();
    assert_eq!(rows.len() as u64, USERS);
    assert!(rows.is_sorted_by_key(|(Age { age, user }, _)| (*age, *user)));
    let before = slow.calls();
    assert!(within(Duration::from_secs(120)).next().unwrap().is_ok());
    let calls = u32::try_from(slow.calls() - before).unwrap();
    slow.begin();
    // Time for all calls but the last one, which reads the primary rows.
    let row = within(DELAY * (2 * calls - 1) / 2).next().unwrap();
    assert!(row.as_ref().is_err_and(is_late), "{row:?} after {calls} calls");
}
