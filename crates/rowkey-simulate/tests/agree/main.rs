//! `check` and the simulation say the same of the load of random designs: where a server is asked for much more than it
//! takes for most of the time, a rule warns; and where no server is nearly asked for so much, none says that one is.

mod grid;
mod hashed;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rowkey_design::{CheckOptions, Date, Design, File, Finding, Severity};
use rowkey_simulate::answer::{NOTHING, Together, answer};
use rowkey_simulate::load::LoadError;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::{Declared, Options};

/// The rules that warn of more load than a server takes, or than all do.
const OF_LOAD: [&str; 14] =
    ["H01", "H02", "H03", "H04", "H05", "H06", "H08", "H09", "H10", "H12", "H24", "H26", "Q01", "Q14"];

/// Those of them that say so of any table, however it begins: H09 and H10 are of regions before they are split, and Q01
/// of the cost of one run.
const LASTING: [&str; 10] = ["H01", "H02", "H03", "H04", "H05", "H06", "H12", "H24", "H26", "Q14"];

/// A simulated server is asked for much more than it takes, or for much less.
const MUCH: f64 = 1.3;
const LITTLE: f64 = 0.7;

/// A table: how its key begins, its salt, its split points, its writes and queries.
#[derive(Clone, Debug)]
struct Table {
    key: usize,
    distinct: u32,
    skew: usize,
    salt: Option<u32>,
    splits: usize,
    rows: Option<u32>,
    writes: Vec<(u32, usize)>,
    queries: Vec<(u32, usize)>,
    secondary: bool,
}

const KEYS: [&str; 8] = [
    "\"id: u64\"",
    "\"id: u32\", \"at: instant\"",
    "\"id: u32 desc\", \"at: instant desc\"",
    "\"at: instant\", \"id: u64\"",
    "\"id: i64\"",
    "\"id: bytes[4]\", \"seq: u64\"",
    "\"id: u16\", \"at: instant\"",
    "\"seq: u64\", \"id: u64\"",
];
const SKEWS: [&str; 3] = ["uniform", "zipf 1", "one value 0.5"];
const ORDERS: [&str; 4] = ["time", "random", "one row", "time"];
const SPLITS: [&str; 4] = ["", "splits = { uniform = 16 }\n", "splits = { keys = [\"000010\", \"000020\"] }\n", ""];

impl Table {
    fn text(&self, name: &str) -> String {
        let Self { key, distinct, skew, salt, splits, rows, writes, queries, secondary } = self;
        let key = KEYS[*key];
        let mut text = format!("[table.{name}]\nkey = [{key}]\n");
        text += &match salt {
            Some(buckets) => format!("salt = {{ buckets = {buckets} }}\nsplits = \"buckets\"\n"),
            None => SPLITS[*splits].to_owned(),
        };
        text += &rows.map_or(String::new(), |rows| format!("rows = {rows}\n"));
        text += if key.contains("seq") { "means.seq = \"sequence\"\n" } else { "" };
        text += &format!("stats.id = {{ distinct = {distinct}, skew = \"{}\" }}\n", SKEWS[*skew]);
        text += &format!("[table.{name}.family.f]\nsizes.v = \"100 B\"\n");
        for (at, (rate, order)) in writes.iter().enumerate() {
            let order = ORDERS[*order];
            text += &format!("[[table.{name}.write]]\nname = \"w{at}\"\nrate = \"{rate}/s\"\norder = \"{order}\"\n");
        }
        for (at, (rate, kind)) in queries.iter().enumerate() {
            let fix = match kind {
                0 => "fix = [\"id\"]\nlimit = 1\n",
                1 if key.contains("at") => "fix = [\"id\", \"at\"]\n",
                _ => "fix = [\"id\"]\nlimit = 1\nskew.id = \"one value 0.5\"\n",
            };
            text += &format!("[[table.{name}.query]]\nname = \"q{at}\"\nrate = \"{rate}/s\"\n{fix}");
        }
        if *secondary {
            let rest = if key.starts_with("\"id") { "\"of: u32\", \"id: u64\"" } else { "\"id: u64\", \"of: u32\"" };
            text += &format!("[[table.{name}.secondary]]\nname = \"{name}_by\"\nkey = [{rest}]\n");
        }
        text
    }
}

fn tables() -> impl Strategy<Value = Vec<Table>> {
    let distinct = prop_oneof![1u32..5, 5u32..100, 1000u32..60_000];
    let rates = |most: usize, kinds: usize| {
        let rate = prop_oneof![50u32..900, 500u32..3000, 3000u32..9000];
        prop::collection::vec((rate, 0..kinds), 0..=most)
    };
    let rows = prop::option::of(prop_oneof![3u32..50, 100_000u32..100_000_000]);
    let table = (
        (0..KEYS.len(), distinct, 0..SKEWS.len(), prop::option::weighted(0.25, 2u32..33), 0..SPLITS.len()),
        (rows, rates(3, ORDERS.len()), rates(3, 3), prop::bool::weighted(0.2)),
    );
    let table = table.prop_map(|((key, distinct, skew, salt, splits), (rows, writes, queries, secondary))| Table {
        key,
        distinct,
        skew,
        salt,
        splits,
        rows,
        writes,
        queries,
        secondary,
    });
    prop::collection::vec(table, 1..3)
}

