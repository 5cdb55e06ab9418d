//! The cluster and the load that a design declares.

use rowkey_design::internal::cost::{ReadCost, bytes_per_row, cells_per_put, on_disk};
use rowkey_design::internal::design::{Balancer, Cluster, Engine, SplitPolicy as Policy};
use rowkey_design::internal::explain::Times;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::file::{Bytes, Count, Rate};
use rowkey_design::internal::load::{Capacity, Rates, engine_of, is_one_process, reads_per_server};
use rowkey_design::internal::profile::Profile;
use rowkey_design::{CheckOptions, Design};

use super::cells::Cells;
use super::filled::{replaces, ttl_ms};
use super::intervals::Intervals;
use super::{Options, ranges, run_in};
use crate::cluster::{BALANCER_MS, ClusterOptions, FLUSH_SIZE, MAX_FILESIZE};
use crate::load::{self, Ahead, Drawn, Load, LoadError, Stored};
use crate::recording::Run;
use crate::run::{Key, Settings, SplitPolicy};

/// The part of a cluster that is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Simulates {
    /// HBase: regions that are split and moved.
    Regions,
    /// Another engine, of whose splits no more is documented than words: the load by ranges of keys alone. The ranges
    /// are those of the declared split points, or without them of as many rows each; nothing is split or moved.
    Ranges,
}

/// A table, or one of its secondary tables, with the cluster and the load that a design declares.
#[derive(Debug)]
pub struct Declared<'d> {
    /// The settings of the cluster.
    pub settings: Settings,
    /// The part of it that is simulated.
    pub simulates: Simulates,
    /// The writes that its servers take.
    pub capacity: Capacity,
    /// The key.
    pub key: KeyFacts<'d>,
    /// Assumptions, in words, where the design does not say it.
    pub assumed: Vec<String>,
    pub(super) options: ClusterOptions,
    /// The cells of a put.
    pub(super) cells: u64,
    design: &'d Design,
    cluster: Option<&'d Cluster>,
    profile: Option<&'d Profile>,
}

impl<'d> Declared<'d> {
    /// A table of a design, or its secondary table with this index, on the cluster that `check` is for.
    ///
    /// # Errors
    ///
    /// If there is no such table.
    pub fn of(
        design: &'d Design,
        table: &str,
        secondary: Option<usize>,
        check: &'d CheckOptions,
    ) -> Result<Self, LoadError> {
        let found = design.tables.get(table).ok_or_else(|| LoadError::NoTable(table.to_owned()))?;
        let (cluster, profile) = (design.cluster(check), check.profile_of(table));
        let mut keys = KeyFacts::all(found, profile, cluster);
        let at = secondary.map_or(0, |index| index + 1);
        if at >= keys.len() {
            return Err(LoadError::NoTable(format!("{table:?} with secondary table {at}")));
        }
        let key = keys.swap_remove(at);
        let capacity = Capacity::of(found, cluster);
        let simulates = if engine_of(cluster) == Engine::HBase { Simulates::Regions } else { Simulates::Ranges };
        let mut assumed = Vec::new();
        let settings = settings(cluster, &key, &capacity, simulates, &mut assumed);
        let write = found.table.write.first();
        let options = ClusterOptions {
            ttl_ms: ttl_ms(found),
            on_disk: on_disk(found, &key, &[]),
            name_bytes: 0,
            replaces: replaces(found),
            read_cost: ReadCost::of(engine_of(cluster), bytes_per_row(found, &key, &[])),
            ..ClusterOptions::default()
        };
        let cells = write.map_or(1.0, |write| cells_per_put(found, write)) as u64;
        Ok(Self { settings, simulates, capacity, key, assumed, options, cells, design, cluster, profile })
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        engine_of(self.cluster)
    }

    /// The reads that a server counts for a range of rows.
    pub fn read_cost(&self) -> ReadCost {
        self.options.read_cost
    }

