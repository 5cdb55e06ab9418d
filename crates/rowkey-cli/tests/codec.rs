//! `rowkey codec` as a program: what it writes, replaces, keeps and refuses.

#[path = "codec/folder.rs"]
mod folder;
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
    // What was written by it is replaced, or written again; what was not is kept.
    fs::write(folder.join("visits.rowkey.toml"), DESIGN.replace("Pages that", "Sites that")).unwrap();
    assert_eq!(rowkey(folder, &args).0, Some(0));
    assert_eq!(fs::read_to_string(&module).unwrap(), text.replace("Pages that", "Sites that"));
    fs::remove_file(&module).unwrap();
    assert_eq!(rowkey(folder, &args).0, Some(0));
    assert!(module.is_file());
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

/// Two designs, in whose Go two types have one name.
const ENUM: &str = "format = 1\n[table.orders]\nkey = [\"status: enum{1: (), 2: (u8)}\"]\n";
const OTHER: &str = "format = 1\n[table.orders_status]\nkey = [\"id: u8\"]\n";

/// Runs the command for Go with a design.
fn go(folder: &Path, design: &str) -> (Option<i32>, String, String) {
    fs::write(folder.join("shop.rowkey.toml"), design).unwrap();
    rowkey(folder, &["codec", "shop.rowkey.toml", "--lang", "go", "--out", "keys", "--package", "k"])
}

#[test]
fn files_of_an_earlier_run_are_removed_unless_they_were_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (status, out, _) = go(folder, ENUM);
    assert!(status == Some(0) && out.starts_with("1 key in "), "{out}");
    let file = folder.join("keys/orders.go");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(folder.join("keys/mine.go"), "package k\n").unwrap();
    let (status, out, err) = go(folder, OTHER);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.ends_with(", 1 file of an earlier run removed\n"), "{out}");
    assert!(!file.exists() && folder.join("keys/mine.go").is_file());
    go(folder, ENUM);
    fs::write(&file, format!("{text}// mine\n")).unwrap();
    let (status, _, err) = go(folder, OTHER);
    assert_eq!(status, Some(0));
    assert!(err.ends_with("orders.go is of an earlier run, and changed since: it is not removed\n"), "{err}");
    assert!(file.is_file());
    // It is still of the command: as it was written, the next run removes it.
    fs::write(&file, text).unwrap();
    go(folder, OTHER);
    assert!(!file.exists());
}

#[test]
fn a_package_of_another_language_leaves_no_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    go(folder, ENUM);
    let args = ["codec", "shop.rowkey.toml", "--lang", "python", "--out", "keys"];
    assert_eq!(rowkey(folder, &args).0, Some(0));
    assert!(!folder.join("keys/rowkey").exists() && !folder.join("keys/go.mod").exists());
    assert!(folder.join("keys/shop_keys/orders.py").is_file());
}

#[test]
fn a_list_of_others_removes_nothing_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("victim"), "").unwrap();
    fs::create_dir(folder.join("keys")).unwrap();
    let absolute = folder.join("victim");
    // The digest is that of no bytes.
    let list = format!("2d06800538d394c2  ../victim\n2d06800538d394c2  {}\n", absolute.display());
    fs::write(folder.join("keys/.rowkey-codec"), list).unwrap();
    assert_eq!(go(folder, ENUM).0, Some(0));
    assert!(absolute.is_file());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_or_removed_through_a_link() {
    use std::os::unix::fs::symlink;
    for (link, is_folder) in [("rowkey", true), ("orders.go", false), (".rowkey-codec", false)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        go(folder, ENUM);
        let (place, elsewhere) = (folder.join("keys").join(link), folder.join("elsewhere"));
        fs::rename(&place, &elsewhere).unwrap();
        symlink(&elsewhere, &place).unwrap();
        for design in [ENUM, OTHER] {
            let (status, _, err) = go(folder, design);
            assert_eq!(status, Some(2));
            let due = format!("error: keys/{link} is a symbolic link: nothing is written");
            assert!(err.starts_with(&due), "{err}");
        }
        assert_eq!(elsewhere.is_dir(), is_folder);
        assert!(!folder.join("keys/orders_status.go").exists());
    }
}

#[test]
fn a_design_without_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (status, _, err) = go(folder.path(), "format = 1\n");
    assert_eq!((status, err.as_str()), (Some(2), "error: shop.rowkey.toml has no tables: nothing is written\n"));
    assert!(!folder.path().join("keys").exists());
}
