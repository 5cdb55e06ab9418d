//! The course of rates, and what servers take in bytes: what is refused, what is assumed, and what `check` makes of it.

use proptest::prelude::*;
use rowkey_design::internal::load::{Capacity, Rates, WriteLoad};
use rowkey_design::internal::{cost, facts::KeyFacts};
use rowkey_design::{CheckOptions, Date, Design, File, Report};

fn parse(text: &str) -> Result<Design, String> {
    Design::parse([File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() }])
        .map_err(|problems| problems.to_string())
}

/// A table of visits by time, with more lines for its cluster, its family and its write.
fn visits(region: &str, family: &str, write: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\n{region}\n[table.t]\nkey = [\"at: instant\", \"host: \
         text\"]\n[table.t.family.d]\ncolumns = [\"v\"]\nsizes.v = \"1 kB\"\n{family}\n[[table.t.write]]\nname = \
         \"w\"\n{write}\n"
    )
}

fn check(text: &str) -> Report {
    let design = parse(text).unwrap_or_else(|problems| panic!("{problems}"));
    design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }))
}

fn has(report: &Report, id: &str) -> bool {
    report.findings.iter().any(|finding| finding.rule.id == id)
}

#[test]
fn what_cannot_be_is_told() {
    let cluster = |engine: &str, line: &str| {
        format!("format = 1\n[cluster.c]\nengine = \"{engine}\"\n{line}\n[table.t]\nkey = [\"a: u64\"]\n")
    };
    let cases = [
        (visits("", "", "shape = \"bursts of 2 h every 1 h\""), "a burst of 2 h is not shorter than the 1 h"),
        (visits("", "", "shape = \"daily\"\nrate = \"1/s\""), "write `by day`"),
        (visits("", "", "shape = \"bursts\"\nrate = \"1/s\""), "`bursts of 10 min every 1 h`"),
        (visits("", "", "shape = \"by day\""), "`shape`, but there is no rate"),
        (
            visits("", "", "shape = \"constant\"\nrate = \"1/s\"\npeak = \"2/s\""),
            "the rate is constant, but `peak` is 2/s",
        ),
        (
            visits("", "", "shape = \"bursts of 30 min every 1 h\"\nrate = \"1/s\"\npeak = \"4/s\""),
            "bursts at 4/s are 2/s on average, but `rate` is 1/s",
        ),
        (visits("", "on_disk = 0", ""), "a number from 0.001 to 2"),
        (visits("", "on_disk = 2.5", ""), "a number from 0.001 to 2"),
        (visits("region.bytes = \"50 MB\"", "", ""), "is not a rate of bytes"),
        (visits("region.split = \"SteppingSplitPolicy\"", "", ""), "write `stepping`"),
        (visits("region.split_policy = \"constant\"", "", ""), "write `split = \"constant\"`"),
        (visits("region.bandwidth = \"5 MB/s\"", "", ""), "write `bytes = \"50 MB/s\"`"),
        (visits("", "compression_ratio = 0.4", ""), "write `on_disk = 0.4`"),
        (visits("", "", "burst = \"5 min\""), "write `shape = "),
        (visits("balancer = \"on\"", "", ""), "{ period = \"5 min\" }"),
        (visits("balancer = { period = \"0 s\" }", "", ""), "it has to be more than 0"),
        (cluster("bigtable", "region.split = \"constant\""), "`region.split` is of HBase, but the engine is bigtable"),
        (cluster("tikv", "balancer = \"off\""), "`balancer` is of HBase, but the engine is tikv"),
    ];
    for (text, expected) in cases {
        let problems = parse(&text).expect_err(&text);
        assert!(problems.contains(expected), "{expected}: {problems}");
        assert_eq!(problems.lines().count(), 1, "{problems}");
    }
    for fine in ["region.split = \"disabled\"\nbalancer = \"off\"", "balancer = { period = \"5 min\" }"] {
        assert!(parse(&visits(fine, "on_disk = 0.4", "")).is_ok(), "{fine}");
    }
}

#[test]
fn a_burst_is_judged_at_its_peak() {
    let write = |lines: &str| visits("", "", &format!("rate = \"3k/s\"\n{lines}"));
    assert!(!has(&check(&write("")), "H01"));
    let assumed = check(&write("shape = \"bursts of 10 min every 1 h\""));
    assert!(has(&assumed, "H01"));
    assert_eq!(assumed.assumed, ["the rate of \"w\" is 18k/s at its peak: say `peak = …`"]);
    let said = check(&write("shape = \"bursts of 10 min every 1 h\"\npeak = \"5k/s\""));
    assert!(!has(&said, "H01") && said.assumed.is_empty());
}

