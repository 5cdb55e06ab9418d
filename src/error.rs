//! What can go wrong, and how it is said.

use std::fmt;

/// What a store or a table can answer instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A key of no bytes: no sorted store takes one.
    #[error("the row key is empty")]
    EmptyKey,

    /// The value at `key` is no counter.
    #[error("the value at key {} is no counter: it has {len} bytes, a counter has 8", Hex(key))]
    NotACounter {
        /// The row's key.
        key: Vec<u8>,
        /// The length of what is there.
        len: usize,
    },

    /// The store does not have what was asked of it; its [`Guarantees`](crate::store::Guarantees) say so.
    #[error("this store has no {0}")]
    Unsupported(&'static str),

    /// The engine failed.
    #[error("the store failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// An engine's own error.
    pub fn engine(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Engine(error.into())
    }
}

/// Bytes as lower-case hex.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
