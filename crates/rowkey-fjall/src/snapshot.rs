//! Snapshots of a table, and scans of them.

use std::ops::Bound;

use fjall::{Iter, Keyspace, Readable as _, Snapshot};

use crate::error::guarded;
use crate::limits::{LONGEST_KEY, can_be};
use rowkey::store::{CallOptions, RangeReader, RangeRows, Readable, Room, Rows, Scan, TableId};
use rowkey::{Error, KeyRange};

/// A snapshot of a table.
pub(super) struct FjallView {
    pub(super) keyspace: Keyspace,
    pub(super) snapshot: Snapshot,
    pub(super) table: TableId,
    /// The options of the transaction, or the scan, that reads.
    pub(super) options: CallOptions,
}

impl Readable for FjallView {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.options.begin("get", self.table.name())?;
        if !can_be(key) {
            return Ok(None);
        }
        Ok(guarded(|| self.snapshot.get(&self.keyspace, key))?.map(|value| value.to_vec()))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let (keyspace, snapshot) = (self.keyspace.clone(), self.snapshot.clone());
        let rows = RangeRows::new(scan, Reader { keyspace, snapshot, open: None });
        self.options.rows(self.table.name(), Box::new(rows))
    }
}

/// The source of a scan's rows.
struct Reader {
    keyspace: Keyspace,
    snapshot: Snapshot,
    /// The range that is being read.
    open: Option<Iter>,
}

impl RangeReader for Reader {
    fn seek(&mut self, rest: &KeyRange, _: bool) -> Result<(), Error> {
        // No key lies between a key of the maximum length and those that begin with it.
        let start = match rest.start() {
            start if start.len() > LONGEST_KEY => Bound::Excluded(&start[..LONGEST_KEY]),
            start => Bound::Included(start),
        };
        let end = match rest.end() {
            Some(end) if end.len() > LONGEST_KEY => Bound::Included(&end[..LONGEST_KEY]),
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        let rows = guarded(|| Ok(self.snapshot.range::<&[u8], _>(&self.keyspace, (start, end))))?;
        self.open = Some(rows);
        Ok(())
    }

    fn read(&mut self, _: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error> {
        let Some(rows) = &mut self.open else { return Ok(false) };
        let read = || {
            while let Some(row) = if reverse { rows.next_back() } else { rows.next() } {
                // By reference: the pair is six words, and each move would wait for the one before.
                let row = row.into_inner();
                match &row {
                    Ok((key, value)) if room.push(key, value) => {}
                    Ok(_) => return Ok(true),
                    Err(_) => return row.map(|_| false),
                }
            }
            Ok(false)
        };
        Ok(guarded(read)?)
    }
}
