//! Split points from existing keys: quantiles of a sample.

use super::{Splits, SplitsError};
use crate::keys::range::KeyRange;
use crate::store::{RowBatch, Rows, Scan, Store};

/// The unit of which regions should have an equal share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weight {
    /// Rows.
    Rows,
    /// Bytes of keys and values.
    Bytes,
}

/// Maximum number of keys kept in memory for each region. If there are more, every second one is dropped.
const KEPT: usize = 1024;

impl Splits {
    /// `regions` regions of a sample of keys and weights, as even in weight as the keys allow: each boundary is the one
    /// nearest to its share of the whole, with at least one key in each region. If all weights are 1, regions differ by
    /// at most one key. Otherwise no region exceeds the mean by more than the heaviest key. Keys may come in any order,
    /// and repeatedly.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`]; [`SplitsError::Empty`] for an empty key; [`SplitsError::TooManyRegions`] if there
    /// are fewer keys than regions.
    ///
    /// ```
    /// # use rowkey::splits::Splits;
    /// let cities = [("berlin", 40), ("bonn", 5), ("lyon", 20), ("paris", 30), ("pisa", 10)];
    /// assert_eq!(Splits::from_sample(3, cities)?.to_string(), r#"["bonn", "paris"]"#);
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn from_sample<K: Into<Vec<u8>>>(
        regions: u32,
        sample: impl IntoIterator<Item = (K, u64)>,
    ) -> Result<Self, SplitsError> {
        let mut sample: Vec<(Vec<u8>, u64)> = sample.into_iter().map(|(key, weight)| (key.into(), weight)).collect();
        sample.sort_unstable();
        sample.dedup_by(|(key, weight), (kept, sum)| {
            let same = key == kept;
            if same {
                *sum = sum.saturating_add(*weight);
            }
            same
        });
        if sample.first().is_some_and(|(key, _)| key.is_empty()) {
            return Err(SplitsError::Empty);
        }
        quantiles(regions, sample)
    }

    /// `regions` regions for the rows of a store in a range. It reads all of them, and keeps about a thousand keys per
    /// region in memory, so with many rows regions differ by some thousandths.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`]; [`SplitsError::TooManyRegions`] if there are fewer rows than regions; the store's
    /// error, as [`SplitsError::Store`].
    ///
    /// ```
    /// use rowkey::splits::{Splits, Weight};
    /// use rowkey::store::{Batch, Database, Store};
    /// use rowkey::{KeyRange, Memory};
    ///
    /// let store = Memory::new().table("cities")?;
    /// store.write(Batch::new().put("bonn", "").put("lyon", "").put("paris", "").put("pisa", ""))?;
    /// let splits = Splits::from_store(2, &store, &KeyRange::all(), Weight::Rows)?;
    /// assert_eq!(splits.to_string(), r#"["paris"]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_store(
        regions: u32,
        store: &(impl Store + ?Sized),
        range: &KeyRange,
        weight: Weight,
    ) -> Result<Self, SplitsError> {
        Self::from_rows(regions, store.scan(&Scan::new(vec![range.clone()]).batch_rows(1024)), weight)
    }

    /// As [`Splits::from_store`], for the rows of a scan, such as one of a wide table.
    ///
    /// # Errors
    /// As [`Splits::from_store`].
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::splits::{Splits, Weight};
    /// use rowkey::store::Scan;
    /// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new());
    /// let cities = Cells::open(&Memory::new(), "cities", &schema)?;
    /// for city in ["bonn", "lyon", "paris", "pisa"] {
    ///     cities.mutate(city.as_bytes(), &Mutation::new().put("a:people", "1").put("a:area", "1"))?;
    /// }
    /// let splits = Splits::from_rows(2, cities.scan(&Scan::all(), &Columns::all()), Weight::Rows)?;
    /// assert_eq!(splits.to_string(), r#"["paris"]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_rows(regions: u32, mut rows: impl Rows, weight: Weight) -> Result<Self, SplitsError> {
        let kept = KEPT.saturating_mul(regions.max(1) as usize).saturating_mul(2);
        let mut batch = RowBatch::new();
        let mut sample: Vec<(Vec<u8>, u64)> = Vec::new();
        let (mut together, mut left) = (1u64, 0u64);
        let mut last = Vec::new();
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                return quantiles(regions, sample);
            }
            for (key, value) in batch.iter() {
                // A wide row may come in pieces.
                let again = last == key;
                key.clone_into(&mut last);
                let weight = match weight {
                    Weight::Rows => u64::from(!again),
                    Weight::Bytes if again => value.len() as u64,
                    Weight::Bytes => (key.len() + value.len()) as u64,
                };
                if let (true, Some((_, sum))) = (again, sample.last_mut()) {
                    *sum = sum.saturating_add(weight);
                    continue;
                }
                match sample.last_mut() {
                    Some((_, sum)) if left > 0 => *sum = sum.saturating_add(weight),
                    _ => {
                        sample.push((key.to_vec(), weight));
                        left = together;
                    }
                }
                left -= 1;
                if left == 0 && sample.len() == kept {
                    let halved = sample.chunks_mut(2).map(|pair| {
                        let weight = pair.iter().fold(0, |sum: u64, (_, weight)| sum.saturating_add(*weight));
                        (std::mem::take(&mut pair[0].0), weight)
                    });
                    sample = halved.collect();
                    together = together.saturating_mul(2);
                }
            }
        }
    }
}

/// The split points of a sorted sample of distinct, non-empty keys.
fn quantiles(regions: u32, mut sample: Vec<(Vec<u8>, u64)>) -> Result<Splits, SplitsError> {
    let keys = sample.len();
    let Some(splits) = (regions as usize).checked_sub(1) else { return Err(SplitsError::NoRegions) };
    if splits >= keys.max(1) {
        return Err(SplitsError::TooManyRegions { regions, keys: Some(keys as u64) });
    }
    let mut before = 0u128;
    let mut starts = Vec::with_capacity(keys);
    for (_, weight) in &sample {
        starts.push(before);
        before = before.saturating_add(u128::from(*weight));
    }
    let whole = before;
    let mut at = 0;
    let mut chosen = Vec::with_capacity(splits);
    for split in 1..=splits {
        let share = whole.saturating_mul(split as u128) / u128::from(regions);
        // At least one key for each region before the split and after it.
        let (least, most) = (at + 1, keys - 1 - (splits - split));
        let above = starts.partition_point(|&start| start < share).clamp(least, most);
        let below = above.saturating_sub(1).max(least);
        at = if share.abs_diff(starts[below]) < starts[above].abs_diff(share) { below } else { above };
        chosen.push(at);
    }
    Ok(Splits(chosen.into_iter().map(|at| std::mem::take(&mut sample[at].0)).collect()))
}
