//! A report as SARIF 2.1.0 (OASIS Standard, 27 March 2020).

use rowkey_design::{Design, Edit, Files, Finding, Place, Report, Rule, Severity};
use serde_json::{Value as Json, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn report(design: &Design, report: &Report) -> Json {
    let files = &design.files;
    let mut results: Vec<Json> = report.findings.iter().map(|found| result(files, found)).collect();
    results.extend(report.allowed.iter().map(|allowed| {
        let mut result = result(files, &allowed.finding);
        result["suppressions"] = json!([{"kind": "inSource", "justification": allowed.allow.why.as_str()}]);
        result
    }));
    let notifications: Vec<Json> = report
        .problems
        .iter()
        .map(|problem| {
            let help = problem.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            let text = format!("{}{help}", problem.message);
            json!({"level": "error", "message": {"text": text}, "locations": [location(files, problem.place)]})
        })
        .collect();
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
                "executionSuccessful": report.problems.is_empty(),
                "toolConfigurationNotifications": notifications,
            }],
            // Columns are counted in characters.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(rule: &Rule) -> Json {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.page(), "markdown": rule.page()},
    })
}

fn result(files: &Files, finding: &Finding) -> Json {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut text = finding.message.clone();
    for line in &finding.witness {
        text.push('\n');
        text += line;
    }
    let mut result = json!({
        "ruleId": finding.rule.id,
        "level": level,
        "message": {"text": text},
        "locations": [location(files, finding.place)],
        "properties": {"table": finding.table, "of": finding.of},
    });
    if let Some(remedy) = finding.remedy.as_ref().filter(|remedy| !remedy.edits.is_empty()) {
        let changes: Vec<Json> = remedy.edits.iter().map(|edit| change(files, edit)).collect();
        result["fixes"] = json!([{"description": {"text": remedy.text}, "artifactChanges": changes}]);
    }
    result
}

fn change(files: &Files, edit: &Edit) -> Json {
    let region = json!({"byteOffset": edit.place.start, "byteLength": edit.place.end - edit.place.start});
    let replacement = json!({"deletedRegion": region, "insertedContent": {"text": edit.text}});
    json!({"artifactLocation": {"uri": uri(files, edit.place)}, "replacements": [replacement]})
}

fn location(files: &Files, place: Place) -> Json {
    let (line, column) = files.line_and_column(place);
    let (end_line, end_column) = files.line_and_column(Place { start: place.end, ..place });
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(files, place)},
        "region": {
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
            "byteOffset": place.start, "byteLength": place.end.saturating_sub(place.start),
        },
    }})
}

/// A path as a relative reference of RFC 3986.
fn uri(files: &Files, place: Place) -> String {
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
