//! Regions that are split, merged and moved, and tables that are created anew.

use rowkey_simulate::run::Merge;

use super::*;

#[test]
fn splits_merges_and_moves_are_told_and_counts_begin_again() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 100))), ("m", 1, Some((1, 50)))]),
        reading(1, &[("", 1, Some((0, 130))), ("m", 1, Some((0, 4)))]),
        reading(2, &[("", 2, Some((0, 3))), ("f", 2, Some((1, 9))), ("m", 1, Some((0, 5)))]),
        reading(3, &[("", 2, Some((0, 3))), ("f", 3, Some((1, 2)))]),
    ]);
    assert_eq!(writes(&run), [vec![30, 4], vec![3, 9, 1], vec![0, 2]]);
    use Known::{All, Part};
    assert_eq!(known(&run), [vec![All, Part], vec![Part, Part, All], vec![All, Part]]);
    let key = |text: &str| Key(text.as_bytes().to_vec());
    let [moved] = &run.moves[..] else { panic!("{:?}", run.moves) };
    assert_eq!((moved.t_ms, &moved.start, moved.from, moved.to), (1, &key("m"), 1, 0));
    let [split] = &run.splits[..] else { panic!("{:?}", run.splits) };
    assert_eq!((split.t_ms, &split.start, &split.at), (2, &key(""), &key("f")));
    assert_eq!(run.merges, [Merge { t_ms: 3, start: key("f"), others: vec![key("m")] }]);
    assert_eq!(
        (&run.settings.server_names[..], &run.settings.splits[..]),
        (&["s0:1", "s1:1"].map(String::from)[..], &[key("m")][..])
    );
}

/// A region of a reading with its bytes.
type Sized<'k> = (&'k str, u64, u64);

