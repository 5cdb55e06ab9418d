//! The writes and reads that a server takes, and the servers of a cluster.

use super::{WriteLoad, peak, units};
use crate::design::{Cluster, Engine, Region};
use crate::facts::KeyFacts;
use crate::file::Count;
use crate::resolve::TableDesign;
use crate::row_bytes::bytes_per_put;

/// The writes that the server of one region takes, by engine, where the design does not say: documented numbers alone.
///
/// Bigtable: a node with SSD, 14,000 rows of 1 KB a second (cloud.google.com/bigtable/docs/performance). DynamoDB: a
/// partition, 1,000 write units a second. HBase has no official number; 10,000 increments a second a server is what Big
/// Data for Chimps counts with.
pub fn known_writes_per_server(engine: Engine, cluster: Option<&Cluster>) -> Option<f64> {
    let declared = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.writes);
    declared.map(|rate| rate.0).or(match engine {
        Engine::HBase => Some(10_000.0),
        Engine::Bigtable => Some(14_000.0),
        Engine::DynamoDb => Some(1_000.0),
        _ => None,
    })
}

/// The reads that the server of one region takes, by engine, where the design does not say: documented numbers alone.
///
/// Bigtable: a node with SSD, 17,000 rows of 1 KB a second (cloud.google.com/bigtable/docs/performance). DynamoDB: a
/// partition, 3,000 read units a second, each a consistent read of up to 4 KB
/// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
pub fn reads_per_server(engine: Engine, cluster: Option<&Cluster>) -> Option<f64> {
    let declared = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.reads);
    declared.filter(|_| !is_one_process(engine)).map(|rate| rate.0).or(match engine {
        Engine::Bigtable => Some(17_000.0),
        Engine::DynamoDb => Some(3_000.0),
        _ => None,
    })
}

/// The writes that the server of one region takes: where nothing is documented, HBase's.
pub fn writes_per_server(engine: Engine, cluster: Option<&Cluster>) -> f64 {
    known_writes_per_server(engine, cluster).unwrap_or(10_000.0)
}

/// The remedy for tables that together ask for this multiple of the capacity of these servers.
pub fn servers_for_all(part: f64, servers: f64) -> String {
    let needed = Count((part * servers).ceil());
    format!("{needed} servers take them, if the keys spread them evenly; or a cluster for some of the tables")
}

/// The engine of a cluster; HBase where a design has none.
pub fn engine_of(cluster: Option<&Cluster>) -> Engine {
    cluster.map_or(Engine::HBase, |cluster| cluster.engine)
}

/// The bytes at which a region is split, by engine, where the design does not say it.
pub fn region_bytes(cluster: Option<&Cluster>) -> f64 {
    let declared = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.max);
    declared.map_or(engine_of(cluster).region_bytes() as f64, |max| max.0)
}

/// The bytes of keys and values that the server of one region takes, a second, if the file says it.
pub(crate) fn bytes_per_server(cluster: Option<&Cluster>) -> Option<f64> {
    cluster?.region.as_ref()?.bytes.map(|rate| rate.0)
}

/// Returns whether an engine is one process, which takes all writes and reads wherever they land.
pub fn is_one_process(engine: Engine) -> bool {
    matches!(engine, Engine::Fjall | Engine::RocksDb)
}

/// The servers of a cluster, if the file says how many: one where the engine is one process, whatever it says.
pub fn servers(cluster: Option<&Cluster>) -> Option<f64> {
    match is_one_process(engine_of(cluster)) {
        true => Some(1.0),
        false => cluster?.servers.map(f64::from),
    }
}

/// The words for what a cluster says in vain of an engine that is one process; none if it says no such thing.
pub fn said_in_vain(cluster: Option<&Cluster>) -> Option<String> {
    let Cluster { engine, servers, region, .. } = cluster.filter(|cluster| is_one_process(cluster.engine))?;
    let of_region = |of: fn(&Region) -> bool| region.as_ref().is_some_and(of);
    let said = [
        ("servers", servers.is_some()),
        ("region.writes", of_region(|region| region.writes.is_some())),
        ("region.reads", of_region(|region| region.reads.is_some())),
        ("region.bytes", of_region(|region| region.bytes.is_some())),
    ];
    let said: Vec<String> = said.iter().filter(|(_, is_said)| *is_said).map(|(name, _)| format!("`{name}`")).collect();
    let (last, others) = said.split_last()?;
    let (names, mean) = match others {
        [] => (last.clone(), "means"),
        _ => (format!("{} and {last}", others.join(", ")), "mean"),
    };
    Some(format!("{} is one process, which takes all: {names} {mean} nothing", engine.word()))
}

/// The servers of a cluster whose file does not say how many it has, unless its writes need more.
pub const ASSUMED_SERVERS: u32 = 8;

