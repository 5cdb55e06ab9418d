//! What others find where a write was stopped, and what a repeat does.

use std::sync::Arc;
use std::time::Duration;

use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::{Primary, Secondary};
use rowkey::store::{CallOptions, Cancel};
use rowkey::{Error, ErrorKind, Memory};
use rowkey_testkit::Stopped;

use crate::bounds::Db;

type Users = Primary<u8, String, Db>;

fn users(memory: &Memory, timeout: Duration) -> (Stopped, Users, Secondary<String, (), u8, String, Db>) {
    let stopped = Stopped::new(Arc::new(memory.clone()), false);
    let db: Db = Arc::new(stopped.clone());
    let mut users = Users::open(db, "users").unwrap().write_timeout(timeout);
    let by_name = users.secondary("users.by_name", |_: &u8, name: &String| [(name.clone(), ())]).unwrap();
    (stopped, users, by_name)
}

/// Every call of an operation, and whether it is stopped after it.
fn calls() -> impl Iterator<Item = (u32, bool)> {
    (0..).flat_map(|call| [(call, false), (call, true)])
}

fn by_token(token: &Cancel) -> CallOptions {
    CallOptions::new().cancel(token)
}

/// A key that a stopped write has claimed is busy: not taken, and not free yet.
#[test]
fn a_key_whose_write_was_stopped_is_busy_for_other_rows() {
    let (mut busy, mut taken) = (0, 0);
    for (call, after) in calls() {
        let memory = Memory::new();
        let (stopped, bounded, _) = users(&memory, Duration::from_secs(600));
        bounded.put(&1, &"ada".into()).unwrap();
        stopped.stop_after(call, after);
        let answer = bounded.with_options(&by_token(stopped.token())).put(&1, &"eve".into());
        if !stopped.has_stopped() {
            answer.unwrap();
            break;
        }
        let row = bounded.get(&1).unwrap().unwrap();
        let at = format!("stopped at call {call}, {answer:?}: row 1 is {row}");
        match bounded.put(&2, &"eve".into()) {
            Ok(()) => assert_eq!(row, "ada", "{at}"),
            Err(Error::SecondaryConflict { holder, .. }) => {
                assert!(row == "eve" && holder == [1], "{at}");
                taken += 1;
            }
            Err(error) => {
                assert!(matches!(error, Error::SecondaryBusy { .. }) && error.kind().is_retryable(), "{at}: {error}");
                assert_eq!(row, "ada", "{at}");
                // Once the claim is too old.
                let (_, patient, by_name) = users(&memory, Duration::ZERO);
                patient.put(&2, &"eve".into()).unwrap();
                assert_eq!(by_name.get_row(&"eve".into()).unwrap(), Some((2, "eve".into())), "{at}");
                busy += 1;
            }
        }
        // The row itself is free.
        let own = if row == "ada" { "bob" } else { "eve" };
        bounded.put(&1, &own.to_owned()).unwrap();
    }
    assert!(busy > 0 && taken > 0, "{busy} and {taken} say too little");
}

/// Adds one until that has succeeded, or its outcome is unknown, which it returns.
fn add(mut update: impl FnMut() -> Result<(), Error>) -> bool {
    loop {
        match update() {
            Ok(()) => return false,
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown => return true,
            // Nothing is written: a repeat is safe.
            Err(error) if error.kind().is_retryable() || error.kind() == ErrorKind::Cancelled => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// An update that is repeated wherever its error allows that takes place once.
#[test]
fn an_update_that_is_repeated_counts_once() {
    let mut unknown = [0, 0];
    for (call, after) in calls() {
        let memory = Memory::new();
        let stopped = Stopped::new(Arc::new(memory.clone()), false);
        let db: Db = Arc::new(stopped.clone());
        let mut counts = Primary::<u8, i64, _>::open(db.clone(), "counts").unwrap();
        let by_count = counts.secondary("counts.by_count", |id: &u8, count: &i64| [((*count, *id), ())]).unwrap();
        counts.put(&1, &7).unwrap();
        let keys = Conversion::keys(|n: u8| (n,), |(n,): (u8,)| n);
        let moving = Migration::<u8, i64, (u8,), i64, _>::open(db, "move", "old", "new", keys).unwrap();
        moving.put(&(1,), &7).unwrap();
        let moving = moving.lock_timeout(Duration::ZERO);

        // The first attempt is stopped, a repeat is not.
        stopped.stop_after(call, after);
        let mut options = Some(by_token(stopped.token()));
        let bounds = &mut || options.take().unwrap_or_default();
        let of_primary = add(|| counts.with_options(&bounds()).increment(&1, 1).map(drop));
        let over = !stopped.has_stopped();
        assert_eq!(counts.get(&1).unwrap(), Some(8), "a Primary, stopped at call {call}");
        let found: Vec<_> = by_count.scan(..).map(|row| row.unwrap().0).collect();
        assert_eq!(found, [(8, 1)]);

        let stopped_again = Stopped::new(Arc::new(memory.clone()), false);
        let db: Db = Arc::new(stopped_again.clone());
        let keys = Conversion::keys(|n: u8| (n,), |(n,): (u8,)| n);
        let bounded = Migration::<u8, i64, (u8,), i64, _>::open(db, "move", "old", "new", keys).unwrap();
        let bounded = bounded.lock_timeout(Duration::ZERO);
        stopped_again.stop_after(call, after);
        let mut options = Some(by_token(stopped_again.token()));
        let bounds = &mut || options.take().unwrap_or_default();
        let add_one = |n: Option<i64>| n.map(|n| n + 1);
        let of_migration = add(|| bounded.with_options(&bounds()).update(&(1,), add_one).map(drop));
        // Whoever writes the row next sees what was committed.
        assert_eq!(moving.update(&(1,), |n| n).unwrap(), Some(8), "a Migration, stopped at call {call}");
        for (count, of) in unknown.iter_mut().zip([of_primary, of_migration]) {
            *count += i32::from(of);
        }
        if over && !stopped_again.has_stopped() {
            break;
        }
    }
    assert!(unknown.iter().all(|unknown| *unknown > 0), "{unknown:?} say too little");
}
