//! Maximum lengths of keys, values and names.

use super::{Batch, check_key};
use crate::store::error::Error;

/// Maximum lengths in bytes that a store accepts; `None` means no known limit. The limits are inclusive. Anything
/// longer is refused with [`Error::TooLarge`] before anything is written.
///
/// ```
/// use rowkey::store::{Batch, Limits};
///
/// let limits = Limits::none().key(4);
/// assert!(limits.check("t", Batch::new().put("four", "any value")).is_ok());
/// let error = limits.check("t", Batch::new().put("fives", "")).unwrap_err();
/// assert_eq!(error.to_string(), r#"a key of 5 bytes in table "t" at key 6669766573 is too large: the maximum is 4"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum length of a key.
    pub key: Option<usize>,
    /// Maximum length of a value.
    pub value: Option<usize>,
    /// Maximum length of a table's name.
    pub table_name: Option<usize>,
}

impl Limits {
    /// No known limits.
    pub const fn none() -> Self {
        Self { key: None, value: None, table_name: None }
    }

    /// Sets the maximum [`key`](Self::key) length.
    #[must_use]
    pub const fn key(mut self, bytes: usize) -> Self {
        self.key = Some(bytes);
        self
    }

    /// Sets the maximum [`value`](Self::value) length.
    #[must_use]
    pub const fn value(mut self, bytes: usize) -> Self {
        self.value = Some(bytes);
        self
    }

    /// Sets the maximum [`table_name`](Self::table_name) length.
    #[must_use]
    pub const fn table_name(mut self, bytes: usize) -> Self {
        self.table_name = Some(bytes);
        self
    }

    /// Checks all writes of a batch. For authors of engines, to call before a write.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyKey`], [`Error::TooLarge`].
    pub fn check(&self, table: &str, batch: &Batch) -> Result<(), Error> {
        batch.writes().try_for_each(|write| self.check_row(table, write.key(), write.value()))
    }

    /// Checks one row.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyKey`], [`Error::TooLarge`].
    pub fn check_row(&self, table: &str, key: &[u8], value: Option<&[u8]>) -> Result<(), Error> {
        check_key(key)?;
        check_len("a key", table, key, key.len(), self.key)?;
        check_len("a value", table, key, value.map_or(0, <[u8]>::len), self.value)
    }

    /// Checks the name of a table.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn check_table_name(&self, name: &str) -> Result<(), Error> {
        check_len("a table's name", name, &[], name.len(), self.table_name)
    }
}

/// Returns [`Error::TooLarge`] if `len` exceeds `max`.
#[inline]
pub(crate) fn check_len(
    what: &'static str,
    table: &str,
    key: &[u8],
    len: usize,
    max: Option<usize>,
) -> Result<(), Error> {
    match max {
        Some(max) if len > max => Err(too_large(what, table, key, len, max)),
        _ => Ok(()),
    }
}

#[cold]
fn too_large(what: &'static str, table: &str, key: &[u8], len: usize, max: usize) -> Error {
    const SHOWN: usize = 256;
    let key = key[..key.len().min(SHOWN)].to_vec();
    Error::TooLarge { what, table: table.to_owned(), key, len, max }
}
