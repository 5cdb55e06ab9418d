//! Asynchronous engines, tables and adapters.

mod bounds;
mod conforming;
mod drivers;
mod jobs;
mod one_column;
mod wide_catalog;
