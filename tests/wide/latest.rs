//! A write without a timestamp is the latest there is: across handles, restarts and steps of the clock, at any rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use rowkey::clock::{Clock, SystemClock};
use rowkey::conformance::{ModelCell, WideModel};
use rowkey::store::{Database, Store, SubStore};
use rowkey::wide::{Cells, CellsDatabase, Column, Columns, Condition, FamilySchema, Mutation, TableSchema, WideStore};
use rowkey_fjall::Fjall;
use rowkey_testkit::{Random, Restrict, cases};

use crate::drawn::{cells_of, entries, memory};

pub(crate) const ROW: &[u8] = b"row";
pub(crate) const HOUR: i64 = 3_600_000;

fn schema() -> TableSchema {
    TableSchema::new()
        .family("one", FamilySchema::new())
        .family("many", FamilySchema::new().max_versions(u32::MAX))
        .family("ttl", FamilySchema::new().max_versions(3).ttl(Duration::from_secs(3600)))
}

pub(crate) fn every() -> Columns {
    Columns::all().versions(u32::MAX)
}

/// A clock that a test sets.
#[derive(Clone, Default)]
pub(crate) struct Hands(Arc<AtomicI64>);

impl Hands {
    pub(crate) fn at(now: i64) -> Self {
        Self(Arc::new(AtomicI64::new(now)))
    }

    fn set(&self, now: i64) {
        self.0.store(now, Ordering::Relaxed);
    }

    /// The timestamp of a write.
    fn stamp(&self) -> i64 {
        self.now().max(0)
    }
}

