//! Laws on random settings and events.

use std::ops::Range;

use proptest::prelude::*;
use rowkey_simulate::cluster::{Cluster, ClusterOptions, split_point};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::run::{Interval, Key, Line, Settings, SplitPolicy};

use crate::load::{settings, splits};

#[derive(Clone, Debug)]
struct Owned {
    after_ms: u64,
    is_new_batch: bool,
    op: u8,
    key: Vec<u8>,
    end: Vec<u8>,
    bytes: u64,
    weight: u64,
}

fn events(count: Range<usize>, extreme: bool) -> impl Strategy<Value = Vec<Owned>> {
    let number = move |usual: Range<u64>| match extreme {
        true => prop_oneof![Just(0), Just(u64::MAX), Just(u64::MAX / 2), usual].boxed(),
        false => usual.boxed(),
    };
    let key = || prop::collection::vec(0_u8..6, 0..5);
    let event = (number(0..400), any::<bool>(), 0_u8..8, key(), key(), number(0..3000), number(1..9));
    let event = event.prop_map(|(after_ms, is_new_batch, op, key, end, bytes, weight)| Owned {
        after_ms,
        is_new_batch,
        op,
        key,
        end,
        bytes,
        weight,
    });
    prop::collection::vec(event, count)
}

/// Small sizes, so that little makes flushes, compactions, splits and moves.
fn small_settings() -> impl Strategy<Value = Settings> {
    let policy = prop_oneof![
        Just(SplitPolicy::Stepping),
        Just(SplitPolicy::Increasing),
        Just(SplitPolicy::Constant),
        Just(SplitPolicy::Disabled)
    ];
    let splits = prop::collection::vec(prop::collection::vec(0_u8..6, 0..3).prop_map(Key), 0..4);
    let sizes = (1000_u64..100_000, 300_u64..20_000, 1_u64..4000, 0_u64..200_000);
    let periods = (prop::option::of(1_u64..3000), 1_u64..3000);
    (sizes, periods, policy, splits, 1_u32..5, 0.0..0.5).prop_map(
        |(sizes, periods, policy, splits, servers, jitter)| {
            let (max_filesize, flush_size, block_size, compaction_min_size) = sizes;
            let (balancer_ms, discharger_ms) = periods;
            let settings = settings();
            Settings {
                servers,
                max_filesize,
                flush_size,
                split_policy: policy,
                jitter,
                balancer_ms,
                discharger_ms,
                compaction_min_size,
                block_size,
                splits,
                ..settings
            }
        },
    )
}

fn hostile_settings() -> impl Strategy<Value = Settings> {
    let size = || prop_oneof![Just(0), Just(1), Just(u64::MAX), 0_u64..5000];
    let jitter = prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(1e300)];
    let servers = prop_oneof![Just(0), Just(u32::MAX), 1_u32..4];
    let sizes = (size(), size(), size(), size(), size(), prop::option::of(size()));
    (small_settings(), sizes, servers, jitter).prop_map(|(settings, sizes, servers, jitter)| {
        let (max_filesize, flush_size, block_size, compaction_min_size, discharger_ms, balancer_ms) = sizes;
        Settings {
            servers,
            max_filesize,
            flush_size,
            jitter,
            balancer_ms,
            discharger_ms,
            compaction_min_size,
            block_size,
            ..settings
        }
    })
}

/// Applies events, with `interval` called before those whose number it says.
fn run(cluster: &mut Cluster, events: &[Owned], is_asked: impl Fn(usize) -> bool) -> Vec<Interval> {
    let (mut t_ms, mut batch) = (0_u64, 0);
    let mut intervals = Vec::new();
    for (number, event) in events.iter().enumerate() {
        batch += u64::from(event.is_new_batch);
        t_ms = t_ms.saturating_add(if event.is_new_batch { event.after_ms } else { 0 });
        if is_asked(number) {
            intervals.push(cluster.interval(t_ms));
        }
        let op = match event.op {
            0 => Op::Delete,
            1 => Op::Get,
            2 => Op::Scan { end: Some(&event.end), limit: None, reverse: false, few: None, most: None },
            3 => Op::Scan { end: None, limit: Some(event.bytes), reverse: false, few: None, most: None },
            _ => Op::Put,
        };
        let Owned { key, bytes, weight, .. } = event;
        cluster.apply(&Event { t_ms, batch, op, key, bytes: *bytes, weight: *weight });
    }
    intervals.push(cluster.interval(t_ms.saturating_add(10_000)));
    intervals
}

