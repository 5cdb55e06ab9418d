//! `rowkey check --baseline`: what is known is allowed, what is new fails.

mod program;

use std::fs;
use std::path::Path;

use rowkey_design::Rule;
use serde_json::Value as Json;

use self::program::{Run, rowkey};

const BAD: &str = "format = 1\n[table.visits]\nkey = [\"at: instant\", \"host: text\"]\n[[table.visits.query]]\nname = \
                   \"one host\"\nfix = [\"host\"]\n";

fn check(folder: &Path, args: &[&str]) -> Run {
    rowkey(folder, &[&["check", "--deny", "note", "--today", "2026-01-31"], args].concat(), b"")
}

fn json(folder: &Path, args: &[&str]) -> Json {
    serde_json::from_str(&check(folder, &[args, &["--json"]].concat()).out).unwrap()
}

/// The bad design of each rule's page.
fn bad_designs() -> Vec<String> {
    let bad = |rule: &Rule| Some(rule.page().split_once("\nBad:\n\n```toml\n")?.1.split_once("```")?.0.to_owned());
    let all: Vec<_> = Rule::all().filter(|rule| !rule.kind.compares()).filter_map(bad).collect();
    assert!(all.len() > 50, "{}", all.len());
    all
}

/// After it is written a check passes, also where lines have moved and the file has another name; it is the same when
/// it is written again; and what it does not know is found.
#[test]
fn what_is_there_is_known_and_what_is_new_fails() {
    for bad in bad_designs() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("a.rowkey.toml"), &bad).unwrap();
        let found = json(folder, &["a.rowkey.toml"])["findings"].as_array().unwrap().len();
        let wrote = check(folder, &["--write-baseline", "known", "a.rowkey.toml"]);
        assert_eq!((wrote.status, wrote.err.as_str()), (Some(0), ""), "{bad}");
        let known = fs::read_to_string(folder.join("known")).unwrap();
        assert_eq!(known.matches("\nrule = ").count(), found, "{known}\n{bad}");
        fs::write(folder.join("b.rowkey.toml"), format!("# moved\n\n\n{bad}\n# more\n")).unwrap();
        assert_eq!(rowkey(folder, &["fmt", "b.rowkey.toml"], b"").status, Some(0));
        let again = json(folder, &["--baseline", "known", "b.rowkey.toml"]);
        assert_eq!(again["summary"]["allowed"].as_u64(), Some(found as u64), "{bad}");
        assert!(again["allowed"].as_array().unwrap().iter().all(|allowed| allowed["by"] == "baseline"));
        assert_eq!(
            (&again["findings"], &again["notes"]),
            (&Json::from(vec![(); 0]), &Json::from(vec![(); 0])),
            "{bad}"
        );
        for args in [&["--write-baseline", "known"][..], &["--baseline", "known", "--write-baseline", "known"]] {
            assert_eq!(check(folder, &[args, &["b.rowkey.toml"]].concat()).status, Some(0));
            assert_eq!(fs::read_to_string(folder.join("known")).unwrap(), known);
        }
        // Some are bad by a sample.
        let Some((rest, last)) = known.rsplit_once("\n[[") else { continue };
        fs::write(folder.join("known"), rest).unwrap();
        let fewer = json(folder, &["--baseline", "known", "b.rowkey.toml"]);
        let new = fewer["findings"].as_array().unwrap();
        assert_eq!(new.len(), 1, "{bad}");
        assert!(last.contains(&format!("rule = {} #", new[0]["rule"])), "{last} {}", new[0]);
        assert_eq!(check(folder, &["--baseline", "known", "b.rowkey.toml"]).status, Some(1));
    }
}

/// Names are written so that they are read again, whatever they hold.
#[test]
fn names_of_any_characters() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["a \"b\"", "\\", "\n[[table.x]]\u{1b}[31m", "日\u{202e}", "", "a.b # c", "'"] {
        let escape = |c: char| format!("\\U{:08x}", u32::from(c));
        let escaped = format!("\"{}\"", name.chars().map(escape).collect::<String>());
        let mut text = BAD.replace("\"one host\"", &escaped);
        // No table has such a name.
        if !name.is_empty() && !name.contains(char::is_control) {
            text = text.replace("table.visits", &format!("table.{escaped}"));
        }
        fs::write(folder.join("a.rowkey.toml"), text).unwrap();
        assert_eq!(check(folder, &["--write-baseline", "known", "a.rowkey.toml"]).status, Some(0), "{name:?}");
        let known = fs::read_to_string(folder.join("known")).unwrap();
        assert!(known.contains("rule = \"Q01\"") && !known.contains(['\u{1b}', '\u{202e}']), "{known}");
        let again = json(folder, &["--baseline", "known", "a.rowkey.toml"]);
        let none = Json::from(vec![(); 0]);
        assert_eq!((&again["findings"], &again["notes"]), (&none, &none), "{known}");
    }
}

/// A finding that is more severe than what is known is new; one that is less severe is known.
#[test]
fn what_became_worse_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.rowkey.toml"), BAD).unwrap();
    let run = |args: &[&str]| check(folder, &[args, &["a.rowkey.toml"]].concat());
    assert_eq!(run(&["--warn", "Q01", "--write-baseline", "known"]).status, Some(0));
    assert_eq!(run(&["--warn", "Q01", "--baseline", "known"]).status, Some(0));
    assert_eq!(run(&["--note", "Q01", "--baseline", "known"]).status, Some(0));
    let worse = run(&["--deny", "Q01", "--baseline", "known"]);
    assert!(worse.status == Some(1) && worse.out.starts_with("error[Q01]"), "{}", worse.out);
    assert!(!worse.out.contains("found no more"), "{}", worse.out);
    // What is known of it stays, until it is written anew.
    let known = fs::read_to_string(folder.join("known")).unwrap();
    assert_eq!(run(&["--baseline", "known", "--write-baseline", "known"]).status, Some(1));
    assert_eq!(fs::read_to_string(folder.join("known")).unwrap(), known);
    // One that is milder now is written as it is now.
    assert_eq!(run(&["--note", "Q01", "--baseline", "known", "--write-baseline", "known"]).status, Some(0));
    assert_eq!(run(&["--warn", "Q01", "--baseline", "known"]).status, Some(1));
}

