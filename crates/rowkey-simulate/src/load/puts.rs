//! The rows that are put: which there are at a time.

use rowkey_design::internal::design::{Write, WriteOrder};
use rowkey_design::internal::drawn::{BEGIN, Numbers, Row};
use rowkey_design::internal::facts::KeyFacts;

use super::clock::Clock;

/// The rows that are put: which there are at a time.
#[derive(Debug)]
pub(super) struct Puts {
    pub(super) writes: Vec<Put>,
    pub(super) numbers: Numbers,
    pub(super) weight: u64,
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

impl Puts {
    /// Adds the rows of a table that nothing puts: so many are there. No more than `most` are made, nor a million.
    pub(super) fn store(&mut self, count: u64, most: u64) {
        self.weight = self.weight.max(count.div_ceil(most.clamp(1, 1 << 20)));
        let (write, clock) = (self.writes.len() as u64, Clock::steady(count as f64 / self.span));
        self.writes.push(Put { write, clock, count, order: Order::Stored });
    }

    /// The rows of a write that are there at a time in seconds; before the beginning, of those that are stored alone.
    fn before(&self, put: &Put, time: f64) -> u64 {
        let count = match put.order {
            Order::Stored => put.clock.before((self.span + time).max(0.0)),
            _ => put.clock.before(time.max(0.0)),
        };
        count.min(put.count as f64) as u64
    }

    /// The k-th row of a write.
    pub(super) fn row(&self, put: usize, k: u64) -> Row {
        let put = &self.writes[put];
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
        let before: f64 = others.map(|other| other.clock.before(seconds).min(other.count as f64)).sum();
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
                return Some(self.row(index, (first + left) / self.weight * self.weight));
            }
            left -= count;
        }
        None
    }

    /// The number that a choice of a row is made by.
    pub(super) fn choice(&self, of: u64, k: u64) -> u64 {
        self.numbers.of(of).at(k)
    }

    /// The row with this number among those that were put before a time, the oldest first.
    pub(super) fn oldest(&self, k: u64, time: f64) -> Option<Row> {
        let put = self.writes.first()?;
        let k = k / self.weight * self.weight;
        let is_there = put.order == Order::Stored || put.clock.time_of(k) <= time;
        (k < put.count && is_there).then(|| self.row(0, k))
    }
}

/// The microseconds of a time in seconds.
fn micros(time: f64) -> u64 {
    (time * 1e6) as u64
}

/// The milliseconds of a time in seconds, cut where the times of rows are cut.
pub(super) fn millis(time: f64) -> u64 {
    micros(time) / 1000
}
