//! A batch of rows in one buffer, and the room left in it.

use std::iter::FusedIterator;
use std::ops::Range;

/// A batch of rows, keys and values, in one buffer that is reused from batch to batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowBatch {
    bytes: Vec<u8>,
    /// Per row: where its key ends and where its value ends. A row begins where the row before it ends.
    ends: Vec<(usize, usize)>,
}

/// This much memory is kept whatever the bound: freeing it and allocating it again would cost more than it saves.
const KEPT: usize = 4096;

impl RowBatch {
    /// An empty batch.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new() }
    }

    /// An empty batch with memory for this many rows and bytes.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(rows) }
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of bytes in keys and values.
    ///
    /// ```
    /// use rowkey::store::RowBatch;
    ///
    /// let mut batch = RowBatch::new();
    /// batch.push(b"key", b"value");
    /// assert_eq!(batch.bytes(), 8);
    /// ```
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Removes all rows and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Removes all rows, and frees memory that a large row took: about `bytes` are kept, or a few KiB if that is more.
    /// For implementations of [`Rows`](super::Rows), with [`Scan::batch_bytes`](super::Scan::batch_bytes) as the bound.
    #[inline]
    pub fn clear_within(&mut self, bytes: usize) {
        self.ends.clear();
        clear_within(&mut self.bytes, bytes);
    }

    /// Returns whether no row but the last reaches `bytes`.
    pub(crate) fn is_within(&self, bytes: usize) -> bool {
        self.len().checked_sub(2).and_then(|row| self.ends.get(row)).is_none_or(|&(_, end)| end < bytes)
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        self.push_within(key, value, usize::MAX);
    }

    /// Adds a row, whose value is what `value` appends to the buffer. It is to leave the bytes before as they are.
    ///
    /// # Errors
    ///
    /// The error of `value`. No row is added then.
    #[inline]
    pub(crate) fn push_with<E>(
        &mut self,
        key: &[u8],
        value: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len();
        value(&mut self.bytes).inspect_err(|_| self.bytes.truncate(start))?;
        self.ends.push((key_end, self.bytes.len()));
        Ok(())
    }

    /// Replaces each value by a part of it, in place, and removes the rows that have no such part.
    pub(crate) fn cut_values(&mut self, part: impl Fn(&[u8]) -> Option<Range<usize>>) {
        let (mut start, mut kept, mut rows) = (0, 0, 0);
        for row in 0..self.ends.len() {
            let (key_end, end) = self.ends[row];
            if let Some(part) = part(&self.bytes[key_end..end]) {
                let key = kept + key_end - start;
                // As long as whole values are kept, everything is in its place.
                if kept < start {
                    self.bytes.copy_within(start..key_end, kept);
                }
                if key < key_end + part.start {
                    self.bytes.copy_within(key_end + part.start..key_end + part.end, key);
                }
                kept = key + part.len();
                self.ends[rows] = (key, kept);
                rows += 1;
            }
            start = end;
        }
        self.bytes.truncate(kept);
        self.ends.truncate(rows);
    }

    /// Adds a row. Memory is reserved for `bytes` at most, or for this row if it is larger.
    #[inline]
    fn push_within(&mut self, key: &[u8], value: &[u8], bytes: usize) {
        if self.bytes.capacity() - self.bytes.len() < key.len() + value.len() {
            self.grow(key.len() + value.len(), bytes);
        }
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.ends.push((key_end, self.bytes.len()));
    }

    #[cold]
    fn grow(&mut self, more: usize, bytes: usize) {
        let doubled = self.bytes.capacity().saturating_mul(2).min(bytes).saturating_sub(self.bytes.len());
        self.bytes.reserve_exact(more.max(doubled));
    }

    /// Returns row `index` as key and value.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let &(key_end, end) = self.ends.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1].1,
        };
        Some((&self.bytes[start..key_end], &self.bytes[key_end..end]))
    }

    /// Returns the last row.
    #[inline]
    pub(super) fn last(&self) -> Option<(&[u8], &[u8])> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Iterates over the rows, as pairs of key and value.
    #[inline]
    pub fn iter(&self) -> RowBatchIter<'_> {
        RowBatchIter { bytes: &self.bytes, start: 0, ends: self.ends.iter() }
    }
}

/// ```
/// use rowkey::store::RowBatch;
///
/// let mut batch = RowBatch::new();
/// batch.push(b"ada", b"36");
/// batch.push(b"bob", b"41");
/// for (key, value) in &batch {
///     assert!(key.len() == 3 && value.len() == 2);
/// }
/// ```
impl<'b> IntoIterator for &'b RowBatch {
    type Item = (&'b [u8], &'b [u8]);
    type IntoIter = RowBatchIter<'b>;

    #[inline]
    fn into_iter(self) -> RowBatchIter<'b> {
        self.iter()
    }
}

/// The rows of a [`RowBatch`], as pairs of key and value: [`RowBatch::iter`].
#[derive(Clone, Debug)]
pub struct RowBatchIter<'b> {
    bytes: &'b [u8],
    /// The place where the next row begins.
    start: usize,
    ends: std::slice::Iter<'b, (usize, usize)>,
}

