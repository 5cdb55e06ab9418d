//! Processes that stall anywhere in a migration for longer than a lock holds, while others go on; some never come back.

mod names;
mod several;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use rowkey::migrate::{Conversion, Migration, Phase};
use rowkey::store::{Database, RowBatch, Rows, Scan, SubStore};
use rowkey::{Error, ErrorKind, Memory, RowKey, Table};
use rowkey_testkit::{Failing, How, WITHOUT, is_long, points};

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq)]
#[rowkey(salt(buckets = 4))]
struct Four {
    id: u16,
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq)]
#[rowkey(salt(buckets = 16))]
struct Sixteen {
    id: u16,
}

/// Counters: texts before, numbers from then on. One that is zero has no row.
type Counters<D> = Migration<Four, String, Sixteen, i64, D>;

const WITH: How = How { transactions: true, ..WITHOUT };

fn begin<D: Database + Clone>(db: D) -> Result<Counters<D>, Error> {
    let keys = Conversion::keys(|old: Four| Sixteen { id: old.id }, |new: Sixteen| Four { id: new.id });
    let rows = keys.values(|text: String| text.parse().unwrap(), |n: i64| n.to_string());
    Migration::open(db, "m", "old", "new", rows)
}

/// Every lock has timed out as soon as it is held.
fn open<D: Database + Clone>(db: D) -> Counters<D> {
    begin(db).unwrap().lock_timeout(Duration::ZERO)
}

fn bump<D: Database + Clone>(m: &Counters<D>, id: u16, by: i64) -> Result<(), Error> {
    m.update(&Sixteen { id }, |n| Some(n.unwrap_or(0) + by).filter(|n| *n != 0)).map(drop)
}

/// Rows 0 to 3 are 0, 10, 20 and 30.
fn before(db: impl Database) {
    let old: Table<Four, String, _> = Table::open(db, "old").unwrap();
    (1..4_u16).for_each(|id| old.put(&Four { id }, &(id * 10).to_string()).unwrap());
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Bump(u16, i64),
    BackfillSome,
    Backfill,
    Verify,
    CutOver,
    Finish,
    RollBack,
}
use Step::{Backfill, BackfillSome, Bump, CutOver, Finish, RollBack, Verify};

impl Step {
    fn run<D: Database + Clone>(self, m: &Counters<D>) -> Result<(), Error> {
        match self {
            Bump(id, by) => bump(m, id, by),
            BackfillSome => m.backfill().batch_rows(2).run_watched(|_| ControlFlow::Break(())).map(drop),
            Backfill => m.backfill().batch_rows(2).run().map(drop),
            Verify => m
                .verify()
                .batch_rows(2)
                .run()
                .map(|report| assert_eq!((report.differences(), report.is_done()), (0, true))),
            CutOver => m.cut_over(),
            Finish => m.finish(),
            RollBack => m.roll_back(),
        }
    }
}

/// The action of a process that stalled, once the others are done.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    GoesOn,
    Dies,
    /// The write that it was at still arrives.
    DiesLate,
}

/// Returns whether the error is that of a process that was killed, with or without an outcome.
fn is_dead(error: &Error) -> bool {
    match error {
        Error::OutcomeUnknown { source, .. } => is_dead(source),
        error => error.kind() == ErrorKind::Other,
    }
}

const ANY: [Then; 3] = [Then::GoesOn, Then::Dies, Then::DiesLate];

/// The engine that a law runs on, and the way by which a process gets at it.
#[derive(Clone, Copy, Debug)]
enum Engine {
    /// A handle of a table that was dropped writes to nowhere.
    Memory,
    /// It writes into the next table of that name.
    OneTable,
}

impl Engine {
    fn through(self, failing: Failing) -> Arc<dyn Database> {
        match self {
            Self::Memory => Arc::new(failing),
            Self::OneTable => Arc::new(SubStore::new(failing.table("all").unwrap())),
        }
    }

    fn of(self, memory: &Memory, how: How) -> Arc<dyn Database> {
        self.through(Failing::never(memory, how))
    }
}

