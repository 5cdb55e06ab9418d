//! The merge of open scans.

use std::fmt;

use super::batches::BatchMerge;
use super::scans::Scans;
use super::stages::settings;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch, Rows, Scan, Store};

/// Number of batches that [`MergedRows::open`] reads ahead of each slow scan: one is read while another waits.
const AHEAD: usize = 2;

/// A k-way merge of open scans, itself an open scan.
///
/// Read it row by row with [`Self::next_row`], which lends each row from the batch it was read into, or batch by batch
/// as [`Rows`]. There, a batch whose rows all come next (the last source left, a long run) is returned whole.
///
/// It holds one batch per source, plus the batches that are read ahead.
///
/// ```
/// use rowkey::merge::MergedRows;
/// use rowkey::store::{RowBatch, Rows};
/// # use rowkey::Result;
/// # struct Bucket(&'static [&'static [u8]]);
/// # impl Rows for Bucket {
/// #     fn next_batch(&mut self, batch: &mut RowBatch) -> Result<()> {
/// #         batch.clear();
/// #         std::mem::take(&mut self.0).iter().for_each(|key| batch.push(key, b""));
/// #         Ok(())
/// #     }
/// # }
///
/// // Two buckets of a salted table: one byte of salt, then the key.
/// let buckets: Vec<Box<dyn Rows>> = vec![Box::new(Bucket(&[b"\0a", b"\0c"])), Box::new(Bucket(&[b"\x01b"]))];
/// let mut merged = MergedRows::new(buckets).salt(1);
///
/// let mut keys = Vec::new();
/// while let Some((key, _value)) = merged.next_row()? {
///     keys.push(key[1]);
/// }
/// assert_eq!(keys, b"abc");
/// assert_eq!(merged.rows_read(), 3);
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct MergedRows {
    merge: BatchMerge,
    scans: Scans,
    batch_rows: usize,
    batch_bytes: usize,
}

impl MergedRows {
    /// Merges `sources`, forward, by their whole keys.
    pub fn new(sources: impl IntoIterator<Item = Box<dyn Rows>>) -> Self {
        let (scans, Scan { batch_rows, batch_bytes, .. }) = (Scans::new(sources), Scan::all());
        Self { merge: BatchMerge::new(scans.len()), scans, batch_rows, batch_bytes }
    }

    /// Opens one scan per bucket and merges them. The first `salt` bytes of each key are left out of the comparison.
    ///
    /// Direction, limit and size of batches are those of `scan`, for each bucket and for the whole. Its ranges are
    /// ignored: each bucket has its own. If the store declares [`slow_scans`](crate::store::Guarantees::slow_scans),
    /// the scans are read ahead in threads.
    ///
    /// [`Scan::batch_bytes`] is divided among all batches held at once: one per bucket, two more for each that is read
    /// ahead, and the one returned. Together they hold about this many bytes, plus one row per batch.
    pub fn open(
        store: &(impl Store + ?Sized),
        scan: &Scan,
        buckets: impl IntoIterator<Item = Vec<KeyRange>>,
        salt: usize,
    ) -> Self {
        Self::opened(|scan| store.scan(scan), store.guarantees().slow_scans, scan, buckets, salt)
            .options(store.options(), store.id().name())
    }

    /// As [`open`](Self::open), with scans that `open` opens. None is read ahead.
    pub fn open_with(
        open: impl Fn(&Scan) -> Box<dyn Rows>,
        scan: &Scan,
        buckets: impl IntoIterator<Item = Vec<KeyRange>>,
        salt: usize,
    ) -> Self {
        Self::opened(open, false, scan, buckets, salt)
    }

    /// As [`open_with`](Self::open_with); scans that are `slow` are read ahead.
    pub(crate) fn opened(
        open: impl Fn(&Scan) -> Box<dyn Rows>,
        slow: bool,
        scan: &Scan,
        buckets: impl IntoIterator<Item = Vec<KeyRange>>,
        salt: usize,
    ) -> Self {
        let buckets: Vec<_> = buckets.into_iter().collect();
        let ahead = if slow && buckets.len() > 1 { AHEAD } else { 0 };
        let template = Scan { ranges: Vec::new(), ..scan.clone() }.divided(buckets.len() * (1 + ahead) + 1);
        let scans = buckets.into_iter().map(|ranges| open(&Scan { ranges, ..template.clone() }));
        Self::new(scans)
            .salt(salt)
            .reverse(scan.reverse)
            .limit(scan.limit)
            .batch_rows(scan.batch_rows)
            .batch_bytes(template.batch_bytes)
            .prefetch(ahead)
    }

    settings!(merge.stages);

    /// Maximum number of rows per batch, if the merge is read in batches. Default: 256.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// Target size of a batch in bytes, if the merge is read in batches. It does not bound the sources' own batches.
    /// Default: that of [`Scan`].
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Reads each source this many batches ahead, in a thread of its own ([`Prefetch`](super::Prefetch)). Default: 0,
    /// which reads in the caller's thread. The threads start together when the first row is read. At most 256 are
    /// started; further sources are read in the caller's thread.
    #[must_use]
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.scans.ahead = batches;
        self
    }

    /// Bounds the wait for sources that are read ahead, by the options of the store. Errors name `table`.
    #[must_use]
    pub fn options(mut self, options: &CallOptions, table: &str) -> Self {
        self.scans.bounded(options, table);
        self
    }

    /// Number of rows read from the sources so far, including those read ahead, to compare with the number of rows
    /// returned.
    pub fn rows_read(&self) -> u64 {
        self.scans.rows_read()
    }

    /// Returns the next row as key and value, lent from the batch it was read into.
    ///
    /// After an error, or the end, every call returns `None`.
    #[inline]
    #[expect(clippy::type_complexity, reason = "a row is spelt as RowBatch spells it")]
    pub fn next_row(&mut self) -> Result<Option<(&[u8], &[u8])>, Error> {
        // Within a run a row takes less time than a step, so this path stands apart.
        if self.merge.is_in_run() {
            return Ok(self.merge.next_in_run());
        }
        let found = self.scans.pump(&mut self.merge, BatchMerge::step, |merge| merge)?;
        Ok(if found { self.merge.row() } else { None })
    }

    /// The merge, and the scans that feed it.
    pub(crate) fn into_parts(self) -> (BatchMerge, Scans) {
        (self.merge, self.scans)
    }
}

impl Rows for MergedRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        let (rows, bytes) = (self.batch_rows, self.batch_bytes);
        self.scans.pump(&mut self.merge, |merge| merge.fill(batch, rows, bytes), |merge| merge).map(drop)
    }
}

impl fmt::Debug for MergedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedRows").field("rows_read", &self.rows_read()).finish_non_exhaustive()
    }
}
