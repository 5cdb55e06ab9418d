//! A report as annotations of GitHub Actions: a workflow command a line.

use crate::check::Report;
use crate::problem::{Files, Problem, Span};
use crate::quote::terminal;
use crate::resolve::Design;
use crate::rule::Severity;

use super::short;

pub(super) fn report(design: &Design, report: &Report) -> String {
    let files = &design.files;
    let mut text = String::new();
    for finding in &report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let title = format!("{} {}", finding.rule.id, finding.rule.title);
        let cure = finding.remedy.as_ref().map(|remedy| &remedy.text);
        let lines = std::iter::once(&finding.message).chain(&finding.witness).chain(cure);
        text += &line(command, files, finding.place, &title, lines);
    }
    for note in &report.notes {
        text += &line("notice", files, note.place, "note", std::iter::once(&note.message).chain(&note.help));
    }
    text + &problems(files, &report.problems)
}

pub(super) fn problems(files: &Files, problems: &[Problem]) -> String {
    let lines = |problem: &Problem| {
        let said = std::iter::once(&problem.message).chain(&problem.help);
        line("error", files, problem.place, "design file", said)
    };
    problems.iter().map(lines).collect()
}

fn line<'t>(
    command: &str,
    files: &Files,
    place: Span,
    title: &str,
    message: impl Iterator<Item = &'t String>,
) -> String {
    let name = files.file(place).map_or("", |file| &file.name);
    let (line, column) = files.line_and_column(place);
    // Logs are read in terminals too.
    let message = message.map(|line| short(line)).collect::<Vec<_>>().join("\n");
    let (name, title, message) = (property(&terminal(name)), property(&terminal(title)), data(&message));
    format!("::{command} file={name},line={line},col={column},title={title}::{message}\n")
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
