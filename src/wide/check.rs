//! Validation of mutations before they are written.

use super::mutation::{Edit, Mutation};
use super::schema::TableSchema;
use crate::store::catalog::{self, PLAIN};
use crate::store::error::Error;
use crate::store::{TableId, check_key, check_len};

/// Maximum lengths of row keys, qualifiers and values in bytes; `None` means no known limit. Anything up to the limit
/// is accepted, whatever its bytes. Anything longer may be accepted too, or is refused with [`Error::TooLarge`] before
/// anything is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideLimits {
    /// Maximum length of a row's key.
    pub row: Option<usize>,
    /// Maximum length of a qualifier.
    pub qualifier: Option<usize>,
    /// Maximum length of a cell's value.
    pub value: Option<usize>,
}

impl WideLimits {
    /// No known limits.
    pub const fn none() -> Self {
        Self { row: None, qualifier: None, value: None }
    }

    /// Sets the maximum [`row`](Self::row) length.
    #[must_use]
    pub const fn row(mut self, bytes: usize) -> Self {
        self.row = Some(bytes);
        self
    }

    /// Sets the maximum [`qualifier`](Self::qualifier) length.
    #[must_use]
    pub const fn qualifier(mut self, bytes: usize) -> Self {
        self.qualifier = Some(bytes);
        self
    }

    /// Sets the maximum [`value`](Self::value) length.
    #[must_use]
    pub const fn value(mut self, bytes: usize) -> Self {
        self.value = Some(bytes);
        self
    }
}

/// Refuses the names of the crate's own wide tables. The wide tables that hold its own plain tables
/// ([`OneColumn::database`](super::OneColumn::database)) are allowed. For authors of engines, to call before a table is
/// opened, created or dropped.
///
/// # Errors
///
/// [`Error::ReservedName`].
pub fn check_wide_name(table: &str) -> Result<(), Error> {
    if table.starts_with(PLAIN) { Ok(()) } else { catalog::check_name(table) }
}

/// Checks a mutation of a row: key, timestamps, families, lengths. For authors of engines, to call for all rows before
/// a write.
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
