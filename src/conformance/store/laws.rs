//! Helpers of the laws: a model to compare with, complete scans, random numbers.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use crate::keys::error::Hex;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Batch, RowBatch, Rows, Scan, Store};

/// The expected content of a table.
pub(crate) type Model = BTreeMap<Vec<u8>, Vec<u8>>;
pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// Reports a law that failed.
#[track_caller]
pub(crate) fn broken(law: &str, what: impl fmt::Display) -> ! {
    panic!("the law `{law}` does not hold: {what}")
}

#[track_caller]
pub(crate) fn holds(law: &str, holds: bool, what: impl fmt::Display) {
    if !holds {
        broken(law, what)
    }
}

#[track_caller]
pub(crate) fn equal<T: PartialEq + Debug>(law: &str, what: impl fmt::Display, is: T, should_be: T) {
    if is != should_be {
        broken(law, format_args!("{what}: it is {is:?}, it should be {should_be:?}"))
    }
}

/// The result of an operation that must not fail.
#[track_caller]
pub(crate) fn done<T>(law: &str, answer: Result<T, Error>) -> T {
    answer.unwrap_or_else(|error| broken(law, format_args!("an operation failed: {error:?}")))
}

#[track_caller]
pub(crate) fn refused<T: Debug>(law: &str, what: &str, answer: Result<T, Error>, why: fn(&Error) -> bool) {
    match answer {
        Err(error) if why(&error) => {}
        other => broken(law, format_args!("{what} is not refused as it should be: {other:?}")),
    }
}

pub(crate) fn range(start: &[u8], end: Option<&[u8]>) -> KeyRange {
    KeyRange::new(start, end).expect("the suite asks for ranges that hold something")
}

/// Writes one row to the store and the model.
#[track_caller]
pub(crate) fn put(store: &dyn Store, model: &mut Model, key: &[u8], value: &[u8]) {
    done("read-your-writes", store.write(Batch::new().put(key, value)));
    model.insert(key.to_vec(), value.to_vec());
}

/// Fills an empty store with difficult keys: prefixes of each other, 00 and FF at their ends.
#[track_caller]
pub(crate) fn fill(store: &dyn Store) -> Model {
    let mut model = Model::new();
    let keys: [&[u8]; 20] = [
        b"\0",
        b"\0\0",
        b"\0\xff",
        b"\x01",
        b"a",
        b"a\0",
        b"a\0\0",
        b"a\0\xff",
        b"a\x01",
        b"aa",
        b"a\xff",
        b"a\xff\xff",
        b"b",
        b"b\0",
        b"ba",
        b"c",
        b"\xfe\xff",
        b"\xff",
        b"\xff\0",
        b"\xff\xff",
    ];
    // Written in an order that is neither ascending nor descending.
    for (index, key) in keys.iter().enumerate().rev().step_by(2).chain(keys.iter().enumerate().step_by(2)) {
        put(store, &mut model, key, &vec![b'v'; 1 + index % 3]);
    }
    model
}

