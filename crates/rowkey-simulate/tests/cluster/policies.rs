//! Split policies.

use rowkey_simulate::run::{Key, SplitPolicy};

use crate::load::{MIB, ROWS, cluster, hashed, key, regions, settings, splits, tenths, with_files};

/// The sizes of regions when they were split.
fn split_sizes(policy: SplitPolicy) -> Vec<u64> {
    let mut settings = settings();
    settings.split_policy = policy;
    let mut cluster = with_files(&settings, 0);
    tenths(&mut cluster, ROWS, hashed);
    let lines = cluster.take_lines();
    splits(&lines).iter().map(|split| split.files.iter().map(|file| file.bytes).sum()).collect()
}

#[test]
fn disabled_never_splits() {
    assert_eq!(split_sizes(SplitPolicy::Disabled), [0_u64; 0]);
}

#[test]
fn constant_lacks_only_the_early_split() {
    let stepping = split_sizes(SplitPolicy::Stepping);
    let constant = split_sizes(SplitPolicy::Constant);
    assert!((2 * MIB..4 * MIB).contains(&stepping[0]), "{stepping:?}");
    assert!(stepping.len() > 10 && constant.len() > 10);
    assert!(stepping[1..].iter().chain(&constant).all(|size| *size > 8 * MIB), "{stepping:?} {constant:?}");
}

#[test]
fn increasing_is_at_the_full_limit_from_two_regions_on() {
    // 2 × 1 MiB × 2³ is 16 MiB, more than 8.
    assert_eq!(split_sizes(SplitPolicy::Increasing), split_sizes(SplitPolicy::Stepping));
}

#[test]
fn pre_split_regions_of_one_server_are_not_split_before_the_full_limit() {
    let mut settings = settings();
    settings.splits = (1..16_u8).map(|bucket| Key(vec![bucket << 4])).collect();
    let mut cluster = with_files(&settings, 0);
    // 16 × 8 MiB are 534,000 rows: a half of them, then all and some.
    let half = tenths(&mut cluster, 270_000, hashed);
    assert_eq!(regions(&half), [16; 10]);
    for bucket in &half[9].regions {
        assert!((2 * MIB..8 * MIB).contains(&bucket.bytes), "{bucket:?}");
    }
    let mut cluster = with_files(&settings, 0);
    tenths(&mut cluster, 600_000, hashed);
    let lines = cluster.take_lines();
    assert!(splits(&lines).len() >= 8);
    for split in splits(&lines) {
        assert!(split.files.iter().map(|file| file.bytes).sum::<u64>() > 8 * MIB);
    }
}

#[test]
fn r_counts_the_regions_of_a_server() {
    // One region on each of four servers: each is alone there, and splits at the first limit.
    let mut settings = settings();
    settings.splits = [0x40, 0x80, 0xC0].map(|byte| Key(vec![byte])).to_vec();
    let on = |servers| {
        let mut settings = settings.clone();
        settings.servers = servers;
        regions(&tenths(&mut cluster(&settings, 0), 60_000, hashed))[9]
    };
    assert_eq!((on(1), on(4)), (4, 8));
}

#[test]
fn jitter_spreads_the_limits() {
    let mut settings = settings();
    settings.jitter = 0.5;
    let mut cluster = with_files(&settings, 0);
    tenths(&mut cluster, ROWS, hashed);
    let lines = cluster.take_lines();
    let splits = splits(&lines);
    let sizes = splits[1..].iter().map(|split| split.files.iter().map(|file| file.bytes).sum::<u64>());
    let percents: Vec<u64> = sizes.map(|size| size * 100 / (8 * MIB)).collect();
    assert!(percents.iter().all(|percent| (75..140).contains(percent)), "{percents:?}");
    assert!(percents.iter().any(|percent| *percent < 95), "{percents:?}");
    assert!(percents.iter().any(|percent| *percent > 110), "{percents:?}");
}

#[test]
fn seeds_differ_by_chance_alone() {
    let cuts = |seed| {
        let mut cluster = cluster(&settings(), seed);
        tenths(&mut cluster, 100_000, key);
        cluster.take_lines()
    };
    assert_ne!(cuts(1), cuts(2));
    assert_eq!(cuts(1), cuts(1));
}