/// The clusters, the first of which splits no regions: what is hot stays so.
const CLUSTERS: [(&str, &str); 4] =
    [("hbase", ", split = \"disabled\""), ("hbase", ""), ("bigtable", ""), ("tikv", "")];

/// Those that put rows where the hash of their partition is.
const HASHING: [(&str, &str); 2] = [("dynamodb", ""), ("cassandra", "")];

/// A cluster each server of which takes a thousand writes and a thousand reads a second.
fn text(tables: &[Table], servers: u32, (engine, split): (&str, &str)) -> String {
    let tables = tables.iter().enumerate().map(|(at, table)| table.text(&format!("t{at}")));
    format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = {servers}\nregion = {{ writes = \"1k/s\", reads = \
         \"1k/s\"{split} }}\n{}",
        tables.collect::<String>()
    )
}

/// A table, its run, and the answer.
struct Simulated<'d> {
    declared: Declared<'d>,
    run: Run,
    answer: Answer,
}

impl Simulated<'_> {
    /// The most that a server is asked for in an interval, in parts of what it takes: a thousand writes, or reads, a
    /// second.
    fn asked(&self) -> f64 {
        let seconds = self.run.settings.interval_ms as f64 / 1000.0;
        let servers = self.run.intervals.iter().flat_map(|interval| &interval.servers);
        servers.map(|server| server.writes.max(server.reads) as f64 / seconds / 1000.0).fold(0.0, f64::max)
    }
}

