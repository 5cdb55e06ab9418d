//! The merge of open scans.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::prefetch::Prefetch;
use super::tree::{Source, Tree};
use crate::error::Error;
use crate::range::KeyRange;
use crate::store::{CallOptions, Room, RowBatch, Rows, Scan, Store};

/// A merge starts no more threads than this; the sources beyond it are read when they are needed.
const MAX_THREADS: usize = 256;

/// Batches that [`MergedRows::open`] reads ahead of each slow scan: one is read while another waits.
const AHEAD: usize = 2;

/// A k-way merge of open scans, itself an open scan.
///
/// Take it row by row with [`Self::next_row`], which lends each row from the batch it was read into, or batch by batch
/// as [`Rows`]; there a batch whose rows all come next (the only source left, a long run) is handed over whole.
///
/// It holds one batch a source, and of each that is read ahead as many more as that may be.
///
/// ```
/// use rowkey::merge::MergedRows;
/// use rowkey::store::{RowBatch, Rows};
/// # use rowkey::Error;
/// # struct Bucket(&'static [&'static [u8]]);
/// # impl Rows for Bucket {
/// #     fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
/// #         batch.clear();
/// #         std::mem::take(&mut self.0).iter().for_each(|key| batch.push(key, b""));
/// #         Ok(())
/// #     }
/// # }
///
/// // Two buckets of a salted table: one byte of salt, then the key.
/// let buckets: Vec<Box<dyn Rows>> = vec![Box::new(Bucket(&[b"\0a", b"\0c"])), Box::new(Bucket(&[b"\x01b"]))];
/// let mut merged = MergedRows::new(buckets).salt(1);
///
/// let mut keys = Vec::new();
/// while let Some((key, _value)) = merged.next_row()? {
///     keys.push(key[1]);
/// }
/// assert_eq!(keys, b"abc");
/// assert_eq!(merged.rows_read(), 3);
/// # Ok::<(), Error>(())
/// ```
pub struct MergedRows {
    tree: Tree<Standing, Error>,
    ahead: usize,
    batch_rows: usize,
    batch_bytes: usize,
    read: Arc<AtomicU64>,
    /// What bounds the wait for sources that are read ahead, and their table.
    options: CallOptions,
    table: Box<str>,
}

impl MergedRows {
    /// Merges `sources`, forward, by their whole keys.
    pub fn new(sources: impl IntoIterator<Item = Box<dyn Rows>>) -> Self {
        let read = Arc::new(AtomicU64::new(0));
        let sources = sources.into_iter().map(|rows| Standing {
            rows: Box::new(Counted { rows, read: Arc::clone(&read) }),
            batch: RowBatch::new(),
            at: 0,
        });
        let Scan { batch_rows, batch_bytes, .. } = Scan::all();
        let (options, table) = (CallOptions::new(), Box::default());
        Self { tree: Tree::new(sources.collect()), ahead: 0, batch_rows, batch_bytes, read, options, table }
    }

    /// Opens one scan a bucket and merges them, the first `salt` bytes of each key left out of the comparison.
    ///
    /// Direction, limit and batch size are `scan`'s, for each bucket and for the whole; the ranges are the bucket's, and
    /// those of `scan` are not read. Scans that the store calls slow are read ahead in threads.
    ///
    /// [`Scan::batch_bytes`] is divided among the batches that are held at once (one a bucket, two more of each that is read
    /// ahead, and the one that is handed out): so the whole merge holds about so many bytes, and a row for each batch.
    pub fn open(
        store: &(impl Store + ?Sized),
        scan: &Scan,
        buckets: impl IntoIterator<Item = Vec<KeyRange>>,
        salt: usize,
    ) -> Self {
        Self::open_with(|scan| store.scan(scan), store.guarantees().slow_scans, scan, buckets, salt)
            .options(store.options(), store.id().name())
    }

    /// The same of scans that `open` opens; they are read ahead if they are `slow`.
    pub fn open_with(
        open: impl Fn(&Scan) -> Box<dyn Rows>,
        slow: bool,
        scan: &Scan,
        buckets: impl IntoIterator<Item = Vec<KeyRange>>,
        salt: usize,
    ) -> Self {
        let buckets: Vec<_> = buckets.into_iter().collect();
        let ahead = if slow && buckets.len() > 1 { AHEAD } else { 0 };
        let template = Scan { ranges: Vec::new(), ..scan.clone() }.divided(buckets.len() * (1 + ahead) + 1);
        let scans = buckets.into_iter().map(|ranges| open(&Scan { ranges, ..template.clone() }));
        Self::new(scans)
            .salt(salt)
            .reverse(scan.reverse)
            .limit(scan.limit)
            .batch_rows(scan.batch_rows)
            .batch_bytes(template.batch_bytes)
            .prefetch(ahead)
    }

