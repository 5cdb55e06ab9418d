//! The salt that queries could know, and what it costs those that do not.

use crate::cost::QueryCost;
use crate::design::Engine;
use crate::load::{by, reads_per_server, servers};
use crate::rules::context::Context;

/// The reads of a query that asks several buckets at each run, a second, if they are more than all servers take.
pub(super) struct FanOut {
    pub(super) reads: f64,
    pub(super) servers: f64,
    /// The reads that one server takes.
    pub(super) each: f64,
}

pub(super) fn fan_out(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<FanOut> {
    // DynamoDB has as many servers as a table needs.
    if cost.buckets < 2 || context.engine == Engine::DynamoDb {
        return None;
    }
    let servers = servers(context.cluster)?;
    let each = reads_per_server(context.engine, context.cluster)?;
    let reads = cost.reads_of_all(context.cluster)?;
    (reads > servers * each).then_some(FanOut { reads, servers, each })
}

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
