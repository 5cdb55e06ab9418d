//! An engine of your own, and tables on it. (That of `rowkey::guide::your_own_engine` has counters and transactions.)
//!
//!     cargo run --example engine

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rowkey::store::*;
use rowkey::{Error, KeyRange, Result, Table, conformance};

#[derive(Clone)]
struct Tree(Arc<TableId>, Arc<Mutex<BTreeMap<Vec<u8>, Vec<u8>>>>);
fn rows(tree: &Tree) -> MutexGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
    tree.1.lock().unwrap_or_else(PoisonError::into_inner)
}

#[rustfmt::skip] // One line a method, where that is enough.
impl Readable for Tree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> { Ok(rows(self).get(key).cloned()) }
    fn scan(&self, scan: &Scan) -> Box<dyn Rows> { Box::new(RangeRows::new(scan, self.clone())) }
}

#[rustfmt::skip]
impl Store for Tree {
    fn id(&self) -> &TableId { &self.0 }
    fn options(&self) -> &CallOptions { CallOptions::none() }
    fn with_options(&self, to: &CallOptions) -> Arc<dyn Store> { Arc::new(Bounded::new(Arc::new(self.clone()), to)) }
    fn guarantees(&self) -> Guarantees { Guarantees::none().batch(Atomicity::Table) }
    fn write(&self, batch: &Batch) -> Result<()> {
        self.0.check_write().and_then(|()| batch.check_keys())?; // Nothing is written yet if one is refused.
        let mut rows = rows(self);
        batch.writes().for_each(|write| drop(match write {
            Write::Put(key, value) => rows.insert(key.to_vec(), value.to_vec()),
            Write::Delete(key) => rows.remove(key),
        }));
        Ok(())
    }
    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<()> {
        self.0.check_write().map(|()| rows(self).retain(|key, _| !ranges.iter().any(|range| range.contains(key))))
    }
    fn increment(&self, _: &[u8], _: i64) -> Result<i64> { Err(Error::Unsupported("increment")) }
    fn compare_and_write(&self, _: &[u8], _: Option<&[u8]>, _: Option<&[u8]>) -> Result<bool> { Err(Error::Unsupported("compare-and-write")) }
}

impl RangeReader for Tree {
    fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool> {
        let tree = rows(self);
        let mut rows = tree.range::<[u8], _>(rest);
        let push = |(key, value): (&Vec<u8>, &Vec<u8>)| room.push(key, value);
        Ok(!if reverse { rows.rev().all(push) } else { rows.all(push) }) // Whether there may be more.
    }
}

fn main() -> Result<()> {
    let tree = || Tree(Arc::new(DatabaseId::unique().table("")), Arc::default());
    conformance::store(tree); // In a test of yours: the laws of every store, and what this one promises.
    let squares: Table<u32, u64, _> = Table::open(SubStore::new(tree()), "squares")?;
    (0..10).try_for_each(|n| squares.put(&n, &(u64::from(n) * u64::from(n))))?;
    squares.scan(3..6).reverse().try_for_each(|row| row.map(|(n, square)| println!("{n} squared is {square}")))
}
