//! Studies on a real HBase, which print what they print in memory. `servers/hbase/test-tables` starts one and runs these.

mod opentsdb;

use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use crate::{PROGRAMS, Run, run};

/// The server's hbase-site.xml.
fn site() -> String {
    std::env::var("ROWKEY_HBASE").expect("ROWKEY_HBASE is the path of an hbase-site.xml")
}

/// A study on HBase, in a namespace that no other run has.
fn on_hbase(study: &str, namespace: &str, args: &[&str]) -> Run {
    let namespace = format!("{namespace}{}", std::process::id());
    let (site, engine) = (site(), ["--hbase"]);
    let args: Vec<&str> = args.iter().copied().chain(engine).chain([&*site, "--namespace", &namespace]).collect();
    run(study, &args, b"")
}

/// What is not compared: tables of what an engine was asked or promises. Their titles have these texts.
const OF_ENGINES: [(&str, &[&str]); 6] = [
    ("inbox", &["Pages of ", "What changes atomically", "What changes cost", "Looked at while it changes"]),
    ("ip_country", &["One value, and a column a field"]),
    ("links", &["What the forms cost", ", each read whole", ", and their roll-up"]),
    ("locations", &["Renamed, to see it"]),
    ("metrics", &[", and what the first query reads"]),
    ("students", &["What a change costs"]),
];

/// The lines of a study without what an engine was asked.
fn printed(study: &str, out: &str) -> Vec<String> {
    let titles = OF_ENGINES.iter().find(|(name, _)| *name == study).map_or(&[][..], |(_, titles)| titles);
    let is_compared = |block: &&str| {
        let title = block.trim_start().lines().next().unwrap_or_default();
        !titles.iter().any(|text| title.contains(text))
    };
    let line = |line: &str| match line.split_once("; returned ") {
        Some((read, returned)) if read.starts_with("  read ") => format!("  returned {returned}"),
        _ => line.to_owned(),
    };
    out.split("\n\n").filter(is_compared).flat_map(|block| block.lines().map(line)).collect()
}

/// The studies that are run by default: all else with `ROWKEY_LONG`.
const SHORT: [&str; 5] = ["cities", "four_designs", "inbox", "locations", "metrics"];

/// Studies that run at a time: they wait for the server more than they compute.
const AT_ONCE: usize = 4;

#[test]
#[ignore = "needs ROWKEY_HBASE, and the feature hbase"]
fn every_study_prints_what_it_prints_in_memory() {
    let is_long = std::env::var_os("ROWKEY_LONG").is_some();
    // A log's maker has no tables, and `weblogs` is refused.
    let studies = PROGRAMS.iter().filter(|name| !["make_log", "weblogs"].contains(name));
    let studies = Mutex::new(studies.filter(|name| is_long || SHORT.contains(name)));
    let next = || studies.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(study) = next() {
                    let args: &[&str] = match *study {
                        "ip_country" => &["--random", "300"],
                        "metrics" => &["--log", concat!(env!("CARGO_MANIFEST_DIR"), "/data/access.log.gz")],
                        _ => &[],
                    };
                    let begun = Instant::now();
                    let [here, there] = [run(study, args, b""), on_hbase(study, study, args)];
                    eprintln!("{study}: {:.1} s", begun.elapsed().as_secs_f64());
                    assert!(
                        here.status.success() && there.status.success(),
                        "{study}: {}{}",
                        here.stderr,
                        there.stderr
                    );
                    assert_eq!((&*here.stderr, &*there.stderr), ("", ""), "{study}");
                    let [here, there] = [here, there].map(|ran| printed(study, &ran.stdout));
                    let differ = here.iter().zip(&there).find(|(here, there)| here != there);
                    assert_eq!((differ, here.len()), (None, there.len()), "{study}: in memory, and on HBase");
                    assert!(
                        here.iter().filter(|line| line.starts_with("  returned ")).count() > 1,
                        "{study}: {here:?}"
                    );
                }
            });
        }
    });
}

#[test]
#[ignore = "needs ROWKEY_HBASE, and the feature hbase"]
fn tables_of_another_run_are_left_alone() {
    let kept = on_hbase("tiles", "kept", &["--keep"]);
    assert!(kept.status.success(), "{}", kept.stderr);
    assert!(kept.stderr.starts_with("the tables of tiles are in the namespace kept"), "{}", kept.stderr);
    // Nor is the namespace dropped by a run that did not create it.
    for _ in 0..2 {
        let again = on_hbase("tiles", "kept", &[]);
        assert!(!again.status.success() && again.stdout.is_empty(), "{}", again.stdout);
        assert!(again.stderr.starts_with("error: the namespace kept"), "{}", again.stderr);
        assert!(again.stderr.contains("`--namespace NAME` takes another"), "{}", again.stderr);
    }
}

#[test]
#[ignore = "needs ROWKEY_HBASE, and the feature hbase"]
fn a_run_drops_its_tables_so_that_the_next_one_can_begin() {
    for args in [&["no-such-file"][..], &[], &["no-such-file"]] {
        let ran = on_hbase("tiles", "again", args);
        assert_eq!(ran.status.success(), args.is_empty(), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("no-such-file"), !args.is_empty(), "{}", ran.stderr);
    }
}

#[test]
fn what_servers_do_not_have_is_refused_with_its_reason() {
    let ran = run("weblogs", &["--hbase", "no-such-file"], b"");
    let said = "error: weblogs does not run on HBase: its counters and visits expire by the time of the log, and \
                servers go by their own clocks\n";
    assert_eq!((ran.status.success(), &*ran.stdout, &*ran.stderr), (false, "", said));
}

#[test]
fn a_program_without_hbase_says_how_to_build_one_that_has_it() {
    let ran = run("tiles", &["--hbase", "no-such-file"], b"");
    assert!(!ran.status.success() && ran.stdout.is_empty(), "{}", ran.stdout);
    match cfg!(feature = "hbase") {
        true => {
            assert!(ran.stderr.starts_with("error: HBase: ") && ran.stderr.contains("no-such-file"), "{}", ran.stderr)
        }
        false => assert!(ran.stderr.contains("--features hbase -- tiles --hbase SITE.XML"), "{}", ran.stderr),
    }
    let ran = run("tiles", &["--keep"], b"");
    assert!(!ran.status.success() && ran.stderr.contains("--hbase <SITE.XML>"), "{}", ran.stderr);
}
