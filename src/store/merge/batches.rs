//! The merge of batches of rows, without I/O.

use std::fmt;

use super::stages::{Settled, Stages};
use super::tree::Source;
use crate::store::error::Error;
use crate::store::{Room, RowBatch};

/// A k-way merge as a state machine: it asks for batches of rows and hands out rows. It does no I/O itself.
///
/// The sources are numbered from 0. [`step`](Self::step) finds the next row, or says which source it needs the next batch of.
/// The caller reads it into [`batch`](Self::batch) by whatever means, at once or later, and says so by
/// [`feed`](Self::feed). What comes out depends on what each source was fed, not on when. The machine can be dropped at any time.
/// [`MergedRows`](super::MergedRows) is this machine with blocking scans to feed it.
///
/// Order, errors and limits are as for the [module](super). If the sources are not sorted, the order of the rows means
/// nothing, but all of them come.
///
/// ```
/// use rowkey::merge::{BatchMerge, Step};
/// use rowkey::store::RowBatch;
/// # use rowkey::Error;
///
/// // Two buckets of a salted table: one byte of salt, then the key. Each will be fed one batch, then its end.
/// let mut buckets: [Vec<&[u8]>; 2] = [vec![b"\0a", b"\0c"], vec![b"\x01b"]];
/// let mut merge = BatchMerge::new(2).salt(1);
///
/// let mut keys = Vec::new();
/// loop {
///     match merge.step()? {
///         Step::Feed(source) => {
///             for batch in merge.batch(source) {
///                 buckets[source].drain(..).for_each(|key| batch.push(key, b"value"));
///             }
///             merge.feed(source, Ok(()));
///         }
///         Step::Row => keys.extend(merge.row().map(|(key, _value)| key[1])),
///         Step::Done => break,
///     }
/// }
/// assert_eq!(keys, b"abc");
/// # Ok::<(), Error>(())
/// ```
///
/// At the start every source is wanted at once, so an asynchronous driver polls them together:
///
/// ```
/// # use std::task::Poll;
/// # use rowkey::merge::{BatchMerge, Step};
/// # use rowkey::store::RowBatch;
/// # use rowkey::Error;
/// # fn poll_read(_source: usize, _batch: &mut RowBatch) -> Poll<Result<(), Error>> { Poll::Ready(Ok(())) }
/// /// Whether there is a row, for `merge.row()` to lend; `poll_read` reads the next batch of a source.
/// fn poll_row(merge: &mut BatchMerge, sources: usize) -> Poll<Result<bool, Error>> {
///     loop {
///         match merge.step()? {
///             Step::Row => return Poll::Ready(Ok(true)),
///             Step::Done => return Poll::Ready(Ok(false)),
///             Step::Feed(_) => {}
///         }
///         let mut is_fed = false;
///         for source in 0..sources {
///             let Some(batch) = merge.batch(source) else { continue };
///             if let Poll::Ready(read) = poll_read(source, batch) {
///                 merge.feed(source, read);
///                 is_fed = true;
///             }
///         }
///         if !is_fed {
///             return Poll::Pending;
///         }
///     }
/// }
/// # assert!(matches!(poll_row(&mut BatchMerge::new(3), 3), Poll::Ready(Ok(false))));
/// ```
pub struct BatchMerge {
    stages: Stages<Standing, Error>,
    /// The key of the row that came out last, once its source no longer stands on it.
    last: Vec<u8>,
    rows_read: u64,
}

/// What a [`BatchMerge`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This source has to be fed its next batch before the next row is known.
    Feed(usize),
    /// The next row: [`BatchMerge::row`] lends it. Of [`BatchMerge::fill`]: rows that are to be handed on.
    Row,
    /// There are no more rows.
    Done,
}

impl BatchMerge {
    /// Merges so many sources, forward, by their whole keys.
    ///
    /// Settings are made before the first step; what is set later has no defined effect.
    pub fn new(sources: usize) -> Self {
        let sources = std::iter::repeat_with(Standing::default).take(sources);
        Self { stages: Stages::new(sources.collect()), last: Vec::new(), rows_read: 0 }
    }

