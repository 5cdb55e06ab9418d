//! Q04: a query reads many rows for each that it returns.

use super::mend;
use super::shown::{of_query, rows};
use crate::rule::Severity::{Error, Note, Warning};
use crate::rules::context::{Context, RuleSink};

/// From these on, reads for each row returned are a finding, and an error: of queries that somebody waits for, and of
/// others.
const ONLINE: (f64, f64) = (5.0, 100.0);

const OTHERS: (f64, f64) = (10.0, 1000.0);

/// A number of rows that are read in one piece, whatever is returned of them.
const FEW: f64 = 100.0;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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
                let unknown = match (cost.rows_read, cost.rows_returned) {
                    (None, Some(_)) => "how many it reads is",
                    (Some(_), _) => "how many it returns is",
                    (None, None) => "how many it reads and returns is",
                };
                (Note, format!("{name:?} reads {read} and filters them by {filters}; {unknown} not known"))
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
            Some(_) if mend::serve(context, cost).is_some() => mend::with_remedy(context, cost, finding),
            Some(column) => finding.remedy(
                format!(
                    "write how many rows it returns (`returns = 5`); if they are few, keep a secondary table with {column:?} in its key after the fields that the query fixes"
                ),
                Vec::new(),
            ),
            None => mend::with_remedy(context, cost, finding),
        };
        found.push(finding);
    }
}
