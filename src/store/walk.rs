//! Scans of many ranges, for every engine: position, direction, limit, size of batches, skips.
//!
//! [`Walk`] is only the position and does no I/O, so an engine on a network, or an asynchronous one, can use it too.
//! [`RangeRows`] is the complete scan of an engine in this process, over a reader of one range ([`RangeReader`]).

use std::collections::VecDeque;
use std::fmt;

use super::{Room, RowBatch, Rows, Scan};
use crate::keys::range::{Dropped, KeyRange};
use crate::store::error::Error;

/// The position of a scan: the ranges still to read, and how many rows may still come.
///
/// An engine reads the [ranges](Self::ranges), reports what it [took](Self::took), and passes on what the caller
/// [skips](Self::skip_to). After a broken connection it continues with the ranges as they are then, which contain
/// nothing that was read or skipped.
///
/// ```
/// use rowkey::KeyRange;
/// use rowkey::store::{Scan, Walk};
///
/// let ranges = ["a", "b", "c"].map(KeyRange::prefix).to_vec();
/// let mut walk = Walk::new(&Scan::new(ranges).limit(100));
/// walk.took(2, b"a7");
/// walk.skip_to(b"b5");
/// assert_eq!(walk.left(), 98);
/// // The connection broke here: continue with these ranges.
/// let rest: Vec<_> = walk.ranges().map(|range| (range.start(), range.end())).collect();
/// assert_eq!(rest, [(&b"b5"[..], Some(&b"d"[..]))]);
///
/// walk.took(1, b"cz");
/// walk.skip_to(b"x");
/// assert!(walk.is_over() && walk.ranges().next().is_none(), "no range is no row, and not the whole table");
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    /// The ranges to read, in key order. The next one is at the front, or at the back in a reverse scan. None is empty.
    ranges: VecDeque<KeyRange>,
    reverse: bool,
    /// The number of rows that may still come, if the scan has a limit.
    left: Option<u64>,
    batch_rows: usize,
    batch_bytes: usize,
}

impl Walk {
    /// The start of `scan`.
    pub fn new(scan: &Scan) -> Self {
        let left = scan.limit;
        let ranges = if left == Some(0) { VecDeque::new() } else { scan.ranges.iter().cloned().collect() };
        let (batch_rows, batch_bytes) = (scan.batch_rows.max(1), scan.batch_bytes.max(1));
        Self { ranges, reverse: scan.reverse, left, batch_rows, batch_bytes }
    }

    /// Returns whether the scan goes from the last row to the first.
    pub fn is_reverse(&self) -> bool {
        self.reverse
    }

    /// The maximum number of rows that may still come: `u64::MAX` without a limit.
    pub fn left(&self) -> u64 {
        self.left.unwrap_or(u64::MAX)
    }

    /// Target size of a batch: it ends with the row that reaches this many bytes.
    pub fn batch_bytes(&self) -> usize {
        self.batch_bytes
    }

    /// The next range to read, or the rest of one. `None` at the end.
    #[inline]
    pub fn range(&self) -> Option<&KeyRange> {
        if self.reverse { self.ranges.back() } else { self.ranges.front() }
    }

