//! Secondary tables: in step after any writes, right for every reader, mended after every crash.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::jobs::{Checkpoint, DifferenceKind, Job, Report};
use rowkey::prefix::tuple_prefix;
use rowkey::secondary::{Primary, Secondary};
use rowkey::store::{Batch, Database, RowBatch, Scan, SubStore};
use rowkey::wide::{CellsDatabase, FamilySchema, OneColumn, TableSchema};
use rowkey::{Cursor, CursorError, Error, Memory, Table, WideTable};
use rowkey_testkit::{Failing, How, WITHOUT, cases, over_a_line, points};

/// A row is text: its letters are its tags; its first letter, if it is a capital, is a name no other row may have.
struct Texts<D> {
    texts: Primary<u8, String, D>,
    by_tag: Secondary<(String, u8), i64, u8, String, D>,
    by_name: Secondary<String, (), u8, String, D>,
}

fn tags(id: u8, text: &str) -> Vec<((String, u8), i64)> {
    text.chars().map(|tag| ((tag.to_string(), id), text.len() as i64)).collect()
}

fn name(text: &str) -> Option<(String, ())> {
    text.chars().next().filter(char::is_ascii_uppercase).map(|name| (name.to_string(), ()))
}

fn open<D: Database + Clone>(db: D) -> Result<Texts<D>, Error> {
    let mut texts = Primary::open(db, "texts")?;
    let by_tag = texts.secondary("texts.by_tag", |id: &u8, text: &String| tags(*id, text))?;
    let by_name = texts.secondary("texts.by_name", |_: &u8, text: &String| name(text))?;
    Ok(Texts { texts, by_tag, by_name })
}

#[derive(Debug, Clone)]
enum Op {
    Put(u8, String),
    Delete(u8),
    Append(u8, String),
    DeleteFrom(u8),
    Batch(Vec<(u8, Option<String>)>),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(""), Just("a"), Just("ab"), Just("ba"), Just("A"), Just("Ab"), Just("B"), Just("aa")]
        .prop_map(str::to_owned)
}

fn op() -> impl Strategy<Value = Op> {
    let id = || 0u8..4;
    prop_oneof![
        4 => (id(), text()).prop_map(|(id, text)| Op::Put(id, text)),
        1 => id().prop_map(Op::Delete),
        2 => (id(), text()).prop_map(|(id, text)| Op::Append(id, text)),
        1 => id().prop_map(Op::DeleteFrom),
        1 => vec((id(), proptest::option::of(text())), 0..4).prop_map(Op::Batch),
    ]
}

type Model = BTreeMap<u8, String>;

/// Applies a write to the model; `false` if two rows would have one name.
fn applied(model: &mut Model, op: &Op) -> bool {
    let mut after = model.clone();
    match op {
        Op::Put(id, text) => drop(after.insert(*id, text.clone())),
        Op::Delete(id) => drop(after.remove(id)),
        Op::Append(id, text) => after.entry(*id).or_default().push_str(text),
        Op::DeleteFrom(id) => after.retain(|key, _| key < id),
        Op::Batch(rows) => {
            for (id, text) in rows {
                match text {
                    Some(text) => drop(after.insert(*id, text.clone())),
                    None => drop(after.remove(id)),
                }
            }
        }
    }
    let mut names: Vec<_> = after.values().filter_map(|text| name(text)).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    let fits = names.len() == all;
    if fits {
        *model = after;
    }
    fits
}

fn apply<D: Database + Clone>(db: &Texts<D>, op: &Op) -> Result<(), Error> {
    match op {
        Op::Put(id, text) => db.texts.put(id, text),
        Op::Delete(id) => db.texts.delete(id),
        Op::Append(id, text) => db.texts.update(id, |before| Some(before.unwrap_or_default() + text)).map(drop),
        Op::DeleteFrom(id) => db.texts.delete_rows(*id..),
        Op::Batch(rows) => {
            let mut batch = db.texts.batch();
            for (id, text) in rows {
                batch = match text {
                    Some(text) => batch.put(id, text)?,
                    None => batch.delete(id),
                };
            }
            batch.write()
        }
    }
}

