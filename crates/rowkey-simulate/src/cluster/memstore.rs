//! A region's memstore.

use super::constants::{CELL_OBJECT, EMPTY_MEMSTORE, HEAP_ALIGN, SKIPLIST_ENTRY};
use super::merge::{joined, merged, sorted};
use super::rows::{Counts, Kind, Part, Row, Rows};
use super::versions::Keep;

/// Rows that are in memory alone.
#[derive(Debug)]
pub(crate) struct Memstore {
    /// Rows in the order in which they were written.
    tail: Rows,
    /// Older rows, in parts of [`RUN`] that are each in order.
    runs: Vec<Rows>,
    /// Still older rows, in parts that a scan has put in order.
    sorted: Vec<Rows>,
    pub(crate) heap: u64,
    pub(crate) puts: u64,
    /// The rows that a scan of all reads.
    pub(crate) scanned: u64,
    /// The bytes of the rows in a file.
    pub(crate) bytes: u64,
    /// The time of its oldest row, in milliseconds.
    pub(crate) oldest_ms: Option<u64>,
}

impl Default for Memstore {
    fn default() -> Self {
        let (tail, runs, sorted) = (Rows::default(), Vec::new(), Vec::new());
        Self { tail, runs, sorted, heap: EMPTY_MEMSTORE, puts: 0, scanned: 0, bytes: 0, oldest_ms: None }
    }
}

/// The rows that are put in order together: what they take fits the cache of a processor.
const RUN: usize = 8192;

/// The bytes of heap of a row of so many cells.
pub(crate) fn heap_of_row(bytes: u64, cells: u64) -> u64 {
    let cell = (bytes / cells.max(1)).saturating_add(CELL_OBJECT).saturating_add(HEAP_ALIGN - 1) / HEAP_ALIGN;
    cell.saturating_mul(HEAP_ALIGN).saturating_add(SKIPLIST_ENTRY).saturating_mul(cells)
}

impl Memstore {
    /// Adds rows that take so many bytes of heap each.
    pub(crate) fn push(&mut self, key: &[u8], row: Row, heap: u64, now_ms: u64) {
        let count = u64::from(row.count);
        self.tail.push(key, row);
        if self.tail.len() >= RUN {
            self.end_run();
        }
        if row.kind == Kind::Put {
            self.puts += count;
        }
        self.scanned += count;
        self.heap = self.heap.saturating_add(heap.saturating_mul(count));
        self.bytes = self.bytes.saturating_add(count * u64::from(row.bytes));
        self.oldest_ms.get_or_insert(now_ms);
    }

    /// The sums of its rows.
    pub(crate) fn counts(&self) -> Counts {
        let deletes = self.scanned - self.puts;
        Counts { puts: self.puts, tombstones: deletes, hidden: deletes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tail.is_empty() && self.runs.is_empty() && self.sorted.is_empty()
    }

    /// Puts the newest rows in order.
    fn end_run(&mut self) {
        if !self.tail.is_empty() {
            self.runs.push(sorted(&self.tail));
            self.tail.clear();
        }
    }

    /// The rows in parts that are each in order. What is deleted by a later row stays.
    pub(crate) fn sorted(&mut self) -> &[Rows] {
        self.end_run();
        if !self.runs.is_empty() {
            self.sorted.push(all(&std::mem::take(&mut self.runs)));
            // Each part is at least twice as long as the next, so that a row is put in order a logarithm of times.
            while let [.., older, newer] = &self.sorted[..]
                && older.len() < newer.len() * 2
            {
                let both = all([older, newer]);
                self.sorted.truncate(self.sorted.len() - 2);
                self.sorted.push(both);
            }
        }
        &self.sorted
    }

    /// The rows that a flush writes.
    pub(crate) fn flushed(mut self, keep: Keep) -> Rows {
        self.end_run();
        let parts: Vec<_> = self.sorted.iter().chain(&self.runs).map(whole).collect();
        merged(&parts, keep)
    }
}

fn all<'r>(rows: impl IntoIterator<Item = &'r Rows>) -> Rows {
    let parts: Vec<_> = rows.into_iter().map(whole).collect();
    joined(&parts, |_| true)
}

fn whole(rows: &Rows) -> Part<'_> {
    (rows, 0..rows.len())
}

#[cfg(test)]
mod tests {
    use super::{Memstore, heap_of_row};
    use crate::cluster::rows::{Kind, Row};
    use crate::cluster::versions::Keep;

    const ALL: Keep = Keep { since_s: 0, drops_tombstones: false, versions: None, among: None };

    /// A row of 246 bytes: 24 of the key, 2 of family and qualifier, 200 of the value, 20 of the rest.
    #[test]
    fn a_row_costs_what_hbase_counts() {
        assert_eq!(heap_of_row(246, 1), 320);
        assert_eq!(heap_of_row(1 << 40, 0), 0);
        assert_eq!(heap_of_row(u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn scans_between_writes_change_no_flush() {
        let row = |n: u32| Row { kind: Kind::Put, count: 1, bytes: n, t_s: n };
        let fill = |scans: bool| {
            let mut memstore = Memstore::default();
            for n in 0..1000_u32 {
                memstore.push(&(n * 7919 % 101).to_be_bytes(), row(n), 320, 0);
                if scans && n % 3 == 0 {
                    let parts = memstore.sorted();
                    assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), n as usize + 1);
                    assert!(parts.len() <= 11, "{}", parts.len());
                }
            }
            let rows = memstore.flushed(ALL);
            (0..rows.len()).map(|at| (rows.key(at).to_vec(), *rows.row(at))).collect::<Vec<_>>()
        };
        assert_eq!(fill(false), fill(true));
        assert!(fill(false).is_sorted_by_key(|(key, row)| (key.clone(), row.t_s)));
    }
}
