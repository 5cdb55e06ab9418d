//! H17: a queue: rows are deleted where they are read.

use crate::cost::OrderFit;
use crate::design::WriteKind;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let deletes = context.table.table.write.iter().find(|write| write.kind == Some(WriteKind::Delete));
    let Some(deletes) = deletes else { return };
    for cost in context.queries.iter().filter(|cost| cost.secondary.is_none()) {
        let key = &context.keys[0];
        // The first rows of a prefix, oldest first, with nothing that says where to start.
        let oldest = key.growing() == Some(cost.leading)
            && match cost.order {
                OrderFit::Free => key.fields[cost.leading].is_descending() == Some(false),
                _ => cost.query.order.as_deref() == Some(&crate::design::QueryOrder::Oldest),
            };
        let first = cost.query.limit.is_some() && !cost.next && cost.filter.is_empty();
        if !oldest || !first {
            continue;
        }
        let name = cost.query.name.as_str();
        let message = format!(
            "{name:?} reads the oldest rows, which {:?} deletes: each run passes over the markers of deleted rows",
            deletes.name.as_str()
        );
        let mut finding = found.finding(cost.query.place, message).of(name);
        finding.numbers.extend(deletes.rate.as_ref().map(|rate| crate::finding::Measure {
            name: "deletes",
            value: rate.0,
            unit: "/s",
        }));
        let cure = "remember where the last run stopped and start there, or let a TTL remove rows of a time";
        found.push(finding.remedy(cure, Vec::new()));
    }
}
