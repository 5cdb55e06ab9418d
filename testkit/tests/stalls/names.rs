//! Tables that are opened by name while a migration begins, or drops them, and afterwards.

use std::sync::Arc;
use std::time::Duration;

use rowkey::ids::NameIds;
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Database, RowBatch, Rows, Scan};
use rowkey::wide::{CellsDatabase, FamilySchema, TableSchema};
use rowkey::{Error, Memory, Table, WideTable};
use rowkey_testkit::{Failing, How, WITHOUT, points};

use super::Step::{Backfill, BackfillSome, Bump, CutOver, Finish, RollBack, Verify};
use super::{Engine, Four, Sixteen, WITH, before, begin, bump, counters, following, open};

/// Two that begin it at once: one begins it, the other finds it begun, wherever it is by then.
#[test]
fn of_two_that_open_it_one_begins_it() {
    for (engine, how) in
        [(Engine::Memory, WITHOUT), (Engine::OneTable, WITHOUT), (Engine::Memory, WITH), (Engine::OneTable, WITH)]
    {
        for steps in following(&[]).into_iter().chain([vec![BackfillSome], vec![Bump(4, 1)]]) {
            for at in points(4) {
                let memory = Memory::new();
                let failing = Failing::new(&memory, how, 100_000);
                let (db, other) = (engine.through(failing.clone()), engine.of(&memory, how));
                before(&db);
                let (others, behind) = (other.clone(), steps.clone());
                failing.interrupt(at, move || {
                    let m = open(others);
                    behind.iter().for_each(|step| step.run(&m).unwrap());
                });
                let said = format!("{engine:?} at {at}, {steps:?}");
                let m = begin(db).unwrap_or_else(|error| panic!("{said}: {error}")).lock_timeout(Duration::ZERO);
                if failing.take_interrupt() {
                    break;
                }
                let expected = if steps.contains(&Bump(4, 1)) { [0, 10, 20, 30, 1] } else { [0, 10, 20, 30, 0] };
                assert_eq!(counters(&other, &said), expected, "{said}");
                bump(&m, 2, 1).unwrap();
                assert_eq!(m.get(&Sixteen { id: 2 }).unwrap(), Some(21));
            }
        }
    }
}

fn moved<T>(opened: Result<T, Error>, said: &str) {
    match opened {
        Err(error @ Error::Moved { .. }) => {
            let (from, to) = if said.starts_with("old") { ("old", "new") } else { ("new", "old") };
            assert_eq!(error.to_string(), format!("table {from:?} was moved to table {to:?} by migration \"m\""));
        }
        Err(error) => panic!("{said}: {error}"),
        Ok(_) => panic!("{said}: it was opened"),
    }
}

type Opens = fn(&Arc<dyn Database>, &str) -> Result<(), Error>;

/// All that opens a table by its name.
const OPENS: [(&str, Opens); 5] = [
    ("a table", |db, name| Table::<u64, u64, _>::open(db.clone(), name).map(drop)),
    ("a primary one", |db, name| Primary::<u64, u64, _>::open(db.clone(), name).map(drop)),
    ("a secondary one", |db, name| {
        let mut primary = Primary::<u64, u64, _>::open(db.clone(), "primary")?;
        primary.secondary(name, |key: &u64, _: &u64| [(*key, *key)]).map(drop)
    }),
    ("a wide one", |db, name| {
        let schema = TableSchema::new().family("a", FamilySchema::new());
        WideTable::<u64, _>::open(CellsDatabase::new(db.clone()), name, &schema).map(drop)
    }),
    ("one of names", |db, name| match NameIds::<3>::open(db, name, "kind") {
        Err(rowkey::ids::IdError::Store(error)) => Err(error),
        opened => opened.map(drop).map_err(Error::engine),
    }),
];

