//! Scans of a table: rows typed, buckets merged, pages by cursor.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::cursor::{Cursor, IntoCursor};
use crate::error::{CursorError, Error};
use crate::fingerprint::Fingerprint;
use crate::jobs::ParallelScan;
use crate::key::{OwnedKey, RowKey, stored};
use crate::merge::MergedRows;
use crate::prefix::{Select, Selection};
use crate::range::KeyRange;
use crate::splits::Splits;
use crate::store::options::Within;
use crate::store::{RowBatch, Scan, Store};
use crate::value::{RowValue, decoded};
use crate::wide::{Columns, WideStore};

/// A scan of a table: how far and which way is said of it first, then it is an iterator.
///
/// Rows whose keys borrow are lent one by one and are no iterator: of these a `for` is refused as "one type is more general than the
/// other". Write `while let Some((key, value)) = scan.next_row()?` ([`next_row`](Self::next_row)).
///
/// It is opened by the first row asked for; an error of opening is its first item. After an error it has ended. It
/// owns what it needs, so it can move to another thread.
#[must_use = "a scan reads nothing before it is iterated"]
pub struct TableScan<K, V> {
    table: Arc<str>,
    /// The fingerprints that the table's keys had before they got more variants: cursors from then go on.
    earlier: Arc<[Fingerprint]>,
    source: Source,
    selection: Selection<K>,
    scan: Scan,
    offset: u64,
    start: Start<K>,
    progress: Progress,
    value: PhantomData<fn() -> V>,
}

/// What is scanned.
#[derive(Clone)]
pub(super) enum Source {
    Plain(Arc<dyn Store>),
    Wide(Arc<dyn WideStore>, Box<Columns>),
}

impl Source {
    fn open(&self, scan: &Scan, buckets: Vec<Vec<KeyRange>>, salt: usize) -> MergedRows {
        match self {
            Self::Plain(store) => MergedRows::open(&**store, scan, buckets, salt),
            Self::Wide(store, columns) => {
                let slow = store.guarantees().slow_scans;
                let rows = MergedRows::open_with(|scan| store.scan(scan, columns), slow, scan, buckets, salt);
                let rows = rows.options(store.options(), store.id().name());
                // A limit is one of rows, not of their pieces; `Progress` sees to it.
                if columns.piece.is_some() { rows.limit(None) } else { rows }
            }
        }
    }

    fn in_one_call(self) -> Self {
        match self {
            Self::Plain(store) => match Within::one_call(&*store) {
                Within::As(_) => Self::Plain(store),
                Within::Made(store) => Self::Plain(store),
            },
            Self::Wide(store, columns) => match Within::one_call(&*store) {
                Within::As(_) => Self::Wide(store, columns),
                Within::Made(store) => Self::Wide(store, columns),
            },
        }
    }

    fn in_pieces(&self) -> bool {
        matches!(self, Self::Wide(_, columns) if columns.piece.is_some())
    }
}

/// How far a scan is.
#[derive(Default)]
struct Progress {
    rows: Option<MergedRows>,
    /// Of rows that come in pieces.
    pieces: Option<Pieces>,
    /// The first piece behind those that were left out.
    first: Option<(Vec<u8>, Vec<u8>)>,
    /// What was lent last, if it was that.
    lent: (Vec<u8>, Vec<u8>),
    returned: u64,
    failed: bool,
}

/// Which rows may still come, where they come in pieces.
struct Pieces {
    /// How many more there may be.
    left: u64,
    /// The key of the last.
    last: Vec<u8>,
    /// Whether there was another that may not come.
    more: bool,
}

