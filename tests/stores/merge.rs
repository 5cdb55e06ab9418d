//! The merge against a reference that sorts everything.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::merge::{Counted, Merge, MergedRows, Prefetch};
use rowkey::store::{Batch, Database, Guarantees, RowBatch, Rows, Scan, Store};
use rowkey::{Error, KeyRange, Memory};
use rowkey_testkit::{Cue, Cued, Fate, Op, Restrict, cases};

use crate::merge_case::{
    Case, by_all, by_batch, by_hand, by_row, case, failure, ids_and_times, keys, rows, sources, text,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(120, 600)))]

    #[test]
    fn merges_as_sorting_does(case in case(), batch_rows in vec(prop_oneof![1..4_usize, 1..100_usize], 1..4), most in 1..40_usize) {
        let expected = case.expected();

        let unplaced = case.unplaced();
        let mut merge = Merge::new(case.iterators()).salt(case.salt).reverse(case.reverse).limit(case.limit);
        let rows: Vec<_> = merge.by_ref().collect();
        prop_assert_eq!(&rows, &unplaced.expected());
        prop_assert!(merge.next().is_none());

        prop_assert_eq!(&by_row(case.merged(&batch_rows)), &expected);
        prop_assert_eq!(&by_batch(&mut case.merged(&batch_rows).batch_rows(most), most), &expected);
    }

    #[test]
    fn what_comes_depends_on_no_order_of_feeding(
        case in case(), batch_rows in vec(prop_oneof![1..4_usize, 1..100_usize], 1..4), most in 1..40_usize, choices in vec(0..97_usize, 1..40),
    ) {
        let expected = case.expected();
        prop_assert_eq!(&by_hand(&case, &batch_rows, &choices, None), &expected);
        prop_assert_eq!(&by_hand(&case, &batch_rows, &choices, Some(most)), &expected);
    }

    #[test]
    fn merges_by_rows_and_batches_in_turn(case in case(), batch_rows in vec(1..20_usize, 1..4), turns in vec(0..9_usize, 1..20)) {
        let mut merged = case.merged(&batch_rows).batch_rows(8);
        let mut batch = RowBatch::new();
        let mut all = Vec::new();
        'merge: for turn in turns.iter().cycle() {
            for _ in 0..*turn {
                match merged.next_row() {
                    Ok(Some((key, value))) => all.push(Ok((key.to_vec(), value.to_vec()))),
                    Ok(None) => break 'merge,
                    Err(error) => all.push(Err(text(&error))),
                }
            }
            match merged.next_batch(&mut batch) {
                Ok(()) if batch.is_empty() => break,
                Ok(()) => all.extend(batch.iter().map(|(key, value)| Ok((key.to_vec(), value.to_vec())))),
                Err(error) => all.push(Err(text(&error))),
            }
        }
        prop_assert_eq!(all, case.expected());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(40, 100)))]

    #[test]
    fn merges_ids_and_times_as_sorting_does(case in ids_and_times(), batch_rows in vec(1..100_usize, 1..4)) {
        let expected = case.expected();
        for (how, found) in by_all(&case, &batch_rows) {
            prop_assert_eq!(&found, &expected, "{}", how);
        }
    }

    #[test]
    fn prefetching_changes_nothing(case in case(), batch_rows in vec(1..20_usize, 1..4), ahead in 1..4_usize) {
        let expected = case.expected();
        prop_assert_eq!(&by_row(case.merged(&batch_rows).prefetch(ahead)), &expected);
        prop_assert_eq!(&by_batch(&mut case.merged(&batch_rows).prefetch(ahead), 256), &expected);
        for (source, scan) in case.scans(&batch_rows).into_iter().enumerate() {
            let script = &case.sources[source];
            let mut alone: Vec<_> = script.rows.iter().cloned().map(Ok).collect();
            alone.extend(script.fails.then(|| Err(failure(source))));
            prop_assert_eq!(by_batch(&mut Prefetch::new(scan, ahead), 256), alone);
        }
    }
}

fn assert_all(case: &Case, batch_rows: &[usize], expected: &[Result<String, String>]) {
    for (how, found) in by_all(case, batch_rows) {
        assert_eq!(keys(found), expected, "{how}");
    }
}

#[test]
fn nothing_from_nothing() {
    for case in [sources(&[]), sources(&[&[]]), sources(&[&[], &[], &[]])] {
        assert_all(&case, &[1], &[]);
    }
}

