//! Processes that stall anywhere in a migration for longer than a lock holds, while others go on; some never come back.

mod failing;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use failing::{Failing, How, WITHOUT};
use rowkey::ids::NameIds;
use rowkey::migrate::{Conversion, Migration, Phase};
use rowkey::secondary::Primary;
use rowkey::store::{Database, RowBatch, Rows, Scan, SubStore};
use rowkey::wide::{CellsDatabase, FamilySchema, TableSchema};
use rowkey::{Error, Memory, RowKey, Table, WideTable};

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
        let all = |_: &_| ControlFlow::Continue(());
        match self {
            Bump(id, by) => bump(m, id, by),
            BackfillSome => m.backfill().batch_rows(2).run(|_| ControlFlow::Break(())).map(drop),
            Backfill => m.backfill().batch_rows(2).run(all).map(drop),
            Verify => m
                .verify()
                .batch_rows(2)
                .run(all)
                .map(|report| assert_eq!((report.differences, report.complete), (0, true))),
            CutOver => m.cut_over(),
            Finish => m.finish(),
            RollBack => m.roll_back(),
        }
    }
}

/// What a process that stalled does when the others are done.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    GoesOn,
    Dies,
    /// The write that it was at still arrives.
    DiesLate,
}

const ANY: [Then; 3] = [Then::GoesOn, Then::Dies, Then::DiesLate];

/// What a law runs on: the engine beneath, and how a process gets at it.
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

