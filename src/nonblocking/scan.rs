//! Scans of a table as streams.
//!
//! A [`Plan`](crate::table::plan) says which ranges are read, a [`Progress`] which rows are returned, as in a
//! [`TableScan`](crate::TableScan). [`TableStream`] feeds the merge between them from the engine's streams.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::stream::Stream;

use super::feed::Feed;
use super::{AsyncStore, AsyncWideStore};
use crate::keys::cursor::Cursor;
use crate::keys::key::{OwnedKey, RowKey};
use crate::store::Scan;
use crate::store::error::Error;
use crate::store::merge::BatchMerge;
use crate::store::value::RowValue;
use crate::table::plan::Plan;
use crate::table::progress::Progress;
use crate::table::setup::{Setup, scan_settings};
use crate::table::source::{self, Run};
use crate::table::{Page, stored_key, stored_row};

/// A scan of an [`AsyncTable`](super::AsyncTable) or [`AsyncWideTable`](super::AsyncWideTable): set its options, then
/// poll it.
///
/// It is a [`Stream`], and [`next`](Self::next) reads it without a crate of combinators. It opens when it is first
/// polled; an error of opening is its first item. After an error it ends. It owns its data, so it can move to another
/// task. When it is dropped, the engine's scans end.
///
/// No row is passed over. If the codec of a key or a value panics, and the program catches that, the next item is
/// [`Error::Value`] with the row's key, and then the stream has ended. Its [`cursor`](Self::cursor) is after that row,
/// as it is after a row that does not decode.
///
/// The buckets of a salted key are read at the same time. Of each the stream holds one batch, and the engine or the
/// stream reads as many bytes ahead: together [`batch_bytes`](Self::batch_bytes), plus 2 rows a bucket. A client of a
/// server may read more ahead in its connection, and says how much.
///
/// ```
/// use rowkey::nonblocking::{AsyncTable, Unblock};
/// use rowkey::{Memory, RowKey};
/// # futures_lite::future::block_on(async {
///
/// #[derive(RowKey, Debug, PartialEq)]
/// #[rowkey(salt(buckets = 4))]
/// struct Visit {
///     #[rowkey(desc)]
///     at: u32,
/// }
///
/// let visits: AsyncTable<Visit, String, _> = AsyncTable::open(Unblock::new(Memory::new()), "visits").await?;
/// for at in 0..10 {
///     visits.put(&Visit { at }, &format!("/{at}")).await?;
/// }
/// let mut newest = visits.scan(Visit::prefix().at_range(..8)).limit(3);
/// let mut pages = Vec::new();
/// while let Some(row) = newest.next().await {
///     pages.push(row?.1);
/// }
/// assert_eq!(pages, ["/7", "/6", "/5"]);
/// # Ok::<(), rowkey::Error>(()) }).unwrap();
/// ```
#[must_use = "a scan reads nothing before it is polled"]
pub struct TableStream<K, V> {
    setup: Setup<K>,
    source: Source,
    run: Run<Feed>,
    value: PhantomData<fn() -> V>,
}

/// The store to scan.
pub(super) type Source = source::Source<dyn AsyncStore, dyn AsyncWideStore>;

impl<K: RowKey, V> TableStream<K, V> {
    pub(super) fn new(setup: Setup<K>, source: Source) -> Self {
        Self { setup, source, run: Run::Unopened, value: PhantomData }
    }

    scan_settings!();

    /// Returns the keys alone. Values are not decoded.
    pub fn keys(self) -> KeyStream<K> {
        let Self { setup, source, run, value: _ } = self;
        KeyStream(TableStream { setup, source, run, value: PhantomData })
    }

    /// Returns the number of rows read from the engine so far. It can be more than the number returned.
    pub fn rows_read(&self) -> u64 {
        self.run.feed().map_or(0, Feed::rows_read)
    }

    /// Returns the number of rows returned so far.
    pub fn rows_returned(&self) -> u64 {
        self.run.returned()
    }

    /// Returns the cursor after the last row returned, or `None` before the first.
    pub fn cursor(&self) -> Option<Cursor> {
        self.run.cursor(K::LAYOUT.fingerprint())
    }

    /// Returns the next row. Key and value borrow from the batch that they were read into: nothing is copied.
    ///
    /// A future that is dropped loses no row.
    #[doc(alias = "lend")]
    pub async fn next_row(&mut self) -> Result<Option<(K::Ref<'_>, &[u8])>, Error> {
        match poll_fn(|context| self.poll_row(context)).await? {
            true => self.row(|table, key, value| Ok((stored_key::<K>(table, key)?, value))),
            false => Ok(None),
        }
    }

    /// The scan, not open yet, as one call for all its batches: they share one deadline.
    pub(super) fn in_one_call(mut self) -> Self {
        self.source = self.source.in_one_call();
        self
    }

    /// Finds the next row. `false` at the end.
    #[inline]
    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, Error>> {
        if matches!(self.run, Run::Unopened) {
            self.open()?;
        }
        let Self { setup, run: Run::Open(progress, feed), .. } = self else { return Poll::Ready(Ok(false)) };
        feed.poll_row(context, progress).map_err(|error| error.of_key(&setup.table, &[]))
    }

    /// Returns the result of `read` for the row that was found.
    #[inline]
    fn row<'s, T>(
        &'s mut self,
        read: impl FnOnce(&'s str, &'s [u8], &'s [u8]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Self { setup: Setup { table, .. }, run: Run::Open(progress, _), .. } = self else { return Ok(None) };
        progress.read(|key, value| read(table, key, value)).map_err(|error| error.of_key(table, &[]))
    }

