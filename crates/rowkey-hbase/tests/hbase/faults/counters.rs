//! Counters that the tasks of all processes add to: of wide rows, which the servers count, and of a plain table, which
//! are compared and written.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use rowkey::nonblocking::{AsyncTable, AsyncWideTable};
use rowkey::wide::{Columns, FamilySchema, OneColumn, TableSchema};
use rowkey_hbase::HBase;
use rowkey_testkit::Random;

use super::load::{Load, Outcome, in_time};

/// Of each counter the increments that were acknowledged, and those of unknown outcome.
pub(super) type Counted = BTreeMap<String, [u64; 2]>;

const COUNTERS: u64 = 4;
const TASKS: u64 = 2;

fn family() -> TableSchema {
    TableSchema::new().family("n", FamilySchema::new())
}

pub(super) struct Counters {
    wide: AsyncWideTable<u64, HBase>,
    plain: AsyncTable<u64, i64, rowkey::wide::OneColumnDatabase<HBase>>,
}

impl Counters {
    pub(super) async fn open(database: &HBase) -> Self {
        let plain = OneColumn::database(database.clone());
        Self {
            wide: AsyncWideTable::open(database.clone(), "counters", &family()).await.unwrap(),
            plain: AsyncTable::open(plain, "counters.plain").await.unwrap(),
        }
    }
}

/// Counts until the load is over.
pub(super) async fn count(load: &Load, counters: &Counters) -> Counted {
    let Counters { wide, plain } = counters;
    let (wide, plain) = (wide.with_options(&in_time()), plain.with_options(&in_time()));
    let task = async |task: u64| {
        let (mut random, mut counted) = (Random(task), Counted::new());
        while !load.is_over() {
            let number = random.below(COUNTERS);
            let (name, result) = match random.chance(3) {
                true => (format!("plain-{number}"), load.within("an increment", plain.increment(&number, 1)).await),
                false => {
                    (format!("wide-{number}"), load.within("an increment", wide.increment(&number, "n:n", 1)).await)
                }
            };
            let outcome = load.wrote("increments", result.err().as_ref());
            let [sure, unknown] = counted.entry(name).or_default();
            *sure += u64::from(outcome == Outcome::Written);
            *unknown += u64::from(outcome == Outcome::Unknown);
        }
        counted
    };
    sum(join_all((0..TASKS).map(task)).await)
}

fn sum(all: impl IntoIterator<Item = Counted>) -> Counted {
    let mut sums = Counted::new();
    for (name, [sure, unknown]) in all.into_iter().flatten() {
        let [all_sure, all_unknown] = sums.entry(name).or_default();
        (*all_sure, *all_unknown) = (*all_sure + sure, *all_unknown + unknown);
    }
    sums
}

/// As a line for another process.
pub(super) fn line(counted: &Counted) -> String {
    counted.iter().map(|(name, [sure, unknown])| format!("{name} {sure} {unknown} ")).collect()
}

fn of_line(line: &str) -> Counted {
    let words: Vec<_> = line.split_whitespace().collect();
    let counter = |words: &[&str]| (words[0].to_owned(), [1, 2].map(|at| words[at].parse().unwrap()));
    words.chunks(3).map(counter).collect()
}

/// Checks the counters: nothing acknowledged is lost, and nothing is counted twice.
pub(super) async fn check(counters: &Counters, lines: &[String]) {
    let Counters { wide, plain } = counters;
    for (name, [sure, unknown]) in sum(lines.iter().map(|line| of_line(line))) {
        let (kind, number) = name.split_once('-').unwrap();
        let number = number.parse().unwrap();
        let value = match kind {
            "wide" => wide.get(&number, &Columns::all()).await.unwrap().read::<i64>("n:n").unwrap(),
            _ => plain.get(&number).await.unwrap(),
        };
        let value = value.map_or(0, |value| u64::try_from(value).unwrap());
        assert!((sure..=sure + unknown).contains(&value), "{name} is {value}: {sure} sure, {unknown} unknown");
    }
}
