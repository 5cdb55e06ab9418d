//! Sorted sources into one: all contenders merge clones of the same sources.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use itertools::Itertools;
use rowkey::Error;
use rowkey::merge::{Merge, MergedRows};
use rowkey::store::{RowBatch, Rows};

use crate::keys::Values;
use crate::measure::{Bench, OURS, Work, timed};

type Row = Result<(Vec<u8>, Vec<u8>), Infallible>;
type Source = std::vec::IntoIter<Row>;

const SOURCES: usize = 16;
const HEAP: &str = "BinaryHeap, PeekMut";
const IN_TURN: &str = "one after another";

pub fn measure(bench: &mut Bench) {
    type Key = fn(&mut Values, usize) -> Vec<u8>;
    // 200 rows a source stay in a core's own cache, 1,000 do not.
    let works = [
        ("random keys", random_key as Key, 200, true),
        ("random keys", random_key, 1000, true),
        ("random keys", random_key, 1000, false),
        ("user + time", user_and_time, 1000, true),
    ];
    for (what, key, rows, keep) in works {
        let how = if keep { "kept" } else { "dropped" };
        let name = format!("merge of {SOURCES} sources of {rows} rows, {what}, {how}");
        if bench.wants(&name) {
            let rows = SOURCES * bench.size(rows);
            let sources = sources(rows, key, |values, _| values.u64() as usize % SOURCES);
            bench.measure(contenders(name, &sources, keep).goal("kmerge", 0.35).goal(HEAP, 0.5));
        }
    }

    let run = bench.size(1000);
    let runs = sources(SOURCES * bench.size(10_000), random_key, |_, i| i / run % SOURCES);
    bench.measure(
        contenders(format!("merge of {SOURCES} sources in runs of {run}, iterators of rows"), &runs, true)
            .goal(IN_TURN, 2.0),
    );
    let work = |how| {
        let rows = runs.iter().map(Vec::len).sum();
        Work::new(format!("merge of {SOURCES} sources in runs of {run}, open scans, {how}"), rows)
            .timed(IN_TURN, || over_batches(&runs, |scans| scans.into_iter().for_each(read_batches)))
            .goal(IN_TURN, 2.0)
    };
    let merged = |scans| MergedRows::new(scans).salt(1);
    bench.measure(work("batches").timed(OURS, || over_batches(&runs, |scans| read_batches(merged(scans)))));
    bench.measure(work("row by row").timed(OURS, || {
        over_batches(&runs, |scans| {
            let mut rows = merged(scans);
            while let Some((key, value)) = rows.next_row().unwrap() {
                black_box((key.first().copied(), value.first().copied()));
            }
        })
    }));
}

fn random_key(values: &mut Values, _: usize) -> Vec<u8> {
    let len = 20 + values.u64() as usize % 13;
    let mut key: Vec<u8> = (0..4).flat_map(|_| values.u64().to_be_bytes()).collect();
    key.truncate(len);
    key
}

fn user_and_time(values: &mut Values, i: usize) -> Vec<u8> {
    let mut key = random_key(values, i);
    key[..8].copy_from_slice(&(1000 + i as u64 / 500).to_be_bytes());
    key[8..16].copy_from_slice(&(1_307_097_848_000 + values.u64() % 86_400_000).to_be_bytes());
    key
}

/// Sorted keys, each after the byte of its source.
fn sources(
    rows: usize,
    key: impl Fn(&mut Values, usize) -> Vec<u8>,
    source: impl Fn(&mut Values, usize) -> usize,
) -> Vec<Vec<Row>> {
    let mut values = Values::new();
    let mut keys: Vec<_> = (0..rows).map(|i| key(&mut values, i)).collect();
    keys.sort();
    let mut sources = vec![Vec::new(); SOURCES];
    for (i, key) in keys.into_iter().enumerate() {
        let source = source(&mut values, i);
        sources[source].push(Ok(([vec![source as u8], key].concat(), vec![1; 16])));
    }
    sources
}

