//! Where `load` says that writes land, beside a simulation: rows are drawn by the statistics of a design, their keys
//! encoded by its layout, and the writes of a moment counted by what of the key comes before the time: a place.
//!
//! The simulation knows layouts and statistics alone, nothing of `Σ p²`.

mod reads;

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::{Capacity, WriteLoad};
use rowkey_design::{Design, File};

/// How many rows of one moment are drawn.
const ROWS: usize = 20_000;
/// How many times they are drawn, each time with other values.
const RUNS: u64 = 6;

/// A field that does not grow: how many values, and their exponent of Zipf.
#[derive(Clone, Debug)]
struct Field {
    distinct: u32,
    zipf: f64,
}

#[derive(Clone, Debug)]
struct Case {
    fields: Vec<Field>,
    /// Where the time is; none for a key without one.
    time: Option<usize>,
    /// The buckets of a salt, and which fields it is by: none are all, the time too.
    salt: Option<(u32, Vec<usize>)>,
    /// Whether it is a digest of one byte in place of a salt.
    digest: bool,
}

impl Case {
    fn name(&self, index: usize) -> String {
        if self.time == Some(index) { "at".to_owned() } else { format!("f{index}") }
    }

    fn text(&self) -> String {
        let count = self.fields.len();
        let ty = |index: usize| if self.time == Some(index) { "i64" } else { "u32" };
        let key: Vec<_> = (0..count).map(|i| format!("\"{}: {}\"", self.name(i), ty(i))).collect();
        let mut text = format!("format = 1\n[table.t]\nkey = [{}]\n", key.join(", "));
        if let Some((buckets, by)) = &self.salt {
            let names: Vec<_> = by.iter().map(|&i| format!("{:?}", self.name(i))).collect();
            let by = if by.is_empty() { String::new() } else { format!(", by = [{}]", names.join(", ")) };
            text += &match self.digest {
                true => format!("hashed = {{ bytes = 1{by} }}\n"),
                false => format!("salt = {{ buckets = {buckets}{by} }}\n"),
            };
        }
        if self.time.is_some() {
            text += "means.at = \"milliseconds\"\n";
        }
        for (i, Field { distinct, zipf }) in self.fields.iter().enumerate().filter(|(i, _)| self.time != Some(*i)) {
            text += &format!("stats.f{i} = {{ distinct = {distinct}, skew = \"zipf {zipf}\" }}\n");
        }
        let order = if self.time.is_some() { "time" } else { "random" };
        text + &format!("[[table.t.write]]\nname = \"w\"\nrate = \"1k/s\"\norder = \"{order}\"\n")
    }
}

/// The rank of a value: the k-th is drawn as often as `k^-s`, by the table of sums.
struct Ranks(Vec<f64>);

impl Ranks {
    fn new(field: &Field) -> Self {
        let mut sum = 0.0;
        Self(
            (1..=field.distinct)
                .map(|k| {
                    sum += f64::from(k).powf(-field.zipf);
                    sum
                })
                .collect(),
        )
    }

    fn draw(&self, uniform: f64) -> u32 {
        let total = self.0.last().copied().unwrap_or(1.0);
        self.0.partition_point(|&sum| sum < uniform * total) as u32
    }
}

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Places, as many as even ones would be, and the share of the greatest.
type Drawn = (f64, f64);

/// The shares of places: `1 / Σ p²` without the pairs of a row with itself, and the greatest.
fn shares(places: &HashMap<Vec<u8>, u32>) -> Drawn {
    let rows: f64 = places.values().map(|&count| f64::from(count)).sum();
    let pairs: f64 = places.values().map(|&count| f64::from(count) * (f64::from(count) - 1.0)).sum();
    let most = places.values().max().map_or(0.0, |&count| f64::from(count));
    (rows * (rows - 1.0) / pairs.max(1e-300), most / rows)
}

/// The writes of one moment: the places, and the salt buckets.
fn simulated(case: &Case, layout: &LayoutBuf, seed: u64) -> (Drawn, Drawn) {
    let (places, buckets) = drawn(case, layout, seed);
    (shares(&places), shares(&buckets))
}

/// The rows of one moment that land in each place, and in each salt bucket.
type Rows = HashMap<Vec<u8>, u32>;

fn drawn(case: &Case, layout: &LayoutBuf, seed: u64) -> (Rows, Rows) {
    let ranks: Vec<Ranks> = case.fields.iter().map(Ranks::new).collect();
    let mut numbers = Numbers(seed);
    // Which value is the frequent one differs from field to field: its number is scattered.
    let scatter = numbers.next() as u32 | 1;
    let (mut places, mut buckets) = (HashMap::new(), HashMap::new());
    let lead = usize::from(case.salt.is_some());
    let front = lead + 4 * case.time.unwrap_or(case.fields.len());
    for row in 0..ROWS {
        // A moment is short beside the values of all other fields: its milliseconds differ.
        let values = (0..case.fields.len()).map(|i| match case.time == Some(i) {
            true => Value::Signed(1_700_000_000_000 + row as i128),
            false => Value::Unsigned(u128::from(ranks[i].draw(numbers.uniform()).wrapping_mul(scatter))),
        });
        let key = layout.encode(&values.collect::<Vec<_>>()).expect("a key");
        *places.entry(key[..front].to_vec()).or_insert(0) += 1;
        *buckets.entry(key[..lead].to_vec()).or_insert(0) += 1;
    }
    (places, buckets)
}

