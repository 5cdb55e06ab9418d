//! Laws of distances between runs.

use proptest::prelude::*;
use rowkey_simulate::compare::{Kind, Measure, Ranks, Recordings, naive, passes};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Batch, Interval, Key, Move, Region, Server, Settings};

const KINDS: [Kind; 8] = [
    Kind::Regions,
    Kind::MedianBlocks,
    Kind::NinetiethBlocks,
    Kind::MedianWidths,
    Kind::NinetiethWidths,
    Kind::HottestShare,
    Kind::ServerShares,
    Kind::Moved,
];

fn settings() -> Settings {
    Settings { servers: 3, block_size: 100, rows_per_second: 10.0, interval_ms: 1_000, ..Settings::default() }
}

/// A run in which these keys were written, as many in each interval, and each interval has boundaries.
fn run(keys: &[Key], boundaries: &[Vec<Key>], servers: &[u32], moved: bool) -> Run {
    let mut run = Run::new(settings());
    run.keys = keys.into();
    run.batches = vec![Batch { t_ms: 0, keys: Vec::new(), rows: Some(keys.len() as u64), bytes: 10 }];
    let (mut before, intervals) = (0, boundaries.len());
    for (number, boundaries) in boundaries.iter().enumerate() {
        let to = keys.len() * (number + 1) / intervals;
        let mut starts = vec![Key(Vec::new())];
        starts.extend(boundaries.iter().filter(|key| !key.0.is_empty()).cloned());
        starts.sort();
        starts.dedup();
        let count = |keys: &[Key], at: usize| {
            let is_in = |key: &&Key| **key >= starts[at] && starts.get(at + 1).is_none_or(|end| *key < end);
            keys.iter().filter(is_in).count() as u64
        };
        let mut by_server = vec![Server::default(); 3];
        let mut regions = Vec::new();
        for (at, start) in starts.iter().enumerate() {
            let server = servers[at % servers.len()];
            let new = count(&keys[before..to], at);
            by_server[server as usize].writes += new;
            regions.push(Region {
                start: start.clone(),
                server,
                rows: count(&keys[..to], at),
                rows_this_interval: new,
                reads_this_interval: 0,
                bytes: 0,
                files: 1,
                known: <_>::default(),
            });
        }
        run.intervals.push(Interval { t_ms: 1_000 * number as u64, regions, servers: by_server });
        before = to;
    }
    if moved {
        run.moves.push(Move { t_ms: 0, start: Key(Vec::new()), from: 0, to: 1 });
    }
    run
}

fn key() -> impl Strategy<Value = Key> {
    prop::collection::vec(0..4_u8, 1..5).prop_map(Key)
}

/// Keys, and runs of them.
fn runs(number: usize) -> impl Strategy<Value = Vec<Run>> {
    let one = (prop::collection::vec(prop::collection::vec(key(), 0..8), 1..6), prop::collection::vec(0..3_u32, 1..4));
    let run_of = (one, any::<bool>());
    (prop::collection::vec(key(), 1..60), prop::collection::vec(run_of, number)).prop_map(|(keys, runs)| {
        runs.iter().map(|((boundaries, servers), moved)| run(&keys, boundaries, servers, *moved)).collect()
    })
}

/// Keys as text in hex: another length and other bytes, in the same order.
fn relabelled(run: &Run) -> Run {
    let hex = |key: &Key| Key(format!("{key:?}").into_bytes());
    let mut run = run.clone();
    run.keys = run.keys.iter().map(hex).collect();
    for region in run.intervals.iter_mut().flat_map(|interval| &mut interval.regions) {
        region.start = hex(&region.start);
    }
    run
}

/// The regions of the first of the intervals that are nearest to so many rows.
fn regions(run: &Run, rows: u64) -> &[Region] {
    let mut nearest = &run.intervals[0];
    let distance = |interval: &Interval| interval.regions.iter().map(|region| region.rows).sum::<u64>().abs_diff(rows);
    for interval in &run.intervals {
        if distance(interval) < distance(nearest) {
            nearest = interval;
        }
    }
    &nearest.regions
}

/// The distance of boundaries in rows, by going through all keys for each.
fn slow(part: f64, rows: u64, a: &Run, b: &Run) -> u64 {
    let keys = &a.keys;
    let ranks = |run: &Run| -> Vec<u64> {
        regions(run, rows)[1..]
            .iter()
            .map(|region| keys.iter().filter(|key| **key < region.start).count() as u64)
            .collect()
    };
    let one_way = |from: Vec<u64>, to: Vec<u64>| {
        let mut distances = Vec::new();
        for rank in &from {
            distances.push(to.iter().map(|other| other.abs_diff(*rank)).min().unwrap_or(keys.len() as u64));
        }
        // The least distance that enough of them do not exceed.
        let is_enough = |most: &&u64| {
            let within = distances.iter().filter(|distance| *distance <= *most).count();
            within as f64 >= part * distances.len() as f64
        };
        distances.iter().filter(is_enough).min().copied().unwrap_or_default()
    };
    one_way(ranks(a), ranks(b)).max(one_way(ranks(b), ranks(a)))
}

