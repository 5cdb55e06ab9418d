//! Shares of places, and what these take: near what ranges and servers say, however few events there are.

use rowkey_simulate::answer::{NOTHING, text as told};
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Options;

use super::answers_once;

/// The writes a second that a server takes.
const TAKES: f64 = 10_000.0;

const ENGINES: [&str; 3] = ["hbase", "bigtable", "tikv"];

/// Uniform keys in so many ranges, which stay as they are, on so many servers.
fn even(engine: &str, ranges: u32, servers: u32, rate: f64) -> String {
    let more = format!("means.id = \"random\"\nrows = \"1G\"\nsplits = {{ uniform = {ranges} }}");
    let text = super::design("\"id: u64\"", &more, servers, &format!("{rate}/s\"\norder = \"random"));
    let split = if engine == "hbase" { "region.split = \"disabled\"\nbalancer = \"off\"\n" } else { "" };
    text.replace("\"hbase\"", &format!("\"{engine}\"")).replace("region.writes", &format!("{split}region.writes"))
}

/// The same, with one id that has this part of the writes.
fn skewed(text: &str, part: f64) -> String {
    let means = "means.id = \"random\"";
    text.replace(means, &format!("{means}\nstats.id = {{ distinct = 1000000, skew = \"one value {part}\" }}"))
}

fn of(text: &str, most: u64, seed: u64) -> Answer {
    answers_once(text, &Options { most, seed, ..Options::default() }).remove(0)
}

/// The part of the busiest of servers that have these ranges in turn.
fn busiest(ranges: u32, servers: u32) -> f64 {
    f64::from(ranges.div_ceil(servers)) / f64::from(ranges)
}

/// The sentence says that a server saturates where more is asked for than is told to be taken, and there alone.
fn assert_agrees(found: &Answer, case: &str) {
    let taken = found.sustained.unwrap().of_run;
    assert_eq!(found.saturates.is_some(), taken < found.writes, "{case}: {taken}: {}", found.sentence);
    assert_eq!(found.sentence.starts_with(NOTHING), taken >= found.writes, "{case}: {taken}: {}", found.sentence);
    assert!(!found.sentence.contains("as far as a sample of events tells"), "{case}: {}", found.sentence);
}

#[test]
fn a_table_takes_what_the_server_with_most_ranges_takes() {
    let mut seed = 0;
    for ranges in [4, 16, 37, 64] {
        for servers in [1, 3, 4, 5, 8, 13, 30] {
            for most in [30_000, 100_000] {
                seed += 1;
                let engine = ENGINES[seed as usize % ENGINES.len()];
                let case = format!("{engine}, {ranges} ranges, {servers} servers, {most} events, seed {seed}");
                let found = of(&even(engine, ranges, servers, 25_000.0), most, seed);
                let near = |found: f64, exact: f64, what: &str| {
                    assert!((found / exact - 1.0).abs() < 0.01, "{case}: {what} {found}, not {exact}");
                };
                near(found.hottest_region.of_run, 1.0 / f64::from(ranges), "hottest range");
                near(found.busiest_server.of_run, busiest(ranges, servers), "busiest server");
                near(found.sustained.unwrap().of_run, TAKES / busiest(ranges, servers), "sustained");
                assert!(found.gini < 0.05, "{case}: Gini {}", found.gini);
                assert_agrees(&found, &case);
            }
        }
    }
}

#[test]
fn what_saturates_does_so_from_the_start_and_all_the_time() {
    // One of five servers has four of sixteen ranges: a quarter.
    for (most, seed) in [(30_000, 1), (200_000, 2), (1_000_000, 3)] {
        for (times, saturates) in [(0.98, false), (1.02, true), (1.07, true), (1.5, true)] {
            let found = of(&even(ENGINES[1], 16, 5, times * 4.0 * TAKES), most, seed);
            let case = format!("{most} events, {times}: {}", found.sentence);
            assert_agrees(&found, &case);
            assert_eq!(found.saturates.is_some(), saturates, "{case}");
            let Some(saturation) = found.saturates else { continue };
            assert!(saturation.part > 0.99 && !saturation.passes && saturation.server == 0, "{case}");
            assert!((saturation.asked / (times * TAKES) - 1.0).abs() < 0.02, "{case}");
            assert!(found.sentence.contains(" saturates from the start: "), "{case}");
        }
    }
}

#[test]
fn uneven_ranges_have_their_parts() {
    // One of all has a tenth of the writes, the others share the rest: it is in one of sixteen ranges.
    let text = even("bigtable", 16, 5, 25_000.0);
    let text = skewed(&text, 0.1);
    for (most, bound) in [(4000, 0.2), (30_000, 0.05), (300_000, 0.02)] {
        for seed in 1..=5 {
            let found = of(&text, most, seed);
            let exact = 0.1 + 0.9 / 16.0;
            let error = found.hottest_region.of_run / exact - 1.0;
            assert!(error.abs() < bound, "{most} events, seed {seed}: {error}: {}", told(&found));
            assert_agrees(&found, &format!("{most} events, seed {seed}"));
        }
    }
}

