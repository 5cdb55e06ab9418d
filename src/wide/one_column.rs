//! A plain table over one column of wide rows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::column::{Column, Columns, Condition};
use super::mutation::Mutation;
use super::plain_value::{PlainValues, empty_of_others};
use super::row::{CellIter, Row};
use super::schema::{FamilySchema, TableSchema};
use super::{CounterTimes, EditOrder, UntimedPuts, WideDatabase, WideGuarantees, WideStore};
use crate::keys::range::KeyRange;
use crate::store::catalog::{CATALOG, PLAIN, RESERVED};
use crate::store::error::{CommitPoint, Error, ErrorKind, RowErrors};
use crate::store::options::Within;
use crate::store::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, Limits, NewTable, Readable, RowBatch, Rows, Scan, Store,
    TableId, Write, check_key, write_by_table,
};

/// A plain table over one column of wide rows: a [`Store`] over a [`WideStore`], or, with the feature `async`, an
/// `AsyncStore` over an `AsyncWideStore`. A key is a row's key, its value the newest version of the column.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::{Batch, Readable, Store};
/// use rowkey::wide::{Cells, FamilySchema, OneColumn, TableSchema};
///
/// let wide = Cells::open(&Memory::new(), "wide", &TableSchema::new().family("v", FamilySchema::new()))?;
/// let plain = OneColumn::new(wide, "v:");
/// plain.write(Batch::new().put("key", "value"))?;
/// assert_eq!(plain.get(b"key")?.as_deref(), Some(&b"value"[..]));
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// The same of an asynchronous store:
///
/// ```
/// use rowkey::Memory;
/// use rowkey::nonblocking::{AsyncStore, Unblock};
/// use rowkey::store::Batch;
/// use rowkey::wide::{Cells, FamilySchema, OneColumn, TableSchema};
/// # futures_lite::future::block_on(async {
///
/// let wide = Cells::open(&Memory::new(), "wide", &TableSchema::new().family("v", FamilySchema::new()))?;
/// // In place of `Unblock`: a table of HBase or Bigtable.
/// let plain = OneColumn::new(Unblock::new(wide), "v:");
/// plain.write(Batch::new().put("key", "value")).await?;
/// assert_eq!(plain.get(b"key").await?.as_deref(), Some(&b"value"[..]));
/// # Ok::<(), rowkey::Error>(()) }).unwrap();
/// ```
///
/// Batches are atomic only by row, as in wide stores. There are no transactions.
///
/// Writes have no timestamps. Over a store without [`put_after_delete`](WideGuarantees::put_after_delete), a put in the
/// same millisecond as a delete of its key is lost. Where [counters run ahead](CounterTimes::AfterValue) of the clock,
/// as in HBase, an increment is a read and a compare-and-write, which a put after it does not stay behind: one counter
/// for many writers is better in a wide table. Where an empty value [counts as absent](WideGuarantees::empty_values),
/// the cell of the empty value is nine bytes, `\0rowkey:\0`; values that are these bytes and zeros have one zero more.
/// Where puts have the [clock's time](UntimedPuts::AtClock), a put of a
/// process whose clock is behind stays behind what another one has put; a compare-and-write replaces what it compares.
#[derive(Clone, Debug)]
pub struct OneColumn<W> {
    /// Computed when it is first needed: `new` does not know which trait has the id of `wide`.
    id: OnceLock<TableId>,
    pub(crate) wide: W,
    pub(crate) column: Column,
}

impl<W> OneColumn<W> {
    /// One column of `wide`, in a family that it has.
    pub fn new(wide: W, column: impl Into<Column>) -> Self {
        Self { id: OnceLock::new(), wide, column: column.into() }
    }

    /// The same column of another handle to the wide table.
    pub(crate) fn of_handle<H>(&self, wide: H) -> OneColumn<H> {
        OneColumn { id: self.id.clone(), wide, column: self.column.clone() }
    }

    pub(crate) fn id_within(&self, wide: &TableId) -> &TableId {
        self.id.get_or_init(|| DatabaseId::within(wide).table(&self.column.to_string()))
    }

    pub(crate) fn columns(&self) -> Columns {
        Columns::of(&self.column)
    }

    fn written(&self, value: Option<&[u8]>, values: PlainValues) -> Mutation {
        match value {
            Some(value) => Mutation::new().put(&self.column, values.cell(value)),
            None => Mutation::new().delete_column(&self.column),
        }
    }

