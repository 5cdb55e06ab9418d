//! The samples that a design names: their paths, the split points that they give, and what they contradict.

use std::path::PathBuf;

use rowkey_design::internal::profile::Profile;
use rowkey_design::internal::sample::{Profiler, SampleUse};
use rowkey_design::{CheckOptions, Date, Design, File};

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
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    assert_eq!(design.check(&options).notes, []);
    let profile = profile(&design, None, 1000);
    let options = options.profile("visits", profile.clone());
    let report = design.check(&options);
    // `at` has as many values as the sample has keys: the sample may be a part.
    let [note] = report.notes.as_slice() else { panic!("{:?}", report.notes) };
    assert_eq!(note.message, r#""host" has 100k values here and about 50 in the sample"#);
    assert_eq!(design.files.text(note.place), "100_000");
    let facts = rowkey_design::internal::facts::KeyFacts::of(&design.tables["visits"], Some(&profile));
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
    let profile = profiler.finish();
    let visits = &design.tables["visits"];
    let facts = |profile| rowkey_design::internal::facts::KeyFacts::of(visits, profile);
    let (with, without) = (facts(Some(&profile)), facts(None));
    assert_eq!((with.fields[0].spread, with.bytes), (without.fields[0].spread, without.bytes));
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("visits", profile);
    assert_eq!(design.check(&options).notes, []);
}

/// A profile of keys `0..`, each with the bytes of its row's values.
fn sized(design: &Design, splits: bool, sizes: &[u64]) -> Profile {
    let table = &design.tables["t"];
    let points = if splits { table.split_points(None) } else { None };
    let mut profiler = Profiler::new(&table.layout, points.as_ref());
    for (line, size) in (0u32..).zip(sizes) {
        profiler.add_line(line.into(), &line.to_be_bytes(), Some(*size));
    }
    profiler.finish()
}

#[test]
fn regions_of_a_sample_with_sizes_have_as_many_bytes() {
    let text = "format = 1\n[table.t]\nkey = [\"a: u32\"]\nsplits = { sample = \"keys\", regions = 4 }\n";
    let mut design = design(text);
    let path = design.sample_paths().remove(0);
    // Of 2000 rows, each of the first 500 is as large as all others together.
    let sizes: Vec<u64> = (0..2000).map(|row| if row < 500 { 100_000 } else { 1 }).collect();
    let sample = sized(&design, false, &sizes);
    design.split_by_sample(&path, &sample).unwrap();
    let sample = sized(&design, true, &sizes);
    assert!(sample.region_bytes.iter().all(|bytes| bytes.abs_diff(12_501_875) < 100_004), "{:?}", sample.region_bytes);
    assert_eq!(sample.regions.iter().sum::<u64>(), 2000);
    // They are even, though most keys are in one region; split by keys alone they are not.
    let found = |design: &Design, sample: Profile| {
        design
            .check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("t", sample))
            .findings
            .into_iter()
            .find(|finding| finding.rule.id == "H09")
            .map(|finding| finding.message)
    };
    assert_eq!(found(&design, sample), None);
    let even = self::design(
        "format = 1\n[table.t]\nkey = [\"a: u32\"]\nsplits = { keys = [\"000001f4\", \"000003e8\", \"000005dc\"] }\n",
    );
    let sample = sized(&even, true, &sizes);
    assert_eq!(sample.regions, [500; 4]);
    let message = found(&even, sample).unwrap();
    assert_eq!(message, "of 4 regions the fullest has 4.0 times the mean of the sample's bytes, and 0 % have none");
}

