//! Writes to one row.

use super::column::Column;
#[cfg(feature = "json")]
use crate::store::error::CodecError;
use crate::store::error::{Access, Error};
use crate::store::value::RowValue;

/// Writes to one row, applied as one: no reader sees some of them without the others.
///
/// A timestamp is milliseconds since 1970; where none is given, a clock gives one. What is put under the timestamp of an earlier
/// version takes its place, as two puts within a millisecond do; under an older one it does not become the newest.
///
/// In [`Cells`](super::Cells) edits take effect in their order, deletes too, and a write without a timestamp is
/// [the latest there is](super#what-holds). Of other stores their guarantees say what they do:
/// [`edit_order`](super::WideGuarantees::edit_order), [`untimed_puts`](super::WideGuarantees::untimed_puts),
/// [`untimed_deletes`](super::WideGuarantees::untimed_deletes), [`put_after_delete`](super::WideGuarantees::put_after_delete).
///
/// ```
/// use rowkey::wide::Mutation;
///
/// let moved = Mutation::new().put("user:city", "Utrecht").delete_column("user:street").put_at("user:name", 7, "Ada");
/// assert_eq!(moved.edits().len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mutation {
    edits: Vec<Edit>,
}

/// One write of a [`Mutation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A version of a column.
    Put {
        /// The column.
        column: Column,
        /// Its timestamp; `None` is now.
        at: Option<i64>,
        /// Its value.
        value: Vec<u8>,
    },
    /// One version of a column is gone.
    DeleteVersion {
        /// The column.
        column: Column,
        /// The version's timestamp. `None`: that of the newest.
        at: Option<i64>,
    },
    /// All versions of a column are gone.
    DeleteColumn {
        /// The column.
        column: Column,
        /// Those up to this timestamp, itself included; `None` is now.
        until: Option<i64>,
    },
    /// All cells of a family are gone.
    DeleteFamily {
        /// The family.
        family: String,
        /// Those up to this timestamp, itself included; `None` is now.
        until: Option<i64>,
    },
    /// All cells of the row are gone.
    DeleteRow {
        /// Those up to this timestamp, itself included; `None` is now.
        until: Option<i64>,
    },
}

impl Edit {
    /// The timestamp that it was given.
    pub fn timestamp(&self) -> Option<i64> {
        match *self {
            Self::Put { at, .. } | Self::DeleteVersion { at, .. } => at,
            Self::DeleteColumn { until, .. } | Self::DeleteFamily { until, .. } | Self::DeleteRow { until } => until,
        }
    }

    /// How many bytes its names and its value have.
    pub(crate) fn bytes(&self) -> usize {
        let of_column = |column: &Column| column.family.len() + column.qualifier.len();
        match self {
            Self::Put { column, value, .. } => of_column(column) + value.len(),
            Self::DeleteVersion { column, .. } | Self::DeleteColumn { column, .. } => of_column(column),
            Self::DeleteFamily { family, .. } => family.len(),
            Self::DeleteRow { .. } => 0,
        }
    }

    /// The family that it is in; `None` of the whole row's.
    pub fn family(&self) -> Option<&str> {
        match self {
            Self::Put { column, .. } | Self::DeleteVersion { column, .. } | Self::DeleteColumn { column, .. } => {
                Some(&column.family)
            }
            Self::DeleteFamily { family, .. } => Some(family),
            Self::DeleteRow { .. } => None,
        }
    }
}

impl Mutation {
    /// No write.
    pub const fn new() -> Self {
        Self { edits: Vec::new() }
    }

    fn and(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    /// The column has this value from now on.
    #[must_use]
    pub fn put(self, column: impl Into<Column>, value: impl Into<Vec<u8>>) -> Self {
        self.and(Edit::Put { column: column.into(), at: None, value: value.into() })
    }

    /// The column has this value in a version of a timestamp, of those that the store
    /// [takes](super::WideGuarantees::timestamps). A version in the future is the newest until a write without a timestamp drops
    /// it, where those [are the latest](super::UntimedPuts::Latest); it expires that much later.
    #[must_use]
    pub fn put_at(self, column: impl Into<Column>, at: i64, value: impl Into<Vec<u8>>) -> Self {
        self.and(Edit::Put { column: column.into(), at: Some(at), value: value.into() })
    }

    /// The column has this value from now on, written by the value's codec.
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] with what the codec says.
    pub fn put_value<V: RowValue>(self, column: impl Into<Column>, value: &V) -> Result<Self, Error> {
        let (column, mut bytes) = (column.into(), Vec::new());
        match value.encode_value(&mut bytes) {
            Ok(()) => Ok(self.put(column, bytes)),
            Err(source) => Err(Error::Cell { column: column.to_string(), access: Access::Write, source }),
        }
    }

