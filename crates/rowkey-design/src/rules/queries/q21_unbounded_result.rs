//! Q21: a query without a limit on its result.

use super::shown::{of_query, rows, size};
use crate::cost::bytes_per_row;
use crate::rules::context::{Context, RuleSink};

/// Answers above these do not fit a program's memory or a scanner's lease: of a query that somebody waits for, and of
/// others.
const ONLINE: (f64, f64) = (10_000.0, 10e6);

const OTHERS: (f64, f64) = (1_000_000.0, 1e9);

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.interactive().filter(|cost| !cost.full_scan && cost.query.limit.is_none()) {
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
