//! What a mutation is asked before it is written.

use super::mutation::{Edit, Mutation};
use super::schema::TableSchema;
use crate::store::error::Error;
use crate::store::{TableId, check_key, check_len};

/// How long row keys, qualifiers and values can be, in bytes; `None` where no limit is known. What is as long is taken, whatever its
/// bytes. What is longer is taken too, or refused with [`Error::TooLarge`] before anything is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideLimits {
    /// A row's key.
    pub row: Option<usize>,
    /// A column's qualifier.
    pub qualifier: Option<usize>,
    /// A cell's value.
    pub value: Option<usize>,
}

impl WideLimits {
    /// None that is known.
    pub const fn none() -> Self {
        Self { row: None, qualifier: None, value: None }
    }

    /// The same with the longest [`row`](Self::row).
    #[must_use]
    pub const fn row(mut self, bytes: usize) -> Self {
        self.row = Some(bytes);
        self
    }

    /// The same with the longest [`qualifier`](Self::qualifier).
    #[must_use]
    pub const fn qualifier(mut self, bytes: usize) -> Self {
        self.qualifier = Some(bytes);
        self
    }

    /// The same with the longest [`value`](Self::value).
    #[must_use]
    pub const fn value(mut self, bytes: usize) -> Self {
        self.value = Some(bytes);
        self
    }
}

/// Whether a row can be written so; a wide store asks before it begins, of all rows of a call. It refuses what is longer than
/// `limits`.
///
/// # Errors
///
/// [`Error::EmptyKey`], [`Error::Timestamp`], [`Error::NoSuchFamily`], [`Error::TooLarge`].
pub fn check_mutation(
    id: &TableId,
    row: &[u8],
    mutation: &Mutation,
    schema: &TableSchema,
    limits: &WideLimits,
) -> Result<(), Error> {
    check_key(row)?;
    mutation.check_timestamps()?;
    check_len("a row key", id.name(), row, row.len(), limits.row)?;
    for edit in mutation.edits() {
        edit.family().map_or(Ok(()), |family| schema.require(family).map(drop))?;
        if let Edit::Put { column, .. } | Edit::DeleteVersion { column, .. } | Edit::DeleteColumn { column, .. } = edit
        {
            check_len("a qualifier", id.name(), row, column.qualifier.len(), limits.qualifier)?;
        }
        if let Edit::Put { value, .. } = edit {
            check_len("a value", id.name(), row, value.len(), limits.value)?;
        }
    }
    Ok(())
}
