//! The cells of a row, in one buffer.
//!
//! Wide rows go through the same scans and merges as plain ones. The value of such a row is its cells, one after the
//! other:
//!
//!
//! ```text
//! family's length (u8) │ qualifier's length (u32) │ value's length (u32) │ timestamp (i64) │ family │ qualifier │ value
//! ```
//!
//! This form is passed from a store to its reader and never stored.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use byteorder::{BigEndian, ByteOrder};

use super::column::Column;
use crate::keys::error::DecodeError;
use crate::keys::key::OwnedKey;
use crate::store::RowBatch;
use crate::store::error::{Access, CodecError, Error};
use crate::store::value::RowValue;

/// One version of a column in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The family.
    pub family: &'a str,
    /// The qualifier.
    pub qualifier: &'a [u8],
    /// In milliseconds since 1970.
    pub timestamp: i64,
    /// The value.
    pub value: &'a [u8],
}

impl Cell<'_> {
    /// The column's name.
    pub fn column(&self) -> Column {
        Column::from((self.family, self.qualifier))
    }
}

/// The cells that were read of a row: sorted by family, then by qualifier, then from the newest version to the oldest.
#[doc(alias = "Result")]
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
///
/// let schema = TableSchema::new().family("a", FamilySchema::new());
/// let regions = Cells::open(&Memory::new(), "regions", &schema)?;
/// regions.mutate(b"0231", &Mutation::new().put("a:jp", "Honshu").put("a:kr", "Jeju"))?;
///
/// let row = regions.get(b"0231", &Columns::all())?;
/// assert_eq!(row.value("a:jp"), Some(&b"Honshu"[..]));
/// assert_eq!(row.read::<String>("a:kr")?.as_deref(), Some("Jeju"));
/// assert_eq!(row.to_map().keys().map(ToString::to_string).collect::<Vec<_>>(), ["a:jp", "a:kr"]);
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Row {
    cells: Vec<u8>,
    /// The place where each cell begins. Computed when a column of a larger row is looked up.
    starts: OnceLock<Vec<usize>>,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells
    }
}

impl Eq for Row {}

/// Rows with more bytes are searched by bisection.
const SMALL: usize = 1024;

const HEAD: usize = 1 + 4 + 4 + 8;

