//! Checks of the design of a table in a sorted store, before the table exists.
//!
//! [`Design::parse`] reads design files, [`Design::check`] finds hazards of keys, queries and families, each by a
//! [`Rule`], [`Design::suggest`] searches for better keys, [`diff`] says what a change does to stored rows, and
//! [`assert_key`] holds a struct and its design together.
//!
//! ```
//! use rowkey_design::{CheckOptions, Date, Design, File, Severity};
//!
//! let text = r#"
//! format = 1
//! [table.visits]
//! key = ["at: instant", "host: text"]
//! [[table.visits.query]]
//! name = "one host"
//! fix = ["host"]
//! "#;
//! let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
//! let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
//! assert_eq!(report.count(Severity::Error), 1);
//! assert_eq!(report.findings[0].rule.id, "Q01");
//! # Ok::<(), rowkey_design::Problems>(())
//! ```

mod baseline;
mod check;
mod choice;
mod cost;
mod ddl;
mod design;
mod diff;
mod drawn;
mod edit;
mod explain;
mod facts;
mod file;
mod finding;
mod format;
mod forms;
mod frequencies;
mod from_key;
mod import;
pub mod infer;
mod lines;
mod load;
mod problem;
mod profile;
mod quote;
mod report;
mod resolve;
mod row_bytes;
mod row_key_schema;
mod rule;
mod rules;
mod sample;
mod sketch;
mod suggest;
mod write_cost;

pub use self::check::{AllowedBy, AllowedFinding, Report, Unjudged, UnusedAllow};
pub use self::design::{Date, Engine, Level, NotADay};
pub use self::diff::{Difference, Impact, diff, lock};
pub use self::finding::{Edit, Finding, Measure, Remedy};
pub use self::format::format;
pub use self::from_key::assert_key;
pub use self::problem::{File, Files, Problem, Problems, Span};
pub use self::resolve::Design;
pub use self::rule::{Fix, Rule, RuleKind, RuleLoad, Severity};
pub use self::rules::context::CheckOptions;
pub use self::suggest::Suggestions;

/// The parts that the program `rowkey` and the tests use. They change without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::diff::LOCK_LINE;
    pub use crate::format::SCHEMA_FILE;
    pub use crate::problem::Located;
    pub use crate::resolve::TableDesign;

    pub mod baseline {
        pub use crate::baseline::*;
    }
    pub mod choice {
        pub use crate::choice::*;
    }
    pub mod cost {
        pub use crate::cost::*;
    }
    pub mod ddl {
        pub use crate::ddl::*;
    }
    pub mod design {
        pub use crate::design::*;
    }
    pub mod drawn {
        pub use crate::drawn::*;
    }
    pub mod explain {
        pub use crate::explain::*;
    }
    pub mod facts {
        pub use crate::facts::*;
    }
    pub mod frequencies {
        pub use crate::frequencies::*;
    }
    pub mod file {
        pub use crate::file::*;
    }
    pub mod forms {
        pub use crate::forms::*;
    }
    pub mod import {
        pub use crate::import::*;
    }
    pub mod lines {
        pub use crate::lines::*;
    }
    pub mod load {
        pub use crate::load::*;
    }
    pub mod profile {
        pub use crate::profile::*;
    }
    pub mod quote {
        pub use crate::quote::*;
    }
    pub mod report {
        pub use crate::report::*;
    }
    pub mod sample {
        pub use crate::sample::*;
    }
    pub mod sketch {
        pub use crate::sketch::*;
    }
    pub mod suggest {
        pub use crate::suggest::*;
    }
}

/// The code in README.md, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod _readme {}
