//! The examples, run as a user runs them: each prints what it is there to show, and is short.

use std::path::Path;
use std::process::{Command, Output};

/// Cargo builds examples beside the tests, though not for `cargo test --test examples` alone.
fn run(name: &str, args: &[&str]) -> Output {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap().join("examples");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is not there: `cargo build --examples` makes it", path.display());
    Command::new(path).args(args).output().unwrap()
}

/// What an example printed, which has to succeed.
fn printed(name: &str, args: &[&str]) -> String {
    let output = run(name, args);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{name}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether an example printed these lines, in this order; others may stand between them.
fn shows(name: &str, lines: &[&str]) {
    let out = printed(name, &[]);
    let mut rest = out.lines();
    for line in lines {
        assert!(rest.any(|printed| printed == *line), "{name}: no {line:?} where it is due in\n{out}");
    }
}

#[test]
fn each_is_at_most_sixty_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in &names {
        let lines = std::fs::read_to_string(path).unwrap().lines().count();
        assert!(lines <= 60, "{} has {lines} lines", path.display());
    }
    let names: Vec<_> = names.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    let tested = "bulk_load engine index layout migration pages prefixes quickstart salt wide_row";
    assert_eq!(names.join(" "), tested, "one that no test runs");
}

#[test]
fn quickstart_reads_the_morning_of_the_sample() {
    let sample = include_str!("../studies/data/temperatures.tsv");
    let rows: Vec<Vec<&str>> = sample.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let out = printed("quickstart", &[]);
    assert!(out.starts_with(&format!("Stored {} readings.\n", rows.len())), "{out}");
    let morning = rows.iter().rev().filter(|row| {
        row[0] == "seattle" && ["2010-02-14T06", "2010-02-14T07", "2010-02-14T08"].contains(&&row[1][..13])
    });
    let due: String = morning.map(|row| format!("seattle  20100214 {}  {} °F\n", &row[1][11..16], row[2])).collect();
    assert_eq!(due.lines().count(), 3);
    assert!(out.ends_with(&format!("{due}3 rows returned, 3 rows read\n")), "{out}");
    assert!(out.contains("│ 73 65 61 74 74 6c 65 00 │ fe cd 4b 89 │ f9      │\n"), "{out}");
}

#[test]
fn quickstart_finds_what_it_kept_in_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("readings");
    let first = printed("quickstart", &[path.to_str().unwrap()]);
    assert_eq!(first, printed("quickstart", &[]), "the same rows, in memory or not");
    assert_eq!(printed("quickstart", &[path.to_str().unwrap()]), first.replacen("Stored", "Found", 1));

    std::fs::write(directory.path().join("letter.txt"), "").unwrap();
    let foreign = run("quickstart", &[directory.path().to_str().unwrap()]);
    assert_eq!(foreign.status.code(), Some(1), "a directory of something else is left alone");
}

#[test]
fn each_shows_its_idea() {
    shows(
        "prefixes",
        &[
            "one host: days [12, 12, 11, 11, 10, 10], 6 rows read",
            "one host, two days: days [12, 12, 11, 11], 4 rows read",
            r"from apache.org\x00\xff\xf3 up to apache.org\x00\xff\xf5",
        ],
    );
    shows(
        "pages",
        &[
            r#"first page: ["click 8", "click 7", "click 6"]"#,
            r#"next page:  ["click 5", "click 4", "click 3"]"#,
            r#"next page:  ["click 2", "click 1"]"#,
        ],
    );
    shows("salt", &["1700000999  report 999", "1700000998  report 998", "1700000995  report 995"]);
    shows(
        "wide_row",
        &[
            r#"last page: Some("/paid")"#,
            "views at 09 o'clock: 2",
            "version 3: /cart",
            "version 2: /search",
            "if it is /cart: false",
            "if it is /paid: true",
            "columns left: 1",
        ],
    );
    shows(
        "index",
        &[
            "ada@example.org is Some(7)",
            "at example.org: 8, bob@example.org",
            "ada@example.org is None",
            "refused: true",
            r#"8 is still Some("bob@example.org")"#,
        ],
    );
    shows(
        "migration",
        &["verified: verified, 0 differences", "cut over: cut over", "2001 rows, the first of day Some(2000)"],
    );
    shows("bulk_load", &["read 50000 rows in 8 parts, their sum is 147000"]);
    shows("layout", &["the same layout: true", r#"[Text("ada"), Signed(2)] = at 2"#, "by type and by layout: true"]);
    shows("engine", &["5 squared is 25", "4 squared is 16", "3 squared is 9"]);
}
