//! Cells, as users read them and as servers' `KeyValue`s.

use std::fmt;

use bytes::{BufMut, Bytes};

use crate::pb;

/// The kind of a cell: a value, or a tombstone that hides other cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CellKind {
    /// A value.
    Put,
    /// Hides one version.
    Delete,
    /// Hides the versions of a family that have this very timestamp.
    DeleteFamilyVersion,
    /// Hides a column up to a timestamp.
    DeleteColumn,
    /// Hides a family up to a timestamp.
    DeleteFamily,
    /// Another code.
    Other(u8),
}

impl CellKind {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Put => 4,
            Self::Delete => 8,
            Self::DeleteFamilyVersion => 10,
            Self::DeleteColumn => 12,
            Self::DeleteFamily => 14,
            Self::Other(code) => code,
        }
    }

    fn of(code: u8) -> Self {
        match code {
            4 => Self::Put,
            8 => Self::Delete,
            10 => Self::DeleteFamilyVersion,
            12 => Self::DeleteColumn,
            14 => Self::DeleteFamily,
            code => Self::Other(code),
        }
    }
}

/// A cell of a row, in the bytes that came from the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    key: &'a [u8],
    value: &'a [u8],
    row_length: u16,
    family_length: u8,
}

/// The timestamp of a cell that the server stamps.
pub(crate) const LATEST: u64 = i64::MAX as u64;

/// Lengths of the key and of the value, before a cell.
const LENGTHS: usize = 8;
/// The timestamp and the kind, at the end of a key.
pub(crate) const STAMP: usize = 9;

/// Cells are written one after the other, each behind its length:
///
/// ```text
/// length 4 | key length 4 | value length 4 | row length 2 | row | family length 1 | family | qualifier | timestamp 8 | kind 1 | value
/// ```
impl<'a> Cell<'a> {
    /// Takes one cell off the front of `bytes`. `None` if there is none, or a broken one.
    #[inline]
    pub(crate) fn split_first(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (cell, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        let (key_length, cell) = cell.split_first_chunk()?;
        let (value_length, cell) = cell.split_first_chunk()?;
        let (key, value) = cell.split_at_checked(u32::from_be_bytes(*key_length) as usize)?;
        if value.len() != u32::from_be_bytes(*value_length) as usize {
            return None;
        }
        let (row_length, key_rest) = key.split_first_chunk()?;
        let (family_length, key_rest) = key_rest.get(usize::from(u16::from_be_bytes(*row_length))..)?.split_first()?;
        let rest_is_there = usize::from(*family_length) + STAMP <= key_rest.len();
        let row_length = u16::from_be_bytes(*row_length);
        rest_is_there.then_some((Self { key, value, row_length, family_length: *family_length }, rest))
    }

    /// The number of bytes of the first `cells` cells, which are of one row. `None` if there are fewer, or broken ones.
    #[inline]
    pub(crate) fn row_length(bytes: &[u8], cells: usize) -> Option<usize> {
        let mut rest = bytes;
        let mut first: Option<Cell<'_>> = None;
        for _ in 0..cells {
            let (cell, behind) = Cell::split_first(rest)?;
            match &first {
                Some(first) if first.row() != cell.row() => return None,
                Some(_) => {}
                None => first = Some(cell),
            }
            rest = behind;
        }
        Some(bytes.len() - rest.len())
    }

    /// The number of bytes, with the lengths.
    pub(crate) fn size(&self) -> usize {
        4 + LENGTHS + self.key.len() + self.value.len()
    }

    /// The key of the row of cells that have been split off before.
    #[inline]
    pub(crate) fn row_of(cells: &[u8]) -> &[u8] {
        // Behind the lengths of the cell, of its key and of its value.
        let key = cells.get(12..).and_then(<[u8]>::split_first_chunk);
        key.and_then(|(length, rest)| rest.get(..u16::from_be_bytes(*length).into())).unwrap_or_default()
    }

    /// The start and the end of the family in `key`.
    #[inline]
    fn family_at(&self) -> (usize, usize) {
        let at = 2 + usize::from(self.row_length) + 1;
        (at, at + usize::from(self.family_length))
    }

    /// The key of the row.
    #[inline]
    pub fn row(&self) -> &'a [u8] {
        self.key.get(2..2 + usize::from(self.row_length)).unwrap_or_default()
    }

    /// The family.
    #[inline]
    pub fn family(&self) -> &'a [u8] {
        let (from, to) = self.family_at();
        self.key.get(from..to).unwrap_or_default()
    }

    /// The qualifier.
    #[inline]
    pub fn qualifier(&self) -> &'a [u8] {
        let (_, from) = self.family_at();
        self.key.get(from..self.key.len().saturating_sub(STAMP)).unwrap_or_default()
    }

    /// The timestamp, usually in Unix milliseconds.
    #[inline]
    pub fn timestamp(&self) -> u64 {
        match self.key {
            [.., a, b, c, d, e, f, g, h, _] => u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
            _ => 0,
        }
    }

    /// The kind of the cell.
    pub fn kind(&self) -> CellKind {
        CellKind::of(self.key.last().copied().unwrap_or_default())
    }

    /// The value.
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        self.value
    }

    /// Returns whether `self` sorts after `other`, a cell of the same row: by family and qualifier, the newest first.
    pub(crate) fn is_after(&self, other: &Cell<'_>) -> bool {
        let by_column = self.family().cmp(other.family()).then_with(|| self.qualifier().cmp(other.qualifier()));
        by_column
            .then(other.timestamp().cmp(&self.timestamp()))
            .then(other.kind().code().cmp(&self.kind().code()))
            .is_gt()
    }
}

