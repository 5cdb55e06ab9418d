//! Scans: what to read, and the rows that come.

use super::RowBatch;
use crate::keys::range::KeyRange;
use crate::store::error::Error;

/// A scan: key ranges, direction, limit, size of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scan {
    /// The ranges to read: sorted, not overlapping ([`KeyRange::merged`]). Without a range the scan has no rows.
    pub ranges: Vec<KeyRange>,
    /// True if rows come from the last to the first. Default: `false`.
    pub reverse: bool,
    /// Maximum number of rows. Default: no limit.
    pub limit: Option<u64>,
    /// Maximum number of rows per batch, at least 1. Default: 256.
    pub batch_rows: usize,
    /// Target size of a batch in bytes of keys and values. A batch ends with the row that reaches it, so a batch has at
    /// least one row. A scan that holds several batches divides this among them, so that together they hold about this
    /// many bytes, plus one row per batch. Default: [`DEFAULT_BATCH_BYTES`].
    pub batch_bytes: usize,
}

/// Default of [`Scan::batch_bytes`]: 4 MiB. 256 rows of up to 16 KiB fit into one batch, each of 64 merged buckets
/// still reads 64 KiB at a time, and a hundred open scans hold at most 400 MiB however large the values are.
pub const DEFAULT_BATCH_BYTES: usize = 4 << 20;

impl Scan {
    /// A forward scan of `ranges`, which may overlap and come in any order.
    pub fn new(ranges: Vec<KeyRange>) -> Self {
        Self {
            ranges: KeyRange::merged(ranges),
            reverse: false,
            limit: None,
            batch_rows: 256,
            batch_bytes: DEFAULT_BATCH_BYTES,
        }
    }

    /// A forward scan of the whole table.
    pub fn all() -> Self {
        Self::new(vec![KeyRange::all()])
    }

    /// Sets the order of rows: `true` for the last row first. Default: `false`.
    #[must_use]
    pub fn reverse(mut self, reverse: bool) -> Self {
        self.reverse = reverse;
        self
    }

    /// Maximum number of rows. Default: no limit.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.limit = limit.into();
        self
    }

    /// Maximum number of rows per batch, clamped to at least 1. Default: 256.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// Target size of a batch in bytes: see [the field](Self#structfield.batch_bytes).
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::store::{Batch, Database, RowBatch, Scan};
    ///
    /// let images = Memory::new().table("images")?;
    /// images.write(Batch::new().put("a", [0; 600]).put("b", [0; 600]).put("c", [0; 600]))?;
    /// let mut batch = RowBatch::new();
    /// images.scan(&Scan::all().batch_bytes(1000)).next_batch(&mut batch)?;
    /// assert_eq!((batch.len(), batch.bytes()), (2, 1202));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// The same scan with [`batch_bytes`](Self::batch_bytes) divided by `batches`, for a reader that holds this many
    /// batches.
    #[must_use]
    pub(crate) fn divided(self, batches: usize) -> Self {
        let bytes = self.batch_bytes / batches.max(1);
        self.batch_bytes(bytes)
    }
}

/// An open scan: returns rows in order, batch by batch.
#[doc(alias = "cursor")]
#[doc(alias = "iterator")]
pub trait Rows: Send {
    /// Clears `batch` and fills it with the next rows. An empty batch is the end. Rows that were read before an error
    /// are returned before the error. After the error, or the end, every call returns an empty batch.
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error>;

    /// Hint: the caller no longer needs rows before `key` (after `key`, in a reverse scan). They may still be returned;
    /// `key` and every row past it must be.
    #[doc(alias = "seek")]
    fn skip_to(&mut self, key: &[u8]) {
        let _ = key;
    }
}

impl<R: Rows + ?Sized> Rows for Box<R> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        (**self).next_batch(batch)
    }

    fn skip_to(&mut self, key: &[u8]) {
        (**self).skip_to(key);
    }
}

/// Counts the rows that are left of a scan.
pub(crate) fn count(mut rows: Box<dyn Rows>) -> Result<u64, Error> {
    let (mut batch, mut count) = (RowBatch::new(), 0);
    loop {
        rows.next_batch(&mut batch)?;
        match batch.len() {
            0 => return Ok(count),
            more => count += more as u64,
        }
    }
}
