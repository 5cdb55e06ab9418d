//! Q02: a query's order is not the key's order.

use super::mend;
use super::shown::{of_query, rows};
use crate::cost::{OrderFit, QueryCost};
use crate::design::Engine;
use crate::finding::Edit;
use crate::rule::Severity::Note;
use crate::rules::context::{Context, RuleSink};

/// A reverse scan of so few rows is one call to the server.
const ONE_CALL: f64 = 100.0;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in
        context.interactive().filter(|cost| !cost.full_scan || (cost.query.limit.is_some() && cost.filter.is_empty()))
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
    if context.queries.iter().any(ordered) || !key.fields[at].can_turn() {
        return Vec::new();
    }
    let mut field = key.fields[at].field.clone();
    field.desc = !field.desc;
    vec![Edit { place: key.fields[at].place, text: mend::field_text(&field) }]
}