fn rows<D: Database + Clone>(db: &Texts<D>) -> Model {
    db.texts.table().scan(..).collect::<Result<_, _>>().unwrap()
}

/// Every reader sees what follows from the rows.
fn reads_are_right<D: Database + Clone>(db: &Texts<D>) {
    let rows = rows(db);
    let mut due: Vec<_> = rows.iter().flat_map(|(id, text)| tags(*id, text)).collect();
    due.sort();
    due.dedup();
    assert_eq!(db.by_tag.scan(..).collect::<Result<Vec<_>, _>>().unwrap(), due);
    let joined: Vec<_> = due.iter().map(|(key, _)| (key.clone(), (key.1, rows[&key.1].clone()))).collect();
    assert_eq!(db.by_tag.scan_rows(..).collect::<Result<Vec<_>, _>>().unwrap(), joined);

    let of_a: Vec<_> = due.iter().filter(|((tag, _), _)| tag == "a").rev().cloned().collect();
    let scan = || db.by_tag.scan(tuple_prefix()._0("a")).reverse();
    assert_eq!(scan().collect::<Result<Vec<_>, _>>().unwrap(), of_a);
    assert_eq!(scan().limit(2).count(), of_a.len().min(2));

    let (mut paged, mut cursor) = (Vec::new(), None::<Cursor>);
    loop {
        let page = db.by_tag.scan(..).after(cursor).page(2).unwrap();
        assert!(page.rows.len() == 2 || page.next.is_none());
        paged.extend(page.rows);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, due);

    for letter in ["A", "B", "a"] {
        let owner = rows.iter().find(|(_, text)| name(text).is_some_and(|(name, ())| name == letter));
        let owner = owner.map(|(id, text)| (*id, text.clone()));
        assert_eq!(db.by_name.get(&letter.to_owned()).unwrap(), owner.as_ref().map(|_| ()));
        assert_eq!(db.by_name.get_row(&letter.to_owned()).unwrap(), owner);
    }
}

fn run<K2>(job: Job<'_, u8, K2>) -> Report {
    job.write_timeout(Duration::ZERO).run().unwrap()
}

fn is_clean<D: Database + Clone>(db: &Texts<D>) -> bool {
    run(db.by_tag.verify()).is_clean() && run(db.by_name.verify()).is_clean()
}

fn without() -> impl Database + Clone {
    OneColumn::database(CellsDatabase::new(Memory::new()))
}

