//! Secondary tables without transactions, under every interleaving: writers that stall anywhere, for longer than their
//! time-out too, that are killed there, and that meet others.

mod oracle;
mod turns;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use oracle::{Found, Kind, Texts, differences, names_are_read, open, opened, twice};
use rowkey::{Error, Memory};
use rowkey_testkit::{cases, every, points};
use turns::{Client, Leg, Work, Works, client, interleave};

const LONG: Duration = Duration::from_secs(60);

/// What a client writes: rows by number and text, `None` deletes.
type Writes = &'static [(u8, Option<&'static str>)];

/// The rows that a test begins with.
type Begin = &'static [(u8, &'static str)];

/// What a test begins with, then what each client does.
struct Scene {
    begin: Begin,
    writes: Vec<(Writes, Duration)>,
}

#[derive(Debug, Default)]
struct Seen {
    conflicts: u64,
    duplicates: u64,
    doubled: u64,
    dead: u64,
}

impl Scene {
    /// Plays it, and holds what is left to all that has to be true once every call has returned. `false` if some leg
    /// went beyond a client's end.
    fn play(&self, legs: &[Leg], seen: &mut Seen) -> bool {
        let memory = Memory::new();
        let first = open(client(&memory), LONG);
        for (id, text) in self.begin {
            first.texts.put(id, &(*text).to_owned()).unwrap();
        }
        let clients: Vec<_> = self.writes.iter().map(|_| client(&memory)).collect();
        let works = clients.iter().zip(&self.writes).map(|(client, &(writes, timeout))| {
            let db = open(client.clone(), timeout);
            let work: Work<'_, Vec<Result<(), Error>>> = Box::new(move || write(&db, writes));
            (client, work)
        });
        let (results, whole) = interleave(works.collect(), legs);

        let (mut said, mut killed) = (false, false);
        for result in results.iter().flatten() {
            match result {
                Ok(()) => {}
                Err(Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. }) => seen.conflicts += 1,
                Err(Error::SecondaryDuplicate { .. }) => {
                    seen.duplicates += 1;
                    said = true;
                }
                Err(Error::Engine(_)) => {
                    seen.dead += 1;
                    killed = true;
                }
                Err(Error::OutcomeUnknown { source, .. }) if matches!(**source, Error::Engine(_)) => {
                    seen.dead += 1;
                    killed = true;
                }
                Err(error) => panic!("{error}"),
            }
        }
        let about = || format!("{:?} then {:?}, {legs:?}: {results:?}", self.begin, self.writes);

        let db = open(client(&memory), LONG);
        let doubled = twice(&memory);
        seen.doubled += u64::from(!doubled.is_empty());
        assert!(doubled.is_empty() || said || killed, "two rows have {doubled:?}: {}", about());
        let due = differences(&memory);
        assert!(oracle::marks(&memory).is_empty() || killed, "marks are left: {}", about());
        assert!(due.is_empty() || said || killed, "{due:?}: {}", about());
        assert_eq!(opened(&db, false), due, "a verify is not as it is: {}", about());
        names_are_read(&db, &memory, &due);
        let rest: BTreeSet<Found> = due.into_iter().filter(|(_, kind, ..)| *kind == Kind::Conflict).collect();
        opened(&db, true);
        assert_eq!(differences(&memory), rest, "after a rebuild: {}", about());
        assert!(oracle::marks(&memory).is_empty(), "a rebuild leaves marks: {}", about());
        // Where the row that keeps a key gives it up, the other one has it, as any row.
        for (row, text) in oracle::rows(&memory) {
            let has = |(table, _, of, key): &Found| *of != row && oracle::has(table, &text, key);
            if rest.iter().any(has) && !rest.iter().any(|(_, _, of, _)| *of == row) {
                db.texts.delete(&row).unwrap();
            }
        }
        let rest = differences(&memory);
        assert!(rest.is_empty() || killed, "{rest:?} after the conflict has ended: {}", about());
        whole
    }
}

/// The operations of another client at which it pauses, where the first one pauses at its operation `at`.
fn others(at: u64) -> impl Iterator<Item = u64> {
    let step = every(3);
    (at % step as u64..).step_by(step)
}

fn write(db: &Texts<Client>, writes: Writes) -> Vec<Result<(), Error>> {
    let one = |(id, text): &(u8, Option<&str>)| match text {
        Some(text) => db.texts.put(id, &(*text).to_owned()),
        None => db.texts.delete(id),
    };
    writes.iter().map(one).collect()
}

