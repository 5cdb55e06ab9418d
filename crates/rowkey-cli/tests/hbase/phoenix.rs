//! A table of Phoenix's: its keys are decoded by the design that `rowkey import` makes of its DDL.

use std::process::Command;

use rowkey_design::{Design, File};
use rowkey_simulate::recording::Run;
use rowkey_testkit::hbase::{Programs, printed};
use tempfile::TempDir;

use crate::{first_reading, folder, interrupt, watch};

const CREATED: &str = "CREATE TABLE HITS (HOST VARCHAR NOT NULL, VISITED BIGINT NOT NULL, N UNSIGNED_LONG NOT NULL, \
                       TITLE VARCHAR CONSTRAINT PK PRIMARY KEY (HOST, VISITED DESC, N)) SALT_BUCKETS = 4;\n";
const ROWS: u64 = 40;

/// The rows of the load: all of one host but a few.
fn upserted() -> String {
    let host = |n: u64| if n.is_multiple_of(10) { format!("other{n}.example") } else { "hot.example".to_owned() };
    (0..ROWS)
        .map(|n| format!("UPSERT INTO HITS VALUES ('{}', {}, {n}, 'page');\n", host(n), 1_700_000_000 + n))
        .collect()
}

/// The design of the DDL, on a cluster.
fn design(folder: &TempDir) -> String {
    std::fs::write(folder.path().join("hits.sql"), CREATED).unwrap();
    let mut import = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    let design = printed(import.args(["import", "--from", "phoenix", "hits.sql"]).current_dir(folder.path()));
    format!("{design}\n[cluster.main]\nengine = \"hbase\"\nservers = 3\nregion.writes = \"1k/s\"\n")
}

#[test]
#[ignore = "needs a server"]
fn a_table_of_phoenix_is_decoded_and_counted() {
    let programs = Programs::new(folder());
    programs.phoenix(&format!("DROP TABLE IF EXISTS HITS;\n{CREATED}"));
    let folder = TempDir::new().unwrap();
    let text = design(&folder);
    std::fs::write(folder.path().join("hits.rowkey.toml"), &text).unwrap();
    // There is something to sample.
    programs.phoenix("UPSERT INTO HITS VALUES ('hot.example', 1700000000, 9999, 'page');\n");
    let files = ["--html", "hits.html", "--json", "hits.jsonl", "hits.rowkey.toml"];
    let mut child =
        watch(folder.path(), &[&["--for", "1 day", "--every", "1s", "--sample", "100"], &files[..]].concat());
    let _stderr = first_reading(&mut child);
    programs.phoenix(&upserted());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{out}");
    assert!(out.contains("all of 1 sampled keys are of the design"), "{out}");
    assert!(out.contains("bucket 1"), "{out}");

    let design = Design::parse([File { name: "hits".to_owned(), text }]).unwrap();
    assert_eq!(design.tables.keys().map(String::as_str).collect::<Vec<_>>(), ["HITS"]);
    let run = Run::read(&std::fs::read(folder.path().join("hits.jsonl")).unwrap()[..]).unwrap();
    let mut writes = [0; 4];
    for region in run.intervals.iter().flat_map(|interval| &interval.regions) {
        writes[usize::from(region.start.0.first().copied().unwrap_or_default())] += region.rows_this_interval;
    }
    assert_eq!(writes.iter().sum::<u64>(), ROWS, "{writes:?}");
    let page = std::fs::read_to_string(folder.path().join("hits.html")).unwrap();
    assert!(page.contains("bucket 1"));
    programs.phoenix("DROP TABLE HITS;\n");
}
