//! The cluster and the load that a design declares.

use rowkey::LayoutBuf;
use rowkey_design::internal::cost::{ReadCost, WriteCost, bytes_per_row, cells_per_put, name_bytes_per_put, on_disk};
use rowkey_design::internal::design::{Cluster, Engine};
use rowkey_design::internal::drawn::mix;
use rowkey_design::internal::explain::Times;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::{Capacity, engine_of};
use rowkey_design::internal::profile::Profile;
use rowkey_design::{CheckOptions, Design};

use super::cells::{Cells, OfValues};
use super::demand::Demand;
use super::filled::{ttl_ms, versions};
use super::intervals::Intervals;
use super::partitioned;
use super::places::{self, Placed, Places};
use super::settings::{of_takes, settings, unsaid_writes};
use super::{Options, coarse, ranges, run_in};
use crate::cluster::ClusterOptions;
use crate::load::{self, Ahead, Drawn, Load, LoadError, Stored};
use crate::recording::Run;
use crate::run::Settings;

/// The part of a cluster that is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Simulates {
    /// HBase: regions that are split and moved.
    Regions,
    /// Another engine, of whose splits no more is documented than words: the load by ranges of keys alone. The ranges
    /// are those of the declared split points, or without them of as many bytes each of the full grown table: of
    /// `region.max`. Where partitions are hashed they are even parts of the hashes, as many on each server. Nothing is
    /// split or moved.
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
    /// The bytes of the families and qualifiers of a put.
    names: u64,
    pub(crate) demand: Demand,
    design: &'d Design,
    /// The layout of hashes, where ranges are of these.
    pub(super) hashes: Option<LayoutBuf>,
    cluster: Option<&'d Cluster>,
    profile: Option<&'d Profile>,
    /// The places of the table in the design, and of its secondary table after it: from 0.
    place: [u64; 2],
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
        let (number, _, found) = design.tables.get_full(table).ok_or_else(|| LoadError::NoTable(table.to_owned()))?;
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
        let demand = Demand::of(&key, &capacity, cluster, profile);
        let write = found.table.write.first();
        let options = ClusterOptions {
            ttl_ms: ttl_ms(found),
            on_disk: on_disk(found, &key, &[]),
            name_bytes: 0,
            versions: versions(found),
            live_alone: simulates == Simulates::Ranges,
            place_bytes: key.partition.map_or(0, |_| places::HASH as u64),
            read_cost: ReadCost::of(engine_of(cluster), bytes_per_row(found, &key, &[])),
            write_cost: WriteCost::of(engine_of(cluster)),
            row_bytes: bytes_per_row(found, &key, &[]).round() as u64,
            ..ClusterOptions::default()
        };
        let cells = write.map_or(1.0, |write| cells_per_put(found, write));
        let names = name_bytes_per_put(found, write.map_or(&[], |write| &write.columns)) as u64;
        let place = [number, at].map(|place| place as u64);
        let hashes = key.partition.map(|_| places::layout()).transpose();
        let hashes = hashes.map_err(|error| LoadError::Design(error.to_string()))?;
        let mut declared = Self {
            settings,
            simulates,
            capacity,
            key,
            assumed,
            options,
            cells: cells as u64,
            names,
            demand,
            design,
            hashes,
            cluster,
            profile,
            place,
        };
        declared.settings.splits = declared.splits_of_hashes().unwrap_or(declared.settings.splits);
        Ok(declared)
    }

    /// The assumptions about a cluster that is watched: on what its servers take alone, as it does what it does.
    pub(crate) fn assumed_of_takes(&self) -> Vec<String> {
        of_takes(self.cluster, &self.key, &self.capacity)
    }

    /// The layout of the keys that ranges begin with: that of the key, or of a hash where the engine hashes partitions.
    pub fn layout(&self) -> &LayoutBuf {
        self.hashes.as_ref().unwrap_or(self.key.layout)
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        engine_of(self.cluster)
    }

    /// The reads that a server counts for a range of rows.
    pub fn read_cost(&self) -> ReadCost {
        self.options.read_cost
    }

    /// The writes that a server counts for a row.
    pub fn write_cost(&self) -> WriteCost {
        self.options.write_cost
    }

    /// The cluster, if the design has one.
    pub fn cluster(&self) -> Option<&'d Cluster> {
        self.cluster
    }

    /// The name of the cluster in the design, if it has one.
    pub(crate) fn cluster_name(&self) -> Option<&'d str> {
        let is_own = |cluster: &Cluster| self.cluster.is_some_and(|own| std::ptr::eq(own, cluster));
        self.design.clusters.iter().find(|(_, cluster)| is_own(&cluster.value)).map(|(name, _)| name.as_str())
    }

    /// The assumption on the writes that a server takes, in words; none where the design says it.
    pub(crate) fn unsaid_writes(&self) -> Option<String> {
        unsaid_writes(self.cluster, &self.capacity)
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
        let seed = self.own(options.seed);
        let drawn = load::Options {
            seed,
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
        let mut load = draw(&drawn)?;
        let (stored, mut assumed) = (load.stored()?, std::mem::take(&mut load.assumed));
        let mut settings = match self.makes_partitions() {
            true => self.of_statistics(&mut draw(&partitioned::drawn(&drawn))?, options.times, &mut assumed)?,
            false => self.settings.clone(),
        };
        let most = stored.as_ref().map_or(0, |stored| stored.count).max(load.rows_per_event());
        assumed.extend(coarse::of_stored(most));
        let divided = self.ranges_of_declared(options.times);
        let count = divided.unwrap_or_else(|| self.regions_at_first(stored.as_ref(), options.times));
        let is_cut = self.cuts_evenly() || divided.is_some();
        assumed.extend(coarse::of_regions(count, settings.max_filesize, self.engine().region()));
        // Ranges of a table that grows are those of the grown one, however short the run.
        match stored.as_ref().filter(|stored| stored.are_all || !is_cut) {
            Some(stored) if divided.is_some() => {
                settings.splits = ranges::divided(&stored.keys, &settings.splits, count);
            }
            Some(stored) if self.hashes.is_none() => {
                settings.splits = ranges::of_full(&stored.keys, &settings.splits, count);
            }
            None if is_cut => {
                // The same ones, whatever the length and the rate of the run.
                let (seconds, most) = (self.grows_in().min(LONGEST), ranges::keys(count));
                let times = self.times_to_grow(seconds);
                let grown = load::Options { seconds, most, times, writes_alone: true, ..drawn.clone() };
                settings.splits = ranges::equal(&mut draw(&grown)?, &settings.splits, count)?;
            }
            _ => {}
        }
        settings.interval_ms = (options.seconds * 1000.0 / INTERVALS).ceil().max(1.0) as u64;
        let until_ms = (options.seconds * 1000.0) as u64;
        let (pace, shortest, apart) = (load.pace(), load.shortest(), load.shortest_apart());
        let load = &mut Ahead(load);
        let mut load = Cells { load, more: self.cells.saturating_sub(1) };
        let mut run = self.put(until_ms, &mut load, &settings, stored.as_ref(), seed, progress)?;
        assumed.append(&mut run.assumed);
        assumed.extend(apart.and_then(|seconds| coarse::of_rates(&run, seconds)));
        let others = shortest.filter(|_| self.design.tables.len() > 1 || !self.key.table.secondary.is_empty());
        assumed.extend(others.and_then(|seconds| coarse::of_all_tables(&run, seconds)));
        if self.simulates == Simulates::Ranges {
            let grown = self.ranges_by_size() * settings.max_filesize as f64;
            assumed.extend(coarse::of_growth(&run, grown, (self.engine().word(), self.engine().region())));
        }
        Ok(Run { assumed, pace, written: None, at_once: self.demand.at_once, ..run })
    }

    /// Simulates the load again, with a quarter of the events each time, 250,000 at most: by two other seeds, and with
    /// values that are a tenth less and more uneven. Each run is given to `each` before the next begins.
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
        let fewer = Options { most: (options.most / 4).clamp(1000, 250_000), ..options.clone() };
        let seeds = [1, 2].map(|more| Options { seed: options.seed.wrapping_add(more), ..fewer.clone() });
        let skews = [-0.1, 0.1].map(|skew| Options { skew, ..fewer.clone() });
        let all = seeds.iter().chain(&skews);
        all.map(|options| self.simulate(options, &progress).map(|run| each(&run))).collect()
    }

    /// Simulates any load, whose puts have the bytes of their values, in intervals of a length; of 0, of one that fits
    /// it.
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
        self.put(0, &mut self.of_values(load), &settings, None, self.own(seed), progress)
    }

    /// A load whose puts have the bytes of their values, made one of their cells.
    pub(super) fn of_values<'l>(&self, load: &'l mut dyn Load) -> OfValues<'l> {
        OfValues { load, cells: self.cells, names: self.names, row_bytes: self.options.row_bytes }
    }

    /// True if ranges are cut for as many rows each, as no split points say them.
    fn cuts_evenly(&self) -> bool {
        self.simulates == Simulates::Ranges && self.hashes.is_none() && self.settings.splits.is_empty()
    }

    /// The regions that a table would begin with by its size, however many; 0 of one that begins empty.
    fn regions_at_first(&self, stored: Option<&Stored>, times: f64) -> f64 {
        match self.hashes.is_some() {
            true => self.ranges_by_size(),
            false if self.cuts_evenly() => self.ranges_of_grown(times),
            false => stored.map_or(0.0, |stored| self.regions_of(stored)),
        }
    }

    /// The seed of this table: what is chance in one has nothing to do with another. That of the first is the run's.
    pub(super) fn own(&self, seed: u64) -> u64 {
        let [table, secondary] = self.place;
        if self.place == [0, 0] { seed } else { mix(mix(seed) ^ (table << 32 | secondary)) }
    }

    pub(super) fn put(
        &self,
        until_ms: u64,
        load: &mut dyn Load,
        settings: &Settings,
        stored: Option<&Stored>,
        seed: u64,
        progress: impl FnMut(u64),
    ) -> Result<Run, LoadError> {
        let places = Places::of(&self.key);
        let placed = places.as_ref().zip(stored).map(|(places, stored)| places.stored(stored));
        let cluster = self.filled(settings, placed.as_ref().or(stored), seed);
        let intervals = Intervals::new(settings.interval_ms, super::INTERVALS);
        match &places {
            None => run_in(intervals, until_ms, load, settings, cluster, progress),
            Some(places) => run_in(intervals, until_ms, &mut Placed { load, places }, settings, cluster, progress),
        }
    }
}

/// The longest time that rows are drawn of, in seconds: 100 years.
const LONGEST: f64 = 3.2e9;

/// The intervals of a load whose length is given.
const INTERVALS: f64 = 96.0;
