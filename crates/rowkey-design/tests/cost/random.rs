//! Rows of random designs are written, and queries are run by their ranges.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::HEXLOWER;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRng};
use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::internal::cost::{OrderFit, QueryCost};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::profile::Profile;
use rowkey_design::{Design, File};

use crate::list;

const DAY: u64 = 86_400_000;
const NOW: u64 = 1_767_225_600_000;
const KEPT: u64 = 30 * DAY;

/// A field of a random design: its type, and how many values it has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Number(u64),
    Signed(u64),
    Text(u64),
    /// Any eight bytes.
    Bytes,
    /// Any millisecond of the last 30 days.
    Time,
    Instant,
}

impl Kind {
    fn shape(self) -> &'static str {
        match self {
            Self::Number(_) => "u32",
            Self::Signed(_) => "i64",
            Self::Text(_) => "text",
            Self::Bytes => "bytes[8]",
            Self::Time => "u64",
            Self::Instant => "instant",
        }
    }

    fn is_time(self) -> bool {
        matches!(self, Self::Time | Self::Instant)
    }

    /// The i-th value. Times and bytes have as many as there are.
    fn value(self, i: u64) -> Value {
        match self {
            Self::Number(_) => Value::Unsigned(i.into()),
            Self::Signed(count) => Value::Signed(i128::from(i) - i128::from(count / 2)),
            Self::Text(_) => Value::Text(format!("{i:03}")),
            Self::Bytes => Value::Bytes(i.to_be_bytes().to_vec()),
            Self::Time => Value::Unsigned((NOW - KEPT + i).into()),
            Self::Instant => {
                let at = NOW - KEPT + i;
                Value::Instant((at / 1000) as i64, (at % 1000) as u32 * 1_000_000)
            }
        }
    }

    fn random(self, rng: &mut TestRng) -> u64 {
        match self {
            Self::Number(count) | Self::Signed(count) | Self::Text(count) => rng.random_range(0..count),
            Self::Bytes => rng.random(),
            Self::Time | Self::Instant => rng.random_range(0..KEPT),
        }
    }
}

/// The condition of a query on a field.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    One,
    /// So many values, or milliseconds, up to one.
    Range(u64),
    Among(usize),
    StartsWith,
}

#[derive(Clone, Debug)]
struct Case {
    fields: Vec<(Kind, bool)>,
    asked: Vec<Option<Asked>>,
    lead: String,
    order: &'static str,
    limit: Option<u64>,
    offset: u64,
    seed: [u8; 32],
}

fn name(i: usize) -> String {
    format!("f{i}")
}

impl Case {
    fn toml(&self, declared: bool, rows: usize) -> String {
        let all = vec![declared; self.fields.len()];
        // Retention, by which the share of a range of time is known.
        let kept = format!("rows = {rows}\nfamily = {{ f = {{ ttl = \"30 days\", columns = [\"v\"] }} }}\n");
        self.table(&all, &kept) + &self.query("q", &self.asked)
    }

    /// The table, with statistics of these fields.
    fn table(&self, declared: &[bool], kept: &str) -> String {
        let fields = self.fields.iter().enumerate();
        let key =
            list(fields.clone().map(|(i, (kind, desc))| {
                format!("\"{}: {}{}\"", name(i), kind.shape(), if *desc { " desc" } else { "" })
            }));
        let mut text = format!("format = 1\n[table.t]\nkey = [{key}]\n{}\n{kept}[table.t.stats]\n", self.lead);
        for (i, (kind, _)) in fields.clone() {
            if let (Kind::Number(count) | Kind::Signed(count) | Kind::Text(count), true) = (kind, declared[i]) {
                text += &format!("{} = {{ distinct = {count} }}\n", name(i));
            }
        }
        text += "[table.t.means]\n";
        for (i, (kind, _)) in fields {
            match kind {
                Kind::Time => text += &format!("{} = \"milliseconds\"\n", name(i)),
                Kind::Bytes => text += &format!("{} = \"random\"\n", name(i)),
                _ => {}
            }
        }
        text
    }

