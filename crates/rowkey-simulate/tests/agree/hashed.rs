//! The same of engines that hash the partition key: what one value asks for is taken or not, whatever the others do.

use std::fmt::Write as _;

use rowkey_design::internal::forms::Times;
use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::answer::NOTHING;
use rowkey_simulate::load::Trace;
use rowkey_simulate::simulation::{Declared, Options};

use super::grid::{cluster, none, told, told_with, write};

/// A table of devices with so many writes a second; a server takes a thousand.
fn devices(engine: &str, servers: u32, stats: &str, rate: f64) -> String {
    format!(
        "{}region.writes = \"1k/s\"\n[table.t]\nkey = [\"dev: u32\", \"at: instant\"]\nkeep = \"forever\"\n\
         rows = \"100M\"\nfamily.f.sizes.v = \"100 B\"\nstats.dev = {{ {stats} }}\n{}",
        cluster(engine, servers),
        write(rate, "time")
    )
}

/// A value alone saturates its partition just if `check` warns of it, and no partition has more than it takes else.
#[test]
fn a_heavy_value_of_dynamodb_is_alone_in_its_partition() {
    let mut wrong = Vec::new();
    for percent in [50, 93, 120] {
        let own = 10.0 * f64::from(percent);
        let one = |part: f64| (format!("distinct = \"1M\", skew = \"one value {part}\""), own / part);
        let even = |count: f64| (format!("distinct = {count}, skew = \"uniform\""), own * count);
        for (stats, rate) in [one(0.05), one(0.1), one(0.5), one(0.9), even(1.0), even(2.0), even(12.0), even(40.0)] {
            for servers in [3, 100] {
                let text = devices("dynamodb", servers, &stats, rate);
                let (answer, rules) = told(&text);
                let is_hot = percent > 100;
                // Two heavy ones are too much for one, and what lies beside them is more.
                let most = (1.2 * f64::from(servers)).max(2.0 * rate / 1000.0) + 6.0;
                let holds = answer.saturates.is_some() == is_hot
                    && rules.is_empty() != is_hot
                    && (answer.regions.count as f64) < most
                    && answer.saturates.as_ref().is_none_or(|found| (found.asked / own - 1.0).abs() < 0.1);
                if !holds {
                    wrong.push(format!("{} {rules:?} {}\n{text}", answer.regions.count, answer.sentence));
                }
            }
        }
    }
    none(&wrong);
}

/// Partitions are as many as the rates ask for that are run, be they declared or so many times those.
#[test]
fn partitions_are_those_of_the_rates_that_are_run() {
    for (stats, rate) in [("distinct = 60", 5000.0), ("distinct = \"1M\"", 9000.0)] {
        let declared = told(&devices("dynamodb", 3, stats, 4.0 * rate)).0;
        let options = Options { seconds: 3600.0, most: 20_000, times: 4.0, ..Options::default() };
        let (times, rules) = told_with(&devices("dynamodb", 3, stats, rate), &options);
        assert_eq!(times.regions.count, declared.regions.count, "{stats}");
        assert!(times.sentence.starts_with(NOTHING) && rules.is_empty(), "{stats}: {}", times.sentence);
    }
}

/// A trace has the partitions of its own rates, and of its own values.
#[test]
fn partitions_of_a_trace_are_those_of_its_events() {
    for (values, percent) in [(200, 0), (200, 4), (17, 0)] {
        // 21,000 writes a second, a part of them of one device.
        let mut text = "t_ms,op,key\n".to_owned();
        for at in 0u32..21_000 * 4 {
            let device = if at % 100 < percent { 7 } else { at.wrapping_mul(2_654_435_761) % values };
            writeln!(text, "{},put,{device:08x}{at:024x}", at / 21).unwrap();
        }
        let design = devices("dynamodb", 3, "distinct = 1000", 100.0);
        let file = File { name: "t.rowkey.toml".to_owned(), text: design };
        let design = Design::parse([file]).unwrap();
        let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let mut declared = Declared::of(&design, "t", None, &check).unwrap();
        let layout = declared.key.layout;
        let trace = || Trace::new(text.as_bytes(), layout, Times::default());
        declared.fit(&mut trace(), 1).unwrap();
        let run = declared.run(&mut trace(), 0, 1, |_| {}).unwrap();
        let busiest = |interval: &rowkey_simulate::run::Interval| {
            interval.servers.iter().map(|server| server.writes).max().unwrap_or(0)
        };
        let most = run.intervals.iter().map(busiest).max().unwrap_or(0);
        let due = if values < 21 { 21_000 / u64::from(values) } else { 1000 };
        assert!(most <= due + due / 10, "{values} {percent}: {most} of {}", run.settings.servers);
        assert!(run.settings.servers < 60, "{values} {percent}: {}", run.settings.servers);
    }
}

/// The heaviest value tells what a table takes however many servers there are, whatever the hash.
#[test]
fn what_no_number_of_servers_changes_is_of_the_heaviest_value() {
    let mut wrong = Vec::new();
    for engine in ["dynamodb", "cassandra"] {
        for (stats, share) in [("distinct = \"1M\", skew = \"one value 0.2\"", 0.2), ("distinct = 5", 0.2)] {
            for (servers, seed) in [(10, 1), (10, 2), (100, 1)] {
                let options = Options { seconds: 3600.0, most: 20_000, seed, ..Options::default() };
                let (answer, _) = told_with(&devices(engine, servers, stats, 9000.0), &options);
                let due = format!("the table takes {:.0}k ", 1.0 / share);
                let holds =
                    answer.sentence.contains(&due) && answer.sentence.contains("however many servers there are");
                if !holds {
                    wrong.push(format!("{engine} {stats} {servers} {seed}: {}", answer.sentence));
                }
            }
        }
    }
    none(&wrong);
}

/// The servers that are told for hashed partitions take the load.
#[test]
fn servers_that_are_told_take_what_is_hashed() {
    for (count, servers) in [(50, 4), (300, 7), (20, 4)] {
        let rate = 900.0 * f64::from(servers);
        let text = |servers: u32| devices("cassandra", servers, &format!("distinct = {count}"), rate);
        let sentence = told(&text(servers)).0.sentence;
        let Some((before, _)) = sentence.split_once(" servers take it, whatever the hash is, and fewer may") else {
            panic!("{sentence}");
        };
        let enough: u32 = before.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(enough > servers && sentence.contains("with these servers"), "{sentence}");
        let (answer, rules) = told(&text(enough));
        assert!(answer.saturates.is_none() && rules.is_empty(), "{enough}: {}", answer.sentence);
    }
}
