//! Deletes and expiry.

use rowkey_simulate::cluster::{Cluster, ClusterOptions};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::run::Interval;

use crate::load::{BATCH, cluster, key, put, regions, settings, tenths};

const DAY_MS: u64 = 86_400_000;

fn rows(interval: &Interval) -> u64 {
    interval.regions.iter().map(|region| region.rows).sum()
}

/// The rows that the scan of a queue's first row reads.
fn scan_front(cluster: &mut Cluster, t_ms: u64) -> u64 {
    cluster.interval(t_ms);
    let op = Op::Scan { end: None, limit: Some(1), reverse: false, few: None, most: None };
    cluster.apply(&Event { t_ms, batch: u64::MAX, op, key: &[], bytes: 0, weight: 1 });
    cluster.interval(t_ms).servers.iter().map(|server| server.rows_read).sum()
}

#[test]
fn a_queue_s_scan_reads_what_was_deleted_until_a_compaction_of_all() {
    let mut cluster = cluster(&settings(), 0);
    for n in 0..2000 {
        cluster.apply(&put(n, &key(n)));
    }
    assert_eq!(scan_front(&mut cluster, 2000), 1);
    for n in 0..1000 {
        cluster.apply(&Event { t_ms: 3000, batch: n / BATCH, op: Op::Delete, ..put(n, &key(n)) });
    }
    // Each deleted row and its tombstone, and the first that is left.
    assert_eq!(scan_front(&mut cluster, 3000), 2 * 1000 + 1);
    // The memstore is flushed within an hour and five minutes: rows go, tombstones stay.
    assert_eq!(rows(&cluster.interval(4_000_000)), 1000);
    assert_eq!(scan_front(&mut cluster, 4_000_000), 1000 + 1);
    // A major compaction comes within ten and a half days.
    cluster.interval(11 * DAY_MS);
    assert_eq!(scan_front(&mut cluster, 11 * DAY_MS), 1);
    assert_eq!(rows(&cluster.interval(11 * DAY_MS)), 1000);
}

#[test]
fn a_row_that_is_written_again_after_its_delete_stays() {
    let mut cluster = cluster(&settings(), 0);
    for (t_ms, op) in [(1, Op::Put), (2, Op::Delete), (3, Op::Put)] {
        cluster.apply(&Event { t_ms, batch: t_ms, op, key: b"a", bytes: 9, weight: 1 });
    }
    assert_eq!(rows(&cluster.interval(30 * DAY_MS)), 1);
}

#[test]
fn expired_rows_leave_empty_regions() {
    let options = ClusterOptions { ttl_ms: Some(DAY_MS), ..ClusterOptions::default() };
    let mut cluster = Cluster::new(&settings(), options);
    let before = tenths(&mut cluster, 150_000, key);
    let after = cluster.interval(30 * DAY_MS);
    assert_eq!((rows(&before[9]), rows(&after)), (150_000, 0));
    // A split may be under way at the end of the load.
    assert!((regions(&before)[9]..=regions(&before)[9] + 1).contains(&after.regions.len()));
    assert!(after.regions.iter().all(|region| (region.bytes, region.files) == (0, 0)));
}

#[test]
fn a_load_that_expires_as_fast_as_it_comes_keeps_its_size() {
    // 3,000 rows a second that are kept for ten seconds, in one region that is never cut.
    let mut settings = settings();
    settings.split_policy = rowkey_simulate::run::SplitPolicy::Disabled;
    let options = ClusterOptions { ttl_ms: Some(10_000), ..ClusterOptions::default() };
    let mut cluster = Cluster::new(&settings, options);
    let kept: Vec<u64> = tenths(&mut cluster, 300_000, key).iter().map(rows).collect();
    // What has expired since the last compaction is there too.
    assert!(kept[1..].iter().all(|rows| (30_000..60_000).contains(rows)), "{kept:?}");
}

#[test]
fn replaced_rows_take_no_room() {
    let options = ClusterOptions { versions: Some(1), ..ClusterOptions::default() };
    let mut cluster = Cluster::new(&settings(), options);
    let intervals = tenths(&mut cluster, 100_000, |n| key(n % 100));
    assert_eq!(regions(&intervals), [1; 10]);
    assert!(intervals[9].regions[0].bytes < 100_000, "{intervals:?}");
}
