//! Numbers of a real HBase 2.6.4: 3,000 rows a second of 251 bytes on disk, calm, one server.

use rowkey_simulate::run::{Interval, Line, Split};

use crate::load::{MIB, ROWS, cluster, hashed, key, regions, settings, splits, tenths};

/// The part of a sequential load that has passed when a key is written.
fn number(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}

fn sequential(seed: u64, rows: u64) -> (Vec<Interval>, Vec<Line>) {
    let mut cluster = cluster(&settings(), seed);
    let intervals = tenths(&mut cluster, rows, key);
    (intervals, cluster.take_lines())
}

#[test]
fn hashed_keys_have_as_many_regions_at_each_tenth() {
    for seed in 0..2 {
        let intervals = tenths(&mut cluster(&settings(), seed), ROWS, hashed);
        assert_eq!(regions(&intervals), [2, 2, 4, 4, 8, 8, 8, 8, 12, 16], "seed {seed}");
    }
}

#[test]
fn the_first_cut_of_sequential_keys_leaves_9138_rows_above() {
    // Three flushes of 3,500 rows, and 500 more until the close.
    for seed in 0..3 {
        let (_, lines) = sequential(seed, 12_000);
        let first = splits(&lines)[0];
        assert_eq!((first.t_ms.div_ceil(1000), number(&first.at.0)), (4, 11_000 - 9138), "seed {seed}");
    }
}

#[test]
fn sequential_keys_have_as_many_regions_at_each_tenth() {
    for seed in 0..2 {
        let (intervals, lines) = sequential(seed, ROWS);
        let recorded = [2, 4, 6, 8, 10, 12, 15, 17, 19, 21];
        let near = regions(&intervals).iter().zip(recorded).all(|(found, recorded)| found.abs_diff(recorded) <= 1);
        assert!(near, "seed {seed}: {:?}", regions(&intervals));
        assert!(splits(&lines).iter().map(|split| number(&split.at.0)).is_sorted());
    }
}

#[test]
fn the_left_daughters_of_sequential_keys_rest_at_0_44_of_the_limit() {
    for seed in 0..2 {
        let (intervals, _) = sequential(seed, ROWS);
        let last = &intervals[9].regions;
        // Neither the first, cut early, nor the last, which grows.
        let parts: Vec<u64> = last[1..last.len() - 1].iter().map(|region| region.bytes * 100 / (8 * MIB)).collect();
        let resting = parts.iter().filter(|part| (40..=48).contains(*part)).count();
        assert!(resting * 10 >= parts.len() * 8, "{parts:?}");
        let mut sorted = parts.clone();
        sorted.sort_unstable();
        assert!((42..=45).contains(&sorted[parts.len() / 2]), "{parts:?}");
    }
}

#[test]
fn a_left_daughter_of_sequential_keys_is_never_written_again() {
    let (intervals, _) = sequential(2, ROWS);
    for pair in intervals.windows(2) {
        for region in &pair[0].regions[..pair[0].regions.len() - 1] {
            let later = pair[1].regions.iter().find(|later| later.start == region.start);
            assert_eq!(later.map(|later| later.rows), Some(region.rows), "{region:?}");
        }
    }
}

#[test]
fn a_slow_discharger_keeps_the_tail_from_splitting() {
    // Two minutes, the default, are longer than the load.
    let mut settings = settings();
    settings.discharger_ms = 120_000;
    let longest = (0..2).map(|seed| {
        let intervals = tenths(&mut cluster(&settings, seed), ROWS, key);
        intervals.iter().flat_map(|interval| &interval.regions).map(|region| region.bytes).max().unwrap_or(0)
    });
    assert!(longest.max() > Some(4 * 8 * MIB));
}

#[test]
fn a_file_of_a_memstore_is_smaller_than_it() {
    let mut settings = settings();
    settings.split_policy = rowkey_simulate::run::SplitPolicy::Disabled;
    let mut cluster = cluster(&settings, 0);
    let interval = tenths(&mut cluster, 5000, key).pop().unwrap();
    let [region] = &interval.regions[..] else { panic!("{interval:?}") };
    assert_eq!((region.rows, region.files), (5000, 1));
    assert!((830_000..890_000).contains(&region.bytes), "{}", region.bytes);
}

#[test]
fn a_split_is_decided_at_the_first_flush_over_the_limit() {
    let mut cluster = crate::load::with_files(&settings(), 0);
    tenths(&mut cluster, ROWS, hashed);
    let sizes = |split: &Split| split.files.iter().map(|file| file.bytes).sum::<u64>();
    let lines = cluster.take_lines();
    let mut sizes: Vec<u64> = splits(&lines)[1..].iter().map(|split| sizes(split) * 100 / (8 * MIB)).collect();
    sizes.sort_unstable();
    assert!(sizes[0] >= 100 && sizes[sizes.len() - 1] <= 115, "{sizes:?}");
}
