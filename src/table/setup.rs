//! The input of a scan of a table: its settings, and the plan that they make. No store, no I/O.

use std::sync::Arc;

use super::plan::{Plan, Start};
use super::progress::{Progress, most_read};
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::RowKey;
use crate::keys::prefix::Selection;
use crate::store::Scan;
use crate::store::merge::BatchMerge;

/// The settings of a scan, whoever drives it.
pub(crate) struct Setup<K> {
    pub(crate) table: Arc<str>,
    /// Fingerprints of the table's keys before their enums got more variants: cursors from then are accepted.
    pub(crate) earlier: Arc<[Fingerprint]>,
    pub(crate) selection: Selection<K>,
    pub(crate) scan: Scan,
    pub(crate) offset: u64,
    pub(crate) start: Start<K>,
}

impl<K: RowKey> Setup<K> {
    pub(crate) fn new(table: Arc<str>, earlier: Arc<[Fingerprint]>, selection: Selection<K>) -> Self {
        Self { table, earlier, selection, scan: Scan::new(Vec::new()), offset: 0, start: Start::First }
    }

    /// The ranges of each bucket, and the scan of a bucket without its ranges.
    pub(crate) fn plan(&self) -> Result<(Plan, Scan), CursorError> {
        let plan = Plan::new(&self.selection, &self.start, self.scan.reverse, &self.earlier)?;
        Ok((plan, self.scan.clone().limit(most_read(self.scan.limit, self.offset))))
    }

    /// The rows that the scan returns of a merge of its buckets.
    pub(crate) fn progress(&self, merge: BatchMerge, in_pieces: bool) -> Progress {
        Progress::new(merge, self.scan.limit, self.offset, in_pieces)
    }
}

/// The settings of a scan, as methods of what has a [`Setup`].
macro_rules! scan_settings {
    () => {
        /// Scans from the last row to the first.
        #[doc(alias = "rev")]
        #[doc(alias = "descending")]
        pub fn reverse(mut self) -> Self {
            self.setup.scan.reverse = true;
            self
        }

        /// Returns at most this many rows. The limit is passed to the store, which reads no more, unlike
        /// `Iterator::take`. Each bucket of a salted key is asked for this many.
        pub fn limit(mut self, rows: u64) -> Self {
            self.setup.scan.limit = Some(self.setup.scan.limit.map_or(rows, |limit| limit.min(rows)));
            self
        }

        /// Skips this many rows, after the cursor or key that the scan starts from. The store reads the skipped rows,
        /// so paging by a [cursor](Self::after) is cheaper.
        ///
        /// ```
        /// use rowkey::{Memory, Table};
        ///
        /// let names: Table<u8, (), _> = Table::open(Memory::new(), "names")?;
        /// (0..9).try_for_each(|n| names.put(&n, &()))?;
        /// let third_page: Result<Vec<u8>, _> = names.scan(..).reverse().offset(6).limit(3).keys().collect();
        /// assert_eq!(third_page?, [2, 1, 0]);
        /// # Ok::<(), rowkey::Error>(())
        /// ```
        #[doc(alias = "skip")]
        pub fn offset(mut self, rows: u64) -> Self {
            self.setup.offset = rows;
            self
        }

        /// The most rows in a batch from the store. Each bucket of a salted key is read in batches of its own. Default:
        /// 256.
        pub fn batch_rows(mut self, rows: usize) -> Self {
            self.setup.scan = self.setup.scan.batch_rows(rows);
            self
        }

        /// About how many bytes the scan holds in memory: all buckets and what is read ahead together, plus a row for
        /// each batch. See [`Scan::batch_bytes`]. Default: 4 MiB.
        ///
        /// ```
        /// use rowkey::{Memory, RowKey, Table};
        ///
        /// #[derive(RowKey)]
        /// #[rowkey(salt(buckets = 4))]
        /// struct Image {
        ///     number: u32,
        /// }
        ///
        /// let images: Table<Image, Vec<u8>, _> = Table::open(Memory::new(), "images")?;
        /// (0..40).try_for_each(|number| images.put(&Image { number }, &vec![0; 100_000]))?;
        /// let mut scan = images.scan(..).batch_bytes(500_000);
        /// scan.next();
        /// // One row of each bucket, and not all of them.
        /// assert_eq!(scan.rows_read(), 4);
        /// # Ok::<(), rowkey::Error>(())
        /// ```
        pub fn batch_bytes(mut self, bytes: usize) -> Self {
            self.setup.scan = self.setup.scan.batch_bytes(bytes);
            self
        }

        /// Starts after a cursor, in the scan's direction. `None` starts at the beginning.
        ///
        /// The first item is [`Error::Cursor`] if the cursor is of another layout, does not hold a key of this table,
        /// or is outside the scan's ranges.
        #[doc(alias = "resume")]
        pub fn after(mut self, cursor: impl $crate::keys::cursor::IntoCursor) -> Self {
            self.setup.start =
                cursor.into_cursor().map_or($crate::table::plan::Start::First, $crate::table::plan::Start::Cursor);
            self
        }

        /// Starts after a key, in the scan's direction. The key need not exist.
        pub fn after_key(mut self, key: &<K as $crate::RowKey>::Ref<'_>) -> Self {
            self.setup.start = $crate::table::plan::Start::Key { key: $crate::RowKey::encode(key), itself: false };
            self
        }

        /// Starts after all keys that begin with some fields: "rows after (a, b)".
        ///
        /// ```
        /// use rowkey::{Memory, Table, prefix::tuple_prefix};
        ///
        /// let scores: Table<(u8, u8, u8), (), _> = Table::open(Memory::new(), "scores")?;
        /// for key in [(1, 1, 1), (1, 2, 1), (1, 2, 9), (1, 3, 0), (2, 0, 0)] {
        ///     scores.put(&key, &())?;
        /// }
        /// let after = scores.scan(tuple_prefix()._0(1)).after_prefix(tuple_prefix()._0(1)._1(2)).keys();
        /// assert_eq!(after.collect::<Result<Vec<_>, _>>()?, [(1, 3, 0)]);
        /// # Ok::<(), rowkey::Error>(())
        /// ```
        pub fn after_prefix(mut self, prefix: impl $crate::Select<K>) -> Self {
            self.setup.start = $crate::table::plan::Start::Selection(prefix.select());
            self
        }

        /// Starts at a key, included if it exists, in the scan's direction.
        #[doc(alias = "seek")]
        pub fn from_key(mut self, key: &<K as $crate::RowKey>::Ref<'_>) -> Self {
            self.setup.start = $crate::table::plan::Start::Key { key: $crate::RowKey::encode(key), itself: true };
            self
        }
    };
}
pub(crate) use scan_settings;