#[test]
fn equal_keys_come_in_the_order_of_their_sources_both_ways() {
    let case = Case { salt: 1, ..sources(&[&["3b", "3a"], &["1b", "1b", "1a"], &["2b", "2a"]]) };
    let case = Case { reverse: true, ..case };
    let expected = ["3b", "1b", "1b", "2b", "3a", "1a", "2a"].map(|key| Ok(key.to_owned()));
    assert_all(&case, &[2], &expected);

    let forward = Case { salt: 1, ..sources(&[&["3a", "3b"], &["1a", "1b", "1b"], &["2a", "2b"]]) };
    let expected = ["3a", "1a", "2a", "3b", "1b", "1b", "2b"].map(|key| Ok(key.to_owned()));
    assert_all(&forward, &[2], &expected);
}

#[test]
fn a_key_shorter_than_the_salt_is_the_empty_one() {
    let case = Case { salt: 4, ..sources(&[&["a", "abcde"], &["", "abcd", "abcdc"]]) };
    let expected = ["a", "", "abcd", "abcdc", "abcde"].map(|key| Ok(key.to_owned()));
    assert_all(&case, &[2], &expected);
}

#[test]
fn a_row_is_yielded_before_its_source_is_read_again() {
    let mut case = sources(&[&["a", "c"], &["b", "d"]]);
    case.sources[0].fails = true;
    let expected = [Ok("a".to_owned()), Ok("b".to_owned()), Ok("c".to_owned()), Err("source 0 failed".to_owned())];
    assert_all(&case, &[1], &expected);
}

#[test]
fn a_source_is_read_no_further_than_the_rows_that_were_asked_for() {
    let reads = std::cell::Cell::new(0);
    let source = |keys: [&'static [u8]; 3]| {
        let reads = &reads;
        keys.into_iter().map(move |key| {
            reads.set(reads.get() + 1);
            Ok::<_, Error>(key)
        })
    };
    let mut merge = Merge::new([source([b"a", b"b", b"e"]), source([b"c", b"d", b"f"])]).limit(2);
    assert_eq!(reads.get(), 0, "nothing is read before the first row is asked for");
    assert_eq!(merge.next().unwrap().unwrap(), b"a");
    assert_eq!(reads.get(), 2);
    assert_eq!(merge.next().unwrap().unwrap(), b"b");
    assert_eq!(reads.get(), 3);
    assert!(merge.next().is_none());
    assert_eq!(reads.get(), 3, "the limit was reached");
}

#[test]
fn a_source_that_does_not_open_says_so_first() {
    let mut case = sources(&[&["a"], &[], &["b"], &[]]);
    case.sources[1].fails = true;
    case.sources[3].fails = true;
    let expected = [Err("source 1 failed".to_owned())];
    assert_all(&case, &[1], &expected);
    assert_eq!(keys(by_batch(&mut case.merged(&[1]).prefetch(1), 256)), expected);
}

#[test]
fn sources_out_of_order_lose_no_row() {
    let case = sources(&[&["c", "a", "b", "zzzz", "a"], &["b", "b", "a", "c"], &["x", "aaaaaaaaaa", "a"]]);
    for (how, rows) in [1, 2, 9].iter().flat_map(|&rows| by_all(&case, &[rows])) {
        assert_eq!(rows.len(), 12, "{how}");
    }
}

#[test]
fn the_only_source_left_hands_over_its_batches() {
    let case = sources(&[&["a"], &["b", "c", "d", "e", "f", "g"]]);
    let mut merged = case.merged(&[4]).batch_rows(4);
    let mut batch = RowBatch::new();
    let mut sizes = Vec::new();
    loop {
        merged.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            break;
        }
        sizes.push(batch.len());
    }
    assert_eq!(sizes, [1, 4, 2]);
    assert_eq!(merged.rows_read(), 7);
}

#[test]
fn rows_read_are_counted_where_they_were_read() {
    let case = sources(&[&["a", "b", "c", "d"], &["e", "f", "g", "h"]]);
    let mut merged = case.merged(&[3]).limit(1);
    assert_eq!(merged.rows_read(), 0);
    assert!(merged.next_row().unwrap().is_some());
    assert!(merged.next_row().unwrap().is_none());
    assert_eq!(merged.rows_read(), 6);

    let mut counted = Counted::new(case.scans(&[3]).remove(0));
    let mut batch = RowBatch::new();
    counted.next_batch(&mut batch).unwrap();
    assert_eq!(counted.rows_read(), 3);
    counted.next_batch(&mut batch).unwrap();
    assert_eq!(counted.rows_read(), 4);
}

/// Knows the threads in which scans were read.
#[derive(Clone, Default)]
struct Threads(Arc<Mutex<Vec<Option<String>>>>);

impl Cue for Threads {
    fn before(&self, op: Op) -> Fate {
        assert_eq!(op, Op::Rows, "a merge scans");
        self.0.lock().unwrap().push(std::thread::current().name().map(str::to_owned));
        Fate::Done
    }
}

