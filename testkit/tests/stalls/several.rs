//! Several processes that stall.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rowkey::store::Database;
use rowkey::{Error, ErrorKind, Memory};
use rowkey_testkit::{Failing, How, WITHOUT, cases, points};

use super::Step::{self, Backfill, Bump, CutOver, Finish, RollBack, Verify};
use super::{Engine, before, begin, bump, counters, is_dead, open};

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
        Err(error) if dies && is_dead(&error) => {
            // Its last call is applied although it fails, so that only an unknown outcome is certain.
            let is_unwritten = found == without && error.kind() != ErrorKind::OutcomeUnknown;
            assert!(is_unwritten || found == with, "{said}: {found:?}, {error}");
        }
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
            let points = points(3)
                .take_while(|at| {
                    (0..).map(|later| both(*at, later)).find(|stalled| *stalled != Stalled::Both)
                        == Some(Stalled::First)
                })
                .count();
            assert!(points > 2, "{points}");
        }
    }
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
    for seed in 0..cases(1, 3).into() {
        threads(seed, false);
        threads(seed, true);
    }
}
