//! Rows that were read: their cells, by column.

use std::fmt;
use std::iter::FusedIterator;

use bytes::{Bytes, BytesMut};

use crate::model::cell::{Cell, Parts};
use crate::model::error::CallFault;
use crate::model::names::{RowKey, Wrong};
use crate::model::region::readable;
use crate::pb;

/// The reason why a row key is invalid.
pub(crate) fn wrong_key(key: &[u8]) -> Option<Wrong> {
    RowKey::new(key).err()
}

/// The cells of a row, or of a part of it, in their order. The bytes are those that came from the server; clones share
/// them.
#[derive(Clone, PartialEq, Eq, Default)]
#[doc(alias = "Result")]
pub struct Row {
    bytes: Bytes,
    cells: usize,
}

/// A [`Row`] that is lent.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowRef<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) cells: usize,
}

impl<'a> RowRef<'a> {
    /// The key of the row. Empty if there is no cell.
    #[inline]
    pub fn key(&self) -> &'a [u8] {
        Cell::row_of(self.bytes)
    }

    /// The cells: sorted by family and qualifier, the newest version of a column first.
    #[inline]
    pub fn cells(&self) -> Cells<'a> {
        Cells { bytes: self.bytes, left: self.cells }
    }

    /// The number of cells.
    #[inline]
    pub fn len(&self) -> usize {
        self.cells
    }

    /// Returns whether the row has no cells: such a row does not exist.
    pub fn is_empty(&self) -> bool {
        self.cells == 0
    }
}

impl Row {
    pub(super) fn new(bytes: Bytes, cells: usize) -> Self {
        Self { bytes, cells }
    }

    /// The row, lent.
    #[inline]
    pub(crate) fn as_ref(&self) -> RowRef<'_> {
        RowRef { bytes: &self.bytes, cells: self.cells }
    }

    /// The key of the row. Empty if there is no cell.
    pub fn key(&self) -> &[u8] {
        self.as_ref().key()
    }

    /// The key of the row, sharing the row's memory.
    pub fn key_bytes(&self) -> Bytes {
        match self.key() {
            [] => Bytes::new(),
            key => self.bytes.slice_ref(key),
        }
    }

    /// The cells: sorted by family and qualifier, the newest version of a column first.
    pub fn cells(&self) -> Cells<'_> {
        self.as_ref().cells()
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.cells
    }

    /// Returns whether the row has no cells: such a row does not exist.
    pub fn is_empty(&self) -> bool {
        self.cells == 0
    }

    /// The newest cell of a column.
    pub fn cell(&self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Option<Cell<'_>> {
        let (family, qualifier) = (family.as_ref(), qualifier.as_ref());
        self.cells().find(|cell| cell.qualifier() == qualifier && cell.family() == family)
    }

    /// The newest value of a column.
    pub fn value(&self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Option<&[u8]> {
        self.cell(family, qualifier).map(|cell| cell.value())
    }

    /// The bytes of memory that the cells take.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The cells behind `last`, a cell of the same row.
    pub(crate) fn after(mut self, last: &Cell<'_>) -> Self {
        while let Some((cell, rest)) = Cell::split_first(&self.bytes) {
            if cell.is_after(last) {
                break;
            }
            let skipped = self.bytes.len() - rest.len();
            self.cells -= 1;
            self.bytes = self.bytes.slice(skipped..);
        }
        self
    }

    pub(crate) fn last_cell(&self) -> Option<Cell<'_>> {
        self.cells().last()
    }

    /// Cells that came as messages.
    pub(crate) fn of_messages(cells: &[pb::Cell]) -> Option<Self> {
        let mut bytes = Vec::new();
        for cell in cells {
            Parts::of(cell)?.write(&mut bytes).ok()?;
        }
        Some(Self { bytes: bytes.into(), cells: cells.len() })
    }

    /// The parts of one row, in their order.
    pub(crate) fn join(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.swap_remove(0);
        }
        let mut bytes = BytesMut::with_capacity(parts.iter().map(Self::size).sum());
        parts.iter().for_each(|part| bytes.extend_from_slice(&part.bytes));
        Self { bytes: bytes.freeze(), cells: parts.iter().map(Self::len).sum() }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.cells()).finish()
    }
}

impl<'a> IntoIterator for &'a Row {
    type Item = Cell<'a>;
    type IntoIter = Cells<'a>;

    fn into_iter(self) -> Cells<'a> {
        self.cells()
    }
}

