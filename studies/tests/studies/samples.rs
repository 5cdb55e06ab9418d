//! Every study runs without an argument, from any directory, on a sample that is in the repository.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rowkey_studies::sample;

use crate::{NONE, PROGRAMS, program, run, unpacked};

/// For each study, some lines that it prints without an argument: how much it read, and results that only a correct
/// study prints. The study's own tests compare its whole output.
const PRINTED: [(&str, &[&str]); 21] = [
    (
        "access_log",
        &[
            "the sample: 3,015 lines read, 0 malformed",
            "  2024-05-01T00:00:00+00:00  1,263 hits  33 errors  23,152,193 bytes",
            "  2024-06-01T00:00:00+00:00  1,752 hits  52 errors  34,087,856 bytes",
        ],
    ),
    ("actions", &["3,015 actions by 108 users", "Actions of 192.0.2.1, newest first, offset 20 limit 10"]),
    ("autocomplete", &["1000 cities of the sample", "\"b\" is typed", "  13,076,300  AR  Buenos Aires"]),
    ("boundaries", &["1000 cities of the sample", "Region a:jp", "  a:jp  46 cities in 3 tiles"]),
    ("cities", &["1000 cities of the sample", "     2500603  PPLA   İzmir (TR)", "     1739117  PPLA   Hamburg (DE)"]),
    (
        "crash_reports",
        &[
            "20,000 crash reports, all made up, with seed 2012",
            "Put together they are exactly what a sort of all rows gives.",
        ],
    ),
    (
        "four_designs",
        &[
            "3,015 lines read, 0 malformed",
            "│ sequential ┆ ██████████ 100.0 %                    ┆ ░░░░░░░░░░ 1.8 %   ┆ █░░░░░░░░░ 1.0 of 8        │",
            "│ promoted   ┆ ░░░░░░░░░░ 2.8 %                      ┆ ██████████ 100.0 % ┆ █████░░░░░ 4.0 of 8        │",
        ],
    ),
    ("friends", &["6,926 links of the sample", "  is needed by zxing-cpp-tools  (1.4.0-3+b1, utils, 244 KiB)"]),
    ("homepages", &["Under debian.org", "     913 github.com", "     269 metacpan.org"]),
    ("inbound", &["Domains of the name lantern", "       97  lantern.example", "       40  lantern.test"]),
    ("inbox", &["All mail of ada", "  read 774 rows, 774 cells in 1 seek; returned 774 rows, 774 cells"]),
    (
        "ip_country",
        &[
            "  1.1.1.1                                 AU   1.1.1.0 to 1.1.1.255",
            "  20,000 lookups agree with a sorted vector, 4,856 of them none",
        ],
    ),
    ("links", &["6,926 links of the sample", "  clang-16  1:16.0.6-15~deb12u1"]),
    ("locations", &["1,000 cities of 126 countries in the sample", "  New Buenos Aires  city 3435910"]),
    (
        "metrics",
        &[
            "4,318 readings, their times taken as UTC",
            "  2010-01-01  48 points  min 38.6  mean 44.8  max 53.3  sum 2150.9",
            "  read 336 rows, 336 cells in 8 seeks; returned 336 rows, 336 cells",
        ],
    ),
    ("next_record", &["1000 cities of the sample", "  41 tiles, each over as many cities as it counted"]),
    ("students", &["3,276 enrolments, all made up, with seed 2009", "  2009-1   67  algorithms"]),
    ("temperatures", &["4,318 readings in 4,318 rows, in 4 buckets", "seattle, 2010-03-14"]),
    ("tiles", &["1000 cities of the sample", "Tiles that hold 64 cities or less: 52"]),
    ("visits", &["3,015 visits by 108 visitors", "  2024-06-03T09:56:51Z  500          612  GET /blog/ HTTP/1.1"]),
    ("weblogs", &["3,015 lines read, 0 malformed", "Search terms of all visitors, by value", "     58  row key"]),
];

#[test]
fn every_study_runs_without_an_argument() {
    let nowhere = tempfile::tempdir().unwrap();
    let works = |(name, lines): (&str, &[&str])| {
        let output = program(name).current_dir(&nowhere).env_remove("ROWKEY_DATA").output().unwrap();
        let [out, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{name}: {errors}");
        assert_eq!(errors, "", "{name}");
        for line in lines {
            assert!(out.lines().any(|printed| printed == *line), "{name}: no {line:?} in\n{out}");
        }
    };
    let at_once = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let (next, works) = (&next, &works);
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(move || {
                while let Some(study) = PRINTED.get(next.fetch_add(1, Ordering::Relaxed)) {
                    works(*study);
                }
            });
        }
    });
    assert_eq!(nowhere.path().read_dir().unwrap().count(), 0, "a study leaves no file");
}

#[test]
fn no_program_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/study");
    let there = folder.read_dir().unwrap().map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.trim_end_matches(".rs").to_owned()
    });
    let there: BTreeSet<String> = there.filter(|name| name != "main").collect();
    assert_eq!(there, PROGRAMS.map(str::to_owned).into());
    // What makes a sample is no study.
    let studies = PRINTED.iter().map(|(name, _)| (*name).to_owned()).chain(["make_log".to_owned()]);
    assert_eq!(there, studies.collect());
    let listed = include_str!("../../README.md").lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed = listed.map(str::to_owned).chain(["make_log".to_owned()]);
    assert_eq!(there, listed.collect(), "the README's table");
}

#[test]
fn the_sample_log_is_what_make_log_makes() {
    let made = run("make_log", &NONE, b"");
    assert!(made.status.success(), "{}", made.stderr);
    assert!(made.stdout == unpacked(sample::ACCESS_LOG), "data/access.log.gz is not what make_log prints now");
}