#[test]
fn sizes_of_a_sample_are_those_of_values_that_the_file_says_none_of() {
    let cell = |column: &str| 4.0 + 1.0 + 20.0 + column.len() as f64;
    for (families, engine, bytes, findings) in [
        // Where there is no family, a row is one value.
        ("", "foundationdb", 4.0 + 9e7, vec!["F06"]),
        ("", "hbase", 4.0 + 9e7, vec!["F06", "H10"]),
        ("family.f = {}", "hbase", cell("") + 9e7, vec!["F06", "H10"]),
        ("family.f.columns = [\"v\"]", "hbase", cell("v") + 9e7, vec!["F06", "H10"]),
        ("family.f.columns = [\"v\", \"w\"]", "hbase", 2.0 * cell("v") + 9e7, vec!["F06", "F06", "H10"]),
        (
            "family.f = { columns = [\"v\", \"w\"], sizes.v = \"100 B\" }",
            "hbase",
            2.0 * cell("v") + 9e7,
            vec!["F06", "H10"],
        ),
        // Numbers of the file go before those of the sample.
        ("family.f = { columns = [\"v\"], sizes.v = \"100 B\" }", "hbase", cell("v") + 100.0, vec![]),
        (
            "family.f.columns = { name = \"n: u16\", per_row = 1000 }",
            "hbase",
            1000.0 * (cell("") + 2.0) + 9e7,
            vec!["H10"],
        ),
    ] {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u32\"]\nunique = \"upsert\"\nrows = \"1M\"\n{families}\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"10/s\"\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\n"
        );
        let design = design(&text);
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let found = |options: &CheckOptions| {
            let report = design.check(options);
            let rules = report.findings.iter().map(|finding| finding.rule.id).filter(|id| ["F06", "H10"].contains(id));
            let mut rules: Vec<&str> = rules.collect();
            rules.sort_unstable();
            rules
        };
        assert_eq!(found(&options), [""; 0], "{families}");
        let options = options.profile("t", sized(&design, false, &[9e7 as u64; 20]));
        assert_eq!(found(&options), findings, "{engine} {families}");
        let (_, costs) = design.query_costs(&options).next().unwrap();
        assert_eq!(costs[0].bytes_read, Some(bytes), "{families}");
    }
}

/// A number of values in the file is a number, and says nothing of how even they are: a sample does, unless the file
/// has `skew`.
#[test]
fn a_declared_number_of_values_leaves_what_a_sample_says_of_their_evenness() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 12\n[table.t]\nkey = [\"m: u32\", \"at: i64\"]\n\
                means.at = \"milliseconds\"\nsplits = { uniform = 12 }\n[[table.t.write]]\nname = \"w\"\n\
                rate = \"60k/s\"\norder = \"time\"\n[table.t.stats]\n";
    let found = |stats: &str, m: fn(u32) -> u32| {
        let design = design(&format!("{text}{stats}"));
        let table = &design.tables["t"];
        let mut profiler = Profiler::new(&table.layout, None);
        for i in 0..10_000 {
            let values = [rowkey::Value::Unsigned(m(i).into()), rowkey::Value::Signed(i64::from(i).into())];
            profiler.add(&table.layout.encode(&values).unwrap());
        }
        let profile = profiler.finish();
        let spread = rowkey_design::internal::facts::KeyFacts::of(table, Some(&profile)).fields[0].spread.unwrap();
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("t", profile);
        let found: Vec<_> = design.check(&options).findings.iter().map(|finding| finding.rule.id).collect();
        (["H04", "H21", "H23"].map(|rule| found.contains(&rule)), spread)
    };
    let skewed: fn(u32) -> u32 = |i| if i % 10 == 0 { i % 1000 / 10 } else { 7 };
    assert_eq!(found("", skewed).0, [true; 3]);
    for distinct in [100.0, 1e6] {
        let (ids, spread) = found(&format!("m = {{ distinct = {distinct} }}\n"), skewed);
        assert_eq!((ids, spread.distinct), ([true; 3], distinct));
        assert!(spread.n_eff < 1.3 && (0.85..0.95).contains(&spread.p_max), "{spread:?}");
    }
    assert_eq!(found("m = { distinct = 100, skew = \"uniform\" }\n", skewed).0, [false; 3]);
    // An even sample of fewer keys than there are values does not make them fewer.
    let (ids, spread) = found("m = { distinct = 1_000_000 }\n", |i| i.wrapping_mul(2_654_435_761));
    assert!(ids == [false; 3] && spread.n_eff > 500_000.0 && spread.p_max < 0.001, "{spread:?}");
}

