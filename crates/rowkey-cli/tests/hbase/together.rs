//! Two tables, which ask for more together than the servers take.

use std::time::Duration;

use hbase_client::{Put, TableSchema};
use serde_json::Value as Json;

use crate::shares::DESIGN;
use crate::{client, drop_table, first_reading, interrupt, watch};

#[tokio::test]
#[ignore = "needs a server"]
async fn all_tables_together_are_told_first() {
    let client = client();
    let folder = tempfile::tempdir().unwrap();
    let (cluster, table) = DESIGN.split_at(DESIGN.find("[table.users]").unwrap());
    let two = ["together_a", "together_b"];
    let tables: String = two.iter().map(|name| table.replace("table.users", &format!("table.{name}"))).collect();
    let design = format!("{}{tables}", cluster.replace("20/s", "1/s"));
    std::fs::write(folder.path().join("two.rowkey.toml"), design).unwrap();
    for name in two {
        drop_table(&client.admin(), name).await;
        client.admin().create(&TableSchema::new(name).family("f"), [[0x80, 0, 0, 0]]).await.unwrap();
    }
    let args = ["--for", "1 day", "--every", "1s", "--html", "p.html", "--json", "r.jsonl", "two.rowkey.toml"];
    let mut child = watch(folder.path(), &args);
    let _stderr = first_reading(&mut child);
    for number in 0..40_u32 {
        for name in two {
            client.table(name).put(Put::new(number.to_be_bytes()).value("f", "x", "v")).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let sentence = out.lines().next().unwrap();
    assert!(sentence.starts_with("All tables together saturate the servers: "), "{out}");
    assert_eq!(output.status.code(), Some(1), "{out}");
    let lines = std::fs::read_to_string(folder.path().join("r.jsonl")).unwrap();
    let last: Json = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["sentence"]), (&Json::from("all_tables"), &Json::from(sentence)));
    assert!(std::fs::read_to_string(folder.path().join("p.html")).unwrap().contains("All tables together saturate"));
    for name in two {
        drop_table(&client.admin(), name).await;
    }
}
