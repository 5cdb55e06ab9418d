//! A counter of the rows of a scan.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::error::Error;
use crate::store::{RowBatch, Rows};

/// Counts the rows that are read through it. Around a store's scan: the rows that the store returned.
///
/// ```
/// use rowkey::merge::Counted;
/// use rowkey::store::{RowBatch, Rows};
/// # use rowkey::Result;
/// # struct Scan(Vec<&'static [u8]>);
/// # impl Rows for Scan {
/// #     fn next_batch(&mut self, batch: &mut RowBatch) -> Result<()> {
/// #         batch.clear();
/// #         self.0.drain(..).for_each(|key| batch.push(key, b""));
/// #         Ok(())
/// #     }
/// # }
/// # let scan = Scan(vec![b"a", b"b"]);
///
/// let mut rows = Counted::new(scan);
/// rows.next_batch(&mut RowBatch::new())?;
/// assert_eq!(rows.rows_read(), 2);
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Debug)]
pub struct Counted<R> {
    pub(super) rows: R,
    pub(super) read: Arc<AtomicU64>,
}

impl<R: Rows> Counted<R> {
    /// Counts the rows read from `rows`.
    pub fn new(rows: R) -> Self {
        Self { rows, read: Arc::new(AtomicU64::new(0)) }
    }

    /// Number of rows read so far.
    pub fn rows_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl<R: Rows> Rows for Counted<R> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.rows.next_batch(batch)?;
        self.read.fetch_add(batch.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}