    /// The mutations of a batch.
    pub(crate) fn mutations(
        &self,
        batch: &Batch,
        guarantees: &WideGuarantees,
    ) -> Result<Vec<(Vec<u8>, Mutation)>, Error> {
        batch.check_keys()?;
        let values = PlainValues::of(guarantees);
        let mutation = |write: Write<'_>| match write {
            Write::Put(key, value) => (key.to_vec(), self.written(Some(value), values)),
            Write::Delete(key) => (key.to_vec(), self.written(None, values)),
        };
        Ok(batch.writes().map(mutation).collect())
    }

    /// The mutations that delete the rows that a scan returned.
    pub(crate) fn deletions(&self, rows: &RowBatch) -> Vec<(Vec<u8>, Mutation)> {
        rows.iter().map(|(key, _)| (key.to_vec(), Mutation::new().delete_column(&self.column))).collect()
    }

    /// The check and the mutation of a compare-and-write.
    ///
    /// The new value takes the place of the compared one: also of a version with a later time, where a put would stay
    /// behind it. That version is of a process whose clock is ahead.
    pub(crate) fn comparison(
        &self,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
        guarantees: &WideGuarantees,
    ) -> (Condition, Mutation) {
        let values = PlainValues::of(guarantees);
        let check = match expected {
            Some(value) => Condition::equal(&self.column, values.cell(value)),
            None => Condition::absent(&self.column),
        };
        let can_replace = guarantees.untimed_puts == Some(UntimedPuts::AtClock)
            && guarantees.put_after_delete
            && guarantees.edit_order == Some(EditOrder::AsGiven);
        let mutation = match new {
            Some(new) if can_replace && expected.is_some() => {
                Mutation::new().delete_column(&self.column).put(&self.column, values.cell(new))
            }
            new => self.written(new, values),
        };
        (check, mutation)
    }
}

/// The value of a row of one cell.
pub(crate) fn value(row: &Row, values: PlainValues) -> Option<Vec<u8>> {
    row.cells().next().map(|cell| values.value(cell.value).to_vec())
}

/// Makes rows of the values of cells out of rows of one cell each, in place.
pub(crate) fn to_values(rows: &mut RowBatch) {
    rows.cut_values(|cells| {
        let mut rest = CellIter::new(cells);
        let cell = rest.next()?.value;
        let end = cells.len() - rest.left().len();
        Some(end - cell.len()..end)
    });
}

/// Makes rows of a plain table's values out of rows of the values of cells, in place.
pub(crate) fn to_plain(rows: &mut RowBatch, values: PlainValues) {
    if values != PlainValues::AsGiven {
        rows.cut_values(|cell| Some(0..values.value(cell).len()));
    }
}

/// The scan of the wide table. An engine may hold the cells that it puts rows together from beside the rows.
pub(crate) fn scan_of_cells(scan: &Scan) -> Scan {
    scan.clone().divided(2)
}

/// Returns whether counters of the store run ahead of the clock: then what is put or deleted after them may be hidden,
/// so a plain table's counters are compared and written.
pub(crate) fn runs_ahead(guarantees: &WideGuarantees) -> bool {
    guarantees.counter_times == Some(CounterTimes::AfterValue)
}

/// The new value of a counter.
///
/// # Errors
///
/// [`Error::NotACounter`].
pub(crate) fn added(key: &[u8], stored: Option<&[u8]>, by: i64) -> Result<i64, Error> {
    let Some(stored) = stored else { return Ok(by) };
    let counter = stored.try_into().map_err(|_| Error::NotACounter { key: key.to_vec(), len: stored.len() })?;
    Ok(i64::from_be_bytes(counter).wrapping_add(by))
}

/// The new value of the one counter that was added to.
pub(crate) fn sum(sums: Result<Vec<i64>, Error>) -> Result<i64, Error> {
    match sums {
        Ok(sums) => sums.first().copied().ok_or_else(|| Error::engine("a counter's new value did not come")),
        Err(Error::NotACounterCell { row, len, .. }) => Err(Error::NotACounter { key: row, len }),
        Err(error) => Err(error),
    }
}

/// Translates the error of a write: the plain table's name in place of the wide table's.
pub(crate) fn of_table(table: &TableId, error: Error) -> Error {
    match error {
        Error::Rows(rows) => {
            let mut of_table = RowErrors::new(rows.total());
            rows.in_call(&mut of_table, Some(table.name()), |row| row.index(), |row| row.key().to_vec());
            Error::Rows(Box::new(of_table))
        }
        Error::OutcomeUnknown { source, .. } => Error::OutcomeUnknown { table: table.name().to_owned(), source },
        other => other,
    }
}

/// Checks all batches of a write across tables before anything is written.
pub(crate) fn check_batches(batches: &[(&str, &Batch)], beneath: WideGuarantees) -> Result<(), Error> {
    let limits = of_column(beneath).limits;
    batches.iter().try_for_each(|(table, batch)| limits.check(table, batch))
}

