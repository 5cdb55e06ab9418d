//! Rows, many in one piece of memory, and how many more of them are wanted.

/// Rows in one piece of memory, which is kept from batch to batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowBatch {
    bytes: Vec<u8>,
    /// Where each row's key and its value end; a row begins where the one before it ended.
    ends: Vec<(usize, usize)>,
}

/// So little memory is kept whatever the bound: to give it back and take it again would cost more than it is.
const KEPT: usize = 4096;

impl RowBatch {
    /// An empty batch.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new() }
    }

    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many bytes the keys and values have.
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

    /// Drops the rows, keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Drops the rows, and gives memory back that a large row took: what is kept is about `bytes`, or a few KiB if that is
    /// less. For implementations of [`Rows`](super::Rows), whose bound is [`Scan::batch_bytes`](super::Scan::batch_bytes).
    #[inline]
    pub fn clear_within(&mut self, bytes: usize) {
        self.ends.clear();
        clear_within(&mut self.bytes, bytes);
    }

    /// Whether it ends with the row by which it reaches so many bytes, or before.
    pub(crate) fn is_within(&self, bytes: usize) -> bool {
        self.len().checked_sub(2).and_then(|row| self.ends.get(row)).is_none_or(|&(_, end)| end < bytes)
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        self.push_within(key, value, usize::MAX);
    }

    /// Adds a row. While there are fewer than `bytes`, memory is taken for no more than these and the row.
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

    /// Row `index`, key and value.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let &(key_end, end) = self.ends.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1].1,
        };
        Some((&self.bytes[start..key_end], &self.bytes[key_end..end]))
    }

    /// The last row.
    #[inline]
    pub(super) fn last(&self) -> Option<(&[u8], &[u8])> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The rows.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(key_end, end)| {
            let row = (&self.bytes[start..key_end], &self.bytes[key_end..end]);
            start = end;
            row
        })
    }
}

/// Clears what grows and is used again; if it grew beyond `bound` bytes, its memory is given back.
#[inline]
pub(crate) fn clear_within(bytes: &mut Vec<u8>, bound: usize) {
    bytes.clear();
    // What reaches the bound goes beyond it: an eighth more is no reason to take the memory anew.
    if bytes.capacity() > KEPT && bytes.capacity().saturating_sub(bound) > bound / 8 {
        *bytes = Vec::new();
    }
}

/// A batch, and what it still has room for: so many rows, and the row that reaches so many bytes.
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
    /// Room in `batch` for `rows` rows in all, and for rows up to the one with which it has `bytes` bytes. The first row has
    /// room however large it is, unless `rows` is 0.
    pub fn new(batch: &'b mut RowBatch, rows: usize, bytes: usize) -> Self {
        Self { batch, rows, bytes: bytes.max(1) }
    }

    /// The same, for no more than `rows` rows in all.
    #[must_use]
    pub(super) fn at_most(self, rows: usize) -> Self {
        Self { rows: self.rows.min(rows), ..self }
    }

    /// How many more rows there may be.
    #[inline]
    pub fn rows(&self) -> usize {
        if self.is_full() { 0 } else { self.rows - self.batch.len() }
    }

    /// Whether there is no room for another row.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.batch.len() >= self.rows || self.batch.bytes() >= self.bytes
    }

    /// Adds a row; returns whether there is room for another.
    #[inline]
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> bool {
        self.batch.push_within(key, value, self.bytes);
        !self.is_full()
    }

    /// The rows that are in the batch.
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
        /// What is taken is no more than the bound and the row that goes beyond it, and what is kept no more than the bound.
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
