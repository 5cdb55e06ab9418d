#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admin;
mod batch;
mod buffered;
mod cause;
mod cell;
mod client;
mod columns;
mod condition;
mod core;
mod error;
mod exception;
#[cfg(test)]
mod fake;
mod filter;
mod flight;
mod get;
mod locked;
mod mutation;
mod names;
mod options;
mod pause;
mod pb;
mod regions;
mod registry;
mod row;
mod row_mutations;
mod rpc;
mod scan;
mod security;
mod server;
mod site;
mod table;
mod table_name;
mod zookeeper;

pub use self::admin::{
    Admin, BlockEncoding, BloomFilter, Compacting, Compression, Family, KeepDeletedCells, Namespace, TableSchema,
};
pub use self::batch::{Action, Outcome, Write};
pub use self::buffered::{BufferOptions, BufferedMutator, FailedWrite, Written};
pub use self::cell::{Cell, CellKind};
pub use self::client::{Client, Counters};
pub use self::condition::Condition;
pub use self::error::{Error, ErrorKind, Result};
pub use self::exception::Exception;
pub use self::filter::{Compare, Filter};
pub use self::get::Get;
pub use self::mutation::{Append, Delete, Durability, Increment, Mutation, Put};
pub use self::options::Options;
pub use self::regions::Region;
pub use self::row::{Cells, Row};
pub use self::row_mutations::{CheckAndMutate, RowMutations};
pub use self::scan::{Scan, ScanCounts, Scanner};
#[cfg(feature = "kerberos")]
pub use self::security::{Kerberos, Protection};
#[cfg(feature = "tls")]
pub use self::security::{Tls, TlsVersion};
pub use self::server::{Address, AddressError, ServerName};
pub use self::table::Table;
pub use self::table_name::TableName;
