//! The rows of a call that failed.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use super::{Error, Hex};

/// The writes of a call that failed, each with its error. All others are written.
///
/// An engine that writes row by row collects the failures here:
///
/// ```
/// use rowkey::error::RowErrors;
/// use rowkey::{Error, ErrorKind};
///
/// let mut failed = RowErrors::new(3);
/// for (index, key) in ["a", "b", "c"].iter().enumerate() {
///     let written = if *key == "b" { Err(Error::engine_of(ErrorKind::Busy, "its region is moving")) } else { Ok(()) };
///     if let Err(error) = written {
///         failed.push(index, "t", key.as_bytes(), error);
///     }
/// }
/// let error = failed.into_result().unwrap_err();
/// assert_eq!(error.to_string(), r#"1 of 3 writes failed, the first: key 62 of table "t": its region is moving"#);
/// let Error::Rows(rows) = error else { unreachable!() };
/// assert!(rows.iter().all(|row| row.key() == b"b" && row.error().kind().is_retryable()));
/// ```
#[derive(Clone, Debug)]
pub struct RowErrors {
    total: usize,
    /// Sorted by index.
    failures: Vec<RowError>,
}

/// A write that failed.
#[derive(Clone, Debug)]
pub struct RowError {
    table: Arc<str>,
    index: usize,
    key: Vec<u8>,
    error: Arc<Error>,
}

impl RowError {
    /// The table of the write.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The index of the write in its call, from 0. In a call with several batches it counts through all of them.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The row's key.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Why the write failed. Nothing of it is stored, unless the error's kind is
    /// [`OutcomeUnknown`](super::ErrorKind::OutcomeUnknown).
    pub fn error(&self) -> &Error {
        &self.error
    }

    pub(crate) fn shared(&self) -> Arc<Error> {
        Arc::clone(&self.error)
    }
}

impl Error {
    /// An error that several failures may share.
    pub(crate) fn of_shared(error: Arc<Self>) -> Self {
        Arc::try_unwrap(error).unwrap_or_else(|shared| Self::engine_of(shared.kind(), shared))
    }
}

impl RowErrors {
    /// No failures yet, of a call with `total` writes.
    pub const fn new(total: usize) -> Self {
        Self { total, failures: Vec::new() }
    }

    /// Adds a write that failed. Several writes that failed for one reason can share the error.
    pub fn push(&mut self, index: usize, table: &str, key: &[u8], error: impl Into<Arc<Error>>) {
        let table = match self.failures.last() {
            Some(last) if *last.table == *table => Arc::clone(&last.table),
            _ => table.into(),
        };
        let at = self.failures.partition_point(|failure| failure.index <= index);
        self.failures.insert(at, RowError { table, index, key: key.to_vec(), error: error.into() });
    }

    /// The number of writes in the call.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The number of writes that are written.
    pub fn written(&self) -> usize {
        self.total.saturating_sub(self.failures.len())
    }

    /// The number of writes that failed.
    pub fn failed(&self) -> usize {
        self.failures.len()
    }