    /// The cluster, if the design has one.
    pub fn cluster(&self) -> Option<&'d Cluster> {
        self.cluster
    }

    /// The fields of its key that are times.
    pub fn times(&self) -> Times<'d> {
        self.design.times_of(self.key.name.as_str())
    }

    /// Simulates the load that the design's statistics draw.
    ///
    /// # Errors
    ///
    /// If nothing writes or reads the table, or its values are no keys.
    pub fn simulate(&self, options: &Options, progress: impl FnMut(u64)) -> Result<Run, LoadError> {
        let drawn = load::Options {
            seed: options.seed,
            seconds: options.seconds,
            most: options.most,
            times: options.times,
            skew: options.skew,
            ..load::Options::default()
        };
        let table = self.key.table.name.as_str();
        let draw = |options: &load::Options| {
            Drawn::new(self.design, table, self.key.secondary, self.cluster, self.profile, options)
        };
        let mut settings = self.settings.clone();
        let mut load = draw(&drawn)?;
        let stored = load.stored()?;
        let cuts_evenly = self.simulates == Simulates::Ranges && settings.splits.is_empty();
        if let Some(stored) = &stored {
            let count = if cuts_evenly { ranges::RANGES as f64 } else { self.regions_of(stored) };
            settings.splits = ranges::of_full(&stored.keys, &settings.splits, count);
        } else if cuts_evenly {
            let few = load::Options { most: ranges::KEYS, writes_alone: true, ..drawn.clone() };
            settings.splits = ranges::equal(&mut draw(&few)?)?;
        }
        settings.interval_ms = (options.seconds * 1000.0 / INTERVALS).ceil().max(1.0) as u64;
        let until_ms = (options.seconds * 1000.0) as u64;
        let mut assumed = std::mem::take(&mut load.assumed);
        let mut run = self.put(until_ms, &mut Ahead(load), &settings, stored.as_ref(), options.seed, progress)?;
        assumed.append(&mut run.assumed);
        Ok(Run { assumed, ..run })
    }

    /// Simulates the load again, with a quarter of the events each time: by two other seeds, and with values that are a
    /// tenth less and more uneven. Each run is given to `each` before the next begins.
    ///
    /// # Errors
    ///
    /// As [`Declared::simulate`].
    pub fn simulate_others<T>(
        &self,
        options: &Options,
        progress: impl Fn(u64),
        each: impl Fn(&Run) -> T,
    ) -> Result<Vec<T>, LoadError> {
        let fewer = Options { most: (options.most / 4).max(1000), ..options.clone() };
        let seeds = [1, 2].map(|more| Options { seed: options.seed.wrapping_add(more), ..fewer.clone() });
        let skews = [-0.1, 0.1].map(|skew| Options { skew, ..fewer.clone() });
        let all = seeds.iter().chain(&skews);
        all.map(|options| self.simulate(options, &progress).map(|run| each(&run))).collect()
    }

    /// Simulates any load, in intervals of a length; of 0, of one that fits it.
    ///
    /// # Errors
    ///
    /// Of the load, and if it has no events.
    pub fn run(
        &self,
        load: &mut dyn Load,
        interval_ms: u64,
        seed: u64,
        progress: impl FnMut(u64),
    ) -> Result<Run, LoadError> {
        let settings = Settings { interval_ms, ..self.settings.clone() };
        self.put(0, load, &settings, None, seed, progress)
    }

    fn put(
        &self,
        until_ms: u64,
        load: &mut dyn Load,
        settings: &Settings,
        stored: Option<&Stored>,
        seed: u64,
        progress: impl FnMut(u64),
    ) -> Result<Run, LoadError> {
        let cluster = self.filled(settings, stored, seed);
        let intervals = Intervals::new(settings.interval_ms, super::INTERVALS);
        let load = &mut Cells { load, more: self.cells.saturating_sub(1) };
        run_in(intervals, until_ms, load, settings, cluster, progress)
    }
}

/// The intervals of a load whose length is given.
const INTERVALS: f64 = 96.0;

/// The assumption on the reads that a server takes, in words; none where the design says it.
pub(crate) fn unsaid_reads(cluster: Option<&Cluster>) -> Option<String> {
    let takes = reads_per_server(engine_of(cluster), cluster).unwrap_or(f64::INFINITY);
    unsaid(cluster.and_then(|cluster| cluster.region.as_ref()?.reads), takes, "read")
}

fn unsaid(said: Option<Rate>, takes: f64, what: &str) -> Option<String> {
    let takes = if takes.is_finite() { Count(takes).to_string() } else { "any number of".to_owned() };
    said.is_none().then(|| format!("a server takes {takes} {what}s a second: say `region.{what}s = …`"))
}

/// The settings of a table's cluster, and what is assumed of them.
fn settings(
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
    let max_filesize =
        or(size(max), MAX_FILESIZE, format!("a region is split at {}: say `region.max = …`", bytes(MAX_FILESIZE)));
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
    if !of_hbase {
        let own = match is_one_process(engine) {
            true => format!("{} is one process", engine.word()),
            false => format!(
                "the {}s of {} are not simulated, as their splits are documented in words alone",
                engine.region(),
                engine.word()
            ),
        };
        let ranges = "a range is what lies between two split points, or where none are declared a 64th of the rows";
        assumed.push(format!("{own}: {ranges}"));
    }
    assumed.extend(capacity.assumed());
    let table = &key.table.table;
    if !table.write.is_empty() && !capacity.takes_all() {
        assumed.extend(unsaid(region.and_then(|region| region.writes), capacity.each, "write"));
    }
    if table.query.iter().any(|query| query.rate.is_some()) {
        assumed.extend(unsaid_reads(cluster));
    }
    let splits = key.table.split_points(key.secondary);
    let splits = splits.iter().flat_map(|splits| splits.iter().map(|point| Key(point.to_vec()))).collect();
    Settings {
        load: format!("{} by its design", key.name.as_str()),
        servers: capacity.servers.clamp(1.0, 10_000.0) as u32,
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
