//! Errors of keys and of stores.
//!
//! Errors name tables, keys and columns, and say what was found there; so keys stand in logs. They hold no value of a row, and
//! never a `Secret`.

pub use crate::keys::error::{CursorError, DecodeError, DecodeReason, WidthError};
#[cfg(feature = "tables")]
pub use crate::store::error::{Access, CodecError, EngineError, Error, ErrorKind, Result, RowError, RowErrors};