pub(crate) fn of_column(beneath: WideGuarantees) -> Guarantees {
    let mut limits = Limits::none();
    (limits.key, limits.value) = (beneath.limits.row, beneath.limits.value);
    Guarantees::none()
        .limits(limits)
        .snapshot_scans(beneath.snapshot_scans)
        .increment(beneath.increment)
        .compare_and_write(beneath.check_and_mutate)
        .slow_scans(beneath.slow_scans)
        .split_points(beneath.split_points)
}

impl<W: WideStore> Readable for OneColumn<W> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        check_key(key)?;
        Ok(value(&self.wide.get(key, &self.columns())?, PlainValues::of(&self.wide.guarantees())))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let rows = self.wide.scan(&scan_of_cells(scan), &self.columns());
        Box::new(Values { rows, values: PlainValues::of(&self.wide.guarantees()) })
    }
}

impl<W: WideStore> Store for OneColumn<W> {
    fn id(&self) -> &TableId {
        self.id_within(self.wide.id())
    }

    fn options(&self) -> &CallOptions {
        self.wide.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(self.of_handle(self.wide.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        of_column(self.wide.guarantees())
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        keys.iter().try_for_each(|key| check_key(key))?;
        let rows = self.wide.get_many(keys, &self.columns())?;
        let values = PlainValues::of(&self.wide.guarantees());
        Ok(rows.iter().map(|row| value(row, values)).collect())
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.id().check_write()?;
        let rows = self.mutations(batch, &self.wide.guarantees())?;
        self.wide.mutate_many(&rows).map_err(|error| of_table(self.id(), error))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.id().check_write()?;
        check_key(key)?;
        if !runs_ahead(&self.wide.guarantees()) {
            return sum(self.wide.increment(key, &[(self.column.clone(), by)]));
        }
        let wide = Within::one_call(&self.wide as &dyn WideStore);
        let column = self.of_handle(&*wide);
        loop {
            let stored = column.get(key)?;
            let sum = added(key, stored.as_deref(), by)?;
            if column.compare_and_write(key, stored.as_deref(), Some(&sum.to_be_bytes()))? {
                return Ok(sum);
            }
        }
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.id().check_write()?;
        check_key(key)?;
        let guarantees = self.wide.guarantees();
        let (check, mutation) = self.comparison(expected, new, &guarantees);
        let Some(check_of_others) = empty_of_others(&self.column, expected, &guarantees) else {
            return self.wide.check_and_mutate(key, &check, &mutation);
        };
        let wide = Within::one_call(&self.wide as &dyn WideStore);
        Ok(wide.check_and_mutate(key, &check, &mutation)? || wide.check_and_mutate(key, &check_of_others, &mutation)?)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.id().check_write()?;
        let wide = Within::one_call(&self.wide as &dyn WideStore);
        let mut rows = wide.scan(&Scan::new(ranges.to_vec()), &self.columns());
        let (mut batch, commit, table) = (RowBatch::new(), CommitPoint::default(), self.id().name());
        loop {
            commit.outcome(table, rows.next_batch(&mut batch))?;
            if batch.is_empty() {
                return Ok(());
            }
            let deleted = commit.decided(wide.mutate_many(&self.deletions(&batch)));
            commit.outcome(table, deleted.map_err(|error| of_table(self.id(), error)))?;
            commit.pass();
        }
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.wide.split_points()
    }
}

/// A scan of rows of one cell each.
struct Values {
    rows: Box<dyn Rows>,
    values: PlainValues,
}

impl Rows for Values {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.rows.next_batch(batch)?;
        to_values(batch);
        to_plain(batch, self.values);
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}

/// Plain tables over wide ones: a [`Database`] over a [`WideDatabase`], or, with the feature `async`, an
/// `AsyncDatabase` over an `AsyncWideDatabase`. Each table is a wide table with the family `v`. The values are in the
/// column with the empty qualifier.
///
/// ```
/// use rowkey::wide::{CellsDatabase, OneColumn};
/// use rowkey::{Memory, Table};
///
/// // In place of `CellsDatabase`: a connection to HBase or Bigtable.
/// let db = OneColumn::database(CellsDatabase::new(Memory::new()));
/// let names: Table<u64, String, _> = Table::open(db, "names")?;
/// names.put(&7, &"Ada".into())?;
/// assert_eq!(names.get(&7)?.as_deref(), Some("Ada"));
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// In asynchronous code:
///
/// ```
/// use rowkey::Memory;
/// use rowkey::nonblocking::{AsyncTable, Unblock};
/// use rowkey::wide::{CellsDatabase, OneColumn};
/// # futures_lite::future::block_on(async {
///
/// // In place of `Unblock`: a connection to HBase or Bigtable.
/// let db = OneColumn::database(Unblock::new(CellsDatabase::new(Memory::new())));
/// let names: AsyncTable<u64, String, _> = AsyncTable::open(db, "names").await?;
/// names.put(&7, &"Ada".into()).await?;
/// assert_eq!(names.get(&7).await?.as_deref(), Some("Ada"));
/// # Ok::<(), rowkey::Error>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct OneColumnDatabase<W> {
    pub(crate) wide: W,
}

impl<W> OneColumn<W> {
    /// Plain tables over a database of wide ones.
    pub fn database(wide: W) -> OneColumnDatabase<W> {
        OneColumnDatabase { wide }
    }
}

const FAMILY: &str = "v";

pub(crate) fn one_family() -> TableSchema {
    TableSchema::new().family(FAMILY, FamilySchema::new())
}

/// The crate's own plain tables (the catalog, migrations) have other names than its own wide tables.
pub(crate) fn wide_name(name: &str) -> Cow<'_, str> {
    name.strip_prefix(RESERVED).map_or(Cow::Borrowed(name), |own| format!("{PLAIN}{own}").into())
}

