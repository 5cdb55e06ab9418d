//! H08: a salt computed from the time alone.

use crate::facts::{FieldFacts, Growth};
use crate::finding::Edit;
use crate::load::by;
use crate::problem::Span;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::writes;
use crate::rules::salt::better_fields;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(salt) = context.table.table.salt.as_ref().filter(|_| is_of_time(context)) else { return };
    let key = &context.keys[0];
    let taken = by(key);
    let names: Vec<&str> = taken.iter().map(|&field| key.fields[field].name).collect();
    let message =
        format!("rows of one moment all land in one bucket: the salt is taken from {} alone", names.join(", "));
    let finding = found.finding(salt.place, message).number("buckets", f64::from(*salt.buckets), "");
    let all: Vec<String> = key.fields.iter().map(|field| format!("{:?}", field.name)).collect();
    let edits = match (salt.by.first(), salt.by.last()) {
        (Some(first), Some(last)) => {
            vec![Edit { place: Span { end: last.place.end, ..first.place }, text: all.join(", ") }]
        }
        _ => Vec::new(),
    };
    found.push(finding.remedy("take the salt from a field that tells the rows of one moment apart", edits));
}

/// True if the salt is taken from the time alone, and nothing else says so.
pub(super) fn is_of_time(context: &Context<'_>) -> bool {
    let key = &context.keys[0];
    let taken = by(key);
    // A number of each row, or an id that begins with a time, is another one in each row of a moment.
    let is_time = |field: &FieldFacts<'_>| matches!(field.growth, Some(Growth::Time(_) | Growth::Unknown));
    let times = taken.iter().all(|&field| key.fields.get(field).is_some_and(is_time));
    let others = key.fields.len() > taken.len();
    // What mends H07 mends this too.
    let is_said = || writes(context, false).is_empty() || better_fields(context).is_some();
    context.table.table.salt.is_some() && times && others && !is_said()
}