/// Appends a cell to `out`, the value of a scan's row. For authors of engines.
///
/// # Errors
///
/// [`Error::CellTooLarge`] if the family has more than 255 bytes, or the qualifier or the value has 4 GiB or more.
#[inline]
pub fn push_cell(out: &mut Vec<u8>, cell: &Cell<'_>) -> Result<(), Error> {
    let Cell { family, qualifier, timestamp, value } = *cell;
    let head = head(family, qualifier, value.len(), timestamp)?;
    out.reserve(HEAD + family.len() + qualifier.len() + value.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(family.as_bytes());
    out.extend_from_slice(qualifier);
    out.extend_from_slice(value);
    Ok(())
}

/// The beginning of a cell whose value has `len` bytes.
#[inline]
fn head(family: &str, qualifier: &[u8], len: usize, timestamp: i64) -> Result<[u8; HEAD], Error> {
    let (Ok(family_len), Ok(qualifier_len), Ok(value_len)) =
        (u8::try_from(family.len()), u32::try_from(qualifier.len()), u32::try_from(len))
    else {
        return Err(too_large(family, qualifier, len));
    };
    let mut head = [0; HEAD];
    head[0] = family_len;
    BigEndian::write_u32(&mut head[1..], qualifier_len);
    BigEndian::write_u32(&mut head[5..], value_len);
    BigEndian::write_i64(&mut head[9..], timestamp);
    Ok(head)
}

/// Appends the beginning of a cell: its column.
pub(super) fn push_column(out: &mut Vec<u8>, family: &str, qualifier: &[u8]) -> Result<(), Error> {
    let head = head(family, qualifier, 0, 0)?;
    out.reserve(HEAD + family.len() + qualifier.len());
    out.extend_from_slice(&head);
    out.extend_from_slice(family.as_bytes());
    out.extend_from_slice(qualifier);
    Ok(())
}

/// Completes the cell at `at`, which [`push_column`] began.
#[inline]
pub(super) fn end_cell(out: &mut Vec<u8>, at: usize, timestamp: i64, value: &[u8]) -> Result<(), Error> {
    let (Ok(len), Some(head)) = (u32::try_from(value.len()), out[at..].first_chunk_mut::<HEAD>()) else {
        let (family, qualifier) =
            first_cell(&out[at..]).map_or(("", &[][..]), |(cell, _)| (cell.family, cell.qualifier));
        return Err(too_large(family, qualifier, value.len()));
    };
    BigEndian::write_u32(&mut head[5..], len);
    BigEndian::write_i64(&mut head[9..], timestamp);
    out.extend_from_slice(value);
    Ok(())
}

#[cold]
fn too_large(family: &str, qualifier: &[u8], len: usize) -> Error {
    Error::CellTooLarge { column: Column::from((family, qualifier)).to_string(), len }
}

impl RowBatch {
    /// Adds a row of cells, as [`push_cell`] writes them. For engines of wide rows.
    ///
    /// ```
    /// use rowkey::store::RowBatch;
    /// use rowkey::wide::{Cell, CellIter};
    ///
    /// let mut batch = RowBatch::new();
    /// let cell = Cell { family: "a", qualifier: b"jp", timestamp: 1, value: b"v" };
    /// batch.push_cells(b"row", [Ok(cell)])?;
    /// let (key, cells) = batch.get(0).unwrap();
    /// assert_eq!((key, CellIter::new(cells).next()), (&b"row"[..], Some(cell)));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first error among the cells, or that of [`push_cell`]. No row is added then.
    pub fn push_cells<'c>(
        &mut self,
        key: &[u8],
        cells: impl IntoIterator<Item = Result<Cell<'c>, Error>>,
    ) -> Result<(), Error> {
        self.push_with(key, |value| cells.into_iter().try_for_each(|cell| push_cell(value, &cell?)))
    }
}

#[inline]
fn first_cell(cells: &[u8]) -> Option<(Cell<'_>, &[u8])> {
    let (head, rest) = cells.split_at_checked(HEAD)?;
    let (family, rest) = rest.split_at_checked(usize::from(head[0]))?;
    let (qualifier, rest) = rest.split_at_checked(BigEndian::read_u32(&head[1..]) as usize)?;
    let (value, rest) = rest.split_at_checked(BigEndian::read_u32(&head[5..]) as usize)?;
    let family = str::from_utf8(family).ok()?;
    Some((Cell { family, qualifier, timestamp: BigEndian::read_i64(&head[9..]), value }, rest))
}

/// Iterates over the cells of a scan's row, lent from its value. Ends where the bytes are not a valid cell.
#[derive(Clone, Debug)]
pub struct CellIter<'a>(&'a [u8]);

impl<'a> CellIter<'a> {
    /// The cells in the value of a scan's row.
    pub fn new(value: &'a [u8]) -> Self {
        Self(value)
    }

    /// The bytes of the cells that are left.
    pub(crate) fn left(&self) -> &'a [u8] {
        self.0
    }
}

impl<'a> Iterator for CellIter<'a> {
    type Item = Cell<'a>;

    #[inline]
    fn next(&mut self) -> Option<Cell<'a>> {
        let (cell, rest) = first_cell(self.0)?;
        self.0 = rest;
        Some(cell)
    }
}

impl std::iter::FusedIterator for CellIter<'_> {}

impl Row {
    /// The row of cells that were written by [`push_cell`].
    pub fn from_cells(cells: Vec<u8>) -> Self {
        Self { cells, starts: OnceLock::new() }
    }