/// The counters as both tables have them, where there are both; a table that was dropped has no row and no name.
fn counters(db: &Arc<dyn Database>, said: &str) -> Vec<i64> {
    let m = open(db.clone());
    let phase = m.phase().unwrap();
    let names = db.tables().unwrap();
    let rows = |name: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
        let (mut rows, mut batch, mut found) = (db.table(name).unwrap().scan(&Scan::all()), RowBatch::new(), vec![]);
        loop {
            rows.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                return found;
            }
            found.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        }
    };
    let old: Vec<(u16, i64)> = rows("old")
        .iter()
        .map(|(key, value)| (Four::decode(key).unwrap().id, std::str::from_utf8(value).unwrap().parse().unwrap()))
        .collect();
    let new: Vec<(u16, i64)> = rows("new")
        .iter()
        .map(|(key, value)| (Sixteen::decode(key).unwrap().id, i64::from_be_bytes(value[..].try_into().unwrap())))
        .collect();
    let of = |rows: &[(u16, i64)]| -> Vec<i64> {
        (0..5).map(|id| rows.iter().find(|(of, _)| *of == id).map_or(0, |(_, n)| *n)).collect()
    };
    let read: Vec<i64> = (0..5).map(|id| m.get(&Sixteen { id }).unwrap().unwrap_or(0)).collect();
    match phase {
        Phase::Finished => {
            assert!(old.is_empty() && !names.contains(&"old".to_owned()), "{said}: {old:?} {names:?}");
            assert_eq!(of(&new), read, "{said}");
            db.drop_table("old").unwrap();
        }
        Phase::RolledBack => {
            assert!(new.is_empty() && !names.contains(&"new".to_owned()), "{said}: {new:?} {names:?}");
            assert_eq!(of(&old), read, "{said}");
            db.drop_table("new").unwrap();
        }
        Phase::Copying => {
            assert_eq!(of(&old), read, "{said}");
            for (id, n) in &new {
                assert_eq!(read[usize::from(*id)], *n, "{said}: row {id}");
            }
        }
        _ => assert_eq!((of(&old), of(&new)), (read.clone(), read.clone()), "{said}"),
    }
    read
}

/// One process does `led`, then `first`, in which it stalls before some of its operations: `others` is what is done
/// there by another process, each with how many operations later. Returns whether it came to all of these.
fn stalled(engine: Engine, how: How, led: &[Step], first: Step, others: &[(u64, &[Step])], then: Then) -> bool {
    let said = format!("{engine:?} {} {led:?}, {first:?} and {others:?}, {then:?}", how.transactions);
    let memory = Memory::new();
    let failing = Failing::new(&memory, How { applied: then == Then::DiesLate, ..how }, 100_000);
    let (db, other) = (engine.through(failing.clone()), engine.of(&memory, how));
    before(&db);
    let m = open(db);
    led.iter().for_each(|step| step.run(&m).unwrap());
    let mut expected = [0, 10, 20, 30, 0];
    let bumped = led.iter().chain(others.iter().flat_map(|(_, steps)| *steps));
    for step in bumped {
        if let Bump(id, by) = step {
            expected[usize::from(*id)] += by;
        }
    }

    for (nth, &(at, steps)) in others.iter().enumerate() {
        let (other, steps, last) = (other.clone(), steps.to_vec(), nth + 1 == others.len());
        let (failing_too, said) = (failing.clone(), said.clone());
        failing.interrupt(at, move || {
            let m = open(other);
            for step in steps {
                match step.run(&m) {
                    Ok(()) => {}
                    // A step stalled, not a bump, and had gone too far for the others.
                    Err(Error::MigrationPhase { .. }) if !matches!(first, Bump(..)) && !matches!(step, Bump(..)) => {}
                    Err(error) => panic!("{said}: {step:?}: {error}"),
                }
            }
            if last && then != Then::GoesOn {
                failing_too.die();
            }
        });
    }
    let done = first.run(&m);
    if failing.take_interrupt() {
        return false;
    }

    let with = |mut expected: [i64; 5]| {
        if let Bump(id, by) = first {
            expected[usize::from(id)] += by;
        }
        expected
    };
    match (done, then, first) {
        (Ok(()), _, _) => assert_eq!(counters(&other, &said), with(expected), "{said}"),
        (Err(Error::MigrationPhase { .. }), _, step) if !matches!(step, Bump(..)) => {
            assert_eq!(counters(&other, &said), expected, "{said}");
        }
        (Err(error), Then::Dies | Then::DiesLate, _) if is_dead(&error) => {
            // Whoever writes a row next, or takes a step, completes what was cut off.
            let m = open(other.clone());
            (0..5).for_each(|id| bump(&m, id, 0).unwrap());
            match m.phase().unwrap() {
                Phase::Finished => m.finish().unwrap(),
                Phase::RolledBack => m.roll_back().unwrap(),
                _ => {}
            }
            let found = counters(&other, &said);
            assert!(found == expected || found == with(expected), "{said}: {found:?}");
            // A call that is applied although it fails is not an engine's, so then the error may not know.
            if then == Then::Dies {
                let due = if error.kind() == ErrorKind::OutcomeUnknown { with(expected) } else { expected };
                assert_eq!(found, due, "{said}: {error}");
            }
        }
        (Err(error), _, _) => panic!("{said}: {error}"),
    }
    // Whatever happened, the migration can be led to its end, and nothing is lost on the way.
    let m = open(other.clone());
    let found = counters(&other, &said);
    for (step, phases) in [
        (Backfill, &[Phase::Copying][..]),
        (Verify, &[Phase::Copied]),
        (CutOver, &[Phase::Verified]),
        (Finish, &[Phase::CutOver]),
    ] {
        if phases.contains(&m.phase().unwrap()) {
            step.run(&m).unwrap_or_else(|error| panic!("{said}, then {step:?}: {error}"));
        }
    }
    assert_eq!(counters(&other, &said), found, "{said}");
    m.forget().unwrap();
    let mut left = RowBatch::new();
    other.table("rowkey.migrations").unwrap().scan(&Scan::all()).next_batch(&mut left).unwrap();
    assert!(left.is_empty(), "{said}");
    true
}

