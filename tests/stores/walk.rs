//! The way of a scan, held to a model that knows every key there can be.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use rowkey::store::{Batch, Database, RangeReader, RangeRows, Room, RowBatch, Rows, Scan, Store, Walk};
use rowkey::{Error, KeyRange, Memory};
use rowkey_testkit::cases;

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(0_u8), Just(1), Just(0xff)], 0..4)
}

fn scan() -> impl Strategy<Value = Scan> {
    let range = (key(), option::of(key())).prop_map(|(start, end)| KeyRange::new(start, end));
    let point = key().prop_map(|key| Some(KeyRange::point(key)));
    let ranges = vec(prop_oneof![range, point, Just(Some(KeyRange::all()))], 0..6);
    let bounds = (prop_oneof![1..4_usize, Just(256)], prop_oneof![1..12_usize, Just(usize::MAX)]);
    (ranges, any::<bool>(), option::of(0..12_u64), bounds, any::<bool>()).prop_map(
        |(ranges, reverse, limit, (rows, bytes), merged)| {
            let mut ranges: Vec<_> = ranges.into_iter().flatten().collect();
            let mut scan = Scan::new(ranges.clone()).reverse(reverse).limit(limit).batch_rows(rows).batch_bytes(bytes);
            // As a program can ask: ranges that touch are two.
            if !merged {
                ranges.sort_by(|a, b| a.start().cmp(b.start()));
                ranges.dedup_by(|next, before| before.end().is_none_or(|end| end > next.start()));
                scan.ranges = ranges;
            }
            scan
        },
    )
}

/// All keys that the tests know, in the direction of the scan.
fn all_keys(reverse: bool) -> Vec<Vec<u8>> {
    let mut keys = vec![Vec::new()];
    for len in 0..5 {
        let longest: Vec<Vec<u8>> = keys.iter().filter(|key: &&Vec<u8>| key.len() == len).cloned().collect();
        keys.extend(longest.iter().flat_map(|key| [0, 1, 0xff].map(|byte| [key.as_slice(), &[byte]].concat())));
    }
    keys.sort();
    if reverse {
        keys.reverse();
    }
    keys
}

#[derive(Clone, Debug)]
enum Step {
    /// So many of the keys that are left are taken, and told together.
    Take(usize),
    Skip(Vec<u8>),
    RangeEnded,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![(1..40_usize).prop_map(Step::Take), key().prop_map(Step::Skip), Just(Step::RangeEnded)]
}

proptest! {
    /// The ranges that are left have the keys that are left, and no other.
    #[test]
    fn a_walk_asks_for_what_is_left(scan in scan(), steps in vec(step(), 0..12)) {
        let mut walk = Walk::new(&scan);
        let reverse = scan.reverse;
        let before = |a: &[u8], b: &[u8]| if reverse { a > b } else { a < b };
        let mut keys = all_keys(reverse);
        keys.retain(|key| scan.ranges.iter().any(|range| range.contains(key)));
        let mut left = scan.limit.unwrap_or(u64::MAX);
        for step in [None].into_iter().chain(steps.into_iter().map(Some)) {
            match step {
                None => {}
                Some(Step::Take(rows)) => {
                    let rows = rows.min(keys.len()).min(usize::try_from(left).unwrap_or(usize::MAX));
                    if let Some(last) = keys.drain(..rows).next_back() {
                        walk.took(rows as u64, &last);
                        left -= rows as u64;
                    }
                }
                Some(Step::Skip(key)) => {
                    let (ranges, was_over) = (walk.ranges().cloned().collect::<Vec<_>>(), walk.is_over());
                    let moved = walk.skip_to(&key);
                    prop_assert_eq!(moved, !walk.ranges().eq(&ranges));
                    prop_assert!(!was_over || !moved);
                    if left > 0 {
                        keys.retain(|kept| !before(kept, &key));
                    }
                }
                Some(Step::RangeEnded) => {
                    if let Some(range) = walk.range().cloned() {
                        walk.range_ended(0);
                        keys.retain(|key| !range.contains(key));
                    }
                }
            }
            if left == 0 {
                keys.clear();
            }
            let ranges: Vec<_> = walk.ranges().cloned().collect();
            let asked: Vec<_> =
                all_keys(reverse).into_iter().filter(|key| ranges.iter().any(|range| range.contains(key))).collect();
            prop_assert_eq!(&asked, &keys);
            prop_assert!(ranges.windows(2).all(|pair| before(pair[0].start(), pair[1].start())));
            prop_assert_eq!(walk.range(), ranges.first());
            prop_assert_eq!(walk.is_over(), ranges.is_empty());
            if scan.limit.is_some() && !walk.is_over() {
                prop_assert_eq!(walk.left(), left);
            }
            let rest = Walk::new(&walk.rest());
            prop_assert!(rest.ranges().eq(walk.ranges()));
            prop_assert!(scan.limit.is_none() || rest.left() == walk.left());
        }
    }

    /// Resumed after any of its rows, a scan gives the rows that were left, in batches of the same size.
    #[test]
    fn a_scan_resumed_after_any_row_gives_the_rest(keys in btree_set(key(), 0..30), scan in scan()) {
        let table = Memory::new().table("t").unwrap();
        let mut batch = Batch::new();
        keys.iter().filter(|key| !key.is_empty()).for_each(|key| _ = batch.put(key, b"v"));
        table.write(&batch).unwrap();
        let all = rows_of(&*table, &scan);
        for read in 0..=all.len() {
            let mut walk = Walk::new(&scan);
            if let Some(last) = all[..read].last() {
                walk.took(read as u64, last);
            }
            let rest = walk.rest();
            prop_assert_eq!(rest.limit, scan.limit.map(|limit| limit - read as u64));
            prop_assert_eq!((rest.reverse, rest.batch_rows, rest.batch_bytes), (scan.reverse, scan.batch_rows, scan.batch_bytes));
            prop_assert_eq!(rows_of(&*table, &rest), &all[read..]);
        }
    }
}

