//! The merge as a machine: what it asks for and when, late answers, errors at every place, mistakes of its driver.

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::Error;
use rowkey::merge::{BatchMerge, Step};
use rowkey::store::RowBatch;
use rowkey_testkit::cases;

use crate::merge_case::{Case, Script, by_all, by_hand, failure, keys, rows, sources};

fn batch(keys: &[&str]) -> RowBatch {
    let mut batch = RowBatch::new();
    keys.iter().for_each(|key| batch.push(key.as_bytes(), b"v"));
    batch
}

fn feed(merge: &mut BatchMerge, source: usize, keys: &[&str]) {
    *merge.batch(source).expect("it is wanted") = batch(keys);
    merge.feed(source, Ok(()));
}

fn wanted(merge: &BatchMerge, sources: usize) -> Vec<usize> {
    (0..sources).filter(|&source| merge.wants(source)).collect()
}

fn key(merge: &BatchMerge) -> &str {
    std::str::from_utf8(merge.row().expect("there is a row").0).unwrap()
}

#[test]
fn every_source_is_asked_once_and_then_one_at_a_time() {
    let mut merge = BatchMerge::new(3);
    assert_eq!(wanted(&merge, 3), [0; 0], "nothing before the first step");
    assert_eq!(merge.step().unwrap(), Step::Feed(0));
    assert_eq!(wanted(&merge, 3), [0, 1, 2]);
    feed(&mut merge, 1, &["b", "d"]);
    assert_eq!((merge.step().unwrap(), wanted(&merge, 3)), (Step::Feed(0), vec![0, 2]));
    feed(&mut merge, 0, &["a"]);
    assert_eq!(
        (merge.step().unwrap(), merge.step().unwrap(), wanted(&merge, 3)),
        (Step::Feed(2), Step::Feed(2), vec![2])
    );
    feed(&mut merge, 2, &[]);

    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "a"));
    assert_eq!(wanted(&merge, 3), [0; 0], "not before the row after it is asked for");
    assert_eq!((merge.step().unwrap(), merge.row()), (Step::Feed(0), None));
    assert_eq!((wanted(&merge, 3), merge.last_key()), (vec![0], &b"a"[..]));
    feed(&mut merge, 0, &[]);
    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "b"));
    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "d"));
    assert_eq!(merge.step().unwrap(), Step::Feed(1));
    feed(&mut merge, 1, &[]);
    assert_eq!((merge.step().unwrap(), merge.step().unwrap(), wanted(&merge, 3)), (Step::Done, Step::Done, vec![]));
    assert_eq!((merge.last_key(), merge.rows_read()), (&b"d"[..], 3));
}

#[test]
fn nothing_is_asked_for_once_the_limit_is_reached() {
    for limit in 0..5 {
        let mut merge = BatchMerge::new(2).limit(limit);
        let (mut found, mut fed) = (0, 0);
        loop {
            match merge.step().unwrap() {
                Step::Feed(source) if fed < 2 => {
                    feed(&mut merge, source, [&["a", "c", "d"], &["b", "e", "f"]][source]);
                    fed += 1;
                }
                Step::Feed(source) => panic!("{source} is asked for more, of limit {limit}"),
                Step::Row => found += 1,
                Step::Done => break,
            }
        }
        assert_eq!((found, fed), (limit, if limit == 0 { 0 } else { 2 }));
        assert_eq!(wanted(&merge, 2), [0; 0]);
    }
    assert_eq!(BatchMerge::new(0).step().unwrap(), Step::Done);
}

#[test]
fn of_several_sources_that_fail_to_open_the_first_counts() {
    let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1], [1, 3, 2, 0], [3, 0, 2, 1], [0, 3, 1, 2]];
    for fails in 1..16_u8 {
        for order in orders {
            let mut merge = BatchMerge::new(4);
            merge.step().unwrap();
            // Those after the first that has failed are not wanted any more, and their answers are nothing.
            for source in order {
                let fails = fails >> source & 1 == 1;
                if merge.wants(source) && !fails {
                    merge.batch(source).unwrap().push(b"k", b"");
                }
                merge.feed(source, if fails { Err(Error::engine(failure(source))) } else { Ok(()) });
            }
            let first = fails.trailing_zeros() as usize;
            let error = merge.step().unwrap_err().to_string();
            assert_eq!(error, failure(first), "{fails:b} in the order {order:?}");
            assert_eq!((merge.step().unwrap(), merge.last_key()), (Step::Done, &b""[..]));
        }
    }
}

