//! A table that is not there, or no more, or is disabled.

use std::io::BufRead as _;
use std::time::Duration;

use hbase_client::TableSchema;
use rowkey_simulate::recording::Run;

use crate::shares::{DESIGN, put};
use crate::{client, drop_table, first_reading, watch};

#[tokio::test]
#[ignore = "needs a server"]
async fn a_table_that_vanishes_ends_it_with_what_was_read() {
    let client = client();
    let admin = client.admin();
    drop_table(&admin, "vanishing").await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vanishing.rowkey.toml"), DESIGN.replace("users", "vanishing")).unwrap();
    let output = watch(folder.path(), &["--for", "5m", "vanishing.rowkey.toml"]).wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains("table vanishing does not exist"), "{error}");

    admin.create(&TableSchema::new("vanishing").family("f"), [[0x80, 0, 0, 0]]).await.unwrap();
    admin.disable("vanishing").await.unwrap();
    let output = watch(folder.path(), &["--for", "5m", "vanishing.rowkey.toml"]).wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("table vanishing is disabled"), "{error}");
    admin.enable("vanishing").await.unwrap();
    let table = client.table("vanishing");
    for number in 0..40 {
        put(&table, 0, number).await;
        put(&table, 3, number).await;
    }
    let args = ["--for", "5m", "--every", "1s", "--sample", "10", "--json", "r.jsonl", "vanishing.rowkey.toml"];
    let mut child = watch(folder.path(), &args);
    let mut stderr = first_reading(&mut child);
    put(&table, 0, 0).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    drop_table(&admin, "vanishing").await;
    let output = child.wait_with_output().unwrap();
    let mut error = String::new();
    stderr.read_line(&mut error).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("table vanishing does not exist"), "{error}");
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("all of 10 sampled keys are of the design"), "{out}");
    let run = Run::read(&std::fs::read(folder.path().join("r.jsonl")).unwrap()[..]).unwrap();
    let regions = run.intervals.iter().flat_map(|interval| &interval.regions);
    assert_eq!(regions.map(|region| region.rows_this_interval).sum::<u64>(), 1);
}