fn follows_any_writes<D: Database + Clone>(db: D, ops: &[Op]) {
    let exact = db.guarantees().transactions;
    let db = open(db).unwrap();
    let mut model = Model::new();
    for op in ops {
        let fits = applied(&mut model, op);
        match apply(&db, op) {
            Ok(()) => assert!(fits || !exact, "{op:?} gave a name to two rows"),
            Err(Error::SecondaryConflict { .. }) => assert!(!fits || (!exact && matches!(op, Op::Batch(_)))),
            Err(Error::Rows(refused)) => {
                assert!(!exact && matches!(op, Op::Batch(_)) && refused.written() > 0);
                assert!(
                    refused.iter().all(|row| matches!(row.error(), Error::SecondaryConflict { .. })),
                    "{refused:?}"
                );
            }
            Err(error) => panic!("{error}"),
        }
        // Row by row, a batch can be refused in its middle, or go through where its end alone makes it fit.
        if !exact && matches!(op, Op::Batch(_)) {
            model = rows(&db);
        }
        assert_eq!(rows(&db), model);
        reads_are_right(&db);
        assert!(is_clean(&db), "after {op:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(32, 64)))]

    #[test]
    fn in_memory_they_follow_any_writes(ops in vec(op(), 0..24)) {
        follows_any_writes(Memory::new(), &ops);
    }

    #[test]
    fn in_one_key_space_they_follow_any_writes(ops in vec(op(), 0..16)) {
        follows_any_writes(SubStore::new(Memory::new().table("all").unwrap()), &ops);
    }

    #[test]
    fn without_transactions_they_follow_any_writes(ops in vec(op(), 0..16)) {
        follows_any_writes(without(), &ops);
    }

    #[test]
    fn on_a_network_they_follow_any_writes(ops in vec(op(), 0..8), seed: u64) {
        follows_any_writes(over_a_line(seed), &ops);
    }
}

#[test]
fn a_conflict_names_both_rows_and_writes_nothing() {
    for db in [&Memory::new() as &dyn Database, &without()] {
        let db = open(db).unwrap();
        db.texts.put(&1, &"Ab".into()).unwrap();
        let refused = db.texts.put(&2, &"bA".into()).and_then(|()| db.texts.put(&2, &"Ac".into())).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "duplicate key 4100 in secondary table \"texts.by_name\": the row at key 01 has it, so the row at key 02 can't have it"
        );
        assert_eq!(db.texts.get(&2).unwrap().as_deref(), Some("bA"));
        reads_are_right(&db);
        assert!(is_clean(&db));
    }
}

#[test]
fn counters_are_followed() {
    for db in [&Memory::new() as &dyn Database, &without(), &over_a_line(3)] {
        let mut counts = Primary::<String, i64, _>::open(db, "counts").unwrap();
        let by_count = counts.secondary("by_count", |word: &String, n: &i64| [((*n, word.clone()), ())]).unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20).for_each(|_| assert!(counts.increment(&"a".to_owned(), 1).unwrap() > 0)));
            }
        });
        counts.increment(&"b".to_owned(), -3).unwrap();
        let keys: Vec<_> = by_count.scan(..).map(|row| row.unwrap().0).collect();
        assert_eq!(keys, [(-3, "b".to_owned()), (80, "a".to_owned())]);
    }
}

/// Row `id` is always there, and always has the tag `z`; tags and names come and go.
fn threads<D: Database + Clone + 'static>(db: D) {
    let db = &open(db).unwrap();
    for id in 0..4 {
        db.texts.put(&id, &"az".into()).unwrap();
    }
    let stop = &AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..8usize)
            .map(|writer| {
                scope.spawn(move || {
                    // Every writer changes all rows, forth and back.
                    let texts = ["az", "Az", "bz", "Bz", "zab", "Azb"];
                    for at in 0..cases(50, 150) as usize {
                        let (id, text) = ((at * 7 + writer) % 4, texts[(at * 5 + writer) % texts.len()]);
                        match db.texts.put(&(id as u8), &text.to_owned()) {
                            Ok(()) | Err(Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    // Of what is there throughout nothing is missed.
                    let ids: Vec<u8> = db.by_tag.scan(tuple_prefix()._0("z")).map(|row| row.unwrap().0.1).collect();
                    assert_eq!(ids, [0, 1, 2, 3]);
                    for row in db.by_tag.scan_rows(..) {
                        let ((tag, id), (row, text)) = row.unwrap();
                        assert!(id == row && text.contains(&tag), "{tag} {text}");
                    }
                    if let Some((_, text)) = db.by_name.get_row(&"A".to_owned()).unwrap() {
                        assert!(text.starts_with('A'));
                    }
                }
            });
        }
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                db.by_tag.rebuild().batch_rows(3).run().unwrap();
            }
        });
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        stop.store(true, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });
    reads_are_right(db);
    assert!(is_clean(db));
    let named: Vec<_> = rows(db).values().filter_map(|text| name(text)).collect();
    assert_eq!(named.len(), db.by_name.scan(..).count(), "two rows have one name");
}

#[test]
fn threads_with_transactions() {
    threads(Memory::new());
}

#[test]
fn threads_without_transactions() {
    threads(without());
    threads(over_a_line(1));
    threads(Failing::never(&Memory::new(), WITHOUT));
}

