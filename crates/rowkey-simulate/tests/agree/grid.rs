//! The same over grids of engines, sizes of rows, servers and partitions, each design alone.

use rowkey_design::{CheckOptions, Date, Design, File, Severity};
use rowkey_simulate::answer::rates;
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::{Declared, Options};

use super::OF_LOAD;

/// The answer about the only table of a design, and the rules of load of which `check` warns.
pub(super) fn told(text: &str) -> (Answer, Vec<&'static str>) {
    told_with(text, &Options { seconds: 3600.0, most: 20_000, ..Options::default() })
}

pub(super) fn told_with(text: &str, options: &Options) -> (Answer, Vec<&'static str>) {
    let file = File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() };
    let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = rates::times(&design, options.times).check(&check);
    let warned = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
    let rules = warned.map(|finding| finding.rule.id).filter(|rule| OF_LOAD.contains(rule)).collect();
    let (_, costs) = design.query_costs(&check).next().expect("a table");
    let declared = Declared::of(&design, "t", None, &check).expect("a table");
    let run = declared.simulate(options, |_| {}).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (rowkey_simulate::answer::answer(&declared, &run, &[], &report, &costs, &[]), rules)
}

pub(super) fn cluster(engine: &str, servers: u32) -> String {
    format!("format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = {servers}\n")
}

pub(super) fn write(rate: f64, order: &str) -> String {
    format!("[[table.t.write]]\nname = \"w\"\nrate = \"{rate:.3}/s\"\norder = \"{order}\"\n")
}

/// Tells all designs of a grid of which a law does not hold.
pub(super) fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// DynamoDB counts a row by its kilobytes, and so does a run: what saturates is an error of `check`, in its units.
#[test]
fn write_units_are_counted_as_check_counts_them() {
    let mut wrong = Vec::new();
    for (bytes, units) in [(100, 1.0), (1500, 2.0), (4000, 4.0), (10_000, 10.0), (100_000, 98.0)] {
        for percent in [60, 170] {
            let of_one = 1000.0 / units * f64::from(percent) / 100.0;
            let family = format!("keep = \"forever\"\nfamily.f.sizes.v = \"{bytes} B\"\n");
            let half = format!(
                "{}[table.t]\nkey = [\"id: u64\", \"at: instant\"]\nrows = \"1M\"\n{family}stats.id = {{ distinct = \
                 \"100k\", skew = \"one value 0.5\" }}\n{}",
                cluster("dynamodb", 4),
                write(2.0 * of_one, "time")
            );
            let one = format!(
                "{}[table.t]\nkey = [\"id: u64\"]\nrows = \"1k\"\nunique = \"upsert\"\n{family}{}",
                cluster("dynamodb", 4),
                write(of_one, "one row")
            );
            for text in [half, one] {
                let (answer, rules) = told(&text);
                assert_eq!(answer.write_unit, "a write unit: up to 1 KB of an item");
                // What is heavy is in a partition of its own.
                let due = of_one * units;
                let saturates = answer.saturates.as_ref();
                let is_due = |asked: f64, takes: f64| takes == 1000.0 && (asked / due - 1.0).abs() < 0.05;
                let holds = saturates.is_some() == (percent > 100)
                    && rules.is_empty() == (percent < 100)
                    && answer.sentence.contains(" write units a second")
                    && saturates.is_none_or(|found| is_due(found.asked, found.takes));
                if !holds {
                    wrong.push(format!("{due} {rules:?} {}\n{text}", answer.sentence));
                }
            }
        }
    }
    none(&wrong);
}

/// A small table that is overwritten saturates a server just if `check` warns of it, whether its engine splits it for its
/// writes or not.
#[test]
fn a_small_table_is_as_hot_for_both() {
    let mut wrong = Vec::new();
    for engine in ["bigtable", "cockroachdb", "foundationdb", "tikv"] {
        for servers in [1, 5, 8, 25] {
            for rows in [3, 100_000] {
                for percent in [70, 150] {
                    let rate = 10_000.0 * f64::from(servers * percent) / 100.0;
                    let text = format!(
                        "{}region.writes = \"10k/s\"\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\nkeep = \
                         \"forever\"\nrows = {rows}\nunique = \"upsert\"\nfamily.f.sizes.v = \"200 B\"\n{}",
                        cluster(engine, servers),
                        write(rate, "random")
                    );
                    let (answer, rules) = told(&text);
                    let is_hot = percent > 100 || (engine == "tikv" && servers > 1) || (rows == 3 && servers > 3);
                    let is_known = !answer.sentence.contains("No rule");
                    if (answer.saturates.is_some(), rules.is_empty(), is_known) != (is_hot, !is_hot, true) {
                        wrong.push(format!("{rules:?} {}\n{text}", answer.sentence));
                    }
                }
            }
        }
    }
    none(&wrong);
}

