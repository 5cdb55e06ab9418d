//! Reads and purges of `Cells`, compared with the suite's model of wide rows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use rowkey::clock::Clock;
use rowkey::jobs::{Checkpoint, Report};
use rowkey::splits::{Splits, Weight};
use rowkey::store::{Atomicity, Batch, Database, RowBatch, Rows, Scan, Store, Write};
use rowkey::wide::{
    CellIter, CellKey, Cells, CellsDatabase, ClientFilter, Column, Columns, Condition, Entry, FamilySchema, Kind,
    Mutation, Place, Row, TableSchema, Version, WideDatabase, WideStore,
};
use rowkey::{Cursor, Error, Memory, RowKey, RowValue};
use rowkey_testkit::{Cued, Deaths, Random, Restrict, cases};

use crate::drawn::{
    Draw, NOW, cells_of, column, columns, entries, memory, over, rows_of, scan_of, schema, tables, written,
};
use crate::latest::{every, some_edit, two_families};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(8, 48)) })]

    #[test]
    fn reads_are_those_of_the_model(seed: u64) {
        let random = &mut Random(seed);
        let (model, mutations) = written(random, 700);
        let tables = tables(&mutations);
        for _ in 0..12 {
            let (scan, columns) = (scan_of(random), columns(random, true));
            let should_be = model.scan(&scan, &columns, NOW);
            let table = random.one_of(&[0, 1, 2]);
            prop_assert_eq!(rows_of(&tables[table], &scan, &columns), should_be, "{:?} {:?} {}", scan, columns, table);
            let row = if random.chance(4) { random.bytes(1) } else { random.one_of(&mutations.iter().map(|(row, _)| row).collect::<Vec<_>>()).clone() };
            let should_be = model.get(&row, &columns, NOW);
            let found = tables[table].get(&row, &columns).unwrap();
            prop_assert_eq!(cells_of(found.as_bytes()), should_be, "{:?} {:?} {}", row, columns, table);
        }
    }

    /// Of rows that a server cuts to a time alone, the client's part leaves what `Cells` reads.
    #[test]
    fn a_client_leaves_of_a_row_what_is_asked_for(seed: u64) {
        let random = &mut Random(seed);
        let (_, mutations) = written(random, 100);
        let table = &tables(&mutations)[0];
        for (row, _) in mutations.iter().cycle().take(40) {
            let mut asked = columns(random, true);
            (asked.rows_where, asked.piece) = (None, None);
            if asked.offset > 0 || asked.limit.is_some() {
                // A page is of cells then, and of columns.
                asked.versions = asked.versions.min(1);
            }
            let mut whole = Columns::all().versions(u32::MAX);
            whole.time = asked.time;
            let whole = table.get(row, &whole).unwrap();
            let mut cells: Vec<_> = whole.cells().collect();
            ClientFilter::All(Box::new(asked.clone())).retain(&mut cells, |cell| *cell);
            let should_be = table.get(row, &asked).unwrap();
            prop_assert!(cells.iter().copied().eq(should_be.cells()), "{:?} {:?}", asked, cells);
            if asked.families_of(&schema()).unwrap().is_empty() {
                prop_assert!(cells.is_empty(), "{:?}", asked);
            }
        }
    }

    #[test]
    fn a_purge_changes_no_read_without_a_time_range(seed: u64) {
        let random = &mut Random(seed);
        let (model, mutations) = written(random, 700);
        let tables = tables(&mutations);
        let before = entries(tables[0].store());
        let report = tables[0].purge().run().unwrap();
        let after = entries(tables[0].store());
        prop_assert!(report.is_done());
        let of = |kind: fn(&Entry<'_>) -> bool, entries: &[(Vec<u8>, Vec<u8>)]| {
            entries.iter().filter(|(key, _)| kind(&CellKey::decode(key).unwrap().place.entry)).count() as u64
        };
        let is_value = |entry: &Entry<'_>| matches!(entry, Entry::Column { version: Version { kind: Kind::Value, .. }, .. });
        let is_marker = |entry: &Entry<'_>| !matches!(entry, Entry::Column { version: Version { kind: Kind::Value, .. }, .. });
        prop_assert_eq!(report.cells.kept, of(is_value, &after));
        prop_assert_eq!(report.cells.deleted + report.cells.expired + report.cells.old, of(is_value, &before) - report.cells.kept);
        prop_assert_eq!(report.cells.markers, of(is_marker, &before));
        prop_assert_eq!(of(is_marker, &after), 0);
        prop_assert_eq!(report.rows, mutations.iter().filter(|(_, m)| !m.is_empty()).map(|(row, _)| row).collect::<BTreeSet<_>>().len() as u64);

        // In several goes: the same.
        let mut sum = Report::default();
        loop {
            let purge = tables[1].purge().batch_rows(1 + random.below(400) as usize).resume(sum.next);
            let step = purge.run_watched(|_| ControlFlow::Break(())).unwrap();
            sum.rows += step.rows;
            sum.written += step.written;
            sum.cells.kept += step.cells.kept;
            sum.cells.deleted += step.cells.deleted;
            sum.cells.expired += step.cells.expired;
            sum.cells.old += step.cells.old;
            sum.cells.markers += step.cells.markers;
            // As another process reads it.
            sum.next = step.next.map(|next| next.to_string().parse().unwrap());
            if sum.is_done() {
                break;
            }
        }
        prop_assert_eq!(&sum, &report);
        prop_assert_eq!(&entries(tables[1].store()), &after);
        // From after some row, and then the rest.
        let from = if random.chance(2) { random.bytes(0) } else { mutations[0].0.clone() };
        let done = |(key, _): &&(Vec<u8>, Vec<u8>)| CellKey::decode(key).unwrap().row.as_ref() > from.as_slice();
        tables[2].purge().resume(Checkpoint::after_row(&from)).run().unwrap();
        let found = entries(tables[2].store());
        let untouched = before.iter().filter(|entry| !done(entry));
        let should_be = untouched.chain(after.iter().filter(done)).cloned().collect::<Vec<_>>();
        prop_assert_eq!(&found, &should_be);
        tables[2].purge().run().unwrap();
        prop_assert_eq!(&entries(tables[2].store()), &after);

        for _ in 0..8 {
            let (scan, columns) = (scan_of(random), columns(random, false));
            let should_be = model.scan(&scan, &columns, NOW);
            prop_assert_eq!(rows_of(&tables[0], &scan, &columns), should_be, "{:?} {:?}", scan, columns);
        }
        let again = tables[0].purge().run().unwrap();
        prop_assert_eq!((again.cells.kept, again.written), (report.cells.kept, 0));
    }
}