const LED: [&[Step]; 7] = [
    &[],
    &[BackfillSome],
    &[Backfill],
    &[Backfill, Verify],
    &[Backfill, Verify, CutOver],
    &[Backfill, Verify, CutOver, Finish],
    &[Backfill, RollBack],
];

/// The continuations of `led`: none, some or all of the steps to the end, or back.
fn following(led: &[Step]) -> Vec<Vec<Step>> {
    let forth = [Backfill, Verify, CutOver, Finish];
    let at = match led.last() {
        None | Some(BackfillSome) => 0,
        Some(Finish | RollBack) => 4,
        Some(last) => forth.iter().position(|step| step == last).unwrap() + 1,
    };
    let mut all = Vec::new();
    for end in at..=4 {
        all.push(forth[at..end].to_vec());
        if end < 4 {
            all.push([&forth[at..end], &[RollBack]].concat());
        }
    }
    all
}

fn stalled_everywhere(engine: Engine, how: How, led: &[Step], first: Step, others: &[Step], thens: &[Then]) -> usize {
    let at = |at: &u64, then| stalled(engine, how, led, first, &[(*at, others)], then);
    let stalls: usize = thens.iter().map(|then| points(6).take_while(|point| at(point, *then)).count()).sum();
    assert!(stalls > thens.len() || !is_long(), "{led:?} {first:?} {stalls}");
    stalls
}

/// With others that bring the row back to the bytes that the stalled writer has read: before the other steps, and
/// behind.
fn a_writer_stalls(engine: Engine, how: How, bumps: &[(u16, i64)]) {
    let mut stalls = 0;
    for led in LED {
        for following in following(led) {
            for &(id, by) in bumps {
                let others: [(&[Step], &[Step], &[Then]); 4] = [
                    (&[], &[], &ANY),
                    (&[Bump(id, -by)], &[], &ANY),
                    (&[Bump(id, 3)], &[Bump(id, 4), Bump(1, 1)], &[Then::GoesOn]),
                    (&[], &[Bump(id, -by)], &[Then::GoesOn]),
                ];
                for (earlier, later, thens) in others {
                    let others = [earlier, &following, later].concat();
                    stalls += stalled_everywhere(engine, how, led, Bump(id, by), &others, thens);
                }
            }
        }
    }
    assert!(stalls > 100 * bumps.len(), "{stalls}");
}

#[test]
fn a_writer_stalls_anywhere() {
    a_writer_stalls(Engine::Memory, WITHOUT, &[(2, 1), (4, 1), (3, -30)]);
}

#[test]
fn a_writer_stalls_anywhere_where_a_dropped_table_can_be_written() {
    a_writer_stalls(Engine::OneTable, WITHOUT, &[(4, 1)]);
}

