//! Migrations: killed anywhere and gone on with, written to all the while, and compared with a plain map.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rowkey::jobs::{Checkpoint, DifferenceKind, Job, Report};
use rowkey::migrate::{Conversion, Migration, Phase, Reading};
use rowkey::store::{Batch, CallOptions, Database, RowBatch, Rows, Scan, SubStore};
use rowkey::wide::{CellsDatabase, OneColumn};
use rowkey::{Error, Memory, OwnedKey, RowKey, Table};
use rowkey_testkit::{Failing, How, WITHOUT, over_a_line, points};

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

#[derive(RowKey, Debug, Clone, PartialEq, Eq)]
struct ByHost {
    host: String,
    day: u16,
}

#[derive(RowKey, Debug, Clone, PartialEq, Eq)]
struct ByDay {
    #[rowkey(desc)]
    day: u16,
    host: String,
}

/// A key design that rows are migrated from, or to: every number is a key of it.
trait Numbered: OwnedKey + 'static {
    fn of(id: u16) -> Self;
    fn id(&self) -> u16;
}

macro_rules! numbered {
    ($($key:ident: $id:ident => $of:expr, $key_of:ident => $back:expr;)*) => {$(
        impl Numbered for $key {
            fn of($id: u16) -> Self {
                $of
            }
            fn id(&self) -> u16 {
                let $key_of = self;
                $back
            }
        }
    )*};
}
numbered! {
    Four: id => Self { id }, key => key.id;
    Sixteen: id => Self { id }, key => key.id;
    ByHost: id => Self { host: (id % 3).to_string(), day: id / 3 }, key => key.day * 3 + key.host.parse::<u16>().unwrap();
    ByDay: id => Self { host: (id % 3).to_string(), day: id / 3 }, key => key.day * 3 + key.host.parse::<u16>().unwrap();
}

/// Values are numbers, as text before, and as a counter from then on.
type Moving<A, B, D> = Migration<A, String, B, i64, D>;

fn open<A: Numbered, B: Numbered, D: Database + Clone>(db: D) -> Result<Moving<A, B, D>, Error> {
    let keys = Conversion::keys(|old: A| B::of(old.id()), |new: B| A::of(new.id()));
    let rows = keys.values(|text: String| text.parse().unwrap(), |n: i64| n.to_string());
    Ok(Migration::open(db, "m", "old", "new", rows)?.lock_timeout(Duration::ZERO))
}

fn run<A, B>(job: Job<'_, A, B>) -> Result<Report, Error> {
    job.batch_rows(3).run()
}

fn before<A: Numbered>(db: impl Database) -> BTreeMap<u16, i64> {
    let rows: BTreeMap<_, _> = (0..8).map(|id| (id, i64::from(id) * 10)).collect();
    let old: Table<A, String, _> = Table::open(db, "old").unwrap();
    rows.iter().for_each(|(id, n)| old.put(&A::of(*id), &n.to_string()).unwrap());
    rows
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Put(u16, i64),
    Add(u16, i64),
    Delete(u16),
    /// So many rows.
    Some(usize),
    All,
    VerifySome,
    Verify,
    CutOver,
    Finish,
    RollBack,
}

impl Act {
    fn row(self) -> Option<u16> {
        match self {
            Self::Put(id, _) | Self::Add(id, _) | Self::Delete(id) => Some(id),
            _ => None,
        }
    }

    fn apply(self, rows: &mut BTreeMap<u16, i64>) {
        match self {
            Self::Put(id, n) => drop(rows.insert(id, n)),
            Self::Add(id, n) => *rows.entry(id).or_default() += n,
            Self::Delete(id) => drop(rows.remove(&id)),
            _ => {}
        }
    }

    fn run<A: Numbered, B: Numbered, D: Database + Clone>(self, m: &Moving<A, B, D>) -> Result<(), Error> {
        match self {
            Self::Put(id, n) => m.put(&B::of(id), &n),
            Self::Add(id, n) => m.update(&B::of(id), |before| Some(before.unwrap_or(0) + n)).map(drop),
            Self::Delete(id) => m.delete(&B::of(id)),
            Self::Some(rows) => m.backfill().batch_rows(rows).run_watched(|_| ControlFlow::Break(())).map(drop),
            Self::All => run(m.backfill()).map(drop),
            Self::VerifySome => m.verify().batch_rows(2).run_watched(|_| ControlFlow::Break(())).map(drop),
            Self::Verify => {
                run(m.verify()).map(|report| assert_eq!((report.differences(), report.is_done()), (0, true)))
            }
            Self::CutOver => m.cut_over(),
            Self::Finish => m.finish(),
            Self::RollBack => m.roll_back(),
        }
    }
}