    fn query(&self, named: &str, all: &[Option<Asked>]) -> String {
        let mut text = format!("[[table.t.query]]\nname = \"{named}\"\n");
        let asked = |wanted: fn(Asked) -> Option<String>| {
            let of = all.iter().enumerate();
            list(of.filter_map(|(i, asked)| Some(format!("{} = {}", name(i), asked.and_then(wanted)?))))
        };
        let fixed = all.iter().enumerate().filter(|(_, asked)| **asked == Some(Asked::One));
        text += &format!("fix = [{}]\n", list(fixed.map(|(i, _)| format!("\"{}\"", name(i)))));
        let times = |i: usize| self.fields[i].0.is_time();
        let ranges = all.iter().enumerate().filter_map(|(i, asked)| match asked {
            Some(Asked::Range(width)) if times(i) => Some(format!("{} = \"{} s\"", name(i), width / 1000)),
            Some(Asked::Range(width)) => Some(format!("{} = {width}", name(i))),
            _ => None,
        });
        text += &format!("range = {{ {} }}\n", list(ranges));
        text += &format!(
            "among = {{ {} }}\n",
            asked(|asked| match asked {
                Asked::Among(count) => Some(count.to_string()),
                _ => None,
            })
        );
        text +=
            &format!("starts_with = {{ {} }}\n", asked(|asked| (asked == Asked::StartsWith).then(|| "1".to_owned())));
        text += &format!("order = \"{}\"\n", self.order);
        if let Some(limit) = self.limit {
            text += &format!("limit = {limit}\noffset = {}\n", self.offset);
        }
        text
    }

    /// The values of one run: for each field as many as it asks for, the upper end of a range.
    fn choose(&self, rng: &mut TestRng) -> Vec<Vec<u64>> {
        let fields = self.fields.iter().zip(&self.asked);
        fields
            .map(|((kind, _), asked)| match asked {
                Some(Asked::Range(width)) => {
                    let end = match kind {
                        Kind::Number(count) | Kind::Signed(count) | Kind::Text(count) => *count,
                        _ => KEPT,
                    };
                    vec![rng.random_range(width - 1..end)]
                }
                Some(Asked::Among(count)) => {
                    let mut values = Vec::new();
                    while values.len() < *count {
                        let value = kind.random(rng);
                        if !values.contains(&value) {
                            values.push(value);
                        }
                    }
                    values
                }
                _ => vec![kind.random(rng)],
            })
            .collect()
    }

    /// Whether a row has what a run asks of this field.
    fn has(&self, field: usize, row: u64, chosen: &[u64]) -> bool {
        match self.asked[field] {
            None => true,
            Some(Asked::One) => row == chosen[0],
            Some(Asked::Among(_)) => chosen.contains(&row),
            Some(Asked::Range(width)) => row <= chosen[0] && row + width > chosen[0],
            Some(Asked::StartsWith) => row >> 56 == chosen[0] >> 56,
        }
    }
}

