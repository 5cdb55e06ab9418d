//! What a query reads for what it returns.

use rowkey::lead::Lead;

use crate::check::Context;
use crate::cost::{OrderFit, QueryCost, bytes_per_row};
use crate::facts::KeyFacts;
use crate::file::{Bytes, Count};
use crate::finding::{Edit, Finding, Severity};
use crate::rules::Found;

fn key_of<'c, 'd>(context: &'c Context<'d>, cost: &QueryCost<'_>) -> &'c KeyFacts<'d> {
    &context.keys[cost.secondary.map_or(0, |index| index + 1)]
}

fn is_batch(cost: &QueryCost<'_>) -> bool {
    cost.query.batch == Some(true)
}

/// Whether the key begins with a digest of all fields: only single rows can be asked for.
fn is_hashed(key: &KeyFacts<'_>) -> bool {
    matches!(key.layout.lead(), Lead::Digest(_)) && crate::load::by(key).len() == key.fields.len()
}

/// A finding about a query, with its ranges and what it reads.
fn of_query(found: &Found<'_>, cost: &QueryCost<'_>, message: String) -> Finding {
    let mut finding = found.finding(cost.query.place, message).of(cost.query.name.as_str());
    finding = finding.number("ranges", cost.range_count() as f64, "");
    for (name, value, unit) in [
        ("rows read", cost.rows_read, ""),
        ("rows returned", cost.rows_returned, ""),
        ("bytes read", cost.bytes_read, "B"),
        ("rate", cost.query.rate.as_ref().map(|rate| rate.0), "/s"),
    ] {
        finding.numbers.extend(value.map(|value| crate::Number { name, value, unit }));
    }
    finding
}

/// The key, and what the query selects by.
fn selected(key: &KeyFacts<'_>, cost: &QueryCost<'_>) -> String {
    let fields: Vec<&str> = key.fields.iter().map(|field| field.name).collect();
    format!("key: {}; filtered after it is read by: {}", fields.join(", "), cost.filter.join(", "))
}

/// The edit that adds a secondary table for a query.
fn secondary(context: &Context<'_>, cost: &QueryCost<'_>) -> Vec<Edit> {
    let lines = crate::suggest::secondary_for(context.table, cost.query);
    let lines = lines.filter(|_| cost.secondary.is_none());
    let file = context.table.name.place.file;
    lines.and_then(|lines| context.design.files.lines_added(file, &lines)).into_iter().collect()
}

/// Q01.
pub(super) fn full_scan(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in context.queries.iter().filter(|cost| cost.full_scan && !is_batch(cost)) {
        let key = key_of(context, cost);
        if is_hashed(key) {
            continue;
        }
        let name = cost.query.name.as_str();
        let rows = cost.rows_selected.map_or(String::new(), |rows| format!(" of {} rows", Count(rows)));
        let first = cost.query.limit.is_some() && cost.filter.is_empty() && cost.order != OrderFit::Sort;
        if first {
            continue;
        }
        let message = format!("{name:?} fixes no leading field of the key: each run is a full scan{rows}");
        let finding = of_query(found, cost, message);
        let finding = finding.witness(selected(key, cost));
        let edits = secondary(context, cost);
        found.push(finding.remedy("a secondary table whose key begins with the fields that the query fixes", edits));
    }
}

/// Q02.
pub(super) fn order(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in context.queries.iter().filter(|cost| !is_batch(cost) && !cost.full_scan) {
        let key = key_of(context, cost);
        let name = cost.query.name.as_str();
        let Some(time) = key.growing().map(|field| &key.fields[field]) else { continue };
        match cost.order {
            OrderFit::Reverse => {
                let message = format!("{name:?} scans in reverse: the key has {:?} the other way", time.name);
                let mut finding = of_query(found, cost, message);
                finding.severity = Severity::Note;
                // Another query may want the order that the key has.
                let wanted = context.queries.iter().any(|other| other.order == OrderFit::Key);
                let text = context.design.files.text(time.place).trim_end_matches(['"', '\'']);
                let quote = context.design.files.text(time.place).chars().next().unwrap_or('"');
                let turned = match text.strip_suffix(" desc") {
                    Some(text) => format!("{text}{quote}"),
                    None => format!("{text} desc{quote}"),
                };
                let simple = !wanted && !text.contains("raw") && !text.contains("nulls");
                let edits = if simple { vec![Edit { place: time.place, text: turned }] } else { Vec::new() };
                found.push(finding.remedy("turn the field: reverse scans cost HBase more", edits));
            }
            OrderFit::Sort if cost.rows_selected.is_none_or(|rows| rows > 1000.0) => {
                let message = format!(
                    "{name:?} wants the order of {:?}, which is not next in the key: it reads all and sorts",
                    time.name
                );
                let finding = of_query(found, cost, message).witness(selected(key, cost));
                let edits = secondary(context, cost);
                found.push(finding.remedy("the time right after the fields that the query fixes", edits));
            }
            _ => {}
        }
    }
}

