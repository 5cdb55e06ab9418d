//! Time series: temperatures as a file has them, and OpenTSDB's tables.

pub mod tsdb;

mod readings;

pub use readings::readings;