/// What is found no more is told in every form for it, fails nothing, and is left out when that is asked for.
#[test]
fn what_is_found_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.rowkey.toml"), BAD).unwrap();
    assert_eq!(check(folder, &["--write-baseline", "known", "a.rowkey.toml"]).status, Some(0));
    let good = BAD.replace("\"at: instant\", \"host: text\"", "\"host: text\", \"at: instant\"");
    fs::write(folder.join("a.rowkey.toml"), good).unwrap();
    let args = ["--allow", "F10", "--baseline", "known", "a.rowkey.toml"];
    let run = |more: &[&str]| check(folder, &[&args, more].concat());
    let told = "Q01 of \"one host\" is found no more in \"visits\"";
    let text = run(&[]);
    assert!(text.status == Some(0) && text.out.contains(&format!("note: {told}\n --> known:")), "{}", text.out);
    assert!(text.out.contains("`--baseline known --write-baseline known` leaves out"), "{}", text.out);
    let json: Json = serde_json::from_str(&run(&["--json"]).out).unwrap();
    let note = json["notes"].as_array().unwrap().iter().find(|note| note["message"] == told).unwrap();
    assert_eq!(note["place"]["file"], "known");
    let sarif: Json = serde_json::from_str(&run(&["--format", "sarif"]).out).unwrap();
    let notes = sarif["runs"][0]["invocations"][0]["toolConfigurationNotifications"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["message"]["text"].as_str().unwrap().starts_with(told)));
    assert!(run(&["--format", "github"]).out.contains("::notice file=known,line="));
    let wrote = run(&["--write-baseline", "known"]);
    assert_eq!((wrote.status, wrote.out.lines().next()), (Some(0), Some("wrote 0 findings to known")), "{}", wrote.out);
    assert!(!run(&[]).out.contains("found no more"));
}

/// In SARIF what is known is suppressed outside of the source.
#[test]
fn known_findings_are_suppressed_in_sarif() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.rowkey.toml"), BAD).unwrap();
    let run = check(folder.path(), &["--format", "sarif", "--write-baseline", "known", "a.rowkey.toml"]);
    let sarif: Json = serde_json::from_str(&run.out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.iter().all(|result| result["suppressions"][0]["kind"] == "external"));
}

/// No file that is not a baseline is taken for one, or replaced by one.
#[test]
fn other_files_are_no_baselines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.rowkey.toml"), BAD).unwrap();
    let entry = |of: &str| format!("baseline = 1\n[[table.visits]]\n{of}\n");
    for (text, said) in [
        (b"".to_vec(), "known:1:1: error: `baseline` is missing"),
        (BAD.into(), "known:1:1: error: `baseline` is missing"),
        (b"baseline = 2\n".to_vec(), "known:1:12: error: expected 1, found the number 2"),
        (b"baseline = 1\n[[table.visits\n".to_vec(), "known:2:15: error: "),
        (b"baseline = 1\ntable = 3\n".to_vec(), "known:2:9: error: expected a table"),
        (b"baseline = 1\n\xff\n".to_vec(), "known:2:1: the byte 0xff is not UTF-8"),
        (entry("rule = \"Q99\"\nseverity = \"note\"").into(), "known:3:8: error: there is no rule \"Q99\""),
        (entry("rule = \"Q01\"\nseverity = \"fatal\"").into(), "known:4:12: error: unknown severity `fatal`"),
        (entry("rule = \"Q01\"").into(), "known:2:1: error: `severity` is missing"),
        (entry("rule = \"Q01\"\nseverity = \"note\"\nline = 3").into(), "known:5:1: error: unknown key `line`"),
        (entry(&format!("rule = {}1", "[".repeat(100_000))).into(), "known:3:"),
    ] {
        fs::write(folder.join("known"), text).unwrap();
        let run = check(folder, &["--format", "short", "--baseline", "known", "a.rowkey.toml"]);
        let all = run.out + &run.err;
        assert!(run.status == Some(2) && all.contains(said) && !all.contains("Q01]"), "{said}: {all:.900}");
    }
    assert_eq!(check(folder, &["--baseline", "absent", "a.rowkey.toml"]).status, Some(2));
    let run = check(folder, &["--write-baseline", "-", "a.rowkey.toml"]);
    assert!(run.status == Some(2) && run.err.contains("- is standard input: nothing is written"), "{}", run.err);
    for (name, said) in [("known", "no baseline that"), ("a.rowkey.toml", "is a file of the design")] {
        let before = fs::read(folder.join(name)).unwrap();
        let run = check(folder, &["--write-baseline", name, "a.rowkey.toml"]);
        assert!(run.status == Some(2) && run.err.contains(said), "{}", run.err);
        assert_eq!(fs::read(folder.join(name)).unwrap(), before);
    }
    // A design that is not valid has no findings to know.
    fs::write(folder.join("wrong.rowkey.toml"), format!("{BAD}[[table.visits.allow]]\nrule = \"H19\"\nwhy = \"x\"\n"))
        .unwrap();
    assert_eq!(check(folder, &["--write-baseline", "new", "wrong.rowkey.toml"]).status, Some(2));
    assert!(!folder.join("new").exists());
}
