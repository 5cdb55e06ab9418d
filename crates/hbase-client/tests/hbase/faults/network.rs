use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hbase_client::{Address, Client, ErrorKind, Put, Table, TableSchema};
use rowkey_hbase_testkit::{Fault, Proxy, server_of_meta, spread};
use tokio::time::sleep;

use super::load::Load;
use super::rounds;
use crate::{create, options};

#[tokio::test]
#[ignore = "needs a server"]
async fn connections_are_cut_at_any_byte_under_the_load() {
    let proxy = Proxy::default();
    let (client, load) = Load::start("faults_cut", proxy.options(options())).await;
    let (table, cutting) = (load.table.clone(), proxy.clone());
    load.run(async {
        spread(&client, &table, 0).await;
        for _ in 0..rounds() {
            // The shorter ones are cut inside of the preamble or of the first frames.
            for longest in [300, 3000, 100_000] {
                cutting.set(Fault { cut_after: Some(1..longest), ..Fault::default() });
                cutting.close();
                sleep(Duration::from_secs(3)).await;
                cutting.set(Fault::default());
                cutting.close();
                sleep(Duration::from_secs(1)).await;
            }
        }
    })
    .await;
    let [requests, answers] = proxy.cuts();
    assert!(requests > 10 && answers > 10, "{:?}", proxy.cuts());
    println!("{requests} cut in requests, {answers} in answers; {:?}", client.counters());
}

const REGIONS: usize = 16;

/// A table of some regions, none of them where meta is, and the server of meta.
async fn apart_from_meta(name: &str) -> (Table, Address) {
    let client = Client::new(options()).unwrap();
    let splits: Vec<_> = (1..REGIONS).map(|at| format!("{at:02}")).collect();
    let splits: Vec<_> = splits.iter().map(String::as_str).collect();
    create(&client.admin(), &TableSchema::new(name).family("f"), &splits).await;
    let table = client.table(name);
    let put = |row: String| table.put(Put::new(row).value("f", "x", "1"));
    join_all(rows().map(put)).await.into_iter().for_each(Result::unwrap);
    let meta = server_of_meta(&client).await;
    let mut servers = client.admin().servers().await.unwrap();
    servers.retain(|server| *server.address() != meta);
    for (at, (region, server)) in table.regions().await.unwrap().into_iter().enumerate() {
        if server.is_some_and(|server| *server.address() == meta) {
            client.admin().move_region(&region, Some(&servers[at % servers.len()])).await.unwrap();
        }
    }
    (table, meta)
}

/// Ten rows of each region.
fn rows() -> impl Iterator<Item = String> {
    (0..REGIONS).flat_map(|region| (0..10).map(move |row| format!("{region:02}-{row}")))
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_slow_meta_is_asked_once_a_region() {
    let proxy = Proxy::default();
    let (table, meta) = apart_from_meta("faults_slow_meta").await;
    for _ in 0..rounds() {
        proxy.set(Fault { slow: Some((meta.clone(), Duration::from_millis(700))), ..Fault::default() });
        let client = Client::new(proxy.options(options())).unwrap();
        let there = client.table(table.name());
        let (single, batches) =
            tokio::join!(join_all(rows().map(|row| there.get(row))), join_all((0..20).map(|_| there.get_many(rows()))));
        assert!(single.into_iter().chain(batches.into_iter().flatten()).all(|row| row.unwrap().len() == 1));
        let cold = client.counters();
        assert!(cold.lookups <= REGIONS as u64, "{cold:?}");

        // Slower than a look-up may be: who knows the regions does not care, and who does not ends in time.
        proxy.set(Fault { slow: Some((meta.clone(), Duration::from_secs(3))), ..Fault::default() });
        let began = Instant::now();
        assert!(there.get_many(rows()).await.into_iter().all(|row| row.is_ok()));
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        assert_eq!(client.counters().lookups, cold.lookups);
        let hasty = Client::new(proxy.options(options()).meta_timeout(Duration::from_millis(500))).unwrap();
        let late = hasty.table(table.name()).with_timeout(Duration::from_secs(4));
        let began = Instant::now();
        let (single, batches) =
            tokio::join!(join_all(rows().map(|row| late.get(row))), join_all((0..20).map(|_| late.get_many(rows()))));
        let took = began.elapsed();
        // They are tried for four seconds. Thousands end at once, on a machine that has other work.
        assert!(took < Duration::from_secs(20), "{took:?}");
        let mut errors = single.into_iter().chain(batches.into_iter().flatten()).map(Result::unwrap_err);
        assert!(errors.all(|error| error.kind() == ErrorKind::Unavailable));
        // One at a time for the whole table, of which nothing is known, each of half a second.
        let hasty = hasty.counters();
        assert!(hasty.lookups <= 10, "{hasty:?}");
        proxy.set(Fault::default());
        // The answers that are late come before any other.
        assert!(late.with_timeout(Duration::from_secs(60)).get("00-0").await.is_ok());
        println!("{} operations, meta slow: {cold:?}; too slow: {hasty:?}", 160 + 20 * 160);
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_connection_on_which_nothing_comes_is_left() {
    let proxy = Proxy::default();
    let (table, _) = apart_from_meta("faults_stalled").await;
    let patience = Duration::from_secs(2);
    let client = Client::new(proxy.options(options()).attempt_timeout(patience).read_timeout(patience)).unwrap();
    let table = client.table(table.name());
    for _ in 0..rounds() {
        assert!(table.get_many(rows()).await.into_iter().all(|row| row.is_ok()));
        proxy.stall();
        let hasty = table.with_timeout(Duration::from_millis(500));
        let began = Instant::now();
        assert_eq!(hasty.get("00-0").await.unwrap_err().kind(), ErrorKind::Unavailable);
        let put = Put::new("00-0").value("f", "x", "1");
        assert_eq!(hasty.put(put).await.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
        assert!(hasty.get_many(rows()).await.into_iter().all(|row| row.is_err()));
        let took = began.elapsed();
        assert!((Duration::from_millis(1400)..Duration::from_secs(3)).contains(&took), "{took:?}");
        let began = Instant::now();
        assert!(table.get_many(rows()).await.into_iter().all(|row| row.is_ok()));
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        println!("a new connection after {:?}; {:?}", began.elapsed(), client.counters());
    }
}
