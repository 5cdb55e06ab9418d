//! Versions: what flushes and compactions keep of rows that are written again.

use rowkey_simulate::cluster::{Cluster, ClusterOptions};
use rowkey_simulate::event::Event;
use rowkey_simulate::run::{Interval, SplitPolicy};

use crate::load::{ROWS, hashed, mix, put, regions, settings, tenths};

/// The rows that are written again and again.
const KEYS: u64 = 20_000;

fn options(versions: u32) -> ClusterOptions {
    ClusterOptions { versions: Some(versions), ..ClusterOptions::default() }
}

fn rows(interval: &Interval) -> u64 {
    interval.regions.iter().map(|region| region.rows).sum()
}

fn overwritten(n: u64) -> [u8; 24] {
    hashed(mix(n) % KEYS)
}

#[test]
fn a_major_compaction_leaves_as_many_versions_as_are_kept() {
    let mut settings = settings();
    settings.split_policy = SplitPolicy::Disabled;
    for versions in [1, 2, 3] {
        let mut cluster = Cluster::new(&settings, options(versions));
        let intervals = tenths(&mut cluster, ROWS, overwritten);
        // Each file has them at most: those that are compacted next, and the memstore beside them.
        let most = u64::from(versions) * KEYS;
        assert!(rows(&intervals[9]) < most + 8 * 3500, "{versions}: {}", rows(&intervals[9]));
        // Fifteen writes of a row on average: few have less than three.
        let last = cluster.interval(30 * 86_400_000);
        assert!((most - most / 100..=most).contains(&rows(&last)), "{versions}: {}", rows(&last));
    }
}

/// The tenths of a load of which each event stands for so many writes.
fn sampled(versions: u32, weight: u64, each: u64) -> Vec<Interval> {
    let mut cluster = Cluster::new(&settings(), options(versions));
    let mut keys: Vec<_> = (0..KEYS).step_by(each as usize).map(|n| hashed(n).to_vec()).collect();
    keys.sort();
    cluster.store(&keys, 200, each);
    cluster.overwrite(&keys, each);
    let mut intervals = Vec::new();
    for n in (0..ROWS).step_by(weight as usize) {
        let key = hashed(mix(n) % KEYS / each * each);
        cluster.apply(&Event { weight, ..put(n, &key) });
        if (n + weight).is_multiple_of(ROWS / 10) {
            intervals.push(cluster.interval(put(n, &[]).t_ms));
        }
    }
    intervals
}

#[test]
fn a_sample_of_overwrites_takes_as_much_room_as_all_of_them() {
    for versions in [1, 3] {
        let all = sampled(versions, 1, 1);
        for (weight, each) in [(10, 1), (100, 1), (10, 10), (2, 20), (50, 20)] {
            let some = sampled(versions, weight, each);
            // At one time a memstore and a file more or less are a fifth of it.
            let [all_rows, some_rows] = [&all, &some].map(|all| all.iter().map(rows).sum::<u64>());
            let part = some_rows as f64 / all_rows as f64;
            assert!((0.9..1.1).contains(&part), "{versions} {weight} {each}: {some_rows} {all_rows}");
            let off = regions(&all).iter().zip(&regions(&some)).filter(|(all, some)| all != some).count();
            assert!(off <= 3, "{versions} {weight} {each}: {:?} {:?}", regions(&some), regions(&all));
        }
    }
}
