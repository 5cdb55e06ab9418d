//! Web logs: the combined format, and logs read line by line.

mod combined;
mod input;

pub use combined::{Hit, Line, Malformed, parse};
pub use input::{Log, Logs, Summary, read_logs};
