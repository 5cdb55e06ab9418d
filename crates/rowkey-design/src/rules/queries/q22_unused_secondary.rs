//! Q22: a secondary table that no query uses.

use super::mend;
use crate::file::{Count, Rate};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for (index, secondary) in context.table.table.secondary.iter().enumerate() {
        let name = secondary.name.as_str();
        // A query that would read less of it has the finding, and its cure is the secondary table.
        let is_cure = || {
            let unserved = context.interactive().filter(|cost| cost.full_scan);
            unserved.filter_map(|cost| mend::serve(context, cost)).any(|(serving, _)| serving == name)
        };
        if !secondary.serves.is_empty() || context.table.table.query.is_empty() || is_cure() {
            continue;
        }
        let written: f64 =
            context.loads.iter().filter(|load| load.secondary == Some(index)).filter_map(|load| load.peak).sum();
        let cost = if written > 0.0 { format!(", which takes {} writes", Rate(written)) } else { String::new() };
        let message = format!("no query is served by the secondary table {name:?}{cost}");
        let mut finding = found.finding(secondary.name.place, message).of(name);
        if written > 0.0 {
            finding = finding.number("writes", written, "/s");
        }
        if let Some(rows) = crate::cost::rows_of(context.table, Some(index)) {
            finding = finding.witness(format!("it has {} rows", Count(rows)));
        }
        found.push(finding.remedy("name the queries that read it in `serves`, or remove it", Vec::new()));
    }
}
