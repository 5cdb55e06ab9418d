#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod database;
mod directory;
mod error;
mod journal;
mod journals;
mod limits;
mod options;
mod order;
mod record;
mod snapshot;
mod strangers;
mod table;
mod tail;

pub use self::database::Fjall;
pub use self::error::FjallError;
pub use self::options::{Durability, FjallOptions, TableOptions};
