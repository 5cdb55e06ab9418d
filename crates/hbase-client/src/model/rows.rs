//! Rows of one response, in the memory that it came in.

use std::iter::FusedIterator;

use bytes::Bytes;

use super::cell::Cell;
use super::row::{Row, RowRef};

/// The rows of one response of a scan. They stay in the memory that it came in: [`iter`](Self::iter) lends them, and
/// as an iterator of their own they are taken one by one.
///
/// ```no_run
/// # async fn all(mut scanner: hbase_client::Scanner) -> hbase_client::Result<()> {
/// while let Some(rows) = scanner.next_batch().await? {
///     for row in rows.iter() {
///         println!("{:?} has {} cells", row.key(), row.len());
///     }
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rows(Held);

#[derive(Clone, Debug)]
enum Held {
    /// One row after the other.
    Block {
        bytes: Bytes,
        ends: Vec<End>,
    },
    Apart(Vec<Row>),
}

/// The end of a row in a block, where the next one begins.
#[derive(Clone, Copy, Debug)]
struct End {
    at: usize,
    cells: usize,
}

impl Default for Held {
    fn default() -> Self {
        Self::Apart(Vec::new())
    }
}

impl Rows {
    /// The rows of a block. `cells` are their numbers of cells; `None` if the block has others, or broken ones.
    pub(crate) fn of_block(bytes: Bytes, cells: impl ExactSizeIterator<Item = usize>) -> Option<Self> {
        let mut ends = Vec::with_capacity(cells.len());
        let mut at = 0;
        for cells in cells {
            at += Cell::row_length(bytes.get(at..)?, cells)?;
            ends.push(End { at, cells });
        }
        (at == bytes.len()).then_some(Self(Held::Block { bytes, ends }))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            Held::Block { ends, .. } => ends.len(),
            Held::Apart(rows) => rows.len(),
        }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at a place, from 0 on.
    #[inline]
    pub fn get(&self, index: usize) -> Option<RowRef<'_>> {
        match &self.0 {
            Held::Block { bytes, ends } => {
                let (start, end) = Self::span(ends, index)?;
                Some(RowRef { bytes: bytes.get(start..end.at)?, cells: end.cells })
            }
            Held::Apart(rows) => rows.get(index).map(Row::as_ref),
        }
    }

    /// The rows, lent.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = RowRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    fn span(ends: &[End], index: usize) -> Option<(usize, End)> {
        let end = ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| end.at);
        Some((start, *end))
    }

    /// Takes a row.
    fn take(&mut self, index: usize) -> Option<Row> {
        match &mut self.0 {
            Held::Block { bytes, ends } => {
                let (start, end) = Self::span(ends, index)?;
                Some(Row::new(bytes.slice(start..end.at), end.cells))
            }
            Held::Apart(rows) => rows.get_mut(index).map(std::mem::take),
        }
    }
}

impl From<Vec<Row>> for Rows {
    fn from(rows: Vec<Row>) -> Self {
        Self(Held::Apart(rows))
    }
}

impl IntoIterator for Rows {
    type Item = Row;
    type IntoIter = RowsIntoIter;

    fn into_iter(self) -> RowsIntoIter {
        RowsIntoIter { rows: self, next: 0 }
    }
}

/// The rows of a response, taken one by one.
#[derive(Clone, Debug, Default)]
pub struct RowsIntoIter {
    rows: Rows,
    next: usize,
}

impl Iterator for RowsIntoIter {
    type Item = Row;

    #[inline]
    fn next(&mut self) -> Option<Row> {
        let row = self.rows.take(self.next)?;
        self.next += 1;
        Some(row)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rows.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for RowsIntoIter {}
impl FusedIterator for RowsIntoIter {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cell::Parts;

    /// A block of rows with keys of one letter, and as many cells as in `cells`.
    fn block(cells: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (row, cells) in (b'a'..).zip(cells) {
            for value in 0..*cells as u8 {
                let parts =
                    Parts { row: &[row], family: b"f", qualifier: b"q", timestamp: 1, kind: 4, value: &[value] };
                parts.write(&mut bytes).unwrap();
            }
        }
        bytes
    }

    #[test]
    fn rows_are_lent_and_taken_alike() {
        let cells = [2, 1, 3];
        let rows = Rows::of_block(block(&cells).into(), cells.into_iter()).unwrap();
        let apart = Rows::from(rows.clone().into_iter().collect::<Vec<_>>());
        for rows in [rows, apart] {
            let told = |row: RowRef<'_>| (row.key().to_vec(), row.len(), row.cells().last().unwrap().value().to_vec());
            let lent: Vec<_> = rows.iter().map(told).collect();
            assert_eq!(lent, [(b"a".to_vec(), 2, vec![1]), (b"b".to_vec(), 1, vec![0]), (b"c".to_vec(), 3, vec![2])]);
            assert!(rows.get(3).is_none());
            let mut taken = rows.into_iter();
            assert_eq!(taken.len(), 3);
            assert_eq!(taken.by_ref().map(|row| told(row.as_ref())).collect::<Vec<_>>(), lent);
            assert!(taken.next().is_none());
        }
    }

    #[test]
    fn a_block_that_is_not_what_is_told_is_none() {
        let bytes = block(&[2, 1]);
        for cells in [&[2][..], &[1, 1], &[2, 2], &[3], &[1, 2], &[]] {
            assert!(Rows::of_block(bytes.clone().into(), cells.iter().copied()).is_none(), "{cells:?}");
        }
        for end in 0..bytes.len() {
            assert!(Rows::of_block(bytes[..end].to_vec().into(), [2, 1].into_iter()).is_none(), "{end}");
        }
        assert!(Rows::of_block(Bytes::new(), [].into_iter()).is_some_and(|rows| rows.is_empty()));
    }
}
