//! Judges the design of a table in a sorted store before it exists.

pub mod design;
pub mod file;
mod problem;
mod resolve;

pub use self::problem::{File, Files, Located, Place, Problem, Problems};
pub use self::resolve::{Design, TableDesign};
