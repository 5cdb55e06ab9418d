//! The order of answers, their pages, and their ends.

use super::shown::{of_query, rows, size};
use super::{Found, interactive, mend};
use crate::check::Context;
use crate::cost::{OrderFit, QueryCost, bytes_per_row};
use crate::design::Engine;
use crate::finding::Edit;
use crate::finding::Severity::Note;

/// A reverse scan of so few rows is one call to the server.
const ONE_CALL: f64 = 100.0;

pub(super) fn order(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in
        interactive(context).filter(|cost| !cost.full_scan || (cost.query.limit.is_some() && cost.filter.is_empty()))
    {
        let (query, name) = (cost.query, cost.query.name.as_str());
        let wanted = query.order.as_ref().map_or("its order", |order| order.word());
        match cost.order {
            OrderFit::Sort => {
                let read = rows(cost.rows_read);
                let message = match &query.limit {
                    Some(_) => format!(
                        "{name:?} reads and sorts {read} to return the first of them: the key is not {wanted} first"
                    ),
                    None => format!("{name:?} has to sort {read} after it read them: the key is not {wanted} first"),
                };
                let mut finding = of_query(found, context, cost, message);
                if query.limit.is_none() {
                    finding.severity = Note;
                }
                let reordered = mend::reorder(context, cost);
                let edits = reordered.or_else(|| mend::secondary(context, cost)).unwrap_or_default();
                let text = "put the time after the fields that the query fixes, in this table or in a secondary one";
                found.push(finding.remedy(text, edits));
            }
            OrderFit::Reverse if dear_in_reverse(context.engine, cost) => {
                let message = format!("{name:?} wants the {wanted} rows first: it is a reverse scan of this key");
                let mut finding = of_query(found, context, cost, message);
                finding.severity = Note;
                let finding = finding.remedy("turn the field around: `desc`, or without", turned(context, cost));
                found.push(finding);
            }
            OrderFit::Unknown => {
                let message = format!("{name:?} wants the {wanted} rows first, and no field is said to be a time");
                let mut finding = of_query(found, context, cost, message);
                finding.severity = Note;
                let text =
                    "say which field grows with time, as in `means = { at = \"milliseconds\" }`, or use `instant`";
                found.push(finding.remedy(text, Vec::new()));
            }
            _ => {}
        }
    }
}

/// Reverse scans cost more in HBase, which seeks back for each row; others read blocks backwards.
fn dear_in_reverse(engine: Engine, cost: &QueryCost<'_>) -> bool {
    engine == Engine::HBase && cost.query.limit.as_ref().is_none_or(|limit| limit.0 > ONE_CALL)
}

/// The field that the query is ordered by in the other direction, where no other query is ordered by it.
fn turned(context: &Context<'_>, cost: &QueryCost<'_>) -> Vec<Edit> {
    let key = context.key_of(cost);
    let at = (cost.selection.leading..key.fields.len()).find(|&i| key.fields[i].growth.is_some());
    let Some(at) = at else { return Vec::new() };
    let ordered = |other: &QueryCost<'_>| {
        other.secondary == cost.secondary
            && other.query.is_ordered()
            && other.order != OrderFit::Reverse
            && other.order != OrderFit::Sort
    };
    if context.queries.iter().any(ordered) || key.fields[at].field.raw {
        return Vec::new();
    }
    let mut field = key.fields[at].field.clone();
    field.desc = !field.desc;
    vec![Edit { place: key.fields[at].place, text: mend::field_text(&field) }]
}

/// So many pages are turned by offset without harm.
const PAGES: f64 = 10.0;

/// A page where no limit says how many rows it has.
const PAGE: f64 = 100.0;

pub(super) fn offset(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in interactive(context) {
        let Some(offset) = &cost.query.offset else { continue };
        let page = cost.query.limit.as_ref().map_or(PAGE, |limit| limit.0.max(1.0));
        if offset.0 <= PAGES * page {
            continue;
        }
        let (name, skipped) = (cost.query.name.as_str(), rows(Some(offset.0 * cost.buckets as f64)));
        let message = format!("{name:?} reads and skips {skipped} before the first that it returns");
        let finding = of_query(found, context, cost, message).number("pages before", offset.0 / page, "");
        // Without its offset it would be another question: no edit.
        let text =
            "go on after the last key of the page before, with a cursor: then each page is read from its first row";
        found.push(finding.remedy(text, Vec::new()));
    }
}

/// Answers above these do not fit a program's memory or a scanner's lease: of a query that somebody waits for, and of others.
const ONLINE: (f64, f64) = (10_000.0, 10e6);
const OTHERS: (f64, f64) = (1_000_000.0, 1e9);

pub(super) fn unbounded(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in interactive(context).filter(|cost| !cost.full_scan && cost.query.limit.is_none()) {
        let query = cost.query;
        let key = context.key_of(cost);
        let Some(in_ranges) = cost.rows_worst else { continue };
        let passing = match (cost.rows_selected, cost.rows_returned) {
            _ if cost.filter.is_empty() => 1.0,
            (Some(selected), Some(returned)) => (returned / selected.max(1.0)).min(1.0),
            _ => continue,
        };
        let worst = in_ranges * passing;
        let bytes = worst * bytes_per_row(context.table, key, &query.columns);
        let (most_rows, most_bytes) = if query.online.is_some() { ONLINE } else { OTHERS };
        if worst <= most_rows && bytes <= most_bytes {
            continue;
        }
        let message =
            format!("{:?} has no limit, and can return {}, {}", query.name.as_str(), rows(Some(worst)), size(bytes));
        let finding = of_query(found, context, cost, message);
        let finding = finding.number("rows at most", worst, "").number("bytes at most", bytes, "B");
        // A limit is another question: no edit.
        found.push(finding.remedy("give it a limit, and go on after the last key for the next page", Vec::new()));
    }
}