#[test]
fn the_longest_time_to_live_can_be_opened_again() {
    for ttl in
        [Duration::MAX, Duration::from_millis(u64::MAX), Duration::from_secs(u64::MAX), Duration::from_nanos(1_999_999)]
    {
        let schema = TableSchema::new().family("a", FamilySchema::new().ttl(ttl));
        let db = Memory::new();
        Cells::open(&db, "t", &schema).unwrap();
        Cells::open(&db, "t", &schema).unwrap();
    }
}

#[test]
fn pieces_of_no_cell_come_to_an_end() {
    let table = over(memory());
    table.mutate(b"r", &Mutation::new().put("a:q", "1").put("a:r", "2")).unwrap();
    let mut columns = Columns::all().piece(0);
    for reverse in [false, true] {
        for check in [None, Some(Condition::absent("a:x"))] {
            columns.rows_where = check;
            let mut rows = table.scan(&Scan::all().reverse(reverse), &columns);
            let (mut batch, mut cells) = (RowBatch::new(), 0);
            rows.next_batch(&mut batch).unwrap();
            cells += batch.iter().map(|(_, cells)| CellIter::new(cells).count()).sum::<usize>();
            assert_eq!((batch.len(), cells), (2, 2));
        }
    }
}

#[test]
fn entries_that_are_none_are_errors() {
    let store = memory();
    let table = over(store.clone());
    table.mutate(b"r", &Mutation::new().put("a:q", "1").delete_family_until("t", 7)).unwrap();
    // Nine bytes that would do for a version, without a column.
    store.write(Batch::new().put(b"r\0zzzzzzzz\x03", "foreign")).unwrap();
    for reverse in [false, true] {
        let mut rows = table.scan(&Scan::all().reverse(reverse), &Columns::all());
        let error = rows.next_batch(&mut RowBatch::new()).unwrap_err();
        assert!(matches!(error, Error::Key { .. }), "{error:?}");
    }

    // A key without an end is no row that others begin with.
    let store = memory();
    let table = over(store.clone());
    table.mutate(b"rA", &Mutation::new().put("b:q", "1")).unwrap();
    store.write(Batch::new().put(b"r", "foreign")).unwrap();
    for columns in [Columns::all(), Columns::of("b:q")] {
        let error = table.scan(&Scan::all(), &columns).next_batch(&mut RowBatch::new()).unwrap_err();
        assert!(matches!(error, Error::Key { .. }), "{error:?}");
    }
    assert!(matches!(table.purge().run().unwrap_err(), Error::Key { .. }));
}

