//! What is declared of a rate is told as it is, with each number of events and each length of a run.

use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Options;

use super::answers_once;

const DAY: f64 = 86_400.0;

/// A table whose servers take 10,000 writes a second each.
fn table(engine: &str, servers: u32, more: &str, write: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = {servers}\nregion.writes = \"10k/s\"\n\
         [table.t]\nkeep = \"forever\"\nrows = \"1G\"\n{more}\n[table.t.family.f]\ncolumns = [\"v\"]\nsizes = {{ v = \"100 B\" }}\n\
         [[table.t.write]]\nname = \"w\"\n{write}\n"
    )
}

fn answer(text: &str, seconds: f64, most: u64, seed: u64) -> Answer {
    answers_once(text, &Options { seconds, most, seed, ..Options::default() }).remove(0)
}

#[test]
fn a_constant_load_saturates_all_the_time() {
    let random = "key = [\"id: u64\"]\nmeans = { id = \"random\" }\nsplits = { uniform = 16 }";
    let hot = "key = [\"user: u32\", \"at: i64\"]\nmeans = { at = \"milliseconds\" }\n\
               stats.user = { distinct = 1000, skew = \"one value 0.9\" }";
    for (engine, more) in [("bigtable", random), ("cockroachdb", random), ("dynamodb", hot)] {
        let text = table(engine, 4, more, "rate = \"42k/s\"\norder = \"time\"");
        for (seconds, most) in [(DAY, 5000), (DAY, 20_000), (DAY, 30_000), (3600.0, 7000), (1e7, 30_000)] {
            let found = answer(&text, seconds, most, 1);
            let case = format!("{engine} {seconds} {most}: {}", found.sentence);
            let saturates = found.saturates.unwrap_or_else(|| panic!("{case}"));
            assert!(saturates.part > 0.9999 && !found.sentence.contains("% of the time"), "{case}");
        }
    }
}

#[test]
fn a_peak_by_day_is_the_declared_one() {
    let more = "key = [\"id: u64\"]\nmeans = { id = \"random\" }\nsplits = { uniform = 20 }";
    let by_day =
        |rate: &str| table("bigtable", 5, more, &format!("rate = \"{rate}\"\norder = \"random\"\nshape = \"by day\""));
    for (days, most) in [(1.0, 5000), (1.0, 100_000), (30.0, 5000), (30.0, 20_000), (30.0, 100_000), (3650.0, 20_000)] {
        // Each of five servers is asked for a fifth, at noon for twice as much: 12k, of which a sixth of the way up and
        // down is above 10k.
        let found = answer(&by_day("30k/s"), days * DAY, most, 1);
        let case = format!("{days} days, {most}: {}", found.sentence);
        let saturates = found.saturates.unwrap_or_else(|| panic!("{case}"));
        assert!((saturates.asked / 12_000.0 - 1.0).abs() < 1e-3 && !saturates.passes, "{case}");
        assert!((saturates.part * 6.0 - 1.0).abs() < 0.01, "{case} {}", saturates.part);
        assert!(!found.assumed.iter().any(|told| told.contains("told by their means")), "{:?}", found.assumed);
        let calm = answer(&by_day("24k/s"), days * DAY, most, 1);
        assert!(calm.saturates.is_none() && calm.sentence.contains("9.6k writes"), "{case}: {}", calm.sentence);
    }
}

#[test]
fn what_ends_when_a_table_is_split_passes_however_long_that_takes() {
    let more = "key = [\"dev: u32\", \"at: i64\"]\nmeans = { at = \"milliseconds\" }\nstats.dev = { distinct = 10000 }";
    let of = |shape: &str| table("hbase", 5, more, &format!("rate = \"20k/s\"\norder = \"time\"\n{shape}"));
    let all = [(3600.0, 5000), (3600.0, 20_000), (2000.0, 20_000), (20_000.0, 20_000)];
    for ((seconds, most), seed) in all.into_iter().flat_map(|of| [1, 2, 3].map(|seed| (of, seed))) {
        let found = answer(&of(""), seconds, most, seed);
        let case = format!("{seconds} {most} {seed}: {}", found.sentence);
        let saturates = found.saturates.unwrap_or_else(|| panic!("{case}"));
        assert!(saturates.passes && found.sentence.contains(", until the table is split"), "{case}");
    }
    // A load that is not so high at the end does not pass for that.
    for shape in
        ["peak = \"200k/s\"\nshape = \"bursts of 1 min every 20 min\"", "peak = \"110k/s\"\nshape = \"by day\""]
    {
        let found = answer(&of(shape), DAY, 50_000, 1);
        assert!(found.saturates.is_some_and(|saturates| !saturates.passes), "{shape}: {}", found.sentence);
    }
}

#[test]
fn an_assumed_rate_is_no_declared_peak() {
    // A bulk load as fast as the servers take it, of a table that is one region at first: it ends within a minute.
    let more = "key = [\"id: u64\"]\nmeans = { id = \"random\" }\nunique = \"upsert\"";
    let of =
        |rate: &str| table("hbase", 8, more, &format!("bulk = true\norder = \"key\"\n{rate}")).replace("1G", "600k");
    for most in [1000, 10_000, 100_000] {
        assert!(answer(&of(""), DAY, most, 1).saturates.is_none(), "{most}");
        let declared = answer(&of("rate = \"80k/s\""), DAY, most, 1).saturates.unwrap();
        assert!((declared.asked / 80_000.0 - 1.0).abs() < 1e-3, "{most}: {declared:?}");
    }
}

#[test]
fn a_peak_without_a_shape_is_said_not_to_be_run() {
    let more = "key = [\"id: u64\"]\nmeans = { id = \"random\" }\nsplits = { uniform = 20 }";
    let query = "\n[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"1k/s\"\npeak = \"2k/s\"";
    let of = |rate: &str| answer(&table("bigtable", 5, more, &format!("rate = \"30k/s\"\n{rate}")), 3600.0, 5000, 1);
    let is_said = |found: &Answer, name: &str| {
        let said =
            |line: &&String| line.starts_with(&format!("{name:?} goes on at its rate of ")) && line.contains("shape");
        found.assumed.iter().find(said).is_some()
    };
    let unshaped = of(&format!("peak = \"90k/s\"{query}"));
    assert!(is_said(&unshaped, "w") && is_said(&unshaped, "q"), "{:?}", unshaped.assumed);
    // `check` judges the peak, and is told beside the run.
    let sentence = &unshaped.sentence;
    assert!(
        unshaped.saturates.is_none() && sentence.contains("But `check` warns of the load, H24: 90k/s"),
        "{sentence}"
    );
    for shaped in ["peak = \"30k/s\"", "peak = \"60k/s\"\nshape = \"by day\"", ""] {
        assert!(!is_said(&of(shaped), "w"), "{shaped}");
    }
}