fn asked(kind: Kind) -> BoxedStrategy<Option<Asked>> {
    match kind {
        Kind::Number(count) | Kind::Signed(count) => prop_oneof![
            2 => Just(None),
            3 => Just(Some(Asked::One)),
            1 => (1..=count).prop_map(|width| Some(Asked::Range(width))),
            1 => (1..=count as usize).prop_map(|count| Some(Asked::Among(count))),
        ]
        .boxed(),
        Kind::Text(count) => prop_oneof![
            2 => Just(None),
            3 => Just(Some(Asked::One)),
            1 => (1..=count as usize).prop_map(|count| Some(Asked::Among(count))),
        ]
        .boxed(),
        Kind::Bytes => prop_oneof![Just(None), Just(Some(Asked::StartsWith))].boxed(),
        Kind::Time | Kind::Instant => {
            prop_oneof![Just(None), (1..=KEPT / DAY).prop_map(|days| Some(Asked::Range(days * DAY)))].boxed()
        }
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        (2u64..20).prop_map(Kind::Number),
        (2u64..20).prop_map(Kind::Signed),
        (2u64..20).prop_map(Kind::Text),
        Just(Kind::Bytes),
        Just(Kind::Time),
        Just(Kind::Instant),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let fields = prop::collection::vec((kind(), any::<bool>()), 2..4);
    let fields = fields.prop_map(|mut fields| {
        // So that keys are different.
        fields.push((Kind::Bytes, false));
        fields
    });
    fields.prop_flat_map(|fields| {
        let all: Vec<_> = fields.iter().map(|(kind, _)| asked(*kind)).collect();
        let count = fields.len();
        let lead = (0..4, 2u32..9, prop::sample::subsequence((0..count).collect::<Vec<_>>(), 1..=count)).prop_map(
            |(lead, buckets, by)| {
                // A digest is of the first fields.
                let first = list((0..by.len()).map(|i| format!("\"{}\"", name(i))));
                let by = list(by.into_iter().map(|i| format!("\"{}\"", name(i))));
                match lead {
                    0 => format!("salt = {{ buckets = {buckets}, by = [{by}] }}"),
                    1 => format!("hashed = {{ bytes = {buckets}, by = [{first}] }}"),
                    _ => String::new(),
                }
            },
        );
        let order = prop::sample::select(vec!["any", "newest", "oldest"]);
        let limit = prop::option::of(1u64..40);
        (Just(fields), all, lead, order, limit, 0u64..30, any::<[u8; 32]>()).prop_map(
            |(fields, asked, lead, order, limit, offset, seed)| Case {
                fields,
                asked,
                lead,
                order,
                limit,
                offset,
                seed,
            },
        )
    })
}

/// The values of a run as keys: one for each combination of those that its ranges are of.
fn keys(case: &Case, chosen: &[Vec<u64>], cost: &QueryCost<'_>) -> Vec<Vec<Value>> {
    let several = |field: usize| match case.asked[field] {
        Some(Asked::Among(several)) if (cost.leading..cost.used()).contains(&field) => several,
        _ => 1,
    };
    let key = |k: usize| -> Vec<Value> {
        let mut left = k;
        let values = case.fields.iter().zip(chosen).enumerate().map(|(field, ((kind, _), chosen))| {
            let digit = left % several(field);
            left /= several(field);
            kind.value(chosen[digit])
        });
        values.collect()
    };
    (0..(0..case.fields.len()).map(several).product()).map(key).collect()
}

/// A table of random rows: by key, the index of each field's value.
fn table(case: &Case, layout: &LayoutBuf, rows: usize, rng: &mut TestRng) -> BTreeMap<Vec<u8>, Vec<u64>> {
    let mut table = BTreeMap::new();
    while table.len() < rows {
        let row: Vec<u64> = case.fields.iter().map(|(kind, _)| kind.random(rng)).collect();
        let values: Vec<Value> = case.fields.iter().zip(&row).map(|((kind, _), &i)| kind.value(i)).collect();
        table.insert(layout.encode(&values).unwrap(), row);
    }
    table
}

#[derive(Debug, Default)]
struct Ran {
    selected: f64,
    matching: f64,
    read: f64,
    returned: f64,
    /// The mean of the squares of the rows in the ranges.
    squares: f64,
}

/// The mean of many runs; each run's ranges hold exactly the rows that have what they select by.
fn run(case: &Case, cost: &QueryCost<'_>, table: &BTreeMap<Vec<u8>, Vec<u64>>, rng: &mut TestRng) -> Ran {
    const RUNS: usize = 60;
    let (mut ran, each) = (Ran::default(), 1.0 / RUNS as f64);
    let used = cost.used();
    for _ in 0..RUNS {
        let chosen = case.choose(rng);
        let keys = keys(case, &chosen, cost);
        let ranges = cost.ranges_with(&keys).unwrap();
        assert!(ranges.iter().map(Vec::len).sum::<usize>() <= cost.range_count());
        let has =
            |row: &[u64], fields: std::ops::Range<usize>| fields.into_iter().all(|i| case.has(i, row[i], &chosen[i]));
        let all = table.values().filter(|row| has(row, 0..used)).count();
        let (mut selected, mut read, mut matching) = (0u64, 0u64, 0u64);
        let skipped = case.limit.map_or(0, |_| case.offset);
        let most = case.limit.filter(|_| cost.order != OrderFit::Sort).map(|limit| limit + skipped);
        // Several values that are to be merged are read as buckets are: each by itself, neighbours too.
        let lists: Vec<Vec<KeyRange>> = match cost.order {
            OrderFit::Merge { .. } => {
                keys.iter().flat_map(|key| cost.ranges_with(std::slice::from_ref(key)).unwrap()).collect()
            }
            _ => ranges,
        };
        for list in lists {
            let mut kept = 0;
            for range in list {
                let rows = table.range(range.start().to_vec()..);
                let rows = rows.take_while(|(key, _)| range.contains(key));
                for (_, row) in rows {
                    selected += 1;
                    let keeps = has(row, 0..row.len());
                    matching += u64::from(keeps);
                    if most.is_none_or(|most| kept < most) {
                        read += 1;
                        kept += u64::from(keeps);
                    }
                }
            }
        }
        assert_eq!(selected as usize, all, "the ranges hold other rows than those selected");
        ran.selected += selected as f64 * each;
        ran.squares += (selected * selected) as f64 * each;
        ran.matching += matching as f64 * each;
        ran.read += read as f64 * each;
        let left = matching.saturating_sub(skipped);
        ran.returned += case.limit.map_or(left, |limit| limit.min(left)) as f64 * each;
    }
    ran
}

fn near(found: f64, expected: f64, what: &str, case: &Case) {
    let error = (found - expected).abs();
    assert!(error <= 0.3 * expected.max(found) + 3.0, "{what}: {expected} of the cost, {found} of the table\n{case:?}");
}

proptest! {
    // Always the same cases: a mean of some runs is now and then further off.
    #![proptest_config(ProptestConfig {
        cases: 220,
        max_shrink_iters: 30,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_cost_is_what_a_table_does(case in case()) {
        const ROWS: usize = 3000;
        let text = case.toml(true, ROWS);
        let design = Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let of = &design.tables["t"];
        let keys = [KeyFacts::of(of, None)];
        let cost = QueryCost::of(&of.table.query[0], of, &keys, None, None);
        let mut rng = TestRng::from_seed(prop::test_runner::RngAlgorithm::ChaCha, &case.seed);
        if cost.hashed {
            prop_assert!(cost.full_scan && cost.rows_selected == Some(ROWS as f64));
            return Ok(());
        }
        let table = table(&case, &of.layout, ROWS, &mut rng);
        let ran = run(&case, &cost, &table, &mut rng);
        near(ran.selected, cost.rows_selected.unwrap(), "rows in its ranges", &case);
        near(ran.read, cost.rows_read.unwrap(), "rows read", &case);
        near(ran.returned, cost.rows_returned.unwrap(), "rows returned", &case);
    }

    #[test]
    fn a_sample_says_what_a_table_does(case in case()) {
        const ROWS: usize = 4000;
        let text = case.toml(false, ROWS);
        let design = Design::parse([File { name: "a".into(), text }]).unwrap();
        let of = &design.tables["t"];
        let mut rng = TestRng::from_seed(prop::test_runner::RngAlgorithm::ChaCha, &case.seed);
        let table = table(&case, &of.layout, ROWS, &mut rng);
        let mut profile = Profile::default();
        profile.keys = ROWS as u64;
        profile.sample = table.keys().filter(|_| rng.random_range(0..4) == 0).cloned().collect();
        let keys = [KeyFacts::of(of, None)];
        let cost = QueryCost::of(&of.table.query[0], of, &keys, None, Some(&profile));
        if cost.hashed {
            return Ok(());
        }
        let ran = run(&case, &cost, &table, &mut rng);
        // A value is asked for as often as it has rows.
        let expected = ran.squares / ran.selected.max(1.0);
        near(expected.max(1.0), cost.rows_selected.unwrap(), "rows in its ranges, by a sample", &case);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_narrower_query_returns_no_more(
        case in case(),
        declared in prop::collection::vec(any::<bool>(), 4),
        more: prop::sample::Index,
        kept in prop::sample::select(vec!["", "rows = 20\n", "rows = 1_000_000\n", "family.f.ttl = \"30 days\"\nrows = \"1M\"\n"]),
    ) {
        let asked: Vec<usize> = (0..case.asked.len()).filter(|&field| case.asked[field].is_some()).collect();
        prop_assume!(!asked.is_empty());
        let mut wide = case.asked.clone();
        wide[*more.get(&asked)] = None;
        let text = case.table(&declared, kept) + &case.query("wide", &wide) + &case.query("narrow", &case.asked);
        let design = Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let of = &design.tables["t"];
        let keys = [KeyFacts::of(of, None)];
        let [wide, narrow] = [0, 1].map(|query| QueryCost::of(&of.table.query[query], of, &keys, None, None));
        let no_more = |less: Option<f64>, more: Option<f64>| less.zip(more).is_none_or(|(less, more)| less <= more * 1.001);
        for cost in [&wide, &narrow] {
            prop_assert!(no_more(cost.rows_returned, cost.rows_read), "returns more than it reads\n{text}\n{cost:?}");
            let rows = of.table.rows.as_ref().map(|rows| rows.0);
            prop_assert!(no_more(cost.rows_read, rows), "reads more than there is\n{text}\n{cost:?}");
        }
        prop_assert!(no_more(narrow.rows_returned, wide.rows_returned), "returns more\n{text}\n{narrow:?}\n{wide:?}");
        // With a limit it may have to read on.
        if case.limit.is_none() {
            prop_assert!(no_more(narrow.rows_read, wide.rows_read), "reads more\n{text}\n{narrow:?}\n{wide:?}");
        }
    }

    #[test]
    fn any_values_are_in_no_more_regions(case in case(), cuts in prop::collection::vec(1usize..30, 1..40)) {
        let text = case.toml(true, 1000);
        let design = Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap();
        let mut rng = TestRng::from_seed(prop::test_runner::RngAlgorithm::ChaCha, &case.seed);
        let points = table(&case, &design.tables["t"].layout, cuts.len(), &mut rng).into_keys().zip(cuts);
        let points: BTreeSet<Vec<u8>> = points.filter_map(|(key, cut)| {
            let key = &key[..cut.min(key.len())];
            // Nothing is between a key and the same with zeros after it.
            Some(key[..=key.iter().rposition(|&byte| byte != 0)?].to_vec())
        }).collect();
        prop_assume!(!points.is_empty());
        let hex = list(points.iter().map(|point| format!("\"{}\"", HEXLOWER.encode(point))));
        let text = text.replace("[table.t]\n", &format!("[table.t]\nsplits = {{ keys = [{hex}] }}\n"));
        let design = Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap();
        let of = &design.tables["t"];
        let facts = [KeyFacts::of(of, None)];
        let cost = QueryCost::of(&of.table.query[0], of, &facts, None, None);
        prop_assume!(!cost.hashed);
        let most = cost.regions.unwrap();
        for _ in 0..20 {
            let keys = keys(&case, &case.choose(&mut rng), &cost);
            let mut regions = BTreeSet::new();
            for range in cost.ranges_with(&keys).unwrap().iter().flatten() {
                let first = points.range(..=range.start().to_vec()).count();
                let last = range.end().map_or(points.len(), |end| points.range(..end.to_vec()).count());
                regions.extend(first..=last);
            }
            prop_assert!(regions.len() <= most, "{} regions, {most} at most\n{text}", regions.len());
        }
    }
}

/// Each bucket that has one of the values gives its first rows.
#[test]
fn several_values_are_in_as_many_buckets_as_random_ones() {
    const LIMIT: usize = 7;
    const SETS: usize = 400;
    let mut rng = TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha);
    for (buckets, several) in (2..9).flat_map(|buckets| (1..20).map(move |several| (buckets, several))) {
        let text = format!(
            "format = 1\n[table.t]\nkey = [\"f0: u32\", \"f1: u32\"]\nrows = 1_000_000_000\n\
             salt = {{ buckets = {buckets}, by = [\"f0\"] }}\n\
             [table.t.stats]\nf0 = {{ distinct = 100_000 }}\n\
             [[table.t.query]]\nname = \"q\"\namong = {{ f0 = {several} }}\nlimit = {LIMIT}\n",
        );
        let design = Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap();
        let of = &design.tables["t"];
        let facts = [KeyFacts::of(of, None)];
        let cost = QueryCost::of(&of.table.query[0], of, &facts, None, None);
        let mut value = || vec![Value::Unsigned(rng.random_range(0..100_000u128)), Value::Unsigned(0)];
        let lists = (0..SETS).map(|_| {
            let keys: Vec<_> = (0..several).map(|_| value()).collect();
            cost.ranges_with(&keys).unwrap().len()
        });
        let mean = lists.sum::<usize>() as f64 / SETS as f64;
        let expected = cost.rows_read.unwrap() / LIMIT as f64;
        assert!((mean - expected).abs() < 0.25, "{expected} buckets of the cost, {mean} of random values\n{text}");
    }
}
