//! Order-preserving composite row keys for sorted stores.
#![forbid(unsafe_code)]

pub mod error;
pub mod merge;
pub mod range;
pub mod store;

pub use error::Error;
pub use range::KeyRange;
pub use store::Memory;
#[cfg(feature = "conformance")]
pub use store::conformance;