#[test]
fn an_error_comes_after_the_rows_before_it_at_whatever_batch_it_is() {
    let whole = sources(&[&["a", "d", "e", "h", "i"], &["b", "c", "f"], &["g", "j", "k", "l"]]);
    for (salt, reverse) in [(0, false), (0, true)] {
        for limit in [None, Some(4)] {
            for source in 0..3 {
                for rows_before in 0..=whole.sources[source].rows.len() {
                    let mut case = Case { salt, reverse, limit, ..whole.clone() };
                    if reverse {
                        case.sources.iter_mut().for_each(|script| script.rows.reverse());
                    }
                    case.sources[source].rows.truncate(rows_before);
                    case.sources[source].fails = true;
                    let expected = keys(case.expected());
                    for (how, found) in [1, 2, 3].iter().flat_map(|&rows| by_all(&case, &[rows])) {
                        assert_eq!(keys(found), expected, "{how}: {source} fails after {rows_before} rows");
                    }
                }
            }
        }
    }
}

#[test]
fn an_error_that_names_a_row_comes_at_its_place() {
    let mut whole = sources(&[&["a", "d"], &["b", "e", "g"], &["c", "f", "h"]]);
    whole.sources[0] = Script { place: Some(b"e".to_vec()), fails: true, ..whole.sources[0].clone() };
    whole.sources[2] = Script { place: Some(b"i".to_vec()), fails: true, ..whole.sources[2].clone() };
    for (limit, found) in [(None, "abcd!"), (Some(5), "abcd!"), (Some(4), "abcd")] {
        let case = Case { limit, ..whole.clone() };
        for (how, rows) in [1, 2, 9].iter().flat_map(|&rows| by_all(&case, &[rows])) {
            let rows: String = keys(rows).into_iter().map(|key| key.unwrap_or("!".to_owned())).collect();
            assert_eq!(rows, found, "{how}");
        }
    }
}

#[test]
fn what_is_not_wanted_changes_nothing() {
    let mut merge = BatchMerge::new(2);
    merge.feed(0, Err(Error::engine("before the first step")));
    merge.feed(7, Err(Error::engine("no such source")));
    assert!(merge.batch(0).is_none() && merge.batch(7).is_none());
    assert_eq!(merge.step().unwrap(), Step::Feed(0));
    feed(&mut merge, 0, &[]);
    assert!(merge.batch(0).is_none(), "it has ended");
    merge.feed(0, Err(Error::engine("after its end")));
    feed(&mut merge, 1, &["a", "b"]);
    merge.feed(1, Ok(()));
    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "a"));
    merge.feed(1, Err(Error::engine("while there are rows")));
    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "b"));
    assert_eq!(merge.step().unwrap(), Step::Feed(1));
    merge.feed(0, Ok(()));
    assert_eq!(merge.step().unwrap(), Step::Feed(1));
    merge.feed(1, Ok(()));
    assert_eq!((merge.step().unwrap(), merge.rows_read()), (Step::Done, 2));
}

#[test]
fn a_batch_that_is_being_filled_is_not_looked_at() {
    let mut merge = BatchMerge::new(1);
    merge.step().unwrap();
    feed(&mut merge, 0, &["a"]);
    merge.step().unwrap();
    assert_eq!(merge.step().unwrap(), Step::Feed(0));
    for key in ["b", "c"] {
        merge.batch(0).unwrap().push(key.as_bytes(), b"");
        assert_eq!((merge.step().unwrap(), merge.row(), merge.last_key()), (Step::Feed(0), None, &b"a"[..]));
    }
    merge.feed(0, Err(Error::engine("cut off")));
    assert_eq!(merge.step().unwrap_err().to_string(), "cut off");
    assert_eq!((merge.step().unwrap(), merge.last_key(), merge.rows_read()), (Step::Done, &b"a"[..], 1));
}

