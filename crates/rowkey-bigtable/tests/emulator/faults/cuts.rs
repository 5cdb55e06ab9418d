//! Connections are cut, stalled and refused under load.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rowkey_bigtable::Bigtable;
use rowkey_testkit::{Random, cases, is_long};
use tokio::time::sleep;

use super::load::{HANGS, Load, TIMEOUT, Tables, drawn, until};
use super::proxy::{AtRequest, Proxy};
use crate::{emulator, options, runtime};

/// Something happens to the connections, by a seed, for so long at least and until there was enough of it.
async fn trouble(proxy: &Proxy, seed: u64, time: Duration, is_enough: impl Fn() -> bool) {
    let mut random = Random(seed);
    let began = Instant::now();
    proxy.cut_by(Some(seed));
    proxy.cut();
    while began.elapsed() < time || !is_enough() {
        assert!(began.elapsed() < HANGS, "few calls were made, or few were cut");
        sleep(Duration::from_millis(20 + random.below(200))).await;
        match random.below(8) {
            0 => proxy.cut(),
            1 | 2 => {
                proxy.stall(true);
                sleep(Duration::from_millis(10 + random.below(300))).await;
                proxy.stall(false);
            }
            // Longer than calls may take.
            3 => {
                proxy.stall(true);
                sleep(TIMEOUT + Duration::from_millis(random.below(1500))).await;
                proxy.stall(false);
            }
            4 => {
                proxy.refuse().await;
                proxy.cut();
                sleep(Duration::from_millis(random.below(500))).await;
                proxy.accept().await;
            }
            5 => {
                // New connections alone.
                proxy.refuse().await;
                sleep(Duration::from_millis(random.below(200))).await;
                proxy.accept().await;
            }
            _ => {}
        }
    }
    proxy.cut_by(None);
    proxy.cut();
}

fn under_trouble(seed: u64) {
    runtime().block_on(async {
        let to_emulator = options();
        let direct = Bigtable::connect(to_emulator.clone()).await.unwrap();
        Tables::open(&direct).await.unwrap().fill().await.unwrap();
        let proxy = Proxy::start(&emulator()).await;
        let through = to_emulator
            .emulator(proxy.host())
            .attempt_timeout(Duration::from_secs(2))
            .connect_timeout(Duration::from_secs(1))
            .retry_for(Duration::from_secs(4));
        let db = Bigtable::connect(through).await.unwrap();
        let load = Load::new(Tables::open(&db).await.unwrap());
        let is_enough = || {
            let counts = [&load.known.scans, &load.known.gets, &load.known.failed_reads, &load.known.failed_writes];
            counts.iter().all(|count| count.load(Ordering::Relaxed) > 10) && proxy.cut_by_bytes() > 10
        };
        load.run(2, seed, trouble(&proxy, seed, Duration::from_secs(10), is_enough)).await;
        load.check(&direct).await;
        println!("seed {seed}: {} connections were cut after some bytes", proxy.cut_by_bytes());
        until("what was dropped or has ended is open on the server", || proxy.open_streams() == 0).await;
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn rows_are_right_and_errors_are_typed() {
    for seed in 1..=u64::from(cases(1, 6)) {
        under_trouble(seed);
    }
}

/// One scan after the other, each cut once or more.
#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn scans_go_on_where_they_were_cut() {
    runtime().block_on(async {
        let to_emulator = options();
        let direct = Bigtable::connect(to_emulator.clone()).await.unwrap();
        Tables::open(&direct).await.unwrap().fill().await.unwrap();
        let proxy = Proxy::start(&emulator()).await;
        let db = Bigtable::connect(to_emulator.emulator(proxy.host()).connections(1)).await.unwrap();
        let load = Load::new(Tables::open(&db).await.unwrap());
        let (mut random, scans) = (Random(7), cases(60, 600));
        proxy.at_request(usize::MAX, AtRequest::Lost);
        for seed in 0..scans {
            // The connection that is open was not to be cut.
            proxy.cut_later_by(u64::from(seed));
            proxy.cut();
            let (scan, expected) = drawn(&mut random);
            load.scan(&*load.tables.fixed, &scan, &expected, usize::MAX, None).await.unwrap();
        }
        let requests = proxy.requests();
        println!("{scans} scans took {requests} requests");
        // The first sixty are cut 1.3 times each, all of the long run 0.9 times.
        let least = if is_long() { scans * 3 / 2 } else { scans * 2 };
        assert!(requests > least as usize, "{requests} requests of {scans} scans: few were cut");
    });
}
