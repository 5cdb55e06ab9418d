//! A report as SARIF 2.1.0 (OASIS Standard, 27 March 2020).

use serde_json::{Value as Json, json};

use crate::check::{AllowedBy, AllowedFinding, Report};
use crate::design::Engine;
use crate::finding::{Edit, Finding, Remedy};
use crate::problem::{Files, Problem, Span};
use crate::resolve::Design;
use crate::rule::Rule;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn report(design: &Design, report: &Report) -> Json {
    let files = &design.files;
    let mut results: Vec<Json> = report.findings.iter().map(|found| result(files, found)).collect();
    results.extend(report.allowed.iter().map(|AllowedFinding { finding, by }| {
        let mut result = result(files, finding);
        result["suppressions"] = json!([suppression(files, by)]);
        result
    }));
    let faults = report.problems.iter().map(|problem| notification(files, "error", problem));
    let notes = report.notes.iter().map(|note| notification(files, "note", note));
    log(&results, &faults.chain(notes).collect::<Vec<_>>(), report.problems.is_empty())
}

/// The suppression of an allowed finding: in a file, or outside of all.
fn suppression(files: &Files, by: &AllowedBy) -> Json {
    let in_source = |justification: String, place| json!({"kind": "inSource", "justification": justification, "location": location(files, place)});
    match by {
        AllowedBy::Allow(allow) => {
            let until = allow.until.as_ref().map_or(String::new(), |until| format!(" (until {})", until.value));
            in_source(format!("{}{until}", allow.why.value), allow.rule.place)
        }
        AllowedBy::Level(Some(place)) => in_source("the level of the rule is \"allow\"".to_owned(), *place),
        AllowedBy::Level(None) => json!({"kind": "external", "justification": "the rule is allowed by an option"}),
        AllowedBy::Baseline => json!({"kind": "external", "justification": "the finding is known by the baseline"}),
    }
}

/// The faults of files that cannot be read as a design.
pub(super) fn invalid(files: &Files, problems: &[Problem]) -> Json {
    let faults = problems.iter().map(|problem| notification(files, "error", problem));
    log(&[], &faults.collect::<Vec<_>>(), false)
}

fn log(results: &[Json], notifications: &[Json], valid: bool) -> Json {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "rowkey",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Rule::all().map(rule).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": valid,
                "toolConfigurationNotifications": notifications,
            }],
            // Columns are counted in characters.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn notification(files: &Files, level: &str, problem: &Problem) -> Json {
    let help = problem.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    let text = format!("{}{help}", problem.message);
    json!({"level": level, "message": {"text": text}, "locations": [location(files, problem.place)]})
}

fn rule(rule: &Rule) -> Json {
    let page = rule.page();
    // The first part of the page after its title.
    let condition = page.split("**Condition.** ").nth(1).and_then(|rest| rest.split("\n\n").next());
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": condition.unwrap_or(rule.title)},
        "defaultConfiguration": {"level": rule.severity(Engine::HBase).word()},
        "help": {"text": page, "markdown": page},
    })
}

fn result(files: &Files, finding: &Finding) -> Json {
    let mut text = finding.message.clone();
    for line in &finding.witness {
        text.push('\n');
        text += line;
    }
    let of = finding.of.as_deref().unwrap_or("");
    let mut result = json!({
        "ruleId": finding.rule.id,
        // SARIF has the same words.
        "level": finding.severity.word(),
        "message": {"text": text},
        "locations": [location(files, finding.place)],
        // The same finding after lines have moved.
        "partialFingerprints": {"finding/v1": format!("{} {} {of}", finding.rule.id, finding.table)},
        "properties": {"table": finding.table, "of": finding.of},
    });
    if let Some(remedy) = finding.remedy.as_ref().filter(|remedy| !remedy.edits.is_empty()) {
        result["fixes"] = json!([{"description": {"text": remedy.text}, "artifactChanges": changes(files, remedy)}]);
    }
    result
}

/// The edits of a remedy, by file.
fn changes(files: &Files, remedy: &Remedy) -> Vec<Json> {
    let mut edits: Vec<&Edit> = remedy.edits.iter().collect();
    edits.sort_by_key(|edit| edit.place);
    let of_file = |edits: &[&Edit]| {
        let replacement =
            |edit: &&Edit| json!({"deletedRegion": lines(files, edit.place), "insertedContent": {"text": edit.text}});
        let replacements: Vec<Json> = edits.iter().map(replacement).collect();
        json!({"artifactLocation": artifact(files, edits[0].place), "replacements": replacements})
    };
    edits.chunk_by(|one, next| one.place.file == next.place.file).map(of_file).collect()
}

fn location(files: &Files, place: Span) -> Json {
    let mut region = lines(files, place);
    region["byteOffset"] = place.start.into();
    region["byteLength"] = place.range().len().into();
    json!({"physicalLocation": {"artifactLocation": artifact(files, place), "region": region}})
}

fn artifact(files: &Files, place: Span) -> Json {
    json!({"uri": uri(files, place)})
}

/// A region of text: what replaces one is text too.
fn lines(files: &Files, place: Span) -> Json {
    let (line, column) = files.line_and_column(place);
    let (end_line, end_column) = files.line_and_column(Span { start: place.end, ..place });
    json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column})
}

/// A path as a relative reference of RFC 3986.
fn uri(files: &Files, place: Span) -> String {
    let name = files.file(place).map_or("", |file| &file.name);
    let mut uri = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
