//! Q13: a query needs the key order that a digest destroys.

use super::mend;
use super::shown::of_query;
use crate::cost::{Condition, QueryCost};
use crate::finding::Edit;
use crate::quote;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.interactive().filter(|cost| cost.is_scattered()) {
        let message = format!(
            "{:?} can't use the key: its rows are scattered by a digest of fields that the query does not fix",
            cost.query.name.as_str()
        );
        let finding = of_query(found, context, cost, message);
        let text = "take the digest of the leading fields that the query fixes, or remove it";
        found.push(finding.remedy(text, by_leading(context, cost)));
    }
}

/// A digest of the leading fields that the query fixes.
fn by_leading(context: &Context<'_>, cost: &QueryCost<'_>) -> Vec<Edit> {
    let hashed = context.table.table.hashed.as_ref().filter(|_| cost.secondary.is_none());
    let Some(hashed) = hashed else { return Vec::new() };
    let key = context.key_of(cost);
    let fixed = key.fields.iter().take_while(|field| Condition::of(cost.query, field.name) == Some(Condition::One));
    let names: Vec<String> = fixed.map(|field| quote::toml(field.name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    mend::by(context, hashed.place, &hashed.by, &names.join(", "))
}
