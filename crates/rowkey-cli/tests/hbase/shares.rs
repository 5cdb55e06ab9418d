//! The shares of regions, one of which is split.

use std::time::{Duration, Instant};

use hbase_client::{Put, Table, TableSchema};
use rowkey_simulate::recording::Run;

use crate::{client, drop_table, first_reading, interrupt, page, watch};

pub(crate) const DESIGN: &str = r#"format = 1

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

/// The rows that were written to each quarter of the keys, of which the last is hot and is split in two.
type Counts = [u64; 5];

/// Puts a row into one of these places.
pub(crate) async fn put(table: &Table, place: usize, number: u32) {
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
    interrupt(&child);
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

    assert!(out.contains("of the writes to `users` go to the region that begins with"), "{out}");
    let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert!(page.contains("requests to the cluster"));
    page::is_of(&page, &run);
    drop_table(&admin, "users").await;
}
