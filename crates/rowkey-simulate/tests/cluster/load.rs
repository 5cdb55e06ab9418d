//! Settings and loads of the recorded runs, scaled down: 300,000 rows of 251 bytes on disk, 3,000 a second.

use rowkey_simulate::cluster::{Cluster, ClusterOptions};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::run::{Interval, Line, Settings, Split, SplitPolicy};

pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const ROWS: u64 = 300_000;
pub(crate) const BATCH: u64 = 500;

/// `MAX_FILESIZE` 8 MiB, memstores of 1 MiB, one server.
pub(crate) fn settings() -> Settings {
    Settings {
        max_filesize: 8 * MIB,
        flush_size: MIB,
        split_policy: SplitPolicy::Stepping,
        discharger_ms: 500,
        compaction_min_size: 128 * MIB,
        rows_per_second: 3000.0,
        interval_ms: 5000,
        ..Settings::default()
    }
}

pub(crate) fn cluster(settings: &Settings, seed: u64) -> Cluster {
    Cluster::new(settings, ClusterOptions { seed, ..ClusterOptions::default() })
}

/// A cluster whose splits have their files.
pub(crate) fn with_files(settings: &Settings, seed: u64) -> Cluster {
    Cluster::new(settings, ClusterOptions { seed, files: true, ..ClusterOptions::default() })
}

/// The splits among the lines.
pub(crate) fn splits(lines: &[Line]) -> Vec<&Split> {
    lines.iter().filter_map(|line| if let Line::Split(split) = line { Some(split) } else { None }).collect()
}

/// A row of 251 bytes on disk with a key of 24: the value has 200.
pub(crate) fn put(n: u64, key: &[u8]) -> Event<'_> {
    let batch = n / BATCH;
    Event { t_ms: (batch + 1) * BATCH / 3, batch, op: Op::Put, key, bytes: 200, weight: 1 }
}

/// A key of 24 bytes that begins with a number.
pub(crate) fn key(n: u64) -> [u8; 24] {
    let mut key = [b'k'; 24];
    key[..8].copy_from_slice(&n.to_be_bytes());
    key
}

/// A key that looks like a hash.
pub(crate) fn hashed(n: u64) -> [u8; 24] {
    let mut key = [0; 24];
    for (part, chunk) in (0_u64..).zip(key.chunks_mut(8)) {
        chunk.copy_from_slice(&mix(n ^ (part << 60)).to_be_bytes());
    }
    key
}

/// `SplitMix64` of a number.
pub(crate) fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

/// Writes so many rows, and returns the intervals at their tenths.
pub(crate) fn tenths(cluster: &mut Cluster, rows: u64, key: impl Fn(u64) -> [u8; 24]) -> Vec<Interval> {
    let mut intervals = Vec::new();
    for n in 0..rows {
        cluster.apply(&put(n, &key(n)));
        if (n + 1) % (rows / 10) == 0 {
            intervals.push(cluster.interval(put(n, &[]).t_ms));
        }
    }
    intervals
}

/// The numbers of regions.
pub(crate) fn regions(intervals: &[Interval]) -> Vec<usize> {
    intervals.iter().map(|interval| interval.regions.len()).collect()
}
