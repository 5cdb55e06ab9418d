//! H26: one place gets more reads than a server takes.

use rowkey::lead::Lead;

use crate::cost::{QueryCost, ReadLoad};
use crate::design::Engine;
use crate::file::{Count, Rate};
use crate::load::{Rates, is_one_process, reads_per_server};
use crate::rules::context::{Context, RuleSink};
use crate::rules::salt::{FanOut, fan_out};

/// True if one place gets more reads of a query than a server takes, or all buckets more than all servers.
pub(super) fn is_found(context: &Context<'_>, cost: &QueryCost<'_>) -> bool {
    hot(context, cost).is_some() || fan_out(context, cost).is_some()
}

/// The reads of a query on its busiest place, and what one server takes of them, if that is less.
fn hot(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<(ReadLoad, f64)> {
    let capacity = reads_per_server(context.engine, context.cluster).filter(|_| !is_one_process(context.engine))?;
    let load = cost.read_load(context.table, context.key_of(cost), context.cluster)?;
    (load.busiest > capacity).then_some((load, capacity))
}

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in &context.queries {
        let name = cost.query.name.as_str();
        let runs = Rates::of_query(cost.query).map_or(String::new(), |rates| format!(" ({})", Rate(rates.peak)));
        let Some((load, capacity)) = hot(context, cost) else {
            if let Some(all) = fan_out(context, cost) {
                of_all_buckets(cost, &all, &format!("{name:?}{runs}"), found);
            }
            continue;
        };
        let message = format!(
            "{name:?}{runs} makes {} reads of {}: a server takes {}",
            Rate(load.busiest),
            place(context, cost, load),
            Rate(capacity)
        );
        let finding = found
            .finding(cost.query.place, message)
            .of(name)
            .number("reads", load.reads, "/s")
            .number("reads of the busiest place", load.busiest, "/s")
            .number("reads that one server takes", capacity, "/s");
        found.push(finding.remedy(cure(context, cost, load, capacity), Vec::new()));
    }
}

fn of_all_buckets(cost: &QueryCost<'_>, all: &FanOut, query: &str, found: &mut RuleSink<'_>) {
    let (buckets, takes) = (cost.buckets as f64, all.servers * all.each);
    let message = format!(
        "{query} asks {buckets} salt buckets at each run, which is {} reads: {} can take {}",
        Rate(all.reads),
        Count(all.servers).of("server"),
        Rate(takes)
    );
    let finding = found
        .finding(cost.query.place, message)
        .of(cost.query.name.as_str())
        .number("reads", all.reads, "/s")
        .number("salt buckets", buckets, "")
        .number("servers", all.servers, "")
        .number("reads that one server takes", all.each, "/s");
    let few = (takes / (all.reads / buckets)).floor();
    let cures = [
        (cost.leading > 0)
            .then(|| "take the salt of fields that the query fixes: a run then asks one bucket".to_owned()),
        (few > 1.0).then(|| format!("have at most {}", Count(few).of("bucket"))),
        Some("keep what is read most in a cache".to_owned()),
    ];
    found.push(finding.remedy(cures.into_iter().flatten().collect::<Vec<_>>().join("; or "), Vec::new()));
}

fn place(context: &Context<'_>, cost: &QueryCost<'_>, load: ReadLoad) -> String {
    let rows = match cost.query.newest_first() {
        _ if load.front.is_none() => "rows",
        Some(false) => "oldest rows",
        _ => "newest rows",
    };
    let key = context.key_of(cost);
    let before = load.front.unwrap_or(cost.leading);
    let of: Vec<String> = key.fields[..key.partition.map_or(before, |partition| before.min(partition))]
        .iter()
        .filter(|field| !field.is_constant())
        .map(|field| format!("{:?}", field.name))
        .collect();
    let bucket = if load.fans_out { " in each bucket" } else { "" };
    match &of[..] {
        [] => format!("the {rows} of the table{bucket}"),
        of => format!("the {rows} of one value of {}{bucket}", of.join(", ")),
    }
}

fn cure(context: &Context<'_>, cost: &QueryCost<'_>, load: ReadLoad, capacity: f64) -> String {
    let mut cures = Vec::new();
    if let Some(front) = load.front {
        let key = context.key_of(cost);
        let fixes = |name: &str| cost.query.fix.iter().any(|field| **field == *name);
        let behind = key.fields[front + 1..].iter().find(|field| fixes(field.name));
        if let Some(field) = behind.filter(|_| !fixes(key.fields[front].name)) {
            cures.push(format!("put {:?}, which the query fixes, before {:?}", field.name, key.fields[front].name));
        } else if matches!(key.layout.lead(), Lead::None) && cost.leading == key.fields.len() {
            cures.push("spread the rows by a salt: the query knows what it is taken from".to_owned());
        }
        cures.push("keep these rows in a cache, or in a small table that is stored several times".to_owned());
    } else {
        cures.push("keep the rows that are read most in a cache".to_owned());
        let copies = Count((2.0 * load.busiest / capacity).ceil());
        let place = "at the beginning of the key, of which a reader picks one";
        cures.push(format!("store them {copies} times, each under a shard number {place}"));
    }
    cures.extend(of_engine(context.engine).map(str::to_owned));
    cures.join("; or ")
}

/// The part of an engine that takes reads off the server of a region.
fn of_engine(engine: Engine) -> Option<&'static str> {
    match engine {
        Engine::HBase => Some("read from region replicas, where rows that are some seconds old will do"),
        Engine::Bigtable => Some("read from the clusters of a replicated instance, each in its turn"),
        Engine::Cockroach => Some("read from followers, where rows that are some seconds old will do"),
        Engine::TiKv => Some("read from followers"),
        Engine::DynamoDb => {
            Some("put DAX before the table, and read without `ConsistentRead`, which is half the units")
        }
        Engine::Cassandra => Some("read from one replica at a time (`ONE`, not `QUORUM`)"),
        Engine::FoundationDb | Engine::Fjall | Engine::RocksDb => None,
    }
}