impl fmt::Debug for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell")
            .field("row", &Bytes::copy_from_slice(self.row()))
            .field("family", &Bytes::copy_from_slice(self.family()))
            .field("qualifier", &Bytes::copy_from_slice(self.qualifier()))
            .field("timestamp", &self.timestamp())
            .field("kind", &self.kind())
            .field("value", &Bytes::copy_from_slice(self.value()))
            .finish()
    }
}

/// The parts of a cell to write.
pub(crate) struct Parts<'a> {
    pub(crate) row: &'a [u8],
    pub(crate) family: &'a [u8],
    pub(crate) qualifier: &'a [u8],
    pub(crate) timestamp: u64,
    pub(crate) kind: u8,
    pub(crate) value: &'a [u8],
}

impl Parts<'_> {
    /// Appends the cell, or tells what does not fit.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let row = i16::try_from(self.row.len()).map_err(|_| "a row key is longer than 32767 bytes")?;
        let family = i8::try_from(self.family.len()).map_err(|_| "a family's name is longer than 127 bytes")?;
        let key = 2 + self.row.len() + 1 + self.family.len() + self.qualifier.len() + STAMP;
        let length = i32::try_from(LENGTHS + key + self.value.len()).map_err(|_| "a cell is longer than 2 GiB")?;
        out.reserve(4 + LENGTHS + key + self.value.len());
        out.put_i32(length);
        out.put_u32(key as u32);
        out.put_u32(self.value.len() as u32);
        out.put_i16(row);
        out.put_slice(self.row);
        out.put_i8(family);
        out.put_slice(self.family);
        out.put_slice(self.qualifier);
        out.put_u64(self.timestamp);
        out.put_u8(self.kind);
        out.put_slice(self.value);
        Ok(())
    }

    /// A cell that came as a message.
    pub(crate) fn of(cell: &pb::Cell) -> Option<Parts<'_>> {
        Some(Parts {
            row: cell.row(),
            family: cell.family(),
            qualifier: cell.qualifier(),
            timestamp: cell.timestamp(),
            kind: u8::try_from(cell.cell_type.unwrap_or(4)).ok()?,
            value: cell.value(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &Parts<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        parts.write(&mut out).unwrap();
        out
    }

    const PARTS: Parts<'_> =
        Parts { row: b"row", family: b"f", qualifier: b"qual", timestamp: 7, kind: 4, value: b"value" };

    #[test]
    fn a_cell_is_read_as_it_was_written() {
        let bytes = written(&PARTS);
        assert_eq!(bytes[..14], [0, 0, 0, 33, 0, 0, 0, 20, 0, 0, 0, 5, 0, 3]);
        let (cell, rest) = Cell::split_first(&bytes).unwrap();
        assert!(rest.is_empty());
        assert_eq!((cell.row(), cell.family(), cell.qualifier()), (&b"row"[..], &b"f"[..], &b"qual"[..]));
        assert_eq!((cell.timestamp(), cell.kind(), cell.value()), (7, CellKind::Put, &b"value"[..]));
    }

    #[test]
    fn no_prefix_and_no_damage_panics() {
        let bytes = written(&PARTS);
        for end in 0..bytes.len() {
            assert!(Cell::split_first(&bytes[..end]).is_none());
        }
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                if let Some((cell, _)) = Cell::split_first(&damaged) {
                    let _ = format!("{cell:?}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let long = vec![0; 40_000];
        assert!(Parts { row: &long, ..PARTS }.write(&mut Vec::new()).is_err());
        assert!(Parts { family: &long[..128], ..PARTS }.write(&mut Vec::new()).is_err());
        assert!(Parts { qualifier: &long, ..PARTS }.write(&mut Vec::new()).is_ok());
    }

    #[test]
    fn newer_cells_come_first() {
        let cells = [
            written(&Parts { timestamp: 9, ..PARTS }),
            written(&PARTS),
            written(&Parts { qualifier: b"r", ..PARTS }),
            written(&Parts { family: b"g", qualifier: b"", ..PARTS }),
        ];
        let cells = cells.each_ref().map(|bytes| Cell::split_first(bytes).unwrap().0);
        for (at, cell) in cells.iter().enumerate() {
            for (other, before) in cells.iter().enumerate() {
                assert_eq!(cell.is_after(before), at > other, "{at} {other}");
            }
        }
    }
}
