//! The blocking scans that feed a merge.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batches::{BatchMerge, Step};
use super::counted::Counted;
use super::prefetch::Prefetch;
use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch, Rows};

/// Maximum number of threads of a merge. Sources beyond it are read in the caller's thread.
const MAX_THREADS: usize = 256;

/// Open scans, numbered as the sources of the merge that they feed.
pub(crate) struct Scans {
    rows: Vec<Box<dyn Rows>>,
    /// Number of batches to read ahead of each scan. 0 once the threads are started.
    pub(super) ahead: usize,
    read: Arc<AtomicU64>,
    /// Bounds of the wait for batches that are read ahead, and the table that errors name.
    options: CallOptions,
    table: Box<str>,
}

impl Scans {
    pub(super) fn new(scans: impl IntoIterator<Item = Box<dyn Rows>>) -> Self {
        let read = Arc::new(AtomicU64::new(0));
        let counted = |rows| -> Box<dyn Rows> { Box::new(Counted { rows, read: Arc::clone(&read) }) };
        let rows = scans.into_iter().map(counted).collect();
        Self { rows, ahead: 0, read, options: CallOptions::new(), table: Box::default() }
    }

    pub(super) fn bounded(&mut self, options: &CallOptions, table: &str) {
        if !options.is_unbounded() {
            (self.options, self.table) = (options.clone(), table.into());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Number of rows read so far, including those read ahead.
    pub(crate) fn rows_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Takes steps, and feeds the merge, until there is a row; returns `false` at the end. `merge` returns the merge
    /// that is part of `machine`. The scans are dropped at the end, and before an error is returned.
    #[inline]
    pub(crate) fn pump<M>(
        &mut self,
        machine: &mut M,
        mut step: impl FnMut(&mut M) -> Result<Step, Error>,
        merge: impl Fn(&mut M) -> &mut BatchMerge,
    ) -> Result<bool, Error> {
        loop {
            match step(machine) {
                Ok(Step::Row) => return Ok(true),
                Ok(Step::Feed(source)) => self.feed(merge(machine), source),
                end => {
                    self.rows.clear();
                    return end.map(|_| false);
                }
            }
        }
    }

    #[inline(never)]
    fn feed(&mut self, merge: &mut BatchMerge, source: usize) {
        if self.ahead > 0 {
            self.start_threads();
        }
        merge.feed_by(source, |batch| {
            let Some(rows) = self.rows.get_mut(source) else { return Ok(()) };
            let read = rows.next_batch(batch);
            if read.is_err() || batch.is_empty() {
                *rows = Box::new(NoRows);
            }
            read
        });
    }

    /// All threads start at once, so that their first batches arrive together.
    #[cold]
    fn start_threads(&mut self) {
        let ahead = std::mem::take(&mut self.ahead);
        for rows in self.rows.iter_mut().take(MAX_THREADS) {
            let ahead_of_it = Prefetch::new(std::mem::replace(rows, Box::new(NoRows)), ahead);
            *rows = Box::new(ahead_of_it.options(&self.options, &self.table));
        }
    }
}

/// An open scan that has ended.
struct NoRows;

impl Rows for NoRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        Ok(())
    }
}
