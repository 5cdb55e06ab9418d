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
