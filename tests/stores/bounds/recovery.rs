//! An operation of several writes that ends between them leaves what a crash there would leave: what mends that mends
//! this.

use std::time::Duration;

use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{CallOptions, Cancel};
use rowkey::{Error, Memory, Table};
use rowkey_testkit::{Failing, WITHOUT};

use crate::bounds::is_cancelled;

/// A write that may have been cancelled on its way.
fn ended(answer: Result<(), Error>, at: u64) {
    match answer {
        Ok(()) => {}
        Err(Error::OutcomeUnknown { source, .. }) => {
            assert!(is_cancelled(&source), "cancelled before call {at}: {source}")
        }
        Err(error) => assert!(is_cancelled(&error), "cancelled before call {at}: {error}"),
    }
}

#[test]
fn a_write_with_secondary_tables_that_is_cancelled_anywhere_is_mended() {
    for at in 0.. {
        let memory = Memory::new();
        let db = Failing::never(&memory, WITHOUT);
        let mut users = Primary::<u8, String, _>::open(db.clone(), "users").unwrap();
        let entries = |_: &u8, name: &String| [(name.clone(), name.len() as i64)];
        let by_name = users.secondary("users.by_name", entries).unwrap();
        users.put(&1, &"ada".into()).unwrap();

        let cancel = Cancel::new();
        let token = cancel.clone();
        db.interrupt(at, move || token.cancel());
        ended(users.with_options(&CallOptions::new().cancel(&cancel)).put(&1, &"eve".into()), at);
        if db.take_interrupt() {
            assert!(at > 10, "a write makes more calls");
            return;
        }
        // No reader sees what does not hold, and none misses what does.
        let row = users.get(&1).unwrap().unwrap();
        let other = if row == "ada" { "eve" } else { "ada" }.to_owned();
        assert_eq!(by_name.get(&row).unwrap(), Some(3), "cancelled before call {at}");
        assert_eq!(by_name.get(&other).unwrap(), None, "cancelled before call {at}");
        // Whoever was cancelled may try again.
        users.put(&1, &"bob".into()).unwrap();
        by_name.rebuild().write_timeout(Duration::ZERO).run().unwrap();
        assert!(by_name.verify().write_timeout(Duration::ZERO).run().unwrap().is_clean());
        assert_eq!(by_name.get(&"bob".to_owned()).unwrap(), Some(3));
        users.write_timeout(Duration::ZERO).put(&2, &row).unwrap();
    }
}

#[test]
fn a_write_of_a_migration_that_is_cancelled_anywhere_is_mended() {
    for at in 0.. {
        let memory = Memory::new();
        let db = Failing::never(&memory, WITHOUT);
        let old = Table::<u8, i64, _>::open(db.clone(), "old").unwrap();
        old.put(&1, &1).unwrap();
        let keys = Conversion::keys(|n: u8| (n,), |(n,): (u8,)| n);
        let moving = Migration::<u8, i64, (u8,), i64, _>::open(db.clone(), "move", "old", "moved", keys).unwrap();
        moving.backfill().run().unwrap();

        let cancel = Cancel::new();
        let token = cancel.clone();
        db.interrupt(at, move || token.cancel());
        ended(moving.with_options(&CallOptions::new().cancel(&cancel)).put(&(1,), &2), at);
        if db.take_interrupt() {
            assert!(at > 8, "a write makes more calls");
            return;
        }
        // The next writer takes over what was left, without waiting for long: it takes the other for killed.
        let moving = moving.lock_timeout(Duration::ZERO);
        let mut seen = None;
        moving
            .update(&(1,), |n| {
                seen = n;
                n
            })
            .unwrap();
        assert!(matches!(seen, Some(1 | 2)), "cancelled before call {at}: {seen:?}");
        let report = moving.verify().run().unwrap();
        assert_eq!((report.differences(), report.is_done()), (0, true), "cancelled before call {at}");
        moving.cut_over().unwrap();
        assert_eq!(moving.get(&(1,)).unwrap(), seen);
    }
}
