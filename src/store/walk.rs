//! The way of a scan through its ranges, for every engine: where it is, what is still to be read, how much of it next.
//!
//! [`Walk`] is the position alone and does no input or output, so an engine on a network, or one that waits without a thread, goes by
//! it too. [`RangeRows`] is the whole scan of an engine in this process, over what reads one range ([`RangeReader`]).

use std::collections::VecDeque;
use std::fmt;

use super::{Room, RowBatch, Rows, Scan};
use crate::keys::range::{Dropped, KeyRange};
use crate::store::error::Error;

/// Where a scan is: the ranges that are still to be read, and how many rows may still come.
///
/// An engine asks for the [ranges](Self::ranges), tells what it [took](Self::took) of them, and passes on what the reader
/// [skips](Self::skip_to). One that is cut off goes on with the ranges as they are then: they have neither what was read nor
/// what was skipped.
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
/// // It was cut off here: this is what is asked for again.
/// let rest: Vec<_> = walk.ranges().map(|range| (range.start(), range.end())).collect();
/// assert_eq!(rest, [(&b"b5"[..], Some(&b"d"[..]))]);
///
/// walk.took(1, b"cz");
/// walk.skip_to(b"x");
/// assert!(walk.is_over() && walk.ranges().next().is_none(), "no range is no row, and not the whole table");
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    /// What is still to be read, in key order: what is next is at the front, or at the back of a reverse scan. None is empty.
    ranges: VecDeque<KeyRange>,
    reverse: bool,
    left: u64,
    batch_rows: usize,
    batch_bytes: usize,
}

impl Walk {
    /// The way of `scan`, from its start.
    pub fn new(scan: &Scan) -> Self {
        let left = scan.limit.unwrap_or(u64::MAX);
        let ranges = if left == 0 { VecDeque::new() } else { scan.ranges.iter().cloned().collect() };
        let (batch_rows, batch_bytes) = (scan.batch_rows.max(1), scan.batch_bytes.max(1));
        Self { ranges, reverse: scan.reverse, left, batch_rows, batch_bytes }
    }

    /// Whether it goes from the last row to the first.
    pub fn is_reverse(&self) -> bool {
        self.reverse
    }

    /// How many rows may still come.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// A batch ends with the row by which it reaches so many bytes.
    pub fn batch_bytes(&self) -> usize {
        self.batch_bytes
    }

    /// What is to be read next: a range, or the rest of one. `None` at the end.
    #[inline]
    pub fn range(&self) -> Option<&KeyRange> {
        if self.reverse { self.ranges.back() } else { self.ranges.front() }
    }

    /// All that is still to be read, in the direction of the scan; at the end it is no range.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = &KeyRange> {
        let last = self.ranges.len().saturating_sub(1);
        (0..self.ranges.len()).map(move |at| &self.ranges[if self.reverse { last - at } else { at }])
    }

    /// Whether nothing is left to be read.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The room for the next rows of a batch: as many as may still come, at most as many as a batch may have.
    #[inline]
    pub fn room<'b>(&self, batch: &'b mut RowBatch) -> Room<'b> {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX).saturating_add(batch.len());
        Room::new(batch, left.min(self.batch_rows), self.batch_bytes)
    }

    /// So many more rows were read; `last` is the key of the last of them, and what lies before it is not asked for again.
    #[inline]
    pub fn took(&mut self, rows: u64, last: &[u8]) {
        self.left = self.left.saturating_sub(rows);
        if self.left == 0 {
            return self.end();
        }
        self.pass(last, false);
    }

    /// The [range](Self::range) that is read has no more rows than were read of it: `rows` since what was
    /// [taken](Self::took) last.
    #[inline]
    pub fn range_ended(&mut self, rows: u64) {
        self.left = self.left.saturating_sub(rows);
        if self.left == 0 {
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

    /// Rows before `key` (after it, in a reverse scan) are of no use: they are not asked for. Where the scan is beyond `key`
    /// already nothing changes. Returns whether something is passed over, so that the reader has to go elsewhere.
    pub fn skip_to(&mut self, key: &[u8]) -> bool {
        self.pass(key, true)
    }

    /// Nothing more is wanted.
    pub fn end(&mut self) {
        self.ranges.clear();
        self.left = 0;
    }

    /// Drops what comes before `key`, and `key` itself unless `inclusive`; returns whether there was something.
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

/// What reads the rows of one range from an engine; [`RangeRows`] makes a scan of it.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::ops::Bound;
/// use std::sync::Arc;
///
/// use rowkey::store::{RangeReader, RangeRows, Room, RowBatch, Rows, Scan};
/// use rowkey::{Error, KeyRange};
///
/// /// A map as it was when the scan was opened.
/// struct Snapshot(Arc<BTreeMap<Vec<u8>, Vec<u8>>>);
///
/// impl RangeReader for Snapshot {
///     fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error> {
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
/// # Ok::<(), Error>(())
/// ```
pub trait RangeReader: Send {
    /// Told before a [`read`](Self::read) that does not go on where the one before left off: of another range, or beyond rows
    /// that were skipped. A reader that keeps an iterator opens it here; one that searches anew for each batch has nothing to do.
    ///
    /// # Errors
    ///
    /// What the engine says; the scan ends with it.
    fn seek(&mut self, rest: &KeyRange, reverse: bool) -> Result<(), Error> {
        let _ = (rest, reverse);
        Ok(())
    }

    /// Adds the next rows of a range to a batch, in the direction of the scan, until there is no room; `rest` is what of the range
    /// was not read yet, and `room` is not full. Returns whether there may be more in it: the batch ends there, though there
    /// is room, unless it is empty.
    ///
    /// # Errors
    ///
    /// What the engine says. The rows that were added before it come, then the error, then nothing more.
    fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error>;
}

/// The scan of an engine in this process: ranges one after another, direction, limit, the bounds of batches, skips.
///
/// Rows that were read before an error come before it; after the error, or the end, nothing comes any more. The reader is dropped as
/// soon as nothing is left to be read, and with it what of the engine it holds. After a skip batches are small at first,
/// as another skip may follow.
pub struct RangeRows<R> {
    walk: Walk,
    /// None after the end.
    reader: Option<R>,
    /// Whether what is read next does not follow what was read last.
    moved: bool,
    /// How many rows the next batch has at most.
    next_rows: usize,
    /// What went wrong after the rows that were handed out.
    failed: Option<Error>,
}

/// How many rows a batch has after a skip; the one after that has twice as many, and so on.
const AFTER_SKIP: usize = 16;

impl<R: RangeReader> RangeRows<R> {
    /// What `scan` asks for, read by `reader`.
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
                // Where there may be more and nothing came, it is asked again.
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
