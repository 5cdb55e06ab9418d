//! Ids of names: a name never has two, an id never two names, whoever asks at once and wherever one of them ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::ids::{IdError, NameIds};
use rowkey::store::Database;
use rowkey::{Error, Memory};
use rowkey_testkit::{Failing, How, WITHOUT, every, over_a_line, points};

fn open(db: &impl Database) -> NameIds {
    NameIds::open(db, "uids", "metric").unwrap()
}

fn number(id: [u8; 3]) -> usize {
    u32::from_be_bytes([0, id[0], id[1], id[2]]) as usize
}

/// What a new handle finds: names by id, after the same was found the other way round, and no id left out.
fn names(db: &impl Database) -> BTreeMap<[u8; 3], String> {
    let ids = open(db);
    let mut names = BTreeMap::new();
    for n in 1u32.. {
        let id = n.to_be_bytes()[1..].try_into().unwrap();
        let Some(name) = ids.name(id).unwrap() else { break };
        assert_eq!(open(db).find(&name).unwrap(), Some(id), "{name}");
        names.insert(id, name);
    }
    let mut listed: Vec<_> = ids.starting("", u64::MAX).unwrap();
    assert!(listed.is_sorted());
    assert!(names.len() - listed.len() <= 1, "the last one's name may not be written");
    listed.retain(|(name, id)| names.get(id) != Some(name));
    assert_eq!(listed, [], "names with ids that are not theirs");
    names
}

/// A new handle finds every id that was returned, and no other id is taken.
fn check(db: &Memory, answered: &[(String, [u8; 3])], asked: &[&str]) {
    let names = names(db);
    for (name, id) in answered {
        assert_eq!(names.get(id), Some(name));
    }
    let mut found: Vec<_> = names.values().collect();
    found.sort_unstable();
    assert!(found.windows(2).all(|two| two[0] != two[1]), "a name twice: {names:?}");
    assert!(found.iter().all(|name| asked.contains(&name.as_str())));
}

#[test]
fn sixteen_threads_and_four_handles() {
    sixteen_threads(Memory::new(), 200);
    sixteen_threads(over_a_line(1), 40);
}

