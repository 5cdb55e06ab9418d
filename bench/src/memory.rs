//! `Memory` beside the trees that could be used directly: imbl, which it is built of, and two without snapshots.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use crossbeam_skiplist::SkipMap;
use imbl::OrdMap;
use rowkey::Memory;
use rowkey::store::{Batch, Database, Readable, RowBatch, Rows, Scan, Store};

use crate::measure::{Bench, Goal, Line, OURS, Work, timed};

pub const IMBL: &str = "imbl, Arc";
const IMBL_VEC: &str = "imbl, Vec";
const BTREE: &str = "BTreeMap";
const SKIPLIST: &str = "crossbeam-skiplist";

/// What a row is beside its overhead: a key of 16 bytes, a value of 32.
const ROW: f64 = 48.0;

type Direct = OrdMap<Arc<[u8]>, Arc<[u8]>>;

/// A tree of rows that are known by number.
pub trait Tree {
    fn put(&mut self, row: u64);
    fn find(&self, row: u64) -> Option<Vec<u8>>;
    /// Looks at a byte of each key and of each value.
    fn walk(&self) -> u64;
}

/// The key of a row: random, and no other's.
pub fn key(row: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&mix(row).to_be_bytes());
    key[8..].copy_from_slice(&row.to_be_bytes());
    key
}

fn value(row: u64) -> [u8; 32] {
    [row as u8; 32]
}

/// splitmix64.
pub fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

fn look(sum: u64, (key, value): (&[u8], &[u8])) -> u64 {
    sum.wrapping_add(u64::from(key[0]) + u64::from(value[0]) + value.len() as u64)
}

impl Tree for Arc<dyn Store> {
    fn put(&mut self, row: u64) {
        put(&**self, row);
    }

    fn find(&self, row: u64) -> Option<Vec<u8>> {
        Readable::get(&**self, &key(row)).unwrap()
    }

    fn walk(&self) -> u64 {
        let mut rows = Readable::scan(&**self, &Scan::all());
        let mut batch = RowBatch::new();
        let mut sum = 0;
        loop {
            rows.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                return sum;
            }
            sum = batch.iter().fold(sum, look);
        }
    }
}

fn put(store: &dyn Store, row: u64) {
    store.write(Batch::new().put(key(row), value(row))).unwrap();
}

/// The maps of std's shape.
macro_rules! maps {
    ($($map:ty, $bytes:ty;)*) => {$(
        impl Tree for $map {
            fn put(&mut self, row: u64) {
                self.insert(<$bytes>::from(&key(row)[..]), <$bytes>::from(&value(row)[..]));
            }

            fn find(&self, row: u64) -> Option<Vec<u8>> {
                <$map>::get(self, &key(row)[..]).map(|value| value.to_vec())
            }

            fn walk(&self) -> u64 {
                self.iter().fold(0, |sum, (key, value)| look(sum, (key, value)))
            }
        }
    )*};
}
maps! {
    Direct, Arc<[u8]>;
    OrdMap<Vec<u8>, Vec<u8>>, Vec<u8>;
    BTreeMap<Vec<u8>, Vec<u8>>, Vec<u8>;
}

impl Tree for SkipMap<Vec<u8>, Vec<u8>> {
    fn put(&mut self, row: u64) {
        self.insert(key(row).to_vec(), value(row).to_vec());
    }

    fn find(&self, row: u64) -> Option<Vec<u8>> {
        SkipMap::get(self, &key(row)[..]).map(|entry| entry.value().clone())
    }

    fn walk(&self) -> u64 {
        self.iter().fold(0, |sum, entry| look(sum, (entry.key(), entry.value())))
    }
}

/// An empty tree.
fn empty(who: &str) -> Box<dyn Tree> {
    match who {
        OURS => Box::new(table()),
        IMBL => Box::new(Direct::new()),
        IMBL_VEC => Box::new(OrdMap::<Vec<u8>, Vec<u8>>::new()),
        BTREE => Box::new(BTreeMap::<Vec<u8>, Vec<u8>>::new()),
        _ => Box::new(SkipMap::<Vec<u8>, Vec<u8>>::new()),
    }
}

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").unwrap()
}

