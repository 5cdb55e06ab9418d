//! The rows that are put: which there are at a time.

use rowkey_design::internal::TableDesign;
use rowkey_design::internal::design::{Unique, Write, WriteKind, WriteOrder};
use rowkey_design::internal::drawn::{BEGIN, Numbers, Row};
use rowkey_design::internal::facts::KeyFacts;

use super::clock::Clock;

/// The rows that are put: which there are at a time.
#[derive(Debug)]
pub(super) struct Puts {
    pub(super) writes: Vec<Put>,
    pub(super) numbers: Numbers,
    /// The most rows that an event stands for.
    pub(super) weight: u64,
    /// True if all that is put are versions of the rows that are there before the beginning.
    pub(super) overwrites: bool,
    /// The seconds before the beginning that rows in any order are of.
    pub(super) span: f64,
    /// The number of rows that there are, where they come in any order.
    pub(super) rows: u64,
}

#[derive(Debug)]
pub(super) struct Put {
    /// The index of its write.
    pub(super) write: u64,
    pub(super) clock: Clock,
    pub(super) count: u64,
    pub(super) order: Order,
    /// The rows that an event stands for.
    pub(super) weight: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Time,
    Random,
    Key,
    OneRow,
    /// They are there before the beginning, in the order of their times.
    Stored,
}

/// The order of a write's keys, as `check` has it.
pub(super) fn order_of(write: &Write, key: &KeyFacts<'_>) -> Order {
    match write.order.as_ref().map(|order| &order.value) {
        Some(WriteOrder::OneRow) => Order::OneRow,
        Some(WriteOrder::Key) => Order::Key,
        Some(WriteOrder::Random) if key.secondary.is_none() && key.growing() != Some(0) => Order::Random,
        _ => Order::Time,
    }
}

/// The words for the writes of random rows that count as new ones at the end: their key begins with what grows.
pub(super) fn taken_for_new(table: &TableDesign, key: &KeyFacts<'_>) -> Option<String> {
    let is_new = |write: &Write| {
        matches!(write.order.as_deref(), Some(WriteOrder::Random)) && order_of(write, key) == Order::Time
    };
    let names = names(table, key, is_new)?;
    let first = key.fields.first()?.name;
    Some(format!(
        "{names} writes new rows at the end, not random ones, as {first:?} grows: if it does not, say `stats.{first}.grows = false`"
    ))
}

/// The words for the writes of an overwritten table that count as new rows: the design does not say which they are.
pub(super) fn not_overwritten(table: &TableDesign, key: &KeyFacts<'_>) -> Option<String> {
    let is_new = |write: &Write| write.kind != Some(WriteKind::Delete) && order_of(write, key) == Order::Time;
    let names = names(table, key, is_new).filter(|_| is_overwritten(table, key))?;
    Some(format!(
        "{names} writes a new row each time, though the table is overwritten: if it writes any of its rows, say \
         `order = \"random\"`"
    ))
}

