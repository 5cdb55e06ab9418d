//! A report as JSON.

use serde_json::{Value as Json, json};

use crate::check::{AllowedBy, Report};
use crate::finding::{Edit, Finding};
use crate::problem::{Files, Problem, Span};
use crate::resolve::Design;
use crate::rule::Severity;
use crate::rules::context::CheckOptions;

use super::{reads, sampled};

pub(super) fn report(design: &Design, options: &CheckOptions, report: &Report) -> Json {
    let files = &design.files;
    let count = |severity| report.count(severity);
    json!({
        "version": 1,
        "samples": options.profiles.iter().map(|(table, profile)| (table.clone(), sampled::json(profile))).collect::<serde_json::Map<_, _>>(),
        "findings": report.findings.iter().map(|found| finding(files, found)).collect::<Vec<_>>(),
        "allowed": report.allowed.iter().map(|allowed| {
            let mut json = finding(files, &allowed.finding);
            let allow = match &allowed.by {
                AllowedBy::Allow(allow) => Some(allow),
                _ => None,
            };
            json["by"] = allowed.by.word().into();
            json["why"] = allow.map(|allow| allow.why.as_str()).into();
            json["until"] = allow.and_then(|allow| allow.until.as_ref()).map(|until| until.value.to_string()).into();
            json
        }).collect::<Vec<_>>(),
        "problems": problems(files, &report.problems),
        "notes": problems(files, &report.notes),
        "assumed": report.assumed,
        "unjudged": report.unjudged.iter().map(|unjudged| &unjudged.question).collect::<Vec<_>>(),
        "reads": reads::json(report, design, options),
        "summary": {
            "tables": report.tables,
            "queries": report.queries,
            "errors": count(Severity::Error),
            "warnings": count(Severity::Warning),
            "notes": count(Severity::Note),
            "allowed": report.allowed.len(),
            "problems": report.problems.len(),
        },
    })
}

/// The output where no design can be read: the same object, with the problems alone.
pub(super) fn invalid(files: &Files, list: &[Problem]) -> Json {
    json!({"version": 1, "problems": problems(files, list), "summary": {"problems": list.len()}})
}

fn problems(files: &Files, problems: &[Problem]) -> Vec<Json> {
    let problem = |problem: &Problem| json!({"message": problem.message, "help": problem.help, "place": place(files, problem.place)});
    problems.iter().map(problem).collect()
}

/// A place: the file's name, line and column from 1, and the bytes from 0.
pub(super) fn place(files: &Files, place: Span) -> Json {
    let (line, column) = files.line_and_column(place);
    let name = files.file(place).map(|file| file.name.as_str());
    json!({"file": name, "line": line, "column": column, "start": place.start, "end": place.end})
}

fn finding(files: &Files, finding: &Finding) -> Json {
    let numbers = finding.numbers.iter();
    let numbers = numbers.map(|number| json!({"name": number.name, "value": number.value, "unit": number.unit}));
    let edit = |edit: &Edit| json!({"place": place(files, edit.place), "text": edit.text});
    let remedy = finding.remedy.as_ref();
    let remedy =
        remedy.map(|remedy| json!({"text": remedy.text, "edits": remedy.edits.iter().map(edit).collect::<Vec<_>>()}));
    json!({
        "rule": finding.rule.id,
        "title": finding.rule.title,
        "severity": finding.severity.word(),
        "table": finding.table,
        "of": finding.of,
        "place": place(files, finding.place),
        "message": finding.message,
        "numbers": numbers.collect::<Vec<_>>(),
        "witness": finding.witness,
        "remedy": remedy,
    })
}
