//! Prints how long a simulated cluster takes for ten million rows, hashed and in order, and how much memory.
//!
//! `cargo run --release -p rowkey-simulate --example cluster_speed`

use std::time::Instant;

use rowkey_simulate::cluster::{Cluster, ClusterOptions};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::run::{Settings, SplitPolicy};

const ROWS: u64 = 10_000_000;

fn main() {
    for (name, scatter) in [("hashed", 0x9E37_79B9_7F4A_7C15_u64), ("in order", 1)] {
        let settings = Settings {
            format: 1,
            engine: "simulated".into(),
            load: name.into(),
            servers: 3,
            max_filesize: 10 << 30,
            flush_size: 128 << 20,
            split_policy: SplitPolicy::Stepping,
            jitter: 0.25,
            balancer_ms: Some(300_000),
            discharger_ms: 120_000,
            compaction_min_size: 128 << 20,
            block_size: 64 << 10,
            splits: Vec::new(),
            rows_per_second: 10_000.0,
            interval_ms: 10_000,
            rows_per_event: None,
            keys: None,
            key_file: None,
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