#[test]
fn a_table_that_was_moved_is_not_opened_until_that_is_forgotten() {
    for (engine, how) in
        [(Engine::Memory, WITHOUT), (Engine::OneTable, WITHOUT), (Engine::Memory, WITH), (Engine::OneTable, WITH)]
    {
        for (gone, last) in [("old", Finish), ("new", RollBack)] {
            for (what, opens) in OPENS {
                let said = format!("{gone} as {what}, {engine:?}");
                let memory = Memory::new();
                let db = engine.of(&memory, how);
                before(&db);
                let m = open(db.clone());
                [Backfill, Verify, CutOver, last].iter().for_each(|step| step.run(&m).unwrap());
                for _ in 0..2 {
                    moved(opens(&db, gone), &said);
                    // In a process that is started later.
                    let later = open(db.clone());
                    bump(&later, 2, 1).unwrap();
                    last.run(&later).unwrap();
                    assert!(!db.tables().unwrap().contains(&gone.to_owned()), "{said}");
                }
                // Nor is another migration begun from it, or to it.
                let same = || Conversion::keys(|key: u64| key, |key: u64| key);
                moved(Migration::<u64, u64, _, _, _>::open(db.clone(), "n", gone, "other", same()), &said);
                moved(Migration::<u64, u64, _, _, _>::open(db.clone(), "n", "other", gone, same()), &said);
                m.forget().unwrap();
                opens(&db, gone).unwrap_or_else(|error| panic!("{said}: {error}"));
            }
        }
    }
}

/// One that opens a table stalls anywhere, while its rows are moved.
#[test]
fn who_opens_a_table_while_it_is_dropped_does_not_make_it_again() {
    for (engine, how) in
        [(Engine::Memory, WITHOUT), (Engine::OneTable, WITHOUT), (Engine::Memory, WITH), (Engine::OneTable, WITH)]
    {
        for (gone, last) in [("old", Finish), ("new", RollBack)] {
            let mut opened_before = 0;
            for at in 0.. {
                let memory = Memory::new();
                let failing = Failing::new(&memory, how, 100_000);
                let (db, other) = (engine.through(failing.clone()), engine.of(&memory, how));
                before(&db);
                let m = open(other.clone());
                [Backfill, Verify, CutOver].iter().for_each(|step| step.run(&m).unwrap());
                failing.interrupt(at, move || last.run(&m).unwrap());
                let opened = match gone {
                    "old" => Table::<Four, String, _>::open(db, gone).map(drop),
                    _ => Table::<Sixteen, i64, _>::open(db, gone).map(drop),
                };
                if failing.take_interrupt() {
                    opened.unwrap();
                    break;
                }
                let said = format!("{gone} of {engine:?} at {at}");
                assert_eq!(counters(&other, &said), [0, 10, 20, 30, 0]);
                match opened {
                    // It was opened before, as it turned out.
                    Ok(()) => opened_before += 1,
                    opened => moved(opened, &said),
                }
            }
            assert!(opened_before <= 1);
        }
    }
}

/// Killed at any operation of the last steps, they complete when they are called again, by a handle from before.
#[test]
fn the_last_steps_are_killed_anywhere() {
    for transactions in [false, true] {
        for (reads, applied) in [(true, false), (false, true)] {
            let how = How { reads, applied, transactions, compare_and_write: true };
            for engine in [Engine::Memory, Engine::OneTable] {
                for (gone, last) in [("old", Finish), ("new", RollBack)] {
                    let killed = |after| {
                        let memory = Memory::new();
                        let db = engine.of(&memory, how);
                        before(&db);
                        let again = open(db.clone());
                        [Backfill, Verify, CutOver].iter().for_each(|step| step.run(&again).unwrap());
                        let failing = Failing::never(&memory, how);
                        let m = open(engine.through(failing.clone()));
                        failing.die_after(after);
                        let done = last.run(&m);
                        let forgotten = if done.is_ok() { m.forget() } else { Ok(()) };
                        let said = format!("{how:?} {engine:?} {last:?} after {after}: {done:?} {forgotten:?}");
                        if done.is_err() {
                            last.run(&again).unwrap();
                        }
                        if done.is_err() || forgotten.is_err() {
                            again.forget().unwrap_or_else(|error| panic!("{said}: {error}"));
                        }
                        let mut left = RowBatch::new();
                        db.table("rowkey.migrations").unwrap().scan(&Scan::all()).next_batch(&mut left).unwrap();
                        assert!(left.is_empty(), "{said}");
                        db.table("rowkey.layouts").unwrap().scan(&Scan::all()).next_batch(&mut left).unwrap();
                        let kept = if gone == "old" { &b"new"[..] } else { b"old" };
                        assert!(left.iter().all(|(key, _)| &key[1..] == kept), "{said}: {left:?}");
                        assert!(!db.tables().unwrap().contains(&gone.to_owned()), "{said}");
                        assert_eq!(Table::<u64, u64, _>::open(&db, gone).unwrap().count(..).unwrap(), 0, "{said}");
                        done.is_err() || forgotten.is_err()
                    };
                    assert!((0..).take_while(|after| killed(*after)).count() > 5);
                }
            }
        }
    }
}