impl Clock for Hands {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

type Make = fn() -> Arc<dyn Store>;

/// Engines with transactions and without.
const STORES: [(&str, Make); 3] = [
    ("memory", memory),
    ("sub-store", || SubStore::new(memory()).table("t").unwrap()),
    ("no transactions", || Arc::new(Restrict::none(memory()))),
];

/// A handle that knows of no other.
pub(crate) fn handle(store: &Arc<dyn Store>, clock: impl Clock + 'static) -> Cells {
    Cells::over(Arc::clone(store), schema()).unwrap().with_clock(clock)
}

fn put(table: &Cells, column: &str, value: impl ToString) {
    table.mutate(ROW, &Mutation::new().put(column, value.to_string())).unwrap();
}

#[track_caller]
fn holds(table: &Cells, column: &str, value: impl ToString) {
    let row = table.get(ROW, &Columns::of(column)).unwrap();
    let found = row.value(column).map(|value| String::from_utf8_lossy(value).into_owned());
    assert_eq!(found, Some(value.to_string()), "{column}");
}

#[test]
fn a_row_of_many_columns_is_deleted_by_another_handle() {
    for (name, make) in STORES {
        let store = make();
        let (writer, other) = (handle(&store, SystemClock), handle(&store, SystemClock));
        for n in 0..if name == "memory" { cases(4000, 50_000) } else { cases(1000, 5000) } {
            put(&writer, &format!("many:{n}"), n);
        }
        other.mutate(ROW, &Mutation::new().delete_row()).unwrap();
        assert_eq!(other.get(ROW, &every()).unwrap().cells().count(), 0, "{name}");
    }
}

#[test]
fn a_row_does_not_run_ahead_of_the_clock() {
    for (name, make) in STORES {
        let store = make();
        let writer = handle(&store, SystemClock);
        for n in 0..if name == "memory" { cases(6000, 100_000) } else { cases(1000, 10_000) } {
            put(&writer, "many:q", n);
        }
        let counters: Vec<_> = (0..1000).map(|n| (Column::from(format!("many:n{n}")), 1)).collect();
        if store.guarantees().transactions {
            writer.increment(ROW, &counters).unwrap();
        }
        let now = SystemClock.now();
        let row = writer.get(ROW, &every()).unwrap();
        let newest = row.cells().map(|cell| cell.timestamp).max().unwrap();
        assert!(newest <= now, "{name}: {} ms ahead", newest - now);
        let other = handle(&store, SystemClock);
        put(&other, "many:q", "new");
        holds(&other, "many:q", "new");
        holds(&writer, "many:q", "new");
    }
}

fn deletes() -> Vec<Mutation> {
    vec![
        Mutation::new().delete_column("many:q"),
        Mutation::new().delete_family("many"),
        Mutation::new().delete_row(),
        Mutation::new().delete_latest("many:q"),
    ]
}

#[test]
fn what_one_handle_puts_after_the_other_deleted_is_there() {
    let clocks: [(&str, Arc<dyn Clock>); 2] =
        [("the system's", Arc::new(SystemClock)), ("still", Arc::new(Hands::at(5)))];
    for (name, make) in STORES {
        for (clock_name, clock) in &clocks {
            let store = make();
            let (one, other) = (handle(&store, Arc::clone(clock)), handle(&store, Arc::clone(clock)));
            for delete in deletes() {
                let latest = delete == Mutation::new().delete_latest("many:q");
                if latest && !store.guarantees().transactions {
                    continue;
                }
                one.mutate(ROW, &Mutation::new().delete_row()).unwrap();
                for round in 0..cases(60, 1000) {
                    if round % 50 == 0 {
                        // Markers have to be passed over.
                        one.purge().run().unwrap();
                    }
                    put(&other, "many:q", round);
                    holds(&one, "many:q", round);
                    let before = one.get(ROW, &Columns::of("many:q").versions(u32::MAX)).unwrap();
                    one.mutate(ROW, &delete).unwrap();
                    let after = other.get(ROW, &Columns::of("many:q").versions(u32::MAX)).unwrap();
                    let left = if latest { before.cells().count() - 1 } else { 0 };
                    assert_eq!(after.cells().count(), left, "{name}, {clock_name}, {delete:?}, {round}");
                }
            }
        }
    }
}

const FAMILIES: [&str; 3] = ["many", "one", "ttl"];

fn step_of(random: &mut Random, now: i64) -> i64 {
    match random.below(12) {
        0..4 => now,
        4 | 5 => now.saturating_add(1),
        6 => now.saturating_sub(1),
        7 => now.saturating_add(HOUR),
        8 => now.saturating_sub(HOUR),
        9 => now.saturating_sub(10),
        10 => random.one_of(&[-7, 0, 1, 1_000_000_000]),
        _ => random.one_of(&[i64::MIN, i64::MAX, i64::MAX - 1, 1_000_000_000]),
    }
}

fn some_column(random: &mut Random) -> Column {
    Column::from((random.one_of(&FAMILIES), random.one_of(&[&b""[..], b"q", b"q\0"])))
}

/// One edit, without a timestamp.
fn edit(random: &mut Random, mutation: Mutation, transactions: bool) -> Mutation {
    let (column, value) = (some_column(random), random.below(100) as i64);
    match random.below(10) {
        0 => mutation.delete_column(column),
        1 => mutation.delete_family(column.family),
        2 => mutation.delete_row(),
        3 | 4 if transactions => mutation.delete_latest(column),
        _ => mutation.put(column, value.to_be_bytes()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(16, 150)) })]

    #[test]
    fn the_last_write_wins(seed: u64) {
        for (name, make) in STORES {
            let (random, store, hands) = (&mut Random(seed), make(), Hands::at(1_000_000_000));
            let transactions = store.guarantees().transactions;
            let mut handles = [(); 3].map(|()| handle(&store, hands.clone()));
            let mut model = WideModel::new(&schema(), &handles[0].guarantees());
            for _ in 0..40 {
                hands.set(step_of(random, hands.now()));
                let at = random.below(3) as usize;
                let table = &handles[at];
                let some = |random: &mut Random| {
                    (0..1 + random.below(3)).fold(Mutation::new(), |m, _| edit(random, m, transactions))
                };
                match random.below(8) {
                    0 if transactions => {
                        let counters = [(); 2].map(|()| (some_column(random), random.one_of(&[0, 1, 8, -3, i64::MAX])));
                        let sums = table.increment(ROW, &counters).unwrap();
                        prop_assert_eq!(Some(sums), model.increment(ROW, &counters, hands.now()));
                    }
                    1 if transactions => {
                        let column = some_column(random);
                        let newest = model.get(ROW, &Columns::of(&column), hands.now()).pop();
                        let check =
                            newest.map_or(Condition::absent(&column), |(.., value)| Condition::equal(&column, value));
                        let mutation = some(random);
                        // Of the same column as it is, or of any column as absent.
                        let (check, holds) = match random.chance(3) {
                            true => (Condition::absent(some_column(random)), None),
                            false => (check, Some(true)),
                        };
                        let held = table.check_and_mutate(ROW, &check, &mutation).unwrap();
                        prop_assert_eq!(held, model.check_and_mutate(ROW, &check, &mutation, hands.now()));
                        prop_assert!(holds.is_none_or(|holds| holds == held));
                    }
                    2 => {
                        let several = [(); 3].map(|()| (ROW.to_vec(), some(random)));
                        table.mutate_many(&several).unwrap();
                        several.iter().for_each(|(row, mutation)| model.mutate(row, mutation, hands.now()));
                    }
                    3 => handles[at] = handle(&store, hands.clone()),
                    4 if random.chance(3) => {
                        table.purge().run().unwrap();
                        model.purge(hands.now());
                    }
                    _ => {
                        let mutation = some(random);
                        table.mutate(ROW, &mutation).unwrap();
                        model.mutate(ROW, &mutation, hands.now());
                    }
                }
                if random.chance(3) {
                    hands.set(step_of(random, hands.now()));
                }
                let found = handles[random.below(3) as usize].get(ROW, &every()).unwrap();
                let should_be = model.get(ROW, &every(), hands.now());
                prop_assert_eq!(cells_of(found.as_bytes()), should_be, "{}, at {}", name, hands.now());
            }
        }
    }
}