#[test]
fn opening_pushes_direction_limit_and_batch_size_to_each_bucket() {
    for slow in [false, true] {
        let memory = Memory::new().table("shelf").unwrap();
        for (key, value) in rows(&["0a", "0d", "0e", "0f", "1b", "1c", "1g", "1h", "2z"]) {
            memory.write(Batch::new().put(key, value)).unwrap();
        }
        let promised = Guarantees::none().snapshot_scans(true).slow_scans(slow);
        let shelf = Restrict::store(memory, promised);
        let shelf = Cued::over(Arc::new(shelf) as Arc<dyn Store>, Threads::default());
        let scan = Scan::all().reverse(true).limit(3).batch_rows(2);
        let buckets = ["0", "1"].map(|bucket| vec![KeyRange::prefix(bucket)]);
        let mut merged = MergedRows::open(&shelf, &scan, buckets.clone(), 1);
        assert!(shelf.0.lock().unwrap().is_empty(), "nothing is read before the first row is asked for");
        let mut found = Vec::new();
        while let Some((key, _)) = merged.next_row().unwrap() {
            found.push(String::from_utf8(key.to_vec()).unwrap());
        }
        assert_eq!(found, ["1h", "1g", "0f"]);
        assert!(merged.rows_read() <= 6, "three a bucket at most");
        let ahead = shelf.0.lock().unwrap().iter().all(|name| name.as_deref() == Some("rowkey-prefetch"));
        assert_eq!(ahead, slow);

        let one: Arc<dyn Store> = Arc::new(shelf);
        let alone = MergedRows::open(&one, &Scan::all(), buckets.into_iter().take(1), 1);
        assert_eq!(by_row(alone).len(), 4);
    }
}

/// Counts the batches it was asked for, and says when it is dropped.
struct Endless {
    asked: Arc<AtomicUsize>,
    dropped: Arc<AtomicBool>,
    panic_at: usize,
}

impl Rows for Endless {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        assert!(asked < self.panic_at, "no batch {asked}");
        batch.push(&asked.to_be_bytes(), b"");
        Ok(())
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

fn endless(panic_at: usize) -> (Box<dyn Rows>, Arc<AtomicUsize>, Arc<AtomicBool>) {
    let (asked, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    (Box::new(Endless { asked: asked.clone(), dropped: dropped.clone(), panic_at }), asked, dropped)
}

fn soon(what: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(120) {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn prefetch_is_no_further_ahead_than_it_may_be() {
    for ahead in [1, 2, 5] {
        let (source, asked, _) = endless(usize::MAX);
        let mut rows = Prefetch::new(source, ahead);
        let mut batch = RowBatch::new();
        for taken in 0..20 {
            assert!(soon(|| asked.load(Ordering::SeqCst) == taken + ahead));
            std::thread::sleep(Duration::from_millis(2));
            assert_eq!(asked.load(Ordering::SeqCst), taken + ahead);
            rows.next_batch(&mut batch).unwrap();
            assert_eq!(batch.get(0).unwrap().0, taken.to_be_bytes());
        }
    }
}

#[test]
fn prefetch_that_is_dropped_early_ends_its_thread() {
    let (source, asked, dropped) = endless(usize::MAX);
    let rows = Prefetch::new(source, 2);
    assert!(soon(|| asked.load(Ordering::SeqCst) == 2));
    assert!(!dropped.load(Ordering::SeqCst));
    drop(rows);
    assert!(soon(|| dropped.load(Ordering::SeqCst)));

    let (source, _, dropped) = endless(usize::MAX);
    let mut merged = MergedRows::new([source]).prefetch(2).limit(3);
    while merged.next_row().unwrap().is_some() {}
    assert!(soon(|| dropped.load(Ordering::SeqCst)), "the limit was reached, though the merge is still there");
}

#[test]
fn a_panic_behind_prefetch_is_an_error() {
    let (source, _, dropped) = endless(2);
    let mut rows = Prefetch::new(source, 1);
    let answered = by_batch(&mut rows, 1);
    assert_eq!(answered.len(), 3);
    assert_eq!(answered[2], Err("a scan panicked: no batch 2".to_owned()));
    assert!(dropped.load(Ordering::SeqCst), "dropped before the error is handed out");
}

/// Ends at once, and panics when it is dropped.
struct Grenade;

impl Rows for Grenade {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        Ok(())
    }
}

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn a_thread_that_is_gone_is_an_error_and_no_end() {
    let mut rows = Prefetch::new(Box::new(Grenade), 1);
    assert_eq!(by_batch(&mut rows, 1), [Err("a scan panicked: while it was dropped".to_owned())]);
}
