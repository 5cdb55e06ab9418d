//! Rows that are read and not returned: full scans, filters, digests.

use super::shown::{of_query, rows};
use super::{Found, interactive, mend};
use crate::check::Context;
use crate::cost::{Condition, OrderFit, QueryCost, all_of};
use crate::file::Count;
use crate::finding::Severity::{Error, Note, Warning};
use crate::finding::{Edit, Finding};
use crate::quote;

/// Whether the digest is what makes it a full scan: without, the key would serve it.
fn by_digest(cost: &QueryCost<'_>) -> bool {
    cost.hashed && (cost.selection.leading > 0 || cost.selection.next.is_some())
}

pub(super) fn full_scan(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in interactive(context).filter(|cost| cost.full_scan && !by_digest(cost)) {
        let name = cost.query.name.as_str();
        let table = cost.rows_selected.map_or(String::new(), |count| format!(" of {}", rows(Some(count))));
        let first_rows = cost.query.limit.is_some() && cost.filter.is_empty();
        if first_rows && cost.order != OrderFit::Free {
            // The key is made for it; if not, its order is the finding.
            continue;
        }
        let until = cost.query.limit.as_ref().zip(cost.rows_read).zip(cost.rows_selected);
        let what = match until {
            _ if first_rows => "it reads from the table's first row on".to_owned(),
            // In an order that is not the key's all rows are read, whatever the limit.
            Some(((limit, read), all)) if read < all => format!(
                "it reads from the table's first row on until {} match, {}{table}",
                Count(limit.0),
                rows(Some(read))
            ),
            _ => format!("each run is a full scan{table}"),
        };
        let message = format!("{name:?} fixes no leading field of the key: {what}");
        let mut finding = of_query(found, context, cost, message);
        if first_rows {
            finding.severity = Note;
        }
        let finding = with_remedy(context, cost, finding);
        found.push(finding);
    }
}

/// A secondary table that is there; or another order of the key where that hurts no query; or else a new secondary table.
fn with_remedy(context: &Context<'_>, cost: &QueryCost<'_>, finding: Finding) -> Finding {
    if let Some((name, edits)) = mend::serve(context, cost) {
        return finding
            .remedy(format!("read it from the secondary table {name:?}: name the query in its `serves`"), edits);
    }
    if let Some(edits) = mend::reorder(context, cost) {
        return finding.remedy("put the fields that the query fixes first; no other query reads more then", edits);
    }
    if all_of(&cost.query.value).is_empty() {
        let text =
            "say `batch = true` if nobody waits for it; else give it a limit, or keep what it computes in a table";
        return finding.remedy(text, Vec::new());
    }
    match mend::secondary(context, cost) {
        Some(edits) => finding.remedy(
            "add a secondary table whose key begins with the fields that the query fixes, and ends with those of this key",
            edits,
        ),
        None if cost.query.among.is_empty() => {
            finding.remedy("add a secondary table whose key is a salt, and then what the query selects by", Vec::new())
        }
        None => finding.remedy(
            "run it once for each of the values; each run is one range",
            Vec::new(),
        ),
    }
}

/// From these on, reads for each row returned are a finding, and an error: of queries that somebody waits for, and of others.
const ONLINE: (f64, f64) = (5.0, 100.0);
const OTHERS: (f64, f64) = (10.0, 1000.0);

/// So few rows are read in one piece, whatever is returned of them.
const FEW: f64 = 100.0;

pub(super) fn filter(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in context.queries.iter().filter(|cost| !cost.full_scan && !cost.filter.is_empty()) {
        let query = cost.query;
        let budget = query.budget.as_ref().and_then(|budget| budget.read_per_returned);
        if query.batch == Some(true) && budget.is_none() {
            continue;
        }
        let (name, filters) = (query.name.as_str(), cost.filter.join(", "));
        let online = query.online.is_some();
        let (severity, message) = match (cost.amplification(), budget) {
            (Some(each), Some(budget)) if each <= budget => continue,
            (Some(each), Some(budget)) => {
                let message =
                    format!("{name:?} reads {} for each that it returns; its budget is {budget}", rows(Some(each)));
                (if online { Error } else { Warning }, message)
            }
            (Some(each), None) => {
                let (warning, error) = if online { ONLINE } else { OTHERS };
                if each <= warning || cost.rows_read.is_some_and(|rows| rows <= FEW) {
                    continue;
                }
                let message =
                    format!("{name:?} reads {} for each that it returns: it filters by {filters}", rows(Some(each)));
                (if each > error { Error } else { Warning }, message)
            }
            (None, _) => {
                if cost.rows_read.is_some_and(|rows| rows <= FEW) {
                    continue;
                }
                let read = rows(cost.rows_read);
                let message =
                    format!("{name:?} reads {read} and filters them by {filters}; how many it returns is not known");
                (Note, message)
            }
        };
        let mut finding = of_query(found, context, cost, message);
        finding.severity = severity;
        if let Some(each) = cost.amplification() {
            finding = finding.number("rows read for each returned", each, "");
        }
        let key = context.key_of(cost);
        let column = cost.filter.iter().find(|name| key.index(name).is_none());
        let finding = match column {
            Some(_) if mend::serve(context, cost).is_some() => with_remedy(context, cost, finding),
            Some(column) => finding.remedy(
                format!(
                    "write how many rows it returns (`returns = 5`); if they are few, keep a secondary table with {column:?} in its key after the fields that the query fixes"
                ),
                Vec::new(),
            ),
            None => with_remedy(context, cost, finding),
        };
        found.push(finding);
    }
}

pub(super) fn hashed(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in interactive(context).filter(|cost| by_digest(cost)) {
        let message = format!(
            "{:?} can't use the key: its rows are scattered by a digest of fields that the query does not fix",
            cost.query.name.as_str()
        );
        let finding = of_query(found, context, cost, message);
        let text = "take the digest of the leading fields that the query fixes, or remove it";
        found.push(finding.remedy(text, by_leading(context, cost)));
    }
}

/// A digest of the leading fields that the query fixes.
fn by_leading(context: &Context<'_>, cost: &QueryCost<'_>) -> Vec<Edit> {
    let hashed = context.table.table.hashed.as_ref().filter(|_| cost.secondary.is_none());
    let Some(hashed) = hashed else { return Vec::new() };
    let key = context.key_of(cost);
    let fixed = key.fields.iter().take_while(|field| Condition::of(cost.query, field.name) == Some(Condition::One));
    let names: Vec<String> = fixed.map(|field| quote::toml(field.name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    mend::by(context, hashed.place, &hashed.by, &names.join(", "))
}
