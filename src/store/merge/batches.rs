//! The merge of batches of rows, without I/O.

use std::fmt;

use super::stages::{Settled, Stages, settings};
use super::tree::Source;
use crate::store::error::Error;
use crate::store::{Room, RowBatch};

/// A k-way merge as a state machine, without I/O: it says which source it needs a batch of, and returns rows in order.
///
/// Sources are numbered from 0. [`step`](Self::step) finds the next row, or names the source whose next batch it needs.
/// The caller reads that batch into [`batch`](Self::batch), now or later, and calls [`feed`](Self::feed). The output
/// depends on what each source was fed, not on when. The machine can be dropped at any time.
/// [`MergedRows`](super::MergedRows) is this machine fed by blocking scans.
///
/// Order, errors and limits are those of the [module](super).
///
/// ```
/// use rowkey::merge::{BatchMerge, Step};
/// use rowkey::store::RowBatch;
/// # use rowkey::Result;
///
/// // Two buckets of a salted table: one byte of salt, then the key. Each is fed one batch, then its end.
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
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// At the start all sources are wanted at once, so an asynchronous driver polls them together:
///
/// ```
/// # use std::task::Poll;
/// # use rowkey::merge::{BatchMerge, Step};
/// # use rowkey::store::RowBatch;
/// # use rowkey::Result;
/// # fn poll_read(_source: usize, _batch: &mut RowBatch) -> Poll<Result<()>> { Poll::Ready(Ok(())) }
/// /// Returns whether there is a row for `merge.row()` to lend. `poll_read` reads the next batch of a source.
/// fn poll_row(merge: &mut BatchMerge, sources: usize) -> Poll<Result<bool>> {
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
    pub(super) stages: Stages<Standing, Error>,
    /// The key of the last row, once its source has left it.
    last: Vec<u8>,
    rows_read: u64,
}

/// The result of a step of a [`BatchMerge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next row is not known until this source is fed its next batch.
    Feed(usize),
    /// The next row: [`BatchMerge::row`] lends it. From [`BatchMerge::fill`]: the batch is ready.
    Row,
    /// There are no more rows.
    Done,
}

impl BatchMerge {
    /// Merges this many sources, forward, by their whole keys.
    ///
    /// Change settings before the first step only.
    pub fn new(sources: usize) -> Self {
        let sources = std::iter::repeat_with(Standing::default).take(sources);
        Self { stages: Stages::new(sources.collect()), last: Vec::new(), rows_read: 0 }
    }

    settings!(stages);

    /// Finds the next row, and releases the row before it. While a source has not been fed, each call returns the same
    /// [`Step::Feed`].
    ///
    /// # Errors
    ///
    /// The error that a source was fed, after all rows that come before it. It is returned once, then always
    /// [`Step::Done`].
    #[inline]
    pub fn step(&mut self) -> Result<Step, Error> {
        if self.stages.take_next() { Ok(Step::Row) } else { self.step_at_an_end() }
    }

    #[cold]
    fn step_at_an_end(&mut self) -> Result<Step, Error> {
        if self.stages.has_places() {
            return self.step_to_a_place();
        }
        match self.stages.take_at_an_end() {
            Settled::Row => Ok(Step::Row),
            settled => self.no_row(settled),
        }
    }

    /// As [`step`](Self::step), while an error has its place among the rows.
    fn step_to_a_place(&mut self) -> Result<Step, Error> {
        self.note_taken();
        match self.stages.settle() {
            Settled::Row if self.stages.is_at_place() => self.stages.fail_at_place().map(|()| Step::Done),
            Settled::Row => {
                self.stages.take();
                Ok(Step::Row)
            }
            settled => self.no_row(settled),
        }
    }

    /// Returns whether the next row is known to come from the same batch.
    #[inline]
    pub(super) fn is_in_run(&self) -> bool {
        self.stages.is_in_run()
    }

    /// As [`step`](Self::step) and [`row`](Self::row), if the next row [is known](Self::is_in_run).
    #[inline]
    pub(super) fn next_in_run(&mut self) -> Option<(&[u8], &[u8])> {
        let (source, stepped) = self.stages.next_in_run()?;
        source.batch.get(source.at + stepped)
    }

    /// A source has to be fed, or the merge has ended.
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

    /// Copies the key of the last row while the winner still stands on it.
    #[inline]
    fn note_last(&mut self) {
        if let Some(key) = self.stages.winner_and_stepped().and_then(Standing::key_after) {
            key.clone_into(&mut self.last);
        }
    }