const FIRST: [(Begin, Writes); 9] = [
    (&[], &[(1, Some("A"))]),
    (&[(1, "A")], &[(1, Some("B"))]),
    (&[(1, "A")], &[(1, Some("Ax"))]),
    (&[(1, "A")], &[(1, None)]),
    (&[], &[(1, Some("A1"))]),
    (&[(1, "A1")], &[(1, Some("B2"))]),
    (&[(1, "A1")], &[(1, Some("A2"))]),
    (&[(1, "A1")], &[(1, Some("Axx1"))]),
    (&[(1, "A1")], &[(1, None)]),
];

const OTHERS: [Writes; 14] = [
    // The same row.
    &[(1, Some("B2")), (1, Some("A1")), (1, Some("B2"))],
    &[(1, Some("B")), (1, Some("A"))],
    &[(1, Some("Axx")), (1, Some("A"))],
    &[(1, None)],
    &[(1, Some("C3")), (1, None), (1, Some("A1"))],
    // Another one that wants its keys.
    &[(2, Some("A1"))],
    &[(2, Some("B"))],
    &[(2, Some("C2"))],
    &[(2, Some("B2")), (2, Some("A"))],
    &[(2, Some("A1")), (2, None)],
    // Both.
    &[(1, Some("C3")), (2, Some("A1"))],
    &[(1, None), (2, Some("A")), (1, Some("B2"))],
    &[(1, Some("C")), (2, Some("A")), (2, Some("B")), (1, Some("A"))],
    &[(1, Some("B2")), (2, Some("A1")), (2, Some("C3")), (1, Some("A1"))],
];

/// A writer pauses before each of its operations. The others run to their end. Then it continues, or is killed.
fn paused_anywhere(others: Duration, kill: bool) -> Seen {
    let mut seen = Seen::default();
    for (begin, first) in FIRST {
        for other in OTHERS {
            let scene = Scene { begin, writes: vec![(first, LONG), (other, others)] };
            for at in points(13) {
                let mut legs = vec![Leg::Go(0, at), Leg::Go(1, u64::MAX)];
                legs.extend(kill.then_some(Leg::Kill(0)));
                if !scene.play(&legs, &mut seen) {
                    break;
                }
            }
        }
    }
    seen
}

#[test]
fn a_writer_paused_anywhere_leaves_nothing_behind() {
    let seen = paused_anywhere(LONG, false);
    assert!(seen.conflicts > 0 && seen.duplicates == 0, "{seen:?}");
}

#[test]
fn a_writer_that_stalls_for_too_long_anywhere_takes_its_row_back() {
    let seen = paused_anywhere(Duration::ZERO, false);
    assert!(seen.conflicts > 0 && seen.duplicates == 0, "{seen:?}");
}

#[test]
fn a_writer_killed_anywhere_leaves_what_a_verify_names() {
    assert!(paused_anywhere(LONG, true).dead > 0);
    assert!(paused_anywhere(Duration::ZERO, true).dead > 0);
}

/// A writer stalls twice, for too long: its new key goes to another row, and then its old one does, or its own row is
/// changed, so that it can't be taken back.
#[test]
fn a_writer_that_stalls_twice_says_where_two_rows_have_a_key() {
    let second: [Writes; 4] =
        [&[(3, Some("A1"))], &[(1, Some("B2xx"))], &[(2, Some("D4"))], &[(1, Some("D4")), (1, Some("B2"))]];
    for killed in [false, true] {
        let mut seen = Seen::default();
        for then in second {
            let writes: [Writes; 3] = [&[(1, Some("B2"))], &[(2, Some("B"))], then];
            let timeouts = [LONG, Duration::ZERO, Duration::ZERO];
            let scene = Scene { begin: &[(1, "A1")], writes: writes.into_iter().zip(timeouts).collect() };
            for at in points(8) {
                let mut reached = false;
                for more in (0..).step_by(every(3)) {
                    let mut legs = vec![Leg::Go(0, at), Leg::Go(1, u64::MAX), Leg::Go(0, more), Leg::Go(2, u64::MAX)];
                    legs.extend(killed.then_some(Leg::Kill(0)));
                    if !scene.play(&legs, &mut seen) {
                        break;
                    }
                    reached = true;
                }
                if !reached {
                    break;
                }
            }
        }
        assert!(seen.doubled > 0 && if killed { seen.dead > 0 } else { seen.duplicates > 0 }, "{seen:?}");
    }
}