#[test]
fn a_writer_stalls_anywhere_with_transactions() {
    a_writer_stalls(Engine::Memory, WITH, &[(4, 1), (3, -30)]);
    a_writer_stalls(Engine::OneTable, WITH, &[(4, 1)]);
}

#[test]
fn a_step_stalls_anywhere() {
    let bumps = [Bump(2, 1), Bump(2, -1), Bump(3, -30), Bump(4, 1)];
    let some = [Then::GoesOn];
    let mut stalls = 0;
    for (engine, how, thens) in [
        (Engine::Memory, WITHOUT, &[Then::GoesOn, Then::DiesLate][..]),
        (Engine::OneTable, WITHOUT, &some),
        (Engine::Memory, WITH, &some),
    ] {
        for led in LED {
            let firsts = match led.last() {
                None => &[Backfill][..],
                Some(Backfill) => &[Verify],
                Some(Verify) => &[CutOver],
                Some(CutOver) => &[Verify, Finish, RollBack],
                _ => continue,
            };
            for following in following(led) {
                for first in firsts {
                    stalls += stalled_everywhere(engine, how, led, *first, &[&following[..], &bumps].concat(), thens);
                }
            }
        }
    }
    assert!(stalls > 150, "{stalls}");
}

#[test]
fn a_writer_stalls_twice() {
    let first: [&[Step]; 3] = [&[], &[Bump(2, -1)], &[Bump(2, 5), CutOver]];
    let second: [&[Step]; 4] =
        [&[Bump(2, -1)], &[Finish, Bump(2, -1)], &[RollBack], &[Bump(2, 1), Bump(2, -1), Finish]];
    let led: &[Step] = &[Backfill, Verify, Bump(2, 1)];
    for engine in [Engine::Memory, Engine::OneTable] {
        for (first, second) in first.iter().flat_map(|first| second.iter().map(move |second| (first, second))) {
            let second = if first.contains(&CutOver) { second.to_vec() } else { [&[CutOver], *second].concat() };
            for then in [Then::GoesOn, Then::DiesLate] {
                for at in points(5) {
                    let twice =
                        |later| stalled(engine, WITHOUT, led, Bump(2, 1), &[(at, first), (later, &second)], then);
                    if (0..).take_while(|later| twice(*later)).count() == 0 {
                        break;
                    }
                }
            }
        }
    }
}

/// A lock of 16 bytes, whose writer was killed after it wrote the old table, as older programs left it.
#[test]
fn a_lock_of_the_first_form_is_understood() {
    let token = |millis: u64| [millis.to_be_bytes(), [7; 8]].concat();
    let key = [b"l", &1_u64.to_be_bytes()[..], b"m", &Four { id: 2 }.encode()].concat();
    for then in [&[Bump(2, 1)][..], &[Verify, Bump(2, 1)], &[Verify, CutOver, Bump(2, 1)]] {
        let memory = Memory::new();
        let db = Engine::Memory.of(&memory, WITHOUT);
        before(&db);
        let m = open(db.clone());
        Backfill.run(&m).unwrap();
        db.table("old").unwrap().compare_and_write(&Four { id: 2 }.encode(), Some(b"20"), Some(b"70")).unwrap();
        db.table("rowkey.migrations").unwrap().compare_and_write(&key, None, Some(&token(1))).unwrap();
        then.iter().for_each(|step| step.run(&m).unwrap());
        assert_eq!(counters(&db, "first form"), [0, 10, 71, 30, 0]);
        assert_eq!(db.table("rowkey.migrations").unwrap().get(&key).unwrap(), None);
    }
}

#[test]
fn a_lock_that_cannot_be_read_is_an_error() {
    let db = Memory::new();
    let failing = Failing::never(&db, WITHOUT);
    before(&failing);
    let m = open(failing);
    let key = [b"l", &1_u64.to_be_bytes()[..], b"m", &Four { id: 2 }.encode()].concat();
    db.table("rowkey.migrations").unwrap().compare_and_write(&key, None, Some(b"\x02later")).unwrap();
    let refused = bump(&m, 2, 1).unwrap_err();
    let key: String = Four { id: 2 }.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(refused.to_string(), format!("migration \"m\": the lock of old key {key} can't be read"));
}
