//! Ranks: places in the order of all keys of a load, so that distances do not depend on what keys look like.

use std::sync::Arc;

use crate::recording::Run;
use crate::run::Key;

/// Bytes on disk of a cell beside its key and its value: the lengths and the kind in HBase's `KeyValue`, the time, a
/// family and a column of one letter each, and the number of the write.
const CELL: u64 = 27;

/// The keys of a load in their order.
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    sorted: Arc<[Key]>,
    /// Of each key, in the order in which they were written, its place among the sorted ones.
    places: Arc<[usize]>,
    rows_per_block: f64,
}

impl Ranks {
    /// Those of a run with its keys.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let mut order: Vec<usize> = (0..run.keys.len()).collect();
        order.sort_by_key(|&at| &run.keys[at]);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &at)| places[at] = place);
        let sorted: Arc<[Key]> = order.into_iter().map(|at| run.keys[at].clone()).collect();
        let keys: u64 = sorted.iter().map(|key| key.0.len() as u64).sum();
        let values = run.batches.iter().map(|batch| batch.bytes.saturating_mul(batch.rows.unwrap_or_default()));
        let bytes = values.fold(keys, u64::saturating_add);
        let per_row = bytes as f64 / (sorted.len().max(1)) as f64 + CELL as f64;
        Self { sorted, places: places.into(), rows_per_block: f64::max(run.settings.block_size as f64 / per_row, 1.0) }
    }

    /// The number of keys.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.sorted.len() as u64
    }

    /// The number of keys at each tenth of the load, ascending.
    pub(super) fn tenths(&self) -> impl DoubleEndedIterator<Item = u64> + use<> {
        let rows = self.rows();
        (1..=10).map(move |tenth| rows / 10 * tenth + rows % 10 * tenth / 10)
    }

    /// The rows in a block of a store file.
    #[must_use]
    pub fn rows_per_block(&self) -> f64 {
        self.rows_per_block
    }

    /// The number of keys before this one.
    #[must_use]
    pub fn rank(&self, key: &Key) -> u64 {
        self.sorted.partition_point(|before| before < key) as u64
    }

    /// Of each key, in the order in which they were written, its place among the sorted ones.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The key at a place.
    pub(super) fn key(&self, place: usize) -> Key {
        self.sorted.get(place).cloned().unwrap_or_default()
    }

    /// The bytes on disk of so many rows.
    pub(super) fn bytes(&self, rows: u64, block_size: u64) -> f64 {
        rows as f64 / self.rows_per_block * block_size as f64
    }

    /// The distances in rows of each of `from` to the nearest of `to`, in order; of all rows, where there is none.
    pub(super) fn to_nearest(&self, from: &[u64], to: &[u64]) -> Vec<u64> {
        let nearest = |rank: &u64| {
            let above = to.partition_point(|other| other < rank);
            let beside = [above.checked_sub(1).and_then(|below| to.get(below)), to.get(above)];
            beside.into_iter().flatten().map(|other| other.abs_diff(*rank)).min().unwrap_or(self.rows())
        };
        let mut distances: Vec<u64> = from.iter().map(nearest).collect();
        distances.sort_unstable();
        distances
    }
}
