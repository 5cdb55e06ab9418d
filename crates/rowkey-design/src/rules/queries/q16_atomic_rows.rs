//! Q16: rows that must change atomically.

use crate::design::Engine;
use crate::problem::Span;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    const REMEDY: &str = "put what has to change together into one row, as columns; or compare and write one row that says which of the others count";
    let engine = context.engine;
    // DynamoDB has transactions of 100 items at most.
    let most = match engine {
        Engine::DynamoDb => 100.0,
        Engine::HBase | Engine::Bigtable => 1.0,
        _ => f64::INFINITY,
    };
    let one_row_only = |place: Span, name: &str, found: &mut RuleSink<'_>, count: Option<f64>| {
        let message = format!("{name:?} needs several rows to change together, and {engine} changes one row at a time");
        let message = if most > 1.0 {
            format!(
                "{name:?} needs rows to change together, and {engine} changes at most {most} of them in a transaction"
            )
        } else {
            message
        };
        let mut finding = found.finding(place, message).of(name);
        if let Some(count) = count {
            finding = finding.number("rows", count, "");
        }
        found.push(finding.remedy(REMEDY, Vec::new()));
    };
    for cost in context.queries.iter().filter(|cost| cost.query.atomic == Some(true)) {
        let one = cost.leading == context.key_of(cost).fields.len();
        let count = cost.query.limit.as_ref().map(|limit| limit.0).or(cost.rows_worst);
        let over = if most > 1.0 { count.is_some_and(|count| count > most) } else { !one };
        if over {
            one_row_only(cost.query.place, &cost.query.name, found, count);
        }
    }
    // How many rows a write changes is not declared: engines with transactions have room for a few.
    for write in context.table.table.write.iter().filter(|write| write.atomic == Some(true) && most <= 1.0) {
        one_row_only(write.place, &write.name, found, None);
    }
}