#[test]
fn a_server_takes_fewer_rows_the_larger_they_are() {
    let all = |bytes: &str| check(&visits(bytes, "", "rate = \"8k/s\""));
    assert!(!has(&all(""), "H01") && !has(&all("region.bytes = \"50 MB/s\""), "H01"));
    assert!(has(&all("region.bytes = \"5 MB/s\""), "H01"));
    assert!(!has(&all("region.bytes = \"3 MB/s\""), "H24") && has(&all("region.bytes = \"2 MB/s\""), "H24"));
    let text = visits("region.bytes = \"5 MB/s\"", "", "rate = \"8k/s\"");
    let design = parse(&text).unwrap();
    let table = &design.tables["t"];
    let (key, cluster) = (KeyFacts::of(table, None), design.clusters.get("c").map(|cluster| &cluster.value));
    let load = WriteLoad::of(&table.table.write[0], &key);
    let takes = Capacity::of(table, cluster).takes(&load);
    assert_eq!(takes * cost::bytes_per_put(table, &key, &table.table.write[0]), 5e6);
}

#[test]
fn small_files_split_late() {
    let write = "rate = \"1k/s\"";
    let on_disk = |family: &str| has(&check(&visits("", family, write)), "H10");
    assert!(on_disk("") && on_disk("on_disk = 0.8") && !on_disk("on_disk = 0.2"));
    let policy = |policy: &str| has(&check(&visits(&format!("region.split = \"{policy}\""), "", write)), "H10");
    assert!(policy("stepping") && policy("increasing") && policy("constant"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_period_has_the_average_and_the_peak(
        rate in 1u32..10_000,
        times in prop::option::of(100u32..500),
        minutes in 1u32..50,
        more in 1u32..100,
        by_day: bool,
        peak_alone: bool,
    ) {
        let every = minutes + more;
        let shape = if by_day { "by day".to_owned() } else { format!("bursts of {minutes} min every {every} min") };
        // No burst has more than all there is.
        let most = if by_day { u32::MAX } else { rate * every / minutes };
        let peak = times.map(|times| (rate * times / 100).clamp(rate, most.max(rate)));
        let said = match (peak, peak_alone) {
            (Some(peak), false) => format!("rate = \"{rate}/s\"\npeak = \"{peak}/s\""),
            (Some(peak), true) => format!("peak = \"{peak}/s\""),
            (None, _) => format!("rate = \"{rate}/s\""),
        };
        let design = parse(&visits("", "", &format!("{said}\nshape = \"{shape}\""))).map_err(TestCaseError::fail)?;
        let rates = Rates::of_write(&design.tables["t"].table.write[0]).unwrap();
        let period = rates.period();
        let seconds: f64 = period.iter().map(|piece| piece.seconds).sum();
        let rows: f64 = period.iter().map(|piece| piece.seconds * (piece.from + piece.to) / 2.0).sum();
        let most = period.iter().flat_map(|piece| [piece.from, piece.to]).fold(0.0, f64::max);
        prop_assert!((rows / seconds / rates.mean - 1.0).abs() < 0.02, "{rows} in {seconds}: {rates:?}");
        prop_assert_eq!(most, rates.peak);
        prop_assert!(rates.peak >= rates.mean);
        if !(peak.is_some() && peak_alone) {
            prop_assert_eq!(rates.mean, f64::from(rate));
        }
        if let Some(peak) = peak {
            prop_assert_eq!(rates.peak, f64::from(peak));
        }
    }
}

#[test]
fn what_one_process_takes_is_not_for_its_cluster_to_say() {
    let key = "at: instant";
    let of = |engine: &str, cluster: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n{cluster}\n[table.t]\nkey = [\"{key}\", \"host: text\"]\n\
             rows = \"1M\"\n[[table.t.write]]\nname = \"w\"\nrate = \"90k/s\"\n[[table.t.query]]\nname = \"q\"\n\
             fix = [\"at\"]\nrate = \"90k/s\"\n[[table.other.write]]\nname = \"w\"\nrate = \"90k/s\"\n[table.other]\n\
             key = [\"at: instant\"]\n"
        )
    };
    for (engine, cluster, due) in [
        ("rocksdb", "", None),
        ("rocksdb", "servers = 6", Some("rocksdb is one process, which takes all: `servers` means nothing")),
        (
            "fjall",
            "servers = 1\nregion.reads = \"10k/s\"",
            Some("fjall is one process, which takes all: `servers` and `region.reads` mean nothing"),
        ),
        ("hbase", "servers = 6\nregion.reads = \"10k/s\"", None),
    ] {
        let text = of(engine, cluster);
        let (design, options) = (parse(&text).unwrap(), CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        let (checked, suggested) = (design.check(&options), design.suggest("t", &options).unwrap());
        for assumed in [&checked.assumed, &suggested.assumed] {
            let told: Vec<&String> = assumed.iter().filter(|assumed| assumed.contains("nothing")).collect();
            assert_eq!(told, due.into_iter().collect::<Vec<_>>(), "{engine} {cluster}");
        }
        // What it says changes nothing else.
        let (bare, is_one) = (check(&of(engine, "")), engine != "hbase");
        let ids = |report: &Report| report.findings.iter().map(|finding| finding.rule.id).collect::<Vec<_>>();
        assert_eq!(ids(&bare) == ids(&checked), is_one, "{engine} {cluster}: {:?} {:?}", ids(&bare), ids(&checked));
        assert!(!is_one || suggested.candidates[0].current, "{engine} {cluster}");
    }
}
