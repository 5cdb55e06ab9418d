//! Engines that place rows by a hash of the partition key.

use rowkey_design::{CheckOptions, Date, Design, File, Severity};
use rowkey_simulate::answer::NOTHING;
use rowkey_simulate::run::{Interval, Server};

use super::{Declared, Options, answers_once, options};

const ENGINES: [&str; 2] = ["dynamodb", "cassandra"];
const SERVERS: usize = 16;

/// A table of a key on an engine that hashes; each server takes 1000 writes and 3000 reads a second.
fn design(engine: &str, key: &str, more: &str, rate: u32, queries: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = {SERVERS}\nregion.writes = \"1k/s\"\n\
         region.reads = \"3k/s\"\n[table.t]\nkey = [{key}]\nkeep = \"forever\"\n{more}\n[table.t.family.v]\n\
         columns = [\"x\"]\nsizes = {{ x = \"100 B\" }}\n[[table.t.write]]\nname = \"w\"\nrate = \"{rate}/s\"\n\
         order = \"time\"\n{queries}"
    )
}

fn query(fix: &str, rate: u32) -> String {
    format!("[[table.t.query]]\nname = \"q\"\nfix = [{fix}]\nrate = \"{rate}/s\"\nlimit = 10\n")
}

fn parsed(text: &str) -> Design {
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]);
    design.unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The writes and the reads that each server counts in a run.
