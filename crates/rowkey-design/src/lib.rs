//! Judges the design of a table in a sorted store before it exists.

pub mod check;
pub mod cost;
pub mod ddl;
pub mod design;
mod edit;
pub mod explain;
pub mod facts;
pub mod file;
pub mod finding;
pub mod forms;
pub mod import;
pub mod load;
mod problem;
pub mod profile;
pub mod quote;
mod resolve;
pub mod rules;
pub mod sample;
pub mod suggest;

pub use self::check::{Allowed, CheckOptions, Report};
pub use self::finding::{Edit, Finding, Number, Remedy, Severity};
pub use self::problem::{File, Files, Located, Place, Problem, Problems};
pub use self::resolve::{Design, TableDesign};
pub use self::rules::Rule;