impl Progress {
    /// The next row, read by `read`; nothing after an error.
    fn next<'s, T>(
        &'s mut self,
        read: impl FnOnce(&'s [u8], &'s [u8]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Self { rows: Some(rows), pieces, first, lent, returned, failed } = self else { return Ok(None) };
        if *failed {
            return Ok(None);
        }
        let row = match first {
            None => rows.next_row()?,
            Some(row) => {
                *lent = std::mem::take(row);
                *first = None;
                Some((lent.0.as_slice(), lent.1.as_slice()))
            }
        };
        let Some((key, value)) = row else { return Ok(None) };
        if let Some(pieces) = pieces.as_mut().filter(|pieces| pieces.last != key) {
            if pieces.left == 0 {
                pieces.more = true;
                *failed = true;
                return Ok(None);
            }
            pieces.left -= 1;
            key.clone_into(&mut pieces.last);
        }
        *returned += 1;
        let row = read(key, value);
        *failed = row.is_err();
        row.map(Some)
    }

    /// Leaves out so many rows.
    fn pass(&mut self, mut rows_left: u64) -> Result<(), Error> {
        let Some(rows) = self.rows.as_mut() else { return Ok(()) };
        let mut last: Option<Vec<u8>> = None;
        while rows_left > 0 || last.is_some() {
            let Some((key, value)) = rows.next_row()? else { return Ok(()) };
            if self.pieces.is_none() {
                rows_left -= 1;
            } else if last.as_deref() != Some(key) {
                if rows_left == 0 {
                    self.first = Some((key.to_vec(), value.to_vec()));
                    return Ok(());
                }
                rows_left -= 1;
                last = Some(key.to_vec());
            }
        }
        Ok(())
    }
}

/// Where in its ranges a scan starts.
enum Start<K> {
    First,
    /// Behind a cursor, which must stand in the ranges.
    Cursor(Cursor),
    /// At a key's bytes behind salt or digest (in front of which nothing is skipped), or behind it.
    Key {
        key: Vec<u8>,
        itself: bool,
    },
    /// Behind all that is selected.
    Selection(Selection<K>),
    /// At these bytes behind the salt, or in front of them in a reverse scan; there is nothing behind `None`.
    Bound(Option<Vec<u8>>),
}

impl<K: RowKey, V> TableScan<K, V> {
    pub(super) fn new(table: Arc<str>, earlier: Arc<[Fingerprint]>, source: Source, selection: Selection<K>) -> Self {
        Self {
            table,
            earlier,
            source,
            selection,
            scan: Scan::new(Vec::new()),
            offset: 0,
            start: Start::First,
            progress: Progress::default(),
            value: PhantomData,
        }
    }

    /// From the last row to the first.
    pub fn reverse(mut self) -> Self {
        self.scan.reverse = true;
        self
    }

    /// At most so many rows. The store knows it and reads no more, unlike `take` behind the scan; of a salted key each bucket
    /// is asked for so many.
    pub fn limit(mut self, rows: u64) -> Self {
        self.scan.limit = Some(self.scan.limit.map_or(rows, |limit| limit.min(rows)));
        self
    }