fn sixteen_threads(db: impl Database, count: usize) {
    let handles = [(); 4].map(|()| open(&db));
    let turn = AtomicU64::new(0);
    let lists: Vec<Vec<_>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|thread| {
                let (handle, turn) = (&handles[thread % 4], &turn);
                scope.spawn(move || {
                    turn.fetch_add(1, Ordering::Relaxed);
                    let ask = |n: usize| {
                        let name = format!("name {}", (n * 7 + thread * 13) % count);
                        let id = handle.id(&name).unwrap();
                        (name, id)
                    };
                    (0..count).map(ask).collect()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(turn.into_inner(), 16);
    let names = names(&db);
    assert_eq!(names.len(), count);
    assert!(lists.iter().flatten().all(|(name, id)| names.get(id) == Some(name)));
}

#[test]
fn wherever_a_process_ends_another_goes_on() {
    let asked = ["a", "b", "c", "d"];
    for reads in [false, true] {
        for applied in [false, true] {
            for after in points(3).take_while(|after| *after < 60) {
                let db = Memory::new();
                open(&db);
                let dying = Failing::new(&db, How { reads, applied, ..WITHOUT }, after as i64);
                let Ok(ids) = NameIds::<3>::open(&dying, "uids", "metric") else { continue };
                let mut answered = Vec::new();
                for name in ["a", "b", "a", "c", "b", "d"] {
                    match ids.id(name) {
                        Ok(id) => answered.push((name.to_owned(), id)),
                        Err(IdError::Store(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                check(&db, &answered, &asked);
                // What is found before somebody goes on is found after that.
                let before = names(&db);
                let next = open(&db);
                assert!(before.iter().all(|(id, name)| next.name(*id).unwrap().as_ref() == Some(name)));
                for name in ["d", "c", "b", "a"] {
                    answered.push((name.to_owned(), next.id(name).unwrap()));
                }
                check(&db, &answered, &asked);
                assert!(before.iter().all(|found| names(&db).get(found.0) == Some(found.1)));
                assert_eq!(names(&db).len(), 4);
            }
        }
    }
}

#[test]
fn three_at_once_in_any_order() {
    const ASKED: [&str; 3] = ["a", "b", "z"];
    let two = |n: usize| ASKED[n % 2];
    for who in 0..8 {
        for full in [false, true] {
            // The second asks before operation `first` of the first, the third before operation `second` of the second.
            for (first, second) in
                (0..12).flat_map(|first| (0..12).step_by(every(4)).map(move |second| (first, second)))
            {
                let db = Memory::new();
                open(&db);
                let mut answered = Vec::new();
                if full {
                    answered.push(("z".to_owned(), open(&db).id("z").unwrap()));
                }
                let (dbs, (send, receive)) =
                    ([(); 2].map(|()| Failing::never(&db, WITHOUT)), std::sync::mpsc::channel::<(String, [u8; 3])>());
                let ids = dbs.each_ref().map(open);
                let [outer, inner] = ids;
                let third = {
                    let (db, send) = (db.clone(), send.clone());
                    move || send.send((two(who / 4).to_owned(), open(&db).id(two(who / 4)).unwrap())).unwrap()
                };
                let second_db = dbs[1].clone();
                dbs[0].interrupt(first, move || {
                    second_db.interrupt(second, third);
                    send.send((two(who / 2).to_owned(), inner.id(two(who / 2)).unwrap())).unwrap();
                });
                answered.push((two(who).to_owned(), outer.id(two(who)).unwrap()));
                dbs.iter().for_each(|db| _ = db.take_interrupt());
                drop(dbs);
                answered.extend(receive.iter());
                check(&db, &answered, &ASKED);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn as_a_list_of_names(asked in vec("[a-c\0é]{0,2}", 0..40), start in "[a-c\0é]{0,1}", most in 0..5_usize) {
        let db = Memory::new();
        let (one, other) = (open(&db), open(&db));
        let other_kind: NameIds = NameIds::open(&db, "uids", "metric\0").unwrap();
        let mut list: Vec<&String> = Vec::new();
        for (n, name) in asked.iter().enumerate() {
            let known = list.iter().position(|known| *known == name);
            prop_assert_eq!(other.find(name).unwrap().map(number), known.map(|at| at + 1));
            let due = known.unwrap_or_else(|| {
                list.push(name);
                list.len() - 1
            });
            let id = if n % 2 == 0 { &one } else { &other }.id(name).unwrap();
            prop_assert_eq!(number(id), due + 1);
            prop_assert_eq!(one.name(id).unwrap(), Some(name.clone()));
            prop_assert_eq!(other_kind.find(name).unwrap(), None);
        }
        prop_assert_eq!(other_kind.id("first").unwrap(), [0, 0, 1]);
        prop_assert_eq!(names(&db).into_values().collect::<Vec<_>>(), list.iter().map(|name| (*name).clone()).collect::<Vec<_>>());
        list.retain(|name| name.starts_with(&start));
        list.sort_unstable();
        list.truncate(most);
        let found = one.starting(&start, most as u64).unwrap();
        prop_assert_eq!(found.iter().map(|(name, _)| name).collect::<Vec<_>>(), list);
    }
}

#[test]
fn what_was_taken_and_not_written_is_found() {
    let db = Memory::new();
    open(&db).id("first").unwrap();
    // The id's row is written, the name's is not.
    let dying = Failing::new(&db, WITHOUT, 1);
    assert!(matches!(open(&dying).id("cut off"), Err(IdError::Store(_))));
    let ids = open(&db);
    assert_eq!(ids.name([0, 0, 2]).unwrap().as_deref(), Some("cut off"));
    assert_eq!(open(&db).find("cut off").unwrap(), Some([0, 0, 2]));
    // The handle that has seen it, too, sees to its name before it takes the next one.
    assert_eq!(ids.find("cut off").unwrap(), Some([0, 0, 2]));
    assert_eq!(ids.id("third").unwrap(), [0, 0, 3]);
    assert_eq!(open(&db).id("cut off").unwrap(), [0, 0, 2]);
    assert_eq!(open(&db).starting("c", 9).unwrap(), [("cut off".to_owned(), [0, 0, 2])]);
}

#[test]
fn one_byte_has_255_names() {
    let db = Memory::new();
    let ids: NameIds<1> = NameIds::open(&db, "small", "").unwrap();
    for n in 1..=255u8 {
        assert_eq!(ids.id(&n.to_string()).unwrap(), [n]);
    }
    let ids: NameIds<1> = NameIds::open(&db, "small", "").unwrap();
    for _ in 0..2 {
        let error = ids.id("one more").unwrap_err();
        assert!(matches!(error, IdError::NamesFull { bytes: 1 }));
        assert_eq!(error.to_string(), "all 1-byte ids are taken");
    }
    assert_eq!((ids.id("255").unwrap(), ids.name([7]).unwrap().as_deref()), ([255], Some("7")));
    assert_eq!((ids.find("one more").unwrap(), ids.name([0]).unwrap()), (None, None));
}

#[test]
fn tables_that_are_no_names() {
    let db = Memory::new();
    open(&db);
    let wider = NameIds::<4>::open(&db, "uids", "metric").unwrap_err();
    assert!(matches!(wider, IdError::Store(Error::Layout { .. })), "{wider}");
    let without = Failing::never(&db, How { compare_and_write: false, ..WITHOUT });
    assert!(matches!(NameIds::<3>::open(&without, "uids", "metric"), Err(IdError::Store(Error::Unsupported(_)))));
    let store = db.table("uids").unwrap();
    store
        .write(rowkey::store::Batch::new().put("metric\0\x01short\0", "ab").put("metric\0\x02\0\0\x01", b"\xff"))
        .unwrap();
    assert!(matches!(open(&db).find("short"), Err(IdError::Malformed(_))));
    assert!(matches!(open(&db).name([0, 0, 1]), Err(IdError::Malformed(_))));
    assert!(matches!(open(&db).id("another"), Err(IdError::Malformed(_))));
}
