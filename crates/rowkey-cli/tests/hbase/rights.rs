//! What a user needs, at an HBase that checks rights: its hbase-site.xml is in `ROWKEY_HBASE_RIGHTS`. `owner` may all.

use std::path::PathBuf;
use std::process::Output;

use hbase_client::{Client, ErrorKind, Options, Put, Scan, TableSchema};
use tempfile::TempDir;

use crate::shares::DESIGN;
use crate::{drop_table, watch_as};

fn site() -> PathBuf {
    std::env::var_os("ROWKEY_HBASE_RIGHTS").expect("ROWKEY_HBASE_RIGHTS is the path of an hbase-site.xml").into()
}

fn client(user: &str) -> Client {
    Client::new(Options::from_site(site()).unwrap().user(user)).unwrap()
}

fn watched(folder: &TempDir, user: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let args = [&["--for", "2s", "--every", "1s"], more, &["users.rowkey.toml"]].concat();
    let Output { status, stdout, stderr } = watch_as(user, &site(), folder.path(), &args).wait_with_output().unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (status.code(), out, err)
}

#[tokio::test]
#[ignore = "needs ROWKEY_HBASE_RIGHTS"]
async fn counts_need_no_right_and_a_sample_that_to_read() {
    let owner = client("owner");
    drop_table(&owner.admin(), "users").await;
    owner.admin().create(&TableSchema::new("users").family("f"), [[0x80, 0, 0, 0]]).await.unwrap();
    owner.table("users").put(Put::new([0, 0, 0, 7]).value("f", "x", "v")).await.unwrap();
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("users.rowkey.toml"), DESIGN).unwrap();

    let (status, out, err) = watched(&folder, "stranger", &[]);
    assert!(status == Some(0) && out.contains("no row of a table was read"), "{status:?} {out} {err}");
    let (status, out, err) = watched(&folder, "stranger", &["--sample", "5"]);
    assert_eq!((status, &*out, err.lines().count()), (Some(2), "", 1), "{out} {err}");
    let said =
        ["Insufficient permissions", "stranger", "users", "--sample reads rows: it needs the right READ to the table"];
    assert!(said.iter().all(|said| err.contains(said)), "{err}");

    // As the shell's `grant` does; servers learn of it a moment later.
    owner.table("hbase:acl").put(Put::new("users").value("l", "reader", "R")).await.unwrap();
    let theirs = client("reader").table("users");
    while let Err(error) = theirs.scan(Scan::new()).next().await {
        assert_eq!(error.kind(), ErrorKind::AccessDenied, "{error}");
    }
    let (status, out, err) = watched(&folder, "reader", &["--sample", "5"]);
    assert!(status == Some(0) && out.contains("all of 1 sampled keys are of the design"), "{status:?} {out} {err}");
    drop_table(&owner.admin(), "users").await;
}
