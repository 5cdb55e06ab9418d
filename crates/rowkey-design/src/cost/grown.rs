//! The regions of a full-grown table that no split points divide: by its size, and by its load.

use super::QueryCost;
use crate::design::{Cluster, WriteKind};
use crate::facts::KeyFacts;
use crate::load::{Capacity, WriteLoad, engine_of, peak, reads_per_server, region_bytes};

/// The regions that a hot table is soon split into: so many at least, and so many on each server.
const REGIONS: f64 = 64.0;
const ON_A_SERVER: f64 = 8.0;

/// The load of a table under a key at its peak, in parts of what one server takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Asked {
    /// Of writes.
    pub writes: f64,
    /// Of reads; 0 where it is not known how many a server takes.
    pub reads: f64,
}

impl Asked {
    /// That of these writes and queries, which are of the key.
    pub fn of<'c, 'd: 'c>(
        key: &KeyFacts<'_>,
        capacity: &Capacity,
        cluster: Option<&Cluster>,
        loads: impl Iterator<Item = &'c WriteLoad<'d>>,
        queries: impl Iterator<Item = &'c QueryCost<'d>>,
    ) -> Self {
        let writes = loads.filter_map(|load| Some(load.peak? / capacity.takes(load))).sum();
        let takes = reads_per_server(engine_of(cluster), cluster);
        Self { writes, reads: takes.map_or(0.0, |takes| reads_of(key, cluster, queries) / takes) }
    }

    /// The same of rates that are so many times as high.
    #[must_use]
    pub fn times(self, times: f64) -> Self {
        Self { writes: self.writes * times, reads: self.reads * times }
    }
}

/// The reads of a key, a second: of its queries, and of writes that read what they change.
pub(crate) fn reads_of<'c, 'd: 'c>(
    key: &KeyFacts<'_>,
    cluster: Option<&Cluster>,
    queries: impl Iterator<Item = &'c QueryCost<'d>>,
) -> f64 {
    queries.filter_map(|cost| cost.reads_of_runs(cluster)).sum::<f64>() + reads_of_writes(key)
}

/// The reads of writes that read what they change.
pub(crate) fn reads_of_writes(key: &KeyFacts<'_>) -> f64 {
    let writes = key.table.table.write.iter().filter(|write| write.kind == Some(WriteKind::ReadAddPut));
    writes.filter_map(|write| peak(write)).sum::<f64>() * key.share
}

/// The number of regions of a full-grown table with so many rows of so many bytes on disk: by size; of an engine that
/// splits by load too, and where one server does not take it, one for each row, up to as many as a hot table is soon
/// split into, and as many on each server.
pub fn regions_of_grown(cluster: Option<&Cluster>, servers: f64, rows: f64, bytes: f64, asked: Asked) -> f64 {
    let (engine, servers) = (engine_of(cluster), servers.max(1.0));
    let by_size = (rows * bytes / region_bytes(cluster)).ceil().max(1.0);
    let is_hot = |reads: bool, asked: f64| engine.splits_by_load(reads) && asked > 1.0;
    if !is_hot(false, asked.writes) && !is_hot(true, asked.reads) {
        return by_size;
    }
    let each = (REGIONS.max(by_size) / servers).ceil().max(ON_A_SERVER);
    (servers * each).min(rows).max(by_size)
}

/// The regions of a full-grown table with declared split points that its engine divides further as one server does not
/// take its reads; none where it does not. Writes are judged as the table begins.
pub fn regions_of_declared(
    cluster: Option<&Cluster>,
    servers: f64,
    rows: f64,
    bytes: f64,
    asked: Asked,
) -> Option<f64> {
    let is_hot = engine_of(cluster).splits_by_load(true) && asked.reads > 1.0;
    is_hot.then(|| regions_of_grown(cluster, servers, rows, bytes, Asked { writes: 0.0, ..asked }))
}
