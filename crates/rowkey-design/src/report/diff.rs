//! The changes between two designs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::json;

use super::json::place;
use super::printed;
use crate::diff::{Difference, Impact};
use crate::quote::terminal;
use crate::resolve::Design;

/// The changes between two designs for people: a line for each, and the plan of each rewrite.
pub fn diff_as_text(design: &Design, differences: &[Difference]) -> String {
    let mut text = String::new();
    // One table has one plan, whatever changes in it.
    let mut planned: HashMap<(&str, &[String]), &Difference> = HashMap::new();
    for change in differences {
        let of = change.of.as_ref().map_or(String::new(), |of| format!(" {of:?}"));
        let place = change.place.and_then(|place| {
            let (line, column) = design.files.line_and_column(place);
            Some(format!(" ({}:{line}:{column})", design.files.file(place)?.name))
        });
        let place = place.unwrap_or_default();
        let line = format!("{} {} {}{of}: {}{place}", change.rule.id, change.class, change.table, change.message);
        text += &terminal(&line);
        text.push('\n');
        if let Some(why) = &change.allowed {
            text += &format!("    allowed: {}\n", terminal(why));
        }
        if change.plan.is_empty() {
            continue;
        }
        match planned.entry((&change.table, &change.plan)) {
            Entry::Occupied(first) => {
                text += &format!("    by the plan under {}: {}\n", first.get().rule.id, terminal(&first.get().message));
            }
            Entry::Vacant(entry) => {
                entry.insert(change);
                for (i, step) in change.plan.iter().enumerate() {
                    text += &format!("    {}. {}\n", i + 1, terminal(step));
                }
            }
        }
    }
    let count = |class| differences.iter().filter(|change| change.class == class).count();
    let counts = Impact::ALL.iter().rev().map(|&class| format!("{} {class}", count(class)));
    text + &format!("{} changes: {}\n", differences.len(), counts.collect::<Vec<_>>().join(", "))
}

/// The changes between two designs for programs.
pub fn diff_as_json(design: &Design, differences: &[Difference]) -> String {
    let changes = differences.iter().map(|change| {
        json!({
            "class": change.class.word(), "rule": change.rule.id, "table": change.table, "of": change.of,
            "place": change.place.map(|at| place(&design.files, at)),
            "message": change.message, "plan": change.plan, "allowed": change.allowed,
        })
    });
    printed(&json!({"version": 1, "changes": changes.collect::<Vec<_>>()}))
}
