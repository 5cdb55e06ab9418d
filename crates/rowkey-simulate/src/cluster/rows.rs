//! Rows as a memstore and files have them: keys one after the other in one piece of memory.

use std::ops::Range;
use std::sync::OnceLock;

/// The meaning of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Rows that were written.
    Put,
    /// A delete of what is older.
    Tombstone,
    /// A delete whose rows are gone from here; others may be in files.
    Spent,
}

/// A put or delete of a key, and how many rows it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) count: u32,
    /// The bytes of one of the rows in a block.
    pub(crate) bytes: u32,
    /// The time of its write, in seconds.
    pub(crate) t_s: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The place at which its key ends.
    end: usize,
    row: Row,
}

/// Rows, in the order in which they were written, or of their keys.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    keys: Vec<u8>,
    entries: Vec<Entry>,
    sums: OnceLock<Vec<Counts>>,
}

/// Some of the rows.
pub(crate) type Part<'r> = (&'r Rows, Range<usize>);

/// Sums of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) puts: u64,
    pub(crate) tombstones: u64,
    /// The puts that the tombstones hide.
    pub(crate) hidden: u64,
}

impl Counts {
    fn add(&mut self, row: &Row) {
        let count = u64::from(row.count);
        match row.kind {
            Kind::Put => self.puts += count,
            Kind::Tombstone => {
                self.tombstones += count;
                self.hidden += count;
            }
            Kind::Spent => self.tombstones += count,
        }
    }

    /// The sum of two.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            puts: self.puts + other.puts,
            tombstones: self.tombstones + other.tombstones,
            hidden: self.hidden + other.hidden,
        }
    }

    /// The sums between two places.
    fn minus(self, before: Self) -> Self {
        Self {
            puts: self.puts - before.puts,
            tombstones: self.tombstones - before.tombstones,
            hidden: self.hidden - before.hidden,
        }
    }

    /// The rows that a scan returns, at least.
    pub(crate) fn live(self) -> u64 {
        self.puts.saturating_sub(self.hidden)
    }

    /// The rows that a scan reads.
    pub(crate) fn scanned(self) -> u64 {
        self.puts + self.tombstones
    }
}

/// The entries between two of the stored sums.
const STRIDE: usize = 16;

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a row at the end.
    pub(crate) fn push(&mut self, key: &[u8], row: Row) {
        self.keys.extend_from_slice(key);
        self.entries.push(Entry { end: self.keys.len(), row });
    }

    /// Makes room for all rows of these parts.
    pub(crate) fn reserve(&mut self, parts: &[Part<'_>]) {
        self.entries.reserve_exact(parts.iter().map(|(_, range)| range.len()).sum());
        let keys = parts.iter().filter(|(_, range)| !range.is_empty());
        self.keys.reserve_exact(keys.map(|(rows, range)| rows.start(range.end) - rows.start(range.start)).sum());
    }

    /// Gives back the room that is not used, if it is much.
    pub(crate) fn fit(&mut self) {
        if self.entries.len() < self.entries.capacity() / 4 * 3 {
            self.entries.shrink_to_fit();
            self.keys.shrink_to_fit();
        }
    }

    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.entries[before].end)
    }

    pub(crate) fn key(&self, at: usize) -> &[u8] {
        &self.keys[self.start(at)..self.entries[at].end]
    }

    pub(crate) fn row(&self, at: usize) -> &Row {
        &self.entries[at].row
    }

    /// The rows at these places.
    pub(crate) fn rows(&self, range: Range<usize>) -> impl Iterator<Item = &Row> {
        self.entries[range].iter().map(|entry| &entry.row)
    }

    /// Removes all rows, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.entries.clear();
        self.sums = OnceLock::new();
    }

    /// The place within a range of the first row with this key or a greater one; they have to be in order.
    pub(crate) fn rank(&self, key: &[u8], within: Range<usize>) -> usize {
        let (mut low, mut high) = (within.start, within.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle) < key { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The sums of a range of places.
    pub(crate) fn counts(&self, range: Range<usize>) -> Counts {
        if range.is_empty() {
            return Counts::default();
        }
        self.before(range.end).minus(self.before(range.start))
    }

    fn before(&self, at: usize) -> Counts {
        let sums = self.sums.get_or_init(|| {
            let mut sum = Counts::default();
            let chunks = self.entries.chunks(STRIDE).map(|entries| {
                let before = sum;
                entries.iter().for_each(|entry| sum.add(&entry.row));
                before
            });
            let mut sums: Vec<_> = chunks.collect();
            sums.push(sum);
            sums
        });
        let stride = at / STRIDE;
        let mut sum = sums[stride];
        self.entries[stride * STRIDE..at].iter().for_each(|entry| sum.add(&entry.row));
        sum
    }
}
