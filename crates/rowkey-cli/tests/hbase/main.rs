//! `rowkey watch` at a real HBase, against the counts of the program that writes; `rowkey import` of its tables.
//! `servers/hbase/test-tables` of the repository starts one and runs this.

mod unknown;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use hbase_client::{Admin, Client, ErrorKind, Options, Put, Table, TableSchema};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Interval;
use serde_json::Value as Json;

const DESIGN: &str = r#"format = 1

[cluster.main]
engine = "hbase"
servers = 3
region.writes = "20/s"

[table.users]
key = ["user: u32"]
rows = "1M"
stats.user = { distinct = "1M" }

[[table.users.write]]
name = "user"
rate = "1k/s"
"#;

fn site() -> String {
    std::env::var("ROWKEY_HBASE").expect("ROWKEY_HBASE is not set: run servers/hbase/test-tables")
}

fn client() -> Client {
    Client::new(Options::from_site(site()).unwrap().timeout(Duration::from_secs(60))).unwrap()
}

async fn drop_table(admin: &Admin, name: &str) {
    match admin.disable(name).await {
        Err(error) if error.kind() == ErrorKind::TableNotFound => {}
        disabled => {
            disabled.unwrap();
            admin.drop(name).await.unwrap();
        }
    }
}

fn watch(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command.args(["watch", "--hbase", &site()]).args(args).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The rows that were written to each quarter of the keys, of which the last is hot and is split in two.
type Counts = [u64; 5];

/// Puts a row into one of these places.
async fn put(table: &Table, place: usize, number: u32) {
    let first = [0, 0x4000_0000, 0x8000_0000, 0xc000_0000, 0xe000_0000][place];
    let key = u32::to_be_bytes(first + number % 0x1000_0000);
    table.put(Put::new(key).value("f", "x", "v")).await.unwrap();
}

/// Writes for a while, as even as may be over time.
async fn load(table: &Table, time: Duration, counts: &mut Counts) {
    let begun = Instant::now();
    for number in 0.. {
        if begun.elapsed() >= time {
            break;
        }
        for place in [0, 1, 2, 3, 3, 3, 4, 4, 4, 4, 4] {
            put(table, place, number).await;
            counts[place] += 1;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits for the line that says what a reading costs: the first has been made.
fn first_reading(child: &mut Child) -> BufReader<ChildStderr> {
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.starts_with("watching: ") && line.contains(" requests a minute"), "{line}");
    lines
}

#[tokio::test]
#[ignore = "needs a server"]
async fn shares_are_those_of_the_writer_on_the_page_and_in_json() {
    let client = client();
    let admin = client.admin();
    drop_table(&admin, "users").await;
    let splits = [0x40_u8, 0x80, 0xc0].map(|byte| [byte, 0, 0, 0]);
    admin.create(&TableSchema::new("users").family("f"), splits).await.unwrap();
    let table = client.table("users");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.rowkey.toml"), DESIGN).unwrap();
    let args = ["--for", "5m", "--every", "1s", "--html", "p.html", "--json", "r.jsonl", "users.rowkey.toml"];
    let mut child = watch(folder.path(), &args);
    let _stderr = first_reading(&mut child);

    let mut counts = Counts::default();
    load(&table, Duration::from_secs(7), &mut counts).await;
    // What is written between a reading and the closing of a region is told by no server.
    tokio::time::sleep(Duration::from_secs(3)).await;
    admin.flush("users").await.unwrap();
    let regions = table.regions().await.unwrap();
    admin.split(&regions[3].0, [0xe0, 0, 0, 0]).await.unwrap();
    load(&table, Duration::from_secs(7), &mut counts).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{out}");

    let text = std::fs::read(folder.path().join("r.jsonl")).unwrap();
    let run = Run::read(&text[..]).unwrap();
    let [split] = &run.splits[..] else { panic!("{:?}", run.splits) };
    assert_eq!(split.at.0, [0xe0, 0, 0, 0]);
    let mut told = [0; 4];
    for region in run.intervals.iter().flat_map(|interval| &interval.regions) {
        told[region.start.0.first().map_or(0, |byte| usize::from(byte >> 6))] += region.rows_this_interval;
    }
    let made = [counts[0], counts[1], counts[2], counts[3] + counts[4]];
    let share = |of: &[u64; 4], at: usize| of[at] as f64 / of.iter().sum::<u64>() as f64;
    for at in 0..4 {
        assert!((share(&told, at) - share(&made, at)).abs() < 0.02, "{told:?} of {made:?}");
    }
    let all = made.iter().sum::<u64>() as f64;
    assert!((told.iter().sum::<u64>() as f64 - all).abs() < 0.02 * all, "{told:?} of {made:?}");
    assert!(run.settings.server_names.len() == 3 && run.silences.is_empty(), "{:?}", run.silences);

    assert!(out.contains("of the writes to `users` go to the region that begins at"), "{out}");
    let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert!(page.contains("requests to the cluster"));
    as_on_the_page(&page, &run);
    drop_table(&admin, "users").await;
}

/// The cells of the page are the counts of the intervals.
fn as_on_the_page(page: &str, run: &Run) {
    let (_, data) = page.split_once("id=\"cells\">").unwrap();
    let data: Json = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let columns = data["columns"].as_u64().unwrap() as usize;
    let grid = &data["grids"][0];
    let rates = grid["writes"]["rates"].as_array().unwrap();
    assert_eq!((columns, rates.len()), (run.intervals.len(), 5 * columns));
    let starts: [&[u8]; 5] = [&[], &[0x40, 0, 0, 0], &[0x80, 0, 0, 0], &[0xc0, 0, 0, 0], &[0xe0, 0, 0, 0]];
    let mut begin = 0;
    for (column, Interval { t_ms, regions, .. }) in run.intervals.iter().enumerate() {
        let seconds = (t_ms - begin) as f64 / 1000.0;
        for (row, start) in starts.iter().enumerate() {
            let region = regions.iter().rfind(|region| region.start.0.as_slice() <= *start).unwrap();
            let due = region.rows_this_interval as f64 / seconds;
            let drawn = rates[row * columns + column].as_f64().unwrap();
            assert!((drawn - due).abs() <= 0.5, "{row} {column}: {drawn} of {due}");
        }
        begin = *t_ms;
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_table_that_vanishes_ends_it_with_what_was_read() {
    let client = client();
    let admin = client.admin();
    drop_table(&admin, "users").await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.rowkey.toml"), DESIGN).unwrap();
    let output = watch(folder.path(), &["--for", "5m", "users.rowkey.toml"]).wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains("table users does not exist"), "{error}");

    admin.create(&TableSchema::new("users").family("f"), [[0x80, 0, 0, 0]]).await.unwrap();
    let table = client.table("users");
    for number in 0..40 {
        put(&table, 0, number).await;
        put(&table, 3, number).await;
    }
    let args = ["--for", "5m", "--every", "1s", "--sample", "10", "--json", "r.jsonl", "users.rowkey.toml"];
    let mut child = watch(folder.path(), &args);
    let mut stderr = first_reading(&mut child);
    put(&table, 0, 0).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    drop_table(&admin, "users").await;
    let output = child.wait_with_output().unwrap();
    let mut error = String::new();
    stderr.read_line(&mut error).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("table users does not exist"), "{error}");
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("all of 10 sampled keys are of the design"), "{out}");
    let run = Run::read(&std::fs::read(folder.path().join("r.jsonl")).unwrap()[..]).unwrap();
    let regions = run.intervals.iter().flat_map(|interval| &interval.regions);
    assert_eq!(regions.map(|region| region.rows_this_interval).sum::<u64>(), 1);
}