    /// Leaves out so many rows, behind the cursor or key that it goes on from. They are read, so to page by a
    /// [cursor](Self::after) costs less.
    ///
    /// ```
    /// use rowkey::{Memory, Table};
    ///
    /// let names: Table<u8, (), _> = Table::open(Memory::new(), "names")?;
    /// (0..9).try_for_each(|n| names.put(&n, &()))?;
    /// let third_page: Result<Vec<u8>, _> = names.scan(..).reverse().offset(6).limit(3).keys().collect();
    /// assert_eq!(third_page?, [2, 1, 0]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn offset(mut self, rows: u64) -> Self {
        self.offset = rows;
        self
    }

    /// At most so many rows a batch from the store: what is held in memory is buckets × this.
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.scan = self.scan.batch_rows(rows);
        self
    }

    /// Goes on behind a cursor, in the scan's own direction; `None` starts at the beginning.
    ///
    /// A cursor of another layout, one whose key is none, and one that stands outside the scan's ranges are refused: the
    /// first item is [`Error::Cursor`].
    pub fn after(mut self, cursor: impl IntoCursor) -> Self {
        self.start = cursor.into_cursor().map_or(Start::First, Start::Cursor);
        self
    }

    /// Goes on behind a key, whether it is there or not, in the scan's own direction.
    pub fn after_key(mut self, key: &K::Ref<'_>) -> Self {
        self.start = Start::Key { key: key.encode(), itself: false };
        self
    }

    /// Goes on behind every key that begins with some fields: "rows after (a, b)".
    ///
    /// ```
    /// use rowkey::{Memory, Table, prefix::tuple_prefix};
    ///
    /// let scores: Table<(u8, u8, u8), (), _> = Table::open(Memory::new(), "scores")?;
    /// for key in [(1, 1, 1), (1, 2, 1), (1, 2, 9), (1, 3, 0), (2, 0, 0)] {
    ///     scores.put(&key, &())?;
    /// }
    /// let after = scores.scan(tuple_prefix()._0(1)).after_prefix(tuple_prefix()._0(1)._1(2)).keys();
    /// assert_eq!(after.collect::<Result<Vec<_>, _>>()?, [(1, 3, 0)]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn after_prefix(mut self, prefix: impl Select<K>) -> Self {
        self.start = Start::Selection(prefix.select());
        self
    }

    /// Starts at a key, itself included if it is there.
    pub fn from_key(mut self, key: &K::Ref<'_>) -> Self {
        self.start = Start::Key { key: key.encode(), itself: true };
        self
    }

    /// The keys alone; values are not decoded.
    pub fn keys(self) -> Keys<K> {
        let Self { table, earlier, source, selection, scan, offset, start, progress, value: _ } = self;
        Keys(TableScan { table, earlier, source, selection, scan, offset, start, progress, value: PhantomData })
    }

    /// How many rows were read from the store so far, to be shown beside the rows returned.
    pub fn rows_read(&self) -> u64 {
        self.progress.rows.as_ref().map_or(0, MergedRows::rows_read)
    }

    /// How many rows were returned so far.
    pub fn rows_returned(&self) -> u64 {
        self.progress.returned
    }

    /// The cursor behind the last row returned; none before the first.
    pub fn cursor(&self) -> Option<Cursor> {
        let Progress { rows, pieces, returned, .. } = &self.progress;
        let rows = rows.as_ref().filter(|_| *returned > 0)?;
        // Of rows in pieces, one more than may come can have been read.
        let last = pieces.as_ref().map_or(rows.last_key(), |pieces| &pieces.last);
        Some(Cursor::new(K::LAYOUT.fingerprint(), last))
    }

    /// The next row, its key and value lent from the batch that they were read into: nothing is copied.
    ///
    /// ```
    /// use std::borrow::Cow;
    ///
    /// use rowkey::{Memory, RowKey, Table};
    ///
    /// #[derive(RowKey)]
    /// struct Page<'a> {
    ///     host: Cow<'a, str>,
    ///     path: Cow<'a, str>,
    /// }
    ///
    /// let pages: Table<Page<'static>, Vec<u8>, _> = Table::open(Memory::new(), "pages")?;
    /// let host = String::from("apache.org");
    /// pages.put(&Page { host: host.as_str().into(), path: "/".into() }, &b"<html>".to_vec())?;
    /// let mut scan = pages.scan(Page::prefix().host("apache.org"));
    /// while let Some((page, html)) = scan.next_row()? {
    ///     assert!(matches!(page.path, Cow::Borrowed("/")) && html == b"<html>");
    /// }
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "a row is spelt as its key and its value")]
    pub fn next_row(&mut self) -> Result<Option<(K::Ref<'_>, &[u8])>, Error> {
        self.open()?;
        let table = &self.table;
        let next = self.progress.next(|key, value| Ok((stored::<K>(table, key)?, value)));
        next.map_err(|error| error.of_key(table, &[]))
    }

    /// The scan as one call, whatever number of batches it reads; one that is not open yet.
    pub(crate) fn in_one_call(mut self) -> Self {
        self.source = self.source.in_one_call();
        self
    }

    /// Opens the scan, once.
    #[inline]
    fn open(&mut self) -> Result<(), Error> {
        if self.progress.rows.is_some() || self.progress.failed { Ok(()) } else { self.open_now() }
    }

    #[cold]
    fn open_now(&mut self) -> Result<(), Error> {
        let buckets = self.buckets().inspect_err(|_| self.progress.failed = true)?;
        let salt = salt_width::<K>();
        let limit = self.scan.limit;
        let scan = self.scan.clone().limit(limit.map(|limit| limit.saturating_add(self.offset)));
        self.progress.rows = Some(self.source.open(&scan, buckets, salt));
        let left = limit.unwrap_or(u64::MAX);
        self.progress.pieces = self.source.in_pieces().then(|| Pieces { left, last: Vec::new(), more: false });
        self.progress.pass(self.offset).inspect_err(|_| self.progress.failed = true)?;
        Ok(())
    }

    /// The scan without its offset and limit, and these.
    pub(super) fn by_rows(mut self) -> (Self, u64, u64) {
        if let Source::Wide(_, columns) = &mut self.source {
            columns.piece = None;
        }
        let (offset, limit) = (std::mem::take(&mut self.offset), self.scan.limit.take());
        (self, offset, limit.unwrap_or(u64::MAX))
    }

    /// A scan of the first row from here. This one does not know any more where it starts.
    pub(super) fn first_row(&mut self) -> Self {
        let start = std::mem::replace(&mut self.start, Start::First);
        let first =
            Self::new(Arc::clone(&self.table), Arc::clone(&self.earlier), self.source.clone(), self.selection.clone());
        Self { scan: self.scan.clone().limit(1), start, ..first }.in_one_call()
    }

    /// Starts this scan behind a row and all that is with it: the range of the group that the row is in, or the row alone if
    /// it is in none.
    pub(super) fn go_on_behind(&mut self, key: &[u8], group: &Selection<K>) {
        let body = &key[salt_width::<K>().min(key.len())..];
        let with = group.body_ranges().into_iter().find(|range| range.contains(body));
        self.start = match with {
            Some(range) if self.scan.reverse => Start::Bound(Some(range.start().to_vec())),
            Some(range) => Start::Bound(range.end().map(<[u8]>::to_vec)),
            None => Start::Key { key: key.to_vec(), itself: false },
        };
    }

    /// The ranges of each bucket, cut to where the scan starts.
    fn buckets(&self) -> Result<Vec<Vec<KeyRange>>, Error> {
        let buckets = self.selection.ranges_by_bucket();
        let lead = salt_width::<K>();
        let from = match &self.start {
            Start::First => return Ok(buckets),
            Start::Cursor(cursor) => {
                check_cursor::<K>(cursor, &self.earlier, &buckets)?;
                self.behind_key(&cursor.key()[lead..], false)
            }
            Start::Key { key, itself } => self.behind_key(&key[lead.min(key.len())..], *itself),
            Start::Bound(bound) => bound.clone(),
            Start::Selection(selection) => {
                let ranges = selection.body_ranges();
                match self.scan.reverse {
                    false => ranges.last().and_then(|last| last.end().map(<[u8]>::to_vec)),
                    true => ranges.first().map(|first| first.start().to_vec()),
                }
            }
        };
        let Some(from) = from else { return Ok(Vec::new()) };
        let cut = |range: KeyRange| {
            let bound = [&range.start()[..lead.min(range.start().len())], &from].concat();
            let rest = if self.scan.reverse {
                KeyRange::new(Vec::new(), Some(bound))
            } else {
                KeyRange::new(bound, None::<Vec<u8>>)
            };
            range.intersect(&rest?)
        };
        let buckets = buckets.into_iter().map(|ranges| ranges.into_iter().filter_map(cut).collect::<Vec<_>>());
        Ok(buckets.filter(|ranges| !ranges.is_empty()).collect())
    }

    /// The bound, in bytes behind the salt, from which a scan that starts at or behind a key goes on.
    fn behind_key(&self, body: &[u8], itself: bool) -> Option<Vec<u8>> {
        let mut bound = body.to_vec();
        // The next key is the same with a zero byte; going back, the bound itself is left out.
        if itself == self.scan.reverse {
            bound.push(0);
        }
        Some(bound)
    }
}