/// Every read is what the map says.
fn reads_are_right<A: Numbered, B: Numbered, D: Database + Clone>(m: &Moving<A, B, D>, rows: &BTreeMap<u16, i64>) {
    for id in 0..12 {
        assert_eq!(m.get(&B::of(id)).unwrap(), rows.get(&id).copied(), "row {id}");
    }
    reads_are_right_of(m, rows);
}

fn reads_are_right_of<A: Numbered, B: Numbered, D: Database + Clone>(m: &Moving<A, B, D>, rows: &BTreeMap<u16, i64>) {
    let mut scanned: Vec<(u16, i64)> = match m.reading().unwrap() {
        Reading::Old(table) => {
            table.scan(..).map(|row| row.map(|(k, v)| (k.id(), v.parse().unwrap())).unwrap()).collect()
        }
        Reading::New(table) => table.scan(..).map(|row| row.map(|(k, v)| (k.id(), v)).unwrap()).collect(),
    };
    scanned.sort_unstable();
    assert_eq!(scanned, rows.clone().into_iter().collect::<Vec<_>>());
}

/// Runs the script, kills it at operation `after`, reopens and continues. Returns whether it was killed.
fn killed_at<A: Numbered, B: Numbered>(script: &[Act], how: How, after: i64) -> bool {
    let memory = Memory::new();
    let mut rows = before::<A>(&memory);
    let mut at = 0;
    let mut killed = true;
    if let Ok(m) = open::<A, B, _>(Failing::new(&memory, how, after)) {
        killed = false;
        for act in script {
            if act.run(&m).is_err() {
                killed = true;
                break;
            }
            act.apply(&mut rows);
            at += 1;
        }
    }

    let m = open::<A, B, _>(Failing::never(&memory, how)).unwrap();
    if let Some((act, id)) = script.get(at).filter(|_| killed).and_then(|act| Some((act, act.row()?))) {
        // The last write was not acknowledged: it took place or not. What was decided and not done yet, whoever takes
        // the row's lock over does.
        m.update(&B::of(id), |now| now).unwrap();
        let now = m.get(&B::of(id)).unwrap();
        let mut with = rows.clone();
        act.apply(&mut with);
        assert!(now == rows.get(&id).copied() || now == with.get(&id).copied(), "{act:?}: {now:?}");
        match now {
            Some(n) => drop(rows.insert(id, n)),
            None => drop(rows.remove(&id)),
        }
        at += 1;
    }
    reads_are_right(&m, &rows);
    for act in &script[at..] {
        act.run(&m).unwrap_or_else(|error| panic!("{act:?} after {after}: {error}"));
        act.apply(&mut rows);
        reads_are_right(&m, &rows);
    }
    let (kept, gone) = if m.phase().unwrap() == Phase::Finished { ("new", "old") } else { ("old", "new") };
    let tables = memory.tables().unwrap();
    assert!(tables.iter().any(|name| name == kept) && tables.iter().all(|name| name != gone), "{tables:?}");
    m.forget().unwrap();
    let mut left = RowBatch::new();
    memory.table("rowkey.migrations").unwrap().scan(&Scan::all()).next_batch(&mut left).unwrap();
    assert!(left.is_empty());
    killed
}

const FORTH: [Act; 24] = [
    Act::Put(0, 1),
    Act::Some(2),
    Act::Delete(1),
    Act::Put(9, 90),
    Act::Some(3),
    Act::Add(2, 5),
    Act::Add(9, 1),
    Act::Delete(3),
    Act::Put(3, 33),
    Act::Some(1),
    Act::Delete(4),
    Act::All,
    Act::Add(5, 1),
    Act::VerifySome,
    Act::Delete(9),
    Act::Verify,
    Act::Put(10, 100),
    Act::CutOver,
    Act::Add(10, 1),
    Act::Delete(6),
    Act::Verify,
    Act::Finish,
    Act::Add(7, 1),
    Act::Delete(0),
];