    /// Iterates over the cells in order.
    pub fn cells(&self) -> CellIter<'_> {
        CellIter::new(&self.cells)
    }

    /// The bytes, as [`push_cell`] wrote them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.cells
    }

    /// Returns whether nothing was read: there is no such row, or none of the columns asked for.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The newest version of a column that was read.
    pub fn cell(&self, column: impl Into<Column>) -> Option<Cell<'_>> {
        self.versions(column).next()
    }

    /// The cells from the first one on that does not sort before `column`.
    fn since(&self, column: &Column) -> CellIter<'_> {
        if self.cells.len() <= SMALL {
            return self.cells();
        }
        let starts = self.starts.get_or_init(|| {
            let mut cells = self.cells();
            std::iter::from_fn(|| {
                let start = self.cells.len() - cells.left().len();
                cells.next().map(|_| start)
            })
            .collect()
        });
        let column = (column.family.as_str(), column.qualifier.as_slice());
        let before = |&start: &usize| {
            first_cell(&self.cells[start..]).is_some_and(|(cell, _)| (cell.family, cell.qualifier) < column)
        };
        let at = starts.partition_point(before);
        CellIter::new(starts.get(at).map_or(&[], |&start| &self.cells[start..]))
    }

    /// The value of a column's newest version: `row.value("a:jp")`. `None` if the column or the family was not read.
    pub fn value(&self, column: impl Into<Column>) -> Option<&[u8]> {
        self.cell(column).map(|cell| cell.value)
    }

    /// Decodes the value of a column's newest version.
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] if the value does not decode.
    pub fn read<V: RowValue>(&self, column: impl Into<Column>) -> Result<Option<V>, Error> {
        self.cell(column).map(|cell| cell.read()).transpose()
    }

    /// The versions of a column, newest first.
    pub fn versions(&self, column: impl Into<Column>) -> impl Iterator<Item = Cell<'_>> {
        let column = column.into();
        let is_before = |cell: &Cell<'_>, column: &Column| {
            (cell.family, cell.qualifier) < (column.family.as_str(), column.qualifier.as_slice())
        };
        let mut cells = self.since(&column);
        std::iter::from_fn(move || {
            let cell = cells.by_ref().find(|cell| !is_before(cell, &column))?;
            let found = cell.family == column.family && cell.qualifier == column.qualifier;
            found.then_some(cell)
        })
        .fuse()
    }

    /// The cells of a family.
    pub fn family<'r>(&'r self, family: &str) -> impl Iterator<Item = Cell<'r>> {
        self.cells().filter(move |cell| cell.family == family)
    }

    /// Decodes the qualifiers of a family as keys, each once.
    pub fn qualifiers<Q: OwnedKey>(&self, family: &str) -> impl Iterator<Item = Result<Q, DecodeError>> {
        let mut last = None;
        let new = self.family(family).filter(move |cell| last.replace(cell.qualifier) != Some(cell.qualifier));
        new.map(|cell| Q::decode(cell.qualifier))
    }

    /// A map from column to the value of its newest version.
    pub fn to_map(&self) -> BTreeMap<Column, Vec<u8>> {
        let mut map = BTreeMap::new();
        for cell in self.cells() {
            map.entry(cell.column()).or_insert_with(|| cell.value.to_vec());
        }
        map
    }

    /// Reads a struct, or a map, from the columns of a family, as written by
    /// [`Mutation::put_struct`](super::Mutation::put_struct). Columns without a field are ignored unless the type
    /// denies unknown fields.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct User {
    ///     name: String,
    ///     born: u16,
    ///     email: Option<String>,
    /// }
    ///
    /// let users = Cells::open(&Memory::new(), "users", &TableSchema::new().family("u", FamilySchema::new()))?;
    /// let ada = User { name: "Ada".into(), born: 1815, email: None };
    /// users.mutate(b"7", &Mutation::new().put_struct("u", &ada)?)?;
    /// let row = users.get(b"7", &Columns::all())?;
    /// assert_eq!(row.value("u:born"), Some(&b"1815"[..]));
    /// assert_eq!(row.read_struct::<User>("u")?, ada);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] if a cell is not valid JSON, or the columns are not those of the struct.
    #[cfg(feature = "json")]
    pub fn read_struct<T: serde::de::DeserializeOwned>(&self, family: &str) -> Result<T, Error> {
        let mut fields = serde_json::Map::new();
        for cell in self.family(family) {
            let name = String::from_utf8(cell.qualifier.to_vec()).map_err(|error| cell.error(error.into()))?;
            if let serde_json::map::Entry::Vacant(field) = fields.entry(name) {
                field.insert(serde_json::from_slice(cell.value).map_err(|error| cell.error(error.into()))?);
            }
        }
        serde_json::from_value(fields.into()).map_err(|error| Error::Cell {
            column: format!("{family}:"),
            access: Access::Read,
            source: error.into(),
        })
    }
}

