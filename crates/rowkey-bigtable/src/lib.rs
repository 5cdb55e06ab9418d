#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admin;
pub mod client;
#[cfg(feature = "google")]
mod credentials;
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
#[cfg(feature = "google")]
mod trust;

pub use tonic::Code;

#[cfg(feature = "google")]
pub use self::credentials::{Credentials, Token, TokenError, TokenProvider};
pub use self::database::Bigtable;
pub use self::error::BigtableError;
pub use self::options::BigtableOptions;