/// DynamoDB has as many partitions as leave room for what the hash puts together.
#[test]
fn partitions_of_its_own_are_enough() {
    let mut wrong = Vec::new();
    for devices in [50, 100, 1000, 30_000] {
        for rate in [3000.0, 12_000.0] {
            for servers in [4, 16, 64] {
                let text = format!(
                    "{}[table.t]\nkey = [\"dev: u32\", \"at: instant\"]\nkeep = \"forever\"\nrows = \"100M\"\n\
                     family.f.sizes.v = \"100 B\"\nstats.dev = {{ distinct = {devices} }}\n{}",
                    cluster("dynamodb", servers),
                    write(rate, "time")
                );
                let (answer, rules) = told(&text);
                if !rules.is_empty() || answer.saturates.is_some() {
                    wrong.push(format!("{rules:?} {}\n{text}", answer.sentence));
                }
            }
        }
    }
    none(&wrong);
}

/// Of ranges that do not divide by the servers, the number that is told takes the load, and no smaller one does.
#[test]
fn the_servers_that_are_told_take_the_ranges() {
    let mut wrong = Vec::new();
    let text = |engine: &str, servers: u32, rate: f64, splits: &str| {
        format!(
            "{}region = {{ writes = \"10k/s\" }}\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\nkeep = \
             \"forever\"\nrows = \"1G\"\n{splits}family.f.sizes.v = \"100 B\"\n{}",
            cluster(engine, servers),
            write(rate, "random")
        )
    };
    for engine in ["bigtable", "cockroachdb"] {
        for servers in [3u32, 5, 7] {
            let of = |servers| text(engine, servers, f64::from(servers) * 9900.0, "splits = { uniform = 16 }\n");
            let (answer, rules) = told(&of(servers));
            let sentence = &answer.sentence;
            let enough = (servers + 1..=16).find(|more| 16u32.div_ceil(*more) * servers * 99 <= 1600).expect("enough");
            let due = format!("16 ranges are placed on {servers} servers. {enough} servers take it");
            let is_told = sentence.contains("with these servers") && sentence.contains(&due);
            if !rules.is_empty() || !is_told {
                wrong.push(format!("{enough} {rules:?}: {sentence}"));
            }
            for (more, saturates) in [(enough - 1, true), (enough, false)] {
                let rate = f64::from(servers) * 9900.0;
                let (answer, _) = told(&text(engine, more, rate, "splits = { uniform = 16 }\n"));
                if answer.saturates.is_some() != saturates {
                    wrong.push(format!("{servers} {more}: {}", answer.sentence));
                }
            }
        }
    }
    none(&wrong);
}

/// A run that outgrows `rows` says so; one that does not says nothing.
#[test]
fn a_run_that_outgrows_its_table_says_so() {
    for engine in ["dynamodb", "cassandra", "bigtable"] {
        for (rows, outgrows) in [("1k", true), ("100M", false)] {
            let text = format!(
                "{}region.max = \"1 GB\"\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\nkeep = \"forever\"\n\
                 rows = \"{rows}\"\nfamily.f.sizes.v = \"100 kB\"\n{}",
                cluster(engine, 4),
                write(500.0, "random")
            );
            let (answer, _) = told(&text);
            let told = answer.assumed.iter().any(|assumed| assumed.starts_with("the run outgrows `rows`"));
            assert_eq!(told, outgrows, "{:?}\n{text}", answer.assumed);
            assert!(answer.regions.count >= 4 || engine == "bigtable");
        }
    }
}

/// Declared ranges that one server does not take are divided for reads as a table without split points is, by both.
#[test]
fn declared_ranges_are_divided_for_reads() {
    let mut wrong = Vec::new();
    for engine in ["bigtable", "cockroachdb", "foundationdb", "tikv"] {
        for (splits, servers) in [(3, 10), (7, 5), (2, 3)] {
            for rows in ["1G", "100k"] {
                for percent in [60, 150] {
                    let rate = 20_000 * servers * percent / 100;
                    let text = format!(
                        "{}region = {{ writes = \"10k/s\", reads = \"20k/s\" }}\n[table.t]\nkey = [\"id: u64\"]\n\
                         means.id = \"random\"\nkeep = \"forever\"\nrows = \"{rows}\"\nsplits = {{ uniform = {splits} }}\n\
                         family.f.sizes.v = \"100 B\"\n[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"{rate}/s\"\n",
                        cluster(engine, servers)
                    );
                    let (answer, rules) = told(&text);
                    let due = if percent > 100 { vec!["H24"] } else { Vec::new() };
                    if answer.saturates.is_some() != (percent > 100) || rules != due {
                        wrong.push(format!("{rules:?} {}\n{text}", answer.sentence));
                    }
                }
            }
        }
    }
    none(&wrong);
}
