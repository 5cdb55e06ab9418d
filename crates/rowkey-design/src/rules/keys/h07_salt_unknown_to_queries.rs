//! H07: a salt computed from fields that no query fixes.

use crate::finding::Edit;
use crate::problem::Span;
use crate::rules::context::{Context, RuleSink};
use crate::rules::salt::better_fields;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let (Some(salt), Some(fixed)) = (&context.table.table.salt, better_fields(context)) else { return };
    let key = &context.keys[0];
    let names: Vec<String> = fixed.iter().map(|&field| format!("{:?}", key.fields[field].name)).collect();
    let message =
        format!("every query asks all {} buckets, though all of them fix {}", salt.buckets.value, names.join(" and "));
    let new = format!("[{}]", names.join(", "));
    let edits = match (salt.by.first(), salt.by.last()) {
        (Some(first), Some(last)) => {
            let place = Span { end: last.place.end, ..first.place };
            vec![Edit { place, text: names.join(", ") }]
        }
        _ => {
            let at = Span { start: salt.buckets.place.end, end: salt.buckets.place.end, ..salt.buckets.place };
            vec![Edit { place: at, text: format!(", by = {new}") }]
        }
    };
    let finding = found.finding(salt.place, message).number("ranges a query", f64::from(*salt.buckets), "");
    found.push(finding.remedy(format!("take the salt from what queries fix: `by = {new}`"), edits));
}
