//! H18: regions of expired rows are never merged.

use crate::design::Engine;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let key = &context.keys[0];
    let families = &context.table.table.family;
    let expires = !families.is_empty() && families.values().all(|family| family.ttl.is_some());
    if context.engine != Engine::HBase || !expires || key.growing() != Some(0) {
        return;
    }
    let field = &key.fields[0];
    let message =
        format!("rows expire in the order of {:?}: regions before the time that is kept stay, empty", field.name);
    let finding =
        found.finding(field.place, message).witness("empty regions are merged by the region normalizer alone");
    let cure = "turn on HBase's region normalizer for the table, or begin the key with another field";
    found.push(finding.remedy(cure, Vec::new()));
}
