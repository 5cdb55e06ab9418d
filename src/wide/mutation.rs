//! Writes to one row.

use super::column::Column;
#[cfg(feature = "json")]
use crate::store::error::CodecError;
use crate::store::error::{Access, Error};
use crate::store::value::RowValue;

/// A list of writes to one row: puts and deletes. A store applies it atomically if it declares
/// [`atomic_rows`](super::WideGuarantees::atomic_rows).
///
/// Timestamps are milliseconds since 1970. Without one, a write has the time of a clock. A put with the timestamp of an
/// existing version replaces it, as do two puts within a millisecond. A put with an older timestamp does not become the
/// newest version.
///
/// In [`Cells`](super::Cells) edits take effect in order, and a write without a timestamp is
/// [the latest write](super#semantics). Other stores declare what they do:
/// [`edit_order`](super::WideGuarantees::edit_order), [`untimed_puts`](super::WideGuarantees::untimed_puts),
/// [`untimed_deletes`](super::WideGuarantees::untimed_deletes),
/// [`put_after_delete`](super::WideGuarantees::put_after_delete).
#[doc(alias = "RowMutations")]
#[doc(alias = "Put")]
#[doc(alias = "Delete")]
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
    /// Writes a version of a column.
    Put {
        /// The column.
        column: Column,
        /// Its timestamp. `None`: now.
        at: Option<i64>,
        /// Its value.
        value: Vec<u8>,
    },
    /// Deletes one version of a column.
    DeleteVersion {
        /// The column.
        column: Column,
        /// The version's timestamp. `None`: the newest version.
        at: Option<i64>,
    },
    /// Deletes all versions of a column.
    DeleteColumn {
        /// The column.
        column: Column,
        /// Up to this timestamp, inclusive. `None`: now.
        until: Option<i64>,
    },
    /// Deletes all cells of a family.
    DeleteFamily {
        /// The family.
        family: String,
        /// Up to this timestamp, inclusive. `None`: now.
        until: Option<i64>,
    },
    /// Deletes all cells of the row.
    DeleteRow {
        /// Up to this timestamp, inclusive. `None`: now.
        until: Option<i64>,
    },
}

impl Edit {
    /// The timestamp, if one is given.
    pub fn timestamp(&self) -> Option<i64> {
        match *self {
            Self::Put { at, .. } | Self::DeleteVersion { at, .. } => at,
            Self::DeleteColumn { until, .. } | Self::DeleteFamily { until, .. } | Self::DeleteRow { until } => until,
        }
    }

    /// Number of bytes in its names and its value.
    pub(crate) fn bytes(&self) -> usize {
        let of_column = |column: &Column| column.family.len() + column.qualifier.len();
        match self {
            Self::Put { column, value, .. } => of_column(column) + value.len(),
            Self::DeleteVersion { column, .. } | Self::DeleteColumn { column, .. } => of_column(column),
            Self::DeleteFamily { family, .. } => family.len(),
            Self::DeleteRow { .. } => 0,
        }
    }

    /// The family; `None` for the whole row.
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
    /// An empty list.
    pub const fn new() -> Self {
        Self { edits: Vec::new() }
    }

    fn and(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    /// Sets the value of a column.
    #[must_use]
    pub fn put(self, column: impl Into<Column>, value: impl Into<Vec<u8>>) -> Self {
        self.and(Edit::Put { column: column.into(), at: None, value: value.into() })
    }

    /// Sets the value of a column in the version with this timestamp, which must be in the store's
    /// [range](super::WideGuarantees::timestamps). A version in the future is the newest one until a write without a
    /// timestamp removes it, on stores where those [are the latest](super::UntimedPuts::Latest). It also expires later.
    #[must_use]
    pub fn put_at(self, column: impl Into<Column>, at: i64, value: impl Into<Vec<u8>>) -> Self {
        self.and(Edit::Put { column: column.into(), at: Some(at), value: value.into() })
    }

    /// Sets the value of a column, encoded by the value's codec.
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] with the codec's error.
    pub fn put_value<V: RowValue>(self, column: impl Into<Column>, value: &V) -> Result<Self, Error> {
        let (column, mut bytes) = (column.into(), Vec::new());
        match value.encode_value(&mut bytes) {
            Ok(()) => Ok(self.put(column, bytes)),
            Err(source) => Err(Error::Cell { column: column.to_string(), access: Access::Write, source }),
        }
    }

    /// Writes each field of a struct, or entry of a map, to a column of the family. The qualifier is its name, the
    /// value its JSON. A null field deletes its column. [`Row::read_struct`](super::Row::read_struct) reads them back.
    ///
    /// JSON text has quotes, and JSON numbers are digits: conditions compare with these bytes. Counters belong in
    /// another family.
    ///
    /// # Errors
    ///
    /// [`Error::Cell`] with serde_json's error, or if the value is not a struct or a map.
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

    /// Deletes the newest version of a column, which uncovers the one before it. Not every store
    /// [supports it](super::WideGuarantees::delete_latest).
    #[must_use]
    pub fn delete_latest(self, column: impl Into<Column>) -> Self {
        self.and(Edit::DeleteVersion { column: column.into(), at: None })
    }

    /// Deletes the version with this timestamp.
    #[must_use]
    pub fn delete_version(self, column: impl Into<Column>, at: i64) -> Self {
        self.and(Edit::DeleteVersion { column: column.into(), at: Some(at) })
    }

    /// Deletes all versions of a column.
    #[must_use]
    pub fn delete_column(self, column: impl Into<Column>) -> Self {
        self.and(Edit::DeleteColumn { column: column.into(), until: None })
    }

    /// Deletes the versions of a column up to a timestamp, inclusive.
    #[must_use]
    pub fn delete_column_until(self, column: impl Into<Column>, until: i64) -> Self {
        self.and(Edit::DeleteColumn { column: column.into(), until: Some(until) })
    }

    /// Deletes all columns of a family.
    #[must_use]
    pub fn delete_family(self, family: impl Into<String>) -> Self {
        self.and(Edit::DeleteFamily { family: family.into(), until: None })
    }

    /// Deletes the cells of a family up to a timestamp, inclusive. Not every store
    /// [supports it](super::WideGuarantees::delete_family_until).
    #[must_use]
    pub fn delete_family_until(self, family: impl Into<String>, until: i64) -> Self {
        self.and(Edit::DeleteFamily { family: family.into(), until: Some(until) })
    }

    /// Deletes the row.
    #[must_use]
    pub fn delete_row(self) -> Self {
        self.and(Edit::DeleteRow { until: None })
    }

    /// Deletes the cells of the row up to a timestamp, inclusive. Not every store
    /// [supports it](super::WideGuarantees::delete_family_until).
    #[must_use]
    pub fn delete_row_until(self, until: i64) -> Self {
        self.and(Edit::DeleteRow { until: Some(until) })
    }

    /// The writes in order. For authors of engines.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Returns whether the mutation has no edits.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns [`Error::Timestamp`] if a timestamp is before 1970. For authors of engines, to call before a write; a
    /// store with a range of its own calls [`Timestamps::check`](super::Timestamps::check).
    pub fn check_timestamps(&self) -> Result<(), Error> {
        match self.edits.iter().filter_map(Edit::timestamp).find(|&at| at < 0) {
            Some(at) => Err(Error::Timestamp(at)),
            None => Ok(()),
        }
    }
}