fn filled(who: &str, rows: usize) -> Box<dyn Tree> {
    let mut tree = empty(who);
    (0..rows as u64).for_each(|row| tree.put(row));
    tree
}

const ALL: [&str; 5] = [OURS, IMBL, IMBL_VEC, BTREE, SKIPLIST];

pub fn measure(bench: &mut Bench) -> Result<()> {
    bytes_a_row(bench)?;
    scans(bench);
    let few = bench.size(200_000);
    inserts(bench, few);
    gets(bench, few);
    into_many(bench);
    under_a_writer(bench);
    Ok(())
}

fn bytes_a_row(bench: &mut Bench) -> Result<()> {
    let work = "Memory: bytes a row beyond key and value";
    if !bench.wants(work) {
        return Ok(());
    }
    let rows = bench.size(1_000_000);
    let costs = ALL.map(|who| Ok((who, resident_in_a_child(who, rows)? / rows as f64 - ROW)));
    let costs: Vec<_> = costs.into_iter().collect::<Result<_>>()?;
    let mut lines = Vec::new();
    let ours = costs[0].1;
    for &(who, bytes) in &costs {
        let line = Line { work: work.into(), who: who.into(), x: None, ns: None, bytes: Some(bytes), goal: None };
        if who == OURS {
            let goals = costs.iter().filter(|(who, _)| [IMBL, IMBL_VEC].contains(who));
            lines.extend(
                goals.map(|(against, theirs)| Line {
                    goal: Some(Goal::new(*against, 1.0, ours / theirs)),
                    ..line.clone()
                }),
            );
        } else {
            lines.push(line);
        }
    }
    bench.report(lines);
    Ok(())
}

/// Each tree in a process of its own, by what the process grows: what malloc keeps for itself counts, as it does for a
/// user, and no allocator that counts slows the other works down.
fn resident_in_a_child(who: &str, rows: usize) -> Result<f64> {
    let child = Command::new(std::env::current_exe()?).args(["resident", who, &rows.to_string()]).output()?;
    let bytes = String::from_utf8(child.stdout)?;
    bytes.trim().parse().with_context(|| format!("{who}: {bytes}{}", String::from_utf8_lossy(&child.stderr)))
}

/// What the child does.
pub fn print_resident(who: &str, rows: usize) -> Result<()> {
    let resident = || memory_stats::memory_stats().context("no memory statistics here");
    drop(filled(who, 16));
    let before = resident()?.physical_mem;
    let tree = filled(who, rows);
    println!("{}", resident()?.physical_mem.saturating_sub(before));
    drop(black_box(tree));
    Ok(())
}

fn scans(bench: &mut Bench) {
    let name = "Memory: scan of 1 M rows through dyn Store";
    if !bench.wants(name) {
        return;
    }
    let rows = bench.size(1_000_000);
    let work = ALL.into_iter().fold(Work::new(name, rows), |work, who| {
        let tree = filled(who, rows);
        work.run(who, move || tree.walk())
    });
    bench.measure(work.goal(IMBL, 1.3));
}

fn inserts(bench: &mut Bench, rows: usize) {
    let work = ALL.into_iter().fold(Work::new("Memory: insert of 200 k random keys", rows), |work, who| {
        work.timed(who, move || timed(|| filled(who, rows)).0)
    });
    bench.measure(work.goal(IMBL, 1.3));
}

fn gets(bench: &mut Bench, rows: usize) {
    let name = "Memory: get of 200 k random keys";
    if !bench.wants(name) {
        return;
    }
    let work = ALL.into_iter().fold(Work::new(name, rows), |work, who| {
        let tree = filled(who, rows);
        work.run(who, move || (0..rows as u64).for_each(|row| _ = black_box(tree.find(mix(row) % rows as u64))))
    });
    bench.measure(work.goal(IMBL, 1.3));
}