/// One process does `led`, then `first`, in which it stalls before some of its operations: `others` is what is done there by
/// another process, each with how many operations later. Returns whether it came to all of these.
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
                    // What stalled is a step, which had gone too far for the others.
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
        (Err(Error::Engine(_)), Then::Dies | Then::DiesLate, _) => {
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

/// What can follow `led`: none, some or all of the steps to the end, or back.
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

fn stalled_everywhere(engine: Engine, how: How, led: &[Step], first: Step, others: &[Step], thens: &[Then]) {
    for &then in thens {
        let points = (0..).take_while(|at| stalled(engine, how, led, first, &[(*at, others)], then)).count();
        assert!(points > 1, "{led:?} {first:?} {points}");
    }
}

/// With others that bring the row back to the bytes that the stalled writer has read: before the other steps, and behind.
fn a_writer_stalls(engine: Engine, how: How, bumps: &[(u16, i64)]) {
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
                    stalled_everywhere(engine, how, led, Bump(id, by), &others, thens);
                }
            }
        }
    }
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
                    stalled_everywhere(engine, how, led, *first, &[&following[..], &bumps].concat(), thens);
                }
            }
        }
    }
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
                for at in 0.. {
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

/// Two that begin it at once: one begins it, the other finds it begun, wherever it is by then.
#[test]
fn of_two_that_open_it_one_begins_it() {
    for (engine, how) in
        [(Engine::Memory, WITHOUT), (Engine::OneTable, WITHOUT), (Engine::Memory, WITH), (Engine::OneTable, WITH)]
    {
        for steps in following(&[]).into_iter().chain([vec![BackfillSome], vec![Bump(4, 1)]]) {
            for at in 0.. {
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

#[derive(PartialEq)]
enum Stalled {
    Both,
    /// The second writer had no operation as late as that.
    First,
    Neither,
}

/// A writer stalls; then another one does, and while it does the first one goes on, to its end or its death.
fn two_stalled(at: u64, earlier: &[Step], later: u64, following: &[Step], dies: bool) -> Stalled {
    const BOUND: Duration = Duration::from_secs(60);
    let said = format!("at {at}, {earlier:?}, at {later}, {following:?}, {dies}");
    let memory = Memory::new();
    let first = Failing::new(&memory, How { applied: true, ..WITHOUT }, 100_000);
    let second = Failing::new(&memory, WITHOUT, 100_000);
    let other = Engine::Memory.of(&memory, WITHOUT);
    before(&other);
    let m = open(other.clone());
    [Backfill, Verify].iter().for_each(|step| step.run(&m).unwrap());

    let (tell, told) = mpsc::channel();
    let (resume, resumed) = mpsc::channel();
    let (stalls, writer, dying) = (tell.clone(), open(first.clone()), first.clone());
    first.interrupt(at, move || {
        stalls.send(None).unwrap();
        let _ = resumed.recv_timeout(BOUND);
        if dies {
            dying.die();
        }
    });
    let writer = thread::spawn(move || drop(tell.send(Some(bump(&writer, 2, 1)))));
    if told.recv_timeout(BOUND).unwrap().is_some() {
        return Stalled::Neither;
    }
    earlier.iter().for_each(|step| step.run(&m).unwrap());
    let writer_done = Arc::new(Mutex::new(None));
    let (done, steps) = (writer_done.clone(), following.to_vec());
    let third = open(second.clone());
    second.interrupt(later, move || {
        resume.send(()).unwrap();
        *done.lock().unwrap() = told.recv_timeout(BOUND).unwrap();
        steps.iter().for_each(|step| step.run(&m).unwrap());
    });
    bump(&third, 2, 5).unwrap_or_else(|error| panic!("{said}: {error}"));
    let both = !second.take_interrupt();
    writer.join().unwrap();
    if !both {
        return Stalled::First;
    }

    bump(&open(other.clone()), 2, 0).unwrap();
    let found = counters(&other, &said);
    let mut without = [0, 10, 20, 30, 0];
    for step in earlier.iter().chain([&Bump(2, 5)]).chain(following) {
        if let Bump(id, by) = step {
            without[usize::from(*id)] += by;
        }
    }
    let mut with = without;
    with[2] += 1;
    match writer_done.lock().unwrap().take().unwrap() {
        Ok(()) => assert_eq!(found, with, "{said}"),
        Err(Error::Engine(_)) if dies => assert!(found == without || found == with, "{said}: {found:?}"),
        Err(error) => panic!("{said}: {error}"),
    }
    Stalled::Both
}

#[test]
fn two_writers_stall_anywhere() {
    let earlier: [&[Step]; 3] = [&[], &[Bump(2, -1)], &[CutOver, Bump(2, -1)]];
    let following: [&[Step]; 3] = [&[], &[Bump(2, -5)], &[RollBack, Bump(2, -6)]];
    for (earlier, following) in earlier.iter().flat_map(|one| following.iter().map(move |other| (one, other))) {
        for dies in [false, true] {
            let both = |at, later| two_stalled(at, earlier, later, following, dies);
            let points = (0..)
                .take_while(|at| {
                    (0..).map(|later| both(*at, later)).find(|stalled| *stalled != Stalled::Both)
                        == Some(Stalled::First)
                })
                .count();
            assert!(points > 5, "{points}");
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
                        assert_eq!(left.len(), 1, "{said}: {left:?}");
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
    assert_eq!(refused.to_string(), format!("migration \"m\": the lock of the old key {key} can't be read"));
}

/// Threads that stall at random, often for longer than a lock holds, and add to counters through a whole migration.
fn threads(seed: u64, back: bool) {
    let memory = Memory::new();
    let stalling = Failing::stalling(&memory, WITHOUT, seed);
    before(&memory);
    let open = || begin(stalling.clone()).unwrap().lock_timeout(Duration::from_millis(1));
    let (m, stop) = (open(), AtomicBool::new(false));
    let sums: Vec<i64> = thread::scope(|scope| {
        let writers: Vec<_> = (0..4_u16)
            .map(|writer| {
                let (m, stop) = (open(), &stop);
                scope.spawn(move || {
                    let mut sums = [0_i64; 5];
                    for at in 0_u16.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let (id, by) = ((at ^ writer) % 5, if at % 3 == 0 { -1 } else { 1 });
                        bump(&m, id, by).unwrap();
                        sums[usize::from(id)] += by;
                    }
                    sums
                })
            })
            .collect();
        let begun = Instant::now();
        let steps = [Backfill, Verify, CutOver, if back { RollBack } else { Finish }];
        let stepped: Result<(), Error> = steps.iter().try_for_each(|step| {
            thread::sleep(Duration::from_millis(100));
            step.run(&m)
        });
        thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
        let sums: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        stepped.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(60));
        (0..5).map(|id| sums.iter().map(|sums| sums[id]).sum()).collect()
    });
    let expected: Vec<i64> = [0, 10, 20, 30, 0].iter().zip(&sums).map(|(before, sum)| before + sum).collect();
    let db: Arc<dyn Database> = Arc::new(Failing::never(&memory, WITHOUT));
    assert_eq!(counters(&db, "threads"), expected);
}

#[test]
fn threads_that_stall_lose_nothing() {
    for seed in 0..3 {
        threads(seed, false);
        threads(seed, true);
    }
}
