use std::time::{Duration, Instant};

use hbase_client::{Client, ErrorKind, Increment, Put, ServerName, TableSchema};
use rowkey_hbase_testkit::{Process, spread};
use tokio::time::sleep;

use super::load::{CALL, Load};
use super::rounds;
use crate::{cluster, create, options, remove};

/// Longer than a server's session in ZooKeeper, and its regions' way to other servers.
const DEAD: Duration = Duration::from_secs(12);

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_is_killed_and_started_under_the_load() {
    let (client, load) = Load::start("faults_killed", options()).await;
    let table = load.table.clone();
    spread(&client, &table, 0).await;
    load.run(async {
        for round in 0..rounds() {
            let server = cluster().region_server(1 + round % 3);
            server.signal("-KILL");
            sleep(DEAD).await;
            server.start(&[]).await;
            sleep(Duration::from_secs(3)).await;
            spread(&client, &table, round).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_is_killed_and_started_at_once() {
    let (client, load) = Load::start("faults_restarted", options()).await;
    let table = load.table.clone();
    spread(&client, &table, 1).await;
    load.run(async {
        for round in 0..rounds() {
            let server = cluster().region_server(1 + round % 3);
            server.signal("-KILL");
            server.ends().await;
            server.start(&[]).await;
            sleep(Duration::from_secs(5)).await;
            spread(&client, &table, round).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_is_stopped_and_goes_on_under_the_load() {
    let (client, load) = Load::start("faults_stopped", options()).await;
    let table = load.table.clone();
    spread(&client, &table, 1).await;
    load.run(async {
        for round in 0..rounds() {
            let server = cluster().region_server(1 + round % 3);
            server.signal("-STOP");
            sleep(Duration::from_secs(2)).await;
            server.signal("-CONT");
            sleep(Duration::from_secs(2)).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_stopped_server_does_not_keep_the_rows_of_the_others_waiting() {
    let client = Client::new(options()).unwrap();
    let schema = TableSchema::new("faults_aside").family("f");
    create(&client.admin(), &schema, &["m"]).await;
    let table = client.table(schema.name());
    for round in 0..rounds() {
        spread(&client, &table, round).await;
        let regions = table.regions().await.unwrap();
        let port = regions[1].1.as_ref().unwrap().address().port();
        let server = (1..=3)
            .map(|number| cluster().region_server(number))
            .find(|server| server.address().port() == port)
            .unwrap();
        let in_time = table.with_timeout(Duration::from_millis(2500));
        let aside = || {
            let increment = || Increment::new("a").add("f", "n", 1).into();
            // Each action goes when the one before it is done.
            let mut actions: Vec<_> =
                (0..15).flat_map(|_| [increment(), Put::new("a").value("f", "q", "v").into()]).collect();
            actions.push(Put::new("z").value("f", "q", "v").into());
            in_time.batch(actions)
        };
        assert!(aside().await.iter().all(Result::is_ok));
        server.signal("-STOP");
        let results = aside().await;
        server.signal("-CONT");
        let (last, others) = results.split_last().unwrap();
        assert_eq!(last.as_ref().unwrap_err().kind(), ErrorKind::OutcomeUnknown);
        assert_eq!(others.iter().filter(|result| result.is_err()).count(), 0, "{others:?}");
        sleep(Duration::from_secs(2)).await;
    }
    remove(&client.admin(), &schema).await;
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_server_that_was_stopped_for_too_long_wakes_up_without_its_regions() {
    let (client, load) = Load::start("faults_asleep", options()).await;
    let table = load.table.clone();
    spread(&client, &table, 2).await;
    load.run(async {
        for round in 0..rounds() {
            // One that does not have meta: the master's own calls to it would wait for minutes, and nothing would be
            // elsewhere.
            let dump = client.dump();
            let meta = dump.lines().find(|line| line.starts_with("region hbase:meta,")).expect("meta is known");
            let without = |server: &Process| !meta.contains(&format!(",{},", server.address().port()));
            let server = (0..3).map(|at| cluster().region_server(1 + (round + at) % 3)).find(without).unwrap();
            let address = server.address();
            server.signal("-STOP");
            sleep(DEAD).await;
            // HDFS keeps a sleeper from writing to a log that was taken over from it; a local file system does not, so
            // no call may wait for it any more: its regions are elsewhere, and have been for longer than a call takes.
            let there = |server: Option<&ServerName>| server.is_none_or(|at| *at.address() == address);
            while table.regions().await.unwrap().iter().any(|(_, at)| there(at.as_ref())) {
                sleep(Duration::from_millis(100)).await;
            }
            sleep(CALL + Duration::from_secs(1)).await;
            server.signal("-CONT");
            // It learns that it was declared dead, and ends.
            server.ends().await;
            server.start(&[]).await;
            sleep(Duration::from_secs(3)).await;
            spread(&client, &table, round).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_master_is_killed_and_the_other_one_takes_over() {
    let (client, load) = Load::start("faults_master", options()).await;
    let table = load.table.clone();
    let schema = TableSchema::new("faults_master_new").family("f");
    load.run(async {
        for _ in 0..rounds() {
            let admin = client.admin();
            remove(&admin, &schema).await;
            let active = cluster().active_master(&client);
            let (created, ()) = tokio::join!(admin.create(&schema, ["m"]), async {
                sleep(Duration::from_millis(30)).await;
                active.signal("-KILL");
            });
            created.expect("the master that takes over ends what the other one began");
            assert_eq!(client.table(schema.name()).regions().await.unwrap().len(), 2);
            active.start(&[]).await;
            spread(&client, &table, 0).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_master_that_took_over_knows_the_servers() {
    let client = Client::new(options()).unwrap();
    let (admin, schema) = (client.admin(), TableSchema::new("faults_took_over").family("f"));
    create(&admin, &schema, &[]).await;
    for _ in 0..rounds() {
        let all = admin.servers().await.unwrap().len();
        let active = cluster().active_master(&client);
        active.signal("-KILL");
        let began = Instant::now();
        // From the first answer of the other one on.
        while began.elapsed() < Duration::from_secs(15) {
            assert!(!admin.servers().await.unwrap().is_empty());
            assert!(admin.exists(schema.name()).await.unwrap());
            assert!(admin.tables().await.unwrap().contains(schema.name()));
        }
        assert_eq!(admin.servers().await.unwrap().len(), all);
        active.start(&[]).await;
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn zookeeper_is_stopped_and_goes_on_under_the_load() {
    let (client, load) = Load::start("faults_zookeeper", options()).await;
    let table = load.table.clone();
    let masters = cluster().masters().map(|master| master.address());
    load.run(async {
        for _ in 0..rounds() {
            // For less than a server's session.
            cluster().zookeeper().signal("-STOP");
            let looked_up = client.counters().lookups;
            let began = Instant::now();
            // A client that has only ZooKeeper ends in time; one that has masters too does not wait for it.
            let lost = Client::new(options().timeout(Duration::from_secs(1))).unwrap();
            let found = Client::new(options().masters(masters.clone())).unwrap();
            let (lost, found) = (lost.table(table.name()), found.table(table.name()));
            let (lost, found) = tokio::join!(lost.get("c0"), found.get("c0"));
            assert_eq!(lost.unwrap_err().kind(), ErrorKind::Unavailable);
            assert_eq!(found.unwrap().len(), 1);
            assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
            // Nobody who knows the regions needs it.
            assert_eq!(client.counters().lookups, looked_up);
            cluster().zookeeper().signal("-CONT");
            sleep(Duration::from_secs(2)).await;
        }
    })
    .await;
    println!("{:?}", client.counters());
}
