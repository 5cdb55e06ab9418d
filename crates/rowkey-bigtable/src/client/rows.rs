//! Rows out of the chunks of a ReadRows response, and what a server may not send.

use super::proto::read_rows_response::CellChunk;
use super::proto::read_rows_response::cell_chunk::RowStatus;

/// A row as the server sent it. Its families have no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireRow {
    /// The row's key.
    pub key: Vec<u8>,
    /// The families and qualifiers that cells refer to, each at its first cell.
    pub columns: Vec<(String, Vec<u8>)>,
    /// The cells in the order in which they came.
    pub cells: Vec<WireCell>,
}

/// A cell of a [`WireRow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireCell {
    /// The index of its column.
    pub column: usize,
    /// Microseconds since 1970.
    pub micros: i64,
    /// The labels that a filter gave it.
    pub labels: Vec<String>,
    /// The value.
    pub value: Vec<u8>,
}

/// Puts chunks together. A row is complete when its last chunk says so, and a server may take back a row before that.
#[derive(Debug)]
pub(crate) struct Merger {
    reverse: bool,
    /// The last key that was completed or scanned.
    last: Option<Vec<u8>>,
    row: Option<WireRow>,
    /// Whether the value of the last cell goes on in the next chunk.
    in_cell: bool,
}

/// What is wrong with a chunk.
pub(crate) type Violation = &'static str;

impl Merger {
    /// After `last`, if something was read before.
    pub(crate) fn new(reverse: bool, last: Option<Vec<u8>>) -> Self {
        Self { reverse, last, row: None, in_cell: false }
    }

    /// The last key that was completed or scanned: the scan goes on after it.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        self.last.as_deref()
    }

    fn is_next(&self, key: &[u8]) -> bool {
        self.last.as_deref().is_none_or(|last| if self.reverse { key < last } else { key > last })
    }

    fn out_of_order(&self) -> Violation {
        if self.reverse { "row keys must be strictly decreasing" } else { "row keys must be strictly increasing" }
    }

    /// The server has scanned up to this key without a row to return.
    pub(crate) fn scanned(&mut self, key: Vec<u8>) -> Result<(), Violation> {
        if self.row.is_some() {
            return Err("a scanned key came inside a row");
        }
        if !self.is_next(&key) {
            return Err(self.out_of_order());
        }
        self.last = Some(key);
        Ok(())
    }

    /// Takes a chunk, and returns the row that it completes.
    pub(crate) fn push(&mut self, mut chunk: CellChunk) -> Result<Option<WireRow>, Violation> {
        if matches!(chunk.row_status, Some(RowStatus::ResetRow(true))) {
            let is_bare = chunk.row_key.is_empty()
                && chunk.family_name.is_none()
                && chunk.qualifier.is_none()
                && chunk.timestamp_micros == 0
                && chunk.labels.is_empty()
                && chunk.value.is_empty();
            return match self.row.take() {
                None => Err("a reset came outside of a row"),
                Some(_) if !is_bare => Err("a reset has a cell"),
                Some(_) => {
                    self.in_cell = false;
                    Ok(None)
                }
            };
        }
        if self.in_cell {
            self.go_on(&chunk)?;
        } else {
            self.begin_cell(&mut chunk)?;
        }
        let is_last = matches!(chunk.row_status, Some(RowStatus::CommitRow(true)));
        let more = chunk.value_size > 0;
        if is_last && more {
            return Err("a row ends inside a cell");
        }
        let Some(row) = &mut self.row else { return Err("a cell came outside of a row") };
        if self.in_cell {
            if let Some(cell) = row.cells.last_mut() {
                cell.value.extend_from_slice(&chunk.value);
            }
        } else {
            let mut value = chunk.value;
            if more {
                // The size is the server's word: what is reserved for it is bounded.
                value.reserve(usize::try_from(chunk.value_size).unwrap_or(0).min(MOST_RESERVED));
            }
            let column = row.columns.len().saturating_sub(1);
            row.cells.push(WireCell { column, micros: chunk.timestamp_micros, labels: chunk.labels, value });
        }
        self.in_cell = more;
        if !is_last {
            return Ok(None);
        }
        let row = self.row.take();
        if let Some(row) = &row {
            self.last.get_or_insert_default().clone_from(&row.key);
        }
        Ok(row)
    }

    /// Checks a chunk that continues a value.
    fn go_on(&self, chunk: &CellChunk) -> Result<(), Violation> {
        let is_plain = chunk.row_key.is_empty()
            && chunk.family_name.is_none()
            && chunk.qualifier.is_none()
            && chunk.timestamp_micros == 0
            && chunk.labels.is_empty();
        if is_plain { Ok(()) } else { Err("a column came inside a cell") }
    }

    /// Takes the row and the column of a chunk that begins a cell.
    fn begin_cell(&mut self, chunk: &mut CellChunk) -> Result<(), Violation> {
        match &self.row {
            None if chunk.row_key.is_empty() => return Err("a row has no key"),
            None if !self.is_next(&chunk.row_key) => return Err(self.out_of_order()),
            None => self.row = Some(WireRow { key: std::mem::take(&mut chunk.row_key), ..WireRow::default() }),
            Some(row) if !chunk.row_key.is_empty() && chunk.row_key != row.key => {
                return Err("a row begins before the one before it has ended");
            }
            Some(_) => {}
        }
        let Some(row) = &mut self.row else { return Ok(()) };
        match (chunk.family_name.take(), chunk.qualifier.take()) {
            (Some(family), Some(qualifier)) => row.columns.push((family, qualifier)),
            (None, Some(qualifier)) => {
                let Some((family, _)) = row.columns.last() else { return Err("a cell has no family") };
                row.columns.push((family.clone(), qualifier));
            }
            (Some(_), None) => return Err("a family has no qualifier"),
            (None, None) if row.columns.is_empty() => return Err("a cell has no column"),
            (None, None) => {}
        }
        Ok(())
    }

    /// Checks that the responses may end here.
    pub(crate) fn end(&self) -> Result<(), Violation> {
        if self.row.is_some() { Err("the rows end inside a row") } else { Ok(()) }
    }
}

/// How many bytes are reserved at once for a value in several chunks.
const MOST_RESERVED: usize = 1 << 20;
