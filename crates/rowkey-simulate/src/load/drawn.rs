//! Events that are drawn by the statistics of a design.

use std::ops::ControlFlow;

use rowkey_design::Design;
use rowkey_design::internal::cost::{bytes_per_put, span};
use rowkey_design::internal::design::{Cluster, Write, WriteKind};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::{Capacity, Rates, assumed_rates};
use rowkey_design::internal::profile::Profile;

use super::clock::{Clock, seconds_of};
use super::made::Made;
use super::options::Options;
use super::puts::{Order, Put, Puts, millis, order_of};
use super::reads::{Asked, Reads};
use super::{Load, LoadError};
use crate::event::{Event, Op};
use rowkey_design::internal::drawn::{Numbers, Rows};

/// The bytes of a cell beside key, family, qualifier and value.
const CELL: f64 = 20.0;

/// The ranges that a query reads, as a multiple of the most events.
const RANGES: u64 = 3;

/// The reads of a whole table that are simulated, about: all are the same.
const WHOLE: u64 = 1024;

/// Events of one table, or of one of its secondary tables, by the statistics of a design.
#[derive(Debug)]
pub struct Drawn<'d> {
    rows: Rows<'d>,
    pub(super) puts: Puts,
    sources: Vec<Source<'d>>,
    rows_per_call: u64,
    /// The runs of queries that an event stands for; of rows it is `puts.weight`.
    runs: u64,
    /// The events of a query at least, if it has as many runs: few runs may each read much.
    least: u64,
    /// The ranges that all events of a query read at most.
    ranges: u64,
    /// Assumptions, in words, where the design does not say something.
    pub assumed: Vec<String>,
}

/// A write or a query, which makes events.
#[derive(Debug)]
struct Source<'d> {
    clock: Clock,
    count: u64,
    does: Does<'d>,
    bytes: u64,
}

#[derive(Debug)]
enum Does<'d> {
    /// Puts rows: the index among those that are put; true if it reads each before.
    Put(usize, bool),
    /// Deletes rows; true if those of no order.
    Delete(bool),
    /// Puts rows, each in place of another.
    Replace(usize),
    Read(Box<Reads<'d>>),
}

impl Source<'_> {
    fn reads(&self) -> bool {
        matches!(self.does, Does::Read(_))
    }
}

impl<'d> Drawn<'d> {
    /// The events of a table, or of the secondary table with this index.
    ///
    /// # Errors
    /// If there is no such table, or nothing writes or reads it.
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
        let mut assumed = assumed_rates(&table.table);
        let rows = Rows::of(key, profile, options.seed, options.skew, &mut assumed);
        let capacity = Capacity::of(table, cluster);
        let mut puts = Puts {
            writes: Vec::new(),
            numbers: Numbers::new(options.seed).named("rows that are read"),
            weight: 1,
            span: span(table).unwrap_or(365.0 * 86_400.0),
            rows: table.table.rows.as_ref().map_or(1 << 32, |rows| rows.0 as u64),
        };
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
        let clocks: Vec<Clock> = table.table.write.iter().map(|write| clock_of(write)).collect();
        let putting = clocks.iter().zip(&table.table.write).filter(|(_, write)| write.kind != Some(WriteKind::Delete));
        let putting: Vec<&Clock> = putting.map(|(clock, _)| clock).collect();
        let none = |say: &str| LoadError::NoEvents(format!("nothing puts rows into {:?}{say}", table.name.as_str()));
        if options.rows.is_some() && putting.is_empty() {
            return Err(none(""));
        }
        let seconds = options.rows.map_or(options.seconds, |rows| seconds_of(rows, &putting));
        let mut sources = Vec::new();
        for ((index, write), clock) in (0..).zip(&table.table.write).zip(&clocks) {
            let within = clock.before(seconds).ceil() as u64;
            let all = table.table.rows.as_ref().map_or(u64::MAX, |rows| rows.0 as u64);
            let count = if write.bulk == Some(true) { within.min(all) } else { within };
            let order = order_of(write, key);
            let mut put = || {
                puts.writes.push(Put { write: index, clock: clock.clone(), count, order });
                puts.writes.len() - 1
            };
            let does = match write.kind.unwrap_or(WriteKind::Put) {
                WriteKind::Delete => Does::Delete(order == Order::Random),
                WriteKind::ReadAddPut => Does::Put(put(), true),
                _ if write.updates.iter().any(|name| key.index(name).is_some()) => Does::Replace(put()),
                _ => Does::Put(put(), false),
            };
            let bytes = (bytes_per_put(table, key, write) - key.bytes - CELL).max(0.0).round() as u64;
            sources.push(Source { clock: clock.clone(), count, does, bytes });
        }
        if !options.writes_alone {
            for query in &table.table.query {
                let Some(rates) = Rates::of_query(query) else { continue };
                let Some(reads) = Reads::of(query, table, &keys, key, cluster, profile, options.skew) else { continue };
                let clock = Clock::of(&rates, options.times);
                let count = clock.before(seconds).ceil() as u64;
                sources.push(Source { clock, count, does: Does::Read(Box::new(reads)), bytes: 0 });
            }
        }
        let all: u64 = sources.iter().map(|source| source.count).fold(0, u64::saturating_add);
        if all == 0 {
            let name = key.name.as_str();
            return Err(LoadError::NoEvents(format!("nothing writes or reads {name:?}: say `[[table.NAME.write]]`")));
        }
        let reads: u64 = sources.iter().filter(|source| source.reads()).map(|source| source.count).sum();
        let runs = options.weight(reads);
        puts.weight = options.weight(all - reads);
        if puts.writes.is_empty() {
            let rows = table.table.rows.as_ref().ok_or_else(|| none(": say how many it has, `rows = …`"))?;
            puts.store(rows.0 as u64, options.most);
        }
        let (rows_per_call, least) = (options.rows_per_call.max(1), (options.most / 1000).max(1));
        let ranges = options.most.saturating_mul(RANGES);
        let mut drawn = Self { rows, puts, sources, rows_per_call, runs, least, ranges, assumed };
        let divided = drawn.sources.iter().filter_map(|source| match &source.does {
            Does::Read(reads) => reads.divided(drawn.ranges_of_run(source)),
            _ => None,
        });
        let divided: Vec<String> = divided.collect();
        drawn.assumed.extend(divided);
        Ok(drawn)
    }

    /// The ranges that an event of a query reads at most.
    fn ranges_of_run(&self, source: &Source<'_>) -> usize {
        let events = (source.count / self.weight(source)).max(1);
        usize::try_from(self.ranges / events).unwrap_or(usize::MAX).max(1)
    }

    /// The rows or runs that an event of a source stands for.
    fn weight(&self, source: &Source<'_>) -> u64 {
        let at_most = (source.count / self.least).max(1);
        match &source.does {
            Does::Read(reads) if reads.reads_all() => self.runs.min(at_most).max(source.count / WHOLE),
            Does::Read(_) => self.runs.min(at_most),
            _ => self.puts.weight,
        }
    }

    /// The number of rows and of runs of queries.
    pub fn count(&self) -> u64 {
        self.sources.iter().map(|source| source.count).fold(0, u64::saturating_add)
    }
}