/// Split points that no key is on both sides of: of buckets, constants, numbers that grow, truths. The first is of all
/// that there are.
#[test]
fn split_points_are_held_against_the_keys_that_there_can_be() {
    let outside = |table: &str| {
        let text = format!("format = 1\n[table.t]\n{table}\n");
        let report = self::design(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        let finding = report.findings.into_iter().find(|finding| finding.rule.id == "H09")?;
        finding.message.split(" split points").next().map(str::to_owned)
    };
    let uniform = "splits = { uniform = 16 }";
    for (table, expected) in [
        (
            "key = [\"id: u64\"]\nsalt = { buckets = 4 }\nsplits = { keys = [\"01\", \"03\", \"04\", \"40\"] }",
            Some("2 of 4"),
        ),
        ("key = [\"id: u64\"]\nsalt = { buckets = 4 }\nsplits = \"buckets\"", None),
        ("key = [\"id: u64\"]\nsalt = { buckets = 64 }\nsplits = { keys = [\"10\", \"20\", \"30\"] }", None),
        (
            "key = [\"of: const['u#']\", \"id: text[end]\"]\nsplits = { keys = [\"20\", \"752361\", \"753a\"] }",
            Some("2 of 3"),
        ),
        ("key = [\"of: const['u#']\", \"id: text[end]\"]\nsplits = { keys = [\"752361\", \"7523ff\"] }", None),
        (&format!("key = [\"id: u64\"]\nmeans.id = \"sequence\"\nrows = \"10M\"\n{uniform}"), Some("15 of 15")),
        (&format!("key = [\"id: u64 desc\"]\nmeans.id = \"sequence\"\nrows = \"10M\"\n{uniform}"), Some("15 of 15")),
        (&format!("key = [\"id: u64\"]\nmeans.id = \"random\"\nrows = \"10M\"\n{uniform}"), None),
        (&format!("key = [\"id: i64\"]\n{uniform}"), None),
        (&format!("key = [\"at: instant\"]\n{uniform}"), Some("15 of 15")),
        ("key = [\"at: i64\"]\nmeans.at = \"seconds\"\nsplits = { keys = [\"8000000055000000\"] }", None),
        ("key = [\"ok: bool\", \"id: u64\"]\nsplits = { keys = [\"01\"] }", None),
        ("key = [\"ok: bool\", \"id: u64\"]\nsplits = { keys = [\"80\"] }", Some("1 of 1")),
    ] {
        assert_eq!(outside(table).as_deref(), expected, "{table}");
    }
}

/// A number of rows that the rates cannot make, or make in no time.
#[test]
fn rows_are_held_against_rates_and_the_time_they_are_kept() {
    let noted = |key: &str, rows: &str, rate: &str, ttl: &str| {
        let write = format!("[[table.t.write]]\nname = \"w\"\nrate = \"{rate}\"\n");
        let text =
            format!("format = 1\n[table.t]\nkey = [\"{key}\"]\nrows = \"{rows}\"\n{write}[table.t.family.f]\n{ttl}\n");
        let report = self::design(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        report.notes.first().map(|note| note.message.clone())
    };
    let day = "ttl = \"1 day\"";
    let more = noted("id: u64", "1000G", "10/s", day).unwrap();
    assert_eq!(more, "`rows` is 1T, but 10/s kept for 1 day are 864k at most");
    assert_eq!(noted("id: u64", "1M", "10/s", day), None);
    assert_eq!(noted("id: u64", "1000G", "10/s", ""), None);
    let fewer = noted("at: instant", "1000", "100k/s", "").unwrap();
    assert_eq!(fewer, "`rows` is 1k, but 100k/s in 1 day are 8.64G, each a new row");
    assert_eq!(noted("id: u64", "1000", "100k/s", ""), None);
}
