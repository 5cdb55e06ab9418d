//! Requests, rows and names as a user makes them, and errors. Nothing here sends anything.

pub(crate) mod cell;
pub(crate) mod columns;
pub(crate) mod condition;
pub(crate) mod error;
pub(crate) mod filter;
pub(crate) mod get;
pub(crate) mod mutation;
pub(crate) mod names;
pub(crate) mod namespace;
pub(crate) mod region;
pub(crate) mod region_metrics;
pub(crate) mod row;
pub(crate) mod row_mutations;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod schema;
pub(crate) mod server;
pub(crate) mod table_name;
pub(crate) mod values;