    /// One column for each field of a struct, or entry of a map, in one family: qualifiers are their names, values their
    /// JSON. A field that is null gets no column, and one that was there is deleted.
    /// [`Row::read_struct`](super::Row::read_struct) reads them.
    ///
    /// Text in JSON has quotes, and a number is its digits: conditions compare with these, and counters stand in a family of
    /// their own.
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] with what serde_json says; if the value is no struct and no map.
    #[cfg(feature = "json")]
    pub fn put_struct<T: serde::Serialize>(self, family: &str, value: &T) -> Result<Self, Error> {
        let put = |value| -> Result<Self, CodecError> {
            let serde_json::Value::Object(fields) = serde_json::to_value(value)? else {
                return Err("only a struct or a map has columns".into());
            };
            fields.into_iter().try_fold(self, |mutation, (name, value)| match value {
                serde_json::Value::Null => Ok(mutation.delete_column((family, name))),
                value => Ok(mutation.put((family, name), serde_json::to_vec(&value)?)),
            })
        };
        put(value).map_err(|source| Error::Cell { column: format!("{family}:"), access: Access::Write, source })
    }

    /// The newest version of a column is gone; the one before it is the newest then. Not every store
    /// [has it](super::WideGuarantees::delete_latest).
    #[must_use]
    pub fn delete_latest(self, column: impl Into<Column>) -> Self {
        self.and(Edit::DeleteVersion { column: column.into(), at: None })
    }

    /// The version with this timestamp is gone.
    #[must_use]
    pub fn delete_version(self, column: impl Into<Column>, at: i64) -> Self {
        self.and(Edit::DeleteVersion { column: column.into(), at: Some(at) })
    }

    /// The column is gone, all versions.
    #[must_use]
    pub fn delete_column(self, column: impl Into<Column>) -> Self {
        self.and(Edit::DeleteColumn { column: column.into(), until: None })
    }

    /// The versions of a column up to a timestamp, itself included, are gone.
    #[must_use]
    pub fn delete_column_until(self, column: impl Into<Column>, until: i64) -> Self {
        self.and(Edit::DeleteColumn { column: column.into(), until: Some(until) })
    }

    /// All columns of a family are gone.
    #[must_use]
    pub fn delete_family(self, family: impl Into<String>) -> Self {
        self.and(Edit::DeleteFamily { family: family.into(), until: None })
    }

    /// The cells of a family up to a timestamp, itself included, are gone. Not every store
    /// [has it](super::WideGuarantees::delete_family_until).
    #[must_use]
    pub fn delete_family_until(self, family: impl Into<String>, until: i64) -> Self {
        self.and(Edit::DeleteFamily { family: family.into(), until: Some(until) })
    }

    /// The row is gone.
    #[must_use]
    pub fn delete_row(self) -> Self {
        self.and(Edit::DeleteRow { until: None })
    }

    /// The cells of the row up to a timestamp, itself included, are gone. Not every store
    /// [has it](super::WideGuarantees::delete_family_until).
    #[must_use]
    pub fn delete_row_until(self, until: i64) -> Self {
        self.and(Edit::DeleteRow { until: Some(until) })
    }

    /// The writes in order; for a store's author.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// [`Error::Timestamp`] if a timestamp is before 1970; a store asks before it begins. One with a range of its own asks
    /// [`Timestamps::check`](super::Timestamps::check).
    pub fn check_timestamps(&self) -> Result<(), Error> {
        match self.edits.iter().filter_map(Edit::timestamp).find(|&at| at < 0) {
            Some(at) => Err(Error::Timestamp(at)),
            None => Ok(()),
        }
    }
}
