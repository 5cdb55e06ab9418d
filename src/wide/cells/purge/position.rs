//! The position of a purge in its table.

use std::borrow::Cow;

use crate::RowKey;
use crate::wide::cells::visible::Why;

/// The part of the table that a purge has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Position {
    /// Nothing.
    #[default]
    Start,
    /// All rows up to this one.
    AfterRow(Vec<u8>),
    /// All rows before one, and a part of that.
    Inside(Inside<'static>),
}

/// The part of a row that a purge has done. A checkpoint contains it.
#[derive(RowKey, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inside<'a> {
    /// The key of the last entry that is done.
    pub(crate) entry: Cow<'a, [u8]>,
    /// The last timestamp up to which all cells of its family are removed that are done. The family's marker of that
    /// time is removed with the last of them.
    pub(crate) family_hides: Option<i64>,
    /// The same for its column.
    pub(crate) column_hides: Option<i64>,
    /// Number of versions of its column that were kept.
    pub(crate) kept: u32,
    /// Why the rest of the column was removed so far, for the report.
    pub(crate) why: Option<Why>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::key::RowKey;

    /// Programs have stored checkpoints.
    #[test]
    fn its_shape_is_frozen() {
        assert_eq!(Inside::LAYOUT.shape(), "bytes, option<i64>, option<i64>, u32, option<enum{1: (), 2: (), 3: ()}>");
        let inside = Inside {
            entry: (&b"r\0"[..]).into(),
            family_hides: Some(7),
            column_hides: None,
            kept: 3,
            why: Some(Why::Old),
        };
        let bytes = b"r\x01\x01\0\x01\x80\0\0\0\0\0\0\x07\0\0\0\0\x03\x01\x03";
        assert_eq!(inside.encode(), bytes);
        assert_eq!(Inside::decode(bytes), Ok(inside));
    }
}
