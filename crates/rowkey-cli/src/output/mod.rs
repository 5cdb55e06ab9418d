//! What a check found, in the forms that people and programs read.

mod columns;
mod github;
mod json;
mod reads;
mod sampled;
mod sarif;
mod text;

use rowkey_design::explain::json_text;
use rowkey_design::quote::terminal;
use rowkey_design::{CheckOptions, Design, Problems, Report};
use serde_json::Value as Json;

pub(crate) use self::json::place;
pub(crate) use self::text::{Styles, problems};

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people, as rustc prints its findings.
    Text,
    /// A line for each finding.
    Short,
    /// For programs.
    Json,
    /// SARIF 2.1.0, which code hosts read.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

/// A report in a form.
pub(crate) fn report(
    format: Format,
    design: &Design,
    options: &CheckOptions,
    report: &Report,
    styles: Styles,
) -> String {
    match format {
        Format::Text => text::report(design, options, report, styles),
        Format::Short => text::lines(design, report),
        Format::Json => printed(&json::report(design, options, report)),
        Format::Sarif => printed(&sarif::report(design, report)),
        Format::Github => github::report(design, report),
    }
}

/// What is wrong in the files of a design that cannot be read, in a form.
pub(crate) fn invalid(format: Format, invalid: &Problems, styles: Styles) -> String {
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
pub(crate) fn printed(json: &Json) -> String {
    json_text(json, true) + "\n"
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    let plural = match (count, what) {
        (1, _) => what.to_owned(),
        (_, "query") => "queries".to_owned(),
        (_, "allowed") => what.to_owned(),
        _ => format!("{what}s"),
    };
    format!("{count} {plural}")
}

/// Text for a terminal, cut where it is longer than a message can be.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 1000;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => terminal(&text[..end]) + "…",
        None => terminal(text),
    }
}
