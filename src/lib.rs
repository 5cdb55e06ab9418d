//! Order-preserving composite row keys for sorted stores.
#![forbid(unsafe_code)]

pub mod encode;
pub mod error;
pub mod layout;
pub mod merge;
pub mod plain;
pub mod range;
mod reader;
pub mod salt;
mod span;
pub mod store;
mod writer;

pub use encode::List;
pub use error::{DecodeError, Error};
pub use layout::Layout;
pub use plain::{Explanation, Fingerprint, LayoutBuf, LayoutError, Value, ValueError};
pub use range::KeyRange;
pub use store::Memory;