/// How many bytes of a key are its salt.
fn salt_width<K: RowKey>() -> usize {
    match K::LAYOUT.prefix {
        crate::salt::Prefix::Salt(_) => K::LAYOUT.prefix.width(),
        _ => 0,
    }
}

fn check_cursor<K: RowKey>(
    cursor: &Cursor,
    earlier: &[Fingerprint],
    buckets: &[Vec<KeyRange>],
) -> Result<(), CursorError> {
    let (found, expected) = (cursor.fingerprint(), K::LAYOUT.fingerprint());
    if found != expected && !earlier.contains(&found) {
        return Err(CursorError::OtherLayout { found, expected });
    }
    K::decode(cursor.key()).map_err(CursorError::NotAKey)?;
    if !buckets.iter().flatten().any(|range| range.contains(cursor.key())) {
        return Err(CursorError::OutsideScan);
    }
    Ok(())
}

impl<K: OwnedKey + Send + 'static, V: RowValue + Send + 'static> TableScan<K, V> {
    /// The rows read by several threads, in parts that meet at split points: each item is some rows of one part. Parts
    /// come in the order of their bytes, so buckets of a salted key come one after another.
    ///
    /// A limit, an offset, a start and the reverse direction are of one scan, not of many: with one of them set the first
    /// item is [`Error::Unsupported`].
    ///
    /// ```
    /// use rowkey::splits::{Splits, Weight};
    /// use rowkey::{KeyRange, Memory, Table};
    ///
    /// let squares: Table<u32, i64, _> = Table::open(Memory::new(), "squares")?;
    /// for n in 0..5000 {
    ///     squares.put(&n, &i64::from(n * n))?;
    /// }
    /// let splits = Splits::from_store(8, squares.store(), &KeyRange::all(), Weight::Rows)?;
    /// let mut sum = 0;
    /// for rows in squares.scan(..).parallel(&splits).threads(2).in_order(false).start() {
    ///     sum += rows?.iter().map(|(_, square)| square).sum::<i64>();
    /// }
    /// assert_eq!(sum, (0..5000).map(|n| n * n).sum::<i64>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parallel(self, splits: &Splits) -> ParallelScan<Vec<(K, V)>> {
        let Self { table, source, selection, scan, offset, start, .. } = self;
        if scan.reverse || scan.limit.is_some() || offset > 0 || !matches!(start, Start::First) {
            let refused = || Error::Unsupported("parallel scans with a limit, an offset, a start or in reverse");
            return ParallelScan::new(vec![KeyRange::all()], move |_| Box::new(std::iter::once(Err(refused()))));
        }
        let ranges = selection.ranges().iter().flat_map(|range| splits.parts(range)).collect();
        let batches = match source {
            Source::Plain(store) => ParallelScan::rows(store, ranges),
            Source::Wide(store, columns) => ParallelScan::wide_rows(store, ranges, *columns),
        };
        let typed = move |batch: &RowBatch| {
            batch.iter().map(|(key, value)| Ok((stored::<K>(&table, key)?, decoded(&table, key, value)?))).collect()
        };
        batches.map(typed).sized(|rows: &Vec<_>| (rows.len() as u64, 0))
    }
}

