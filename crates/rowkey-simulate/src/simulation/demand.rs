//! The demand of a table: what it asks of its servers, and what they take of it, by the model of `check`.

use rowkey_design::internal::cost::{Asked, Partitioned, QueryCost, regions_of_declared, regions_of_grown};
use rowkey_design::internal::design::{Cluster, WriteKind, WriteOrder};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::{Capacity, WriteLoad};
use rowkey_design::internal::profile::Profile;

/// The most servers.
pub(super) const MOST_SERVERS: f64 = 10_000.0;

/// The demand of a table under its key.
#[derive(Debug)]
pub(crate) struct Demand {
    /// The writes a second of its writes together that one server takes.
    pub(crate) takes: f64,
    /// The writes that a server counts for one of its rows, on average.
    pub(crate) writes_of_row: f64,
    /// The part of the writes that is in one partition at a moment, where it is in another one at others.
    pub(super) at_once: Option<f64>,
    asked: Asked,
    partitioned: Partitioned,
}

impl Demand {
    /// That of a key on a cluster.
    pub(super) fn of(
        key: &KeyFacts<'_>,
        capacity: &Capacity,
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
    ) -> Self {
        let loads: Vec<WriteLoad<'_>> = key.table.table.write.iter().map(|write| WriteLoad::of(write, key)).collect();
        let queries = QueryCost::served(key.table, key, cluster, profile);
        let rated = || loads.iter().filter_map(|load| Some((load.peak?, load.units)));
        let (all, rows) = rated().fold((0.0, 0.0), |(all, rows), (peak, units)| (all + peak, rows + peak / units));
        let first = loads.first().map_or(1.0, |load| load.units);
        Self {
            takes: capacity.takes_of(&loads),
            at_once: at_once(key, capacity, &loads),
            writes_of_row: if rows > 0.0 { all / rows } else { first },
            asked: Asked::of(key, capacity, cluster, loads.iter(), queries.iter()),
            partitioned: Partitioned::of(key, capacity, cluster, &loads, &queries),
        }
    }

    /// The writes and the reads at the peak, in parts of the limits of a server, at a multiple of the design's rates.
    pub(super) fn asked(&self, times: f64) -> [f64; 2] {
        let asked = self.asked.times(times);
        [asked.writes, asked.reads]
    }

    /// The even partitions, at least so many, of which none is asked for more than it takes at the peaks, which are so
    /// many times those of the design, by values that ask for no more than `most` each: with room for what the hash
    /// puts together by chance.
    pub(super) fn partitions(&self, least: f64, most: [f64; 2], times: f64) -> f64 {
        let partitioned = self.partitioned.times(times);
        let enough = |reads: bool| {
            let light = partitioned.lighter(reads, most[usize::from(reads)]);
            light.enough(reads, least, MOST_SERVERS).unwrap_or(least.max(MOST_SERVERS))
        };
        enough(false).max(enough(true))
    }

    /// The servers, more than so many, of which none is asked for more writes, or reads, than it takes, where
    /// partitions are put by their hashes, whatever these are; none where a partition alone is. `asked` is of all
    /// servers, in parts of what one takes.
    pub(crate) fn servers_of_hashes(&self, reads: bool, servers: u32, asked: f64) -> Option<f64> {
        let declared = if reads { self.asked.reads } else { self.asked.writes };
        let times = if declared > 0.0 { asked / declared } else { 1.0 };
        self.partitioned.times(times).enough(reads, f64::from(servers) + 1.0, MOST_SERVERS)
    }

    /// The part of all writes, or reads, that the heaviest value of a hashed key has; none where nothing is asked for.
    pub(crate) fn heaviest(&self, reads: bool) -> Option<f64> {
        let all = self.asked(1.0)[usize::from(reads)];
        (all > 0.0).then(|| self.partitioned.heaviest(reads) / all)
    }

    /// The regions of the full-grown table, of an engine whose own are not simulated, where no split points are
    /// declared: with so many rows of so many bytes on disk, and rates that are so many times as high.
    pub(super) fn regions_of_grown(
        &self,
        cluster: Option<&Cluster>,
        servers: u32,
        (rows, bytes): (f64, f64),
        times: f64,
    ) -> f64 {
        regions_of_grown(cluster, servers.into(), rows, bytes, self.asked.times(times))
    }

    /// The same where split points are declared; none where it is not divided further.
    pub(super) fn regions_of_declared(
        &self,
        cluster: Option<&Cluster>,
        servers: u32,
        (rows, bytes): (f64, f64),
        times: f64,
    ) -> Option<f64> {
        regions_of_declared(cluster, servers.into(), rows, bytes, self.asked.times(times))
    }
}

/// The part of the writes of a key that is in one region or partition at a moment, where it is in another one at
/// others: the greatest of its writes. The part of those that go through the keys in their order is known where no rate
/// changes.
fn at_once(key: &KeyFacts<'_>, capacity: &Capacity, loads: &[WriteLoad<'_>]) -> Option<f64> {
    let all: f64 = loads.iter().filter_map(|load| load.peak).sum();
    let is_in_order = |load: &WriteLoad<'_>| matches!(load.write.order.as_deref(), Some(WriteOrder::Key));
    let moves = |load: &WriteLoad<'_>| load.moves(key) || is_in_order(load);
    let moving = loads.iter().filter(|load| moves(load) && load.write.kind != Some(WriteKind::Delete));
    let steady = |load: &WriteLoad<'_>| {
        let rate = load.write.rate.as_ref().filter(|_| load.write.peak.is_none() || load.write.shape.is_none());
        rate.map(|rate| rate.value.0 * load.units)
    };
    let part = |load: &WriteLoad<'_>| match loads {
        [_] => load.busiest,
        _ if is_in_order(load) => Some(steady(load)? / loads.iter().map(steady).sum::<Option<f64>>()?),
        _ => Some(load.busiest? * capacity.asked(load, loads)? / all),
    };
    moving.filter_map(part).filter(|part| part.is_finite()).reduce(f64::max)
}
