//! The errors of keys, stores and tables.
//!
//! Errors name tables, keys and columns, and describe what was found there, so keys appear in logs. They never contain
//! the value of a row or a `Secret`.

pub use crate::keys::error::{CursorError, DecodeError, DecodeReason, WidthError};
#[cfg(feature = "tables")]
pub use crate::store::error::{Access, CodecError, EngineError, Error, ErrorKind, Result, RowError, RowErrors};
