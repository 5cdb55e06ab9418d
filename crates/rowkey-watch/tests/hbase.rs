//! Counts of the regions of a real cluster, against those of the programs that wrote and read.
//! `servers/hbase/test-tables` of the repository starts one and runs this.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hbase_client::{Admin, Client, ErrorKind, Options, Put, Table, TableSchema};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Key, Known, Settings};
use rowkey_watch::{Cluster, Follow, Reading};

fn client() -> Client {
    let site = std::env::var("ROWKEY_HBASE").expect("ROWKEY_HBASE is not set: run servers/hbase/test-tables");
    Client::new(Options::from_site(site).unwrap().timeout(Duration::from_secs(60))).unwrap()
}

async fn create(admin: &Admin, name: &str, splits: &[&str]) {
    match admin.disable(name).await {
        Err(error) if error.kind() == ErrorKind::TableNotFound => {}
        disabled => {
            disabled.unwrap();
            admin.drop(name).await.unwrap();
        }
    }
    admin.create(&TableSchema::new(name).family("f"), splits).await.unwrap();
}

async fn write(table: &Table, prefix: &str, rows: u32) {
    for row in 0..rows {
        table.put(Put::new(format!("{prefix}{row:04}")).value("f", "x", "v")).await.unwrap();
    }
}

/// A reading in which every region is told of: on a busy machine a server may be late.
async fn whole(cluster: &mut Cluster) -> Reading {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let reading = cluster.read().await.unwrap();
        if reading.regions.iter().all(|region| region.counts.is_some() && region.late_ms == 0) {
            return reading;
        }
        assert!(Instant::now() < until, "{reading:?}");
    }
}

/// A table that is followed, and the writes of each first key in all readings.
#[derive(Default)]
struct Followed {
    follow: Follow,
    writes: BTreeMap<Key, u64>,
}

impl Followed {
    async fn read(&mut self, cluster: &mut Cluster) {
        self.follow.add(&whole(cluster).await);
        for region in &self.follow.latest().regions {
            *self.writes.entry(region.start.clone()).or_default() += region.rows_this_interval;
        }
    }

    /// What was followed until now.
    fn run(&self) -> Run {
        self.follow.clone().into_run(Settings::default())
    }
}

fn counts(all: &[(&str, u64)]) -> BTreeMap<Key, u64> {
    all.iter().map(|(start, rows)| (Key(start.as_bytes().to_vec()), *rows)).collect()
}

#[tokio::test]
#[ignore = "needs a server"]
async fn regions_that_move_split_and_merge_are_followed() {
    let client = client();
    let admin = client.admin();
    create(&admin, "watched", &["g", "p"]).await;
    let table = client.table("watched");
    let (mut cluster, mut followed) = (Cluster::new(&client, "watched"), Followed::default());
    // They are no part of any interval.
    write(&table, "a", 5).await;
    followed.read(&mut cluster).await;
    for (prefix, rows) in [("a", 30), ("h", 20), ("q", 10)] {
        write(&table, prefix, rows).await;
    }
    followed.read(&mut cluster).await;
    assert_eq!(followed.writes, counts(&[("", 30), ("g", 20), ("p", 10)]));

    let regions = table.regions().await.unwrap();
    let (first, from) = (&regions[0].0, regions[0].1.clone().unwrap());
    let servers = admin.servers().await.unwrap();
    let to = servers.iter().find(|server| **server != from).expect("a second server");
    admin.move_region(first, Some(to)).await.unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while table.regions().await.unwrap()[0].1.as_ref() != Some(to) {
        assert!(Instant::now() < until, "it is not moved");
    }
    write(&table, "a", 7).await;
    admin.flush("watched").await.unwrap();
    admin.split(&regions[2].0, "t").await.unwrap();
    write(&table, "q", 3).await;
    write(&table, "u", 4).await;
    followed.read(&mut cluster).await;
    assert_eq!(followed.writes, counts(&[("", 37), ("g", 20), ("p", 13), ("t", 4)]));
    let run = followed.run();
    let [moved] = &run.moves[..] else { panic!("{:?}", run.moves) };
    assert_eq!((&moved.start, moved.from == moved.to), (&Key::default(), false));
    assert_eq!(run.settings.server_names[moved.to as usize], to.address().to_string());
    let [split] = &run.splits[..] else { panic!("{:?}", run.splits) };
    assert_eq!((&*split.start.0, &*split.at.0), (&b"p"[..], &b"t"[..]));

    let two: Vec<_> = table.regions().await.unwrap().into_iter().take(2).map(|(region, _)| region).collect();
    admin.merge(&two).await.unwrap();
    write(&table, "h", 2).await;
    followed.read(&mut cluster).await;
    assert_eq!(followed.writes, counts(&[("", 39), ("g", 20), ("p", 13), ("t", 4)]));
    let run = followed.run();
    let [merge] = &run.merges[..] else { panic!("{:?}", run.merges) };
    assert_eq!((&merge.start, &merge.others[..]), (&Key::default(), &[Key(b"g".to_vec())][..]));
    let mut regions = run.intervals.iter().flat_map(|interval| &interval.regions);
    assert!(regions.all(|region| region.known != Known::None), "{:?}", run.intervals);
    assert!(run.restarts.is_empty(), "{:?}", run.restarts);

    admin.disable("watched").await.unwrap();
    admin.drop("watched").await.unwrap();
    assert_eq!(cluster.read().await.unwrap_err().kind(), ErrorKind::TableNotFound);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_region_that_is_opened_anew_is_told_however_much_it_counts_since() {
    let client = client();
    let admin = client.admin();
    create(&admin, "opened", &["m"]).await;
    let table = client.table("opened");
    let (mut cluster, mut followed) = (Cluster::new(&client, "opened"), Followed::default());
    write(&table, "a", 5).await;
    followed.read(&mut cluster).await;
    write(&table, "a", 4).await;
    // Regions are opened where they were.
    admin.disable("opened").await.unwrap();
    admin.enable("opened").await.unwrap();
    write(&table, "a", 50).await;
    followed.read(&mut cluster).await;
    assert_eq!(followed.writes, counts(&[("", 50), ("m", 0)]));
    let known: Vec<_> = followed.follow.latest().regions.iter().map(|region| region.known).collect();
    assert_eq!(known, [Known::Part; 2]);
    admin.disable("opened").await.unwrap();
    admin.drop("opened").await.unwrap();
}
