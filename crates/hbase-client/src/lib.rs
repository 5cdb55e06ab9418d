#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod client;
mod cluster;
mod config;
mod model;
mod ops;
mod pb;
#[cfg(feature = "unstable-protocol")]
#[doc(hidden)]
pub mod protocol;
mod rpc;
mod security;
mod sync;
mod table;
mod time;

pub use self::client::{Client, Counters};
pub use self::config::options::Options;
pub use self::model::cell::{Cell, CellKind};
pub use self::model::condition::Condition;
pub use self::model::error::{Error, ErrorKind, Exception, Result};
pub use self::model::filter::{Compare, Filter, IfMissing, RowPattern};
pub use self::model::get::Get;
pub use self::model::mutation::{Append, Delete, Durability, Increment, Mutation, Put};
pub use self::model::namespace::Namespace;
pub use self::model::region::Region;
pub use self::model::region_metrics::RegionMetrics;
pub use self::model::row::{Cells, Row, RowRef};
pub use self::model::row_mutations::{CheckAndMutate, RowMutations};
pub use self::model::rows::{Rows, RowsIntoIter};
pub use self::model::scan::Scan;
pub use self::model::schema::{Family, TableSchema};
pub use self::model::server::{Address, AddressError, ServerName};
pub use self::model::table_name::TableName;
pub use self::model::values::{BlockEncoding, BloomFilter, Compression, KeepDeletedCells};
pub use self::ops::admin::{Admin, CompactionState, TableLock};
pub use self::ops::batch::{Action, Outcome, Write};
pub use self::ops::buffered::{BufferOptions, BufferedMutator, FailedWrite, Written};
pub use self::ops::scan::{ScanCounts, Scanner};
#[cfg(feature = "kerberos")]
pub use self::security::{Kerberos, Protection};
#[cfg(feature = "tls")]
pub use self::security::{Tls, TlsVersion};
pub use self::table::Table;