/// Two writers are interleaved at every pair of operations: one pauses, the other pauses, the first ends, the second
/// ends.
#[test]
fn two_writers_interleaved_at_every_two_operations_leave_nothing_behind() {
    let pairs: [(Begin, Writes, Writes); 6] = [
        (&[], &[(1, Some("A"))], &[(2, Some("A"))]),
        (&[(1, "A")], &[(1, Some("B"))], &[(1, Some("Ax"))]),
        (&[(1, "A")], &[(1, Some("Ax"))], &[(1, Some("Axx")), (1, Some("A"))]),
        (&[(1, "A")], &[(1, Some("B"))], &[(1, Some("B")), (1, Some("A"))]),
        (&[(1, "A")], &[(1, None)], &[(1, Some("B")), (1, Some("A"))]),
        (&[(1, "A")], &[(1, Some("B"))], &[(2, Some("A")), (2, None)]),
    ];
    for timeouts in [[LONG, LONG], [LONG, Duration::ZERO]] {
        let mut seen = Seen::default();
        for (begin, first, second) in pairs {
            let scene = Scene { begin, writes: vec![(first, timeouts[0]), (second, timeouts[1])] };
            for at in points(6) {
                let mut reached = false;
                for other in others(at) {
                    let legs = [Leg::Go(0, at), Leg::Go(1, other), Leg::Go(0, u64::MAX), Leg::Go(1, u64::MAX)];
                    if !scene.play(&legs, &mut seen) {
                        break;
                    }
                    reached = true;
                }
                if !reached {
                    break;
                }
            }
        }
        assert!(timeouts[1].is_zero() || seen.duplicates == 0, "{seen:?}");
    }
}

/// Any interleavings of three writers, of whom none, some or all take the others for killed, and one may be.
#[test]
fn any_interleaving_of_three_is_as_it_has_to_be() {
    const WRITES: [Writes; 6] = [
        &[(1, Some("A1")), (1, Some("B2"))],
        &[(1, Some("B")), (2, Some("A1"))],
        &[(2, Some("B2")), (2, None)],
        &[(2, Some("A2")), (2, Some("B1")), (1, Some("Ax"))],
        &[(1, None), (3, Some("A"))],
        &[(3, Some("B1")), (1, Some("C3"))],
    ];
    // Knuth's linear congruential generator: the same interleavings in each run.
    let mut random = 1u64;
    let mut pick = |among: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % among
    };
    let mut seen = Seen::default();
    for _ in 0..cases(80, 1000) {
        let writes = (0..3).map(|_| {
            let timeout = if pick(3) == 0 { Duration::ZERO } else { LONG };
            (WRITES[pick(WRITES.len())], timeout)
        });
        let scene = Scene { begin: &[(1, "A1"), (2, "C3")], writes: writes.collect() };
        let mut legs: Vec<Leg> = (0..24).map(|_| Leg::Go(pick(3), 1 + pick(8) as u64)).collect();
        if pick(4) == 0 {
            legs.insert(pick(legs.len()), Leg::Kill(pick(3)));
        }
        scene.play(&legs, &mut seen);
    }
    assert!(seen.conflicts > 0 && seen.dead > 0, "{seen:?}");
}

fn verified(db: &Texts<Client>) -> Vec<Result<(), Error>> {
    let by_name = db.by_name.verify().run().unwrap();
    let by_code = db.by_code.verify().run().unwrap();
    assert!(by_name.is_clean() && by_code.is_clean(), "{by_name:?} {by_code:?}");
    Vec::new()
}

/// A verify and a writer are interleaved at every pair of operations.
#[test]
fn a_verify_beside_a_writer_names_nothing() {
    for (begin, writes) in FIRST {
        for verify_first in [false, true] {
            for at in points(6) {
                let mut reached = false;
                for other in others(at) {
                    let memory = Memory::new();
                    let first = open(client(&memory), LONG);
                    for (id, text) in begin {
                        first.texts.put(id, &(*text).to_owned()).unwrap();
                    }
                    let (verifier, writer) = (client(&memory), client(&memory));
                    let (verify, db) = (open(verifier.clone(), LONG), open(writer.clone(), LONG));
                    let mut works: Works<'_, Vec<Result<(), Error>>> = vec![
                        (&writer, Box::new(move || write(&db, writes))),
                        (&verifier, Box::new(move || verified(&verify))),
                    ];
                    if verify_first {
                        works.reverse();
                    }
                    let legs = [Leg::Go(0, at), Leg::Go(1, other), Leg::Go(0, u64::MAX), Leg::Go(1, u64::MAX)];
                    let (results, whole) = interleave(works, &legs);
                    assert!(results.iter().flatten().all(Result::is_ok));
                    if !whole {
                        break;
                    }
                    reached = true;
                }
                if !reached {
                    break;
                }
            }
        }
    }
}

