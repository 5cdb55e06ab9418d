//! H17: a queue: rows are deleted where they are read.

use crate::design::Engine;
use crate::rules::context::{Context, RuleSink};
use crate::rules::queue;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(deletes) = queue::deletes(context) else { return };
    // DynamoDB leaves no markers.
    if context.engine == Engine::DynamoDb {
        return;
    }
    for cost in queue::reads(context) {
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
        let started = context.keys[0].fields.get(cost.leading).map(|field| field.name);
        let cure = started.map_or_else(String::new, |name| {
            format!(": `range.{name}` says how far back that is, and `recent` that it ends now")
        });
        let cure = format!("remember where the last run stopped, and start there{cure}");
        found.push(finding.remedy(cure, Vec::new()));
    }
}