const AND_BACK: [Act; 12] = [
    Act::Delete(0),
    Act::Some(3),
    Act::All,
    Act::Put(0, 1),
    Act::Verify,
    Act::CutOver,
    Act::Add(1, 1),
    Act::Delete(2),
    Act::Put(8, 80),
    Act::RollBack,
    Act::Add(8, 1),
    Act::Put(2, 22),
];

fn killed_everywhere<A: Numbered, B: Numbered>() {
    for (transactions, compare_and_write) in [(true, true), (true, false), (false, true)] {
        for (reads, applied) in [(true, false), (false, true)] {
            let how = How { reads, applied, transactions, compare_and_write };
            for script in [&FORTH[..], &AND_BACK] {
                let runs = points(12).take_while(|after| killed_at::<A, B>(script, how, *after as i64)).count();
                assert!(runs > script.len() / 12, "{runs}");
            }
        }
    }
}

#[test]
fn more_buckets_killed_at_every_operation() {
    killed_everywhere::<Four, Sixteen>();
}

#[test]
fn another_key_killed_at_every_operation() {
    killed_everywhere::<ByHost, ByDay>();
}

/// What a row can be when one write comes before, between or after the others.
fn possible(act: Act, others: &[Act], before: &BTreeMap<u16, i64>) -> Vec<BTreeMap<u16, i64>> {
    let at = |at: usize| {
        let mut rows = before.clone();
        others[..at].iter().for_each(|other| other.apply(&mut rows));
        act.apply(&mut rows);
        others[at..].iter().for_each(|other| other.apply(&mut rows));
        rows
    };
    (0..=others.len()).map(at).collect()
}

/// A step without transactions is overtaken by others before each of its operations, as if it had stalled there for
/// longer than a lock holds.
#[test]
fn overtaken_anywhere_both_tables_have_the_same() {
    let firsts = [
        vec![Act::Put(2, 7)],
        vec![Act::Add(2, 1)],
        vec![Act::Delete(2)],
        vec![Act::Put(50, 7)],
        vec![Act::All, Act::Add(2, 1)],
        vec![Act::All, Act::Verify, Act::CutOver, Act::Add(2, 1)],
        vec![Act::All],
        vec![Act::All, Act::Verify],
    ];
    let others = [
        vec![Act::Put(2, 20)],
        vec![Act::Put(2, 8), Act::Put(2, 20)],
        vec![Act::Delete(2), Act::Put(2, 20)],
        vec![Act::Add(2, 3), Act::Delete(50)],
        vec![Act::Delete(2)],
        vec![Act::Put(50, 1), Act::Delete(50)],
        vec![Act::All, Act::Verify, Act::Put(2, 20)],
        vec![Act::All, Act::Verify, Act::CutOver],
        vec![Act::All, Act::Verify, Act::CutOver, Act::Put(2, 20), Act::Finish],
        vec![Act::All, Act::Verify, Act::CutOver, Act::Finish, Act::Add(2, 3)],
        vec![Act::RollBack],
        vec![Act::RollBack, Act::Add(2, 3)],
    ];
    for (first, others) in firsts.iter().flat_map(|first| others.iter().map(move |others| (first, others))) {
        let (act, led) = first.split_last().unwrap();
        for at in points(11) {
            let memory = Memory::new();
            let rows = before::<Four>(&memory);
            let failing = Failing::never(&memory, WITHOUT);
            let m = open::<Four, Sixteen, _>(failing.clone()).unwrap();
            led.iter().for_each(|act| act.run(&m).unwrap());
            let other = open::<Four, Sixteen, _>(Failing::never(&memory, WITHOUT)).unwrap();
            let overtaking = others.clone();
            failing.interrupt(at, move || overtaking.iter().for_each(|act| act.run(&other).unwrap()));
            match act.run(&m) {
                // A job finds that there is nothing to do any more.
                Err(Error::MigrationPhase { .. }) if act.row().is_none() => {}
                done => done.unwrap_or_else(|error| panic!("{act:?} at {at}, then {others:?}: {error}")),
            }
            let over = failing.take_interrupt();
            let possible = possible(*act, others, &rows);
            let now: BTreeMap<u16, i64> =
                (0..60).filter_map(|id| Some((id, m.get(&Sixteen::of(id)).unwrap()?))).collect();
            assert!(over || possible.contains(&now), "{act:?} at {at}, then {others:?}: {now:?}");
            reads_are_right_of(&m, &now);
            if !matches!(m.phase().unwrap(), Phase::Finished | Phase::RolledBack) {
                Act::All.run(&m).unwrap();
                Act::Verify.run(&m).unwrap();
                Act::CutOver.run(&m).unwrap();
                reads_are_right_of(&m, &now);
            }
            if over {
                break;
            }
        }
    }
}