impl Cell<'_> {
    /// Decodes the value.
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] if the value does not decode.
    pub fn read<V: RowValue>(&self) -> Result<V, Error> {
        V::decode_value(self.value).map_err(|error| self.error(error))
    }

    fn error(&self, source: CodecError) -> Error {
        Error::Cell { column: self.column().to_string(), access: Access::Read, source }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |cell: Cell<'_>| format!("@{} {}", cell.timestamp, cell.value.escape_ascii());
        f.debug_map().entries(self.cells().map(|cell| (cell.column().to_string(), value(cell)))).finish()
    }
}

/// Lets scans of wide tables return typed rows.
impl RowValue for Row {
    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        out.extend_from_slice(&self.cells);
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut left = bytes;
        while !left.is_empty() {
            left = first_cell(left).ok_or("the bytes are not the cells of a row")?.1;
        }
        Ok(Self::from_cells(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_found_in_rows_of_any_size() {
        for columns in [0, 1, 3, 40, 1000] {
            let mut bytes = Vec::new();
            let name = |n: usize| format!("{:04}", 2 * n);
            for n in 0..columns {
                for timestamp in [9, 8] {
                    let (qualifier, family) = (name(n), if n < columns / 2 { "a" } else { "b" });
                    push_cell(&mut bytes, &Cell { family, qualifier: qualifier.as_bytes(), timestamp, value: b"v" })
                        .unwrap();
                }
            }
            let row = Row::from_cells(bytes);
            for n in 0..columns {
                let (family, other) = if n < columns / 2 { ("a", "b") } else { ("b", "a") };
                assert_eq!(row.cell((family, name(n))).unwrap().timestamp, 9);
                assert_eq!(row.versions((family, name(n))).count(), 2);
                assert!(row.cell((other, name(n))).is_none());
                assert!(row.cell((family, format!("{:04}", 2 * n + 1))).is_none());
            }
            assert_eq!(row.cell("a:"), None);
            assert_eq!(row.value("c:z"), None);
        }
    }

    #[test]
    fn cells_come_back_and_broken_ones_are_refused() {
        let cells = [
            Cell { family: "a", qualifier: b"", timestamp: 5, value: b"" },
            Cell { family: "a", qualifier: b"\0\xff", timestamp: i64::MAX, value: b"v" },
            Cell { family: "a", qualifier: b"\0\xff", timestamp: -1, value: &[7; 300] },
        ];
        let mut bytes = Vec::new();
        cells.iter().for_each(|cell| push_cell(&mut bytes, cell).unwrap());
        let row = Row::decode_value(&bytes).unwrap();
        assert_eq!(row.cells().collect::<Vec<_>>(), cells);
        assert_eq!(row.versions(("a", *b"\0\xff")).count(), 2);
        for cut in 1..bytes.len() {
            let whole = CellIter::new(&bytes[..cut]).count();
            assert!(whole < 3 && (Row::decode_value(&bytes[..cut]).is_err() || whole > 0));
        }
        let long = "f".repeat(256);
        let error = push_cell(&mut bytes, &Cell { family: &long, ..cells[0] }).unwrap_err();
        assert!(matches!(error, Error::CellTooLarge { .. }));
    }
}
