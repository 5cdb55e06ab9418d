//! Writes that change several rows, a key, or a count.

use super::{Found, has_transactions};
use crate::check::Context;
use crate::design::{Engine, Meaning, WriteKind};
use crate::finding::Severity::{Note, Warning};
use crate::problem::Place;

pub(super) fn atomic(context: &Context<'_>, found: &mut Found<'_>) {
    const REMEDY: &str = "put what has to change together into one row, as columns; or compare and write one row that says which of the others count";
    let engine = context.engine;
    // DynamoDB has transactions of 100 items at most.
    let most = match engine {
        Engine::DynamoDb => 100.0,
        engine if has_transactions(engine) => f64::INFINITY,
        _ => 1.0,
    };
    let one_row_only = |place: Place, name: &str, found: &mut Found<'_>, count: Option<f64>| {
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

pub(super) fn counters(context: &Context<'_>, found: &mut Found<'_>) {
    let engine = context.engine;
    for write in context.table.table.write.iter().filter(|write| write.approximate != Some(true)) {
        let name = write.name.as_str();
        let (severity, message, remedy) = match write.kind {
            Some(WriteKind::ReadAddPut) => (
                Warning,
                format!("{name:?} reads a count, adds to it and puts it back: of two writers at once, one is lost"),
                "let the server add (`kind = \"increment\"`), or compare and write",
            ),
            // In one transaction, or in one process: nothing is sent twice.
            Some(WriteKind::Increment) if !matches!(engine, Engine::HBase | Engine::Bigtable | Engine::DynamoDb) => {
                continue;
            }
            Some(WriteKind::Increment) => (
                Note,
                format!(
                    "{name:?} increments: where an answer is lost, nobody knows if it counted, and a client that sends it again may count twice"
                ),
                "put each count under a key of its own and add them up when reading; or use a client that sends a nonce, as HBase's does; or say `approximate = true`",
            ),
            _ => continue,
        };
        let mut finding = found.finding(write.place, message).of(name);
        finding.severity = severity;
        if let Some(rate) = write.rate.as_ref() {
            finding = finding.number("counts", rate.0, "/s");
        }
        found.push(finding.remedy(remedy, Vec::new()));
    }
}

pub(super) fn moves(context: &Context<'_>, found: &mut Found<'_>) {
    let key = &context.keys[0];
    for field in &key.fields {
        let mut writes = context.table.table.write.iter();
        let write = writes.find(|write| write.updates.iter().any(|name| name.as_str() == field.name));
        if write.is_none() && field.meaning != Some(Meaning::Status) {
            continue;
        }
        let message = format!(
            "{:?} changes, and is in the key: each change deletes a row and puts another, and readers may see none or both",
            field.name
        );
        let mut finding = found.finding(field.place, message).of(field.name);
        if let Some(write) = write {
            finding = finding.witness(format!("{:?} changes it", write.name.as_str()));
            if let Some(rate) = &write.rate {
                finding = finding.number("changes", rate.0, "/s");
            }
        }
        found.push(finding.remedy(
            "keep it in a column, under an id that does not change; and in the key of a secondary table, if queries need it",
            Vec::new(),
        ));
    }
}
