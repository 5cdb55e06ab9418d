//! All rows that there are, where what is written are versions of them.

use super::rows::{Kind, Row, Rows};
use super::versions::Among;

/// All rows that there are.
#[derive(Debug)]
pub(crate) struct All {
    /// A sample of them, in the order of their keys, each of which stands for so many.
    rows: Rows,
    each: u32,
}

impl All {
    /// The rows with these keys, which come in their order. Each stands for `count`.
    pub(crate) fn new(keys: &[Vec<u8>], count: u64) -> Self {
        let each = u32::try_from(count).unwrap_or(u32::MAX);
        let mut rows = Rows::default();
        keys.iter().for_each(|key| rows.push(key, Row { kind: Kind::Put, count: each, bytes: 0, t_s: 0 }));
        Self { rows, each }
    }

    /// The number of those between two keys.
    pub(crate) fn rows(&self, start: &[u8], end: Option<&[u8]>) -> u64 {
        let from = self.rows.rank(start, 0..self.rows.len());
        let to = end.map_or(self.rows.len(), |end| self.rows.rank(end, from..self.rows.len()));
        self.rows.counts(from..to).puts
    }

    /// Those between two keys, of which a memstore or files have versions.
    pub(crate) fn among(&self, start: &[u8], end: Option<&[u8]>, is_flush: bool) -> Among {
        Among { rows: self.rows(start, end) as f64, each: self.each, is_flush }
    }
}
