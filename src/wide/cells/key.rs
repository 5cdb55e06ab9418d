//! The key of a cell: one entry of an ordered store.
//!
//! ```text
//! row, 00 → 01 01, 01 → 01 02 │ 00 │ family │ 00 │ 01 │ until, inverted                             a family's marker
//! row, 00 → 01 01, 01 → 01 02 │ 00 │ family │ 00 │ 02 │ qualifier, as the row │ 00 │ at, inverted │ kind
//! ```
//!
//! The entries of a row are therefore adjacent, in the order that readers need: a family's markers before its columns,
//! the newest version of a column first, a marker before the version that it hides. The encoding is what the derive
//! makes of these types.

use std::borrow::Cow;

use crate::RowKey;
use crate::keys::encode::decode_into;
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::prefix::{Select, Selection};
use crate::keys::range::{KeyRange, successor};

/// The key of an entry in the store of [`Cells`](super::Cells). The entry's value is the cell's. A marker has no value.
///
/// ```
/// use std::borrow::Cow;
///
/// use rowkey::RowKey;
/// use rowkey::wide::{CellKey, Entry, Kind, Place, Version};
///
/// let version = Version { at: 7, kind: Kind::Value };
/// let entry = Entry::Column { qualifier: Cow::Borrowed(b"jp"), version };
/// let key = CellKey { row: Cow::Borrowed(b"0231"), place: Place { family: "a", entry } };
/// assert_eq!(CellKey::explain(&key.encode()).to_string(), "\
/// CellKey, 20 bytes
///    0..5   row                       bytes     30 32 33 31 00           30323331  ends at 00
///    5..7   place.family              text      61 00                    \"a\"       ends at 00
///    7..8   place.entry               enum      02                       Column
///    8..11  place.entry.qualifier     bytes     6a 70 00                 6a70      ends at 00
///   11..19  place.entry.version.at    i64 desc  7f ff ff ff ff ff ff f8  7
///   19..20  place.entry.version.kind  enum      03                       Value
/// ");
/// ```
#[derive(RowKey, Clone, Debug, PartialEq, Eq)]
pub struct CellKey<'a> {
    /// The row's key.
    pub row: Cow<'a, [u8]>,
    /// The place in the row.
    pub place: Place<'a>,
}

/// A place in a row.
#[derive(RowKey, Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The family's name.
    pub family: &'a str,
    /// The entry.
    pub entry: Entry<'a>,
}

/// An entry of a family.
#[derive(RowKey, Clone, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A marker: the cells of the family are deleted, up to a timestamp.
    #[rowkey(tag = 1)]
    FamilyDeleted {
        /// The last timestamp that it hides.
        #[rowkey(desc)]
        until: i64,
    },
    /// A version of a column, or a marker among them.
    #[rowkey(tag = 2)]
    Column {
        /// The qualifier.
        qualifier: Cow<'a, [u8]>,
        /// The version.
        version: Version,
    },
}

/// A version of a column.
#[derive(RowKey, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its timestamp, in milliseconds since 1970.
    #[rowkey(desc)]
    pub at: i64,
    /// The kind of the entry.
    pub kind: Kind,
}

/// The kind of a version's entry. At one timestamp, markers sort before the value that they hide.
#[doc(alias = "tombstone")]
#[derive(RowKey, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A marker: this version and all older ones are deleted.
    #[rowkey(tag = 1)]
    ColumnDeleted,
    /// A marker: this version is deleted.
    #[rowkey(tag = 2)]
    VersionDeleted,
    /// The value of the version.
    #[rowkey(tag = 3)]
    Value,
}