proptest! {
    #[test]
    fn a_run_is_not_apart_from_itself_and_as_far_from_others_as_these_from_it(runs in runs(2)) {
        let recordings = Recordings::new(&runs);
        for kind in KINDS {
            prop_assert_eq!(recordings.distance(kind, &runs[0], &runs[0]), 0.0);
            let (there, back) = (recordings.distance(kind, &runs[0], &runs[1]), recordings.distance(kind, &runs[1], &runs[0]));
            prop_assert_eq!(there, back);
            prop_assert!(there >= 0.0 && there.is_finite());
        }
    }

    #[test]
    fn no_way_round_is_shorter(runs in runs(3)) {
        let recordings = Recordings::new(&runs);
        // Distances to the nearest boundary are none in this sense: a third run may have those of both.
        for kind in [Kind::Regions, Kind::HottestShare, Kind::ServerShares, Kind::Moved] {
            let distance = |a: usize, b: usize| recordings.distance(kind, &runs[a], &runs[b]);
            prop_assert!(distance(0, 2) <= distance(0, 1) + distance(1, 2) + 1e-9, "{kind}");
        }
    }

    #[test]
    fn the_bytes_of_keys_do_not_matter_but_their_order(runs in runs(2)) {
        let others: Vec<Run> = runs.iter().map(relabelled).collect();
        let (recordings, relabelled) = (Recordings::new(&runs), Recordings::new(&others));
        for kind in KINDS {
            let distance = recordings.distance(kind, &runs[0], &runs[1]);
            // Longer keys are fewer to a block.
            let blocks = matches!(kind, Kind::MedianBlocks | Kind::NinetiethBlocks);
            let scale = if blocks { Ranks::of(&others[0]).rows_per_block() / Ranks::of(&runs[0]).rows_per_block() } else { 1.0 };
            let other = relabelled.distance(kind, &others[0], &others[1]) * scale;
            prop_assert!((distance - other).abs() < 1e-9, "{kind}: {distance} {other}");
        }
    }

    #[test]
    fn boundaries_are_compared_by_rank(runs in runs(2)) {
        let recordings = Recordings::new(&runs);
        let rows = Ranks::of(&runs[0]).rows_per_block();
        for (kind, part) in [(Kind::MedianBlocks, 0.5), (Kind::NinetiethBlocks, 0.9)] {
            let slow = slow(part, recordings.rows(), &runs[0], &runs[1]) as f64;
            prop_assert!((recordings.distance(kind, &runs[0], &runs[1]) * rows - slow).abs() < 1e-6, "{kind}");
        }
        let regions: Vec<usize> = runs.iter().map(|run| regions(run, recordings.rows()).len()).collect();
        prop_assert!(regions[0] == regions[1] || recordings.rows() == runs[0].keys.len() as u64);
        let width = runs[0].keys.len() as f64 / regions[0].max(regions[1]) as f64;
        let (widths, blocks) = (Kind::NinetiethWidths, Kind::NinetiethBlocks);
        let by_blocks = recordings.distance(blocks, &runs[0], &runs[1]) * rows / f64::max(width, 1.0);
        prop_assert!((recordings.distance(widths, &runs[0], &runs[1]) - by_blocks).abs() < 1e-9);
    }

    #[test]
    fn a_recording_passes_and_what_is_further_than_all_does_not(runs in runs(4)) {
        for measure in passes(&runs, &runs[2]) {
            prop_assert!(measure.passes() && measure.simulated == 0.0, "{measure}");
            prop_assert!(measure.limit >= measure.kind.floor() && measure.limit >= measure.recorded);
        }
        let (simulated, recordings) = (&runs[3], &runs[..3]);
        for measure in passes(recordings, simulated) {
            let all = Recordings::new(recordings);
            let nearest = recordings.iter().map(|run| all.distance(measure.kind, run, simulated)).fold(f64::MAX, f64::min);
            let greatest = all.between(measure.kind).into_iter().fold(0.0, f64::max);
            prop_assert_eq!((measure.simulated, measure.recorded), (nearest, greatest));
            prop_assert_eq!(measure.passes(), nearest <= f64::max(1.25 * greatest, measure.kind.floor()));
        }
    }

    #[test]
    fn evenly_cut_regions_have_as_many_keys(runs in runs(1)) {
        let ranks = Ranks::of(&runs[0]);
        for (naive, recorded) in naive::evenly_cut(&runs[0], &ranks).intervals.iter().zip(&runs[0].intervals) {
            let rows = |of: &Interval| of.regions.iter().map(|region| region.rows).collect::<Vec<_>>();
            let (cut, sum) = (rows(naive), rows(recorded).iter().sum::<u64>());
            prop_assert_eq!(cut.iter().sum::<u64>(), sum);
            prop_assert_eq!(cut.len() as u64, (recorded.regions.len() as u64).clamp(1, sum.max(1)));
            prop_assert!(cut.iter().max().unwrap() - cut.iter().min().unwrap() <= 1, "{cut:?}");
            let new = |of: &Interval| of.regions.iter().map(|region| region.rows_this_interval).sum::<u64>();
            prop_assert_eq!(new(naive), new(recorded));
            prop_assert_eq!(naive.servers.iter().map(|server| server.writes).sum::<u64>(), new(naive));
        }
    }
}

#[test]
fn with_the_balancer_on_only_its_decision_counts() {
    let keys: Vec<Key> = (0..20).map(|byte| Key(vec![byte])).collect();
    let of = |boundary: u8, moved: bool| {
        let mut run = run(&keys, &[vec![Key(vec![boundary])]], &[0, 1], moved);
        run.settings.balancer_ms = Some(10_000);
        run
    };
    let recordings = [of(3, true), of(17, true)];
    let kinds = |measures: &[Measure]| measures.iter().map(|measure| measure.kind).collect::<Vec<_>>();
    let (moves, stays) = (passes(&recordings, &of(9, true)), passes(&recordings, &of(3, false)));
    assert_eq!((kinds(&moves), kinds(&stays)), (vec![Kind::Moved], vec![Kind::Moved]));
    assert!(moves[0].passes() && moves[0].counts());
    assert!(!stays[0].passes() && stays[0].counts());
}

#[test]
fn no_recordings_measure_nothing() {
    assert_eq!(passes(&[], &run(&[], &[], &[0], false)), []);
}
