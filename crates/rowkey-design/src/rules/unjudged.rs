//! The parts of a table that no rule judges, as the file does not say what it takes.

use rowkey::lead::Lead;

use crate::cost::{QueryCost, rows_of};
use crate::facts::KeyFacts;
use crate::load::{Rates, is_one_process, reads_per_server};
use crate::rules::context::Context;
use crate::rules::regions;

/// Each in a sentence, with what to say: one for each cause.
pub(crate) fn unjudged(context: &Context<'_>) -> Vec<String> {
    if is_one_process(context.engine) {
        return Vec::new();
    }
    let of_keys = context.keys.iter().flat_map(|key| [values(context, key), asked(context, key), rows(context, key)]);
    [rates(context), reads(context)].into_iter().chain(of_keys).flatten().collect()
}

fn has_rate(cost: &&QueryCost<'_>) -> bool {
    Rates::of_query(cost.query).is_some()
}

/// Queries none of which has a rate, where it is known what a server takes.
fn rates(context: &Context<'_>) -> Option<String> {
    let takes = reads_per_server(context.engine, context.cluster);
    let query =
        context.queries.first().filter(|_| takes.is_some() && !context.queries.iter().any(|cost| has_rate(&cost)));
    let (table, name) = (context.table.name.as_str(), query?.query.name.as_str());
    let more = if context.queries.len() > 1 { " and of the other queries" } else { "" };
    Some(format!("if the reads of {name:?}{more} of {table:?} are too many for one server: say their `rate`"))
}

/// Queries whose reads may be of one place, where nobody says what a server takes.
fn reads(context: &Context<'_>) -> Option<String> {
    if reads_per_server(context.engine, context.cluster).is_some() {
        return None;
    }
    let asked = || context.queries.iter().filter(has_rate);
    let gathers = |cost: &&QueryCost<'_>| cost.query.recent.is_some() || !cost.query.skew.is_empty();
    let query = asked().find(gathers).or_else(|| asked().next())?;
    let (table, name, engine) = (context.table.name.as_str(), query.query.name.as_str(), context.engine);
    Some(format!(
        "if the reads of {name:?} of {table:?} are too many for one server, as no document says how many {engine} takes: \
         say `region.reads` of the cluster"
    ))
}

/// Writes of more than one server takes, of whose values nobody says how many there are.
fn values(context: &Context<'_>, key: &KeyFacts<'_>) -> Option<String> {
    let of_key = context.loads_of(key).filter(|load| load.front != Some(0));
    let asked = |load| context.capacity.asked(load, &context.loads).unwrap_or(0.0);
    let mut hot = of_key.filter(|load| load.places.is_none() && asked(load) > context.capacity.takes(load));
    let load = hot.find(|_| matches!(key.layout.lead(), Lead::None))?;
    let unknown = unknown(key, load.front.unwrap_or(key.fields.len()))?;
    let (table, name) = (key.name.as_str(), load.write.name.as_str());
    Some(format!(
        "if {name:?} of {table:?} is hot, as nobody knows how many values of {unknown:?} are written: say \
         `stats.{unknown} = {{ distinct = …, skew = … }}`"
    ))
}

/// Queries of more reads than one server takes, of whose values nobody says how many there are.
fn asked(context: &Context<'_>, key: &KeyFacts<'_>) -> Option<String> {
    let takes = reads_per_server(context.engine, context.cluster)?;
    let of_key = context.queries_of(key).filter(|cost| cost.leading > 0);
    let mut hot = of_key.filter(|cost| cost.reads_of_all(context.cluster).is_some_and(|reads| reads > takes));
    let cost = hot.find(|cost| cost.read_load(context.table, key, context.cluster).is_none())?;
    let unknown = unknown(key, cost.leading)?;
    let (table, name) = (key.name.as_str(), cost.query.name.as_str());
    Some(format!(
        "if the reads of {name:?} of {table:?} are hot, as nobody knows how many values of {unknown:?} there are: say \
         `stats.{unknown} = {{ distinct = … }}`, and `skew.{unknown}` of the query"
    ))
}

/// Reads of more than one server takes, of a table of which nobody says how large it is.
fn rows(context: &Context<'_>, key: &KeyFacts<'_>) -> Option<String> {
    let takes = reads_per_server(context.engine, context.cluster)?;
    let is_unknown = rows_of(context.table, key.secondary).is_none() && !context.engine.hashes_partitions();
    let table = key.name.as_str();
    (is_unknown && regions::reads(context, key) > takes && regions::read(context, key).is_none()).then(|| {
        format!("if {table:?} is so small that one server has all its reads, as nobody knows how many rows it has: say `rows`")
    })
}

/// The first of these fields of whose values nobody says how many there are.
fn unknown<'d>(key: &KeyFacts<'d>, fields: usize) -> Option<&'d str> {
    let unknown = key.fields.get(..fields)?.iter().find(|field| field.spread.is_none() && field.growth.is_none())?;
    Some(unknown.name)
}
