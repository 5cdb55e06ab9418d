//! The settings of the cluster that a design declares, and what is assumed of them.

use rowkey_design::internal::design::{Balancer, Cluster, Engine, SplitPolicy as Policy};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::file::{Bytes, Count, Rate};
use rowkey_design::internal::load::{self, Capacity, Rates, engine_of, is_one_process, reads_per_server, said_in_vain};

use super::Simulates;
use super::demand::MOST_SERVERS;
use crate::cluster::{BALANCER_MS, FLUSH_SIZE};
use crate::run::{Key, Settings, SplitPolicy};

/// The assumption on the reads that a server takes, in words; none where the design says it.
pub(crate) fn unsaid_reads(cluster: Option<&Cluster>) -> Option<String> {
    let takes = reads_per_server(engine_of(cluster), cluster).unwrap_or(f64::INFINITY);
    let reads = cluster.and_then(|cluster| cluster.region.as_ref()?.reads);
    unsaid(reads, takes, "read").filter(|_| is_to_say(cluster))
}

/// False of DynamoDB: what a partition takes is documented, and there are as many as a table asks for. Nor is there
/// anything to say of one process.
fn is_to_say(cluster: Option<&Cluster>) -> bool {
    engine_of(cluster) != Engine::DynamoDb && !is_one_process(engine_of(cluster))
}

/// The assumption on the writes that a server takes, in words; none where the design says it, or it takes all.
pub(super) fn unsaid_writes(cluster: Option<&Cluster>, capacity: &Capacity) -> Option<String> {
    let writes = cluster.and_then(|cluster| cluster.region.as_ref()?.writes);
    unsaid(writes, capacity.each, "write").filter(|_| is_to_say(cluster))
}

fn unsaid(said: Option<Rate>, takes: f64, what: &str) -> Option<String> {
    let takes = if takes.is_finite() { Count(takes).to_string() } else { "any number of".to_owned() };
    said.is_none().then(|| format!("a server takes {takes} {what}s a second: say `region.{what}s = …`"))
}

/// The assumptions on what servers take, in words.
pub(super) fn of_takes(cluster: Option<&Cluster>, key: &KeyFacts<'_>, capacity: &Capacity) -> Vec<String> {
    let table = &key.table.table;
    if !is_to_say(cluster) {
        return Vec::new();
    }
    let mut assumed: Vec<String> = capacity.assumed().into_iter().collect();
    if !table.write.is_empty() {
        assumed.extend(unsaid_writes(cluster, capacity));
    }
    if table.query.iter().any(|query| query.rate.is_some()) {
        assumed.extend(unsaid_reads(cluster));
    }
    assumed
}

/// The settings of a table's cluster, and what is assumed of them.
pub(super) fn settings(
    cluster: Option<&Cluster>,
    key: &KeyFacts<'_>,
    capacity: &Capacity,
    simulates: Simulates,
    assumed: &mut Vec<String>,
) -> Settings {
    let region = cluster.and_then(|cluster| cluster.region.as_ref());
    let of_hbase = simulates == Simulates::Regions;
    let mut or = |declared: Option<u64>, default: u64, words: String| {
        if declared.is_none() && of_hbase {
            assumed.push(words);
        }
        declared.unwrap_or(default)
    };
    let size = |bytes: Option<Bytes>| bytes.map(|bytes| bytes.0 as u64);
    let bytes = |size: u64| Bytes(size as f64);
    let max = region.and_then(|region| region.max);
    let flush = region.and_then(|region| region.flush);
    let default = engine_of(cluster).region_bytes();
    let max_filesize = or(size(max), default, format!("a region is split at {}: say `region.max = …`", bytes(default)));
    let flush_size =
        or(size(flush), FLUSH_SIZE, format!("a memstore is flushed at {}: say `region.flush = …`", bytes(FLUSH_SIZE)));
    let split_policy = match region.and_then(|region| region.split) {
        _ if !of_hbase => SplitPolicy::Disabled,
        Some(Policy::Stepping) => SplitPolicy::Stepping,
        Some(Policy::Increasing) => SplitPolicy::Increasing,
        Some(Policy::Constant) => SplitPolicy::Constant,
        Some(Policy::Disabled) => SplitPolicy::Disabled,
        _ => {
            assumed.push("the split policy is stepping: say `region.split = …`".to_owned());
            SplitPolicy::Stepping
        }
    };
    let balancer_ms = match cluster.and_then(|cluster| cluster.balancer) {
        _ if !of_hbase => None,
        Some(Balancer::Off) => None,
        Some(Balancer::Period(period)) => Some((period.seconds() * 1000.0).max(1.0) as u64),
        None => {
            assumed.push("the balancer runs each 5 min: say `balancer = …`".to_owned());
            Some(BALANCER_MS)
        }
    };
    let engine = engine_of(cluster);
    if cluster.is_none() {
        assumed.push(format!("the engine is {engine}: say `[cluster.NAME]` and its `engine = …`"));
    }
    if !of_hbase {
        let own = match is_one_process(engine) {
            true => format!("{} is one process", engine.word()),
            false => format!(
                "the {}s of {} are not simulated, as their splits are documented in words alone",
                engine.region(),
                engine.word()
            ),
        };
        let of = bytes(max_filesize);
        let say = if max.is_none() { ": say `region.max = …`" } else { "" };
        let ranges = match key.partition {
            Some(_) if engine == Engine::DynamoDb => {
                "a range is an even part of the hashes of partition keys, or less where heavy ones are in it".to_owned()
            }
            Some(_) => "a range is an even part of the hashes of partitions, as many on each server".to_owned(),
            None => format!(
                "a range is what lies between two split points, or where none are declared {of} of the full grown table, or less where it is split by load{say}"
            ),
        };
        assumed.push(format!("{own}: {ranges}"));
        if key.partition.is_some() && key.table.split_points(key.secondary).is_some() {
            assumed.push(format!("{} takes no split points: those of the design are left out", engine.word()));
        }
    }
    assumed.extend(of_takes(cluster, key, capacity));
    assumed.extend(said_in_vain(cluster));
    let said = load::servers(cluster);
    let servers = if is_to_say(cluster) { capacity.servers } else { said.unwrap_or(1.0) };
    let splits = key.table.split_points(key.secondary);
    let splits = splits.iter().flat_map(|splits| splits.iter().map(|point| Key(point.to_vec()))).collect();
    Settings {
        load: format!("{} by its design", key.name.as_str()),
        servers: servers.clamp(1.0, MOST_SERVERS) as u32,
        max_filesize,
        flush_size,
        split_policy,
        balancer_ms,
        compaction_min_size: flush_size,
        splits,
        rows_per_second: key.table.table.write.iter().filter_map(|write| Some(Rates::of_write(write)?.mean)).sum(),
        ..Settings::default()
    }
}