    /// Leaves the first `bytes` bytes of each key out of the comparison. A shorter key compares as the empty one.
    #[must_use]
    pub fn salt(mut self, bytes: usize) -> Self {
        self.stages.set_skip(bytes);
        self
    }

    /// Whether the sources are sorted from the last row to the first.
    #[must_use]
    pub fn reverse(mut self, reverse: bool) -> Self {
        self.stages.set_reverse(reverse);
        self
    }

    /// At most so many rows. It pays to have given the limit to each source too.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.stages.set_limit(limit.into());
        self
    }

    /// Finds the next row; the row before is given up. While a source is waited for, each call returns the same
    /// [`Step::Feed`].
    ///
    /// # Errors
    ///
    /// What a source was fed, after all rows that come before. It is returned once, then [`Step::Done`] for ever.
    #[inline]
    pub fn step(&mut self) -> Result<Step, Error> {
        if self.stages.take_next() { Ok(Step::Row) } else { self.step_at_an_end() }
    }

    #[cold]
    fn step_at_an_end(&mut self) -> Result<Step, Error> {
        match self.stages.take_at_an_end() {
            Settled::Row => Ok(Step::Row),
            settled => self.no_row(settled),
        }
    }

    /// Whether the next row is known to come from the same batch.
    #[inline]
    pub(super) fn is_in_run(&self) -> bool {
        self.stages.is_in_run()
    }

    /// As [`step`](Self::step) and [`row`](Self::row), where the next row [is known](Self::is_in_run).
    #[inline]
    pub(super) fn next_in_run(&mut self) -> Option<(&[u8], &[u8])> {
        let (source, stepped) = self.stages.next_in_run()?;
        source.batch.get(source.at + stepped)
    }

    /// A source has to be fed, or all is over.
    #[inline]
    fn no_row(&mut self, settled: Settled) -> Result<Step, Error> {
        if settled == Settled::Unfed {
            return Ok(Step::Feed(self.stages.hungry()));
        }
        self.note_last();
        match self.stages.winner() {
            Some(source) if settled == Settled::Hungry => {
                source.clear();
                Ok(Step::Feed(self.stages.hungry()))
            }
            _ => self.stages.outcome().map(|()| Step::Done),
        }
    }

    /// The winner still stands on the row that came out last, and is about to leave it.
    #[inline]
    fn note_last(&mut self) {
        if let Some(key) = self.stages.winner_and_stepped().and_then(Standing::key_after) {
            key.clone_into(&mut self.last);
        }
    }

    /// The row that the last [`step`](Self::step) found, key and value, lent from the batch it was fed in. `None` if the last
    /// step found none.
    #[inline]
    pub fn row(&self) -> Option<(&[u8], &[u8])> {
        let (source, stepped) = self.stages.taken()?;
        source.batch.get(source.at + stepped)
    }

    /// Finds the next rows and adds them to `batch`, until that has `rows` of them (at least one) or has reached `bytes` bytes:
    /// [`step`](Self::step) for many rows. [`Step::Row`] says that the batch is to be handed on. After [`Step::Feed`] the call is repeated with the same
    /// batch. If `batch` is empty, it can be exchanged for one that a source was fed, all of whose rows come next.
    ///
    /// # Errors
    ///
    /// As of [`step`](Self::step); the rows in `batch` are handed on before the error is returned.
    pub fn fill(&mut self, batch: &mut RowBatch, rows: usize, bytes: usize) -> Result<Step, Error> {
        let most = rows.max(1);
        while !Room::new(batch, most, bytes).is_full() {
            if self.stages.take_of_run() {
                self.push_row(batch, bytes);
                continue;
            }
            match self.stages.settle() {
                Settled::Row => {}
                Settled::End if !batch.is_empty() => {
                    self.note_last();
                    break;
                }
                settled => return self.no_row(settled),
            }
            if let Some(rows) = self.whole_batch(most, bytes) {
                if batch.is_empty()
                    && let Some(source) = self.stages.winner()
                {
                    std::mem::swap(batch, &mut source.batch);
                    self.stages.take_all(rows);
                }
                // The merge stands on no row of the batch any more.
                if let Some((key, _)) = batch.len().checked_sub(1).and_then(|last| batch.get(last)) {
                    key.clone_into(&mut self.last);
                }
                break;
            }
            self.stages.take();
            self.push_row(batch, bytes);
        }
        Ok(Step::Row)
    }

    #[inline]
    fn push_row(&self, batch: &mut RowBatch, bytes: usize) {
        if let Some((key, value)) = self.row() {
            Room::new(batch, usize::MAX, bytes).push(key, value);
        }
    }

    /// How many rows are in the batch of the next row, if they all come next and it pays to hand them over together.
    fn whole_batch(&self, most: usize, bytes: usize) -> Option<u64> {
        let source = self.stages.standing().filter(|source| source.at == 0)?;
        let rows = source.batch.len();
        let worth = if self.stages.is_only_one_left() { 1 } else { most.div_ceil(2) };
        let fits = (worth..=most).contains(&rows) && rows as u64 <= self.stages.left() && source.batch.is_within(bytes);
        (fits && self.stages.come_next(rows - 1)).then_some(rows as u64)
    }

    /// Whether a source has to be fed before the next row is known: at the start every source, later the one that
    /// [`Step::Feed`] names, none while there is a row. At the start they may be fed in any order.
    pub fn wants(&self, source: usize) -> bool {
        self.stages.wants(source)
    }

    /// The batch that a source's next rows are read into, if the source is [wanted](Self::wants). It is empty before the caller
    /// puts something into it, and keeps its memory. The caller may exchange it for another.
    pub fn batch(&mut self, source: usize) -> Option<&mut RowBatch> {
        if !self.wants(source) {
            return None;
        }
        self.stages.source_mut(source).map(|source| &mut source.batch)
    }

    /// A source's next rows are in its [`batch`](Self::batch), none at its end; or what reading them failed with.
    ///
    /// Does nothing if the source is not wanted: what was read may come after another source's error, or after the limit.
    pub fn feed(&mut self, source: usize, read: Result<(), Error>) {
        self.feed_by(source, |_| read);
    }

    /// As [`feed`](Self::feed) once `read` has filled the batch.
    #[inline]
    pub(super) fn feed_by(&mut self, source: usize, read: impl FnOnce(&mut RowBatch) -> Result<(), Error>) {
        if !self.wants(source) {
            return;
        }
        let mut rows = 0;
        self.stages.feed(source, |standing, heads| {
            let read = read(&mut standing.batch);
            if read.is_err() || standing.batch.is_empty() {
                *standing = Standing::default();
            }
            rows = standing.batch.len();
            read.map(|()| standing.key().map(|key| heads.of(key)))
        });
        self.rows_read += rows as u64;
    }

    /// The key of the row that came out last, empty before the first.
    pub fn last_key(&self) -> &[u8] {
        self.stages.taken().and_then(Standing::key_after).unwrap_or(&self.last)
    }

    /// How many rows it was fed so far, to be shown beside the rows returned.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }
}

impl fmt::Debug for BatchMerge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchMerge").field("rows_read", &self.rows_read).finish_non_exhaustive()
    }
}

/// What is in memory of a source, and the row of it that it stands on.
#[derive(Default)]
struct Standing {
    batch: RowBatch,
    at: usize,
}

impl Standing {
    #[inline]
    fn key_at(&self, row: usize) -> Option<&[u8]> {
        Some(self.batch.get(row)?.0)
    }

    fn key_after((source, stepped): (&Self, usize)) -> Option<&[u8]> {
        source.key_at(source.at + stepped)
    }

    fn clear(&mut self) {
        self.batch.clear();
        self.at = 0;
    }
}

impl Source for Standing {
    const LOOKS_AHEAD: bool = true;

    #[inline]
    fn skip(&mut self, rows: usize) {
        self.at += rows;
    }

    #[inline]
    fn advance<T>(&mut self, look: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let seen = self.next_key().map(look);
        self.at += usize::from(seen.is_some());
        seen
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
