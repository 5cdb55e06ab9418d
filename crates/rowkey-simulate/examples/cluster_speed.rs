//! Prints how long a simulated cluster takes for ten million rows, hashed and in order, and how much memory.
//!
//! `cargo run --release -p rowkey-simulate --example cluster_speed`

use std::time::Instant;

use rowkey_simulate::cluster::{Cluster, ClusterOptions};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::run::Settings;

const ROWS: u64 = 10_000_000;

fn main() {
    for (name, scatter) in [("hashed", 0x9E37_79B9_7F4A_7C15_u64), ("in order", 1)] {
        let settings = Settings {
            load: name.into(),
            servers: 3,
            jitter: 0.25,
            balancer_ms: Some(300_000),
            rows_per_second: 10_000.0,
            interval_ms: 10_000,
            ..Settings::default()
        };
        let start = Instant::now();
        let mut cluster = Cluster::new(&settings, ClusterOptions::default());
        let mut key = [b'k'; 24];
        for n in 0..ROWS {
            key[..8].copy_from_slice(&n.wrapping_mul(scatter).to_be_bytes());
            cluster.apply(&Event { t_ms: n / 10, batch: n / 500, op: Op::Put, key: &key, bytes: 200, weight: 1 });
        }
        let interval = cluster.interval(ROWS / 10);
        let rows: u64 = interval.regions.iter().map(|region| region.rows).sum();
        println!("{name}: {rows} rows, {} regions, {:.1} s", interval.regions.len(), start.elapsed().as_secs_f64());
        if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
            status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
        }
    }
}