    #[inline]
    fn poll_with<T>(
        &mut self,
        context: &mut Context<'_>,
        read: impl FnOnce(&str, &[u8], &[u8]) -> Result<T, Error>,
    ) -> Poll<Option<Result<T, Error>>> {
        if matches!(self.run, Run::Unopened) {
            self.open()?;
        }
        let Self { setup: Setup { table, .. }, run: Run::Open(progress, feed), .. } = self else {
            return Poll::Ready(None);
        };
        let found = match ready!(feed.poll_row(context, progress)) {
            Ok(true) => progress.read(|key, value| read(table, key, value)),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        };
        Poll::Ready(found.map_err(|error| error.of_key(table, &[])).transpose())
    }

    #[cold]
    fn open(&mut self) -> Result<(), Error> {
        self.run = Run::Failed;
        let (Plan { buckets, salt }, scan) = self.setup.plan()?;
        let template = Scan { ranges: Vec::new(), ..scan.clone() }.divided(2 * buckets.len());
        let merge = BatchMerge::new(buckets.len()).salt(salt).reverse(scan.reverse).limit(scan.limit);
        let scans = buckets.into_iter().map(|ranges| Scan { ranges, ..template.clone() });
        let feed = match &self.source {
            Source::Plain(store) => Feed::new(scans.map(|scan| store.scan(&scan)), store.guarantees().slow_scans),
            Source::Wide(store, columns) => {
                Feed::new(scans.map(|scan| store.scan(&scan, columns)), store.guarantees().slow_scans)
            }
        };
        self.run = Run::Open(self.setup.progress(merge, self.source.in_pieces()), feed);
        Ok(())
    }

    fn progress(&mut self) -> Result<Option<&mut Progress>, Error> {
        if matches!(self.run, Run::Unopened) {
            self.open()?;
        }
        Ok(self.run.progress())
    }
}

impl<K: OwnedKey, V: RowValue> TableStream<K, V> {
    /// Returns the next row, `None` at the end. A future that is dropped loses no row.
    pub async fn next(&mut self) -> Option<Result<(K, V), Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns all rows that are left.
    #[doc(alias = "collect")]
    pub async fn rows(mut self) -> Result<Vec<(K, V)>, Error> {
        let mut rows = Vec::new();
        while let Some(row) = self.next().await {
            rows.push(row?);
        }
        Ok(rows)
    }

    /// Returns up to `rows` rows and, if there are more, the cursor to the next page, as
    /// [`TableScan::page`](crate::TableScan::page).
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::nonblocking::{AsyncTable, Unblock};
    /// # futures_lite::future::block_on(async {
    ///
    /// let names: AsyncTable<u32, String, _> = AsyncTable::open(Unblock::new(Memory::new()), "names").await?;
    /// for n in 0..5 {
    ///     names.put(&n, &n.to_string()).await?;
    /// }
    /// let (mut pages, mut cursor) = (Vec::new(), None);
    /// loop {
    ///     let page = names.scan(..).after(cursor).page(2).await?;
    ///     pages.push(page.rows.len());
    ///     cursor = page.next;
    ///     if cursor.is_none() {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(pages, [2, 2, 1]);
    /// # Ok::<(), rowkey::Error>(()) }).unwrap();
    /// ```
    #[doc(alias = "pagination")]
    pub async fn page(self, rows: usize) -> Result<Page<K, V>, Error> {
        let rows = u64::try_from(rows.max(1)).unwrap_or(u64::MAX);
        // The row after the page tells whether there is a next page.
        let mut scan = self.limit(rows.saturating_add(1)).in_one_call();
        if let Some(progress) = scan.progress()? {
            progress.page(rows);
        }
        let mut rows = Vec::new();
        while let Some(row) = scan.next().await.transpose()? {
            rows.push(row);
        }
        let more = scan.progress()?.is_some_and(|progress| progress.has_more());
        Ok(Page { rows, next: scan.cursor().filter(|_| more), rows_read: scan.rows_read() })
    }
}

impl<K: OwnedKey, V: RowValue> Stream for TableStream<K, V> {
    type Item = Result<(K, V), Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_with(context, stored_row)
    }
}

impl<K, V> std::fmt::Debug for TableStream<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Setup { table, scan, .. } = &self.setup;
        f.debug_struct("TableStream").field("table", table).field("scan", scan).finish_non_exhaustive()
    }
}

/// A stream of the keys of a scan.
#[must_use = "a scan reads nothing before it is polled"]
#[derive(Debug)]
pub struct KeyStream<K>(TableStream<K, ()>);

impl<K: OwnedKey> KeyStream<K> {
    /// Returns the next key, `None` at the end. A future that is dropped loses no key.
    pub async fn next(&mut self) -> Option<Result<K, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns all keys that are left.
    #[doc(alias = "collect")]
    pub async fn all(mut self) -> Result<Vec<K>, Error> {
        let mut keys = Vec::new();
        while let Some(key) = self.next().await {
            keys.push(key?);
        }
        Ok(keys)
    }
}

impl<K: RowKey> KeyStream<K> {
    /// Returns the number of rows read from the engine so far.
    pub fn rows_read(&self) -> u64 {
        self.0.rows_read()
    }

    /// Returns the cursor after the last key returned, or `None` before the first.
    pub fn cursor(&self) -> Option<Cursor> {
        self.0.cursor()
    }
}

impl<K: OwnedKey> Stream for KeyStream<K> {
    type Item = Result<K, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().0.poll_with(context, |table, key, _| stored_key::<K>(table, key))
    }
}
