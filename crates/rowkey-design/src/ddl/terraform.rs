//! Resources of Terraform, with Google's provider.

use std::collections::HashSet;
use std::fmt::Write;

use serde_json::Value as Json;

use super::bigtable::{ALL_VERSIONS, Garbage, check};
use super::{NewTable, Said};
use crate::quote;

/// The variable that all resources use; none where there are none.
pub(super) fn preamble(tables: &[NewTable<'_>]) -> Vec<String> {
    let variable = "variable \"bigtable_instance\" {\n  type        = string\n  description = \"The name of the \
                    Bigtable instance\"\n}";
    if tables.is_empty() { Vec::new() } else { vec![variable.to_owned()] }
}

/// `google_bigtable_table` for each table, and `google_bigtable_gc_policy` for each family that collects anything.
pub(super) fn ddl(tables: &[NewTable<'_>], said: &mut Said) -> Vec<Vec<String>> {
    check(tables, said);
    let mut created = Vec::new();
    let mut labels = HashSet::new();
    let mut policies = HashSet::new();
    for table in tables {
        let resource = label(table.name, &mut labels);
        let mut text = String::new();
        _ = writeln!(text, "resource \"google_bigtable_table\" \"{resource}\" {{");
        _ = writeln!(text, "  name          = {}", quote::hcl(table.name));
        text.push_str("  instance_name = var.bigtable_instance\n");
        if let Some((points, place)) = table.points() {
            if points.iter().any(|point| !point.is_ascii()) {
                said.problem(
                    place,
                    "a split point holds bytes from 80 on: Terraform's `split_keys` are text",
                    "write a salt with `format = \"hex\"`, create the table with `cbt`, or leave split points out of \
                     the result",
                );
            }
            let points = points.iter().map(|point| quote::hcl(&String::from_utf8_lossy(point)));
            _ = writeln!(text, "  split_keys    = [{}]", points.collect::<Vec<_>>().join(", "));
        }
        if let Some(schema) = table.row_key_schema(said) {
            _ = writeln!(text, "\n  row_key_schema = jsonencode({{ structType = {} }})", object(&schema));
        }
        for (family, _) in table.families() {
            _ = write!(text, "\n  column_family {{\n    family = {}\n  }}\n", quote::hcl(family));
        }
        text.push('}');
        let mut resources = vec![text];
        for (family, options) in table.families() {
            let Some(garbage) = Garbage::of(options, ALL_VERSIONS - 1, said) else { continue };
            let policy = label(&format!("{}_{family}", table.name.as_str()), &mut policies);
            let mut text = String::new();
            _ = writeln!(text, "resource \"google_bigtable_gc_policy\" \"{policy}\" {{");
            text.push_str("  instance_name = var.bigtable_instance\n");
            _ = writeln!(text, "  table         = google_bigtable_table.{resource}.name");
            _ = writeln!(text, "  column_family = {}", quote::hcl(family));
            _ = writeln!(text, "  gc_rules      = jsonencode({})", top(&garbage));
            text.push('}');
            resources.push(text);
        }
        created.push(resources);
    }
    created
}

/// JSON as an expression. The names of its members are those of a schema: letters and digits.
fn object(json: &Json) -> String {
    match json {
        Json::Object(members) if members.is_empty() => "{}".to_owned(),
        Json::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, json)| format!("{name} = {}", object(json))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(object).collect::<Vec<_>>().join(", ")),
        Json::String(text) => quote::hcl(text),
        other => other.to_string(),
    }
}

/// A name of a resource: letters, digits, `_` and `-`, and not yet used.
fn label(name: &str, used: &mut HashSet<String>) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let mut label: String = name.chars().map(legal).collect();
    if !label.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) {
        label.insert(0, '_');
    }
    while !used.insert(label.clone()) {
        label.push('_');
    }
    label
}

/// The provider wants a list of rules also where there is one.
fn top(garbage: &Garbage) -> String {
    match garbage {
        Garbage::Age(_) | Garbage::Versions(_) => format!("{{ rules = [{}] }}", rule(garbage)),
        Garbage::Any(_) | Garbage::All(_) => rule(garbage),
    }
}

fn rule(garbage: &Garbage) -> String {
    let rules = |mode: &str, parts: &[Garbage]| {
        let parts: Vec<_> = parts.iter().map(rule).collect();
        format!("{{ mode = \"{mode}\", rules = [{}] }}", parts.join(", "))
    };
    match garbage {
        Garbage::Age(millis) if millis.is_multiple_of(3_600_000) => {
            format!("{{ max_age = \"{}h\" }}", millis / 3_600_000)
        }
        Garbage::Age(millis) if millis.is_multiple_of(1000) => format!("{{ max_age = \"{}s\" }}", millis / 1000),
        Garbage::Age(millis) => format!("{{ max_age = \"{millis}ms\" }}"),
        Garbage::Versions(versions) => format!("{{ max_version = {versions} }}"),
        Garbage::Any(parts) => rules("union", parts),
        Garbage::All(parts) => rules("intersection", parts),
    }
}
