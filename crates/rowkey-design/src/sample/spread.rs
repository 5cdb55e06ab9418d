//! The number of a field's values, and how even they are.

use std::cmp::Reverse;

use datasketches::frequencies::{ErrorType, FrequentItemsSketch, Row};
use datasketches::hll::{Coupon, HllSketch, HllType};

/// The number of fields with sketches of full size. With more fields each has less, so that all have a limit.
const FULL: usize = 64;

/// The counters of [`Squares`], for a field of few.
const COUNTERS: usize = 4096;

/// The number of values that are remembered, and how often each at most.
const RECENT: usize = 256;
const MOST: u32 = 1 << 24;

/// `Σ count²` of the values, as Alon, Matias and Szegedy estimate it, with the many counters of Thorup and Zhang: each
/// value adds or subtracts one, by its hash, in the counter of its hash. The standard error is `√(2 / counters)` of the
/// sum, however the values are distributed.
struct Squares(Vec<i32>);

impl Squares {
    fn add(&mut self, hash: u64, count: u32) {
        // The highest bit is the sign. A vector is as long as a power of two.
        let mask = self.0.len() - 1;
        let counter = &mut self.0[hash as usize & mask];
        // A counter that is full stays full: after two thousand million keys of one value.
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        *counter = counter.saturating_add(if hash >> 63 == 0 { count } else { -count });
    }

    fn sum(&self) -> f64 {
        self.0.iter().map(|&count| f64::from(count).powi(2)).sum()
    }
}

/// The counts of a field's values.
pub(super) struct Spread {
    /// True if each value was counted.
    pub(super) exact: bool,
    pub(super) distinct: f64,
    pub(super) n_eff: f64,
    pub(super) p_max: f64,
    /// The hashes of the most frequent values, with their shares.
    pub(super) top: Vec<(u64, f64)>,
}

/// The values of a field, by their hashes.
pub(super) struct Values {
    /// None where the library refuses its constant sizes, which it does not.
    distinct: Option<HllSketch>,
    frequent: Option<FrequentItemsSketch<u64>>,
    squares: Squares,
    /// Values that were seen lately, by some bits of their hash, and how often each is not yet in `squares`. Of few
    /// values almost all are here, which takes a fraction of the time.
    recent: Box<[(u64, u32); RECENT]>,
    /// All values, and those of them that `frequent` was given, each of which may stand for many.
    values: u64,
    given: u64,
}

impl Values {
    /// The values of one of `fields` fields.
    pub(super) fn new(fields: usize) -> Self {
        // Halved as often as the number of fields is that of full ones doubled.
        let less = fields.div_ceil(FULL).next_power_of_two().ilog2();
        let lg = 13u32.saturating_sub(less).max(4) as u8;
        Self {
            distinct: HllSketch::new(lg, HllType::Hll8).ok(),
            frequent: FrequentItemsSketch::new((1024 >> less.min(7)).max(8)).ok(),
            squares: Squares(vec![0; (COUNTERS >> less.min(8)).max(32)]),
            recent: Box::new([(0, 0); RECENT]),
            values: 0,
            given: 0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        self.values += 1;
        let recent = &mut self.recent[(hash >> 32) as usize % RECENT];
        if recent.0 == hash && (1..MOST).contains(&recent.1) {
            recent.1 += 1;
            return;
        }
        let (before, count) = std::mem::replace(recent, (hash, 1));
        self.squares.add(before, count);
        if let Some(distinct) = &mut self.distinct {
            distinct.update_with_coupon(Coupon::from_value(hash));
        }
    }

    /// Counts a value that was added, for `weight` of them.
    pub(super) fn weigh(&mut self, hash: u64, weight: u64) {
        self.given += 1;
        if let Some(frequent) = &mut self.frequent {
            frequent.update_with_count(hash, weight);
        }
    }

    pub(super) fn spread(&mut self, most: usize) -> Spread {
        self.recent.iter_mut().for_each(|(hash, count)| self.squares.add(*hash, std::mem::take(count)));
        let error = self.frequent.as_ref().map_or(0, FrequentItemsSketch::maximum_error);
        let mut rows = match &self.frequent {
            Some(frequent) => frequent.frequent_items(ErrorType::NoFalseNegatives),
            None => Vec::new(),
        };
        rows.sort_unstable_by_key(|row| (Reverse(row.lower_bound()), *row.item()));
        let weight = self.frequent.as_ref().map_or(0, FrequentItemsSketch::total_weight).max(1) as f64;
        // A value that is clearly frequent was counted from the beginning, and then the estimate is its count.
        let clear = |row: &Row<u64>| row.lower_bound() > error;
        let share = |row: &Row<u64>| if clear(row) { row.estimate() } else { row.lower_bound() } as f64 / weight;
        let all_counted = error == 0;
        let values = self.values.max(1) as f64;
        let about = self.distinct.as_ref().map_or(0.0, HllSketch::estimate);
        let exact = all_counted && self.given == self.values;
        let distinct = match exact {
            true => rows.len() as f64,
            false => about.max(rows.len() as f64).min(values),
        };
        let squares = match all_counted {
            true => rows.iter().map(|row| share(row).powi(2)).sum(),
            false => self.squares.sum() / values / values,
        };
        // As uneven as one value at most, as even as all at least.
        let squares = f64::clamp(squares, 1.0 / distinct.max(1.0), 1.0);
        let most_frequent = rows.iter().filter(|row| exact || clear(row)).map(share).fold(0.0, f64::max);
        let p_max = match exact {
            true => most_frequent,
            // It is between Σ p² and its root; where no value is clearly frequent, all may be as frequent.
            false => most_frequent.clamp(squares, squares.sqrt()),
        };
        let top = rows.iter().filter(|row| clear(row)).take(most).map(|row| (*row.item(), share(row))).collect();
        Spread { exact, distinct, n_eff: 1.0 / squares, p_max, top }
    }
}