fn read(table: &Cells) -> Vec<ModelCell> {
    cells_of(table.get(ROW, &every()).unwrap().as_bytes())
}

pub(crate) fn some_edit(random: &mut Random, mutation: Mutation, now: i64, latest: bool) -> Mutation {
    let (column, value) =
        (Column::from((random.one_of(&["many", "more"]), random.one_of(&["", "q"]))), random.below(100) as i64);
    let given = now.saturating_add(random.one_of(&[-now, -1, 0, 1, 5, HOUR, i64::MAX])).max(0);
    match random.below(14) {
        0 => mutation.delete_column(column),
        1 => mutation.delete_family(column.family),
        2 => mutation.delete_row(),
        3 if latest => mutation.delete_latest(column),
        4 => mutation.delete_column_until(column, given),
        5 => mutation.delete_family_until(column.family, given),
        6 => mutation.delete_version(column, given),
        7 if random.chance(3) => mutation.delete_row_until(given),
        7..10 => mutation.put_at(column, given, value.to_be_bytes()),
        _ => mutation.put(column, value.to_be_bytes()),
    }
}

pub(crate) fn two_families() -> TableSchema {
    let all = FamilySchema::new().max_versions(u32::MAX);
    TableSchema::new().family("many", all).family("more", all)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(16, 200)) })]

    /// Each edit does what it says to what is read, and to nothing else, whatever was given and wherever the clock
    /// stands.
    #[test]
    fn each_write_takes_effect_beside_given_timestamps(seed: u64) {
        for (name, make) in STORES {
            let (random, store, hands) = (&mut Random(seed), make(), Hands::at(1_000_000_000));
            let latest = store.guarantees().transactions;
            let handles = [(); 2].map(|()| {
                Cells::over(Arc::clone(&store), two_families()).unwrap().with_clock(hands.clone())
            });
            let mut model = WideModel::new(&two_families(), &handles[0].guarantees());
            for _ in 0..30 {
                hands.set(step_of(random, hands.now()));
                let table = &handles[random.below(2) as usize];
                let before = read(table);
                let mutation = some_edit(random, Mutation::new(), hands.stamp(), latest);
                table.mutate(ROW, &mutation).unwrap();
                model.mutate(ROW, &mutation, hands.now());
                let found = read(&handles[random.below(2) as usize]);
                let should_be = model.get(ROW, &every(), hands.now());
                prop_assert_eq!(found, should_be, "{}: {:?} at {}\n{:?}", name, mutation, hands.stamp(), before);
            }
        }
    }

    /// In one mutation, in several of one batch, and one by one: the same entries.
    #[test]
    fn edits_take_effect_in_their_order(seed: u64) {
        for (name, make) in STORES {
            let (random, hands) = (&mut Random(seed), Hands::at(1_000_000_000));
            let stores = [(); 3].map(|()| make());
            let latest = stores[0].guarantees().transactions;
            let [one, many, each] = [0, 1, 2].map(|at: usize| {
                Cells::over(Arc::clone(&stores[at]), two_families()).unwrap().with_clock(hands.clone())
            });
            for _ in 0..4 {
                hands.set(step_of(random, hands.now()));
                let (mut all, mut edits) = (Mutation::new(), Vec::new());
                for _ in 0..12 {
                    let seed = random.below(u64::MAX);
                    all = some_edit(&mut Random(seed), all, hands.stamp(), latest);
                    edits.push(some_edit(&mut Random(seed), Mutation::new(), hands.stamp(), latest));
                }
                // Beside another row, so that a batch goes from row to row and back.
                let rows = [ROW, b"another"];
                let both = edits.iter().flat_map(|edit| rows.map(|row| (row.to_vec(), edit.clone())));
                let both: Vec<(Vec<u8>, Mutation)> = both.collect();
                both.iter().for_each(|(row, edit)| each.mutate(row, edit).unwrap());
                many.mutate_many(&both).unwrap();
                rows.iter().for_each(|row| one.mutate(row, &all).unwrap());
                let should_be = entries(&stores[2]);
                prop_assert_eq!(&entries(&stores[0]), &should_be, "{}: in one {:?}", name, edits);
                prop_assert_eq!(&entries(&stores[1]), &should_be, "{}: in a batch {:?}", name, edits);
                prop_assert_eq!(read(&one), read(&each), "{}: {:?}", name, edits);
            }
        }
    }
}