    /// Leaves the first `bytes` bytes of each key out of the comparison. A shorter key compares as the empty one.
    #[must_use]
    pub fn salt(mut self, bytes: usize) -> Self {
        self.tree.set_skip(bytes);
        self
    }

    /// Whether the sources are sorted from the last row to the first.
    #[must_use]
    pub fn reverse(mut self, reverse: bool) -> Self {
        self.tree.set_reverse(reverse);
        self
    }

    /// At most so many rows. It pays to have given it to each source too.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.tree.set_limit(limit.into());
        self
    }

    /// At most so many rows a batch, where the merge is read in batches; 256 unless told.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// A batch ends with the row by which it reaches so many bytes, where the merge is read in batches. What is held of the
    /// sources is theirs to bound. Default: that of [`Scan`].
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Reads each source so many batches ahead, in a thread of its own ([`Prefetch`]); 0, as it is unless told, reads
    /// them in the caller's thread. The threads start together when the first row is asked for. There are at most 256;
    /// sources beyond that are read as if this were 0.
    #[must_use]
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.ahead = batches;
        self
    }

    /// What bounds the wait for a source that is read ahead: the options of the store, and the table's name for errors.
    #[must_use]
    pub fn options(mut self, options: &CallOptions, table: &str) -> Self {
        if !options.is_unbounded() {
            (self.options, self.table) = (options.clone(), table.into());
        }
        self
    }

    /// How many rows were read from the sources so far, to be shown beside the rows returned: those read ahead of the
    /// merge are among them.
    pub fn rows_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// The next row, key and value, lent from the batch it was read into.
    ///
    /// After an error, or the end, it answers `None` for ever.
    #[inline]
    #[expect(clippy::type_complexity, reason = "a row is spelt as RowBatch spells it")]
    pub fn next_row(&mut self) -> Result<Option<(&[u8], &[u8])>, Error> {
        if self.tree.is_sure() {
            return Ok(self.tree.take_sure().and_then(|source| source.batch.get(source.at)));
        }
        if self.ahead > 0 {
            self.start_threads();
        }
        if !self.tree.settle() {
            return self.tree.outcome().map(|()| None);
        }
        Ok(self.tree.take().and_then(|source| source.batch.get(source.at)))
    }

    /// The key of the row that [`Self::next_row`] lent last, empty before the first.
    pub(crate) fn last_key(&self) -> &[u8] {
        self.tree.last()
    }

    /// All at once, so that the first batches are waited for together and not one after another.
    #[cold]
    fn start_threads(&mut self) {
        let ahead = std::mem::take(&mut self.ahead);
        for source in self.tree.unopened().iter_mut().take(MAX_THREADS) {
            let rows = std::mem::replace(&mut source.rows, Box::new(NoRows));
            source.rows = Box::new(Prefetch::new(rows, ahead).options(&self.options, &self.table));
        }
    }

    fn fill(&mut self, batch: &mut RowBatch) {
        while !Room::new(batch, self.batch_rows, self.batch_bytes).is_full() {
            let room = u64::try_from(self.batch_rows).unwrap_or(u64::MAX).min(self.tree.left());
            let worth = if self.tree.live() == 1 { 1 } else { self.batch_rows.div_ceil(2) };
            let Some(source) = self.tree.peek() else { return };
            let rows = source.batch.len();
            let fits =
                source.at == 0 && rows >= worth && rows as u64 <= room && source.batch.is_within(self.batch_bytes);
            if fits && self.tree.count_sure() + 1 == rows {
                if batch.is_empty()
                    && let Some(source) = self.tree.take_all(rows as u64)
                {
                    std::mem::swap(batch, &mut source.batch);
                }
                return;
            }
            if let Some((key, value)) = self.tree.take().and_then(|source| source.batch.get(source.at)) {
                Room::new(batch, self.batch_rows, self.batch_bytes).push(key, value);
            }
        }
    }
}

impl Rows for MergedRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        if self.ahead > 0 {
            self.start_threads();
        }
        self.fill(batch);
        if batch.is_empty() { self.tree.outcome() } else { Ok(()) }
    }
}

