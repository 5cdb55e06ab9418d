//! A write without a timestamp is the latest there is: across handles, restarts and steps of the clock, at any rate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use rowkey::clock::{Clock, SystemClock};
use rowkey::store::{Database, Fjall, Store, SubStore};
use rowkey::wide::{Cells, CellsDatabase, Check, Column, Columns, FamilySchema, Mutation, TableSchema, WideStore};

use crate::conforming::modest_store::Modest;
use crate::model::{Random, cells_of, entries, go_on, memory};

const ROW: &[u8] = b"row";
const HOUR: i64 = 3_600_000;

fn schema() -> TableSchema {
    TableSchema::new()
        .family("one", FamilySchema::new())
        .family("many", FamilySchema::new().max_versions(u32::MAX))
        .family("ttl", FamilySchema::new().max_versions(3).ttl(Duration::from_secs(3600)))
}

fn every() -> Columns {
    Columns::all().versions(u32::MAX)
}

/// A clock that a test sets.
#[derive(Clone, Default)]
struct Hands(Arc<AtomicI64>);

impl Hands {
    fn at(now: i64) -> Self {
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
    ("no transactions", || Arc::new(Modest(memory()))),
];

/// A handle that knows of no other.
fn handle(store: &Arc<dyn Store>, clock: impl Clock + 'static) -> Cells {
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
fn a_row_of_50_000_columns_is_deleted_by_another_handle() {
    for (name, make) in STORES {
        let store = make();
        let (writer, other) = (handle(&store, SystemClock), handle(&store, SystemClock));
        for n in 0..50_000 {
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
        for n in 0..100_000 {
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
    let clocks: [(&str, Arc<dyn Clock>); 2] = [("the system's", Arc::new(SystemClock)), ("still", Arc::new(Hands::at(5)))];
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
                for round in 0..1000 {
                    if round % 50 == 0 {
                        // Markers have to be passed over.
                        one.purge(None, go_on).unwrap();
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


/// What a reader should find: the versions of each column, oldest first.
#[derive(Clone, Debug, Default)]
struct Last(BTreeMap<Column, Vec<(i64, i64)>>);

const FAMILIES: [&str; 3] = ["many", "one", "ttl"];

impl Last {
    fn visible(&self, column: &Column, now: i64) -> Vec<(i64, i64)> {
        let kept = schema().families[&column.family];
        let there = self.0.get(column).into_iter().flatten().rev().take(kept.max_versions as usize).copied();
        there.take_while(|(at, _)| kept.ttl.is_none() || now.saturating_sub(HOUR) < *at).collect()
    }

    fn read(&self, now: i64) -> Vec<(Column, i64, Vec<u8>)> {
        let of = |column: &Column| {
            let versions = self.visible(column, now).into_iter();
            versions.map(|(at, value)| (column.clone(), at, value.to_be_bytes().to_vec())).collect::<Vec<_>>()
        };
        self.0.keys().flat_map(of).collect()
    }

    fn put(&mut self, column: &Column, at: i64, value: i64) {
        let versions = self.0.entry(column.clone()).or_default();
        versions.retain(|(other, _)| *other < at);
        versions.push((at, value));
    }

    fn delete(&mut self, of: impl Fn(&Column) -> bool) {
        self.0.retain(|column, _| !of(column));
    }

    fn delete_latest(&mut self, column: &Column, now: i64) {
        let newest = self.visible(column, now).first().copied();
        if let (Some((at, _)), Some(versions)) = (newest, self.0.get_mut(column)) {
            versions.retain(|(other, _)| *other != at);
        }
    }

    /// A counter's value before is not kept where one version is.
    fn increment(&mut self, column: &Column, now: i64, stamp: i64, by: i64) -> i64 {
        let sum = self.visible(column, now).first().map_or(0, |(_, value)| *value) + by;
        if column.family == "one" {
            self.delete_latest(column, now);
        }
        self.put(column, stamp, sum);
        sum
    }

    fn purge(&mut self, now: i64) {
        let kept = self.0.keys().map(|column| (column.clone(), self.visible(column, now).into_iter().rev().collect()));
        self.0 = kept.collect();
    }
}

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

/// One edit, without a timestamp, of the table and of what should be found in it.
fn edit(random: &mut Random, model: &mut Last, mutation: Mutation, hands: &Hands, transactions: bool) -> Mutation {
    let (column, value) = (some_column(random), random.below(100) as i64);
    match random.below(10) {
        0 => {
            model.delete(|other| *other == column);
            mutation.delete_column(column)
        }
        1 => {
            model.delete(|other| other.family == column.family);
            mutation.delete_family(column.family)
        }
        2 => {
            model.delete(|_| true);
            mutation.delete_row()
        }
        3 | 4 if transactions => {
            model.delete_latest(&column, hands.now());
            mutation.delete_latest(column)
        }
        _ => {
            model.put(&column, hands.stamp(), value);
            mutation.put(column, value.to_be_bytes())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn the_last_write_wins(seed: u64) {
        for (name, make) in STORES {
            let (random, store, hands, mut model) = (&mut Random(seed), make(), Hands::at(1_000_000_000), Last::default());
            let transactions = store.guarantees().transactions;
            let mut handles = [(); 3].map(|()| handle(&store, hands.clone()));
            for _ in 0..40 {
                hands.set(step_of(random, hands.now()));
                let at = random.below(3) as usize;
                let table = &handles[at];
                let some = |random: &mut Random, model: &mut Last| {
                    (0..1 + random.below(3)).fold(Mutation::new(), |m, _| edit(random, model, m, &hands, transactions))
                };
                match random.below(8) {
                    0 if transactions => {
                        let counters = [(); 2].map(|()| (some_column(random), random.below(9) as i64));
                        let sums = table.increment(ROW, &counters).unwrap();
                        let (now, stamp) = (hands.now(), hands.stamp());
                        let should_be = counters.iter().map(|(column, by)| model.increment(column, now, stamp, *by));
                        prop_assert_eq!(sums, should_be.collect::<Vec<_>>());
                    }
                    1 if transactions => {
                        let column = some_column(random);
                        let newest = model.visible(&column, hands.now()).first().map(|(_, value)| value.to_be_bytes());
                        let check = newest.map_or(Check::absent(&column), |value| Check::equal(&column, value));
                        let mutation = some(random, &mut model);
                        prop_assert!(table.check_and_mutate(ROW, &check, &mutation).unwrap());
                    }
                    2 => {
                        let several = [(); 3].map(|()| (ROW.to_vec(), some(random, &mut model)));
                        table.mutate_many(&several).unwrap();
                    }
                    3 => handles[at] = handle(&store, hands.clone()),
                    4 if random.chance(3) => {
                        table.purge(None, go_on).unwrap();
                        model.purge(hands.now());
                    }
                    _ => {
                        let mutation = some(random, &mut model);
                        table.mutate(ROW, &mutation).unwrap();
                    }
                }
                if random.chance(3) {
                    hands.set(step_of(random, hands.now()));
                }
                let found = handles[random.below(3) as usize].get(ROW, &every()).unwrap();
                prop_assert_eq!(cells_of(found.as_bytes()), model.read(hands.now()), "{}, at {}", name, hands.now());
            }
        }
    }
}
