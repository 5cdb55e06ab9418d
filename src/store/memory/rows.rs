//! Rows in memory, and scans of them.

use std::borrow::Borrow;
use std::hint::black_box;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use imbl::OrdSet;

use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Batch, RangeReader, Room, Write};

pub(super) fn apply(rows: &mut OrdSet<Row>, batch: &Batch) {
    for write in batch.writes() {
        match write {
            Write::Put(key, value) => rows.insert(Row::new(key, value)),
            Write::Delete(key) => rows.remove(key),
        };
    }
}

/// A key and its value in one allocation: one cache miss to read a row in a scan, and one reference count to raise when
/// a node is copied.
#[derive(Clone)]
pub(super) struct Row {
    bytes: Arc<[u8]>,
    key_len: usize,
}

impl Row {
    pub(super) fn new(key: &[u8], value: &[u8]) -> Self {
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, key.len() + value.len()).collect();
        let (key_bytes, value_bytes) = Arc::make_mut(&mut bytes).split_at_mut(key.len());
        key_bytes.copy_from_slice(key);
        value_bytes.copy_from_slice(value);
        Self { bytes, key_len: key.len() }
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.bytes[..self.key_len]
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.bytes[self.key_len..]
    }
}

impl Borrow<[u8]> for Row {
    fn borrow(&self) -> &[u8] {
        self.key()
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(other.key())
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Row {}

/// The reader of a scan: the snapshot it was opened on.
pub(super) struct Reader(pub(super) OrdSet<Row>);

/// Searches the tree for each batch, and keeps no pointer into it in between.
impl RangeReader for Reader {
    fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error> {
        let (mut start, mut end) = (rest.start_bound(), rest.end_bound());
        let few = room.rows() <= GROUP;
        if few {
            // For few rows, checking each against the end is faster than a second search of the tree.
            *(if reverse { &mut start } else { &mut end }) = Bound::Unbounded;
        }
        let mut found = self.0.range::<_, [u8]>((start, end));
        let mut group = [None; GROUP];
        loop {
            let group = &mut group[..room.rows().min(GROUP)];
            group.fill_with(|| if reverse { found.next_back() } else { found.next() });
            // Rows are scattered in memory. Touching a group of them first lets the processor fetch them together;
            // copying one by one would wait for each.
            for row in group.iter().flatten() {
                black_box(row.bytes.first().copied());
            }
            for row in group {
                let Some(row) = row.filter(|row| !few || rest.contains(row.key())) else { return Ok(false) };
                if !room.push(row.key(), row.value()) {
                    return Ok(true);
                }
            }
        }
    }
}

/// Number of rows fetched together.
const GROUP: usize = 32;
