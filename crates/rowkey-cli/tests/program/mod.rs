//! The program, run as a user runs it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// How it ended, and what it printed.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs it in a folder, with this as its standard input.
pub(crate) fn rowkey(folder: &Path, args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rowkey"))
        .args(args)
        .current_dir(folder)
        // What is above a temporary folder is no repository of these tests.
        .env("GIT_CEILING_DIRECTORIES", std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // What does not read its input may have ended.
    _ = child.stdin.take().expect("its input").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Run { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
