//! Bulk loads and parallel scans of typed tables.

use std::sync::Arc;

use super::{BulkLoad, ParallelScan};
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::value::{RowValue, decoded, encoded};
use crate::store::{Batch, RowBatch};
use crate::table::{Source, Table, TableScan, push_row, stored_key};
use crate::tools::splits::Splits;

impl<K: RowKey, V: RowValue, D> Table<K, V, D> {
    /// Writes many rows, in batches, with several threads. See [`BulkLoad`].
    ///
    /// ```
    /// use rowkey::{Memory, Table};
    ///
    /// let squares: Table<u64, u64, _> = Table::open(Memory::new(), "squares")?;
    /// let loaded = squares.bulk_load().threads(2).run((0..10_000).map(|n| Ok((n, n * n))))?;
    /// assert_eq!((loaded.writes, loaded.batches), (10_000, 10));
    ///
    /// // From a scan of another table.
    /// let even: Table<u64, u64, _> = Table::open(Memory::new(), "even")?;
    /// even.bulk_load().run(squares.scan(..).filter(|row| row.as_ref().map_or(true, |(n, _)| n % 2 == 0)))?;
    /// assert_eq!(even.count(..)?, 5_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "a write is a key and its value")]
    #[doc(alias = "import")]
    pub fn bulk_load(&self) -> BulkLoad<(K, V), impl Fn(Vec<(K, V)>) -> Result<(), Error> + use<K, V, D>> {
        let (store, name) = (Arc::clone(self.store()), Arc::from(self.name()));
        BulkLoad::new(move |rows: Vec<(K, V)>| {
            let mut batch = Batch::new();
            for (key, value) in &rows {
                push_row(&mut batch, key, Some(&encoded(&name, value)?));
            }
            store.write(&batch)
        })
        .sized(|(key, value)| const { K::LAYOUT.width() }.unwrap_or_else(|| key.encode().len()) + value.size())
    }
}

impl<K: OwnedKey + Send + 'static, V: RowValue + Send + 'static> TableScan<K, V> {
    /// Reads the rows with several threads, in parts that meet at split points. Each item is some rows of one part.
    /// Parts come in the order of their bytes, so the buckets of a salted key come one after another.
    ///
    /// A parallel scan takes no limit, offset, start or reverse: with one of them set the first item is
    /// [`Error::Unsupported`].
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
        let Some((table, source, ranges)) = self.into_ranges() else {
            let refused = || Error::Unsupported("a limit, offset, start or reverse in a parallel scan");
            return ParallelScan::new(vec![KeyRange::all()], move |_| Box::new(std::iter::once(Err(refused()))));
        };
        let ranges = ranges.iter().flat_map(|range| splits.parts(range)).collect();
        let batches = match source {
            Source::Plain(store) => ParallelScan::rows(store, ranges),
            Source::Wide(store, columns) => ParallelScan::wide_rows(store, ranges, *columns),
        };
        let typed = move |batch: &RowBatch| {
            batch.iter().map(|(key, value)| Ok((stored_key::<K>(&table, key)?, decoded(&table, key, value)?))).collect()
        };
        batches.map(typed).sized(|rows: &Vec<_>| (rows.len() as u64, 0))
    }
}