#[test]
fn a_crash_at_any_write_leaves_nothing_missing_and_nothing_wrong() {
    let script = [
        Op::Put(1, "Ab".into()),
        Op::Put(2, "ab".into()),
        Op::Put(1, "Bcd".into()),
        Op::Append(2, "c".into()),
        Op::Put(2, "Aab".into()),
        Op::Batch(vec![(1, None), (2, Some("B".into())), (3, Some("Ab".into()))]),
        Op::Put(3, "b".into()),
        Op::Put(3, "Ab".into()),
        Op::DeleteFrom(2),
    ];
    for (transactions, applied_too) in [(false, false), (false, true), (true, false), (true, true)] {
        let how = How { applied: applied_too, transactions, ..WITHOUT };
        let mut stale_once = false;
        for after in points(3) {
            let memory = Memory::new();
            let mut acknowledged = Model::new();
            let mut last = None;
            let failing = open(Failing::new(&memory, how, after as i64));
            if let Ok(db) = failing {
                for op in &script {
                    if apply(&db, op).is_err() {
                        last = Some(op);
                        break;
                    }
                    assert!(applied(&mut acknowledged, op));
                }
                if last.is_none() {
                    assert!(after > 10);
                    break;
                }
            }

            let db = open(Failing::never(&memory, how)).unwrap();
            reads_are_right(&db);
            let now = rows(&db);
            let mut with_last = acknowledged.clone();
            last.map(|op| applied(&mut with_last, op));
            if transactions || !matches!(last, Some(Op::Batch(_) | Op::DeleteFrom(_))) {
                assert!(now == acknowledged || now == with_last, "{now:?} after write {after}");
            }
            for report in [run(db.by_tag.verify()), run(db.by_name.verify())] {
                assert_eq!((report.missing, report.conflicts), (0, 0));
                assert!(!transactions || report.is_clean());
                stale_once |= report.extra > 0;
            }
            run(db.by_tag.rebuild());
            run(db.by_name.rebuild());
            assert!(is_clean(&db));
            reads_are_right(&db);
            for id in 0..4 {
                apply(&db, &Op::Delete(id)).unwrap();
            }
            db.texts.put(&0, &"AB".into()).unwrap();
            reads_are_right(&db);
        }
        assert_eq!(stale_once, !transactions);
    }
}

