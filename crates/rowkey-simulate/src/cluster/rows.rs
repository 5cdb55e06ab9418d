//! Rows as a memstore and files have them: keys one after the other in one piece of memory.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// What stands for rows of one key.
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
    /// When it was written, in seconds.
    pub(crate) t_s: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where its key ends.
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

/// How much stands before a place.
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

    /// What stands between two places.
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
const STRIDE: usize = 64;

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

    /// Adds a part of others at the end.
    pub(crate) fn extend(&mut self, other: &Self, range: Range<usize>) {
        let from = other.start(range.start);
        let to = if range.is_empty() { from } else { other.start(range.end) };
        let base = self.keys.len();
        self.keys.extend_from_slice(&other.keys[from..to]);
        let entries = &other.entries[range];
        self.entries.extend(entries.iter().map(|entry| Entry { end: entry.end - from + base, row: entry.row }));
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

    /// The number of rows with keys before this one; they have to be in order.
    pub(crate) fn rank(&self, key: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle) < key { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// What stands in a range of places.
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

    /// The places of the rows in the order of their keys, of one key the oldest first.
    pub(crate) fn order(&self) -> Vec<usize> {
        let shared = self.shared_prefix();
        let mut order: Vec<(u64, usize)> = (0..self.len()).map(|at| (head(&self.key(at)[shared..]), at)).collect();
        // A stable sort: it finds the runs of files, which are in order already.
        order.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.compare_tails(a.1, b.1, shared)));
        order.into_iter().map(|(_, at)| at).collect()
    }

    fn compare_tails(&self, a: usize, b: usize, shared: usize) -> Ordering {
        self.key(a)[shared..].cmp(&self.key(b)[shared..])
    }

    /// The number of bytes with which all keys begin.
    fn shared_prefix(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        let first = self.key(0);
        (1..self.len()).fold(first.len(), |shared, at| {
            let key = self.key(at);
            if key.get(..shared) == Some(&first[..shared]) {
                return shared;
            }
            first[..shared].iter().zip(key).take_while(|(a, b)| a == b).count()
        })
    }
}

/// The first eight bytes as a number that compares as they do.
fn head(bytes: &[u8]) -> u64 {
    let mut head = [0; 8];
    let len = bytes.len().min(8);
    head[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(head)
}
