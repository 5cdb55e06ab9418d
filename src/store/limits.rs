//! How long keys, values and names can be.

use super::{Batch, check_key};
use crate::store::error::Error;

/// The longest that a store takes, in bytes; `None` where no limit is known. What is as long is taken, what is longer is refused
/// with [`Error::TooLarge`] before anything is written.
///
/// ```
/// use rowkey::store::{Batch, Limits};
///
/// let limits = Limits::none().key(4);
/// assert!(limits.check("t", Batch::new().put("four", "any value")).is_ok());
/// let error = limits.check("t", Batch::new().put("fives", "")).unwrap_err();
/// assert_eq!(error.to_string(), r#"a key of 5 bytes in table "t" at key 6669766573, where 4 are the most"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// A row's key.
    pub key: Option<usize>,
    /// A row's value.
    pub value: Option<usize>,
    /// A table's name.
    pub table_name: Option<usize>,
}

impl Limits {
    /// None that is known.
    pub const fn none() -> Self {
        Self { key: None, value: None, table_name: None }
    }

    /// The same with the longest [`key`](Self::key).
    #[must_use]
    pub const fn key(mut self, bytes: usize) -> Self {
        self.key = Some(bytes);
        self
    }

    /// The same with the longest [`value`](Self::value).
    #[must_use]
    pub const fn value(mut self, bytes: usize) -> Self {
        self.value = Some(bytes);
        self
    }

    /// The same with the longest [`table_name`](Self::table_name).
    #[must_use]
    pub const fn table_name(mut self, bytes: usize) -> Self {
        self.table_name = Some(bytes);
        self
    }

    /// Whether all writes of a batch to a table can be written; a store asks before it begins.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyKey`], [`Error::TooLarge`].
    pub fn check(&self, table: &str, batch: &Batch) -> Result<(), Error> {
        batch.writes().try_for_each(|write| self.check_row(table, write.key(), write.value()))
    }

    /// Whether one row can be written.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyKey`], [`Error::TooLarge`].
    pub fn check_row(&self, table: &str, key: &[u8], value: Option<&[u8]>) -> Result<(), Error> {
        check_key(key)?;
        check_len("a key", table, key, key.len(), self.key)?;
        check_len("a value", table, key, value.map_or(0, <[u8]>::len), self.value)
    }

    /// Whether a table can have a name.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn check_table_name(&self, name: &str) -> Result<(), Error> {
        check_len("a table's name", name, &[], name.len(), self.table_name)
    }
}

/// [`Error::TooLarge`] if something has more bytes than it can have.
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
