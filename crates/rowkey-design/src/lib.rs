//! Judges the design of a table in a sorted store before it exists.

pub mod check;
pub mod choice;
pub mod cost;
pub mod ddl;
pub mod design;
pub mod diff;
mod edit;
pub mod explain;
pub mod facts;
pub mod file;
pub mod finding;
mod format;
pub mod forms;
pub mod import;
mod lines;
pub mod load;
mod of;
mod problem;
pub mod profile;
pub mod quote;
pub mod report;
mod resolve;
mod rule;
mod rules;
pub mod sample;
pub mod suggest;

pub use self::check::{Allowed, Report, Unused};
pub use self::diff::{Class, Difference, diff, lock};
pub use self::finding::{Edit, Finding, Number, Remedy};
pub use self::format::format;
pub use self::of::assert_key;
pub use self::problem::{File, Files, Located, Place, Problem, Problems};
pub use self::resolve::{Design, TableDesign};
pub use self::rule::{Fix, Rule, RuleKind, Severity};
pub use self::rules::context::CheckOptions;

/// The code in README.md, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod _readme {}
