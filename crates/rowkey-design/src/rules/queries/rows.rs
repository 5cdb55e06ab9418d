//! Rows that change together, twice, or from one key to another.

use crate::check::Context;
use crate::design::{Engine, WriteKind};
use crate::rules::Found;

/// Q16.
pub(super) fn atomic(context: &Context<'_>, found: &mut Found<'_>) {
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable) {
        return;
    }
    for cost in context.queries.iter().filter(|cost| cost.query.atomic == Some(true)) {
        let key = &context.keys[cost.secondary.map_or(0, |index| index + 1)];
        if cost.leading >= key.fields.len() {
            continue;
        }
        let name = cost.query.name.as_str();
        let message =
            format!("{name:?} wants several rows as one, and {} is atomic within a row alone", context.engine);
        let mut finding = found.finding(cost.query.place, message).of(name);
        finding.numbers.extend(cost.rows_selected.map(|value| crate::Number { name: "rows", value, unit: "" }));
        let cure = "one wide row with a column for each, or an engine with transactions";
        found.push(finding.remedy(cure, Vec::new()));
    }
}

/// Q18.
pub(super) fn counters(context: &Context<'_>, found: &mut Found<'_>) {
    let why = match context.engine {
        Engine::HBase => {
            "HBase drops a repeated increment by its nonce, which the Java client sends and Thrift's gateway and other clients do not"
        }
        Engine::Bigtable => "Bigtable's ReadModifyWriteRow is not idempotent: a call that timed out may have counted",
        Engine::DynamoDb => "an UpdateItem with ADD that timed out may have counted",
        _ => return,
    };
    for write in &context.table.table.write {
        if write.kind != Some(WriteKind::Increment) || write.approximate == Some(true) {
            continue;
        }
        let name = write.name.as_str();
        let message = format!("{name:?} counts an increment twice that is sent again after a time-out");
        let finding = found.finding(write.place, message).of(name).witness(why);
        let edit = context.design.files.key_added_to_item(write.place, "approximate", "true");
        let cure = "a cell for each event and a sum when reading; or `approximate = true` if it may be off";
        found.push(finding.remedy(cure, edit.into_iter().collect()));
    }
}

/// Q20.
pub(super) fn updated(context: &Context<'_>, found: &mut Found<'_>) {
    for write in &context.table.table.write {
        let Some(first) = write.updates.first() else { continue };
        let name = write.name.as_str();
        let fields: Vec<&str> = write.updates.iter().map(|field| field.as_str()).collect();
        let message = format!(
            "{name:?} changes {}, which is in the key: a delete and a put, between which readers see none or both",
            fields.join(" and ")
        );
        let mut finding = found.finding(first.place, message).of(name);
        finding.numbers.extend(write.rate.as_ref().map(|rate| crate::Number {
            name: "rate",
            value: rate.0,
            unit: "/s",
        }));
        found.push(
            finding.remedy("an id that never changes in the key, and the field in a secondary table", Vec::new()),
        );
    }
}