#[test]
fn time_to_live_counts_real_time() {
    let now = 1_000 * HOUR;
    for (_, make) in STORES {
        for left in ["cell", "column", "family"] {
            let (store, hands) = (make(), Hands::at(now + 100 * HOUR));
            let ahead = handle(&store, hands.clone());
            match left {
                "cell" => put(&ahead, "ttl:q", "left"),
                "column" => ahead.mutate(ROW, &Mutation::new().delete_column("ttl:q")).unwrap(),
                _ => ahead.mutate(ROW, &Mutation::new().delete_row()).unwrap(),
            }
            hands.set(now);
            let table = handle(&store, hands.clone());
            put(&table, "ttl:q", "new");
            for (after, there) in [(0, true), (HOUR - 1, true), (HOUR, false), (100 * HOUR, false)] {
                hands.set(now + after);
                let row = table.get(ROW, &Columns::of("ttl:q")).unwrap();
                assert_eq!(row.value("ttl:q").is_some(), there, "{left}, {after} ms later");
            }
        }
    }
}

#[test]
fn nothing_is_lost_where_an_engine_on_disk_is_opened_again() {
    let directory = tempfile::tempdir().unwrap();
    let hands = Hands::at(1_000 * HOUR);
    let open = || {
        let db = CellsDatabase::new(Fjall::open(directory.path()).unwrap()).with_clock(hands.clone());
        db.cells("t", &schema()).unwrap()
    };
    // More than one batch of a scan holds.
    let count = cases(1500, 5000) as usize;
    let columns = (0..count).fold(Mutation::new(), |mutation, n| mutation.put(format!("many:{n}"), "v"));
    let table = open();
    table.mutate(ROW, &columns).unwrap();
    for n in 0..cases(200, 500) {
        put(&table, "many:q", n);
    }
    drop(table);
    for step in [0, -HOUR, HOUR, -HOUR] {
        hands.set(hands.now() + step);
        let table = open();
        holds(&table, "many:q", cases(200, 500) - 1);
        put(&table, "many:q", "new");
        holds(&table, "many:q", "new");
        assert_eq!(table.increment(ROW, &[("one:n".into(), 2)]).unwrap(), [2]);
        drop(table);

        let table = open();
        assert_eq!(table.increment(ROW, &[("one:n".into(), 2)]).unwrap(), [4]);
        assert!(
            table.check_and_mutate(ROW, &Condition::equal("many:q", "new"), &Mutation::new().delete_row()).unwrap()
        );
        drop(table);

        let table = open();
        assert_eq!(read(&table), []);
        table.mutate(ROW, &columns).unwrap();
        put(&table, "many:q", cases(200, 500) - 1);
        assert_eq!(table.get(ROW, &Columns::all()).unwrap().cells().count(), count + 1);
    }
}
