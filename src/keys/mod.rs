//! Keys: layouts, encodings, prefixes, ranges. It imports nothing above it.

#[cfg(feature = "tables")]
pub(crate) mod checkpoint;
#[cfg(feature = "jiff")]
pub mod civil;
pub mod clock;
pub mod cursor;
pub mod encode;
pub(crate) mod error;
pub(crate) mod fingerprint;
pub mod foreign;
pub mod geo;
pub(crate) mod host;
pub(crate) mod key;
pub mod layout;
pub mod lead;
pub mod moment;
pub mod prefix;
pub mod range;
pub(crate) mod reader;
pub(crate) mod span;
pub mod untyped;
pub mod words;
pub(crate) mod writer;