impl<'b> Iterator for RowBatchIter<'b> {
    type Item = (&'b [u8], &'b [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &(key_end, end) = self.ends.next()?;
        let row = (&self.bytes[self.start..key_end], &self.bytes[key_end..end]);
        self.start = end;
        Some(row)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ends.size_hint()
    }
}

impl ExactSizeIterator for RowBatchIter<'_> {}

impl FusedIterator for RowBatchIter<'_> {}

/// Clears a buffer for reuse, and frees its memory if it has grown beyond `bound` bytes.
#[inline]
pub(crate) fn clear_within(bytes: &mut Vec<u8>, bound: usize) {
    bytes.clear();
    // The row that reaches the bound goes beyond it. An eighth more is not worth a new allocation.
    if bytes.capacity() > KEPT && bytes.capacity().saturating_sub(bound) > bound / 8 {
        *bytes = Vec::new();
    }
}

/// The room left in a batch: for a number of rows, and up to the row that reaches a number of bytes.
///
/// ```
/// use rowkey::store::{Room, RowBatch};
///
/// let mut batch = RowBatch::new();
/// let mut room = Room::new(&mut batch, 100, 1000);
/// while room.push(b"key", &[0; 397]) {}
/// assert_eq!(batch.len(), 3);
/// ```
#[derive(Debug)]
pub struct Room<'b> {
    batch: &'b mut RowBatch,
    rows: usize,
    bytes: usize,
}

impl<'b> Room<'b> {
    /// Room in `batch` for `rows` rows in total, and for rows up to the one that reaches `bytes` bytes in total. The
    /// first row always fits, unless `rows` is 0.
    pub fn new(batch: &'b mut RowBatch, rows: usize, bytes: usize) -> Self {
        Self { batch, rows, bytes: bytes.max(1) }
    }

    /// The same room, for at most `rows` rows in total.
    #[must_use]
    pub(super) fn at_most(self, rows: usize) -> Self {
        Self { rows: self.rows.min(rows), ..self }
    }

    /// The maximum number of rows that still fit.
    #[inline]
    pub fn rows(&self) -> usize {
        if self.is_full() { 0 } else { self.rows - self.batch.len() }
    }

    /// Returns whether no more rows fit.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.batch.len() >= self.rows || self.batch.bytes() >= self.bytes
    }

    /// Adds a row, and returns whether another one fits.
    #[inline]
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> bool {
        self.batch.push_within(key, value, self.bytes);
        !self.is_full()
    }

    /// The batch.
    #[inline]
    pub fn batch(&self) -> &RowBatch {
        self.batch
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Never more memory than the bound and the row that goes beyond it; after a clear, no more than the bound.
        #[test]
        fn memory_stays_within_the_bound(
            batches in proptest::collection::vec(proptest::collection::vec(0..20_000_usize, 1..40), 1..6),
            bytes in 1..100_000_usize,
        ) {
            let mut batch = RowBatch::new();
            let value = vec![7; 20_000];
            for rows in batches {
                batch.clear_within(bytes);
                let kept = bytes + bytes / 8;
                prop_assert!(batch.bytes.capacity() <= kept.max(KEPT));
                let mut room = Room::new(&mut batch, usize::MAX, bytes);
                let mut rows = rows.iter();
                let last = loop {
                    let Some(&row) = rows.next() else { break 0 };
                    if !room.push(b"key", &value[..row]) {
                        break row + 3;
                    }
                };
                prop_assert!(batch.bytes.capacity() <= (bytes + last).max(kept).max(KEPT), "{}", batch.bytes.capacity());
                prop_assert!(batch.bytes() < bytes + last || last == 0);
            }
        }
    }

    proptest! {
        #[test]
        fn values_are_cut_in_place(
            rows in proptest::collection::vec((proptest::collection::vec(0..3_u8, 0..4), 0..9_usize), 0..9),
        ) {
            let value = |len: usize| (0..len as u8).collect::<Vec<_>>();
            let (mut batch, mut expected) = (RowBatch::new(), RowBatch::new());
            for (key, len) in rows {
                batch.push(&key, &value(len));
                if len != 3 {
                    expected.push(&key, &value(len)[len / 3..len / 2]);
                }
            }
            batch.cut_values(|value| (value.len() != 3).then_some(value.len() / 3..value.len() / 2));
            prop_assert_eq!(batch, expected);
        }
    }

    #[test]
    fn a_value_that_fails_adds_no_row() {
        let mut batch = RowBatch::new();
        batch.push(b"a", b"1");
        for (key, result) in [(b"b", Err("refused")), (b"c", Ok(()))] {
            let pushed = batch.push_with(key, |value| {
                value.push(3);
                result
            });
            assert_eq!(pushed, result);
        }
        assert_eq!(batch.iter().collect::<Vec<_>>(), [(&b"a"[..], &b"1"[..]), (b"c", &[3])]);
    }

    #[test]
    fn a_row_has_room_whatever_the_bound() {
        for bytes in [0, 1, 5] {
            let mut batch = RowBatch::new();
            let mut room = Room::new(&mut batch, 9, bytes);
            assert_eq!((room.is_full(), room.rows()), (false, 9));
            assert!(!room.push(b"k", b"value"));
            assert_eq!((room.is_full(), room.rows(), batch.bytes()), (true, 0, 6));
        }
        assert!(Room::new(&mut RowBatch::new(), 0, 9).is_full());
    }
}
