#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admin;
mod call;
mod condition;
mod database;
mod edit;
mod error;
mod guarantees;
mod reading;
mod scan;
mod schema;
mod stamps;
mod store;

pub use self::database::HBase;