/// The keys of a scan that is resumed after each of its batches; the batches are those of the scan.
fn rows_of(table: &dyn Store, scan: &Scan) -> Vec<Vec<u8>> {
    let (mut rows, mut walk) = (table.scan(scan), Walk::new(scan));
    let (mut batch, mut resumed, mut keys) = (RowBatch::new(), RowBatch::new(), Vec::new());
    loop {
        rows.next_batch(&mut batch).unwrap();
        table.scan(&walk.rest()).next_batch(&mut resumed).unwrap();
        assert!(batch.iter().eq(resumed.iter()));
        if batch.is_empty() {
            return keys;
        }
        keys.extend(batch.iter().map(|(key, _)| key.to_vec()));
        walk.took_batch(&batch);
    }
}

/// How an engine reads.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// It continues from its own position, and ignores the ranges that it is given.
    keeps_its_place: bool,
    /// It stops after so many rows, and says that there may be more.
    at_once: usize,
    /// It fails at this row, counted over the scan.
    fails_at: Option<usize>,
    /// It fails when it is told to seek for the time of this number.
    fails_to_seek: Option<usize>,
}

fn manner() -> impl Strategy<Value = Manner> {
    (any::<bool>(), prop_oneof![1..4_usize, Just(usize::MAX)], option::of(0..15_usize), option::of(0..6_usize))
        .prop_map(|(keeps_its_place, at_once, fails_at, fails_to_seek)| Manner {
            keeps_its_place,
            at_once,
            fails_at,
            fails_to_seek,
        })
}

struct Reader {
    map: Arc<Map>,
    manner: Manner,
    place: Option<KeyRange>,
    /// What it has given.
    given: Arc<AtomicUsize>,
    seeks: usize,
}

impl RangeReader for Reader {
    fn seek(&mut self, rest: &KeyRange, _: bool) -> Result<(), Error> {
        self.place = Some(rest.clone());
        self.seeks += 1;
        if self.manner.fails_to_seek == Some(self.seeks - 1) { Err(Error::EmptyKey) } else { Ok(()) }
    }

    fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error> {
        assert!(!room.is_full() && room.rows() > 0);
        let place = if self.manner.keeps_its_place { self.place.clone().unwrap() } else { rest.clone() };
        let end = place.end().map_or(Bound::Unbounded, Bound::Excluded);
        let mut rows = self.map.range::<[u8], _>((Bound::Included(place.start()), end));
        let mut last = None;
        for _ in 0..self.manner.at_once {
            let Some((key, value)) = (if reverse { rows.next_back() } else { rows.next() }) else { return Ok(false) };
            if self.manner.fails_at == Some(self.given.load(Ordering::Relaxed)) {
                return Err(Error::EmptyKey);
            }
            self.given.fetch_add(1, Ordering::Relaxed);
            last = Some(key);
            if !room.push(key, value) {
                break;
            }
        }
        let last = last.unwrap().clone();
        self.place = match reverse {
            false => KeyRange::new([&last[..], &[0]].concat(), place.end()),
            true => KeyRange::new(place.start(), Some(last)),
        };
        // Nothing is left in such a place, and it is not asked again.
        self.place.get_or_insert_with(|| KeyRange::point("nothing is here"));
        Ok(true)
    }
}