    /// All ranges still to read, in the direction of the scan. Empty at the end.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = &KeyRange> {
        let last = self.ranges.len().saturating_sub(1);
        (0..self.ranges.len()).map(move |at| &self.ranges[if self.reverse { last - at } else { at }])
    }

    /// Returns whether nothing is left to read.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The room for the next rows of a batch: as many as may still come, and at most as many as a batch may have.
    #[inline]
    pub fn room<'b>(&self, batch: &'b mut RowBatch) -> Room<'b> {
        let left = usize::try_from(self.left()).unwrap_or(usize::MAX).saturating_add(batch.len());
        Room::new(batch, left.min(self.batch_rows), self.batch_bytes)
    }

    /// Reports that `rows` more rows were read, the last of them at key `last`. Nothing up to `last` is read again.
    #[inline]
    pub fn took(&mut self, rows: u64, last: &[u8]) {
        if self.count(rows) {
            return self.end();
        }
        self.pass(last, false);
    }

    /// Reports that the rows of a batch were read.
    pub fn took_batch(&mut self, batch: &RowBatch) {
        if let Some((last, _)) = batch.last() {
            self.took(batch.len() as u64, last);
        }
    }

    /// The rest of the scan, as a scan of its own: what it is resumed with after its last row.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::store::{Batch, Database, RowBatch, Scan, Walk};
    ///
    /// let table = Memory::new().table("letters")?;
    /// table.write(Batch::new().put("a", "").put("b", "").put("c", "").put("d", ""))?;
    /// let scan = Scan::all().reverse(true).limit(3).batch_rows(2);
    /// let (mut walk, mut batch) = (Walk::new(&scan), RowBatch::new());
    /// table.scan(&scan).next_batch(&mut batch)?; // d, c
    /// walk.took_batch(&batch);
    /// table.scan(&walk.rest()).next_batch(&mut batch)?;
    /// assert!(batch.iter().eq([(&b"b"[..], &b""[..])]));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[doc(alias = "resume")]
    pub fn rest(&self) -> Scan {
        Scan {
            ranges: self.ranges.iter().cloned().collect(),
            reverse: self.reverse,
            limit: self.left,
            batch_rows: self.batch_rows,
            batch_bytes: self.batch_bytes,
        }
    }

    /// Reports that the current [range](Self::range) has ended, after `rows` rows since the last [`took`](Self::took).
    #[inline]
    pub fn range_ended(&mut self, rows: u64) {
        if self.count(rows) {
            return self.end();
        }
        self.drop_range();
    }

    #[inline]
    fn drop_range(&mut self) {
        if self.reverse {
            self.ranges.pop_back();
        } else {
            self.ranges.pop_front();
        }
    }

    /// Skips rows before `key` (after it, in a reverse scan). Has no effect if the scan is past `key` already. Returns
    /// whether something is skipped, so that the reader has to seek.
    pub fn skip_to(&mut self, key: &[u8]) -> bool {
        self.pass(key, true)
    }

    /// Ends the scan.
    pub fn end(&mut self) {
        self.ranges.clear();
        self.left = Some(0);
    }

    /// Counts `rows` more rows against the limit. Returns whether it is reached.
    #[inline]
    fn count(&mut self, rows: u64) -> bool {
        self.left = self.left.map(|left| left.saturating_sub(rows));
        self.left == Some(0)
    }

    /// Removes what comes before `key`, and `key` itself unless `inclusive`. Returns whether there was something to
    /// remove.
    #[inline]
    fn pass(&mut self, key: &[u8], inclusive: bool) -> bool {
        let mut passed = false;
        loop {
            let next = if self.reverse { self.ranges.back_mut() } else { self.ranges.front_mut() };
            let Some(range) = next else { return passed };
            match if self.reverse { range.end_at(key, inclusive) } else { range.start_at(key, inclusive) } {
                Dropped::Nothing => return passed,
                Dropped::Part => return true,
                Dropped::All => passed = true,
            }
            self.drop_range();
        }
    }
}

/// Reads the rows of one range from an engine. [`RangeRows`] makes a scan of it.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::ops::Bound;
/// use std::sync::Arc;
///
/// use rowkey::store::{RangeReader, RangeRows, Room, RowBatch, Rows, Scan};
/// use rowkey::{KeyRange, Result};
///
/// /// A map as it was when the scan was opened.
/// struct Snapshot(Arc<BTreeMap<Vec<u8>, Vec<u8>>>);
///
/// impl RangeReader for Snapshot {
///     fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool> {
///         let end = rest.end().map_or(Bound::Unbounded, Bound::Excluded);
///         let mut rows = self.0.range::<[u8], _>((Bound::Included(rest.start()), end));
///         while let Some((key, value)) = if reverse { rows.next_back() } else { rows.next() } {
///             if !room.push(key, value) {
///                 return Ok(true);
///             }
///         }
///         Ok(false)
///     }
/// }
///
/// fn scan(map: &Arc<BTreeMap<Vec<u8>, Vec<u8>>>, scan: &Scan) -> Box<dyn Rows> {
///     Box::new(RangeRows::new(scan, Snapshot(Arc::clone(map))))
/// }
///
/// let map = Arc::new((0..9).map(|n| (vec![n], vec![])).collect());
/// let ranges = [1, 3, 7].map(|n| KeyRange::new([n], Some([n + 2])).unwrap()).to_vec();
/// let mut rows = scan(&map, &Scan::new(ranges).reverse(true).limit(4));
/// let mut batch = RowBatch::new();
/// rows.next_batch(&mut batch)?;
/// assert!(batch.iter().map(|(key, _)| key[0]).eq([8, 7, 4, 3]));
/// assert_eq!(Arc::strong_count(&map), 1, "what is read is let go at the end");
/// # Ok::<(), rowkey::Error>(())
/// ```
pub trait RangeReader: Send {
    /// Called before a [`read`](Self::read) that does not continue where the last one ended: in another range, or after
    /// a skip. A reader that keeps an iterator opens it here. A reader that searches for each batch needs nothing here.
    ///
    /// # Errors
    ///
    /// The engine's error; it ends the scan.
    fn seek(&mut self, rest: &KeyRange, reverse: bool) -> Result<(), Error> {
        let _ = (rest, reverse);
        Ok(())
    }

