//! H07: a salt computed from fields that no query fixes.

use crate::finding::Edit;
use crate::load::by;
use crate::problem::Span;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(salt) = &context.table.table.salt else { return };
    let key = &context.keys[0];
    let taken = by(key);
    let asked: Vec<_> =
        context.queries.iter().filter(|cost| cost.secondary.is_none() && cost.leading > 0 && !cost.full_scan).collect();
    if asked.is_empty() || asked.iter().any(|cost| cost.ranges.len() <= 1) {
        return;
    }
    // The leading fields that every query fixes could be what the salt is taken from.
    let common = asked.iter().map(|cost| cost.leading).min().unwrap_or(0);
    let enough = |fields: &[usize]| {
        let values: Option<f64> =
            fields.iter().map(|&field| key.fields[field].spread.map(|spread| spread.n_eff)).product();
        values.is_some_and(|values| values >= 20.0 * f64::from(*salt.buckets))
    };
    let fixed: Vec<usize> = (0..common).collect();
    if fixed == taken || !enough(&fixed) {
        return;
    }
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