#[test]
fn the_last_key_is_known_after_every_row() {
    // `by_hand` compares it after each step.
    let well = || Script { rows: rows(&["a", "b", "e", "f", "g"]), fails: false, place: None };
    let failing = || Script { rows: rows(&["c", "d", "h", "i"]), fails: true, place: None };
    for (sources, limit, found) in [
        (vec![well()], None, 5),
        (vec![well(), well()], None, 10),
        (vec![well(), well()], Some(3), 3),
        (vec![well(), failing()], None, 9 + 1),
        (vec![well(), failing()], Some(7), 7),
        (vec![failing(), well()], Some(0), 0),
        (vec![failing(), Script { rows: Vec::new(), fails: true, place: None }], None, 1),
    ] {
        let case = Case { sources, salt: 0, reverse: false, limit };
        for most in [None, Some(1), Some(2), Some(5)] {
            for batch_rows in [1, 2, 4, 9] {
                assert_eq!(by_hand(&case, &[batch_rows], &[4, 1, 3], most).len(), found);
            }
        }
    }
}

#[test]
fn rows_by_one_and_in_batches_in_turn() {
    let mut merge = BatchMerge::new(2);
    merge.step().unwrap();
    feed(&mut merge, 0, &["a", "b", "c", "d", "x"]);
    feed(&mut merge, 1, &["e", "f"]);
    let mut filled = RowBatch::new();
    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "a"));
    assert_eq!(merge.fill(&mut filled, 2, usize::MAX).unwrap(), Step::Row);
    assert_eq!((filled, merge.last_key()), (RowBatch::clone(&batch(&["b", "c"])), &b"c"[..]));
    let mut filled = RowBatch::new();
    // One row, and then a whole batch, which is handed over by itself.
    assert_eq!(merge.fill(&mut filled, 2, usize::MAX).unwrap(), Step::Row);
    assert_eq!((&filled, merge.last_key()), (&batch(&["d"]), &b"d"[..]));
    filled.clear();
    assert_eq!(merge.fill(&mut filled, 2, usize::MAX).unwrap(), Step::Row);
    assert_eq!((&filled, merge.last_key()), (&batch(&["e", "f"]), &b"f"[..]));
    assert_eq!((merge.step().unwrap(), merge.last_key()), (Step::Feed(1), &b"f"[..]));
    feed(&mut merge, 1, &[]);
    assert_eq!((merge.step().unwrap(), key(&merge)), (Step::Row, "x"));
}

#[test]
fn the_machine_can_move_to_another_thread() {
    fn check<T: Send + Sync + 'static>() {}
    check::<BatchMerge>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(80, 300)))]

    /// Sources that are not sorted: the order means nothing, but no row is lost and nothing panics.
    #[test]
    fn unsorted_sources_lose_no_row(
        scripts in vec(vec(vec(prop_oneof![Just(0_u8), Just(0xff), any::<u8>()], 0..12), 0..40), 0..9),
        salt in 0..4_usize, reverse: bool, batch_rows in 1..20_usize, choices in vec(0..97_usize, 1..20),
    ) {
        let number = |keys: Vec<Vec<u8>>| keys.into_iter().enumerate().map(|(n, key)| (key, vec![n as u8])).collect();
        let sources: Vec<_> = scripts.into_iter().map(|keys| Script { rows: number(keys), fails: false, place: None }).collect();
        let mut all: Vec<_> = sources.iter().flat_map(|script| script.rows.clone()).map(Ok).collect();
        all.sort();
        let case = Case { sources, salt, reverse, limit: None };
        for most in [None, Some(7)] {
            let mut found = by_hand(&case, &[batch_rows], &choices, most);
            found.sort();
            prop_assert_eq!(&found, &all);
        }
    }
}
