//! Tests of the time from which the disk has a write, as seen in system calls.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rowkey_fjall::{Durability, FjallOptions};
use rowkey_testkit::killed;

use crate::{WRITES_TO, only};

/// The system calls of the writing thread, split at the lines that it prints after each write.
fn calls_before_answers(durability: Durability, test: &str) -> Option<Vec<Vec<String>>> {
    let traces = Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success());
    if !traces {
        eprintln!("skipped: strace is not installed, or may not trace");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let (database, trace) = (directory.path().join("database"), directory.path().join("trace"));
    let child = only(test);
    let mut strace = Command::new("strace");
    strace.args(["-f", "-e", "trace=write,fdatasync,fsync", "-o"]).arg(&trace).arg(child.get_program());
    strace.args(child.get_args()).env(WRITES_TO, &database).env("ROWKEY_TEST_DURABILITY", format!("{durability:?}"));
    let mut process = strace.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    let answers = lines.filter(|line| line.parse::<u64>().is_ok()).take(50).count();
    // The process ends when its output is closed.
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(answers, 50);

    let trace = fs::read_to_string(trace).unwrap();
    let is_answer = |line: &str| line.contains("write(1, \"") && line.split('"').nth(1).is_some_and(is_number_line);
    let thread = trace.lines().find(|line| is_answer(line)).and_then(|line| line.split(' ').next()).unwrap();
    let calls = trace.lines().filter(|line| line.split(' ').next() == Some(thread));
    let mut before = vec![Vec::new()];
    for call in calls {
        match is_answer(call) {
            true => before.push(Vec::new()),
            false => before.last_mut().unwrap().push(call.to_owned()),
        }
    }
    // Before the first the database is created; after the last the trace is cut off.
    Some(before[1..50].to_vec())
}

fn is_number_line(text: &str) -> bool {
    text.strip_suffix("\\n").is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Returns whether the last write to a file was synced to the disk.
fn is_synced(calls: &[String]) -> bool {
    let written = calls.iter().rposition(|call| call.contains("write("));
    let synced = calls.iter().rposition(|call| call.contains("fdatasync") && call.ends_with("= 0"));
    written.is_some() && written < synced
}

#[test]
fn no_synced_write_is_answered_before_the_disk_has_it() {
    const TEST: &str = "synced::no_synced_write_is_answered_before_the_disk_has_it";
    if let Some(directory) = std::env::var_os(WRITES_TO) {
        let synced = std::env::var("ROWKEY_TEST_DURABILITY").unwrap() == format!("{:?}", Durability::Synced);
        let durability = if synced { Durability::Synced } else { Durability::Buffered };
        killed::write_on(&FjallOptions::new().durability(durability).open(directory).unwrap());
    }
    let Some(synced) = calls_before_answers(Durability::Synced, TEST) else { return };
    for calls in &synced {
        assert!(is_synced(calls), "answered before the disk had it:\n{}", calls.join("\n"));
        // A batch and an increment.
        let syncs = calls.iter().filter(|call| call.contains("sync(")).count();
        assert_eq!(syncs, 2, "each write waits for the disk once:\n{}", calls.join("\n"));
    }
    let buffered = calls_before_answers(Durability::Buffered, TEST).unwrap();
    for calls in &buffered {
        assert!(!is_synced(calls) && calls.iter().any(|call| call.contains("write(")), "{}", calls.join("\n"));
    }
}
