//! Events that are drawn by the statistics of a design.

use rowkey_design::Design;
use rowkey_design::internal::TableDesign;
use rowkey_design::internal::cost::{QueryCost, bytes_per_put, span};
use rowkey_design::internal::design::{Cluster, Write, WriteKind};
use rowkey_design::internal::drawn::{Numbers, Rows};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::{Capacity, Rates, assumed_rates, unshaped_peaks};
use rowkey_design::internal::profile::Profile;
use rowkey_design::internal::quote::toml_key;

use super::LoadError;
use super::clock::{Clock, seconds_of};
use super::counted::Counted;
use super::options::Options;
use super::portion::Portion;
use super::puts::{Order, Put, Puts, not_overwritten, order_of, overwrites, taken_for_new};
use super::reads::Reads;

/// The bytes of a cell beside key, family, qualifier and value.
const CELL: f64 = 20.0;

/// Events of one table, or of one of its secondary tables, by the statistics of a design.
#[derive(Debug)]
pub struct Drawn<'d> {
    pub(super) rows: Rows<'d>,
    pub(super) puts: Puts,
    pub(super) sources: Vec<Source<'d>>,
    pub(super) rows_per_call: u64,
    /// Assumptions, in words, where the design does not say something.
    pub assumed: Vec<String>,
}

/// A write or a query, which makes events.
#[derive(Debug)]
pub(super) struct Source<'d> {
    pub(super) clock: Clock,
    pub(super) count: u64,
    /// The rows, or the runs of a query, that an event stands for.
    pub(super) weight: u64,
    pub(super) does: Does<'d>,
    pub(super) bytes: u64,
}

#[derive(Debug)]
pub(super) enum Does<'d> {
    /// Puts rows: the index among those that are put; true if it reads each before.
    Put(usize, bool),
    /// Deletes rows; true if those of no order.
    Delete(bool),
    /// Puts rows, each in place of another.
    Replace(usize),
    /// Runs a query, and reads so many of its ranges in an event.
    Read(Box<Reads<'d>>, usize),
}

impl Source<'_> {
    pub(super) fn reads(&self) -> bool {
        matches!(self.does, Does::Read(..))
    }
}

impl<'d> Drawn<'d> {
    /// The events of a table, or of the secondary table with this index.
    ///
    /// # Errors
    /// If there is no such table, nothing writes or reads it, or its queries have too many ranges.
    pub fn new(
        design: &'d Design,
        table: &str,
        secondary: Option<usize>,
        cluster: Option<&'d Cluster>,
        profile: Option<&'d Profile>,
        options: &Options,
    ) -> Result<Self, LoadError> {
        let table = design.tables.get(table).ok_or_else(|| LoadError::NoTable(table.to_owned()))?;
        let keys = KeyFacts::all(table, profile, cluster);
        let key = keys.get(secondary.map_or(0, |index| index + 1));
        let key = key.ok_or_else(|| LoadError::NoTable(format!("{} {secondary:?}", table.name.as_str())))?;
        let mut assumed = [assumed_rates(&table.table), unshaped_peaks(&table.table)].concat();
        assumed.extend(taken_for_new(table, key).or_else(|| not_overwritten(table, key)));
        let rows = Rows::of(key, profile, options.seed, options.skew, &mut assumed);
        let clocks = clocks(table, cluster, options, &mut assumed);
        let seconds = seconds(table, &clocks, options)?;
        let mut puts = Puts {
            writes: Vec::new(),
            numbers: Numbers::new(options.seed).named("rows that are read"),
            weight: 1,
            overwrites: overwrites(table, key),
            span: span(table).unwrap_or(365.0 * 86_400.0),
            rows: table.table.rows.as_ref().map_or(1 << 32, |rows| rows.0 as u64),
        };
        let mut sources = writes(table, key, &clocks, seconds, &mut puts);
        let written = sources.iter().map(|source| source.count).fold(0, u64::saturating_add);
        if !options.writes_alone {
            let counted = Counted::all(key, cluster, profile, options.times, puts.all() as f64);
            let costs = QueryCost::served(table, key, cluster, profile);
            sources.extend(queries(key, costs.into_iter().zip(counted), seconds, options)?);
        }
        if sources.iter().all(|source| source.count == 0) {
            let name = key.name.as_str();
            let table = toml_key(&table.name);
            let words = format!("nothing writes or reads {name:?}: say `[[table.{table}.write]]`");
            return Err(LoadError::NoEvents(words));
        }
        let weight = options.weight(written);
        puts.weigh(weight);
        match &table.table.rows {
            Some(rows) if puts.begins_full(rows.0, options.writes_alone) => puts.store(rows.0 as u64, options.most),
            None if puts.writes.is_empty() => return Err(none(table, ": say how many it has, `rows = …`")),
            _ => puts.overwrites = false,
        }
        for source in sources.iter_mut() {
            match &source.does {
                Does::Read(reads, each) => assumed.extend(reads.divided(*each)),
                _ => source.weight = weight,
            }
        }
        Ok(Self { rows, puts, sources, rows_per_call: options.rows_per_call.max(1), assumed })
    }