/// New rows into a million.
fn into_many(bench: &mut Bench) {
    const BATCH: &str = "Memory: batch of 1,000 into 1 M rows";
    const EACH: &str = "Memory: insert, a snapshot opened before each";
    const HELD: &str = "Memory: insert, one snapshot held";
    if ![BATCH, EACH, HELD].iter().any(|name| bench.wants(name)) {
        return;
    }
    let rows = bench.size(1_000_000);
    let mut ours = table();
    let mut imbl = Direct::new();
    for row in 0..rows as u64 {
        ours.put(row);
        imbl.put(row);
    }
    let (mut ours_rows, mut imbl_rows) = (rows as u64.., rows as u64..);
    bench.measure(
        Work::new(BATCH, 1000)
            .run(OURS, || {
                let mut batch = Batch::new();
                ours_rows.by_ref().take(1000).for_each(|row| _ = batch.put(key(row), value(row)));
                ours.write(&batch).unwrap();
            })
            .run(IMBL, || imbl_rows.by_ref().take(1000).for_each(|row| imbl.put(row)))
            .goal(IMBL, 1.3),
    );
    let few = bench.size(5000);
    bench.measure(
        Work::new(EACH, few)
            .run(OURS, || {
                for row in ours_rows.by_ref().take(few) {
                    let snapshot = Readable::scan(&*ours, &Scan::all());
                    put(&*ours, row);
                    drop(snapshot);
                }
            })
            .run(IMBL, || {
                for row in imbl_rows.by_ref().take(few) {
                    let snapshot = imbl.clone();
                    imbl.put(row);
                    drop(snapshot);
                }
            })
            .goal(IMBL, 1.3),
    );
    let many = bench.size(20_000);
    bench.measure(
        Work::new(HELD, many)
            .timed(OURS, || {
                let snapshot = Readable::scan(&*ours, &Scan::all());
                let (took, ()) = timed(|| ours_rows.by_ref().take(many).for_each(|row| put(&*ours, row)));
                drop(snapshot);
                took
            })
            .timed(IMBL, || {
                let snapshot = imbl.clone();
                let (took, ()) = timed(|| imbl_rows.by_ref().take(many).for_each(|row| imbl.put(row)));
                drop(snapshot);
                took
            })
            .goal(IMBL, 1.3),
    );
}

/// Scans while a thread overwrites rows, beside the same scans in peace; imbl in a lock for comparison. On the
/// wall's clock, as a scan may have to wait for the writer.
fn under_a_writer(bench: &mut Bench) {
    const IDLE: &str = "rowkey, idle";
    let works = [
        ("Memory: scan of 1 M rows, a put every millisecond", Some(Duration::from_millis(1))),
        ("Memory: scan of 1 M rows, puts without pause", None),
    ];
    if !works.iter().any(|(name, _)| bench.wants(name)) {
        return;
    }
    let rows = bench.size(1_000_000);
    let mut ours = table();
    (0..rows as u64).for_each(|row| ours.put(row));
    let mut imbl = Direct::new();
    (0..rows as u64).for_each(|row| imbl.put(row));
    let imbl = RwLock::new(imbl);
    let snapshot = || imbl.read().unwrap().clone();
    for (name, pause) in works {
        let write_ours = |row| put(&*ours, row % rows as u64);
        let write_imbl = |row| imbl.write().unwrap().put(row % rows as u64);
        bench.measure(
            Work::new(name, rows)
                .timed(OURS, || beside(&write_ours, pause, || ours.walk()))
                .timed(IDLE, || waited(|| ours.walk()))
                .timed("imbl, Arc, the same", || beside(&write_imbl, pause, || snapshot().walk()))
                .timed("imbl, Arc, idle", || waited(|| snapshot().walk()))
                .goal(IDLE, 1.3),
        );
    }
}

/// How long something takes while a thread writes.
fn beside(write: &(impl Fn(u64) + Sync), pause: Option<Duration>, run: impl FnOnce() -> u64) -> Duration {
    let (writing, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            for row in 0.. {
                if done.load(Relaxed) {
                    return;
                }
                write(mix(row));
                writing.store(true, Relaxed);
                if let Some(pause) = pause {
                    thread::sleep(pause);
                }
            }
        });
        while !writing.load(Relaxed) {
            thread::yield_now();
        }
        let took = waited(run);
        done.store(true, Relaxed);
        took
    })
}

fn waited(run: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}