impl fmt::Debug for MergedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergedRows").field("rows_read", &self.rows_read()).finish_non_exhaustive()
    }
}

/// A source, and the row of its last batch that it stands on.
struct Standing {
    rows: Box<dyn Rows>,
    batch: RowBatch,
    at: usize,
}

impl Standing {
    #[inline]
    fn key_at(&self, row: usize) -> Option<&[u8]> {
        Some(self.batch.get(row)?.0)
    }

    #[cold]
    fn refill(&mut self, last: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(key) = self.batch.len().checked_sub(1).and_then(|row| self.key_at(row)) {
            last.clear();
            last.extend_from_slice(key);
        }
        self.at = 0;
        // The row that was lent is still in there, and must not be a key again if the read fails.
        self.batch.clear();
        self.rows.next_batch(&mut self.batch)
    }
}

impl Source for Standing {
    type Error = Error;

    const LOOKS_AHEAD: bool = true;

    #[inline]
    fn advance<T>(&mut self, last: &mut Vec<u8>, look: impl FnOnce(&[u8]) -> T) -> Result<Option<T>, Error> {
        self.at += 1;
        if self.at >= self.batch.len() {
            self.refill(last)?;
        }
        Ok(self.key().map(look))
    }

    #[inline]
    fn step(&mut self) {
        self.at += 1;
    }

    #[inline]
    fn key(&self) -> Option<&[u8]> {
        self.key_at(self.at)
    }

    #[inline]
    fn next_key(&self) -> Option<&[u8]> {
        self.key_at(self.at + 1)
    }

    fn count_ahead(&self, win: impl Fn(&[u8]) -> bool) -> usize {
        let wins = |row| self.key_at(row).is_some_and(&win);
        let (mut sure, mut end) = (self.at, self.batch.len());
        // A run is either over soon or goes beyond the batch.
        if end > 0 && wins(end - 1) {
            return end - 1 - sure;
        }
        while end - sure > 1 {
            let middle = sure + (end - sure) / 2;
            if wins(middle) { sure = middle } else { end = middle }
        }
        sure - self.at
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

/// Counts the rows that are read through it; wrapped around a store's scan, the rows that the store was asked for.
///
/// ```
/// use rowkey::merge::Counted;
/// use rowkey::store::{RowBatch, Rows};
/// # use rowkey::Error;
/// # struct Scan(Vec<&'static [u8]>);
/// # impl Rows for Scan {
/// #     fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
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
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Counted<R> {
    rows: R,
    read: Arc<AtomicU64>,
}

impl<R: Rows> Counted<R> {
    /// Counts what is read from `rows`.
    pub fn new(rows: R) -> Self {
        Self { rows, read: Arc::new(AtomicU64::new(0)) }
    }

    /// How many rows were read so far.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Batches of single-byte keys, then a failure.
    struct Failing(std::vec::IntoIter<Vec<u8>>);

    impl Rows for Failing {
        fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
            batch.clear();
            let keys = self.0.next().ok_or(Error::EmptyKey)?;
            keys.iter().for_each(|&key| batch.push(&[key], b"v"));
            Ok(())
        }
    }

    #[test]
    fn the_last_key_is_known_behind_every_row() {
        let well = || vec![vec![1, 2, 5, 6], vec![7], vec![]];
        let lasting = || vec![vec![3], vec![4, 8, 9]];
        for (sources, limit, keys) in [
            (vec![well()], None, 5),
            (vec![well(), well()], None, 10),
            (vec![well(), well()], Some(3), 3),
            (vec![well(), lasting()], None, 9),
            (vec![well(), lasting()], Some(7), 7),
            (vec![lasting(), well()], Some(0), 0),
            (vec![lasting(), vec![]], None, 0),
        ] {
            let sources = sources.into_iter().map(|batches| Box::new(Failing(batches.into_iter())) as Box<dyn Rows>);
            let mut merged = MergedRows::new(sources).limit(limit);
            let (mut last, mut lent) = (Vec::new(), 0);
            while let Ok(Some((key, _))) = merged.next_row() {
                last = key.to_vec();
                lent += 1;
                assert_eq!(merged.last_key(), last);
            }
            assert_eq!((merged.last_key(), lent), (last.as_slice(), keys));
            assert!(matches!(merged.next_row(), Ok(None)));
            assert_eq!(merged.last_key(), last);
        }
    }
}
