//! Errors of engines.

use std::error::Error as StdError;
use std::fmt;

use super::{Error, ErrorKind};

/// The error of an engine, and its kind.
#[derive(Debug)]
pub struct EngineError {
    kind: ErrorKind,
    row: Option<Box<[u8]>>,
    error: Box<dyn StdError + Send + Sync>,
}

impl EngineError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The key of the row that a scan could not return: [`Error::engine_at`].
    pub fn row(&self) -> Option<&[u8]> {
        self.row.as_deref()
    }

    /// The engine's error.
    pub fn get_ref(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.error
    }

    /// Returns the engine's error.
    pub fn into_inner(self) -> Box<dyn StdError + Send + Sync> {
        self.error
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl StdError for EngineError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.source()
    }
}

impl Error {
    /// The error of an engine, of kind [`Other`](ErrorKind::Other).
    pub fn engine(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::engine_of(ErrorKind::Other, error)
    }

    /// The error of an engine, with its kind.
    ///
    /// ```
    /// use rowkey::{Error, ErrorKind};
    ///
    /// let error = Error::engine_of(ErrorKind::Busy, "the region is moving");
    /// assert!(error.kind().is_retryable());
    /// assert_eq!(error.to_string(), "the region is moving");
    /// ```
    pub fn engine_of(kind: ErrorKind, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Engine(EngineError { kind, row: None, error: error.into() })
    }

    /// The error of a scan that can't return one row, which it names: all of its rows before that one, in its
    /// direction, were returned. A [merge](crate::merge) of scans returns it at that row's place, after the rows of the
    /// others that come before; other errors end a merge at once.
    ///
    /// A store that gives rows other keys than the store beneath, or adds rows of its own, makes another error of this
    /// one.
    ///
    /// ```
    /// use rowkey::{Error, ErrorKind};
    ///
    /// let Error::Engine(error) = Error::engine_at(ErrorKind::InvalidInput, "key", "the row is too large") else { return };
    /// assert_eq!(error.row(), Some(&b"key"[..]));
    /// ```
    pub fn engine_at(
        kind: ErrorKind,
        row: impl Into<Vec<u8>>,
        error: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self::Engine(EngineError { kind, row: Some(row.into().into()), error: error.into() })
    }

    /// The row that a scan could not return, after all rows before it.
    pub(crate) fn row(&self) -> Option<&[u8]> {
        if let Self::Engine(error) = self { error.row() } else { None }
    }

    /// The error of a scan whose rows have other keys.
    pub(crate) fn of_row(mut self, key: impl FnOnce(&[u8]) -> Option<&[u8]>) -> Self {
        if let Self::Engine(EngineError { row, .. }) = &mut self {
            *row = row.as_deref().and_then(key).map(Into::into);
        }
        self
    }

    /// The engine's error, if it is an `E`, for example a `FjallError`. For [`Error::OutcomeUnknown`] and
    /// [`Error::Catalog`] this looks at the cause.
    ///
    /// ```
    /// let error = rowkey::Error::engine(std::io::Error::other("no space"));
    /// assert_eq!(error.to_string(), "no space");
    /// assert!(error.engine_error::<std::io::Error>().is_some());
    /// ```
    pub fn engine_error<E: StdError + 'static>(&self) -> Option<&E> {
        match self {
            Self::Engine(engine) => engine.error.downcast_ref(),
            Self::OutcomeUnknown { source, .. } | Self::Catalog { source, .. } => source.engine_error(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the disk is full")]
    struct Full(#[source] std::io::Error);

    #[test]
    fn the_engines_error_is_behind_it() {
        let full = || Full(std::io::Error::other("no space"));
        let error = Error::engine_of(ErrorKind::Busy, full());
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Busy, "the disk is full".to_owned()));
        assert_eq!(error.source().unwrap().to_string(), "no space");
        assert!(error.engine_error::<Full>().is_some() && error.engine_error::<std::io::Error>().is_none());
        let unknown = Error::OutcomeUnknown { table: "t".to_owned(), source: Box::new(error) };
        assert!(unknown.engine_error::<Full>().is_some());
        let Error::Engine(engine) = Error::engine(full()) else { panic!() };
        assert!(engine.get_ref().is::<Full>() && engine.into_inner().downcast::<Full>().is_ok());
    }
}