#[test]
fn regions_that_split_have_no_more_than_they_had() {
    let text = super::design("\"id: u64\"", "means.id = \"random\"\nsplits = { uniform = 16 }", 4, "10k/s");
    for (most, bound) in [(30_000, 0.06), (100_000, 0.04), (300_000, 0.02)] {
        for seed in 1..=4 {
            let found = of(&text, most, seed).hottest_region.of_run;
            assert!(found < (1.0 + bound) / 16.0, "{most} events, seed {seed}: {found}");
        }
    }
}

#[test]
fn an_even_load_has_a_coefficient_of_nothing() {
    for (ranges, most) in [(64, 30_000), (1000, 200_000), (16_384, 200_000)] {
        let found = of(&even("bigtable", ranges, 4, 20_000.0), most, 5);
        assert!(found.gini < 0.05, "{ranges} ranges: {}", found.gini);
    }
    // Ranges that are cut by a sample of rows.
    let cut = even("bigtable", 16, 4, 20_000.0).replace("splits = { uniform = 16 }\n", "");
    let cut = cut.replace("region.writes", "region.max = \"20 MB\"\nregion.writes");
    let found = of(&cut, 1_000_000, 1);
    assert!(found.regions.count > 200 && found.gini < 0.05, "{} ranges: {}", found.regions.count, found.gini);
    // That of what is uneven is what it is.
    let text = skewed(&even("bigtable", 16, 4, 20_000.0), 0.4);
    for most in [10_000, 100_000] {
        // One has 0.4 more than the others: 0.4 · 15 / 16.
        let found = of(&text, most, 1).gini;
        assert!((found - 0.375).abs() < 0.02, "{most} events: {found}");
    }
}

#[test]
fn the_peak_that_is_asked_for_is_the_declared_one() {
    let key = "\"at: i64\"";
    let constant = ("6k/s", 6000.0);
    let bursts = ("6k/s\"\nshape = \"bursts of 10 min every 1 h", 36_000.0);
    let day = ("6k/s\"\npeak = \"12k/s\"\nshape = \"by day", 12_000.0);
    for engine in ["hbase", "bigtable", "tikv", "foundationdb", "cockroachdb"] {
        for (rate, peak) in [constant, bursts, day] {
            for most in [30_000, 100_000] {
                let text = super::design(key, "means.at = \"milliseconds\"\nrows = \"1G\"", 4, rate);
                let text = text.replace("\"hbase\"", &format!("\"{engine}\"")).replace("= \"10k/s\"", "= \"5k/s\"");
                let found = of(&text, most, 1);
                let case = format!("{engine}, {peak}, {most}: {}", found.sentence);
                let saturation = found.saturates.as_ref().unwrap_or_else(|| panic!("{case}"));
                assert!((saturation.asked / peak - 1.0).abs() < 0.02, "{case}");
            }
        }
    }
}

#[test]
fn the_part_of_the_time_is_that_of_the_declared_shape() {
    // By day up to 12k, of which a server takes 10k: a sixth of the time.
    let rate = "6k/s\"\npeak = \"12k/s\"\nshape = \"by day";
    for most in [30_000, 300_000] {
        let found = of(&super::design("\"at: i64\"", "means.at = \"milliseconds\"", 4, rate), most, 1);
        let part = found.saturates.as_ref().unwrap().part;
        assert!((part - 1.0 / 6.0).abs() < 0.02, "{most} events, {part}: {}", found.sentence);
    }
}

/// Gets of uniform ids, of which the table has so many.
fn reads(engine: &str, ranges: u32, servers: u32, rate: f64) -> String {
    let query = format!("[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"{rate}/s\"\n");
    even(engine, ranges, servers, 1.0).replace("region.writes", "region.reads = \"10k/s\"\nregion.writes") + &query
}

#[test]
fn reads_are_told_as_writes_are() {
    for (ranges, servers, seed) in [(16, 5, 1), (16, 13, 2), (16, 30, 3), (37, 8, 4)] {
        for times in [0.5, 0.97, 1.03, 1.5] {
            let rate = times * TAKES / busiest(ranges, servers);
            let found = of(&reads("hbase", ranges, servers, rate), 30_000, seed);
            let case = format!("{ranges} ranges, {servers} servers, {times} times: {}", found.sentence);
            let near = |found: f64, exact: f64| assert!((found / exact - 1.0).abs() < 0.02, "{case}: {found}, {exact}");
            // Rows that are there are a sample of the ids.
            near(found.hottest_reader.unwrap().of_run, 1.0 / f64::from(ranges));
            near(found.sustained_reads.unwrap().of_run, TAKES / busiest(ranges, servers));
            assert_eq!(found.saturates.is_some(), times > 1.0, "{case}");
            if let Some(saturation) = found.saturates {
                assert!(saturation.part > 0.99 && (saturation.asked / (times * TAKES) - 1.0).abs() < 0.02, "{case}");
            }
        }
    }
}