    /// The writes that failed, in the order of the call.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &RowError> + DoubleEndedIterator {
        self.failures.iter()
    }

    /// The result of the call: `Ok` if no write failed. If the call has only one write, the result is that write's own
    /// error.
    ///
    /// # Errors
    ///
    /// [`Error::Rows`], or the error of the only write.
    pub fn into_result(mut self) -> Result<(), Error> {
        if self.failures.is_empty() {
            return Ok(());
        }
        if self.total == 1
            && let Some(RowError { table, index, key, error }) = self.failures.pop()
        {
            match Arc::try_unwrap(error) {
                Ok(error) => return Err(error),
                Err(error) => self.failures.push(RowError { table, index, key, error }),
            }
        }
        Err(Error::Rows(Box::new(self)))
    }

    /// Adds these failures to those of a larger call, with the index, the table and the key that they have there.
    pub(crate) fn in_call(
        &self,
        into: &mut Self,
        table: Option<&str>,
        place: impl Fn(&RowError) -> usize,
        key: impl Fn(&RowError) -> Vec<u8>,
    ) {
        for failure in &self.failures {
            into.push(place(failure), table.unwrap_or(&failure.table), &key(failure), failure.shared());
        }
    }

    /// Only the failures that `of` selects; the total stays the same.
    pub(crate) fn filtered(&self, of: impl Fn(&RowError) -> bool) -> Self {
        Self { total: self.total, failures: self.failures.iter().filter(|row| of(row)).cloned().collect() }
    }

    /// The first failure, as the error of the whole call.
    pub(crate) fn into_first(mut self) -> Error {
        self.failures.truncate(1);
        match self.failures.pop() {
            Some(first) => Error::of_shared(first.error),
            None => Error::engine("some of several writes failed"),
        }
    }

    /// Adds the failures of another part of the call.
    pub(crate) fn extend(&mut self, other: Self) {
        self.total += other.total;
        self.failures.extend(other.failures);
        self.failures.sort_by_key(|failure| failure.index);
    }

    /// Moves all indexes by `writes`.
    pub(crate) fn later_by(mut self, writes: usize) -> Self {
        self.failures.iter_mut().for_each(|failure| failure.index += writes);
        self
    }
}

impl fmt::Display for RowErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} writes failed", self.failures.len(), self.total)?;
        match self.failures.first() {
            Some(first) => write!(f, ", the first: {first}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {} of table {:?}: {}", Short(&self.key), self.table, self.error)
    }
}

/// The most bytes of a key in an error's text.
const SHORT: usize = 64;

/// Bytes as hex, at most the first 64.
pub(super) struct Short<'a>(pub(super) &'a [u8]);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Beginning(self.0))?;
        if self.0.len() > SHORT { write!(f, " ({} bytes)", self.0.len()) } else { Ok(()) }
    }
}

/// Bytes as hex, at most the first 64, without their number: they may be a part of a key.
pub(super) struct Beginning<'a>(pub(super) &'a [u8]);

impl fmt::Display for Beginning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(..SHORT).filter(|start| start.len() < self.0.len()) {
            Some(start) => write!(f, "{}…", Hex(start)),
            None => write!(f, "{}", Hex(self.0)),
        }
    }
}

impl StdError for RowErrors {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.failures.first().map(|first| &*first.error as _)
    }
}

impl StdError for RowError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_in_the_order_of_the_call() {
        let mut rows = RowErrors::new(9);
        let shared = Arc::new(Error::engine("together"));
        for index in [7, 2, 4] {
            rows.push(index, "t", &[index as u8; 100], Arc::clone(&shared));
        }
        assert_eq!(rows.iter().map(RowError::index).collect::<Vec<_>>(), [2, 4, 7]);
        assert_eq!((rows.total(), rows.failed(), rows.written()), (9, 3, 6));
        let rows = rows.later_by(10);
        let mut more = RowErrors::new(10);
        more.push(5, "u", b"k", Error::EmptyKey);
        more.extend(rows);
        assert_eq!(
            more.iter().map(|row| (row.index(), row.table())).collect::<Vec<_>>(),
            [(5, "u"), (12, "t"), (14, "t"), (17, "t")]
        );
        let said = more.to_string();
        assert_eq!(said, r#"4 of 19 writes failed, the first: key 6b of table "u": the row key is empty"#);
        assert_eq!(more.source().unwrap().to_string(), "the row key is empty");
        let long = more.iter().nth(1).unwrap();
        assert!(long.to_string().contains("02… (100 bytes)"), "{long}");
        assert_eq!(long.source().unwrap().to_string(), "together");
    }

    #[test]
    fn the_error_of_a_call_with_one_write_is_that_writes() {
        let one = |error: Arc<Error>| {
            let mut rows = RowErrors::new(1);
            rows.push(0, "t", b"k", error);
            rows.into_result().unwrap_err()
        };
        assert!(RowErrors::new(1).into_result().is_ok());
        assert!(matches!(one(Arc::new(Error::EmptyKey)), Error::EmptyKey));
        let kept = Arc::new(Error::EmptyKey);
        assert!(matches!(one(Arc::clone(&kept)), Error::Rows(_)));
    }
}
