//! The samples that a design names: their paths, the split points that they give, and what they contradict.

use std::path::PathBuf;

use rowkey_design::design::Date;
use rowkey_design::profile::Profile;
use rowkey_design::sample::{Profiler, SampleUse};
use rowkey_design::{CheckOptions, Design, File};

const TEXT: &str = r#"
format = 1

[cluster.main]
engine = "hbase"

[table.visits]
key = ["host: text", "at: u32"]
sample = "keys/visits.tsv"
splits = { sample = "/data/visits.tsv", regions = 4 }

[table.visits.stats]
host = { distinct = 100_000 }
at = { distinct = 100_000 }

[[table.visits.query]]
name = "one host"
fix = ["host"]

[[table.visits.secondary]]
name = "by_time"
key = ["at: u32", "host: text"]
splits = { sample = "times.tsv", regions = 2 }
"#;

fn design(text: &str) -> Design {
    let file = File { name: "designs/visits.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn profile(design: &Design, secondary: Option<usize>, keys: u32) -> Profile {
    let path = design.sample_paths().into_iter().find(|path| path.secondary == secondary).unwrap();
    let layout = design.layout_of(&path).unwrap();
    let mut profiler = Profiler::new(layout, design.tables["visits"].split_points(secondary).as_ref());
    for i in 0..keys {
        let (host, at) = (rowkey::Value::Text(format!("host{:02}", i % 50)), rowkey::Value::Unsigned(i.into()));
        let values = if secondary.is_none() { [host, at] } else { [at, host] };
        profiler.add(&layout.encode(&values).unwrap());
    }
    profiler.finish()
}

#[test]
fn paths_are_from_the_design_file() {
    let paths = design(TEXT).sample_paths();
    let found: Vec<_> = paths.into_iter().map(|path| (path.secondary, path.what, path.path)).collect();
    let due = [
        (None, SampleUse::Statistics, PathBuf::from("designs/keys/visits.tsv")),
        (None, SampleUse::Splits(4), PathBuf::from("/data/visits.tsv")),
        (Some(0), SampleUse::Splits(2), PathBuf::from("designs/times.tsv")),
    ];
    assert_eq!(found, due);
}

#[test]
fn split_points_of_samples_are_those_of_the_table() {
    let mut design = design(TEXT);
    assert_eq!(design.tables["visits"].split_points(None), None);
    for path in design.sample_paths() {
        let profile = profile(&design, path.secondary, 1000);
        design.split_by_sample(&path, &profile).unwrap();
    }
    let visits = &design.tables["visits"];
    assert_eq!(visits.split_points(None).unwrap().regions(), 4);
    assert_eq!(visits.split_points(Some(0)).unwrap().regions(), 2);
    assert_eq!(profile(&design, None, 1000).regions, [250, 250, 250, 250]);
    assert_eq!(visits.split_points(Some(1)), None);
}

#[test]
fn a_sample_of_too_few_keys_is_a_problem_at_its_place() {
    let mut design = design(TEXT);
    let path = design.sample_paths().remove(1);
    let problem = design.split_by_sample(&path, &Profile::default()).unwrap_err();
    assert_eq!(design.files.text(problem.place), r#"{ sample = "/data/visits.tsv", regions = 4 }"#);
    assert_eq!(problem.message, "there are not enough keys for 4 regions: 0");
    let file = File { name: "v".to_owned(), text: TEXT.replace("regions = 4", "regions = 0") };
    let problems = Design::parse([file]).unwrap_err().to_string();
    assert!(problems.ends_with("expected a whole number from 1 to 4294967295, found the number 0"), "{problems}");
    assert_eq!(problems.lines().count(), 1);
}

#[test]
fn numbers_that_a_sample_contradicts_are_noted_and_used() {
    let design = design(TEXT);
    let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    assert_eq!(design.check(&options).notes, []);
    options.profiles.insert("visits".to_owned(), profile(&design, None, 1000));
    let report = design.check(&options);
    // `at` has as many values as the sample has keys: the sample may be a part.
    let [note] = report.notes.as_slice() else { panic!("{:?}", report.notes) };
    assert_eq!(note.message, r#""host" has 100k values here and about 50 in the sample"#);
    assert_eq!(design.files.text(note.place), "100_000");
    let facts = rowkey_design::facts::KeyFacts::of(&design.tables["visits"], options.profiles.get("visits"));
    assert_eq!(facts.fields[0].spread.unwrap().distinct, 100_000.0);
    let few = self::design(&TEXT.replace("at = { distinct = 100_000 }", "at = { distinct = 30 }"));
    let notes = few.check(&options).notes;
    assert!(notes.iter().any(|note| note.message.starts_with(r#""at" has 30 values here and about"#)), "{notes:?}");
}

#[test]
fn a_sample_of_which_no_key_decodes_says_nothing_of_fields() {
    let design = design(&TEXT.replace("host = { distinct = 100_000 }", ""));
    let path = design.sample_paths().remove(0);
    let mut profiler = Profiler::new(design.layout_of(&path).unwrap(), None);
    profiler.add(b"\x01");
    let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    options.profiles.insert("visits".to_owned(), profiler.finish());
    let visits = &design.tables["visits"];
    let facts = |profile| rowkey_design::facts::KeyFacts::of(visits, profile);
    let (with, without) = (facts(options.profiles.get("visits")), facts(None));
    assert_eq!((with.fields[0].spread, with.bytes), (without.fields[0].spread, without.bytes));
    assert_eq!(design.check(&options).notes, []);
}
