//! The number of events: what is told of a design is the design's, with few events as with many.

use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Options;

use super::{answers_once, design};

const EVENTS: [u64; 3] = [5000, 20_000, 100_000];

fn of(text: &str, seconds: f64) -> [Answer; 3] {
    EVENTS.map(|most| answers_once(text, &Options { seconds, most, ..Options::default() }).remove(0))
}

/// The most that a server is asked for, if it saturates.
fn asked(answer: &Answer) -> Option<f64> {
    answer.saturates.as_ref().map(|saturation| saturation.asked)
}

fn hashed(key: &str, more: &str, rate: &str, query: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"cassandra\"\nservers = 500\nregion.writes = \"1k/s\"\n\
         region.reads = \"1k/s\"\n[table.t]\nkey = [{key}]\nkeep = \"forever\"\nrows = \"1M\"\n{more}\n\
         [[table.t.write]]\nname = \"w\"\nrate = \"{rate}\"\norder = \"time\"\n{query}"
    )
}

#[test]
fn one_region_is_asked_for_the_peak_at_first() {
    for (key, more) in [
        ("\"user: u64\"", "means.user = \"random\""),
        ("\"device: u32\", \"at: i64\"", "means.at = \"milliseconds\"\nstats.device = { distinct = 10000 }"),
    ] {
        for rate in ["20k/s", "9k/s\"\npeak = \"20k/s\"\nshape = \"bursts of 1 h every 6 h"] {
            for seconds in [60.0, 3600.0, 86_400.0] {
                for answer in of(&design(key, more, 5, rate), seconds) {
                    let asked = asked(&answer).unwrap_or_default();
                    assert!((asked / 20_000.0 - 1.0).abs() < 1e-3, "{key} {rate} {seconds}: {}", answer.sentence);
                }
            }
        }
    }
}

#[test]
fn a_maximum_of_chance_is_none_of_the_design() {
    let scan = "[[table.t.query]]\nname = \"q\"\nfix = [\"device\"]\nlimit = 100\nrate = \"1k/s\"\n";
    let (time_first, by_device) = ("\"at: i64\", \"id: u32\"", "\"device: u32\", \"at: i64\"");
    let means = "means = { at = \"milliseconds\", id = \"random\" }";
    let salted =
        "means.at = \"milliseconds\"\nsalt = { buckets = 64 }\nstats.device = { distinct = 100, skew = \"uniform\" }";
    for (text, seconds) in [
        // All that is written in a millisecond is on one of 500 servers, and in a minute there are 60,000 of these.
        (hashed(time_first, means, "400k/s", ""), 60.0),
        (hashed(time_first, means, "400k/s", ""), 3600.0),
        (hashed(by_device, salted, "1k/s", scan), 60.0),
        (hashed(by_device, salted, "1k/s", scan), 3600.0),
    ] {
        let found = of(&text, seconds);
        let verdicts = found.each_ref().map(|answer| (answer.saturates.is_some(), answer.rules.clone()));
        assert!(verdicts.iter().all(|verdict| *verdict == verdicts[2]), "{seconds} {text}: {verdicts:?}");
        let told = found.each_ref().map(|answer| asked(answer).unwrap_or(1.0));
        assert!(told.iter().all(|asked| (asked / told[2] - 1.0).abs() < 0.35), "{seconds} {text}: {told:?}");
    }
}

#[test]
fn rows_that_match_are_those_that_the_design_declares() {
    let query = |fix: &str| format!("[[table.t.query]]\nname = \"q\"\nfix = [{fix}]\nlimit = 1000\nrate = \"5k/s\"\n");
    let means = "means = { at = \"milliseconds\", id = \"random\" }\nkeep = \"forever\"";
    for (key, more, fix, rows) in [
        // In a millisecond hardly more than the row that is asked for.
        ("\"at: i64 desc\", \"id: u32\"", means.to_owned(), "\"at\"", 1.0),
        ("\"at: i64\", \"id: u32\"", format!("{means}\nrows = \"100M\""), "\"at\"", 1.0),
        (
            "\"id: u32\", \"at: i64\"",
            format!("{means}\nrows = \"100M\"\nstats.id = {{ distinct = \"1M\" }}"),
            "\"id\"",
            100.0,
        ),
    ] {
        let text = design(key, &more, 1, "10/s") + &query(fix);
        for answer in of(&text, 86_400.0) {
            let due = 5000.0 * (1.0 + (rows - 1.0) / 100.0);
            assert!((answer.reads / due - 1.0).abs() < 0.05, "{key} {fix}: {} of {due}", answer.reads);
        }
    }
}

#[test]
fn a_queue_reads_what_is_there_however_long_it_runs() {
    let rest = "[[table.t.write]]\nname = \"pop\"\nkind = \"delete\"\nrate = \"1k/s\"\norder = \"time\"\n\
                [[table.t.query]]\nname = \"next\"\norder = \"oldest\"\nlimit = 100\nrate = \"120/s\"\n";
    let text = design("\"id: u64\"", "means.id = \"sequence\"\nrows = \"1M\"", 3, "1k/s") + rest;
    for engine in ["tikv", "bigtable", "cockroachdb"] {
        let text = text.replace("\"hbase\"", &format!("{engine:?}"));
        for days in [0.01, 1.0, 300.0] {
            for answer in of(&text, 86_400.0 * days) {
                let due = 120.0 * 1.99;
                assert!(answer.reads <= 1.02 * due, "{engine} {days}: {} of {due}", answer.reads);
            }
        }
    }
}
