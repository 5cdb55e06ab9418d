//! A table as it was at one time, and scans of it.

use std::collections::VecDeque;
use std::ops::Bound;

use ::fjall::{Iter, Keyspace, Readable, Snapshot};

use super::error::{FjallError, guarded};
use super::{LONGEST_KEY, can_be};
use crate::error::Error;
use crate::range::KeyRange;
use crate::store::{CallOptions, RowBatch, Rows, Scan, TableId, View};

/// A table as it was.
pub(super) struct FjallView {
    pub(super) keyspace: Keyspace,
    pub(super) snapshot: Snapshot,
    pub(super) table: TableId,
    /// Of the transaction, or the scan, that reads.
    pub(super) options: CallOptions,
}

impl View for FjallView {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.options.begin("get", self.table.name())?;
        if !can_be(key) {
            return Ok(None);
        }
        Ok(guarded(|| self.snapshot.get(&self.keyspace, key))?.map(|value| value.to_vec()))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let rows = FjallRows {
            view: Some((self.keyspace.clone(), self.snapshot.clone())),
            ranges: scan.ranges.iter().cloned().collect(),
            open: None,
            reverse: scan.reverse,
            left: scan.limit.unwrap_or(u64::MAX),
            batch_rows: scan.batch_rows.max(1),
            last: Vec::new(),
            skip: None,
            failed: None,
        };
        self.options.rows(self.table.name(), Box::new(rows))
    }
}

/// A scan of the table as it was.
struct FjallRows {
    /// None behind the end, so that the engine can forget what it keeps for it.
    view: Option<(Keyspace, Snapshot)>,
    /// What is still to be opened, in key order; the next one is at the front, or at the back of a reverse scan.
    ranges: VecDeque<KeyRange>,
    /// The range that is being read.
    open: Option<(KeyRange, Iter)>,
    reverse: bool,
    left: u64,
    batch_rows: usize,
    /// The last row that was handed out.
    last: Vec<u8>,
    /// What stands before it is of no use.
    skip: Option<Vec<u8>>,
    /// What went wrong behind the rows that were handed out.
    failed: Option<FjallError>,
}

impl FjallRows {
    /// Reads the next range from where it is wanted; answers whether there is one.
    fn open_next(&mut self) -> bool {
        let Some((keyspace, snapshot)) = &self.view else { return false };
        let Some(range) = (if self.reverse { self.ranges.pop_back() } else { self.ranges.pop_front() }) else {
            return false;
        };
        // Between a key of the longest and all that begin with it there is none.
        let start = match range.start() {
            start if start.len() > LONGEST_KEY => Bound::Excluded(&start[..LONGEST_KEY]),
            start => Bound::Included(start),
        };
        let end = match range.end() {
            Some(end) if end.len() > LONGEST_KEY => Bound::Included(&end[..LONGEST_KEY]),
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        let rows = snapshot.range::<&[u8], _>(keyspace, (start, end));
        self.open = Some((range, rows));
        true
    }

    /// Goes on with what is beyond the key that was skipped to.
    fn skip(&mut self, key: Vec<u8>) {
        let wanted = match self.reverse {
            false => KeyRange::new(key, None::<Vec<u8>>),
            true => KeyRange::new(Vec::new(), Some([&key[..], &[0]].concat())),
        };
        let Some(wanted) = wanted else { return };
        let open = self.open.take().map(|(range, _)| range);
        let ranges = std::mem::take(&mut self.ranges);
        let ranges = match self.reverse {
            false => open.into_iter().chain(ranges).collect::<VecDeque<_>>(),
            true => ranges.into_iter().chain(open).collect(),
        };
        self.ranges = ranges.into_iter().filter_map(|range| range.intersect(&wanted)).collect();
    }

    fn fill(&mut self, batch: &mut RowBatch) -> Result<(), ::fjall::Error> {
        let size = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.batch_rows);
        while batch.len() < size {
            let Some((_, rows)) = &mut self.open else {
                if self.open_next() {
                    continue;
                }
                break;
            };
            while batch.len() < size {
                let Some(row) = (if self.reverse { rows.next_back() } else { rows.next() }) else {
                    self.open = None;
                    break;
                };
                // By reference: the pair is six words, and each move of it waits for the one before.
                let row = row.into_inner();
                match &row {
                    Ok((key, value)) => batch.push(key, value),
                    Err(_) => return row.map(drop),
                }
            }
        }
        Ok(())
    }
}

impl Rows for FjallRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        if let Some(key) = self.skip.take() {
            let passed = !self.last.is_empty() && if self.reverse { key >= self.last } else { key <= self.last };
            if !passed {
                self.skip(key);
            }
        }
        let filled = guarded(|| self.fill(batch));
        if let Some((key, _)) = batch.len().checked_sub(1).and_then(|last| batch.get(last)) {
            key.clone_into(&mut self.last);
        }
        self.left -= batch.len() as u64;
        if batch.is_empty() || filled.is_err() {
            (self.view, self.open) = (None, None);
            self.ranges.clear();
        }
        match filled {
            Err(error) if batch.is_empty() => Err(error.into()),
            Err(error) => {
                self.failed = Some(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn skip_to(&mut self, key: &[u8]) {
        let further = self.skip.as_deref().is_none_or(|before| if self.reverse { key < before } else { key > before });
        if further {
            self.skip = Some(key.to_vec());
        }
    }
}
