//! rowkey's tables in Google Cloud Bigtable.
#![forbid(unsafe_code)]
pub mod client;
mod error;
mod options;
pub use self::error::BigtableError;
pub use self::options::BigtableOptions;
pub use tonic::Code;
