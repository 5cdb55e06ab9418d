//! Loads whose outcome is known without a cluster.

use rowkey_design::internal::cost::ReadCost;
use rowkey_simulate::event::{Event, Most, Op};
use rowkey_simulate::run::{Key, Server, SplitPolicy};

use crate::load::{MIB, ROWS, cluster, hashed, key, mix, put, regions, settings, tenths};

#[test]
fn uniform_keys_over_buckets_are_spread_as_balls_are() {
    const BUCKETS: u64 = 16;
    let mut settings = settings();
    settings.splits = (1..16_u8).map(|bucket| Key(vec![bucket << 4])).collect();
    let interval = tenths(&mut cluster(&settings, 0), ROWS, hashed).pop().unwrap();
    let mut buckets = [0; BUCKETS as usize];
    for region in &interval.regions {
        buckets[usize::from(region.start.0.first().map_or(0, |byte| byte >> 4))] += region.rows;
    }
    assert_eq!(buckets.iter().sum::<u64>(), ROWS);
    let expected = (ROWS / BUCKETS) as f64;
    let chi: f64 = buckets.iter().map(|rows| (*rows as f64 - expected).powi(2) / expected).sum();
    // Of 15 degrees of freedom: a thousandth is above 37.7, and a thousandth below 3.5.
    assert!((3.5..37.7).contains(&chi), "{chi} {buckets:?}");
}

#[test]
fn one_row_is_never_split() {
    let mut cluster = cluster(&settings(), 0);
    let intervals = tenths(&mut cluster, 100_000, |_| key(7));
    assert_eq!(regions(&intervals), [1; 10]);
    assert!(intervals[9].regions[0].bytes > 2 * 8 * MIB, "{intervals:?}");
    assert_eq!(cluster.take_lines(), []);
}

#[test]
fn the_region_of_a_zipf_load_s_head_has_its_share() {
    const VALUES: usize = 1000;
    let harmonic: f64 = (1..=VALUES).map(|n| 1.0 / n as f64).sum();
    let sums: Vec<f64> = (1..=VALUES)
        .scan(0.0, |sum, n| {
            *sum += 1.0 / n as f64 / harmonic;
            Some(*sum)
        })
        .collect();
    // A user, then a hash: the user of rank n stands at a place of its own.
    let row = |n: u64| {
        let drawn = mix(n) as f64 / u64::MAX as f64;
        let rank = sums.partition_point(|sum| *sum < drawn) as u64;
        let mut row = hashed(n);
        row[..8].copy_from_slice(&mix(rank | 1 << 40).to_be_bytes());
        row
    };
    let head = mix(1 << 40).to_be_bytes();
    let interval = tenths(&mut cluster(&settings(), 0), ROWS, row).pop().unwrap();
    let is_before = |region: &&rowkey_simulate::run::Region| region.start.0.as_slice() <= head.as_slice();
    let first = interval.regions.iter().rfind(is_before).unwrap();
    let of_head = interval.regions.iter().filter(|region| region.start.0.starts_with(&head)).chain([first]);
    let writes: u64 = of_head.map(|region| region.rows_this_interval).sum();
    let share = writes as f64 / (ROWS / 10) as f64;
    assert!(share >= 1.0 / harmonic - 0.01, "{share} of {}", 1.0 / harmonic);
    assert!(share <= 1.0 / harmonic + 0.10, "{share} of {}", 1.0 / harmonic);
}