#[derive(Clone, Debug)]
enum Call {
    Next,
    Skip(Vec<u8>),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(600, 2000)))]

    /// Whatever the ranges, the bounds, the engine's manner and the skips: what comes is what a list has.
    #[test]
    fn a_scan_has_the_rows_of_its_ranges(
        map in btree_map(key(), vec(any::<u8>(), 0..6), 0..30),
        scan in scan(),
        manner in manner(),
        calls in vec(prop_oneof![2 => Just(Call::Next), 1 => key().prop_map(Call::Skip)], 0..20),
    ) {
        let map = Arc::new(map);
        let before = |a: &[u8], b: &[u8]| if scan.reverse { a > b } else { a < b };
        let mut left: Vec<_> = map.iter().filter(|(key, _)| scan.ranges.iter().any(|range| range.contains(key))).collect();
        if scan.reverse {
            left.reverse();
        }
        let limit = scan.limit.map_or(usize::MAX, |limit| limit as usize);
        let given = Arc::new(AtomicUsize::new(0));
        let reader = Reader { map: Arc::clone(&map), manner, place: None, given: Arc::clone(&given), seeks: 0 };
        let mut rows = RangeRows::new(&scan, reader);

        let (mut batch, mut came, mut ended, mut failed) = (RowBatch::new(), 0, 0, false);
        for call in calls.into_iter().chain(std::iter::repeat(Call::Next)) {
            match call {
                Call::Skip(key) => {
                    rows.skip_to(&key);
                    // What a failed read had given before comes in any case.
                    left.retain(|(kept, _)| !before(kept, &key));
                }
                Call::Next => {
                    batch.push(b"left", b"over");
                    let next = rows.next_batch(&mut batch);
                    if next.is_err() {
                        prop_assert!(!failed && ended == 0 && batch.is_empty());
                        failed = true;
                        continue;
                    }
                    prop_assert!(batch.len() <= scan.batch_rows);
                    let all_but_last = batch.iter().take(batch.len().saturating_sub(1));
                    let without_last = all_but_last.map(|(key, value)| key.len() + value.len()).sum::<usize>();
                    prop_assert!(without_last < scan.batch_bytes);
                    let due: Vec<_> = left.drain(..batch.len().min(left.len())).collect();
                    prop_assert!(batch.iter().eq(due.iter().map(|(key, value)| (key.as_slice(), value.as_slice()))));
                    came += batch.len();
                    prop_assert!(came <= limit && !failed || batch.is_empty());
                    if batch.is_empty() {
                        ended += 1;
                        prop_assert_eq!(Arc::strong_count(&map), 1, "the reader is gone");
                        if ended == 3 {
                            break;
                        }
                    }
                }
            }
        }
        prop_assert!(failed || left.is_empty() || came == limit);
        prop_assert!(!failed || manner.fails_at.is_some() || manner.fails_to_seek.is_some());
        prop_assert_eq!(came, given.load(Ordering::Relaxed), "what was read before an error has come");
    }
}

/// An engine fails at each of its rows in turn: those before it come, then the error, then nothing.
#[test]
fn an_error_at_any_row_comes_once_and_after_the_rows() {
    let map: Arc<Map> = Arc::new((1..=9_u8).map(|n| (vec![n], vec![n])).collect());
    for (reverse, batch_rows, at) in
        [false, true].into_iter().flat_map(|r| (1..12).flat_map(move |b| (0..9).map(move |at| (r, b, at))))
    {
        let manner = Manner { keeps_its_place: true, at_once: usize::MAX, fails_at: Some(at), fails_to_seek: None };
        let reader = Reader { map: Arc::clone(&map), manner, place: None, given: Arc::default(), seeks: 0 };
        let ranges = [1_u8, 3, 7].map(|n| KeyRange::new([n], Some([n + 2])).unwrap()).to_vec();
        let wanted = [1, 2, 3, 4, 7, 8];
        let scan = Scan::new(ranges).reverse(reverse).batch_rows(batch_rows);
        let (mut rows, mut batch, mut seen) = (RangeRows::new(&scan, reader), RowBatch::new(), Vec::new());
        let failed = loop {
            match rows.next_batch(&mut batch) {
                Ok(()) if batch.is_empty() => break false,
                Ok(()) => seen.extend(batch.iter().map(|(key, _)| key[0])),
                Err(_) => break true,
            }
        };
        let in_order: Vec<u8> = if reverse { wanted.into_iter().rev().collect() } else { wanted.to_vec() };
        assert_eq!((failed, &seen[..]), (at < 6, &in_order[..at.min(6)]), "{scan:?}, at {at}");
        for _ in 0..3 {
            assert!(rows.next_batch(&mut batch).is_ok() && batch.is_empty());
            rows.skip_to(&[4]);
        }
    }
}
