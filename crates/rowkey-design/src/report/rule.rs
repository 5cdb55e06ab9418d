//! The list of rules, and the page of one.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::design::Engine;
use crate::rule::{Rule, Severity};

/// All rules for people, a line for each.
pub fn rules_as_text() -> String {
    let mut text = String::new();
    for rule in Rule::all() {
        _ = writeln!(text, "{}  {:<7}  {}{}", rule.id, usual(rule).word(), rule.title, others(rule));
    }
    text
}

/// All rules for programs, without their pages.
pub fn rules_as_json() -> String {
    format!("{:#}\n", Json::from(Rule::all().map(json).collect::<Vec<_>>()))
}

/// A rule for programs, with its page as Markdown.
pub fn rule_as_json(rule: &Rule) -> String {
    let mut page = json(rule);
    page["page"] = rule.page().trim_end().into();
    format!("{page:#}\n")
}

/// The severity on HBase.
fn usual(rule: &Rule) -> Severity {
    rule.severity(Engine::HBase)
}

/// The engines on which the severity is another.
fn others(rule: &Rule) -> String {
    let others: Vec<&Engine> = Engine::ALL.iter().filter(|engine| rule.severity(**engine) != usual(rule)).collect();
    let same = others.first().map(|first| rule.severity(**first));
    match same {
        None => String::new(),
        Some(same)
            if others.len() + 1 == Engine::ALL.len() && others.iter().all(|other| rule.severity(**other) == same) =>
        {
            format!(" (other engines: {same})")
        }
        Some(_) => {
            let others: Vec<String> =
                others.iter().map(|engine| format!("{engine}: {}", rule.severity(**engine))).collect();
            format!(" ({})", others.join(", "))
        }
    }
}

fn json(rule: &Rule) -> Json {
    let severities = Engine::ALL.iter().map(|engine| (engine.word().to_owned(), rule.severity(*engine).word().into()));
    json!({"id": rule.id, "title": rule.title, "severity": severities.collect::<serde_json::Map<_, _>>()})
}
