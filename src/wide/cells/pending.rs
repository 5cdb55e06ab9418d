//! The writes of a batch while it is built, readable by the writes that follow.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::key::Kind;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Batch, Room, RowBatch, Rows};

type Puts<'m> = BTreeMap<Vec<u8>, Cow<'m, [u8]>>;

/// Puts and deletes of entries, by key. An entry is in one of the maps.
pub(super) struct Pending<'m> {
    now: i64,
    /// Entries before `now`. No write without a timestamp has to look at them.
    earlier: Puts<'m>,
    /// Entries at `now` or later.
    later: Puts<'m>,
    /// Those of them that are markers.
    deletes: BTreeSet<Vec<u8>>,
    /// Entries that are removed.
    values: BTreeSet<Vec<u8>>,
    markers: BTreeSet<Vec<u8>>,
    /// The index of the mutation being written.
    mutation: usize,
    /// The mutations that put or removed each entry, for stores in which entries can fail one by one.
    writers: Option<Writers>,
}

/// Mutations, by the entries that they put or removed.
pub(super) type Writers = BTreeMap<Vec<u8>, Vec<usize>>;

impl<'m> Pending<'m> {
    pub(super) fn new(now: i64, writers: Option<Writers>) -> Self {
        let (earlier, later) = (BTreeMap::new(), BTreeMap::new());
        let (deletes, values, markers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Self { now, earlier, later, deletes, values, markers, mutation: 0, writers }
    }

    /// The writes that follow belong to this mutation.
    pub(super) fn begin(&mut self, mutation: usize) {
        self.mutation = mutation;
    }

    fn note(&mut self, key: &[u8]) {
        if let Some(writers) = &mut self.writers {
            let of_key = writers.entry(key.to_vec()).or_default();
            if of_key.last() != Some(&self.mutation) {
                of_key.push(self.mutation);
            }
        }
    }

    pub(super) fn put(&mut self, key: Vec<u8>, at: i64, value: Cow<'m, [u8]>) {
        self.note(&key);
        self.values.remove(&key);
        self.markers.remove(&key);
        let puts = if at < self.now { &mut self.earlier } else { &mut self.later };
        puts.insert(key, value);
    }

    pub(super) fn put_delete(&mut self, key: Vec<u8>, at: i64) {
        self.deletes.insert(key.clone());
        self.put(key, at, Cow::Borrowed(&[]));
    }

    pub(super) fn drop_entry(&mut self, key: Vec<u8>, kind: Kind) {
        self.note(&key);
        self.deletes.remove(&key);
        self.earlier.remove(&key);
        self.later.remove(&key);
        if kind == Kind::Value {
            self.values.insert(key)
        } else {
            self.markers.insert(key)
        };
    }

    pub(super) fn drops(&self, key: &[u8]) -> bool {
        self.values.contains(key) || self.markers.contains(key)
    }

    /// The keys in a range that were put with a timestamp of now or later.
    pub(super) fn later_in<'p>(&'p self, range: &'p KeyRange) -> impl Iterator<Item = &'p Vec<u8>> {
        // Mostly there are none, so the map is searched for one end only.
        let since = (Bound::Included(range.start()), Bound::Unbounded);
        self.later.range::<[u8], _>(since).map(|(key, _)| key).take_while(|key| !range.ends_by(key))
    }

    /// A forward scan as it will be once the batch is written. `ranges` are the ranges it reads.
    pub(super) fn over(&self, rows: Box<dyn Rows>, ranges: &[KeyRange], batch_bytes: usize) -> Box<dyn Rows> {
        let mut writes = Vec::new();
        for range in ranges {
            let puts = [&self.earlier, &self.later].into_iter().flat_map(|puts| puts.range::<[u8], _>(range));
            writes.extend(puts.map(|(key, value)| (key.clone(), Some(value.to_vec()))));
            let dropped = [&self.values, &self.markers].into_iter().flat_map(|dropped| dropped.range::<[u8], _>(range));
            writes.extend(dropped.map(|key| (key.clone(), None)));
        }
        if writes.is_empty() {
            return rows;
        }
        writes.sort_unstable();
        Box::new(Over {
            rows,
            read: RowBatch::new(),
            at: 0,
            ended: false,
            writes: writes.into_iter().peekable(),
            batch_bytes,
        })
    }

    /// In case a store fails in between: new markers are written before the values that they hide, new entries before
    /// others are removed, and values are removed before the markers that may hide them.
    pub(super) fn into_batch(self) -> (Batch, Option<Writers>) {
        let mut batch = Batch::new();
        for key in &self.deletes {
            batch.put(key, []);
        }
        for (key, value) in self.earlier.iter().chain(&self.later).filter(|(key, _)| !self.deletes.contains(*key)) {
            batch.put(key, value);
        }
        for key in self.values.iter().chain(&self.markers) {
            batch.delete(key);
        }
        (batch, self.writers)
    }
}

type Writes = std::iter::Peekable<std::vec::IntoIter<(Vec<u8>, Option<Vec<u8>>)>>;

/// A scan, with writes applied to it.
struct Over {
    rows: Box<dyn Rows>,
    read: RowBatch,
    /// The next of the rows read.
    at: usize,
    ended: bool,
    writes: Writes,
    batch_bytes: usize,
}

impl Rows for Over {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        let mut room = Room::new(batch, usize::MAX, self.batch_bytes);
        while !room.is_full() {
            if self.at == self.read.len() && !self.ended {
                if !room.batch().is_empty() {
                    break;
                }
                self.at = 0;
                self.rows.next_batch(&mut self.read)?;
                self.ended = self.read.is_empty();
            }
            let row = self.read.get(self.at);
            let written = self.writes.next_if(|(written, _)| row.is_none_or(|(key, _)| written.as_slice() <= key));
            match (written, row) {
                (Some((key, value)), row) => {
                    self.at += usize::from(row.is_some_and(|(same, _)| *same == key));
                    value.map(|value| room.push(&key, &value));
                }
                (None, Some((key, value))) => {
                    room.push(key, value);
                    self.at += 1;
                }
                (None, None) => break,
            }
        }
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}
