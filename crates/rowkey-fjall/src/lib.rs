#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod database;
mod directory;
mod error;
mod journal;
mod limits;
mod options;
mod snapshot;
mod table;

pub use self::database::Fjall;
pub use self::error::FjallError;
pub use self::options::{Durability, FjallOptions, TableOptions};