/// A source while its events are made.
struct Turn {
    next: u64,
    time: f64,
    /// The keys, where they are put in their order.
    sorted: Vec<Vec<u8>>,
    asked: Asked,
}

impl Load for Drawn<'_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let mut turns = Vec::new();
        for source in &self.sources {
            let sorted = match source.does {
                Does::Put(put, _) if self.puts.writes[put].order == Order::Key => self.sorted(put)?,
                _ => Vec::new(),
            };
            turns.push(Turn { next: 0, time: source.clock.time_of(0), sorted, asked: Asked::default() });
        }
        let mut made =
            Made { sink, values: Vec::new(), key: Vec::new(), time: 0.0, batch: 0, weight: 1, has_given: false };
        loop {
            let due = turns.iter().enumerate().filter(|(index, turn)| turn.next < self.sources[*index].count);
            // Of those at one time, the first of the design.
            let Some((index, _)) = due.min_by(|a, b| a.1.time.total_cmp(&b.1.time)) else { return Ok(()) };
            let (source, turn) = (&self.sources[index], &mut turns[index]);
            let weight = self.weight(source);
            made.time = turn.time;
            let rows = if source.reads() { 1 } else { self.rows_per_call };
            // A call of fewer rows than an event stands for is one event.
            for _ in 0..rows.div_ceil(weight) {
                made.weight = weight.min(source.count - turn.next);
                if self.event(source, turn, &mut made)?.is_break() {
                    return Ok(());
                }
                turn.next += made.weight;
                if turn.next >= source.count {
                    break;
                }
            }
            made.batch += u64::from(std::mem::take(&mut made.has_given));
            turn.time = source.clock.time_of(turn.next);
        }
    }
}

impl Drawn<'_> {
    /// Gives what a source does next.
    fn event(&self, source: &Source<'_>, turn: &mut Turn, made: &mut Made<'_>) -> Result<ControlFlow<()>, LoadError> {
        let Self { rows, puts, .. } = self;
        let (k, bytes) = (turn.next, source.bytes);
        match &source.does {
            Does::Put(..) if !turn.sorted.is_empty() => {
                let Some(key) = turn.sorted.get((k / puts.weight) as usize) else {
                    return Ok(ControlFlow::Continue(()));
                };
                made.key.clone_from(key);
                Ok(made.give_key(Op::Put, bytes))
            }
            Does::Put(put, reads) => {
                let row = puts.row(*put, k);
                if *reads && made.give(rows, row, Op::Get, 0)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                made.give(rows, row, Op::Put, bytes)
            }
            Does::Replace(put) => {
                let old = puts.chosen(None, made.time, puts.choice(u64::MAX, k));
                if let Some(old) = old
                    && made.give(rows, old, Op::Delete, 0)?.is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
                made.give(rows, puts.row(*put, k), Op::Put, bytes)
            }
            Does::Delete(any) => {
                let row = match any {
                    true => puts.chosen(None, made.time, puts.choice(u64::MAX - 1, k)),
                    false => puts.oldest(k, made.time),
                };
                row.map_or(Ok(ControlFlow::Continue(())), |row| made.give(rows, row, Op::Delete, 0))
            }
            Does::Read(reads) => {
                let (time, batch, weight) = (millis(made.time), made.batch, made.weight);
                let most = self.ranges_of_run(source);
                reads.run((&mut turn.asked, most), rows, puts, k, made.time, &mut |op, key, times| {
                    made.has_given = true;
                    (made.sink)(Event { t_ms: time, batch, op, key, bytes: 0, weight: weight.saturating_mul(times) })
                })
            }
        }
    }

    /// The keys of a write, in order.
    pub(super) fn sorted(&self, put: usize) -> Result<Vec<Vec<u8>>, LoadError> {
        let (mut values, mut keys) = (Vec::new(), Vec::new());
        for k in (0..self.puts.writes[put].count).step_by(self.puts.weight as usize) {
            let row = self.puts.row(put, k);
            if self.rows.has(row) {
                let mut key = Vec::new();
                self.rows.values(row, &mut values);
                self.rows.encode(&values, &mut key)?;
                keys.push(key);
            }
        }
        keys.sort_unstable();
        Ok(keys)
    }
}
