//! Scans of a table: rows typed, buckets merged, cursors.
//!
//! A [`Plan`] says which ranges are read, a [`Progress`] which rows are returned; neither does I/O. [`TableScan`] makes
//! both, and feeds the merge between them from the store's scans.

use std::marker::PhantomData;
use std::sync::Arc;

use super::plan::{Plan, Start};
use super::progress::Progress;
use super::setup::{Setup, scan_settings};
use super::source::{self, Run};
use crate::keys::cursor::Cursor;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::merge::{MergedRows, Scans, Step};
use crate::store::value::RowValue;
use crate::store::{Scan, Store};
use crate::table::{stored_key, stored_row};
use crate::wide::WideStore;

/// A scan of a table: set its options, then iterate over it.
///
/// Keys that borrow can't be returned by an iterator: a `for` loop over them fails to compile with "one type is more
/// general than the other". Use `while let Some((key, value)) = scan.next_row()?` ([`next_row`](Self::next_row)).
///
/// The scan opens when the first row is asked for; an error of opening is its first item. After an error it ends. It
/// owns its data, so it can move to another thread.
///
/// No row is passed over. If the codec of a key or a value panics, and the program catches that, the next item is
/// [`Error::Value`] with the row's key, and then the scan has ended. Its [`cursor`](Self::cursor) is after that row, as
/// it is after a row that does not decode.
#[must_use = "a scan reads nothing before it is iterated"]
pub struct TableScan<K, V> {
    pub(super) setup: Setup<K>,
    pub(super) source: Source,
    run: Run<Scans>,
    value: PhantomData<fn() -> V>,
}

/// The store to scan.
pub(crate) type Source = source::Source<dyn Store, dyn WideStore>;

fn open(source: &Source, scan: &Scan, Plan { buckets, salt }: Plan) -> MergedRows {
    match source {
        Source::Plain(store) => MergedRows::open(&**store, scan, buckets, salt),
        Source::Wide(store, columns) => {
            let slow = store.guarantees().slow_scans;
            MergedRows::opened(|scan| store.scan(scan, columns), slow, scan, buckets, salt)
                .options(store.options(), store.id().name())
        }
    }
}

impl<K: RowKey, V> TableScan<K, V> {
    pub(super) fn new(setup: Setup<K>, source: Source) -> Self {
        Self { setup, source, run: Run::Unopened, value: PhantomData }
    }

    scan_settings!();

    /// Returns the keys alone. Values are not decoded.
    pub fn keys(self) -> Keys<K> {
        let Self { setup, source, run, value: _ } = self;
        Keys(TableScan { setup, source, run, value: PhantomData })
    }

    /// Returns the number of rows read from the store so far. It can be more than the number returned.
    pub fn rows_read(&self) -> u64 {
        self.run.feed().map_or(0, Scans::rows_read)
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
    #[expect(clippy::type_complexity, reason = "a row is a key and a value")]
    #[doc(alias = "lend")]
    pub fn next_row(&mut self) -> Result<Option<(K::Ref<'_>, &[u8])>, Error> {
        self.next_with(|table, key, value| Ok((stored_key::<K>(table, key)?, value)))
    }

    /// Table, source and ranges, if the scan has no limit, offset or start and is not in reverse.
    pub(crate) fn into_ranges(self) -> Option<(Arc<str>, Source, Vec<KeyRange>)> {
        let Self { setup: Setup { table, selection, scan, offset, start, .. }, source, .. } = self;
        let is_whole = !scan.reverse && scan.limit.is_none() && offset == 0 && matches!(start, Start::First);
        is_whole.then(|| (table, source, selection.ranges()))
    }

    /// The scan, not open yet, as one call for all its batches: they share one deadline.
    pub(crate) fn in_one_call(mut self) -> Self {
        self.source = self.source.in_one_call();
        self
    }

    /// Returns the result of `read` for the next row.
    fn next_with<'s, T>(
        &'s mut self,
        read: impl FnOnce(&'s str, &'s [u8], &'s [u8]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if matches!(self.run, Run::Unopened) {
            self.open()?;
        }
        let Self { setup: Setup { table, .. }, run: Run::Open(progress, scans), .. } = self else { return Ok(None) };
        match scans.pump(progress, Progress::step, Progress::merge) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(error.of_key(table, &[])),
        }
        progress.read(|key, value| read(table, key, value)).map_err(|error| error.of_key(table, &[]))
    }

    #[cold]
    fn open(&mut self) -> Result<(), Error> {
        self.run = Run::Failed;
        let (plan, scan) = self.setup.plan()?;
        let (merge, scans) = open(&self.source, &scan, plan).into_parts();
        self.run = Run::Open(self.setup.progress(merge, self.source.in_pieces()), scans);
        Ok(())
    }

    /// The scan's progress; opens the scan. `None` if opening failed before.
    pub(super) fn progress(&mut self) -> Result<Option<&mut Progress>, Error> {
        if matches!(self.run, Run::Unopened) {
            self.open()?;
        }
        Ok(self.run.progress())
    }
}

impl<K: OwnedKey, V: RowValue> TableScan<K, V> {
    /// Returns the next row if it was read already; `None` if a batch has to be read first, or at the end.
    pub(crate) fn next_of_batch(&mut self) -> Option<Result<(K, V), Error>> {
        let table = &self.setup.table;
        let Run::Open(progress, _) = &mut self.run else { return None };
        let read = match progress.step() {
            Ok(Step::Row) => progress.read(|key, value| stored_row(table, key, value)),
            Ok(Step::Feed(_) | Step::Done) => return None,
            Err(error) => Err(error),
        };
        read.map_err(|error| error.of_key(table, &[])).transpose()
    }
}

impl<K: OwnedKey, V: RowValue> Iterator for TableScan<K, V> {
    type Item = Result<(K, V), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_with(stored_row).transpose()
    }
}

impl<K: OwnedKey, V: RowValue> std::iter::FusedIterator for TableScan<K, V> {}

impl<K, V> std::fmt::Debug for TableScan<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableScan")
            .field("table", &self.setup.table)
            .field("scan", &self.setup.scan)
            .finish_non_exhaustive()
    }
}

/// An iterator over the keys of a scan.
#[must_use = "a scan reads nothing before it is iterated"]
#[derive(Debug)]
pub struct Keys<K>(TableScan<K, ()>);

impl<K: RowKey> Keys<K> {
    /// Returns the number of rows read from the store so far.
    pub fn rows_read(&self) -> u64 {
        self.0.rows_read()
    }

    /// Returns the cursor after the last key returned, or `None` before the first.
    pub fn cursor(&self) -> Option<Cursor> {
        self.0.cursor()
    }
}

impl<K: OwnedKey> Iterator for Keys<K> {
    type Item = Result<K, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_with(|table, key, _| stored_key::<K>(table, key)).transpose()
    }
}

impl<K: OwnedKey> std::iter::FusedIterator for Keys<K> {}