/// The simulations of all tables of a design that have a load.
fn simulated<'d>(design: &'d Design, check: &'d CheckOptions) -> Vec<Simulated<'d>> {
    let report = design.check(check);
    let options = Options { seconds: 4.0 * 3600.0, most: 20_000, ..Options::default() };
    let mut found = Vec::new();
    for (table, costs) in design.query_costs(check) {
        for secondary in std::iter::once(None).chain((0..table.secondary.len()).map(Some)) {
            let declared = Declared::of(design, &table.name, secondary, check).unwrap();
            match declared.simulate(&options, |_| {}) {
                Ok(run) => {
                    let answer = answer(&declared, &run, &[], &report, &costs, &[]);
                    found.push(Simulated { declared, run, answer });
                }
                Err(LoadError::NoEvents(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    found
}

/// The findings of a check that a table, or one of its secondary tables, has too much load.
fn warnings<'r>(report: &'r rowkey_design::Report, table: &str) -> Vec<&'r Finding> {
    let is_load = |finding: &&Finding| OF_LOAD.contains(&finding.rule.id) && finding.severity > Severity::Note;
    report.findings.iter().filter(is_load).filter(|finding| finding.table == table).collect()
}

#[test]
fn what_saturates_for_long_is_warned_of() {
    let clusters = prop_oneof![3 => Just(CLUSTERS[0]), 1 => prop::sample::select(&CLUSTERS[1..])];
    agrees(&(tables(), 2u32..9, clusters), cases());
}

#[test]
fn what_saturates_where_partitions_are_hashed_is_warned_of() {
    // Hashes put several of a few salt buckets on one server, which `check` takes to be even.
    let unsalted = |table: Table| Table { salt: None, ..table };
    let tables = tables().prop_map(move |tables| tables.into_iter().map(unsalted).collect::<Vec<_>>());
    agrees(&(tables, 2u32..9, prop::sample::select(&HASHING[..])), cases() / 4);
}

/// Holds `check` against the simulation of so many designs: tables, servers, and the engine with more of its cluster.
fn agrees(strategy: &impl Strategy<Value = (Vec<Table>, u32, (&'static str, &'static str))>, cases: usize) {
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let mut false_alarms = Vec::new();
    let (mut wrong, mut hot, mut calm, mut both) = (Vec::new(), 0, 0, 0);
    for _ in 0..cases {
        let (tables, servers, cluster) = strategy.new_tree(&mut runner).expect("a case").current();
        let text = text(&tables, servers, cluster);
        let file = File { name: "t.rowkey.toml".to_owned(), text: text.clone() };
        let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let (report, runs) = (design.check(&check), simulated(&design, &check));
        for Simulated { declared, answer, .. } in &runs {
            let warned = warnings(&report, &declared.key.table.name);
            if answer.saturates.is_some() && answer.sentence.starts_with(NOTHING) {
                wrong.push(format!("{}\n{text}", answer.sentence));
            }
            let Some(saturation) = answer.saturates.as_ref() else {
                calm += usize::from(warned.is_empty());
                continue;
            };
            let lasts = saturation.asked > MUCH * saturation.takes && saturation.part > 0.5;
            hot += usize::from(lasts);
            // Whether a table is one region is told to be unknown where nothing says how many rows it has.
            let name = format!("{:?} is so small", declared.key.name.as_str());
            let is_unknown = saturation.reads && report.unjudged.iter().any(|line| line.question.contains(&name));
            if lasts && warned.is_empty() && !is_unknown {
                wrong.push(format!("{}\n{text}", answer.sentence));
            }
        }
        let together = Together::of(runs.iter().map(|table| (&table.declared, &table.run)));
        if let Some(parts) = together.filter(|parts| parts.writes.max(parts.reads) > MUCH) {
            both += 1;
            let all = parts.answer(&report);
            let before = all.sentence.split(" servers take them").next().and_then(|start| start.split(' ').next_back());
            let numbered = before.is_some_and(|word| word.starts_with(|first: char| first.is_ascii_digit()))
                && !all.sentence.contains("Add servers");
            let is_nothing = |table: &Simulated<'_>| {
                let mut answer = table.answer.clone();
                all.beside(&mut answer);
                answer.sentence.starts_with(NOTHING)
            };
            if !numbered || runs.iter().any(is_nothing) {
                wrong.push(format!("{}\n{text}", all.sentence));
            }
            let is_told = report.findings.iter().any(|finding| ["H24", "H26", "Q01"].contains(&finding.rule.id));
            if !is_told {
                wrong.push(format!("{parts:?}\n{text}"));
            }
        }
        for (name, _) in &design.tables {
            let of_table = || runs.iter().filter(|table| *table.declared.key.table.name.value == *name);
            let asked = of_table().map(Simulated::asked).fold(0.0, f64::max);
            let loud = warnings(&report, name).into_iter().find(|finding| LASTING.contains(&finding.rule.id));
            // Tables that together ask for too much may each ask for little.
            if let Some(loud) =
                loud.filter(|loud| of_table().next().is_some() && asked < LITTLE && !loud.message.starts_with("all "))
            {
                false_alarms.push(format!("{asked}: {} {}: {}\n{text}", loud.table, loud.rule.id, loud.message));
            }
        }
        let is_run = |name: &String| runs.iter().any(|table| *table.declared.key.table.name.value == **name);
        let asks_little = together.is_some_and(|parts| parts.writes.max(parts.reads) < LITTLE);
        let asks_little = asks_little && design.tables.keys().all(is_run);
        if asks_little && report.findings.iter().any(|finding| finding.message.starts_with("all ")) {
            wrong.push(format!("{together:?}, and H24\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(false_alarms.is_empty(), "{} false alarms:\n{}", false_alarms.len(), false_alarms.join("\n\n"));
    assert!(hot > cases / 5 && calm > cases / 40 && both > 0, "{hot} {calm} {both}");
}

proptest! {
    #![proptest_config(Config { cases: 32, ..Config::default() })]

    /// Of an even load the servers are too few by `check` exactly where some server saturates, whatever the engine.
    #[test]
    fn too_few_servers_saturate_by_an_even_load(
        engine in prop::sample::select(vec!["hbase", "bigtable", "tikv", "cockroachdb", "foundationdb"]),
        servers in prop::sample::select(vec![1u32, 2, 4, 8]),
        percent in prop_oneof![50u32..85, 120u32..300],
        of_reads: bool,
        is_said: bool,
    ) {
        let each = if is_said || of_reads || engine == "bigtable" { 1000 } else { 10_000 };
        let said = if each == 1000 { "region = { writes = \"1k/s\", reads = \"1k/s\" }\n" } else { "" };
        let rate = u64::from(servers) * each * u64::from(percent) / 100;
        let [writes, reads] = if of_reads { [1, rate] } else { [rate, 1] };
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = {servers}\n{said}[table.t]\nkey = [\"id: u64\"]\n\
             means.id = \"random\"\nrows = \"1G\"\nsplits = {{ uniform = 64 }}\nfamily.f.sizes.v = \"100 B\"\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"{writes}/s\"\norder = \"random\"\n\
             [[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"{reads}/s\"\n"
        );
        let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.clone() }]).expect("a design");
        let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let report = design.check(&check);
        let is_told = report.findings.iter().any(|finding| finding.rule.id == "H24");
        let runs = simulated(&design, &check);
        prop_assert_eq!(runs.len(), 1);
        let answer = &runs[0].answer;
        prop_assert_eq!(is_told, answer.saturates.is_some(), "{}\n{}", answer.sentence, text);
        prop_assert_eq!(is_told, answer.sentence.contains("H24: "), "{}\n{}", answer.sentence, text);
        prop_assert_eq!(is_told, percent > 100);
    }
}

/// The designs that are drawn: with `ROWKEY_LONG` six times as many.
fn cases() -> usize {
    if std::env::var_os("ROWKEY_LONG").is_some() { 240 } else { 40 }
}