fn sized(t_ms: u64, regions: &[Sized<'_>]) -> Reading {
    let told: Vec<Told<'_>> = regions.iter().map(|(start, id, _)| (*start, *id, Some((0, 5)))).collect();
    let mut reading = reading(t_ms, &told);
    for (region, (_, _, bytes)) in reading.regions.iter_mut().zip(regions) {
        region.counts.as_mut().unwrap().1.bytes = *bytes;
    }
    reading
}

#[test]
fn a_table_that_is_created_anew_has_neither_splits_nor_merges() {
    let four: &[Sized<'_>] = &[("", 1, 9), ("c", 1, 9), ("f", 2, 9), ("m", 1, 9)];
    let [one, empty]: [&[Sized<'_>]; 2] = [&[("", 1, 9)], &[("", 1, 0)]];
    for (before, after, [recreations, splits, merges]) in [
        // Fewer split points, more, others, and the same: a truncation that keeps them takes some milliseconds.
        (four, &[("", 7, 0), ("f", 7, 0), ("m", 7, 0)][..], [1, 0, 0]),
        (four, &[("", 7, 0), ("c", 7, 0), ("d", 7, 0), ("f", 7, 0), ("m", 7, 0)], [1, 0, 0]),
        (four, &[("", 7, 0), ("b", 7, 0)], [1, 0, 0]),
        (four, &[("", 7, 0), ("c", 8, 0), ("f", 8, 0), ("m", 9, 0)], [1, 0, 0]),
        (four, &[("", 7, 0)], [1, 0, 0]),
        (one, &[("", 7, 0)], [1, 0, 0]),
        (one, &[("", 7, 0), ("k", 7, 0)], [1, 0, 0]),
        (one, &[("", 7, 9), ("k", 7, 9), ("r", 7, 9)], [1, 0, 0]),
        // Splits and merges.
        (one, &[("", 7, 5), ("k", 7, 5)], [0, 1, 0]),
        (empty, &[("", 7, 0), ("k", 7, 0)], [0, 1, 0]),
        (one, &[("", 8, 5), ("k", 8, 5), ("r", 7, 5)], [0, 2, 0]),
        (four, &[("", 7, 36)], [0, 0, 1]),
        (four, &[("", 7, 18), ("f", 2, 9), ("m", 1, 9)], [0, 0, 1]),
        (four, &[("", 7, 18), ("f", 8, 18)], [0, 0, 2]),
        (four, &[("", 7, 5), ("a", 7, 5), ("c", 1, 9), ("f", 2, 9), ("m", 1, 9)], [0, 1, 0]),
        (four, four, [0, 0, 0]),
    ] {
        let run = followed(&[sized(0, before), sized(1, after)]);
        let told = [run.recreations.len(), run.splits.len(), run.merges.len()];
        assert_eq!(told, [recreations, splits, merges], "{after:?}");
    }
}

/// A region with its first key, its number, and its server with the writes that it tells.
const PARENT: Told<'_> = ("k", 1, Some((1, 303)));

/// The run of a table whose region `k` is split between the second reading and the third.
fn split_at(times: &[u64], parts: [Option<(u64, u64)>; 2]) -> Run {
    let mut follow = Follow::new(Options::default().interval_ms(1000));
    let other = |t_ms| ("", 1, Some((0, t_ms)));
    follow.add(&reading(0, &[other(0), ("k", 1, Some((1, 0)))]));
    follow.add(&reading(times[0], &[other(times[0]), PARENT]));
    for t_ms in &times[1..] {
        follow.add(&reading(*t_ms, &[other(*t_ms), ("k", 2, parts[0]), ("m", 2, parts[1])]));
    }
    follow.into_run(Settings::default())
}

fn places(interval: &Interval) -> Vec<(&[u8], u32, u64, Known)> {
    let of = |region: &rowkey_simulate::run::Region| (region.server, region.rows_this_interval, region.known);
    let regions = interval.regions.iter().skip(1);
    regions.map(|region| (&region.start.0[..], of(region).0, of(region).1, of(region).2)).collect()
}

#[test]
fn what_a_region_counted_before_it_was_split_is_its_own() {
    // The split is seen just before the end of the next interval.
    let parts = [Some((0, 2)), Some((2, 24))];
    let run = split_at(&[980, 1985, 2985], parts);
    assert_eq!(places(&run.intervals[0]), [(&b"k"[..], 1, 303, Known::All)]);
    assert_eq!(run.intervals[0].servers[1].writes, 303);
    assert_eq!(places(&run.intervals[1]), [(&b"k"[..], 0, 2, Known::Part), (&b"m"[..], 2, 24, Known::Part)]);
    // It is seen just behind its interval: what the parts counted in it is the region's.
    let run = split_at(&[1010, 2020, 3030], parts);
    let [(start, server, rows, known)] = places(&run.intervals[1])[..] else { panic!("{:?}", run.intervals[1]) };
    assert_eq!((start, server, known), (&b"k"[..], 1, Known::Part));
    assert!((24..=29).contains(&rows), "{rows}");
    assert_eq!(places(&run.intervals[2]).len(), 2);
}

#[test]
fn parts_of_which_no_server_told_are_where_their_region_was() {
    let run = split_at(&[980, 1985, 2985], [None, None]);
    assert_eq!(places(&run.intervals[0]), [(&b"k"[..], 1, 303, Known::All)]);
    assert_eq!(places(&run.intervals[1]), [(&b"k"[..], 1, 0, Known::None), (&b"m"[..], 1, 0, Known::None)]);
}

#[test]
fn the_last_interval_has_the_regions_of_the_end() {
    let run = split_at(&[400, 900], [Some((0, 2)), Some((2, 24))]);
    let [(_, _, lower, Known::Part), (_, _, upper, Known::Part)] = places(&run.intervals[0])[..] else {
        panic!("{:?}", run.intervals)
    };
    assert_eq!((run.intervals.len(), lower + upper), (1, 303 + 26));
}

#[test]
fn joined_intervals_have_the_region_that_was_split_between_them() {
    let mut follow = Follow::new(Options::default().interval_ms(1).most_intervals(4));
    follow.add(&reading(0, &[("", 1, Some((0, 0)))]));
    follow.add(&reading(1, &[("", 1, Some((0, 100)))]));
    for t_ms in 2..5 {
        follow.add(&reading(t_ms, &[("", 2, Some((0, t_ms))), ("m", 2, Some((1, 10 * t_ms)))]));
    }
    let run = follow.into_run(Settings::default());
    assert_eq!(writes(&run), [vec![122], vec![2, 20]]);
    assert_eq!(known(&run)[0], [Known::Part]);
}