impl CellKey<'_> {
    /// The prefix of all entries of a row.
    pub(super) fn row_part(row: &[u8]) -> Vec<u8> {
        let mut part = Vec::with_capacity(row.len() + 8);
        Cow::Borrowed(row).encode_to(&mut part);
        part
    }

    /// The length of an entry's key: of a column's version, or of a family's marker if there is no qualifier.
    pub(super) fn len_of(row: &[u8], family: &str, qualifier: Option<&[u8]>) -> usize {
        let escaped = |bytes: &[u8]| bytes.len() + bytes.iter().filter(|&&byte| byte <= 1).count() + 1;
        let entry = match qualifier {
            Some(qualifier) => escaped(qualifier) + 8 + 1,
            None => 8,
        };
        escaped(row) + escaped(family.as_bytes()) + 1 + entry
    }

    /// The prefix of all entries of a row, taken from one of its keys.
    pub(super) fn row_of(key: &[u8]) -> &[u8] {
        memchr::memchr(0, key).map_or(key, |end| &key[..=end])
    }

    /// Decodes the row key from the prefix of its entries into `row`, replacing its content.
    pub(super) fn read_row(part: &[u8], row: &mut Vec<u8>) -> Result<(), DecodeError> {
        match part {
            [bytes @ .., 0] => decode_into(bytes, row),
            _ => Err(DecodeError::new(part.len(), DecodeReason::Unterminated { terminator: 0 })),
        }
    }

    /// The entries of the rows in a range.
    pub(super) fn rows_in(range: &KeyRange) -> KeyRange {
        let bound = |row: &[u8]| if row.is_empty() { Vec::new() } else { Self::row_part(row) };
        KeyRange::new(bound(range.start()), range.end().map(bound)).unwrap_or_else(|| range.clone())
    }
}

/// The places of a family.
#[derive(Clone, Debug)]
pub(super) struct FamilyPlaces {
    markers: KeyRange,
    /// The prefix of the places of its columns.
    columns: Vec<u8>,
}

impl FamilyPlaces {
    pub(super) fn new(family: &str) -> Self {
        let only = |entry: Selection<Entry<'_>>| Place::prefix().family(family).entry_prefix(entry).ranges().pop();
        let markers = only(Entry::prefix().family_deleted().select());
        let columns = only(Entry::prefix().column().select());
        // A family's name has a terminator, so its places are one range.
        Self {
            markers: markers.unwrap_or_else(KeyRange::all),
            columns: columns.map_or_else(Vec::new, |columns| columns.start().to_vec()),
        }
    }

    pub(super) fn markers(&self) -> KeyRange {
        self.markers.clone()
    }

    /// The prefix of the places of all columns.
    pub(super) fn columns_prefix(&self) -> &[u8] {
        &self.columns
    }

    /// The places of the columns whose qualifiers are in a range.
    pub(super) fn columns(&self, qualifiers: &KeyRange) -> Option<KeyRange> {
        let bound = |qualifier: &[u8]| {
            let mut bound = Vec::with_capacity(self.columns.len() + qualifier.len() + 8);
            bound.extend_from_slice(&self.columns);
            Cow::Borrowed(qualifier).encode_to(&mut bound);
            bound
        };
        let end = qualifiers.end().map_or_else(|| successor(&self.columns), |end| Some(bound(end)));
        KeyRange::new(bound(qualifiers.start()), end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_shape_is_frozen() {
        let shape = "bytes, (text, enum{1: (i64 desc), 2: (bytes, (i64 desc, enum{1: (), 2: (), 3: ()}))})";
        assert_eq!(CellKey::LAYOUT.shape(), shape);
    }

    #[test]
    fn its_length_is_known() {
        let texts: [&[u8]; 5] = [b"", b"\0", b"\x01a", b"row", b"\0\x01\x02\xff"];
        for row in texts {
            for qualifier in texts {
                let version = Version { at: 7, kind: Kind::Value };
                let column = Entry::Column { qualifier: qualifier.into(), version };
                for (entry, qualifier) in [(column, Some(qualifier)), (Entry::FamilyDeleted { until: 7 }, None)] {
                    let key = CellKey { row: row.into(), place: Place { family: "fam", entry } };
                    assert_eq!(CellKey::len_of(row, "fam", qualifier), key.encode().len());
                }
            }
        }
    }

    #[test]
    fn places_are_those_that_a_prefix_selects() {
        let places = FamilyPlaces::new("fam");
        assert_eq!(
            [places.markers()],
            *Place::prefix().family("fam").entry_prefix(Entry::prefix().family_deleted()).ranges()
        );
        let bounds: [&[u8]; 6] = [b"", b"\0", b"\x01", b"a", b"a\0", b"\xff"];
        for start in bounds {
            for end in bounds.map(Some).into_iter().chain([None]) {
                use std::ops::Bound::{Excluded, Included, Unbounded};
                let Some(range) = KeyRange::new(start, end) else { continue };
                let selected =
                    Entry::prefix().column().qualifier_range((Included(start), end.map_or(Unbounded, Excluded)));
                let selected = Place::prefix().family("fam").entry_prefix(selected).ranges();
                assert_eq!(places.columns(&range).as_slice(), selected);
            }
        }
    }
}