/// A verify and a writer of ever other keys and values take turns, so that whole writes come between two reads of it.
#[test]
fn a_verify_between_whose_reads_whole_writes_come_names_nothing() {
    const WRITES: Writes =
        &[(1, Some("B")), (1, Some("Bx")), (1, Some("B")), (1, Some("A")), (1, Some("Ax")), (1, Some("A"))];
    for (one, two) in (1..24).flat_map(|one| (1..24).step_by(every(5)).map(move |two| (one, two))) {
        let memory = Memory::new();
        open(client(&memory), LONG).texts.put(&1, &"A".into()).unwrap();
        let (verifier, writer) = (client(&memory), client(&memory));
        let (verify, db) = (open(verifier.clone(), LONG), open(writer.clone(), LONG));
        let works: Works<'_, Vec<Result<(), Error>>> = vec![
            (&verifier, Box::new(move || verified(&verify))),
            (&writer, Box::new(move || (0..4).flat_map(|_| write(&db, WRITES)).collect())),
        ];
        let turn = [Leg::Go(0, 1), Leg::Go(1, one), Leg::Go(0, 1), Leg::Go(1, two)];
        let (results, _) = interleave(works, &turn.repeat(20));
        assert!(results.iter().flatten().all(Result::is_ok));
    }
}

/// A rebuild gives a key to a row that was written by hand, while a writer that has claimed the key stalls: either the
/// rebuild mends the row, or the writer's row is there after.
#[test]
fn a_writer_that_stalls_finds_that_a_rebuild_has_given_its_key_away() {
    let mut outcomes = BTreeSet::new();
    for at in 0.. {
        let mut reached = false;
        for more in 1.. {
            let memory = Memory::new();
            let (writer, other) = (client(&memory), client(&memory));
            let (db, rebuilt) = (open(writer.clone(), LONG), open(other.clone(), LONG));
            let by_hand = move || {
                rebuilt.texts.table().put(&2, &"A".into()).unwrap();
                let rebuild = rebuilt.by_name.rebuild().write_timeout(Duration::ZERO);
                let report = rebuild.run().unwrap();
                report.missing == 1 && report.written > 0
            };
            let works: Works<'_, bool> = vec![
                (&writer, Box::new(move || write(&db, &[(1, Some("A"))])[0].is_ok())),
                (&other, Box::new(by_hand)),
            ];
            let legs = [Leg::Go(0, at), Leg::Go(1, more), Leg::Go(0, u64::MAX), Leg::Go(1, u64::MAX)];
            let (results, whole) = interleave(works, &legs);
            let (written, given) = (results[0], results[1]);
            assert!(!(written && given), "{legs:?}");
            assert_eq!(oracle::rows(&memory).contains_key(&1), written, "{legs:?}");
            let db = open(client(&memory), LONG);
            assert_eq!(opened(&db, false), differences(&memory), "{legs:?}");
            assert_eq!(twice(&memory).is_empty(), !written, "{legs:?}");
            outcomes.insert((written, given));
            if !whole {
                break;
            }
            reached = true;
        }
        if !reached {
            break;
        }
    }
    assert!(outcomes.contains(&(true, false)) && outcomes.contains(&(false, true)), "{outcomes:?}");
}

#[test]
fn a_write_that_is_too_old_starts_again_before_it_writes() {
    for (timeout, starts) in [(LONG, 1), (Duration::ZERO, 4)] {
        let db = open(client(&Memory::new()), timeout);
        let mut calls = 0;
        let change = |_| {
            calls += 1;
            Some("A".to_owned())
        };
        db.texts.update(&1, change).unwrap();
        assert_eq!(calls, starts);
    }
}

/// Threads that write few rows and few keys, with a verify all the while: it names nothing, then and after.
#[test]
fn a_verify_beside_and_after_threads_names_nothing() {
    let memory = Memory::new();
    let db = &open(client(&memory), LONG);
    let stop = &AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..4usize)
            .map(|writer| {
                scope.spawn(move || {
                    let texts = ["A1", "Ax", "B2", "B1x", "", "C", "A2xx", "Bxx"];
                    for at in 0..cases(100, 300) as usize {
                        let (id, text) = ((at * 5 + writer) % 3, texts[(at * 3 + writer) % texts.len()]);
                        match db.texts.put(&(id as u8), &text.to_owned()) {
                            Ok(()) | Err(Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                })
            })
            .collect();
        let verifier = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                verified(db);
            }
        });
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        stop.store(true, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
        verifier.join().unwrap();
    });
    assert!(differences(&memory).is_empty() && oracle::marks(&memory).is_empty() && twice(&memory).is_empty());
    assert!(opened(db, false).is_empty());
}