fn without() -> impl Database + Clone {
    OneColumn::database(CellsDatabase::new(Memory::new()))
}

/// Counters that eight threads add to, and rows that come and go, through a whole migration.
fn threads<D: Database + Clone>(db: D, back: bool) {
    let mut rows = before::<Four>(&db);
    let open = || open::<Four, Sixteen, _>(db.clone()).unwrap().lock_timeout(Duration::from_secs(60));
    let m = open();
    let stop = AtomicBool::new(false);
    let added = thread::scope(|scope| {
        let writers: Vec<_> = (0..8u16)
            .map(|writer| {
                // Each as a process of its own.
                let (m, stop) = (open(), &stop);
                scope.spawn(move || {
                    let mut added = [0i64; 8];
                    for at in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let id = (at + writer) % 8;
                        m.update(&Sixteen::of(id), |n| Some(n.unwrap_or(0) + 1)).unwrap();
                        added[usize::from(id)] += 1;
                        m.put(&Sixteen::of(100 + writer), &1).unwrap();
                        assert!(m.get(&Sixteen::of(id)).unwrap().is_some());
                        m.delete(&Sixteen::of(100 + writer)).unwrap();
                        assert_eq!(m.get(&Sixteen::of(100 + writer)).unwrap(), None);
                    }
                    added
                })
            })
            .collect();
        let steps = || -> Result<(), Error> {
            let nap = || thread::sleep(Duration::from_millis(20));
            nap();
            // Two processes at once.
            thread::scope(|scope| {
                scope.spawn(|| run(open().backfill()).unwrap());
                m.backfill().batch_rows(1).run().map(drop)
            })?;
            nap();
            assert_eq!(run(m.verify())?.differences(), 0);
            m.cut_over()?;
            nap();
            assert_eq!(run(m.verify())?.differences(), 0);
            if back {
                m.roll_back()?
            } else {
                m.finish()?
            }
            nap();
            Ok(())
        };
        let stepped = steps();
        stop.store(true, Ordering::Relaxed);
        let added: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        stepped.unwrap();
        added
    });
    for id in 0..8 {
        *rows.entry(id).or_default() += added.iter().map(|added| added[usize::from(id)]).sum::<i64>();
    }
    reads_are_right(&m, &rows);
}

#[test]
fn threads_write_through_all_of_it() {
    threads(Memory::new(), false);
    threads(Memory::new(), true);
    threads(SubStore::new(Memory::new().table("all").unwrap()), false);
    threads(Failing::never(&Memory::new(), WITHOUT), false);
    threads(Failing::never(&Memory::new(), WITHOUT), true);
    threads(without(), false);
    threads(over_a_line(1), false);
    threads(over_a_line(2), true);
}

