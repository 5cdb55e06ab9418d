//! Typed tables, the catalog that a database keeps of them, their splits, and jobs over many rows.

mod catalog;
mod jobs;
mod panics;
mod splits;
mod stored_keys;
mod table;
