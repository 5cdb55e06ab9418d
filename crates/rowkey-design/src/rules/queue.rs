//! Queues: tables whose rows are deleted where they are read.

use crate::cost::{OrderFit, QueryCost};
use crate::design::{QueryOrder, Write, WriteKind};
use crate::problem::Located;
use crate::rules::context::Context;

/// The first write that deletes rows.
pub(super) fn deletes<'d>(context: &Context<'d>) -> Option<&'d Located<Write>> {
    context.table.table.write.iter().find(|write| write.kind == Some(WriteKind::Delete))
}

/// The queries that read the first rows of a prefix, oldest first, with nothing that says where to start.
pub(super) fn reads<'c, 'd>(context: &'c Context<'d>) -> impl Iterator<Item = &'c QueryCost<'d>> {
    let key = &context.keys[0];
    context.queries.iter().filter(|cost| cost.secondary.is_none()).filter(move |cost| {
        let oldest = key.growing() == Some(cost.leading)
            && match cost.order {
                OrderFit::Free => key.fields[cost.leading].is_descending() == Some(false),
                _ => cost.query.order.as_deref() == Some(&QueryOrder::Oldest),
            };
        oldest && cost.query.limit.is_some() && !cost.next && cost.filter.is_empty()
    })
}

/// True if the rows that are deleted are jobs that are done, not rows that are old: a TTL would remove those that are
/// not done.
pub(super) fn is_queue(context: &Context<'_>) -> bool {
    let oldest = |cost: &QueryCost<'_>| cost.query.order.as_deref() == Some(&QueryOrder::Oldest);
    deletes(context).is_some()
        && (reads(context).next().is_some()
            || (crate::cost::deletes_most(context.table) && context.queries.iter().any(oldest)))
}
