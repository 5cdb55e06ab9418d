//! Counts of the regions of a real cluster, against those of the programs that wrote and read.
//! `servers/hbase/test-tables` of the repository starts one and runs this.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hbase_client::{Admin, Client, ErrorKind, Options, Put, Table, TableSchema};
use rowkey_simulate::run::Key;
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
        if reading.regions.iter().all(|region| region.counts.is_some()) {
            return reading;
        }
        assert!(Instant::now() < until, "{reading:?}");
    }
}

/// The writes of each first key, in all intervals.
fn writes(follow: &Follow) -> BTreeMap<Key, u64> {
    let mut sums = BTreeMap::new();
    for region in follow.intervals.iter().flat_map(|interval| &interval.regions) {
        *sums.entry(region.start.clone()).or_default() += region.rows_this_interval;
    }
    sums
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
    let (mut cluster, mut follow) = (Cluster::new(&client, "watched"), Follow::default());
    // They are no part of any interval.
    write(&table, "a", 5).await;
    follow.add(&whole(&mut cluster).await);
    for (prefix, rows) in [("a", 30), ("h", 20), ("q", 10)] {
        write(&table, prefix, rows).await;
    }
    follow.add(&whole(&mut cluster).await);
    assert_eq!(writes(&follow), counts(&[("", 30), ("g", 20), ("p", 10)]));

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
    follow.add(&whole(&mut cluster).await);
    assert_eq!(writes(&follow), counts(&[("", 37), ("g", 20), ("p", 13), ("t", 4)]));
    let [moved] = &follow.moves[..] else { panic!("{:?}", follow.moves) };
    assert_eq!((&moved.start, moved.from == moved.to), (&Key::default(), false));
    assert_eq!(follow.servers[moved.to as usize], to.address().to_string());
    let [split] = &follow.splits[..] else { panic!("{:?}", follow.splits) };
    assert_eq!((&*split.start.0, &*split.at.0), (&b"p"[..], &b"t"[..]));

    let two: Vec<_> = table.regions().await.unwrap().into_iter().take(2).map(|(region, _)| region).collect();
    admin.merge(&two).await.unwrap();
    write(&table, "h", 2).await;
    follow.add(&whole(&mut cluster).await);
    assert_eq!(writes(&follow), counts(&[("", 39), ("g", 20), ("p", 13), ("t", 4)]));
    let [merge] = &follow.merges[..] else { panic!("{:?}", follow.merges) };
    assert_eq!((&merge.start, &merge.others[..]), (&Key::default(), &[Key(b"g".to_vec())][..]));
    assert!(follow.gaps.is_empty(), "{:?}", follow.gaps);

    admin.disable("watched").await.unwrap();
    admin.drop("watched").await.unwrap();
    assert_eq!(cluster.read().await.unwrap_err().kind(), ErrorKind::TableNotFound);
}