#[test]
fn a_scan_reads_its_rows_where_they_are() {
    let mut settings = settings();
    settings.servers = 4;
    settings.split_policy = SplitPolicy::Disabled;
    settings.splits = [0x40, 0x80, 0xC0].map(|byte| Key(vec![byte])).to_vec();
    let mut cluster = cluster(&settings, 0);
    let before = tenths(&mut cluster, 20_000, hashed).pop().unwrap();
    // A salted read comes as a scan of each bucket: the first half of each of the four regions.
    for bucket in [0_u8, 0x40, 0x80, 0xC0] {
        let end = [bucket + 0x20];
        let op = Op::Scan { end: Some(&end), limit: None, reverse: false, few: None, most: None };
        cluster.apply(&Event { t_ms: 10_000, batch: 1 << 40, op, key: &[bucket], bytes: 0, weight: 3 });
    }
    let after = cluster.interval(10_000);
    for (server, (rows, read)) in before.regions.iter().zip(&after.regions).enumerate() {
        assert_eq!(read.reads_this_interval, after.servers[server].reads);
        let of_server = after.servers[server].rows_read;
        assert_eq!(of_server % 3, 0);
        let each = of_server / 3;
        assert!(each.abs_diff(rows.rows / 2) < rows.rows / 10, "{each} of {}", rows.rows);
        // The start of the range and a hundredth for each row after the first, as `check` counts.
        let reads = 3.0 * ReadCost::Rows.of_range(each as f64);
        assert_eq!(read.reads_this_interval, reads as u64);
        assert!(reads < of_server as f64 / 50.0);
    }
    // One scan of all has the sum; with a limit it stops, in the region where it has enough.
    let all = Op::Scan { end: None, limit: None, reverse: false, few: None, most: None };
    cluster.apply(&Event { t_ms: 10_000, batch: 1 << 41, op: all, key: &[], bytes: 0, weight: 1 });
    assert_eq!(cluster.interval(10_000).servers.iter().map(|server| server.rows_read).sum::<u64>(), 20_000);
    let some = Op::Scan { end: None, limit: Some(before.regions[0].rows + 1), reverse: false, few: None, most: None };
    cluster.apply(&Event { t_ms: 10_000, batch: 1 << 42, op: some, key: &[], bytes: 0, weight: 1 });
    let rows: Vec<u64> = cluster.interval(10_000).servers.iter().map(|server| server.rows_read).collect();
    assert_eq!(rows, [before.regions[0].rows, 1, 0, 0]);
}

#[test]
fn a_weighted_sample_of_hashed_keys_makes_nearly_as_many_regions() {
    let all = regions(&tenths(&mut cluster(&settings(), 0), ROWS, hashed));
    let mut cluster = cluster(&settings(), 0);
    let mut sampled = Vec::new();
    for n in (0..ROWS).step_by(10) {
        cluster.apply(&Event { weight: 10, ..put(n, &hashed(n)) });
        if (n + 10) % (ROWS / 10) == 0 {
            sampled.push(cluster.interval(put(n, &[]).t_ms));
        }
    }
    assert_eq!(sampled[9].regions.iter().map(|region| region.rows).sum::<u64>(), ROWS);
    // A region that is near its limit is split a batch sooner or later.
    let sampled = regions(&sampled);
    assert!(sampled.iter().zip(&all).all(|(sampled, all)| sampled.abs_diff(*all) * 8 <= *all), "{sampled:?} {all:?}");
    assert!(sampled.iter().zip(&all).filter(|(sampled, all)| sampled == all).count() >= 7, "{sampled:?} {all:?}");
}

#[test]
fn a_scan_of_the_whole_table_counts_as_one_of_each_region() {
    let mut settings = settings();
    (settings.servers, settings.balancer_ms) = (5, Some(7000));
    settings.splits = [0x40, 0x80].map(|byte| Key(vec![byte])).to_vec();
    // Keys are below this one: the same rows, but read region by region.
    let last = [0xff; 30];
    let intervals = [None, Some(&last[..])].map(|end| {
        let mut cluster = cluster(&settings, 3);
        let mut intervals = Vec::new();
        for n in 0..ROWS / 2 {
            cluster.apply(&put(n, &hashed(n)));
            if n % 40 == 0 {
                cluster.apply(&Event { op: Op::Delete, ..put(n, &hashed(n / 2)) });
            }
            if n > 3000 && n % 700 == 0 {
                let op = Op::Scan { end, limit: None, reverse: false, few: None, most: None };
                cluster.apply(&Event { op, weight: 1 + n % 3, ..put(n, &[]) });
            }
            if n % 10_000 == 0 {
                intervals.push(cluster.interval(put(n, &[]).t_ms));
            }
        }
        intervals
    });
    let [whole, by_region] = &intervals;
    assert!(whole.last().unwrap().regions.len() > 5);
    assert_eq!(whole, by_region);
}

