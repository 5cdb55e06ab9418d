//! The folder: what somebody changed, runs at once, and runs that end half-way.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{ENUM, OTHER, go, rowkey};

/// The files below a folder.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut open = vec![folder.to_owned()];
    let mut files = BTreeMap::new();
    while let Some(path) = open.pop() {
        match path.is_dir() {
            true => open.extend(fs::read_dir(path).unwrap().map(|file| file.unwrap().path())),
            false => {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// Runs the command for Python with the design that is there.
fn python(folder: &Path) -> (Option<i32>, String, String) {
    rowkey(folder, &["codec", "shop.rowkey.toml", "--lang", "python", "--out", "keys"])
}

/// The files of one run alone.
fn fresh(design: &str) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    go(folder.path(), design);
    files(&folder.path().join("keys"))
}

#[test]
fn what_somebody_changed_or_put_in_its_place_is_kept_until_it_is_removed() {
    let due = fresh(ENUM);
    for name in due.keys().filter(|name| *name != ".rowkey-codec").step_by(4).chain([&"orders.go".to_owned()]) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        go(folder, ENUM);
        let file = folder.join("keys").join(name);
        fs::remove_file(&file).unwrap();
        fs::write(&file, "my own").unwrap();
        let line = "was changed since it was written: it is kept; remove it to have it anew";
        for _ in 0..2 {
            let (status, _, err) = go(folder, ENUM);
            assert_eq!((status, err), (Some(0), format!("keys/{name} {line}\n")));
            assert_eq!(fs::read_to_string(&file).unwrap(), "my own");
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(go(folder, ENUM).2, "");
        assert_eq!(files(&folder.join("keys")), due);
    }
}

#[test]
fn a_kept_file_without_what_is_new_is_told_by_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    go(folder, ENUM);
    let file = folder.join("keys/orders.go");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}// mine\n")).unwrap();
    let new = ENUM.replace("2: (u8)", "3: (u8)");
    for _ in 0..2 {
        let (status, _, err) = go(folder, &new);
        assert_eq!(status, Some(1));
        let due = "keys/orders.go was changed since it was written: it is kept, and lacks what is new; remove it to \
                   have it anew\n";
        assert_eq!(err, due);
    }
    // As it was written, it is replaced.
    fs::write(&file, text).unwrap();
    assert_eq!(go(folder, &new).0, Some(0));
    assert_eq!(files(&folder.join("keys")), fresh(&new));
}

#[test]
fn the_ends_of_lines_are_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    go(folder, ENUM);
    for (name, text) in files(&folder.join("keys")) {
        fs::write(folder.join("keys").join(name), text.replace('\n', "\r\n")).unwrap();
    }
    let (status, _, err) = go(folder, OTHER);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(!folder.join("keys/orders.go").exists());
}

#[test]
fn a_file_where_a_folder_is_to_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    go(folder, ENUM);
    python(folder);
    let before = files(&folder.join("keys"));
    fs::write(folder.join("keys/rowkey"), "mine").unwrap();
    let (status, _, err) = go(folder, ENUM);
    assert_eq!((status, err.as_str()), (Some(2), "error: keys/rowkey is no folder: nothing is written\n"));
    fs::remove_file(folder.join("keys/rowkey")).unwrap();
    assert_eq!(files(&folder.join("keys")), before);
}

#[test]
fn a_run_is_refused_while_another_is_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    go(folder, ENUM);
    let before = files(&folder.join("keys"));
    let path = folder.join("keys/.rowkey-codec.lock");
    let mut lock = fd_lock::RwLock::new(fs::File::create(&path).unwrap());
    let held = lock.try_write().unwrap();
    let (status, _, err) = go(folder, OTHER);
    let due = "error: another run is at work in keys: nothing is written; if none is, remove keys/.rowkey-codec.lock\n";
    assert_eq!((status, err.as_str()), (Some(2), due));
    drop(held);
    // A file without its lock is of a run that was killed.
    fs::write(&path, "").unwrap();
    assert_eq!(files(&folder.join("keys")).len(), before.len() + 1);
    assert_eq!(go(folder, OTHER).0, Some(0));
    assert_eq!(files(&folder.join("keys")), fresh(OTHER));
    // One with text is of others.
    fs::write(&path, "mine").unwrap();
    assert_eq!(go(folder, ENUM).2, due);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn runs_at_once_leave_the_files_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let due = fresh(ENUM);
    for _ in 0..3 {
        fs::write(folder.join("shop.rowkey.toml"), ENUM).unwrap();
        let lang = |lang: &'static str| {
            move || rowkey(folder, &["codec", "shop.rowkey.toml", "--lang", lang, "--out", "keys", "--package", "k"])
        };
        std::thread::scope(|scope| {
            let runs = ["go", "java", "go", "python"].map(|name| scope.spawn(lang(name)));
            for run in runs {
                let (status, out, err) = run.join().unwrap();
                let is_refused = status == Some(2) && err.starts_with("error: another run is at work in keys: ");
                assert!(is_refused || (status == Some(0) && err.is_empty()), "{out}{err}");
            }
        });
        // None is lost to the next.
        assert_eq!(go(folder, ENUM).2, "");
        assert_eq!(files(&folder.join("keys")), due);
        fs::remove_dir_all(folder.join("keys")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_ends_half_way_says_what_it_did_and_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("shop.rowkey.toml"), ENUM).unwrap();
    python(folder);
    let before = files(&folder.join("keys"));
    // Files of more than 14 times 512 bytes cannot be written.
    let command = format!(
        "trap '' XFSZ; ulimit -f 14; exec {} codec shop.rowkey.toml --lang go --out keys --package k",
        env!("CARGO_BIN_EXE_rowkey")
    );
    let run = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder).output().unwrap();
    let err = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{err}");
    let after = files(&folder.join("keys"));
    let written = after.keys().filter(|name| !before.contains_key(*name)).count();
    assert!(err.starts_with("error: cannot write keys/rowkey/prefix.go: "), "{err}");
    // README.md is of both.
    assert!(written > 10 && err.contains(&format!(": {} of ", written + 1)), "{written}, {err}");
    assert!(
        err.contains(" files are written, 0 of ") && err.ends_with(" removed; the next run does the rest\n"),
        "{err}"
    );
    assert!(before.keys().all(|name| after.contains_key(name)));
    // The next run does the rest, whichever it is.
    let (status, _, err) = python(folder);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert_eq!(files(&folder.join("keys")), before);
    assert_eq!(go(folder, ENUM).2, "");
    assert_eq!(files(&folder.join("keys")), fresh(ENUM));
}