impl<K: OwnedKey, V: RowValue> TableScan<K, V> {
    fn decoded(&mut self) -> Result<Option<(K, V)>, Error> {
        self.open()?;
        let table = &self.table;
        let next = self.progress.next(|key, value| Ok((stored::<K>(table, key)?, decoded(table, key, value)?)));
        next.map_err(|error| error.of_key(table, &[]))
    }

    /// The scan's rows and, if it stopped at its limit with more to come, the cursor behind them: one row more is read to
    /// know. Of rows that come in
    /// [pieces](Columns::piece), all pieces of so many rows. A page of no rows is taken for one of one row.
    ///
    /// ```
    /// use rowkey::{Memory, Table};
    ///
    /// let squares: Table<u32, String, _> = Table::open(Memory::new(), "squares")?;
    /// for n in 0..5 {
    ///     squares.put(&n, &(n * n).to_string())?;
    /// }
    /// let (mut pages, mut cursor) = (Vec::new(), None);
    /// loop {
    ///     let page = squares.scan(..).after(cursor).page(2)?;
    ///     pages.push(page.rows.len());
    ///     cursor = page.next;
    ///     if cursor.is_none() {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(pages, [2, 2, 1]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn page(self, rows: usize) -> Result<Page<K, V>, Error> {
        let rows = rows.max(1);
        // One row more than asked for tells whether there is a next page.
        let most = u64::try_from(rows).unwrap_or(u64::MAX);
        let mut scan = self.limit(most.saturating_add(1)).in_one_call();
        scan.open()?;
        if let Some(pieces) = &mut scan.progress.pieces {
            let limited = pieces.left <= most;
            pieces.left = pieces.left.min(most);
            let page = scan.by_ref().collect::<Result<_, _>>()?;
            let more = !limited && scan.progress.pieces.as_ref().is_some_and(|pieces| pieces.more);
            let next = scan.cursor().filter(|_| more);
            return Ok(Page { rows: page, next, rows_read: scan.rows_read() });
        }
        let mut page = Vec::new();
        let mut next = None;
        while page.len() < rows {
            match scan.next().transpose()? {
                Some(row) => page.push(row),
                None => return Ok(Page { rows: page, next: None, rows_read: scan.rows_read() }),
            }
        }
        let cursor = scan.cursor();
        if scan.progress.next(|_, _| Ok(()))?.is_some() {
            next = cursor;
        }
        Ok(Page { rows: page, next, rows_read: scan.rows_read() })
    }
}

