//! A report as annotations of GitHub Actions: a workflow command a line.

use rowkey_design::{Design, Files, Place, Report, Severity};

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
        let lines: Vec<&str> = std::iter::once(&finding.message).chain(&finding.witness).map(String::as_str).collect();
        let cure = finding.remedy.as_ref().map_or(String::new(), |remedy| format!("\n{}", remedy.text));
        text += &line(command, files, finding.place, &title, &(lines.join("\n") + &cure));
    }
    for problem in &report.problems {
        let help = problem.help.as_ref().map_or(String::new(), |help| format!("\n{help}"));
        text += &line("error", files, problem.place, "design file", &format!("{}{help}", problem.message));
    }
    text
}

fn line(command: &str, files: &Files, place: Place, title: &str, message: &str) -> String {
    let name = files.file(place).map_or("", |file| &file.name);
    let (line, column) = files.line_and_column(place);
    let (name, title, message) = (property(name), property(title), data(message));
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
