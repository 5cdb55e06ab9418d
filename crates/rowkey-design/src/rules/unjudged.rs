//! The parts of a table that no rule judges, as the file does not say what it takes.

use rowkey::lead::Lead;

use crate::load::{is_one_process, reads_per_server};
use crate::rules::context::Context;

/// Each in a sentence, with what to say.
pub(crate) fn unjudged(context: &Context<'_>) -> Vec<String> {
    if is_one_process(context.engine) {
        return Vec::new();
    }
    reads(context).into_iter().chain(values(context)).collect()
}

/// Queries whose reads may be of one place, where nobody says what a server takes.
fn reads(context: &Context<'_>) -> Option<String> {
    let gathers = |query: &crate::design::Query| query.recent.is_some() || !query.skew.is_empty();
    let mut asked = context.table.table.query.iter().filter(|query| query.rate.is_some() && gathers(query));
    let query = asked.next().filter(|_| reads_per_server(context.engine, context.cluster).is_none())?;
    let (table, name, engine) = (context.table.name.as_str(), query.name.as_str(), context.engine);
    Some(format!(
        "if the reads of {name:?} of {table:?} are too many for one server, as no document says how many {engine} takes: \
         say `region.reads` of the cluster"
    ))
}

/// Writes of more than one server takes, of whose values nobody says how many there are.
fn values(context: &Context<'_>) -> Option<String> {
    let key = &context.keys[0];
    let of_table = context.loads.iter().filter(|load| load.secondary.is_none() && load.front != Some(0));
    let hot = of_table.filter(|load| load.peak.is_some_and(|peak| peak > context.capacity.takes(load)));
    let load = hot.filter(|load| load.places.is_none()).find(|_| matches!(key.layout.lead(), Lead::None))?;
    let front = load.front.unwrap_or(key.fields.len());
    let unknown = key.fields[..front].iter().find(|field| field.spread.is_none())?.name;
    let (table, name) = (context.table.name.as_str(), load.write.name.as_str());
    Some(format!(
        "if {name:?} of {table:?} is hot, as nobody knows how many values of {unknown:?} are written: say \
         `stats.{unknown} = {{ distinct = …, skew = … }}`"
    ))
}
