#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod database;
mod directory;
mod error;
mod files;
mod journal;
mod journals;
mod limits;
mod open;
mod options;
mod order;
mod record;
mod shared;
mod snapshot;
mod strangers;
mod table;
mod tail;

pub use self::database::Fjall;
pub use self::error::FjallError;
pub use self::options::{Durability, FjallOptions, TableOptions};