    /// The shortest time, in seconds, in which a rate goes its own way; none if all are the same all the time.
    pub fn shortest(&self) -> Option<f64> {
        self.sources.iter().filter_map(|source| source.clock.shortest()).min_by(f64::total_cmp)
    }

    /// The most rows that an event of a write, or a row that is there before, stands for.
    pub const fn rows_per_event(&self) -> u64 {
        self.puts.weight
    }

    /// The number of rows and of runs of queries.
    pub fn count(&self) -> u64 {
        self.sources.iter().map(|source| source.count).fold(0, u64::saturating_add)
    }
}

fn none(table: &TableDesign, say: &str) -> LoadError {
    LoadError::NoEvents(format!("nothing puts rows into {:?}{say}", table.name.as_str()))
}

/// The times of each write's rows.
fn clocks(table: &TableDesign, cluster: Option<&Cluster>, options: &Options, assumed: &mut Vec<String>) -> Vec<Clock> {
    let capacity = Capacity::of(table, cluster);
    let mut clock_of = |write: &Write| {
        let rate = Rates::of_write(write).map(|rates| Clock::of(&rates, options.times));
        rate.unwrap_or_else(|| {
            let each = if capacity.takes_all() { 10_000.0 } else { capacity.each };
            // What is loaded at once is loaded as fast as the servers take it.
            let rate = if write.bulk == Some(true) { capacity.servers * each } else { 1000.0 } * options.times;
            assumed.push(format!("{:?} writes {rate} rows a second: say `rate = …`", write.name.as_str()));
            Clock::steady(rate)
        })
    };
    table.table.write.iter().map(|write| clock_of(write)).collect()
}

/// The length of the load.
fn seconds(table: &TableDesign, clocks: &[Clock], options: &Options) -> Result<f64, LoadError> {
    let Some(rows) = options.rows else { return Ok(options.seconds) };
    let putting = clocks.iter().zip(&table.table.write).filter(|(_, write)| write.kind != Some(WriteKind::Delete));
    let putting: Vec<&Clock> = putting.map(|(clock, _)| clock).collect();
    if putting.is_empty() { Err(none(table, "")) } else { Ok(seconds_of(rows, &putting)) }
}

/// The writes of a table; those that put rows go to `puts`.
fn writes<'d>(
    table: &TableDesign,
    key: &KeyFacts<'d>,
    clocks: &[Clock],
    seconds: f64,
    puts: &mut Puts,
) -> Vec<Source<'d>> {
    let all = table.table.rows.as_ref().map_or(u64::MAX, |rows| rows.0 as u64);
    let mut sources = Vec::new();
    for ((index, write), clock) in (0..).zip(&table.table.write).zip(clocks) {
        let within = clock.before(seconds).ceil() as u64;
        let count = if write.bulk == Some(true) { within.min(all) } else { within };
        let order = if puts.overwrites { Order::Random } else { order_of(write, key) };
        let mut put = || {
            puts.writes.push(Put { write: index, clock: clock.clone(), count, order, weight: 1 });
            puts.writes.len() - 1
        };
        let does = match write.kind.unwrap_or(WriteKind::Put) {
            WriteKind::Delete => Does::Delete(order == Order::Random),
            WriteKind::ReadAddPut => Does::Put(put(), true),
            _ if write.updates.iter().any(|name| key.index(name).is_some()) => Does::Replace(put()),
            _ => Does::Put(put(), false),
        };
        let bytes = (bytes_per_put(table, key, write) - key.bytes - CELL).max(0.0).round() as u64;
        sources.push(Source { clock: clock.clone(), count, weight: 1, does, bytes });
    }
    sources
}

/// The queries that a key serves, each with the rows of its ranges.
fn queries<'d>(
    key: &KeyFacts<'d>,
    costs: impl Iterator<Item = (QueryCost<'d>, Counted)>,
    seconds: f64,
    options: &Options,
) -> Result<Vec<Source<'d>>, LoadError> {
    let mut found = Vec::new();
    for (cost, counted) in costs {
        let Some(rates) = Rates::of_query(cost.query) else { continue };
        let clock = Clock::of(&rates, options.times);
        let count = clock.before(seconds).ceil() as u64;
        found.extend(Reads::of(cost, counted, key, options).map(|reads| (clock, count, reads)));
    }
    let counts = found.iter().map(|(_, count, reads)| (*count, reads.ranges()));
    let portions = Portion::of(&counts.collect::<Vec<_>>(), options)?;
    let source = |((clock, count, reads), portion): ((Clock, u64, Reads<'d>), Portion)| {
        let does = Does::Read(Box::new(reads), portion.ranges);
        Source { clock, count, weight: portion.weight, does, bytes: 0 }
    };
    Ok(found.into_iter().zip(portions).map(source).collect())
}