/// The cells of a [`Row`].
#[derive(Debug, Clone)]
pub struct Cells<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cell<'a>;

    #[inline]
    fn next(&mut self) -> Option<Cell<'a>> {
        let (cell, rest) = Cell::split_first(self.bytes)?;
        (self.bytes, self.left) = (rest, self.left.saturating_sub(1));
        Some(cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Cells<'_> {}
impl FusedIterator for Cells<'_> {}

/// The beginning of a row key, for an error.
fn quoted(key: &[u8]) -> String {
    format!("\"{}\"", readable(key.get(..64).unwrap_or(key)))
}

/// The cells that came with a response, taken off row by row.
#[derive(Default)]
pub(crate) struct CellBlock(pub(crate) Bytes);

impl CellBlock {
    /// The next `cells` cells, which are of one row. `None` if there are fewer, or they are broken.
    pub(crate) fn take(&mut self, cells: usize) -> Option<Row> {
        let taken = Cell::row_length(&self.0, cells)?;
        Some(Row { bytes: self.0.split_to(taken), cells })
    }

    /// The row of a result: its cells are in the block, in the message, or there are none.
    pub(crate) fn row(&mut self, result: &pb::Result) -> Option<Row> {
        match usize::try_from(result.associated_cell_count()).ok()? {
            0 => Row::of_messages(&result.cell),
            cells => self.take(cells),
        }
    }

    /// The row of a result, if it is the one with this key, or has no cells.
    pub(crate) fn row_at(&mut self, key: &[u8], result: &pb::Result) -> Result<Row, CallFault> {
        let wrong = |what: String| CallFault::Malformed(what.into());
        let row = self.row(result).ok_or_else(|| {
            let (cells, messages) = (result.associated_cell_count(), result.cell.len());
            wrong(format!("the response has {cells} cells and {messages} messages of cells, of which {}", self.told()))
        })?;
        match row.is_empty() || row.key() == key {
            true => Ok(row),
            false => {
                Err(wrong(format!("the response has cells of row {}, which was not asked for", quoted(row.key()))))
            }
        }
    }

    /// The cells that can be decoded, for an error.
    fn told(&self) -> String {
        let (mut rest, mut rows) = (&self.0[..], Vec::<&[u8]>::new());
        while let Some((cell, behind)) = Cell::split_first(rest) {
            rows.push(cell.row());
            rest = behind;
        }
        let (bytes, cells, left) = (self.0.len(), rows.len(), rest.len());
        rows.dedup();
        let rows: Vec<_> = rows.iter().take(3).map(|row| quoted(row)).collect();
        let hex: String = rest.iter().take(96).map(|byte| format!("{byte:02x}")).collect();
        format!("{cells} are in {bytes} bytes, of rows {}; {left} bytes can't be decoded: {hex}", rows.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: &str, qualifier: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let (row, qualifier) = (row.as_bytes(), qualifier.as_bytes());
        Parts { row, family: b"f", qualifier, timestamp: 1, kind: 4, value: qualifier }.write(&mut out).unwrap();
        out
    }

    #[test]
    fn rows_are_taken_off_a_block() {
        let bytes = [cell("a", "x"), cell("a", "y"), cell("b", "x")].concat();
        let mut block = CellBlock(bytes.into());
        let a = block.take(2).unwrap();
        assert_eq!((a.key(), a.len(), a.value("f", "y")), (&b"a"[..], 2, Some(&b"y"[..])));
        assert_eq!(a.cells().len(), 2);
        assert!(block.take(2).is_none());
        assert_eq!(block.take(1).unwrap().key(), b"b");
        assert!(block.take(1).is_none());
        assert!(block.take(0).unwrap().is_empty());
    }

    #[test]
    fn an_error_tells_the_cells_that_came() {
        let bytes = [cell("a", "x"), cell("b", "x"), vec![7; 3]].concat();
        let result = |cells| pb::Result { associated_cell_count: Some(cells), ..Default::default() };
        let error = |key: &[u8], cells| match CellBlock(bytes.clone().into()).row_at(key, &result(cells)) {
            Err(CallFault::Malformed(what)) => what.into_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(error(b"b", 1), r#"the response has cells of row "a", which was not asked for"#);
        let said =
            r#"the response has 2 cells and 0 messages of cells, of which 2 are in 59 bytes, of rows "a", "b"; "#;
        assert_eq!(error(b"a", 2), format!("{said}3 bytes can't be decoded: 070707"));
    }

    #[test]
    fn cells_of_two_rows_are_no_row() {
        let bytes = [cell("a", "x"), cell("b", "x")].concat();
        assert!(CellBlock(bytes.into()).take(2).is_none());
    }

    #[test]
    fn a_row_goes_on_behind_a_cell_and_is_joined() {
        let bytes = [cell("a", "x"), cell("a", "y"), cell("a", "z")].concat();
        let whole = CellBlock(bytes.into()).take(3).unwrap();
        let first = CellBlock(cell("a", "y").into()).take(1).unwrap();
        let rest = whole.clone().after(&first.last_cell().unwrap());
        assert_eq!((rest.len(), rest.value("f", "z")), (1, Some(&b"z"[..])));
        let head = CellBlock([cell("a", "x"), cell("a", "y")].concat().into()).take(2).unwrap();
        assert_eq!(Row::join(vec![head, rest]), whole);
    }
}
