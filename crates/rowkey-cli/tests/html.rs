//! `rowkey check --html`: the page is written beside what is printed, and in the place of no other file.

mod program;

use std::fs;
use std::path::Path;

use self::program::{Run, rowkey};

const BAD: &str = r#"format = 1

[table.visits]
key = ["at: instant", "host: text"]

[[table.visits.write]]
name = "a <b>visit</b>"
rate = "50k/s"
order = "time"

[[table.visits.query]]
name = "one host"
fix = ["host"]
"#;

fn check(folder: &Path, args: &[&str]) -> Run {
    rowkey(folder, &[&["check", "--today", "2026-01-31"], args].concat(), b"")
}

#[test]
fn a_page_is_written_beside_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("visits.rowkey.toml"), BAD).unwrap();
    let page = || fs::read_to_string(folder.join("visits.html")).unwrap();
    for form in [&["--json"][..], &["--format", "sarif"], &[]] {
        let without = check(folder, &[form, &["visits.rowkey.toml"]].concat());
        let with = check(folder, &[form, &["--html", "visits.html", "visits.rowkey.toml"]].concat());
        assert_eq!((with.status, with.err.as_str()), (Some(1), ""));
        let printed = if form.is_empty() { "wrote visits.html\n".to_owned() + &without.out } else { without.out };
        assert_eq!(with.out, printed);
    }
    assert!(page().contains("a &lt;b&gt;visit&lt;/b&gt;") && !page().contains("<b>"));
    assert!(page().contains("The whole table") && page().contains("500 % of what one server takes"));
    // As many findings as the check has, and one less when one is allowed.
    let findings = |page: &str| page.matches("class=\"severity").count();
    let before = findings(&page());
    check(folder, &["--allow", "Q01", "--html", "visits.html", "visits.rowkey.toml"]);
    assert_eq!(findings(&page()), before - 1);
    // Of what is mended the page is what it is then.
    check(folder, &["--fix", "--html", "visits.html", "visits.rowkey.toml"]);
    assert!(!page().contains("The whole table"));
}

#[test]
fn a_page_replaces_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("visits.rowkey.toml"), BAD).unwrap();
    fs::write(folder.join("index.html"), "<!DOCTYPE html>\n<p>mine").unwrap();
    for (path, said) in [
        ("index.html", "index.html is there, and no page that `rowkey` wrote"),
        ("visits.rowkey.toml", "visits.rowkey.toml is a file of the design"),
        ("-", "- is standard input"),
        ("nowhere/visits.html", "cannot write nowhere/visits.html"),
    ] {
        let run = check(folder, &["--html", path, "visits.rowkey.toml"]);
        assert!(run.status == Some(2) && run.err.contains(said) && run.out.is_empty(), "{}{}", run.err, run.out);
    }
    assert_eq!(fs::read_to_string(folder.join("index.html")).unwrap(), "<!DOCTYPE html>\n<p>mine");
    assert_eq!(fs::read_to_string(folder.join("visits.rowkey.toml")).unwrap(), BAD);
    // No page of a design that cannot be read.
    fs::write(folder.join("wrong.rowkey.toml"), "format = 1\ncolour = 1\n").unwrap();
    assert_eq!(check(folder, &["--html", "wrong.html", "wrong.rowkey.toml"]).status, Some(2));
    assert!(!folder.join("wrong.html").exists());
}
