//! The salt that queries could know.

use crate::load::by;
use crate::rules::context::Context;

/// The leading fields that every query fixes, if the salt is taken from others, and could be taken from these.
pub(super) fn better_fields(context: &Context<'_>) -> Option<Vec<usize>> {
    let salt = context.table.table.salt.as_ref()?;
    let key = &context.keys[0];
    let asked = context.queries.iter().filter(|cost| cost.secondary.is_none() && cost.leading > 0 && !cost.full_scan);
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() || asked.iter().any(|cost| cost.ranges.len() <= 1) {
        return None;
    }
    let common = asked.iter().map(|cost| cost.leading).min().unwrap_or(0);
    let fixed: Vec<usize> = (0..common).collect();
    let values: Option<f64> = fixed.iter().map(|&field| key.fields[field].spread.map(|spread| spread.n_eff)).product();
    let enough = values.is_some_and(|values| values >= 20.0 * f64::from(*salt.buckets));
    (fixed != by(key) && enough).then_some(fixed)
}
