//! An engine's own errors.

use std::error::Error as StdError;
use std::fmt;

use super::{Error, ErrorKind};

/// What an engine failed with, in its own words, and the kind that it gave that.
#[derive(Debug)]
pub struct EngineError {
    kind: ErrorKind,
    error: Box<dyn StdError + Send + Sync>,
}

impl EngineError {
    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The engine's error.
    pub fn get_ref(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.error
    }

    /// The engine's error, given away.
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
    /// An engine's own error, of no [kind](ErrorKind) that callers know.
    pub fn engine(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::engine_of(ErrorKind::Other, error)
    }

    /// An engine's own error, of a kind.
    ///
    /// ```
    /// use rowkey::{Error, ErrorKind};
    ///
    /// let error = Error::engine_of(ErrorKind::Busy, "the region is moving");
    /// assert!(error.kind().is_retryable());
    /// assert_eq!(error.to_string(), "the region is moving");
    /// ```
    pub fn engine_of(kind: ErrorKind, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Engine(EngineError { kind, error: error.into() })
    }

    /// What the engine failed with, if it is an `E`: of `Fjall` a `FjallError`. Of an [`Error::OutcomeUnknown`] it is that of
    /// its cause.
    ///
    /// ```
    /// let error = rowkey::Error::engine(std::io::Error::other("no space"));
    /// assert_eq!(error.to_string(), "no space");
    /// assert!(error.engine_error::<std::io::Error>().is_some());
    /// ```
    pub fn engine_error<E: StdError + 'static>(&self) -> Option<&E> {
        match self {
            Self::Engine(engine) => engine.error.downcast_ref(),
            Self::OutcomeUnknown { source, .. } => source.engine_error(),
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
