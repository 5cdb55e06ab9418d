//! Order-preserving composite row keys for sorted stores.
#![forbid(unsafe_code)]

pub mod encode;
pub mod error;
pub mod layout;
pub mod merge;
pub mod range;
mod reader;
pub mod salt;
pub mod store;
mod writer;

pub use encode::List;
pub use error::{DecodeError, Error};
pub use range::KeyRange;
pub use store::Memory;
