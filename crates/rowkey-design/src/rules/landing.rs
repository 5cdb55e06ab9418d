//! The regions that rows land in, by the split points of a table: rows are drawn as a simulation draws them.

use rowkey::splits::Splits as SplitPoints;

use crate::cost::{rows_of, span};
use crate::design::WriteOrder;
use crate::drawn::{BEGIN, Numbers, Row, Rows};
use crate::facts::KeyFacts;
use crate::load::WriteLoad;
use crate::profile::Profile;

/// The number of rows that are drawn; a share is known within three standard deviations.
const ROWS: u64 = 4096;
const CHANCE: f64 = 3.0;

/// The seconds that rows are of, where nothing says it.
const YEAR: f64 = 365.0 * 86_400.0;

/// The rows of a key, as they are drawn.
pub(crate) struct Landing<'k, 'd> {
    key: &'k KeyFacts<'d>,
    rows: Rows<'d>,
    numbers: Numbers,
    /// The seconds that rows are kept, and how many there are.
    span: f64,
    count: u64,
}

impl<'k, 'd> Landing<'k, 'd> {
    /// Those of a key, by its statistics and a sample.
    pub(crate) fn of(key: &'k KeyFacts<'d>, profile: Option<&Profile>) -> Self {
        const SEED: u64 = 1;
        let rows = Rows::of(key, profile, SEED, 0.0, &mut Vec::new());
        let count = rows_of(key.table, key.secondary).map_or(1 << 32, |rows| rows as u64);
        Self { key, rows, numbers: Numbers::new(SEED), span: span(key.table).unwrap_or(YEAR), count }
    }

    /// The share of a write that each region gets at a moment, in the order of keys. None of rows in the order of the
    /// key: they go from one region to the next.
    pub(crate) fn of_write(&self, load: &WriteLoad<'_>, points: &SplitPoints) -> Option<Vec<f64>> {
        let write = self.key.table.table.write.iter().position(|write| write.name == load.write.name)? as u64;
        match load.write.order.as_deref() {
            Some(WriteOrder::Key) => None,
            Some(WriteOrder::OneRow) => Some(self.shares(points, 1, |_| self.now(write, 0))),
            _ if load.front.is_some() => Some(self.shares(points, ROWS, |k| self.now(write, k))),
            _ => Some(self.shares(points, ROWS, |k| self.any(write, k))),
        }
    }

    /// The share of all rows that each region has, in the order of keys.
    pub(crate) fn of_rows(&self, points: &SplitPoints) -> Vec<f64> {
        self.shares(points, ROWS, |k| self.any(0, k))
    }

    fn shares(&self, points: &SplitPoints, rows: u64, row: impl Fn(u64) -> Row) -> Vec<f64> {
        let mut counts = vec![0.0; points.regions()];
        let (mut values, mut key) = (Vec::new(), Vec::new());
        for row in (0..rows).map(row) {
            self.rows.values(row, &mut values);
            if self.rows.encode(&values, &mut key).is_ok()
                && let Some(count) = counts.get_mut(points.region_of(&key))
            {
                *count += 1.0;
            }
        }
        counts.iter().map(|count| count / rows as f64).collect()
    }

    /// A row that is written now.
    fn now(&self, write: u64, number: u64) -> Row {
        Row { write, number, micros: BEGIN + number, sequence: number }
    }

    /// A row of any time that rows are kept.
    fn any(&self, write: u64, number: u64) -> Row {
        let back = self.numbers.at(2 * number) as f64 / 2f64.powi(64) * self.span * 1e6;
        let sequence = self.numbers.below(self.count, 2 * number + 1);
        Row { write, number, micros: BEGIN.saturating_sub(back as u64), sequence }
    }
}

/// The share that a region has at least, of those that are drawn.
pub(crate) fn at_least(share: f64) -> f64 {
    share - chance(share)
}

/// The shares of regions, even ones where those that are drawn are as even as draws of an even load are.
pub(crate) fn without_chance(shares: Vec<f64>) -> Vec<f64> {
    let even = 1.0 / shares.len().max(1) as f64;
    let is_even = shares.iter().all(|share| (share - even).abs() <= chance(even));
    if is_even { vec![even; shares.len()] } else { shares }
}

fn chance(share: f64) -> f64 {
    CHANCE * (share * (1.0 - share) / ROWS as f64).sqrt()
}