    /// Copies the key of the last row before the merge moves on, perhaps to the place of an error.
    fn note_taken(&mut self) {
        if let Some(key) = self.stages.taken().and_then(Standing::key_after) {
            key.clone_into(&mut self.last);
        }
    }

    /// The row that the last [`step`](Self::step) found, lent from its batch as key and value. `None` if it found none.
    #[inline]
    pub fn row(&self) -> Option<(&[u8], &[u8])> {
        let (source, stepped) = self.stages.taken()?;
        source.batch.get(source.at + stepped)
    }

    /// Adds the next rows to `batch` until it has `rows` rows (at least one) or has reached `bytes` bytes:
    /// [`step`](Self::step) for many rows. [`Step::Row`] means that the batch is ready. After [`Step::Feed`], feed the
    /// source and call again with the same batch. An empty `batch` may be swapped for a whole batch of a source, if all
    /// its rows come next.
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step). Return the rows in `batch` before the error.
    pub fn fill(&mut self, batch: &mut RowBatch, rows: usize, bytes: usize) -> Result<Step, Error> {
        let most = rows.max(1);
        while !Room::new(batch, most, bytes).is_full() {
            if self.stages.take_of_run() {
                self.push_row(batch, bytes);
                continue;
            }
            if self.stages.has_places() {
                self.note_taken();
            }
            match self.stages.settle() {
                Settled::Row if !self.stages.has_places() => {}
                Settled::Row if self.stages.is_at_place() => match batch.is_empty() {
                    true => return self.stages.fail_at_place().map(|()| Step::Done),
                    false => break,
                },
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
                // The merge no longer stands on a row of the batch.
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

    /// Number of rows in the batch of the next row, if all of them come next and it pays to return them together.
    fn whole_batch(&self, most: usize, bytes: usize) -> Option<u64> {
        let source = self.stages.standing().filter(|source| source.at == 0)?;
        let rows = source.batch.len();
        let worth = if self.stages.is_only_one_left() { 1 } else { most.div_ceil(2) };
        let fits = (worth..=most).contains(&rows) && rows as u64 <= self.stages.left() && source.batch.is_within(bytes);
        (fits && self.stages.come_next(rows - 1)).then_some(rows as u64)
    }

    /// Returns whether the next row is not known until this source is fed: at the start every source, in any order;
    /// later only the source that [`Step::Feed`] names.
    pub fn wants(&self, source: usize) -> bool {
        self.stages.wants(source)
    }

    /// The batch to read a source's next rows into, if the source is [wanted](Self::wants). It is empty and keeps its
    /// memory. The caller may swap it for another batch.
    pub fn batch(&mut self, source: usize) -> Option<&mut RowBatch> {
        if !self.wants(source) {
            return None;
        }
        self.stages.source_mut(source).map(|source| &mut source.batch)
    }

    /// Reports that a source's next rows are in its [`batch`](Self::batch) (an empty batch is the source's end), or the
    /// error of reading them.
    ///
    /// Has no effect if the source is not wanted: what was read may come after another source's error, or after the
    /// limit.
    pub fn feed(&mut self, source: usize, read: Result<(), Error>) {
        self.feed_by(source, |_| read);
    }

    /// As [`feed`](Self::feed), after `read` has filled the batch.
    #[inline]
    pub(super) fn feed_by(&mut self, source: usize, read: impl FnOnce(&mut RowBatch) -> Result<(), Error>) {
        if !self.wants(source) {
            return;
        }
        let (mut rows, mut placed) = (0, None);
        self.stages.feed(source, |standing, heads| {
            let read = read(&mut standing.batch);
            if read.is_err() || standing.batch.is_empty() {
                *standing = Standing::default();
            }
            rows = standing.batch.len();
            if let Err(error) = read {
                let Some(row) = error.row() else { return Err(error) };
                standing.batch.push(row, b"");
                placed = Some(error);
            }
            Ok(standing.key().map(|key| heads.of(key)))
        });
        self.rows_read += rows as u64;
        if let Some(error) = placed {
            self.stages.place(source, error);
        }
    }

    /// The key of the last row; empty before the first.
    pub fn last_key(&self) -> &[u8] {
        self.stages.taken().and_then(Standing::key_after).unwrap_or(&self.last)
    }

    /// Number of rows fed so far, to compare with the number of rows returned.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }
}

impl fmt::Debug for BatchMerge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchMerge").field("rows_read", &self.rows_read).finish_non_exhaustive()
    }
}

/// The current batch of a source, and the row of it that the source stands on.
#[derive(Default)]
pub(super) struct Standing {
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
        // A run is either short or goes beyond the batch.
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
