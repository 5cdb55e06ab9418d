use crate::{answer, nobody_reads, output, run};

const NONE: [&str; 0] = [];

/// City, time, temperature.
fn sample() -> Vec<(&'static str, &'static str, &'static str)> {
    let lines = include_str!("../../examples/data/temperatures.tsv").lines().skip(1);
    lines.map(|line| line.split('\t').collect::<Vec<_>>()).map(|row| (row[0], row[1], row[2])).collect()
}

/// The rows as the example prints them: `2010-02-14 06:00 seattle 39.4 °F`, blanks apart.
fn printed<'r>(rows: impl IntoIterator<Item = &'r (&'static str, &'static str, &'static str)>) -> Vec<String> {
    let row = |(city, time, fahrenheit): &(&str, &str, &str)| {
        format!("{} {} {city} {fahrenheit} °F", &time[..10], &time[11..16])
    };
    rows.into_iter().map(row).collect()
}

#[test]
fn answers_are_those_of_sort_and_filter() {
    let out = output("quickstart", &NONE);
    let mut newest = sample();
    newest.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    assert!(out.contains(&format!("Stored {} readings", newest.len())));
    let seattle: Vec<_> = newest.iter().copied().filter(|row| row.0 == "seattle").collect();
    let at = |hours: &[&str]| printed(seattle.iter().filter(|row| hours.contains(&&row.1[..13])));

    let check = |title: &str, read: std::ops::RangeInclusive<u64>, due: Vec<String>| {
        let answer = answer(&out, title);
        let rows: Vec<_> = answer.rows.iter().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(rows, due, "{title}");
        assert_eq!(answer.returned, due.len() as u64, "{title}");
        assert!(read.contains(&answer.read), "{title}: {} rows read", answer.read);
    };
    check("Seattle, newest first", 3..=3, printed(&seattle[..3]));
    check("Seattle, oldest first", 3..=3, printed(seattle.iter().rev().take(3)));
    check("Seattle, 14 February", 3..=3, at(&["2010-02-14T06", "2010-02-14T07", "2010-02-14T08"]));
    check("Seattle, noon", 3..=3, at(&["2010-01-01T12", "2010-02-01T12", "2010-03-01T12"]));
    let noon = newest.iter().filter(|row| ["2010-02-14T12", "2010-02-14T13"].contains(&&row.1[..13]));
    check("Both cities, 14 February", 4..=4, printed(noon));
    // Eight buckets, and in each no more than the limit.
    check("Both cities, newest first", 4..=32, printed(&newest[..4]));
    check("The next page", 4..=32, printed(&newest[4..8]));
}

#[test]
fn what_is_kept_in_a_directory_is_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("readings");
    let args = ["--path", path.to_str().unwrap()];
    let first = output("quickstart", &args);
    assert_eq!(first, output("quickstart", &NONE), "the same rows, in memory or not");
    let again = output("quickstart", &args);
    assert_eq!(again, first.replacen("Stored", "Found", 1));

    std::fs::write(directory.path().join("letter.txt"), "").unwrap();
    let foreign = run("quickstart", &["--path", directory.path().to_str().unwrap()], b"");
    assert_eq!(foreign.status.code(), Some(1));
    assert!(foreign.stderr.contains("it contains other files"), "{}", foreign.stderr);
}

#[test]
fn shows_the_bytes_of_a_key() {
    let out = output("quickstart", &NONE);
    for due in [
        "   0..8   city      text      73 65 61 74 74 6c 65 00  \"seattle\"  ends at 00",
        "   8..10  at.year   u16 desc  f8 25                    2010",
        "shape        text, (u16, u8, u8, u8) desc",
        "fingerprint  9164d0f6131bf896",
    ] {
        assert!(out.contains(due), "no {due:?} in\n{out}");
    }
    assert!(out.lines().count() < 60);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("quickstart", &NONE);
}
