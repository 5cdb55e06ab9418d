#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admin;
pub mod client;
mod database;
mod edit;
mod error;
mod filter;
mod options;
mod records;
mod row;
mod scan;
mod schema;
mod store;

pub use tonic::Code;

pub use self::database::Bigtable;
pub use self::error::BigtableError;
pub use self::options::BigtableOptions;
