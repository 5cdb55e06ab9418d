//! The merge of iterators.

use std::fmt;
use std::iter::FusedIterator;

use super::order::Heads;
use super::stages::{Settled, Stages, settings};
use super::tree::Source;

/// An item of a [`Merge`], which has a key. Implemented for keys and for pairs of key and value.
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

/// A k-way merge of sorted iterators whose items are `Result`s.
///
/// It is for items that are not rows of a batch; for scans of a store, [`MergedRows`](super::MergedRows) is faster.
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
    /// Change settings before the first item only. The sources are dropped when the end is returned.
    pub fn new<J: IntoIterator<IntoIter = I>>(sources: impl IntoIterator<Item = J>) -> Self {
        let sources = sources.into_iter().map(|source| Iter { iter: Some(source.into_iter()), row: None });
        Self { stages: Stages::new(sources.collect()) }
    }

    settings!(stages);
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

/// An iterator, until its end, and its current item as the iterator returned it: an item is moved in once and out once.
struct Iter<I: Iterator> {
    iter: Option<I>,
    row: Option<I::Item>,
}

impl<I: Iterator<Item: Fallible>> Iter<I> {
    /// Moves to the next item. On an error it returns the item that holds the error.
    #[inline]
    fn pull(&mut self, heads: Heads<'_>) -> Result<Option<u64>, I::Item> {
        // The head is computed before the row is moved, so that it does not wait for the move.
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

/// A `Result`, seen through a trait: with `Item = Result<T, E>` in the bounds of [`Iter`], the compiler can't prove
/// that `T` outlives a borrow of the item.
trait Fallible {
    fn key(&self) -> Option<&[u8]>;
}

impl<T: Keyed, E> Fallible for Result<T, E> {
    #[inline]
    fn key(&self) -> Option<&[u8]> {
        self.as_ref().ok().map(T::key)
    }
}
