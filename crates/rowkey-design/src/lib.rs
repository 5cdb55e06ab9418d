//! Judges the design of a table in a sorted store before it exists.

pub mod design;
pub mod file;
pub mod problem;
