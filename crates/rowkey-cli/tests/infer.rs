//! `rowkey infer`: candidates of pasted keys, and design files that `rowkey check` reads.

mod program;

use std::fs;

use program::rowkey;

/// Visits as HBase's shell prints them: a host, a zero, descending milliseconds.
fn scan() -> String {
    let mut text = "hbase:001:0> scan 'visits'\nROW                  COLUMN+CELL\n".to_owned();
    for row in 0..300_u64 {
        let host = ["bonn", "lyon", "oslo", "pisa", "riga"][(row * row % 5) as usize];
        let at = i64::MAX as u64 - (1_600_000_000_000 + row * 86_413_937);
        let time: String = at.to_be_bytes().iter().map(|byte| format!("\\x{byte:02X}")).collect();
        for column in ["q", "r"] {
            text += &format!(" {host}\\x00{time} column=f:{column}, timestamp=2026-01-31T12:00:00.000, value=a\n");
        }
    }
    text + "300 row(s)\nTook 0.4210 seconds\n"
}

#[test]
fn a_scan_becomes_a_design_that_check_reads() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["infer", "--name", "visits", "--out", "visits.rowkey.toml"];
    let run = rowkey(folder.path(), &args, scan().as_bytes());
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    for part in [
        "300 keys, read as rows",
        "1. text, i64 desc\n",
        "100.00 % decode",
        "big-endian milliseconds from 2020-09-13",
        "A design file to start from:",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let design = fs::read_to_string(folder.path().join("visits.rowkey.toml")).unwrap();
    assert!(design.contains("key = [\"name: text\", \"at: i64 desc\"]\nmeans = { at = \"milliseconds\" }"), "{design}");
    let check = rowkey(folder.path(), &["check", "--deny", "error", "visits.rowkey.toml"], b"");
    assert_eq!((check.status, check.err.as_str()), (Some(0), ""));
}

#[test]
fn json_has_the_candidates_and_the_form_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let keys: String =
        (0..200).map(|row| format!("{}#{}\t17\n", ["ada", "bob"][row % 2], 1_600_000_000 + row * 977)).collect();
    fs::write(folder.path().join("keys.txt"), keys).unwrap();
    let run = rowkey(folder.path(), &["infer", "--json", "keys.txt"], b"");
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        (json["version"].as_u64(), json["keys"].as_u64(), json["read_as"].as_str()),
        (Some(1), Some(200), Some("shell"))
    );
    let first = &json["candidates"][0];
    assert_eq!(first["shape"], "text['#'], dec[10]");
    assert_eq!(first["fields"][1]["means"], "seconds");
    assert_eq!(first["share"], 1.0);
    assert!(first["toml"].as_str().unwrap().contains("[table.inferred]"));
}

#[test]
fn what_has_no_candidate_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let run = rowkey(folder.path(), &["infer"], b"");
    assert_eq!(run.status, Some(1));
    assert!(run.out.contains("no candidate: there are no keys"), "{}", run.out);
    let run = rowkey(folder.path(), &["infer", "--form", "hex"], b"0g\n");
    assert_eq!(run.status, Some(2));
    assert!(run.err.contains("line 1: byte 1: 'g' is not a hex digit; it was read as hex"), "{}", run.err);
    let run = rowkey(folder.path(), &["infer", "no-such-file"], b"");
    assert_eq!(run.status, Some(2));
}
