//! Arguments that nobody meant: each is shown as text, on one line, with exit status 2.

mod program;

use std::path::Path;
use std::process::Command;

fn rowkey(args: &[&str]) -> (Option<i32>, String) {
    let run = program::rowkey(Path::new("."), args, b"");
    assert!(run.out.is_empty(), "{args:?}");
    (run.status, run.err)
}

/// Before the usage, what is wrong is said in as many lines as for a harmless argument.
#[test]
fn hostile_arguments_are_shown_and_not_sent() {
    let hostile = "\u{1b}[31m\u{202e}\u{9b}2J\nerror: forged\r\u{200b}";
    for args in [
        &["check", "--deny", "X"][..],
        &["X"],
        &["check", "--X"],
        &["check", "--today", "X", "a"],
        &["check", "--cluster=a", "--cluster=X", "a"],
        &["ddl", "a", "--for", "X"],
        &["diff", "--rate", "X", "a", "b"],
        &["import", "--from", "cbt", "a", "X"],
        &["completions", "X"],
        &["rule", "--list", "X"],
        &["rule", "X"],
        &["check", "--sample", "X", "a"],
        &["check", "--json=X", "a"],
        &["explain", "--shape", "(X", "00"],
        &["explain", "X", "t", "00"],
        &["infer", "--form", "X"],
        &["infer", "X"],
        &["man", "X"],
        &["fmt", "X"],
        &["suggest", "X"],
        &["init", "t", "--yes", "--key", "X"],
        &["init", "t", "--yes", "--engine", "X", "--key", "a: u64"],
        &["check", "--allow", "X", "a"],
        &["check", "--baseline", "X", "a"],
    ] {
        let with = |text: &str| args.iter().map(|arg| arg.replace('X', text)).collect::<Vec<_>>();
        let run = |text: &str| rowkey(&with(text).iter().map(String::as_str).collect::<Vec<_>>());
        let ((status, said), (_, harmless)) = (run(hostile), run("qqqq"));
        assert_eq!(status, Some(2), "{args:?}: {said}");
        let sent = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(!said.contains(sent), "{args:?}: {said:?}");
        assert!(!said.lines().any(|line| line.starts_with("error: forged")), "{args:?}: {said:?}");
        assert_eq!(said.lines().count(), harmless.lines().count(), "{args:?}: {said}\n{harmless}");
    }
}

/// A path that is no file is written to, not replaced by a file; endless input is not read to its end.
#[cfg(target_os = "linux")]
#[test]
fn devices_stay_devices() {
    use std::os::unix::fs::FileTypeExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let design = folder.path().join("t.rowkey.toml");
    std::fs::write(&design, "format = 1\n[table.t]\nkey = [\"a: u64\"]\n").expect("a file");
    let design = design.to_str().expect("UTF-8");
    let lock = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&lock).status().expect("mkfifo");
    assert!(made.success());
    let reader = std::thread::spawn({
        let lock = lock.clone();
        move || std::fs::read_to_string(lock).expect("what is written")
    });
    let (status, said) = rowkey(&["diff", "--write-lock", lock.to_str().expect("UTF-8"), design]);
    assert_eq!((status, said.as_str()), (Some(0), ""));
    assert!(reader.join().expect("the reader").contains("[table.t]\n"));
    assert!(std::fs::metadata(&lock).expect("the pipe").file_type().is_fifo());
    let endless = std::fs::File::open("/dev/zero").expect("zeros");
    let output = Command::new(env!("CARGO_BIN_EXE_rowkey"))
        .args(["import", "--from", "phoenix"])
        .stdin(endless)
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard input has more than 67108864 bytes"));
}
