//! The parts of what all servers take that the tables of a cluster ask for together.

use crate::design::Engine;
use crate::load::{self, reads_per_server};
use crate::rules::context::Context;
use crate::rules::regions::reads;

/// Tells the tables that ask for most what all ask for together.
pub(crate) fn add(tables: &mut [Context<'_>]) {
    if tables.len() < 2 {
        return;
    }
    let greatest = |of: fn(&Context<'_>) -> Option<f64>| {
        let parts: Vec<f64> = tables.iter().map(|context| of(context).unwrap_or(0.0)).collect();
        let all: f64 = parts.iter().sum();
        let first = (0..parts.len()).rev().max_by(|a, b| parts[*a].total_cmp(&parts[*b]))?;
        (all > 1.0 && parts[first] <= 1.0).then_some((first, all))
    };
    let (writes, reads) = (greatest(writes_asked), greatest(reads_asked));
    if let Some((first, all)) = writes {
        tables[first].together.writes = Some(all);
    }
    if let Some((first, all)) = reads {
        tables[first].together.reads = Some(all);
    }
}

/// The servers of the cluster; none of an engine that has as many as a table needs, or where the file does not say it.
fn servers(context: &Context<'_>) -> Option<f64> {
    load::servers(context.cluster).filter(|_| context.engine != Engine::DynamoDb && !context.capacity.takes_all())
}

/// The part of the writes that all servers take which a table asks for, with its secondary tables. Bulk loads are not
/// counted.
fn writes_asked(context: &Context<'_>) -> Option<f64> {
    let steady = context.loads.iter().filter(|load| load.write.bulk != Some(true));
    let asked = steady.filter_map(|load| Some(load.peak? / context.capacity.takes(load)));
    Some(asked.sum::<f64>() / servers(context)?)
}

/// The part of the reads, where it is known how many a server takes.
fn reads_asked(context: &Context<'_>) -> Option<f64> {
    let takes = reads_per_server(context.engine, context.cluster)? * servers(context)?;
    Some(context.keys.iter().map(|key| reads(context, key)).sum::<f64>() / takes)
}