fn cases() -> impl Strategy<Value = Case> {
    let field = (prop_oneof![1u32..6, 6u32..200, 200u32..3000], prop_oneof![Just(0.0), 0.2f64..1.3]);
    let field = field.prop_map(|(distinct, zipf)| Field { distinct, zipf: (zipf * 10.0f64).round() / 10.0 });
    (
        prop::collection::vec(field, 1..4),
        prop::option::weighted(0.8, 0usize..4),
        2u32..33,
        any::<u8>(),
        (any::<bool>(), prop::bool::weighted(0.3)),
    )
        .prop_map(|(mut fields, time, buckets, by, (salted, digest))| {
            let time = time.map(|at| at.min(fields.len()));
            if let Some(at) = time {
                fields.insert(at, Field { distinct: 1, zipf: 0.0 });
            }
            // A digest is over the first fields.
            let named = |i: &usize| if digest { *i < usize::from(by) % (fields.len() + 1) } else { by >> i & 1 == 1 };
            let by = (0..fields.len()).filter(named).collect();
            Case { fields, time, salt: salted.then_some((buckets, by)), digest }
        })
}

/// Hashes of few values are as uneven as they happen to be: `load` says what is to be expected, so several sets of
/// values are drawn, and their mean `Σ p²` is what it has to be. A quarter more or less is within what is drawn here.
const TOLERANCE: f64 = 0.25;

fn near(said: f64, drawn: f64) -> bool {
    (said / drawn).ln().abs() <= (1.0 + TOLERANCE).ln()
}

#[test]
fn places_and_buckets_are_those_of_rows_that_are_drawn() {
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (mut salted, mut skewed) = (0, 0);
    let mut wrong = Vec::new();
    for number in 0..48 {
        let case = cases().new_tree(&mut runner).expect("a case").current();
        let text = case.text();
        let file = File { name: "a".to_owned(), text: text.clone() };
        let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let table = &design.tables["t"];
        let load = WriteLoad::of(&table.table.write[0], &KeyFacts::of(table, None));
        let runs: Vec<_> = (0..RUNS).map(|run| simulated(&case, &table.layout, RUNS * number + run)).collect();
        // Mean of Σ p², not of its reciprocal: a set of values that share a bucket counts as it weighs.
        let mean = |of: &dyn Fn(&(Drawn, Drawn)) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
        let places = 1.0 / mean(&|run| 1.0 / run.0.0);
        let busiest = mean(&|run| run.0.1);
        let buckets = 1.0 / mean(&|run| 1.0 / run.1.0);
        let said = (load.places.expect("known"), load.busiest.expect("known"));
        // More places than rows are drawn cannot be told apart.
        let can_tell = places < ROWS as f64 / 20.0;
        if can_tell && !near(said.0, places) || !can_tell && said.0 < 0.5 * ROWS as f64 / 20.0 {
            wrong.push(format!("places {} drawn {places}\n{text}", said.0));
        }
        // The greatest share of hashed values is that of one value at least; which others share its bucket is chance.
        if can_tell && (said.1 > busiest * (1.0 + TOLERANCE) || busiest > said.1 * 2.0 + 30.0 / ROWS as f64) {
            wrong.push(format!("busiest {} drawn {busiest}\n{text}", said.1));
        }
        if case.salt.is_some() && !case.digest && !near(load.buckets.expect("salted"), buckets) {
            wrong.push(format!("buckets {:?} drawn {buckets}\n{text}", load.buckets));
        }
        salted += usize::from(case.salt.is_some());
        skewed += usize::from(said.0 > 1.5 && said.1 * said.0 > 1.5);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(salted > 10 && skewed > 5, "{salted} {skewed}");
}

/// The share of the writes that no server takes is that of rows that are drawn: what each place has above what one
/// server takes, added up.
#[test]
fn writes_that_are_refused_are_those_of_rows_that_are_drawn() {
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (mut refused, mut partly) = (0, 0);
    let mut wrong = Vec::new();
    for number in 0..48 {
        let case = cases().new_tree(&mut runner).expect("a case").current();
        let file = File { name: "a".to_owned(), text: case.text() };
        let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{}", case.text()));
        let runs: Vec<_> =
            (0..RUNS).map(|run| drawn(&case, &design.tables["t"].layout, RUNS * number + run).0).collect();
        // The rate is 1,000/s.
        for taken in [20u32, 100, 300] {
            let cluster = format!("\n[cluster.c]\nengine = \"hbase\"\nregion.writes = \"{taken}/s\"\n");
            let text = case.text() + &cluster;
            let file = File { name: "a".to_owned(), text: text.clone() };
            let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
            let table = &design.tables["t"];
            let load = WriteLoad::of(&table.table.write[0], &KeyFacts::of(table, None));
            let capacity = Capacity::of(table, design.clusters.get("c").map(|cluster| &cluster.value));
            let said = capacity.refused(&load, std::slice::from_ref(&load)) / 1000.0;
            let each = f64::from(taken) / 1000.0;
            let above = |places: &Rows| -> f64 {
                places.values().map(|&count| (f64::from(count) / ROWS as f64 - each).max(0.0)).sum()
            };
            let drawn = runs.iter().map(above).sum::<f64>() / RUNS as f64;
            // Places about as frequent as what is taken are on either side by chance.
            if (said - drawn).abs() > 0.05 + 0.1 * drawn {
                wrong.push(format!("refused {said} drawn {drawn}\n{text}"));
            }
            refused += usize::from(drawn > 0.0);
            partly += usize::from(drawn > 0.1 && drawn < 0.9);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 20 && partly > 10, "{refused} {partly}");
}