#[test]
fn splits_of_rows_in_pieces_are_splits_of_rows() {
    let table = over(memory());
    for row in 0..4u8 {
        let mutation = (0..20).fold(Mutation::new(), |m, n| m.put(("a", [n]), "v"));
        table.mutate(&[b'r', row], &mutation).unwrap();
    }
    for weight in [Weight::Rows, Weight::Bytes] {
        for regions in 1..6 {
            let of = |columns: Columns| Splits::from_rows(regions, table.scan(&Scan::all(), &columns), weight);
            let (pieces, whole) = (of(Columns::all().piece(3)), of(Columns::all()));
            assert_eq!(pieces.map_err(|error| error.to_string()), whole.map_err(|error| error.to_string()));
        }
    }
}

/// A store whose batches are written entry by entry, and that fails after so many of them.
fn tearing(store: &Arc<dyn Store>, left: usize) -> Arc<dyn Store> {
    let promised = store.guarantees().batch(Atomicity::Row).transactions(false);
    let dies = Cued::over(Arc::clone(store), Deaths::after(left as i64));
    Arc::new(Restrict::store(Arc::new(dies), promised))
}

/// An entry of a row, or almost one, or nothing like it.
fn torn_entry(random: &mut Random) -> Vec<u8> {
    let row = random.bytes(1);
    let family = random.one_of(&["a", "ab", "t", "b", "other", ""]);
    let at = random.at();
    let entry = if random.chance(4) {
        Entry::FamilyDeleted { until: at }
    } else {
        let kind = random.one_of(&[Kind::Value, Kind::Value, Kind::Value, Kind::VersionDeleted, Kind::ColumnDeleted]);
        Entry::Column { qualifier: random.bytes(0).into(), version: Version { at, kind } }
    };
    let mut key = CellKey { row: row.into(), place: Place { family, entry } }.encode();
    match random.below(12) {
        0 => key.truncate(1 + random.below(key.len() as u64) as usize),
        1 => key.extend(random.bytes(1)),
        2 => {
            let at = random.below(key.len() as u64) as usize;
            key[at] = random.one_of(&[0, 1, 2, 3, 4, b'a', 0xff]);
        }
        3 if random.chance(4) => key = random.bytes(1),
        4 if random.chance(4) => {
            key = [random.bytes(1), vec![0], (0..9).map(|_| random.one_of(&[0, 1, 2, 3])).collect()].concat()
        }
        _ => {}
    }
    key
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(8, 48)) })]

    #[test]
    fn a_purge_that_fails_anywhere_changes_no_read(seed: u64) {
        let random = &mut Random(seed);
        let (model, mutations) = written(random, 60);
        let store = memory();
        over(Arc::clone(&store)).mutate_many(&mutations).unwrap();
        let mut failures = 0;
        loop {
            // It starts from the beginning each time, as a purge without a checkpoint does.
            let left = random.below(6) as usize + failures / 10;
            let purged = over(tearing(&store, left)).purge().run();
            let (scan, columns) = (Scan::all(), columns(random, false));
            let found = rows_of(&over(Arc::clone(&store)), &scan, &columns);
            prop_assert_eq!(found, model.scan(&scan, &columns, NOW), "{:?}", columns);
            match purged {
                Ok(report) => {
                    prop_assert!(report.is_done());
                    break;
                }
                Err(Error::Engine(_)) => failures += 1,
                Err(other) => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn a_mutation_that_is_torn_shows_nothing_that_was_deleted(seed: u64) {
        let random = &mut Random(seed);
        let (now, whole) = (random.one_of(&[0, 1, 1000]), memory());
        let open = |store: Arc<dyn Store>, now: i64| Cells::over(store, two_families()).unwrap().with_clock(move || now);
        let (table, ahead) = (open(Arc::clone(&whole), now), open(Arc::clone(&whole), now + 500));
        for _ in 0..10 {
            let table = if random.chance(2) { &table } else { &ahead };
            table.mutate(b"r", &some_edit(random, Mutation::new(), now, true)).unwrap();
        }
        let first = Mutation::new().put("many:", "v");
        let mutation = (0..1 + random.below(3)).fold(first, |m, _| some_edit(random, m, now, false));
        let (before, stored) = (table.get(b"r", &every()).unwrap(), entries(&*whole));
        table.mutate(b"r", &mutation).unwrap();
        let after = table.get(b"r", &every()).unwrap();
        for left in 0.. {
            let store = memory();
            store.write(&stored.iter().map(|(key, value)| Write::Put(key, value)).collect()).unwrap();
            let done = open(tearing(&store, left), now).mutate(b"r", &mutation).is_ok();
            let found = open(store, now).get(b"r", &every()).unwrap();
            let known = |found| before.cells().chain(after.cells()).any(|cell| cell == found);
            prop_assert!(found.cells().all(known), "{:?} after {} writes of {:?}", found, left, mutation);
            if done {
                prop_assert_eq!(&found, &after);
                break;
            }
        }
    }

    #[test]
    fn whatever_lies_beneath_nothing_panics_and_all_ends(seed: u64) {
        let random = &mut Random(seed);
        let store = memory();
        let mut batch = Batch::new();
        for _ in 0..random.one_of(&[3, 30, 300]) {
            batch.put(torn_entry(random), random.bytes(0));
        }
        store.write(&batch).unwrap();
        let table = over(store);
        for _ in 0..6 {
            let (scan, columns, row) = (scan_of(random), columns(random, true), random.bytes(1));
            let (mut rows, mut batch, mut most) = (table.scan(&scan, &columns), RowBatch::new(), 0);
            loop {
                most += 1;
                prop_assert!(most < 10_000);
                // After an error there is nothing.
                let failed = rows.next_batch(&mut batch).is_err();
                if failed || batch.is_empty() {
                    rows.next_batch(&mut batch).unwrap();
                    prop_assert!(batch.is_empty());
                    break;
                }
                for (_, cells) in batch.iter() {
                    prop_assert!(!Row::decode_value(cells).unwrap().is_empty());
                }
            }
            let _ = table.get(&row, &columns);
            let _ = table.get_many(&[&row, b"\0"], &columns);
            let _ = table.exists(&row);
            let _ = table.first_at_or_after(&row, &columns);
            let column = column(random, true);
            let _ = table.increment(&row, &[(column.clone(), i64::MAX), (column.clone(), 2)]);
            let _ = table.check_and_mutate(&row, &Condition::absent(&column), &Mutation::new().delete_latest(&column).put(&column, "x"));
            let _ = table.mutate(&row, &Mutation::new().delete_latest(&column).delete_row().put(&column, "x"));
        }
        let mut progress = 0;
        let _ = table.purge().run_watched(|_| {
            progress += 1;
            if progress > 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let _ = table.purge().resume(Checkpoint::after_row(&random.bytes(0))).run();
    }

    #[test]
    fn no_bytes_and_no_text_panic(
        bytes in proptest::collection::vec(prop_oneof![4 => 0..4u8, 1 => any::<u8>()], 0..60),
        text in "(family [ab]: (max versions|min versions|ttl) ?[0-9]{0,40}( ms)?(, (ttl|min versions) [0-9]{1,5}( ms)?)?\n?|row key: [^\n]{0,9}\n|.{0,20}){0,4}",
        cursor in "[0-9a-f.]{0,60}",
    ) {
        let row = Row::from_cells(bytes.clone());
        let cells: Vec<_> = row.cells().map(|cell| (cell.column(), cell.timestamp)).collect();
        prop_assert!(cells.len() <= bytes.len() / 17);
        if let Ok(decoded) = Row::decode_value(&bytes) {
            prop_assert_eq!(decoded.as_bytes(), &bytes);
        }
        let _ = (format!("{row:?}"), row.to_map(), row.value("a:q"), row.qualifiers::<u32>("a").count());
        let _ = row.read_struct::<BTreeMap<String, serde_json::Value>>("a");
        if let Ok(schema) = text.parse::<TableSchema>() {
            if schema.check().is_ok() {
                prop_assert_eq!(schema.to_string().parse(), Ok(schema.clone()));
            }
            let _ = (schema.changes_to(&super::laws::schema()), super::laws::schema().changes_to(&schema));
        }
        let _ = (cursor.parse::<Cursor>(), cursor.parse::<Checkpoint>());
        // Kept in a catalog.
        let db = Memory::new();
        Cells::open(&db, "t", &super::laws::schema()).unwrap();
        db.table("rowkey.layouts").unwrap().write(Batch::new().put("wt", text.clone())).unwrap();
        let wide = CellsDatabase::new(db);
        let opened = wide.table("t", &super::laws::schema());
        prop_assert!(opened.is_err());
        let _ = (wide.schema("t"), wide.alter("t", &super::laws::schema()), wide.tables());
        wide.drop_table("t").unwrap();
    }
}

/// Clocks that stand still, step back, and jump.
fn clocks() -> Vec<Arc<dyn Clock>> {
    let ticks = || {
        let ticks = AtomicUsize::new(0);
        move || ticks.fetch_add(1, Ordering::Relaxed) as i64
    };
    let (back, jumps) = (ticks(), ticks());
    vec![
        Arc::new(|| 5000),
        Arc::new(|| -5),
        Arc::new(|| i64::MIN),
        Arc::new(move || 100_000 - back()),
        Arc::new(move || [5000, 9000, -1, 7000, 5000][jumps() as usize % 5]),
    ]
}

#[test]
fn what_is_put_behind_a_delete_is_there_whatever_the_clock_and_counters_lose_nothing() {
    const THREADS: i64 = 3;
    const ROUNDS: i64 = 60;
    let families = [("one", 1), ("many", 3)];
    let schema = families.iter().fold(TableSchema::new(), |schema, (name, versions)| {
        schema.family(*name, FamilySchema::new().max_versions(*versions))
    });
    for (number, clock) in clocks().into_iter().enumerate() {
        let table = Cells::over(memory(), schema.clone()).unwrap().with_clock(clock);
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (table, done) = (table.clone(), &done);
                scope.spawn(move || {
                    let random = &mut Random(thread as u64);
                    for round in 0..ROUNDS {
                        let (family, _) = families[random.below(2) as usize];
                        let own = Column::from((family, [thread as u8]));
                        let value = round.to_be_bytes();
                        let there = |what: &str| {
                            let found = table.get(b"r", &Columns::of(&own)).unwrap();
                            assert_eq!(found.value(&own), Some(&value[..]), "{what}, clock {number}");
                        };
                        let deleted = |what: &str| {
                            let found = table.get(b"r", &Columns::of(&own)).unwrap();
                            assert_eq!(found.value(&own), None, "{what}, clock {number}");
                        };
                        let put = || table.mutate(b"r", &Mutation::new().put(&own, value)).unwrap();
                        match random.below(6) {
                            0 => {
                                table.mutate(b"r", &Mutation::new().delete_column(&own)).unwrap();
                                deleted("a column");
                                put();
                                there("behind a column's delete");
                            }
                            1 => {
                                let both = Mutation::new().put(&own, "x").delete_column(&own).put(&own, value);
                                table.mutate(b"r", &both).unwrap();
                                there("in one mutation");
                            }
                            2 => {
                                put();
                                table.mutate(b"r", &Mutation::new().delete_latest(&own)).unwrap();
                                put();
                                there("behind a version's delete");
                            }
                            3 => {
                                let check = Condition::absent("one:never");
                                assert!(
                                    table.check_and_mutate(b"r", &check, &Mutation::new().delete_column(&own)).unwrap()
                                );
                                deleted("a column under a condition");
                                assert!(
                                    table.check_and_mutate(b"r", &check, &Mutation::new().put(&own, value)).unwrap()
                                );
                                there("under a condition");
                            }
                            4 => {
                                let before = (b"r".to_vec(), Mutation::new().delete_column(&own));
                                let after = (b"r".to_vec(), Mutation::new().put(&own, value));
                                table.mutate_many(&[before, after]).unwrap();
                                there("behind it in a batch");
                            }
                            _ => {
                                put();
                                there("just put");
                            }
                        }
                        let counters = [
                            (Column::from("one:count"), 1),
                            (Column::from("many:count"), 2),
                            (Column::from("many:count"), 1),
                        ];
                        table.increment(b"r", &counters).unwrap();
                        // A counter by compare and set.
                        let swap = Column::from("many:swap");
                        loop {
                            let found = table.get(b"r", &Columns::of(&swap)).unwrap().read::<i64>(&swap).unwrap();
                            let check = match found {
                                None => Condition::absent(&swap),
                                Some(found) => Condition::equal(&swap, found.to_be_bytes()),
                            };
                            let next = Mutation::new().put(&swap, (found.unwrap_or(0) + 1).to_be_bytes());
                            if table.check_and_mutate(b"r", &check, &next).unwrap() {
                                break;
                            }
                        }
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }
            let (table, done) = (table.clone(), &done);
            scope.spawn(move || {
                while done.load(Ordering::Relaxed) < THREADS as usize {
                    table.purge().run().unwrap();
                    std::thread::yield_now();
                }
            });
        });
        let row = table.get(b"r", &Columns::all()).unwrap();
        let all = THREADS * ROUNDS;
        let counters = ["one:count", "many:count", "many:swap"].map(|name| row.read::<i64>(name).unwrap());
        assert_eq!(counters, [Some(all), Some(3 * all), Some(all)], "clock {number}");
    }
}

#[test]
fn times_at_the_ends_of_their_range() {
    for clock in [i64::MIN, -1, 0, i64::MAX - 1, i64::MAX] {
        for ttl in [
            Duration::from_millis(1),
            Duration::from_millis(i64::MAX as u64),
            Duration::from_millis(u64::MAX),
            Duration::MAX,
        ] {
            let family = FamilySchema::new().max_versions(u32::MAX).min_versions(1).ttl(ttl);
            let schema = TableSchema::new().family("a", family);
            let table = Cells::over(memory(), schema).unwrap().with_clock(move || clock);
            table.mutate(b"r", &Mutation::new().put_at("a:q", i64::MAX, "last").put_at("a:q", 0, "first")).unwrap();
            table.mutate(b"r", &Mutation::new().put("a:now", "1").delete_column("a:now").put("a:now", "2")).unwrap();
            table.increment(b"r", &[(Column::from("a:n"), i64::MAX), (Column::from("a:n"), 1)]).unwrap();
            assert_eq!(table.increment(b"r", &[(Column::from("a:n"), 0)]).unwrap(), [i64::MIN]);
            let mut columns = Columns::all().versions(u32::MAX).offset(u64::MAX).limit(u64::MAX);
            assert!(table.get(b"r", &columns).unwrap().is_empty());
            columns.offset = 0;
            let before = table.get(b"r", &columns).unwrap();
            assert_eq!(before.value("a:q"), Some(&b"last"[..]));
            assert_eq!(before.value("a:now"), Some(&b"2"[..]));
            let time = table.get(b"r", &columns.clone().time(i64::MIN..i64::MAX)).unwrap();
            assert_eq!(time.versions("a:q").count(), usize::from(before.versions("a:q").count() != 0));
            table.purge().run().unwrap();
            assert_eq!(table.get(b"r", &columns).unwrap(), before, "{clock} {ttl:?}");
            table
                .check_and_mutate(
                    b"r",
                    &Condition::equal("a:q", "last"),
                    &Mutation::new().delete_column("a:q").put("a:q", "x"),
                )
                .unwrap();
        }
    }
}

#[test]
fn a_purge_drops_nothing_that_was_written_again_behind_it() {
    let table = over(memory());
    let versions = (0..1200).fold(Mutation::new(), |mutation, at| mutation.put_at("ab:q", at, "v"));
    table.mutate(b"a", &versions).unwrap();
    table.mutate(b"z", &Mutation::new().delete_column_until("a:x", 5)).unwrap();
    let other = table.clone();
    let again = Mutation::new().put_at("a:x", 4, "old").delete_column_until("a:x", 5).put_at("a:y", 4, "new");
    let mut told = 0;
    table
        .purge()
        .run_watched(|progress| {
            told += 1;
            if !progress.report.is_done() {
                other.mutate(b"z", &again).unwrap();
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(told, 2);
    let row = table.get(b"z", &Columns::all()).unwrap();
    assert_eq!((row.value("a:x"), row.value("a:y")), (None, Some(&b"new"[..])));
}