#[test]
fn a_scan_in_reverse_reads_from_the_end() {
    let mut settings = settings();
    (settings.servers, settings.split_policy) = (4, SplitPolicy::Disabled);
    settings.splits = [0x40, 0x80, 0xC0].map(|byte| Key(vec![byte])).to_vec();
    let mut cluster = cluster(&settings, 0);
    tenths(&mut cluster, 20_000, hashed);
    let mut read = |key: &[u8], end: Option<&[u8]>, limit, few| {
        let op = Op::Scan { end, limit, reverse: true, few, most: None };
        cluster.apply(&Event { t_ms: 10_000, batch: u64::MAX, op, key, bytes: 0, weight: 1 });
        let servers = cluster.interval(10_000).servers;
        servers.iter().map(|server| (server.reads, server.rows_read)).collect::<Vec<_>>()
    };
    let nothing = (0, 0);
    assert_eq!(read(&[], None, Some(5), None), [nothing, nothing, nothing, (1, 5)]);
    assert_eq!(read(&[0x10], Some(&[0x80]), Some(5), None), [nothing, (1, 5), nothing, nothing]);
    // There are none in its last region, so that it begins in the one before: with 5.99, and what is left of before.
    assert_eq!(read(&[0x10], Some(&[0x80, 0]), Some(500), None), [nothing, (6, 500), nothing, nothing]);
    // A range without rows has as many as the statistics say, where it would be read first.
    assert_eq!(
        read(&[0x90, 0, 0, 0, 0], Some(&[0x90, 0, 0, 0, 1]), Some(9), Some(3)),
        [nothing, nothing, (1, 3), nothing]
    );
}

/// Where nothing was deleted a range of a few rows is not looked at. A delete elsewhere in its region has it looked at.
#[test]
fn a_range_of_a_few_rows_reads_as_many_whether_it_is_looked_at_or_not() {
    let mut settings = settings();
    (settings.servers, settings.split_policy) = (3, SplitPolicy::Disabled);
    settings.splits = [0x40, 0x80].map(|byte| Key(vec![byte])).to_vec();
    let mosts = [None, Some(Most { rows: 2, keys: 40 }), Some(Most { rows: 90, keys: 1 << 40 })];
    let reads = [false, true].map(|is_deleted| {
        let mut cluster = cluster(&settings, 0);
        tenths(&mut cluster, 20_000, hashed);
        for key in [[0x00], [0x7f], [0xff]].iter().filter(|_| is_deleted) {
            cluster.apply(&Event { op: Op::Delete, ..put(20_000, key) });
        }
        cluster.interval(put(20_000, &[]).t_ms);
        let mut reads = Vec::new();
        for (start, end) in
            [([0x41, 0], [0x42, 0]), ([0x41, 0], [0x41, 1]), ([0x3f, 0], [0x41, 0]), ([0x90, 0], [0xc0, 0])]
        {
            for (few, limit) in [(0, None), (1, None), (7, Some(3)), (500, None), (100_000, Some(90_000))] {
                for (most, reverse) in mosts.into_iter().zip([false, true, false]) {
                    let op = Op::Scan { end: Some(&end), limit, reverse, few: Some(few), most };
                    cluster.apply(&Event { op, weight: 3, ..put(20_001, &start) });
                    reads.push((few, cluster.interval(put(20_001, &start).t_ms).servers));
                }
            }
        }
        reads
    });
    let [plain, looked_at] = &reads;
    let rows = |at: usize| move |(_, servers): &(u64, Vec<Server>)| servers[at].rows_read;
    assert!(plain.iter().any(|read| read.0 > 0 && rows(1)(read) == 3 * read.0));
    // Of two regions each has what is found there.
    assert!(plain.iter().any(|read| rows(0)(read) > 0 && rows(1)(read) > 0));
    let other = plain.iter().zip(looked_at).find(|(plain, looked_at)| plain != looked_at);
    assert!(other.is_none() && plain.len() == 60, "{other:?}");
}
