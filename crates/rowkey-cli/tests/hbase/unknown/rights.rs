//! Users without rights, at an HBase that checks them: its hbase-site.xml is in `ROWKEY_HBASE_RIGHTS`. `owner` may all.

use std::process::{Command, Stdio};

use hbase_client::{Client, Options, Put, TableSchema};

use super::{drop_table, import_as};

fn site() -> String {
    std::env::var("ROWKEY_HBASE_RIGHTS").expect("ROWKEY_HBASE_RIGHTS is the path of an hbase-site.xml")
}

#[tokio::test]
#[ignore = "needs ROWKEY_HBASE_RIGHTS"]
async fn what_a_user_may_read_is_imported_and_the_right_that_is_missing_is_named() {
    let owner = Client::new(Options::from_site(site()).unwrap().user("owner")).unwrap();
    let admin = owner.admin();
    drop_table(&admin, "imported").await;
    admin.create(&TableSchema::new("imported").family("f"), [[0x80]]).await.unwrap();
    for row in 0..200u32 {
        owner.table("imported").put(Put::new(row.to_be_bytes()).value("f", "x", "v")).await.unwrap();
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let of_owner = import_as("owner", site(), &["imported", "--sample", "100"]);
    assert_eq!((of_owner.status.code(), &*text(of_owner.stderr)), (Some(0), ""));
    assert!(text(of_owner.stdout).contains("[table.imported.family.f]"));

    let of_stranger = import_as("stranger", site(), &["imported"]);
    let [out, error] = [of_stranger.stdout, of_stranger.stderr].map(text);
    assert_eq!((of_stranger.status.code(), error.lines().count()), (Some(0), 1), "{error}");
    for told in [&out, &error] {
        assert!(told.contains("CREATE or ADMIN on the table is needed") && told.contains("user=stranger"), "{told}");
    }
    assert!(out.contains("splits = { keys = [\"80\"] }") && !out.contains(".family."), "{out}");

    let refused = import_as("stranger", site(), &["imported", "--sample", "10"]);
    let error = text(refused.stderr);
    assert_eq!((refused.status.code(), refused.stdout.len(), error.lines().count()), (Some(2), 0, 1), "{error}");
    assert!(
        error.contains("needs the right READ to the table") && error.contains("'stranger' (table=imported"),
        "{error}"
    );

    // Counts and the list of regions need no right.
    let mut watch = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    watch.args(["watch", "--hbase", &site(), "--table", "imported", "--every", "1s", "--for", "2s"]);
    let watched = watch.env("HADOOP_USER_NAME", "stranger").stdin(Stdio::null()).output().unwrap();
    let [out, error] = [watched.stdout, watched.stderr].map(text);
    assert!(watched.status.code() == Some(0) && out.contains("no row of a table was read"), "{error}");
    drop_table(&admin, "imported").await;
}
