#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admin;
#[cfg(feature = "unstable-client")]
pub mod client;
// Its public items are not reachable then.
#[cfg(not(feature = "unstable-client"))]
#[allow(dead_code, unreachable_pub)]
mod client;
mod code;
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

pub use self::code::Code;
#[cfg(feature = "google")]
pub use self::credentials::{Credentials, Token, TokenError, TokenProvider};
pub use self::database::Bigtable;
pub use self::error::BigtableError;
pub use self::options::BigtableOptions;