    /// Adds the next rows to a batch, in the direction of the scan, until there is no room. `rest` is the part of the
    /// range that was not read yet; `room` is not full. Returns whether the range may have more rows. If so, the batch
    /// ends here unless it is empty.
    ///
    /// # Errors
    ///
    /// The engine's error. The rows added before it are returned first; the error ends the scan.
    fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error>;
}

/// The scan of an engine in this process: many ranges, direction, limit, size of batches, skips.
///
/// Rows that were read before an error are returned before it. After the error, or the end, no rows come. The reader is
/// dropped as soon as nothing is left to read, and with it what it holds of the engine. After a skip, batches are small
/// at first, as another skip is likely.
pub struct RangeRows<R> {
    walk: Walk,
    /// `None` after the end.
    reader: Option<R>,
    /// True if the next read does not continue where the last one ended.
    moved: bool,
    /// Maximum number of rows of the next batch.
    next_rows: usize,
    /// An error that follows the rows already returned.
    failed: Option<Error>,
}

/// Number of rows in the first batch after a skip. It doubles with each batch.
const AFTER_SKIP: usize = 16;

impl<R: RangeReader> RangeRows<R> {
    /// The rows of `scan`, read by `reader`.
    pub fn new(scan: &Scan, reader: R) -> Self {
        let walk = Walk::new(scan);
        let reader = Some(reader).filter(|_| !walk.is_over());
        Self { walk, reader, moved: true, next_rows: usize::MAX, failed: None }
    }

    fn fill(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let reverse = self.walk.is_reverse();
        let mut room = self.walk.room(batch).at_most(self.next_rows);
        self.next_rows = self.next_rows.saturating_mul(2);
        while let (Some(rest), false) = (self.walk.range(), room.is_full()) {
            if std::mem::take(&mut self.moved) {
                reader.seek(rest, reverse)?;
            }
            let before = room.batch().len();
            let more = reader.read(rest, reverse, &mut room)?;
            let rows = (room.batch().len() - before) as u64;
            let last = room.batch().last().filter(|_| more);
            let Some((last, _)) = last else {
                // The range may have more rows but none came: ask again.
                if !more {
                    self.walk.range_ended(rows);
                    self.moved = true;
                }
                continue;
            };
            let ranges = self.walk.ranges().len();
            self.walk.took(rows, last);
            self.moved = self.walk.ranges().len() < ranges;
            return Ok(());
        }
        Ok(())
    }
}

impl<R: RangeReader> Rows for RangeRows<R> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.walk.batch_bytes());
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let filled = self.fill(batch);
        if filled.is_err() || self.walk.is_over() {
            self.walk.end();
            self.reader = None;
        }
        if batch.is_empty() {
            return filled;
        }
        self.failed = filled.err();
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        if self.walk.skip_to(key) {
            self.moved = true;
            self.next_rows = AFTER_SKIP;
        }
        if self.walk.is_over() {
            self.reader = None;
        }
    }
}

impl<R> fmt::Debug for RangeRows<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeRows").field("walk", &self.walk).finish_non_exhaustive()
    }
}
