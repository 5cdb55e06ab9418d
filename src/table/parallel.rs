//! A scan by several threads.

use super::plan::Start;
use super::scan::{Source, TableScan};
use crate::error::Error;
use crate::jobs::ParallelScan;
use crate::key::{OwnedKey, stored};
use crate::prefix::Select;
use crate::range::KeyRange;
use crate::splits::Splits;
use crate::store::RowBatch;
use crate::value::{RowValue, decoded};

impl<K: OwnedKey + Send + 'static, V: RowValue + Send + 'static> TableScan<K, V> {
    /// The rows read by several threads, in parts that meet at split points: each item is some rows of one part. Parts
    /// come in the order of their bytes, so buckets of a salted key come one after another.
    ///
    /// A limit, an offset, a start and the reverse direction are of one scan, not of many: with one of them set the first
    /// item is [`Error::Unsupported`].
    ///
    /// ```
    /// use rowkey::splits::{Splits, Weight};
    /// use rowkey::{KeyRange, Memory, Table};
    ///
    /// let squares: Table<u32, i64, _> = Table::open(Memory::new(), "squares")?;
    /// for n in 0..5000 {
    ///     squares.put(&n, &i64::from(n * n))?;
    /// }
    /// let splits = Splits::from_store(8, squares.store(), &KeyRange::all(), Weight::Rows)?;
    /// let mut sum = 0;
    /// for rows in squares.scan(..).parallel(&splits).threads(2).in_order(false).start() {
    ///     sum += rows?.iter().map(|(_, square)| square).sum::<i64>();
    /// }
    /// assert_eq!(sum, (0..5000).map(|n| n * n).sum::<i64>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parallel(self, splits: &Splits) -> ParallelScan<Vec<(K, V)>> {
        let Self { table, source, selection, scan, offset, start, .. } = self;
        if scan.reverse || scan.limit.is_some() || offset > 0 || !matches!(start, Start::First) {
            let refused = || Error::Unsupported("parallel scans with a limit, an offset, a start or in reverse");
            return ParallelScan::new(vec![KeyRange::all()], move |_| Box::new(std::iter::once(Err(refused()))));
        }
        let ranges = selection.ranges().iter().flat_map(|range| splits.parts(range)).collect();
        let batches = match source {
            Source::Plain(store) => ParallelScan::rows(store, ranges),
            Source::Wide(store, columns) => ParallelScan::wide_rows(store, ranges, *columns),
        };
        let typed = move |batch: &RowBatch| {
            batch.iter().map(|(key, value)| Ok((stored::<K>(&table, key)?, decoded(&table, key, value)?))).collect()
        };
        batches.map(typed).sized(|rows: &Vec<_>| (rows.len() as u64, 0))
    }
}
