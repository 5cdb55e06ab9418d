//! Rows as a memstore and files have them: keys one after the other in one piece of memory.

use std::ops::Range;
use std::sync::OnceLock;

use super::head::head;

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
    /// The sums before each [`STRIDE`] of them, and the heads of their first keys.
    sums: OnceLock<Vec<Counts>>,
    heads: OnceLock<Vec<u128>>,
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
        (self.sums, self.heads) = <_>::default();
    }

    /// The place within a range of the first row with this key or a greater one; they have to be in order.
    pub(crate) fn rank(&self, key: &[u8], within: Range<usize>) -> usize {
        let strides = within.start.div_ceil(STRIDE)..within.end / STRIDE;
        if strides.len() < STRIDE {
            return self.rank_among(key, within);
        }
        let heads = self.heads.get_or_init(|| (0..self.len()).step_by(STRIDE).map(|at| head(self.key(at))).collect());
        // Of most keys the head decides.
        let (first, key_head) = (strides.start, head(key));
        let before = first + heads[strides.clone()].partition_point(|head| *head < key_head);
        let until = before + heads[before..strides.end].partition_point(|head| *head == key_head);
        let from = if before == first { within.start } else { (before - 1) * STRIDE };
        let to = if until == strides.end { within.end } else { until * STRIDE };
        self.rank_among(key, from..to)
    }

    fn rank_among(&self, key: &[u8], within: Range<usize>) -> usize {
        let (mut low, mut high) = (within.start, within.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle) < key { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The same as [`rank`](Self::rank), in less time where the row is near the begin of the range.
    pub(crate) fn rank_near(&self, key: &[u8], within: Range<usize>) -> usize {
        let (mut from, mut step) = (within.start, 1);
        while from + step < within.end {
            if self.key(from + step - 1) >= key {
                return self.rank_among(key, from..from + step);
            }
            (from, step) = (from + step, step * 4);
        }
        self.rank(key, from..within.end)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kind, Row, Rows};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ranks_are_those_of_the_keys(
            mut keys in prop::collection::vec(prop::collection::vec(0_u8..3, 0..20), 1..900),
            wanted in prop::collection::vec(prop::collection::vec(0_u8..3, 0..20), 20),
            (from, to) in (0.0..1.0, 0.0..1.0),
        ) {
            keys.sort();
            let mut rows = Rows::default();
            keys.iter().for_each(|key| rows.push(key, Row { kind: Kind::Put, count: 1, bytes: 1, t_s: 0 }));
            let [from, to] = [from, to].map(|part: f64| (part * keys.len() as f64) as usize);
            let within = from.min(to)..from.max(to);
            for key in wanted.iter().chain(&keys) {
                let expected = within.start + keys[within.clone()].partition_point(|other| other < key);
                prop_assert_eq!(rows.rank(key, within.clone()), expected);
                prop_assert_eq!(rows.rank_near(key, within.clone()), expected);
            }
        }
    }
}
