//! The output of every command, in the forms that people and programs read: text, JSON, SARIF, annotations of GitHub,
//! SVG.

mod columns;
mod ddl;
mod diff;
mod github;
mod infer;
mod json;
mod key;
mod query;
mod reads;
mod regions;
mod rule;
mod sampled;
mod sarif;
mod suggest;
mod svg;
mod text;

use serde_json::Value as Json;

use crate::check::Report;
use crate::choice::choices;
use crate::file::plural;
use crate::problem::Problems;
use crate::quote::{json_text, terminal};
use crate::resolve::Design;
use crate::rules::context::CheckOptions;

pub use self::ddl::ddl_as_json;
pub use self::diff::{diff_as_json, diff_as_text};
pub use self::infer::{inferred_as_json, inferred_as_text};
pub use self::key::{forms, forms_as_text, key_as_json, key_as_text, keys_as_json};
pub use self::query::{query_as_json, query_as_text};
pub use self::regions::{regions_as_json, regions_as_text};
pub use self::rule::{rule_as_json, rules_as_json, rules_as_text};
pub use self::suggest::{suggestions_as_json, suggestions_as_text};
pub use self::svg::svg;
pub use self::text::Styles;
use self::text::problems;

choices! {
    /// A form of output.
    pub enum Format {
        /// For people, as rustc prints its findings.
        Text = "text",
        /// A line for each finding.
        Short = "short",
        /// For programs.
        Json = "json",
        /// SARIF 2.1.0, which code hosts read.
        Sarif = "sarif",
        /// Annotations of GitHub Actions.
        Github = "github",
    }
}

/// A report in a form.
pub fn report(format: Format, design: &Design, options: &CheckOptions, report: &Report, styles: Styles) -> String {
    match format {
        Format::Text => text::report(design, options, report, styles),
        Format::Short => text::lines(design, report),
        Format::Json => printed(&json::report(design, options, report)),
        Format::Sarif => printed(&sarif::report(design, report)),
        Format::Github => github::report(design, report),
    }
}

/// The faults in the files of a design that cannot be read, in a form.
pub fn invalid(format: Format, invalid: &Problems, styles: Styles) -> String {
    let (files, list) = (&invalid.files, &invalid.list);
    match format {
        Format::Text => problems(files, list, styles) + &counted(list.len(), "error") + "\n",
        Format::Short => text::problem_lines(files, list) + &counted(list.len(), "error") + "\n",
        Format::Json => printed(&json::invalid(files, list)),
        Format::Sarif => printed(&sarif::invalid(files, list)),
        Format::Github => github::problems(files, list),
    }
}

/// JSON as it is printed: for programs, and now and then on a terminal.
fn printed(json: &Json) -> String {
    json_text(json, true) + "\n"
}

/// `1 error`, `2 errors`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {}", plural(count == 1 || what == "allowed", what))
}

/// Text for a terminal, cut where it is longer than a message can be.
fn short(text: &str) -> String {
    const MOST: usize = 1000;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => terminal(&text[..end]) + "…",
        None => terminal(text),
    }
}