#[test]
fn a_verification_names_what_was_done_by_hand() {
    for db in [&Memory::new() as &dyn Database, &without(), &over_a_line(3)] {
        let rows = before::<Four>(db);
        let m = open::<Four, Sixteen, _>(db).unwrap();
        run(m.backfill()).unwrap();
        let new: Table<Sixteen, i64, _> = Table::open(db, "new").unwrap();
        new.put(&Sixteen { id: 2 }, &7).unwrap();
        new.delete(&Sixteen { id: 3 }).unwrap();
        new.put(&Sixteen { id: 99 }, &7).unwrap();

        let mut found = Vec::new();
        let complete = loop {
            // Stopped after every row.
            let report = m
                .verify()
                .batch_rows(1)
                .run_watched(|progress| {
                    found.extend(progress.differences.iter().map(|d| (d.kind, d.source.id, d.target.id)));
                    ControlFlow::Break(())
                })
                .unwrap();
            if report.is_done() {
                break report;
            }
        };
        found.sort_unstable_by_key(|(_, id, _)| *id);
        let named =
            [(DifferenceKind::Different, 2, 2), (DifferenceKind::Missing, 3, 3), (DifferenceKind::Extra, 99, 99)];
        assert_eq!(found, named);
        assert_eq!((complete.differences(), m.phase().unwrap()), (3, Phase::Copied));
        let refused = m.cut_over().unwrap_err();
        assert_eq!(refused.to_string(), "migration \"m\" can't cut over: it is copied");

        // A repair that was stopped does not count for a verification.
        m.verify().batch_rows(2).run_watched(|_| ControlFlow::Break(())).unwrap();
        assert_eq!(run(m.repair()).unwrap().differences(), 3);
        assert_eq!(m.phase().unwrap(), Phase::Copied);
        assert_eq!(run(m.verify()).unwrap().differences(), 0);
        m.cut_over().unwrap();
        reads_are_right(&m, &rows);
    }
}

#[test]
fn steps_out_of_order_are_refused() {
    let db = Memory::new();
    before::<Four>(&db);
    let neither = Failing::never(&db, How { compare_and_write: false, ..WITHOUT });
    assert!(matches!(open::<Four, Sixteen, _>(neither), Err(Error::Unsupported(_))));

    let m = open::<Four, Sixteen, _>(&db).unwrap();
    let refused = |result: Result<(), Error>, at: Phase| {
        assert!(matches!(result, Err(Error::MigrationPhase { phase, .. }) if phase == at), "{at}");
    };
    refused(m.cut_over(), Phase::Copying);
    refused(m.finish(), Phase::Copying);
    refused(run(m.verify()).map(drop), Phase::Copying);
    run(m.backfill()).unwrap();
    refused(m.cut_over(), Phase::Copied);
    run(m.verify()).unwrap();
    refused(m.finish(), Phase::Verified);
    m.cut_over().unwrap();
    m.cut_over().unwrap();
    assert!(run(m.backfill()).unwrap().is_done());
    m.finish().unwrap();
    m.finish().unwrap();
    refused(m.roll_back(), Phase::Finished);
    refused(run(m.backfill()).map(drop), Phase::Finished);
    refused(run(m.verify()).map(drop), Phase::Finished);

    let others = Conversion::keys(|Four { id }| Sixteen { id }, |Sixteen { id }| Four { id });
    let other = Migration::<_, String, _, _, _>::open(&db, "m", "old", "other", others);
    assert!(matches!(other, Err(Error::Migration { .. })));
    m.forget().unwrap();
    // The name is free again, and the new table has rows.
    assert!(matches!(open::<Four, Sixteen, _>(&db), Err(Error::Migration { .. })));
}

#[test]
fn keys_that_do_not_come_back_are_refused() {
    let db = Memory::new();
    before::<Four>(&db);
    let lossy = Conversion::keys(|Four { id }| Sixteen { id: id / 2 }, |Sixteen { id }| Four { id: id * 2 });
    let m = Migration::<_, String, _, _, _>::open(&db, "lossy", "old", "new", lossy).unwrap();
    let refused = run(m.backfill()).unwrap_err();
    assert!(refused.to_string().contains("is not the same after its conversion there and back"), "{refused}");
    m.roll_back().unwrap();
    assert_eq!(Table::<Four, String, _>::open(&db, "old").unwrap().count(..).unwrap(), 8);
}