/// Q03.
pub(super) fn buckets(context: &Context<'_>, found: &mut Found<'_>) {
    const MANY: f64 = 64.0;
    for cost in context.queries.iter().filter(|cost| !is_batch(cost)) {
        let declared = cost.query.budget.as_ref().and_then(|budget| budget.ranges).map(|ranges| ranges.0);
        let ranges = cost.range_count() as f64;
        if ranges <= declared.unwrap_or(MANY) || (cost.ranges.len() <= 1 && declared.is_none()) {
            continue;
        }
        let name = cost.query.name.as_str();
        let limit = cost.query.limit.as_ref().map_or(String::new(), |limit| {
            format!(", and reads up to {} rows for {}", Count(limit.0 * cost.ranges.len() as f64), Count(limit.0))
        });
        let message = format!("{name:?} is {} ranges{limit}", Count(ranges));
        let mut finding = of_query(found, cost, message);
        if declared.is_some() {
            finding.severity = Severity::Error;
        }
        found.push(finding.remedy("a salt `by` the fields that the query fixes, or fewer buckets", Vec::new()));
    }
}

/// Q04.
pub(super) fn filter(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in context.queries.iter().filter(|cost| !is_batch(cost) && !cost.full_scan && !cost.filter.is_empty()) {
        let key = key_of(context, cost);
        let name = cost.query.name.as_str();
        let declared = cost.query.budget.as_ref().and_then(|budget| budget.read_per_returned);
        let (message, severity) = match cost.amplification() {
            Some(rows) if rows > declared.unwrap_or(10.0) => {
                let severity = if rows > 1000.0 || declared.is_some() { Severity::Error } else { Severity::Warning };
                (format!("{name:?} reads {} rows for each that it returns", Count(rows.round())), severity)
            }
            None if cost.rows_selected.is_none_or(|rows| rows > 100.0) => {
                let rows =
                    cost.rows_selected.map_or("the rows".to_owned(), |rows| format!("{} rows", Count(rows.round())));
                let by = cost.filter.join(" and ");
                (format!("{name:?} reads {rows} of its prefix and filters them by {by}"), Severity::Warning)
            }
            _ => continue,
        };
        let mut finding = of_query(found, cost, message).witness(selected(key, cost));
        finding.severity = severity;
        finding.numbers.extend(cost.amplification().map(|value| crate::Number {
            name: "rows read for each returned",
            value,
            unit: "",
        }));
        let edits = secondary(context, cost);
        found.push(
            finding
                .remedy("put the filtered field into the key after the fixed ones, or into a secondary table", edits),
        );
    }
}

/// Q05.
pub(super) fn offset(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in &context.queries {
        let Some(offset) = &cost.query.offset else { continue };
        let page = cost.query.limit.as_ref().map_or(1.0, |limit| limit.0.max(1.0));
        if offset.0 <= 10.0 * page {
            continue;
        }
        let name = cost.query.name.as_str();
        let message = format!("{name:?} reads {} rows to skip them", Count(offset.0));
        let finding = of_query(found, cost, message);
        found.push(finding.remedy("begin after the last row of the page before: a cursor (`after`)", Vec::new()));
    }
}

/// Q13.
pub(super) fn hashed(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in context.queries.iter().filter(|cost| cost.full_scan) {
        let key = key_of(context, cost);
        if !is_hashed(key) {
            continue;
        }
        let message = format!(
            "{:?} wants rows that are next to nothing: the key is a hash of all fields",
            cost.query.name.as_str()
        );
        let finding = of_query(found, cost, message).witness(selected(key, cost));
        found.push(finding.remedy("hash the leading fields alone (`by`), or keep a secondary table", Vec::new()));
    }
}

/// Q21.
pub(super) fn unbounded(context: &Context<'_>, found: &mut Found<'_>) {
    const MOST: f64 = 100e6;
    for cost in context.queries.iter().filter(|cost| cost.query.limit.is_none() && !is_batch(cost) && !cost.full_scan) {
        // What is filtered is Q04's.
        if !cost.filter.is_empty() {
            continue;
        }
        let key = key_of(context, cost);
        let Some(rows) = cost.most_rows(key).or(cost.rows_selected) else { continue };
        let bytes = rows * bytes_per_row(context.table, key, &cost.query.columns);
        if bytes <= MOST {
            continue;
        }
        let name = cost.query.name.as_str();
        let message =
            format!("{name:?} has no limit, and returns up to {} rows, {}", Count(rows.round()), Bytes(bytes));
        let finding = of_query(found, cost, message).number("bytes of the greatest answer", bytes, "B");
        let edit = context.design.files.key_added_to_item(cost.query.place, "limit", "1000");
        found.push(finding.remedy("a limit and pages, or `batch = true`", edit.into_iter().collect()));
    }
}