/// One write is interrupted by others, before each of its operations.
#[test]
fn a_write_interrupted_anywhere_misses_nothing() {
    let put = |id, text: &str| Op::Put(id, text.to_owned());
    let interrupted = [put(1, "Ab"), put(1, "cA"), put(1, "bc"), Op::Delete(1), Op::Append(1, "d".into()), put(1, "a")];
    let interrupting = [
        vec![put(1, "bc")],
        vec![Op::Delete(1)],
        vec![put(1, "Ab"), put(1, "a")],
        vec![put(1, "a"), put(1, "Ab"), put(1, "a")],
        vec![Op::Delete(1), put(1, "a"), put(2, "Ab"), put(2, "b")],
        vec![put(2, "Ab")],
        vec![put(1, "Ab"), Op::Delete(1), put(2, "Ab")],
    ];
    for rebuilt in [false, true] {
        for (first, others) in
            interrupted.iter().flat_map(|first| interrupting.iter().map(move |others| (first, others)))
        {
            for at in points(13) {
                let memory = Memory::new();
                let failing = Failing::never(&memory, WITHOUT);
                let db = open(failing.clone()).unwrap();
                let other = open(Failing::never(&memory, WITHOUT)).unwrap();
                db.texts.put(&1, &"a".into()).unwrap();
                let others = others.clone();
                failing.interrupt(at, move || {
                    for op in &others {
                        match apply(&other, op) {
                            Ok(()) | Err(Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                        reads_are_right(&other);
                    }
                    if rebuilt {
                        other.by_tag.rebuild().run().unwrap();
                        other.by_name.rebuild().run().unwrap();
                        reads_are_right(&other);
                    }
                });
                match apply(&db, first) {
                    Ok(()) | Err(Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                let over = failing.take_interrupt();
                reads_are_right(&db);
                let reports = [run(db.by_tag.verify()), run(db.by_name.verify())];
                assert!(reports.iter().all(|report| report.missing + report.conflicts == 0), "{first:?} at {at}");
                let names: Vec<_> = rows(&db).values().filter_map(|text| name(text)).collect();
                assert!(names.len() < 2, "two rows have one name");
                // Later writes find everything as it has to be.
                for op in [put(1, "z"), put(2, "Ab"), put(1, "ab"), Op::Delete(2), put(1, "Ab")] {
                    apply(&db, &op).unwrap();
                    reads_are_right(&db);
                }
                if over {
                    break;
                }
            }
        }
    }
}

/// A reader is interrupted by writes, before each of its operations; what is there throughout it sees.
#[test]
fn a_read_interrupted_anywhere_misses_nothing() {
    for at in 0..12 {
        let memory = Memory::new();
        let failing = Failing::never(&memory, WITHOUT);
        let db = open(failing.clone()).unwrap();
        let other = open(Failing::never(&memory, WITHOUT)).unwrap();
        for id in 0..4 {
            db.texts.put(&id, &"az".into()).unwrap();
        }
        failing.interrupt(at, move || {
            for (id, text) in [(1, "z"), (2, "zb"), (0, "bz"), (3, "zz"), (1, "az")] {
                other.texts.put(&id, &text.to_owned()).unwrap();
            }
        });
        let ids: Vec<u8> = db.by_tag.scan(tuple_prefix()._0("z")).map(|row| row.unwrap().0.1).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        for row in db.by_tag.scan_rows(..) {
            let ((tag, id), (row, text)) = row.unwrap();
            assert!(id == row && text.contains(&tag));
        }
        failing.take_interrupt();
    }
}

/// A claim that was cut off does not keep a rebuild from giving the key to the row that has it.
#[test]
fn a_claim_cut_off_gives_way_to_a_rebuild() {
    let memory = Memory::new();
    let opened = Failing::never(&memory, WITHOUT);
    let db = open(opened).unwrap();
    // The name is claimed, after the two tags; the row is not written.
    let dying = open(Failing::new(&memory, WITHOUT, 3)).unwrap();
    dying.texts.put(&2, &"Ab".into()).unwrap_err();
    assert!(matches!(db.texts.put(&1, &"A".into()), Err(Error::SecondaryBusy { .. })));
    let by_hand: Table<u8, String, _> = Table::open(&memory, "texts").unwrap();
    by_hand.put(&1, &"A".into()).unwrap();

    let report = run(db.by_name.verify());
    assert_eq!((report.missing, report.extra), (1, 1));
    // Whoever gets the key takes the claim away.
    let report = run(db.by_name.rebuild());
    assert_eq!((report.missing, report.extra, report.written), (1, 0, 1));
    run(db.by_tag.rebuild());
    assert!(is_clean(&db));
    reads_are_right(&db);
}

/// Rows by hand: some missing, some stale, some with other values, a conflict.
fn damaged<D: Database + Clone>(db: &D) {
    let texts: Table<u8, String, _> = Table::open(db, "texts").unwrap();
    let through = open(db.clone()).unwrap();
    through.texts.put(&1, &"Ab".into()).unwrap();
    through.texts.put(&2, &"cd".into()).unwrap();
    through.texts.put(&3, &"ef".into()).unwrap();
    texts.put(&2, &"cg".into()).unwrap();
    texts.delete(&3).unwrap();
    texts.put(&4, &"Ah".into()).unwrap();
    texts.put(&1, &"Abbb".into()).unwrap();
}

#[test]
fn every_difference_is_named_and_mended_from_wherever_it_goes_on() {
    for db in [&Memory::new() as &dyn Database, &without(), &over_a_line(2)] {
        damaged(&db);
        let db = open(db).unwrap();
        let mut found = Vec::new();
        // Stopped after every row, and resumed from text.
        let mut next = Some(String::from("1"));
        let mut runs = 0;
        while let Some(at) = next {
            let verify = db.by_tag.verify().resume(at.parse::<Checkpoint>().unwrap()).batch_rows(1);
            let report = verify
                .run_watched(|progress| {
                    found.extend(progress.differences.iter().map(|d| (d.kind, d.source, d.target.0.clone())));
                    ControlFlow::Break(())
                })
                .unwrap();
            next = report.next.map(|next| next.to_string());
            runs += 1;
        }
        assert!(runs > 8);
        use DifferenceKind::{Different, Extra, Missing};
        let named = |kind, key, tag: &str| (kind, key, tag.to_owned());
        assert_eq!(
            found,
            [
                named(Different, 1, "A"),
                named(Different, 1, "b"),
                named(Missing, 2, "g"),
                named(Missing, 4, "A"),
                named(Missing, 4, "h"),
                named(Extra, 2, "d"),
                named(Extra, 3, "e"),
                named(Extra, 3, "f"),
            ]
        );
        let mut conflicts = Vec::new();
        db.by_name
            .verify()
            .run_watched(|progress| {
                conflicts.extend(progress.differences.clone());
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(conflicts.len(), 1);
        assert_eq!((conflicts[0].kind, conflicts[0].source), (DifferenceKind::Conflict, 4));

        let (mut next, mut mended) = (Some(String::from("1")), 0);
        while let Some(at) = next {
            let rebuild = db.by_tag.rebuild().resume(at.parse::<Checkpoint>().unwrap()).batch_rows(1);
            let report = rebuild.run_watched(|_| ControlFlow::Break(())).unwrap();
            mended += report.written;
            next = report.next.map(|next| next.to_string());
        }
        assert_eq!(mended, 8);
        assert!(run(db.by_tag.verify()).is_clean());
        let report = run(db.by_name.rebuild());
        assert_eq!((report.conflicts, report.written), (1, 0));
        db.texts.put(&4, &"h".into()).unwrap();
        assert!(run(db.by_name.verify()).is_clean());
        reads_are_right(&db);
    }
}

#[test]
fn what_can_not_be_is_refused() {
    let memory = Memory::new();
    let neither = Failing::never(&memory, How { compare_and_write: false, ..WITHOUT });
    assert!(matches!(Primary::<u8, String, _>::open(neither, "t"), Err(Error::Unsupported(_))));

    let db = open(&memory).unwrap();
    db.texts.put(&1, &"Aa".into()).unwrap();
    let cursor = db.by_tag.scan(..).page(1).unwrap().next.unwrap();
    let refused = db.by_name.scan(..).after(cursor.clone()).next().unwrap();
    assert!(matches!(refused, Err(Error::Cursor(CursorError::OtherLayout { .. }))));
    let refused = db.by_name.verify().resume(format!("2.{cursor}").parse::<Checkpoint>().unwrap()).run();
    assert!(matches!(refused, Err(Error::Cursor(CursorError::OtherLayout { .. }))));

    let mut texts = Primary::<u8, String, _>::open(&memory, "texts").unwrap();
    let refused = |refused: Result<Secondary<String, (), u8, String, _>, Error>| refused.unwrap_err().to_string();
    assert_eq!(
        refused(texts.secondary("texts", |_, text| name(text))),
        "table \"texts\" can't have a secondary table \"texts\": it is the name of the primary table"
    );
    texts.secondary("texts.by_name", |_: &u8, text: &String| name(text)).unwrap();
    assert_eq!(
        refused(texts.secondary("texts.by_name", |_, text| name(text))),
        "table \"texts\" can't have a secondary table \"texts.by_name\": a secondary table of that name is declared already"
    );
    // A table of other keys, another primary table too.
    Table::<u64, String, _>::open(&memory, "numbers").unwrap();
    assert!(matches!(
        texts.secondary("numbers", |_: &u8, text: &String| name(text)),
        Err(Error::Layout { table, .. }) if table == "numbers"
    ));
    assert!(db.texts.put(&1, &"Aa".into()).is_ok());

    let by_name = memory.table("texts.by_name").unwrap();
    by_name.write(Batch::new().put("A\0", "garbage")).unwrap();
    assert!(matches!(db.by_name.get(&"A\0".into()), Ok(None) | Err(Error::Value { .. })));
    assert!(db.by_name.scan(..).any(|row| row.is_err()));
}

/// A checkpoint that another job, or the same job over other tables, left would skip rows that were never looked at.
#[test]
fn a_checkpoint_is_of_one_job_over_its_tables() {
    fn stopped<K1, K2>(job: Job<'_, K1, K2>) -> Checkpoint {
        job.batch_rows(1).run_watched(|_| ControlFlow::Break(())).unwrap().next.unwrap().to_string().parse().unwrap()
    }
    let refused = |run: Result<Report, Error>| {
        assert!(matches!(run, Err(Error::Cursor(CursorError::OtherJob))), "{run:?}");
    };
    let db = Memory::new();
    let names = |primary: &str, secondary: &str| {
        let mut texts = Primary::<u8, String, _>::open(db.clone(), primary).unwrap();
        let by_text = texts.secondary(secondary, |id: &u8, text: &String| [((text.clone(), *id), ())]).unwrap();
        (1..5).for_each(|id| texts.put(&id, &"text".to_owned()).unwrap());
        by_text
    };
    let (a, b, other) = (names("a", "a.by_text"), names("b", "b.by_text"), names("a", "a.other"));
    let (of_verify, of_rebuild) = (stopped(a.verify()), stopped(a.rebuild()));
    assert!(a.verify().resume(of_verify.clone()).run().unwrap().is_done());
    assert!(a.rebuild().resume(of_rebuild.clone()).run().unwrap().is_done());
    refused(a.rebuild().resume(of_verify.clone()).run());
    refused(a.verify().resume(of_rebuild.clone()).run());
    for secondary in [&b, &other] {
        refused(secondary.verify().resume(of_verify.clone()).run());
        refused(secondary.rebuild().resume(of_rebuild.clone()).run());
    }

    let schema = TableSchema::new().family("f", FamilySchema::new());
    let wide = |name: &str| {
        let table: WideTable<u8, _> = WideTable::open(CellsDatabase::new(db.clone()), name, &schema).unwrap();
        (0..4).for_each(|row| table.put(&row, "f:q", &1_u8).unwrap());
        table
    };
    let (first, second) = (wide("first"), wide("second"));
    let of_purge = stopped(first.purge());
    assert!(first.purge().resume(of_purge.clone()).run().unwrap().is_done());
    refused(second.purge().resume(of_purge.clone()).run());
    refused(a.verify().resume(of_purge).run());
    refused(first.purge().resume(of_verify).run());
}

/// A transaction opens tables by name: one that was dropped is not made again, and no row is in one table alone.
#[test]
fn rows_of_a_dropped_table_are_not_written() {
    for dropped in ["texts", "texts.by_name"] {
        for is_made_anew in [false, true] {
            let db = Memory::new();
            let Texts { texts, by_name, .. } = open(db.clone()).unwrap();
            texts.put(&1, &"Ada".to_owned()).unwrap();
            db.drop_table(dropped).unwrap();
            if is_made_anew {
                db.table(dropped).unwrap();
            }
            let written = [
                texts.put(&2, &"Bob".to_owned()),
                texts.delete(&1),
                texts.batch().put(&3, &"Eve".to_owned()).unwrap().write(),
                texts.update(&1, |_| Some("Ida".to_owned())).map(drop),
            ];
            for written in written {
                assert!(matches!(&written, Err(Error::NoSuchTable(name)) if name == dropped), "{written:?}");
            }
            assert_eq!(db.tables().unwrap().contains(&dropped.to_owned()), is_made_anew);
            assert_eq!(by_name.get(&"Bob".to_owned()).unwrap_or(None), None);
            if is_made_anew {
                let mut rows = RowBatch::new();
                db.table(dropped).unwrap().scan(&Scan::all()).next_batch(&mut rows).unwrap();
                assert!(rows.is_empty());
            }
        }
    }
}