/// The names of some of a table's writes, if there are any; none of a secondary table.
fn names(table: &TableDesign, key: &KeyFacts<'_>, is_named: impl Fn(&Write) -> bool) -> Option<String> {
    let writes = table.table.write.iter().filter(|write| key.secondary.is_none() && is_named(&write.value));
    let names: Vec<_> = writes.map(|write| format!("{:?}", write.name.as_str())).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// True if the table says how many rows it has, and that a write may be of one that is there.
fn is_overwritten(table: &TableDesign, key: &KeyFacts<'_>) -> bool {
    let is_upsert = table.table.unique.as_ref().is_some_and(|unique| unique.value == Unique::Upsert);
    is_upsert && table.table.rows.is_some() && key.growing() != Some(0)
}

/// True if the table says so, and whatever is put is a row in any order: the keys are those of its rows, whose number
/// is told.
pub(super) fn overwrites(table: &TableDesign, key: &KeyFacts<'_>) -> bool {
    let is_any = |write: &Write| {
        write.order.as_ref().is_some_and(|order| order.value == WriteOrder::Random)
            && !write.updates.iter().any(|name| key.index(name).is_some())
    };
    let mut puts = table.table.write.iter().filter(|write| write.kind != Some(WriteKind::Delete));
    is_overwritten(table, key) && puts.all(|write| is_any(&write.value))
}

/// The part of a table's rows that a run may add while the table counts as full grown.
const HARDLY: f64 = 1e-3;

impl Puts {
    /// Says for how many rows each event of a write stands.
    pub(super) fn weigh(&mut self, weight: u64) {
        self.weight = weight;
        self.writes.iter_mut().for_each(|put| put.weight = weight);
    }

    /// True if a table of so many rows has them from the beginning: one that nothing puts, one that is overwritten, and
    /// one to which the run adds hardly any.
    pub(super) fn begins_full(&self, rows: f64, writes_alone: bool) -> bool {
        let put: f64 = self.writes.iter().map(|put| put.count as f64).sum();
        self.writes.is_empty() || (!writes_alone && (self.overwrites || put < HARDLY * rows))
    }

    /// Adds the rows that are there before the beginning: so many. No more than `most` are made, or than 2^16 if that is
    /// more, and no more than 2^20.
    pub(super) fn store(&mut self, count: u64, most: u64) {
        let weight = count.div_ceil(most.clamp(1 << 16, 1 << 20)).max(1);
        self.weight = self.weight.max(weight);
        let (write, clock) = (self.writes.len() as u64, Clock::steady(count as f64 / self.span));
        self.writes.push(Put { write, clock, count, order: Order::Stored, weight });
    }

    /// The rows that are put in the whole run, and before it.
    pub(super) fn all(&self) -> u64 {
        self.writes.iter().map(|put| put.count).fold(0, u64::saturating_add)
    }

    /// True if all rows are new ones of the time at which they are put, and there are none before.
    pub(super) fn are_by_time(&self) -> bool {
        self.writes.iter().all(|put| matches!(put.order, Order::Time | Order::OneRow)) && self.by_time().count() > 0
    }

    fn by_time(&self) -> impl Iterator<Item = &Put> {
        self.writes.iter().filter(|put| put.order == Order::Time)
    }

    /// The least time in seconds, not shorter than this one, in which each rate of the rows that come in time has been
    /// as it is equally long. Where they are the same all the time, that is any.
    pub(super) fn whole_periods(&self, seconds: f64) -> f64 {
        let periods = self.by_time().filter_map(|put| put.clock.period());
        let longest = periods.max_by(f64::total_cmp);
        longest.map_or(seconds, |period| (seconds / period).ceil().max(1.0) * period)
    }

    /// The rows of so many seconds until a time, of those that have come in as many on average. Before the beginning
    /// rates are as after it.
    pub(super) fn part_of_mean(&self, seconds: f64, until: f64) -> f64 {
        let of = |put: &Put| put.clock.before(until) - put.clock.before(until - seconds);
        let mean: f64 = self.by_time().map(|put| put.clock.mean()).sum();
        (self.by_time().map(of).sum::<f64>() / (mean * seconds)).max(0.0)
    }

    /// The rows that are there at a time in seconds.
    pub(super) fn until(&self, time: f64) -> f64 {
        self.writes.iter().map(|put| self.before(put, if put.order == Order::Stored { 0.0 } else { time }) as f64).sum()
    }

    /// The place of the rows that are there before the beginning.
    fn stored(&self) -> Option<usize> {
        self.writes.iter().position(|put| put.order == Order::Stored)
    }

    /// The rows of a write that are there at a time in seconds; before the beginning, of those that are stored alone.
    fn before(&self, put: &Put, time: f64) -> u64 {
        let count = match put.order {
            Order::Random if self.overwrites => 0.0,
            Order::Stored => put.clock.before((self.span + time).max(0.0)),
            _ => put.clock.before(time.max(0.0)),
        };
        count.min(put.count as f64) as u64
    }

    /// The k-th row of a write.
    pub(super) fn row(&self, put: usize, k: u64) -> Row {
        let put = &self.writes[put];
        if self.overwrites
            && put.order == Order::Random
            && let Some(stored) = self.stored()
        {
            let of = &self.writes[stored];
            return self.row(stored, self.numbers.of(put.write).below(of.count, k) / of.weight * of.weight);
        }
        let number = match put.order {
            Order::OneRow => 0,
            _ => k,
        };
        let seconds = put.clock.time_of(number);
        if put.order == Order::Stored {
            let back = (self.span - seconds).max(0.0);
            let micros = BEGIN.saturating_sub(micros(back));
            return Row { write: put.write, number, micros, sequence: number };
        }
        if matches!(put.order, Order::Random | Order::Key) {
            let numbers = self.numbers.of(put.write);
            let back = numbers.at(2 * number) as f64 / 2f64.powi(64) * self.span;
            let micros = BEGIN.saturating_sub((back * 1e6) as u64);
            return Row { write: put.write, number, micros, sequence: numbers.below(self.rows, 2 * number + 1) };
        }
        let others = self.writes.iter().filter(|other| other.write != put.write);
        let before: f64 = others
            .map(|other| match other.order {
                Order::Stored => other.count as f64,
                _ => other.clock.before(seconds).min(other.count as f64),
            })
            .sum();
        let micros = BEGIN + micros(seconds);
        Row { write: put.write, number, micros, sequence: number + before as u64 }
    }

    /// One of the rows that were put until a time, of the last so many seconds or of all, chosen by a number; none if
    /// there are none. Of rows that nothing is added to, the last are those before the beginning.
    pub(super) fn chosen(&self, recent: Option<f64>, to: f64, choice: u64) -> Option<Row> {
        let within = |put: &Put| {
            let end = if put.order == Order::Stored { 0.0 } else { to };
            let first = recent.map_or(0, |recent| self.before(put, end - recent));
            (first, self.before(put, end).saturating_sub(first))
        };
        let all: u64 = self.writes.iter().map(|put| within(put).1).sum();
        let mut left = ((u128::from(choice) * u128::from(all)) >> 64) as u64;
        for (index, put) in self.writes.iter().enumerate() {
            let (first, count) = within(put);
            if left < count {
                return Some(self.row(index, (first + left) / put.weight * put.weight));
            }
            left -= count;
        }
        None
    }

    /// The first of the rows that come in time, be it there or not.
    pub(super) fn first(&self) -> Option<Row> {
        let put = self.writes.iter().position(|put| put.order == Order::Time && put.count > 0)?;
        Some(self.row(put, 0))
    }

    /// The number that a choice of a row is made by.
    pub(super) fn choice(&self, of: u64, k: u64) -> u64 {
        self.numbers.of(of).at(k)
    }

    /// The row with this number among those that were put before a time, the oldest first.
    pub(super) fn oldest(&self, k: u64, time: f64) -> Option<Row> {
        let first = self.stored().unwrap_or(0);
        let put = self.writes.get(first)?;
        let k = k / put.weight * put.weight;
        let is_there = put.order == Order::Stored || put.clock.time_of(k) <= time;
        (k < put.count && is_there).then(|| self.row(first, k))
    }
}

/// The row with the time of another moment, in seconds since the beginning.
pub(super) fn moved(row: Row, time: f64) -> Row {
    let from = BEGIN.saturating_sub(micros((-time).max(0.0)));
    Row { micros: from.saturating_add(micros(time.max(0.0))), ..row }
}

/// The microseconds of a time in seconds.
fn micros(time: f64) -> u64 {
    (time * 1e6) as u64
}

/// The milliseconds of a time in seconds, cut where the times of rows are cut.
pub(super) fn millis(time: f64) -> u64 {
    micros(time) / 1000
}
