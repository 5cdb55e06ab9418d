//! A scan of entries, one after another, that skips those that are not needed.

use crate::keys::range::successor;
use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch, Rows, TableId};

/// Number of entries to step over before a seek is tried, which costs a search.
const WALK: usize = 4;

/// An open scan of entries, which stands on one of them.
pub(super) struct Entries {
    rows: Box<dyn Rows>,
    batch: RowBatch,
    at: usize,
    /// The prefix that is being skipped; kept for its memory.
    prefix: Vec<u8>,
    /// The rest of the call that reads, which may take several batches of entries, and its table.
    call: Option<(CallOptions, TableId)>,
}

impl Entries {
    pub(super) fn new(rows: Box<dyn Rows>) -> Self {
        Self { rows, batch: RowBatch::new(), at: 0, prefix: Vec::new(), call: None }
    }

    /// Begins another call: the entries read from now on belong to it.
    pub(super) fn begin(&mut self, rest: CallOptions, table: &TableId) {
        self.call = Some((rest, table.clone()));
    }

    /// Reads the next batch if necessary. Returns whether there is an entry.
    #[inline]
    pub(super) fn settle(&mut self) -> Result<bool, Error> {
        if self.at < self.batch.len() {
            return Ok(true);
        }
        self.at = 0;
        if let Some((rest, table)) = &self.call {
            rest.begin("scan", table.name())?;
        }
        self.rows.next_batch(&mut self.batch)?;
        Ok(!self.batch.is_empty())
    }

    /// The current entry, key and value, after [`settle`](Self::settle).
    #[inline]
    pub(super) fn get(&self) -> (&[u8], &[u8]) {
        self.batch.get(self.at).unwrap_or_default()
    }

    #[inline]
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Moves past all entries that share the first `len` bytes with the current one.
    pub(super) fn pass(&mut self, len: usize) -> Result<(), Error> {
        let mut prefix = std::mem::take(&mut self.prefix);
        prefix.clear();
        prefix.extend_from_slice(&self.get().0[..len]);
        let passed = self.pass_all(&prefix);
        self.prefix = prefix;
        passed
    }

    fn pass_all(&mut self, prefix: &[u8]) -> Result<(), Error> {
        for _ in 0..WALK {
            self.advance();
            if !self.settle()? || !self.get().0.starts_with(prefix) {
                return Ok(());
            }
        }
        // There is a successor: a prefix of several entries contains the 00 after a row.
        successor(prefix).map_or(Ok(()), |next| self.seek(&next))
    }

    /// Moves forward to the first entry at or after `key`.
    pub(super) fn seek(&mut self, key: &[u8]) -> Result<(), Error> {
        loop {
            let (mut low, mut high) = (self.at, self.batch.len());
            while low < high {
                let middle = low.midpoint(high);
                let before = self.batch.get(middle).is_some_and(|(found, _)| found < key);
                (low, high) = if before { (middle + 1, high) } else { (low, middle) };
            }
            self.at = low;
            if low < self.batch.len() {
                return Ok(());
            }
            self.rows.skip_to(key);
            if !self.settle()? {
                return Ok(());
            }
        }
    }
}
