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
        let (message, remedy) = match engine {
            Engine::Cassandra => (
                format!(
                    "{name:?} needs rows to change together, and {engine} changes those of one partition so: of a batch \
                     of several, readers see some rows changed and others not"
                ),
                "put what has to change together into one partition, and write it as one batch; or say that it is so \
                 (`allow`)",
            ),
            _ if most > 1.0 => (
                format!(
                    "{name:?} needs rows to change together, and {engine} changes at most {most} of them in a transaction"
                ),
                REMEDY,
            ),
            _ => {
                let rows = "needs several rows to change together";
                (format!("{name:?} {rows}, and {engine} changes one row at a time"), REMEDY)
            }
        };
        let mut finding = found.finding(place, message).of(name);
        if let Some(count) = count {
            finding = finding.number("rows", count, "");
        }
        found.push(finding.remedy(remedy, Vec::new()));
    };
    for cost in context.queries.iter().filter(|cost| cost.query.atomic == Some(true)) {
        let key = context.key_of(cost);
        let count = cost.query.limit.as_ref().map(|limit| limit.0).or(cost.rows_worst);
        let over = match key.partition {
            Some(partition) if engine == Engine::Cassandra => cost.leading < partition,
            _ if most > 1.0 => count.is_some_and(|count| count > most),
            _ => cost.leading < key.fields.len(),
        };
        if over {
            one_row_only(cost.query.place, &cost.query.name, found, count);
        }
    }
    // How many rows a write changes is not declared: engines with transactions have room for a few.
    let for_writes = most <= 1.0 || engine == Engine::Cassandra;
    for write in context.table.table.write.iter().filter(|write| write.atomic == Some(true) && for_writes) {
        one_row_only(write.place, &write.name, found, None);
    }
}