fn plain_name(name: String) -> String {
    name.strip_prefix(PLAIN).map(|own| format!("{RESERVED}{own}")).unwrap_or(name)
}

/// The names of the plain tables, sorted.
pub(crate) fn plain_names(wide: Vec<String>) -> Vec<String> {
    let mut names: Vec<_> = wide.into_iter().map(plain_name).collect();
    names.sort_unstable();
    names
}

/// The id of the database of plain tables over a database of wide ones.
pub(crate) fn plain_id(wide: DatabaseId) -> DatabaseId {
    DatabaseId::within(&wide.table(&wide_name(CATALOG)))
}

/// The plain table `name` of `database`, over a wide table that was opened, or the error of that for the plain table.
pub(crate) fn opened<H>(database: DatabaseId, name: &str, wide: Result<H, Error>) -> Result<OneColumn<H>, Error> {
    let wide = wide.map_err(|error| match error {
        Error::NoSuchTable(_) => Error::NoSuchTable(name.to_owned()),
        Error::TableExists(_) => Error::TableExists(name.to_owned()),
        other => other,
    })?;
    Ok(OneColumn { id: database.table(name).into(), wide, column: FAMILY.into() })
}

/// The table that was opened before, for a batch that has something to write. An empty one creates its table.
pub(crate) fn known_for<H>(batch: &Batch, known: impl FnOnce() -> Option<H>) -> Option<H> {
    if batch.is_empty() { None } else { known() }
}

/// Returns whether nothing was written because the table was dropped after it was opened.
pub(crate) fn is_gone(error: &Error) -> bool {
    match error {
        Error::Rows(rows) => rows.written() == 0 && rows.iter().all(|row| row.error().kind() == ErrorKind::NotFound),
        error => error.kind() == ErrorKind::NotFound,
    }
}

impl<W: WideDatabase> Database for OneColumnDatabase<W> {
    fn id(&self) -> DatabaseId {
        plain_id(self.wide.id())
    }

    fn options(&self) -> &CallOptions {
        self.wide.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(OneColumnDatabase { wide: self.wide.with_options(options) })
    }

    fn guarantees(&self) -> Guarantees {
        of_column(self.wide.guarantees())
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(opened(self.id(), name, self.wide.table(&wide_name(name), &one_family()))?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(opened(self.id(), name, self.wide.open_table(&wide_name(name), &one_family()))?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(opened(self.id(), name, self.wide.create_table(&wide_name(name), &one_family(), new))?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        Ok(plain_names(self.wide.tables()?))
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id().check_write([name])?;
        self.wide.drop_table(&wide_name(name))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.id().check_write(batches.iter().map(|&(name, _)| name))?;
        check_batches(batches, self.wide.guarantees())?;
        // All tables are created, or none is, before anything is written.
        let wide = Within::one_call(&self.wide as &dyn WideDatabase);
        let open = |name: &str| opened(self.id(), name, wide.table(&wide_name(name), &one_family()));
        let mut tables = BTreeMap::new();
        for &(name, batch) in batches {
            let known = known_for(batch, || wide.opened_table(&wide_name(name), &one_family()));
            let is_known = known.is_some();
            let table = known.map_or_else(|| open(name), |known| opened(self.id(), name, Ok(known)))?;
            tables.insert(name, (table, is_known));
        }
        write_by_table(batches, |name, batch| match tables.get(name) {
            None => Ok(()),
            Some((table, is_known)) => match table.write(batch) {
                Err(error) if *is_known && is_gone(&error) => open(name)?.write(batch),
                written => written,
            },
        })
    }
}