/// The writes of a table, and what its servers take of them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Capacity {
    /// The writes a second that one server takes; infinite on an engine of one process, which takes all wherever they
    /// land.
    pub each: f64,
    /// The bytes a second that one server takes; infinite where the file does not say it.
    pub bytes: f64,
    /// The number of servers: as the file says, else [`ASSUMED_SERVERS`], or as many as the writes need. One where the
    /// engine is one process.
    pub servers: f64,
    /// True if the file says none, and it matters.
    pub is_assumed: bool,
    /// The writes a second at the peak, as far as the file says: on DynamoDB in write units. Writes of so many bytes
    /// that a server takes half as many count twice.
    pub peak: f64,
    /// True if there are as many servers as are asked for: DynamoDB's partitions.
    pub has_enough: bool,
}

impl Capacity {
    /// That of the cluster that a table is for.
    pub fn of(table: &TableDesign, cluster: Option<&Cluster>) -> Self {
        let engine = engine_of(cluster);
        let each = if is_one_process(engine) { f64::INFINITY } else { writes_per_server(engine, cluster) };
        let bytes = bytes_per_server(cluster).filter(|_| each.is_finite()).unwrap_or(f64::INFINITY);
        // Elsewhere the size of a write does not matter.
        let by_size = engine == Engine::DynamoDb || bytes.is_finite();
        let key = by_size.then(|| KeyFacts::of(table, None).on(cluster));
        let cost = |write| {
            let key = key.as_ref()?;
            Some(units(write, key).max(each * bytes_per_put(table, key, write) / bytes))
        };
        let peak: f64 =
            table.table.write.iter().filter_map(|write| Some(peak(write)? * cost(write).unwrap_or(1.0))).sum();
        let declared = servers(cluster);
        let servers = declared.unwrap_or_else(|| (peak / each).ceil().max(ASSUMED_SERVERS.into()));
        let has_enough = engine == Engine::DynamoDb;
        let capacity = Self { each, bytes, servers, is_assumed: false, peak, has_enough };
        let is_said = declared.is_some() || capacity.takes_all() || has_enough;
        Self { is_assumed: !is_said && !table.table.write.is_empty(), ..capacity }
    }

    /// The writes of a load that one server takes, a second: fewer where their bytes are too many. On DynamoDB in write
    /// units.
    pub fn takes(&self, load: &WriteLoad<'_>) -> f64 {
        self.each.min(self.bytes / load.bytes.max(1.0) * load.units)
    }

    /// The writes of these loads together that one server takes, a second, each by its rate; where none has one, those
    /// of the first.
    pub fn takes_of(&self, loads: &[WriteLoad<'_>]) -> f64 {
        let rated = || loads.iter().filter_map(|load| Some((load.peak?, self.takes(load))));
        let (all, parts) = rated().fold((0.0, 0.0), |(all, parts), (peak, takes)| (all + peak, parts + peak / takes));
        if parts > 0.0 { all / parts } else { loads.first().map_or(self.each, |load| self.takes(load)) }
    }

    /// The writes a second, at their peaks, that land in the places of one of these loads, as many as if they were of its
    /// size; none if it has no rate.
    pub fn asked(&self, load: &WriteLoad<'_>, all: &[WriteLoad<'_>]) -> Option<f64> {
        let (own, takes) = (load.peak?, self.takes(load));
        let others = all.iter().filter(|other| !std::ptr::eq(*other, load) && load.coincides(other));
        let more = others.filter_map(|other| Some(other.peak? * takes / self.takes(other)));
        Some(own + more.filter(|more| more.is_finite()).sum::<f64>())
    }

    /// True if one server takes all writes, whatever their rate.
    pub fn takes_all(&self) -> bool {
        self.each.is_infinite()
    }

    /// The assumption on the servers, in words; none where the file says how many there are.
    pub fn assumed(&self) -> Option<String> {
        let servers = Count(self.servers).of("server");
        self.is_assumed.then(|| format!("the cluster has {servers}: say `servers = …`"))
    }

    /// The number of servers that the writes need, however even they are.
    pub fn needed(&self) -> f64 {
        (self.peak / self.each).ceil()
    }

    /// The buckets of a salt that spreads the writes: as many as there are servers, or a multiple where these are too
    /// few, so that each server has as many.
    pub fn buckets(&self) -> f64 {
        let servers = self.servers.max(1.0);
        servers * (self.needed() / servers).ceil().max(1.0)
    }

    /// The writes a second that all servers together take, and the servers that are needed, where each row is written
    /// to so many tables and they are too few. Of DynamoDB there are never too few.
    pub fn too_small_for(&self, tables: usize) -> Option<(f64, f64)> {
        let (all, written) = (self.servers * self.each, self.peak * tables as f64);
        (all < written && !self.has_enough).then(|| (all, (written / self.each).ceil()))
    }

    /// The writes a second of one of these loads that no server takes under a key, were there as many servers as are
    /// needed. A cluster that is too small is so under every key.
    pub fn refused(&self, load: &WriteLoad<'_>, all: &[WriteLoad<'_>]) -> f64 {
        let (Some(frequencies), Some(peak), Some(asked)) = (&load.frequencies, load.peak, self.asked(load, all)) else {
            return 0.0;
        };
        // One server may serve many places, and a place has one server.
        if asked > 0.0 { peak * frequencies.above(self.takes(load) / asked) } else { 0.0 }
    }
}
