//! `rowkey codec` as a program: what it writes, replaces and refuses.

mod program;

use std::fs;
use std::path::Path;

const DESIGN: &str = r#"
format = 1

[table.visits]
about = "Pages that were seen."
key = ["host: text", "at: i64 desc"]
means.at = "milliseconds"

[[table.visits.secondary]]
name = "by time"
key = ["at: i64", "host: text"]

[table.links]
key = ["page: url"]
"#;

fn rowkey(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let run = program::rowkey(folder, args, b"");
    (run.status, run.out, run.err)
}

#[test]
fn a_package_is_written_and_replaced_but_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("visits.rowkey.toml"), DESIGN).unwrap();
    let args = ["codec", "visits.rowkey.toml", "visits", "--lang", "python", "--out", "keys"];
    let (status, out, err) = rowkey(folder, &args);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("2 keys in "), "{out}");
    let module = folder.join("keys/visits_keys/visits.py");
    let text = fs::read_to_string(&module).unwrap();
    for part in ["class Visits:", "    Pages that were seen.", "`i64 desc`: Milliseconds since 1970"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(folder.join("keys/visits_keys/by_time.py").is_file());
    // What was written by it is replaced, what was not is kept.
    fs::write(&module, "old").unwrap();
    assert_eq!(rowkey(folder, &args).0, Some(0));
    assert_eq!(fs::read_to_string(&module).unwrap(), text);
    fs::create_dir(folder.join("mine")).unwrap();
    fs::write(folder.join("mine/pyproject.toml"), "mine").unwrap();
    let (status, _, err) =
        rowkey(folder, &["codec", "visits.rowkey.toml", "visits", "--lang", "python", "--out", "mine"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("mine/pyproject.toml is there, and not of this command"), "{err}");
    assert_eq!(fs::read_dir(folder.join("mine")).unwrap().count(), 1);
}

#[test]
fn what_has_no_code_and_what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("visits.rowkey.toml"), DESIGN).unwrap();
    for (tables, why) in [
        (&["links"][..], "error: links.page: `url` has no generated code: its one form needs a parser"),
        (&["clicks"], "error: there is no table \"clicks\"; there are: visits, by time, links"),
    ] {
        let args = [&["codec", "visits.rowkey.toml"], tables, &["--lang", "python", "--out", "keys"]].concat();
        let (status, _, err) = rowkey(folder, &args);
        assert_eq!(status, Some(2));
        assert!(err.starts_with(why), "{err}");
    }
    assert!(!folder.join("keys").exists());
}

#[test]
fn a_layout_is_taken_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let layout = r#"{"version": 1, "name": "Event", "fields": [{"name": "user", "type": "text"}]}"#;
    fs::write(folder.join("event.json"), layout).unwrap();
    let (status, _, err) = rowkey(folder, &["codec", "event.json", "--lang", "python", "--out", "keys"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let text = fs::read_to_string(folder.join("keys/event_keys/event.py")).unwrap();
    assert!(text.contains("class Event:") && text.contains("    user: str\n"), "{text}");
}