/// A checkpoint is text that anybody may hand in. A migration believes its own, in the database.
#[test]
fn no_checkpoint_skips_rows_of_a_migration() {
    for db in [&Memory::new() as &dyn Database, &without()] {
        let rows = before::<Four>(db);
        let m = open::<Four, Sixteen, _>(db).unwrap();
        // The last row of each table: beyond it there is nothing to copy or to compare.
        let mut last = Vec::new();
        let stopped = m.backfill().batch_rows(rows.len()).run_watched(|_| ControlFlow::Break(())).unwrap();
        last.extend(stopped.next.map(|next| next.to_string()));
        assert_eq!((stopped.rows, stopped.written), (8, 8));
        run(m.backfill()).unwrap();
        let mut passes = 0;
        m.verify()
            .batch_rows(rows.len())
            .run_watched(|progress| {
                passes += 1;
                last.extend(progress.report.next.as_ref().map(Checkpoint::to_string));
                if passes == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        assert_eq!(last.len(), 4);
        m.roll_back().unwrap();
        m.forget().unwrap();

        for checkpoint in &last {
            let m = open::<Four, Sixteen, _>(db).unwrap();
            let resumed = |job: Job<'_, _, _>| run(job.resume(checkpoint.parse::<Checkpoint>().unwrap())).unwrap();
            assert_eq!(resumed(m.backfill()).written, 8, "{checkpoint}");
            // Found even from a checkpoint after it.
            Table::<Sixteen, i64, _>::open(db, "new").unwrap().delete(&Sixteen { id: 3 }).unwrap();
            assert_eq!(resumed(m.verify()).missing, 1, "{checkpoint}");
            assert_eq!(m.phase().unwrap(), Phase::Copied);
            assert_eq!(resumed(m.repair()).written, 1, "{checkpoint}");
            assert!(resumed(m.verify()).is_clean());
            assert_eq!(m.phase().unwrap(), Phase::Verified);
            reads_are_right(&m, &rows);
            // One of other tables is none of the migration's.
            let refused = m.verify().resume(Checkpoint::after_row(b"row")).run();
            assert!(matches!(refused, Err(Error::Cursor(_))), "{refused:?}");
            m.roll_back().unwrap();
            m.forget().unwrap();
        }
    }
}

/// A migration keeps how many differences it has found: a run that resumes another one tells of both.
#[test]
fn differences_of_runs_that_were_resumed_count() {
    let db = Memory::new();
    before::<Four>(&db);
    let m = open::<Four, Sixteen, _>(&db).unwrap();
    run(m.backfill()).unwrap();
    let new: Table<Sixteen, i64, _> = Table::open(&db, "new").unwrap();
    (0..8).for_each(|id| new.delete(&Sixteen { id }).unwrap());
    new.put(&Sixteen { id: 99 }, &7).unwrap();
    let stopped = m.verify().batch_rows(3).run_watched(|_| ControlFlow::Break(())).unwrap();
    assert_eq!((stopped.missing, stopped.earlier, stopped.differences()), (3, 0, 3));
    assert!(!stopped.is_done() && !stopped.is_clean());
    let rest = run(m.verify()).unwrap();
    assert_eq!((rest.missing, rest.extra, rest.earlier, rest.differences()), (5, 1, 3, 9));
    assert!(rest.is_done() && !rest.is_clean());
}

/// A writer is killed whose clock was an hour ahead: its lock is waited for as long as any other, not for an hour.
#[test]
fn a_lock_of_a_clock_that_was_ahead_is_taken_over() {
    const LOCKS: &str = "rowkey.migrations";
    let mut taken_over = 0;
    for after in 0..40 {
        let memory = Memory::new();
        before::<Four>(&memory);
        let id = Four::of(3).id();
        if let Ok(m) = open::<Four, Sixteen, _>(Failing::new(&memory, WITHOUT, after)) {
            let _ = m.put(&Sixteen::of(id), &70);
        }
        let Ok(locks) = memory.open_table(LOCKS) else { continue };
        let (mut scan, mut rows, mut ahead) = (locks.scan(&Scan::all()), RowBatch::new(), Batch::new());
        scan.next_batch(&mut rows).unwrap();
        for (key, lock) in rows.iter().filter(|(_, value)| value.starts_with(&[1, 1]) && value.len() > 26) {
            let millis = u64::from_be_bytes(lock[2..10].try_into().unwrap()) + 3_600_000;
            ahead.put(key, [&lock[..2], &millis.to_be_bytes(), &lock[10..]].concat());
        }
        taken_over += ahead.len();
        locks.write(&ahead).unwrap();
        let m = open::<Four, Sixteen, _>(Failing::never(&memory, WITHOUT)).unwrap();
        let m = m.lock_timeout(Duration::from_millis(20));
        let m = m.with_options(&CallOptions::new().timeout(Duration::from_secs(300)));
        m.put(&Sixteen::of(id), &71).unwrap();
        assert_eq!(m.get(&Sixteen::of(id)).unwrap(), Some(71));
    }
    assert!(taken_over > 0);
}
