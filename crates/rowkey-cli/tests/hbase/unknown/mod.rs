//! Tables without a design: what `import` makes of them, and what `watch` guesses.

mod rights;

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use hbase_client::{Admin, BlockEncoding, BloomFilter, Family, Put, TableSchema};
use rowkey_design::{Design, File};
use serde_json::Value as Json;

use super::{client, drop_table, site, watch};

fn import(args: &[&str]) -> Output {
    import_as("owner", site(), args)
}

/// Imports as a user, whose name servers believe.
fn import_as(user: &str, site: impl AsRef<OsStr>, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command.args(["import", "--from", "hbase"]).arg(site).args(args).env("HADOOP_USER_NAME", user);
    command.stdin(Stdio::null()).output().unwrap()
}

fn imported(args: &[&str]) -> (String, Design) {
    let output = import(args);
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!((output.status.code(), &*error), (Some(0), ""), "{args:?}");
    let file = File { name: "imported".to_owned(), text: text.clone() };
    (text, Design::parse([file]).unwrap())
}

async fn created(admin: &Admin, schema: TableSchema, splits: &[Vec<u8>]) {
    drop_table(admin, &schema.name().to_string()).await;
    admin.create(&schema, splits).await.unwrap();
}

/// Rows of 8 salted buckets: a byte, a host, a time.
fn key(row: u32) -> Vec<u8> {
    let host = format!("host{:02}", row * 7 % 40);
    [
        &[(row % 8) as u8],
        host.as_bytes(),
        b"#",
        (1_600_000_000 + row.wrapping_mul(2_654_435_761) % 10_000_000).to_string().as_bytes(),
    ]
    .concat()
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_table_becomes_a_design_and_is_watched_without_one() {
    let client = client();
    let admin = client.admin();
    let family = Family::new("d").max_versions(3).ttl(Duration::from_secs(86_400)).encoding(BlockEncoding::FastDiff);
    let family = family.bloom_filter(BloomFilter::RowColumn).setting("hbase.hstore.blockingStoreFiles", "30");
    let schema = TableSchema::new("unknown").family(family).max_file_size(5 << 30);
    let splits: Vec<Vec<u8>> = (1..8).map(|bucket| vec![bucket]).collect();
    created(&admin, schema, &splits).await;
    let table = client.table("unknown");
    for row in 0..800 {
        table.put(Put::new(key(row)).value("d", "x", "v")).await.unwrap();
    }

    let (text, design) = imported(&["unknown"]);
    let servers = admin.servers().await.unwrap().len();
    for due in [
        &*format!("[cluster.hbase]\nengine = \"hbase\"\nservers = {servers}\n"),
        "max = \"5368709120 B\"\n",
        "# No layout of the keys was found: in 7 start keys of regions (fewer than 8 keys differ",
        "key = [\"row: bytes raw\"]\nsplits = { keys = [\"01\", \"02\", \"03\", \"04\", \"05\", \"06\", \"07\"] }\n",
        "# A design has no key for CONFIGURATION: hbase.hstore.blockingStoreFiles => 30\n",
        "bloom = \"rowcol\"\n",
        "encoding = \"fast_diff\"\nttl = \"1 days\"\nversions = 3\n",
    ] {
        assert!(text.contains(due), "{due} in {text}");
    }
    assert_eq!(design.tables["unknown"].layout.shape(), "bytes raw");
    let (text, design) = imported(&["unknown", "--sample", "400"]);
    assert!(text.contains("is a guess from 400 sampled keys: "), "{text}");
    let layout = &design.tables["unknown"].layout;
    assert!(layout.fields().len() >= 3 && (0..800).all(|row| layout.decode(&key(row)).is_ok()), "{text}");

    let folder = tempfile::tempdir().unwrap();
    let args = ["--every", "1s", "--table", "unknown", "--sample", "400", "--html", "p.html", "--json", "r.jsonl"];
    let mut child = watch(folder.path(), &[&args[..], &["--for", "5m"]].concat());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = lines.next().unwrap().unwrap();
    assert!(said.starts_with("unknown: the layout `") && said.contains("` is a guess from 400 sampled keys"), "{said}");
    assert!(lines.next().unwrap().unwrap().starts_with("watching: "));
    // Keys of the bucket 5 alone.
    for row in (5..800).step_by(8) {
        table.put(Put::new(key(row)).value("d", "x", "v")).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let guess = said.strip_prefix("unknown: ").unwrap();
    let [page, json] = ["p.html", "r.jsonl"].map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap());
    assert!(out.contains(guess) && out.contains("400 keys were read"), "{out}");
    assert!(json.contains(guess) && page.contains("is a guess from 400 sampled keys"), "{json}");
    let first = layout.fields()[0].name.clone();
    let lines = json.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let mut label = lines.filter_map(|line| Some(line["hottest_written"]["label"].as_str()?.to_owned()));
    let label = &*label.next_back().unwrap();
    assert!(label.contains('5') && (label.contains(&first) || label.contains("bucket")), "{label}");
    assert!(page.contains(label), "{label} on the page");
    assert!(out.contains(&format!(", from {label} to before ")), "{out}");
    drop_table(&admin, "unknown").await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn start_keys_of_any_bytes_are_split_points_and_a_table_that_is_not_there_is_told() {
    let client = client();
    let admin = client.admin();
    let hostile = [&b"\x00\xff,\\"[..], b"\"]\n[table.x]", b"a,b\n", b"it's \\x41", b"\xe2\x82", &[0xff; 64]];
    let hostile = hostile.map(<[u8]>::to_vec);
    created(&admin, TableSchema::new("hostile").family("it's \"f\""), &hostile).await;
    let (text, design) = imported(&["hostile", "--sample", "10"]);
    let hex = |key: &Vec<u8>| format!("\"{}\"", key.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut due = hostile.to_vec();
    due.sort();
    let due = format!("splits = {{ keys = [{}] }}\n", due.iter().map(hex).collect::<Vec<_>>().join(", "));
    assert!(text.contains(&due), "{due} in {text}");
    assert!(text.contains("in 0 sampled keys (there are no keys), in 6 start keys of regions (fewer than 8"), "{text}");
    assert_eq!((design.tables.len(), design.tables["hostile"].table.family.len()), (1, 1));
    drop_table(&admin, "hostile").await;

    for args in [&["hostile"][..], &["hostile", "--sample", "5"], &["nowhere:hostile"]] {
        let output = import(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count(), output.stdout.len()), (Some(2), 1, 0), "{error}");
        assert!(error.contains("does not exist"), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = watch(folder.path(), &["--for", "5m", "--table", "hostile"]).wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("table hostile does not exist"), "{error}");
}