fn contenders(name: String, sources: &[Vec<Row>], keep: bool) -> Work<'_> {
    let rows = sources.iter().map(Vec::len).sum();
    let ours = |sources| Merge::new(sources as Vec<Source>).salt(1);
    let kmerge = |sources: Vec<Source>| sources.into_iter().kmerge_by(|a, b| body(a) < body(b));
    assert!(ours(fresh(sources)).eq(kmerge(fresh(sources))) && ours(fresh(sources)).eq(HeapMerge::new(fresh(sources))));
    Work::new(name, rows)
        .timed(OURS, over_rows(sources, keep, ours))
        .timed("kmerge", over_rows(sources, keep, kmerge))
        .timed(HEAP, over_rows(sources, keep, HeapMerge::new))
        .timed(IN_TURN, over_rows(sources, keep, |sources| sources.into_iter().flatten()))
}

/// Cloned source by source: a source's rows lie together in memory, as they arrive.
fn fresh(sources: &[Vec<Row>]) -> Vec<Source> {
    sources.iter().map(|source| source.clone().into_iter()).collect()
}

/// Rows are kept in a Vec that was filled before, so that no page of it is new, or dropped one by one.
fn over_rows<I: Iterator<Item = Row>>(
    sources: &[Vec<Row>],
    keep: bool,
    merge: impl Fn(Vec<Source>) -> I,
) -> impl FnMut() -> Duration {
    let mut kept = Vec::new();
    move || {
        let sources = fresh(sources);
        let (took, ()) = timed(|| {
            for row in merge(sources) {
                black_box(body(&row).first().copied());
                if keep {
                    kept.push(row);
                }
            }
        });
        kept.clear();
        took
    }
}

/// The key after its salt.
fn body(row: &Row) -> &[u8] {
    match row {
        Ok((key, _)) => &key[1..],
        Err(never) => match *never {},
    }
}

struct Head {
    row: Row,
    source: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        body(&other.row).cmp(body(&self.row)).then(other.source.cmp(&self.source))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

struct HeapMerge {
    heap: BinaryHeap<Head>,
    sources: Vec<Source>,
}

impl HeapMerge {
    fn new(mut sources: Vec<Source>) -> Self {
        let heads = sources.iter_mut().enumerate();
        let heap = heads.filter_map(|(source, rows)| Some(Head { row: rows.next()?, source })).collect();
        Self { heap, sources }
    }
}

impl Iterator for HeapMerge {
    type Item = Row;

    #[inline]
    fn next(&mut self) -> Option<Row> {
        let mut top = self.heap.peek_mut()?;
        Some(match self.sources[top.source].next() {
            Some(row) => std::mem::replace(&mut top.row, row),
            None => PeekMut::pop(top).row,
        })
    }
}

/// An open scan of batches that are there already.
struct Batches(std::vec::IntoIter<RowBatch>);

impl Rows for Batches {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        *batch = self.0.next().unwrap_or_default();
        Ok(())
    }
}

fn over_batches(sources: &[Vec<Row>], read: impl FnOnce(Vec<Box<dyn Rows>>)) -> Duration {
    let batch = |rows: &[Row]| {
        let mut batch = RowBatch::new();
        rows.iter().flatten().for_each(|(key, value)| batch.push(key, value));
        batch
    };
    let scan = |source: &Vec<Row>| Batches(source.chunks(256).map(batch).collect::<Vec<_>>().into_iter());
    let scans = sources.iter().map(|source| Box::new(scan(source)) as Box<dyn Rows>).collect();
    timed(|| read(scans)).0
}

/// Looks at a byte of every key and of every value of a scan, batch by batch.
pub fn read_batches(mut scan: impl Rows) {
    let mut batch = RowBatch::new();
    loop {
        scan.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            return;
        }
        batch.iter().for_each(|(key, value)| _ = black_box((key.first().copied(), value.first().copied())));
    }
}
