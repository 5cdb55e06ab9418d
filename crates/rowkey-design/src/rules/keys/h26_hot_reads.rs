//! H26: one place gets more reads than a server takes.

use rowkey::lead::Lead;

use crate::cost::{QueryCost, ReadLoad};
use crate::design::Engine;
use crate::facts::KeyFacts;
use crate::file::{Count, Rate};
use crate::load::{Rates, reads_per_server};
use crate::rules::context::{Context, RuleSink};
use crate::rules::regions::read;
use crate::rules::salt::{FanOut, fan_out};

/// True if one place gets more reads of a query than a server takes, or all buckets more than all servers.
pub(super) fn is_found(context: &Context<'_>, cost: &QueryCost<'_>) -> bool {
    hot(context, cost).is_some() || fan_out(context, cost).is_some()
}

/// The reads of a query on its busiest place, and what one server takes of them, if that is less.
fn hot(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<(ReadLoad, f64)> {
    let capacity = reads_per_server(context.engine, context.cluster)?;
    let load = cost.read_load(context.table, context.key_of(cost), context.cluster)?;
    (load.busiest > capacity).then_some((load, capacity))
}

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for key in &context.keys {
        let before = found.list.len();
        context.queries_of(key).for_each(|cost| alone(context, cost, found));
        if found.list.len() == before {
            together(context, key, found);
        }
        if found.list.len() == before {
            of_region(context, key, found);
        }
    }
}

/// The finding of one query.
fn alone(context: &Context<'_>, cost: &QueryCost<'_>, found: &mut RuleSink<'_>) {
    let name = cost.query.name.as_str();
    let runs = Rates::of_query(cost.query).map_or(String::new(), |rates| format!(" ({})", Rate(rates.peak)));
    let Some((load, capacity)) = hot(context, cost) else {
        if let Some(all) = fan_out(context, cost) {
            of_all_buckets(cost, &all, &format!("{name:?}{runs}"), found);
        }
        return;
    };
    of_place(context, cost, &load, (&format!("{name:?}{runs} makes"), load.busiest, capacity), found);
}

/// The finding of queries each of which one server takes, and all of which read one place.
fn together(context: &Context<'_>, key: &KeyFacts<'_>, found: &mut RuleSink<'_>) {
    let capacity = reads_per_server(context.engine, context.cluster);
    let Some(capacity) = capacity else { return };
    let of_key = || context.queries_of(key);
    let load = |cost: &'_ QueryCost<'_>| cost.read_load(context.table, key, context.cluster);
    let sum =
        |at: &ReadLoad| -> f64 { of_key().map(|cost| cost.reads_at(context.table, key, context.cluster, at)).sum() };
    let places = of_key().filter_map(|cost| Some((cost, load(cost)?)));
    let summed = places.map(|(cost, load)| (cost, sum(&load), load)).filter(|(_, sum, _)| *sum > capacity);
    // Of places within each other the widest is said, which is the busiest.
    let Some((cost, sum, load)) = summed.max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let all = of_key().filter(|cost| cost.reads_at(context.table, key, context.cluster, &load) > 0.0);
    let names: Vec<String> = all.map(|cost| format!("{:?}", cost.query.name.as_str())).collect();
    of_place(context, cost, &load, (&format!("{} together make", names.join(", ")), sum, capacity), found);
}

/// The finding of a hot place of reads. `who`: the queries that make them, as the message begins.
fn of_place(
    context: &Context<'_>,
    cost: &QueryCost<'_>,
    load: &ReadLoad,
    (who, busiest, capacity): (&str, f64, f64),
    found: &mut RuleSink<'_>,
) {
    let place = place(context, cost, load);
    let message = format!("{who} {} reads of {place}: a server takes {}", Rate(busiest), Rate(capacity));
    let finding = found
        .finding(cost.query.place, message)
        .of(cost.query.name.as_str())
        .number("reads", load.reads, "/s")
        .number("reads of the busiest place", busiest, "/s")
        .number("reads that one server takes", capacity, "/s");
    found.push(finding.remedy(cure(context, cost, load, busiest / capacity), Vec::new()));
}

/// The finding of a table whose reads are in too few regions: it is small, or its split points leave them in one.
fn of_region(context: &Context<'_>, key: &KeyFacts<'_>, found: &mut RuleSink<'_>) {
    let Some(fullest) = read(context, key) else { return };
    let (rate, takes) = (Rate(fullest.rate.round()), Rate(fullest.rate / fullest.asked));
    let which = match fullest.regions > 1.0 {
        true => format!("has {}, the fullest of which", Count(fullest.regions).of("region")),
        false => "is one region, which".to_owned(),
    };
    let message = format!("{:?} {which} gets {rate} reads: a server takes {takes}", key.name.as_str());
    let mut finding = found.finding(key.name.place, message).number("reads of the fullest region", fullest.rate, "/s");
    finding = finding.number("regions", fullest.regions, "");
    if let Some(secondary) = context.secondary(key) {
        finding = finding.of(secondary.name.as_str());
    }
    let cures = ["keep a small table in the memory of the programs that read it; or split it (`splits`)"];
    let cures: Vec<&str> = cures.into_iter().chain(of_engine(context.engine)).collect();
    found.push(finding.remedy(cures.join("; or "), Vec::new()));
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

fn place(context: &Context<'_>, cost: &QueryCost<'_>, load: &ReadLoad) -> String {
    let rows = match cost.query.newest_first() {
        _ if load.front.is_none() && load.fields.is_empty() => "first rows",
        _ if load.front.is_none() => "rows",
        Some(false) if cost.query.recent.is_none() => "oldest rows",
        _ => "newest rows",
    };
    let key = context.key_of(cost);
    let before = load.front.unwrap_or(if load.fields.is_empty() { 0 } else { cost.leading });
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

/// `servers`: those that would take the reads of the place.
fn cure(context: &Context<'_>, cost: &QueryCost<'_>, load: &ReadLoad, servers: f64) -> String {
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
        let copies = Count((2.0 * servers).ceil());
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