/// The rows that `scan` should have.
pub(crate) fn expected(model: &Model, scan: &Scan) -> Vec<Row> {
    let mut rows: Vec<Row> = model
        .iter()
        .filter(|(key, _)| scan.ranges.iter().any(|range| range.contains(key)))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if scan.reverse {
        rows.reverse();
    }
    rows.truncate(scan.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    rows
}

/// Scans and compares.
#[track_caller]
pub(crate) fn compare(law: &str, store: &dyn Store, model: &Model, scan: &Scan) {
    compare_rows(law, scan, &read(store, scan), &expected(model, scan));
}

#[track_caller]
pub(crate) fn compare_rows(law: &str, scan: &Scan, is: &[Row], should_be: &[Row]) {
    if is != should_be {
        broken(law, format_args!("{} has\n  {}\nand should have\n  {}", Show(scan), Show(is), Show(should_be)))
    }
}

/// All rows of a scan.
#[track_caller]
pub(crate) fn read(store: &dyn Store, scan: &Scan) -> Vec<Row> {
    let mut rows = store.scan(scan);
    read_on(&mut *rows, scan)
}

/// The next batch of an open scan.
#[track_caller]
pub(crate) fn read_batch(rows: &mut dyn Rows, scan: &Scan) -> Vec<Row> {
    let mut batch = RowBatch::new();
    batch.push(b"left over", b"from before");
    done("read-your-writes", rows.next_batch(&mut batch));
    let left_over = batch.get(0) == Some((b"left over", b"from before"));
    holds("batch-cleared", !left_over, "a row from before is in the batch");
    let asked = scan.batch_rows;
    holds("batch-rows", batch.len() <= asked, format_args!("{} rows where {asked} were asked for", batch.len()));
    let all_but_last = batch.iter().take(batch.len().saturating_sub(1));
    let (bytes, bound) = (all_but_last.map(|(key, value)| key.len() + value.len()).sum::<usize>(), scan.batch_bytes);
    let is_within = batch.len() < 2 || bytes < bound;
    holds("batch-bytes", is_within, format_args!("a batch goes on after {bytes} bytes where {bound} were asked for"));
    batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
}

/// The rows that are left of an open scan, checked against the laws of every scan.
#[track_caller]
pub(crate) fn read_on(rows: &mut dyn Rows, scan: &Scan) -> Vec<Row> {
    // No table of the suite has this many rows.
    const MOST: usize = 100_000;
    let mut all = Vec::new();
    loop {
        let batch = read_batch(rows, scan);
        if batch.is_empty() {
            break;
        }
        all.extend(batch);
        holds("ended", all.len() <= MOST, format_args!("{} goes on and on", Show(scan)));
    }
    for _ in 0..3 {
        let after = read_batch(rows, scan);
        holds("ended", after.is_empty(), format_args!("{} has rows after its end: {}", Show(scan), Show(&after[..])));
    }
    let ascending = all.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let descending = all.windows(2).all(|pair| pair[0].0 > pair[1].0);
    if scan.reverse && !descending {
        broken(if ascending { "reverse" } else { "sorted" }, format_args!("{} has {}", Show(scan), Show(&all[..])));
    }
    holds("sorted", scan.reverse || ascending, format_args!("{} has {}", Show(scan), Show(&all[..])));
    if let Some(limit) = scan.limit {
        holds("limit", all.len() as u64 <= limit, format_args!("{} has {} rows", Show(scan), all.len()));
    }
    all
}

/// Prints scans and rows: keys in hex, values by their length.
pub(crate) struct Show<'a, T: ?Sized>(pub(crate) &'a T);

impl fmt::Display for Show<'_, Scan> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scan { ranges, reverse, limit, batch_rows, batch_bytes } = self.0;
        write!(f, "a {}scan of [", if *reverse { "reverse " } else { "" })?;
        for (index, range) in ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}..", Show(range.start()))?;
            range.end().map_or(Ok(()), |end| write!(f, "{}", Show(end)))?;
        }
        write!(f, "], limit {limit:?}, {batch_rows} rows or {batch_bytes} bytes a batch,")
    }
}

impl fmt::Display for Show<'_, [u8]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.split_at_checked(64) {
            Some((start, [_, ..])) => write!(f, "{}… ({} bytes)", Hex(start), self.0.len()),
            _ => write!(f, "{}", Hex(self.0)),
        }
    }
}

impl fmt::Display for Show<'_, [Row]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows:", self.0.len())?;
        let shown = &self.0[..self.0.len().min(30)];
        shown.iter().try_for_each(|(key, value)| write!(f, " {} ({} bytes)", Hex(key), value.len()))?;
        f.write_str(if shown.len() < self.0.len() { " …" } else { "" })
    }
}

/// SplitMix64: small, and the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    /// A key of one to four bytes out of few different ones, so that keys collide.
    pub(crate) fn key(&mut self) -> Vec<u8> {
        let len = 1 + self.below(4);
        (0..len).map(|_| [0, 1, b'a', 0xff][self.below(4) as usize]).collect()
    }

    pub(crate) fn value(&mut self) -> Vec<u8> {
        let len = self.below(12);
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// Up to four ranges, as [`Scan::new`] accepts them.
    pub(crate) fn ranges(&mut self) -> Vec<KeyRange> {
        (0..self.below(5))
            .filter_map(|_| match self.below(4) {
                0 => Some(KeyRange::prefix(self.key())),
                1 => Some(KeyRange::point(self.key())),
                2 => Some(KeyRange::from_start(self.key())),
                _ => KeyRange::new(self.key(), Some(self.key())),
            })
            .collect()
    }

    pub(crate) fn scan(&mut self) -> Scan {
        let limit = if self.chance(3) { Some(self.below(12)) } else { None };
        let batch_rows = 1 + self.below(8) as usize;
        let scan = Scan::new(self.ranges()).reverse(self.chance(2)).limit(limit).batch_rows(batch_rows);
        if batch_rows.is_multiple_of(3) { scan.batch_bytes(5 * batch_rows) } else { scan }
    }
}