fn options(seed: u64) -> ClusterOptions {
    ClusterOptions { seed, files: true, ..ClusterOptions::default() }
}

fn total(intervals: &[Interval], of: impl Fn(&Interval) -> u64) -> u64 {
    intervals.iter().map(of).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_row_is_lost_or_doubled(settings in small_settings(), events in events(0..400, false), seed: u64) {
        let events: Vec<_> = events.into_iter().filter(|event| event.op != 0).collect();
        let intervals = run(&mut Cluster::new(&settings, options(seed)), &events, |number| number % 50 == 0);
        let put: u64 = events.iter().filter(|event| event.op > 3).map(|event| event.weight).sum();
        let last = &intervals[intervals.len() - 1];
        prop_assert_eq!(last.regions.iter().map(|region| region.rows).sum::<u64>(), put);
        let by_server = total(&intervals, |interval| interval.servers.iter().map(|server| server.writes).sum());
        let by_region = |interval: &Interval| interval.regions.iter().map(|region| region.rows_this_interval).sum();
        prop_assert_eq!((by_server, total(&intervals, by_region)), (put, put));
        let by_server = total(&intervals, |interval| interval.servers.iter().map(|server| server.reads).sum());
        let by_region = |interval: &Interval| interval.regions.iter().map(|region| region.reads_this_interval).sum();
        // Each has a part of a read that is not told yet.
        let least = last.regions.len().max(last.servers.len()) as u64;
        prop_assert!(by_server.abs_diff(total(&intervals, by_region)) <= least);
    }

    #[test]
    fn lines_and_regions_agree(settings in small_settings(), events in events(0..400, false), seed: u64) {
        let mut cluster = Cluster::new(&settings, options(seed));
        let intervals = run(&mut cluster, &events, |_| false);
        let last = &intervals[0];
        prop_assert_eq!(&last.regions[0].start, &Key(Vec::new()));
        prop_assert!(last.regions.windows(2).all(|pair| pair[0].start < pair[1].start));
        prop_assert!(last.regions.iter().all(|region| region.server < settings.servers));
        let lines = cluster.take_lines();
        let mut times = lines.iter().map(|line| match line {
            Line::Split(split) => split.t_ms,
            Line::Move(moved) => moved.t_ms,
            _ => 0,
        });
        prop_assert!(times.by_ref().is_sorted());
        // A split that is decided is carried out by the end, ten seconds later.
        let mut starts: std::collections::BTreeSet<_> = settings.splits.iter().cloned().collect();
        starts.insert(Key(Vec::new()));
        for split in splits(&lines) {
            prop_assert!(starts.contains(&split.start) && starts.insert(split.at.clone()));
            prop_assert_eq!(split_point(&split.files), Some(split.at.clone()));
        }
        prop_assert!(last.regions.iter().map(|region| &region.start).eq(&starts));
    }

    #[test]
    fn asking_changes_nothing(settings in small_settings(), events in events(0..200, false), seed: u64) {
        let [mut asked, mut left] = [(); 2].map(|()| Cluster::new(&settings, options(seed)));
        let often = run(&mut asked, &events, |_| true);
        let once = run(&mut left, &events, |_| false);
        prop_assert_eq!(asked.take_lines(), left.take_lines());
        let states = |interval: &Interval| {
            let states = interval.regions.iter();
            states.map(|region| (region.start.clone(), region.server, region.rows, region.bytes, region.files))
                .collect::<Vec<_>>()
        };
        prop_assert_eq!(states(&often[often.len() - 1]), states(&once[0]));
    }

    #[test]
    fn one_seed_has_one_outcome(settings in small_settings(), events in events(0..200, false), seed: u64) {
        let outcome = || {
            let mut cluster = Cluster::new(&settings, options(seed));
            let intervals = run(&mut cluster, &events, |number| number % 20 == 0);
            format!("{intervals:?} {:?}", cluster.take_lines())
        };
        prop_assert_eq!(outcome(), outcome());
    }

    #[test]
    fn hostile_input_ends(
        settings in hostile_settings(),
        events in events(0..60, true),
        odd in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), 0.0..2.0],
        count in prop_oneof![Just(0), Just(u64::MAX), 1_u64..4],
        ttl_ms in prop::option::of(prop_oneof![Just(0), Just(u64::MAX), 0_u64..5000]),
    ) {
        let options = ClusterOptions { ttl_ms, on_disk: odd, cells: count, name_bytes: count, ..options(count) };
        let mut cluster = Cluster::new(&settings, options);
        run(&mut cluster, &events, |number| number % 7 == 0);
        cluster.interval(u64::MAX);
    }
}
