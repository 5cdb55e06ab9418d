//! One sorted stream of rows out of many: what puts the buckets of a salted table back into one order.
//!
//! [`Merge`] is an iterator over iterators of owned rows. [`BatchMerge`] merges batches of rows that its caller feeds it: it
//! does no I/O, so a driver may be blocking or asynchronous. [`MergedRows`] feeds one from the open scans of a store. The
//! last two lend each row from the batch it arrived in. All run on one core and keep the same promises:
//!
//! - **Order.** The sources are sorted, all in one direction; the first bytes, which hold the salt, are left out of the
//!   comparison. Of equal keys the row of the earlier source comes first, forward and in reverse. (If a source is not
//!   sorted, its rows still come, but the order means nothing.)
//! - **Errors.** A row is handed out before its source is asked for another, so no row is lost to a source that fails
//!   later: every row that comes before the failing read is handed out, then the error, once, then the end for ever.
//! - **Laziness.** Nothing is read before the first row is asked for. Then every source is read once, in their order; a
//!   scan that could not be opened says so as the first item. Later one source at a time is read, when its rows have been
//!   handed out and the next row is asked for.
//! - **Limits.** No source is read once the limit is reached. A source cannot know that, so whoever opens the scans
//!   gives each of them the same limit, as [`MergedRows::open`] does.
//!
//! [`Prefetch`] reads one source ahead in a thread; [`Counted`] counts the rows that were read.

mod batches;
mod order;
mod prefetch;
mod rows;
mod scans;
mod stages;
mod tree;

use std::fmt;
use std::iter::FusedIterator;

pub use self::batches::{BatchMerge, Step};
use self::order::Heads;
pub use self::prefetch::Prefetch;
pub use self::rows::{Counted, MergedRows};
pub(crate) use self::scans::Scans;
use self::stages::{Settled, Stages};
use self::tree::Source;

/// A row that knows its key.
///
/// Pairs of key and value are rows, and keys alone are.
///
/// ```
/// use rowkey::merge::Keyed;
///
/// struct Line {
///     key: Vec<u8>,
///     number: usize,
/// }
///
/// impl Keyed for Line {
///     fn key(&self) -> &[u8] {
///         &self.key
///     }
/// }
/// # assert_eq!(Line { key: vec![1], number: 1 }.key(), [1]);
/// ```
pub trait Keyed {
    /// The bytes that rows are sorted by.
    fn key(&self) -> &[u8];
}

impl<K: AsRef<[u8]>, V> Keyed for (K, V) {
    fn key(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl Keyed for Vec<u8> {
    fn key(&self) -> &[u8] {
        self
    }
}

impl Keyed for &[u8] {
    fn key(&self) -> &[u8] {
        self
    }
}

/// A k-way merge of sorted iterators that can fail.
///
/// ```
/// use std::convert::Infallible;
///
/// use rowkey::merge::Merge;
///
/// // Two buckets of a salted table: one byte of salt, then the key.
/// let buckets: [Vec<Result<(&[u8], u32), Infallible>>; 2] =
///     [vec![Ok((b"\0a", 1)), Ok((b"\0d", 4))], vec![Ok((b"\x01b", 2)), Ok((b"\x01c", 3))]];
///
/// let rows: Result<Vec<_>, _> = Merge::new(buckets).salt(1).map(|row| row.map(|(_, value)| value)).collect();
/// assert_eq!(rows, Ok(vec![1, 2, 3, 4]));
/// ```
pub struct Merge<I: Iterator> {
    stages: Stages<Iter<I>, I::Item>,
}

impl<I, T, E> Merge<I>
where
    I: Iterator<Item = Result<T, E>>,
    T: Keyed,
{
    /// Merges `sources`, forward, by their whole keys.
    ///
    /// What is set after the first row was asked for has no meaning.
    pub fn new<J: IntoIterator<IntoIter = I>>(sources: impl IntoIterator<Item = J>) -> Self {
        let sources = sources.into_iter().map(|source| Iter { iter: Some(source.into_iter()), row: None });
        Self { stages: Stages::new(sources.collect()) }
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

    /// At most so many rows. Unlike behind `take`, the sources are dropped when the end is answered.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.stages.set_limit(limit.into());
        self
    }
}

impl<I, T, E> Iterator for Merge<I>
where
    I: Iterator<Item = Result<T, E>>,
    T: Keyed,
{
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let mut settled = self.stages.settle();
        loop {
            match settled {
                Settled::Row => {
                    self.stages.take();
                    return self.stages.winner()?.row.take();
                }
                Settled::Hungry | Settled::Unfed => settled = self.stages.feed(self.stages.hungry(), Iter::pull),
                Settled::End => return self.stages.outcome().err(),
            }
        }
    }
}

impl<I, T, E> FusedIterator for Merge<I>
where
    I: Iterator<Item = Result<T, E>>,
    T: Keyed,
{
}

impl<I: Iterator> fmt::Debug for Merge<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merge").finish_non_exhaustive()
    }
}

/// An iterator, until its end, and the row it stands on, kept as the iterator gave it: a row is moved in once and out once.
struct Iter<I: Iterator> {
    iter: Option<I>,
    row: Option<I::Item>,
}

impl<I: Iterator<Item: Fallible>> Iter<I> {
    /// Moves to the next row. A source's error is the item that holds it.
    #[inline]
    fn pull(&mut self, heads: Heads<'_>) -> Result<Option<u64>, I::Item> {
        // The key is looked at before the row is moved, or it would wait for that.
        let row = self.iter.as_mut().and_then(Iterator::next);
        let head = row.as_ref().and_then(|row| row.key().map(|key| heads.of(key)));
        self.row = row;
        if head.is_some() { Ok(head) } else { self.end() }
    }

    #[cold]
    fn end(&mut self) -> Result<Option<u64>, I::Item> {
        self.iter = None;
        self.row.take().map_or(Ok(None), Err)
    }
}

impl<I: Iterator<Item: Fallible>> Source for Iter<I> {
    const LOOKS_AHEAD: bool = false;

    #[inline]
    fn key(&self) -> Option<&[u8]> {
        self.row.as_ref()?.key()
    }
}

/// A `Result` by another name: where `I::Item` is spelt out as one, its row does not outlive what is borrowed from it.
trait Fallible {
    fn key(&self) -> Option<&[u8]>;
}

impl<T: Keyed, E> Fallible for Result<T, E> {
    #[inline]
    fn key(&self) -> Option<&[u8]> {
        self.as_ref().ok().map(T::key)
    }
}