fn counts(text: &str) -> [Vec<u64>; 2] {
    let (design, check) = (parsed(text), CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    let run = Declared::of(&design, "t", None, &check).unwrap().simulate(&options(), |_| {}).unwrap();
    [|server: &Server| server.writes, |server: &Server| server.reads].map(|of| {
        let mut counts = vec![0; SERVERS];
        for Interval { servers, .. } in &run.intervals {
            counts.iter_mut().zip(servers).for_each(|(count, server)| *count += of(server));
        }
        counts
    })
}

/// True if `check` warns of the load.
fn is_warned(text: &str) -> bool {
    let report = parsed(text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    report.findings.iter().any(|finding| finding.rule.load().is_some() && finding.severity > Severity::Note)
}

#[test]
fn a_partition_key_that_grows_is_even_over_servers() {
    let sequence = "means = { id = \"sequence\" }";
    let keys = [
        ("\"id: u64\"", sequence),
        ("\"id: u64\", \"at: instant\"", sequence),
        ("\"at: instant\", \"id: u64\"", "means = { id = \"random\" }\npartition = [\"at\", \"id\"]"),
        ("\"host: text\", \"id: u64\"", "partition = [\"host\", \"id\"]\nmeans = { id = \"sequence\" }"),
    ];
    let is_long = std::env::var_os("ROWKEY_LONG").is_some();
    for (number, (engine, (key, more))) in
        (0..).zip(ENGINES.into_iter().flat_map(|engine| keys.map(|key| (engine, key))))
    {
        let sizes = ["", "rows = \"1G\"\n", "rows = 1000\n"];
        // Each size with some of the keys, or with all.
        for rows in sizes.into_iter().cycle().skip(number % 3).take(if is_long { 3 } else { 1 }) {
            let fix = key.split(", ").map(|field| format!("{}\"", field.split(':').next().unwrap_or(field)));
            let fix = fix.collect::<Vec<_>>().join(", ");
            let text = design(engine, key, &format!("{rows}{more}"), 10_000, &query(&fix, 10_000));
            for counts in counts(&text) {
                let mean = counts.iter().sum::<u64>() as f64 / SERVERS as f64;
                let is_even = |count: &u64| (*count as f64 / mean - 1.0).abs() < 0.25;
                assert!(counts.iter().all(is_even), "{engine} {key} {rows}: {counts:?}");
            }
            let found = answers_once(&text, &Options { most: 50_000, ..options() }).remove(0);
            assert!(found.saturates.is_none() && !is_warned(&text), "{engine} {key} {rows}: {}", found.sentence);
            assert!(found.sentence.starts_with(NOTHING), "{}", found.sentence);
        }
    }
}

#[test]
fn a_partition_is_on_one_server_whatever_its_sort_key_is() {
    for engine in ENGINES {
        for (key, fix) in [
            ("\"user: u32\", \"at: instant\"", "\"user\""),
            ("\"user: text\", \"at: instant desc\"", "\"user\""),
            ("\"user: bytes[3]\", \"id: u64\"", "\"user\""),
        ] {
            let of = |distinct: &str, rate: u32| {
                let more = format!("rows = \"1G\"\nstats.user = {{ distinct = {distinct} }}");
                design(engine, key, &more, rate, &query(fix, 3 * rate))
            };
            for counts in counts(&of("1", 500)) {
                let busy = counts.iter().filter(|count| **count > 0).count();
                assert_eq!(busy, 1, "{engine} {key}: {counts:?}");
            }
            let hot = of("1, skew = \"uniform\"", 5000);
            let found = answers_once(&hot, &options()).remove(0);
            assert!(found.saturates.is_some() && is_warned(&hot), "{engine} {key}: {}", found.sentence);
            let named = found.hottest_written.unwrap();
            assert!(named.start.0.is_empty() || named.label.starts_with("hash "), "{}", named.label);
        }
    }
}

#[test]
fn a_partition_of_each_second_takes_all_of_it_however_many_events_and_however_long() {
    let keys = [
        ("\"second: i64\", \"id: u32\"", "means = { second = \"time bucket\", id = \"random\" }", 1.0),
        // One of the devices has two thirds of the rows of each second.
        (
            "\"dev: u32\", \"second: i64\"",
            "means.second = \"time bucket\"\npartition = [\"dev\", \"second\"]\n\
             stats.dev = { distinct = 100000, skew = \"one value 0.6667\" }",
            0.6667,
        ),
    ];
    for (engine, (key, more, part)) in ENGINES.into_iter().flat_map(|engine| keys.map(|key| (engine, key))) {
        let of = |rate: u32, seconds: f64, most: u64| {
            let text = design(engine, key, &format!("{more}\nstats.second.bucket = \"1 s\""), rate, "");
            assert_eq!(is_warned(&text), f64::from(rate) * part > 1000.0, "{text}");
            answers_once(&text, &Options { seconds, most, ..Options::default() }).remove(0)
        };
        for (seconds, most) in [(60.0, 5000), (3600.0, 5000), (3600.0, 100_000), (86_400.0, 20_000), (1e8, 5000)] {
            let found = of(3000, seconds, most);
            let case = format!("{engine} {seconds} {most}: {}", found.sentence);
            let saturates = found.saturates.clone().unwrap_or_else(|| panic!("{case}"));
            assert!((saturates.asked / (3000.0 * part) - 1.0).abs() < 0.01 && saturates.part > 0.9999, "{case}");
            assert!((found.sustained.unwrap().of_run * part / 1000.0 - 1.0).abs() < 0.01, "{case}");
            let rule = if part < 1.0 { "H04" } else { "H01" };
            assert!(found.sentence.contains(" from the start: ") && found.sentence.contains(rule), "{case}");
            assert!(of(900, seconds, most).saturates.is_none(), "{case}");
        }
    }
    // Of a hundredth of a second, others are in other partitions before a second is over; nor does `check` warn.
    let (key, more, _) = keys[0];
    let text = design("dynamodb", key, &format!("{more}\nstats.second.bucket = \"10 ms\""), 3000, "");
    assert!(!is_warned(&text));
    assert!(answers_once(&text, &Options { seconds: 86_400.0, ..options() }).remove(0).saturates.is_none());
}

#[test]
fn what_a_partition_takes_is_documented_and_its_servers_are_no_cluster() {
    let text = design("dynamodb", "\"id: u64\"", "means.id = \"random\"", 2000, &query("\"id\"", 10));
    let text = text.replace("region.writes = \"1k/s\"\n", "").replace("region.reads = \"3k/s\"\n", "");
    let found = answers_once(&text.replace(&format!("servers = {SERVERS}\n"), ""), &options()).remove(0);
    let of = |word: &str| found.assumed.iter().filter(|assumed| assumed.contains(word)).count();
    assert_eq!(
        (of("a server takes"), of("the cluster has"), of("as many partitions")),
        (0, 0, 1),
        "{:?}",
        found.assumed
    );
    assert!(found.sentence.starts_with(NOTHING) && found.regions.count < 6, "{}", found.sentence);
}