/// Some rows of a scan, and where the next ones begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<K, V> {
    /// The rows.
    pub rows: Vec<(K, V)>,
    /// The cursor for the next page; none if this is the last.
    pub next: Option<Cursor>,
    /// How many rows were read from the store for it, to be shown beside those returned.
    pub rows_read: u64,
}

impl<K: OwnedKey, V: RowValue> Iterator for TableScan<K, V> {
    type Item = Result<(K, V), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.decoded().transpose()
    }
}

impl<K: OwnedKey, V: RowValue> std::iter::FusedIterator for TableScan<K, V> {}

impl<K, V> std::fmt::Debug for TableScan<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableScan").field("table", &self.table).field("scan", &self.scan).finish_non_exhaustive()
    }
}

/// The keys of a scan.
#[must_use = "a scan reads nothing before it is iterated"]
#[derive(Debug)]
pub struct Keys<K>(TableScan<K, ()>);

impl<K: RowKey> Keys<K> {
    /// How many rows were read from the store so far.
    pub fn rows_read(&self) -> u64 {
        self.0.rows_read()
    }

    /// The cursor behind the last key returned; none before the first.
    pub fn cursor(&self) -> Option<Cursor> {
        self.0.cursor()
    }
}

impl<K: OwnedKey> Iterator for Keys<K> {
    type Item = Result<K, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = |scan: &mut TableScan<K, ()>| {
            scan.open()?;
            let table = &scan.table;
            scan.progress.next(|key, _| stored::<K>(table, key)).map_err(|error| error.of_key(table, &[]))
        };
        next(&mut self.0).transpose()
    }
}

impl<K: OwnedKey> std::iter::FusedIterator for Keys<K> {}
