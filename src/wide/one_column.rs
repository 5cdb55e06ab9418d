//! A plain table over one column of wide rows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::column::{Column, Columns, Condition};
use super::mutation::Mutation;
use super::row::CellIter;
use super::schema::{FamilySchema, TableSchema};
use super::{WideDatabase, WideGuarantees, WideStore};
use crate::keys::range::KeyRange;
use crate::store::catalog::{CATALOG, PLAIN, RESERVED};
use crate::store::error::{Error, RowErrors};
use crate::store::options::Within;
use crate::store::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, Room, RowBatch, Rows, Scan, Store,
    TableId, Write, check_key, write_by_table,
};

/// A plain table over one column of wide rows: a [`Store`] over a [`WideStore`]. A key is a row's key, its value the
/// newest version of the column.
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
/// Batches are atomic only by row, as in wide stores. There are no transactions.
///
/// Writes have no timestamps. Over a store without [`put_after_delete`](WideGuarantees::put_after_delete), a put in the
/// same millisecond as a delete of its key is lost. If counters run ahead of the clock, as in HBase, so is a put before
/// the clock has passed the counter's time.
#[derive(Clone, Debug)]
pub struct OneColumn<W> {
    id: TableId,
    wide: W,
    column: Column,
}

impl<W: WideStore> OneColumn<W> {
    /// One column of `wide`, in a family that it has.
    pub fn new(wide: W, column: impl Into<Column>) -> Self {
        let column = column.into();
        Self { id: DatabaseId::within(wide.id()).table(&column.to_string()), wide, column }
    }

    fn columns(&self) -> Columns {
        Columns::of(&self.column)
    }

    /// Translates the error of a write: this table's name in place of the wide table's.
    fn error(&self, error: Error) -> Error {
        match error {
            Error::Rows(rows) => {
                let mut of_table = RowErrors::new(rows.total());
                rows.in_call(&mut of_table, Some(self.id.name()), |row| row.index(), |row| row.key().to_vec());
                Error::Rows(Box::new(of_table))
            }
            Error::OutcomeUnknown { source, .. } => Error::OutcomeUnknown { table: self.id.name().to_owned(), source },
            other => other,
        }
    }
}

fn of_column(beneath: WideGuarantees) -> Guarantees {
    Guarantees::none()
        .snapshot_scans(beneath.snapshot_scans)
        .increment(beneath.increment)
        .compare_and_write(beneath.check_and_mutate)
        .slow_scans(beneath.slow_scans)
        .split_points(beneath.split_points)
}

impl<W: WideStore> Readable for OneColumn<W> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        check_key(key)?;
        Ok(self.wide.get(key, &self.columns())?.cells().next().map(|cell| cell.value.to_vec()))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        // A batch is held twice: as cells and as values.
        let scan = scan.clone().divided(2);
        let rows = self.wide.scan(&scan, &self.columns());
        Box::new(Values { rows, cells: RowBatch::new(), batch_bytes: scan.batch_bytes })
    }
}

impl<W: WideStore> Store for OneColumn<W> {
    fn id(&self) -> &TableId {
        &self.id
    }

    fn options(&self) -> &CallOptions {
        self.wide.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        let wide = self.wide.with_options(options);
        Arc::new(OneColumn { id: self.id.clone(), wide, column: self.column.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        of_column(self.wide.guarantees())
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        keys.iter().try_for_each(|key| check_key(key))?;
        let rows = self.wide.get_many(keys, &self.columns())?;
        Ok(rows.iter().map(|row| row.cells().next().map(|cell| cell.value.to_vec())).collect())
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.id.check_write()?;
        batch.check_keys()?;
        let mut rows: Vec<(Vec<u8>, Mutation)> = Vec::with_capacity(batch.len());
        for write in batch.writes() {
            let mutation = match write {
                Write::Put(_, value) => Mutation::new().put(&self.column, value),
                Write::Delete(_) => Mutation::new().delete_column(&self.column),
            };
            rows.push((write.key().to_vec(), mutation));
        }
        self.wide.mutate_many(&rows).map_err(|error| self.error(error))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.id.check_write()?;
        check_key(key)?;
        match self.wide.increment(key, &[(self.column.clone(), by)]) {
            Ok(sums) => sums.first().copied().ok_or_else(|| Error::engine("a counter's new value did not come")),
            Err(Error::NotACounterCell { row, len, .. }) => Err(Error::NotACounter { key: row, len }),
            Err(error) => Err(error),
        }
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.id.check_write()?;
        check_key(key)?;
        let check = match expected {
            Some(value) => Condition::equal(&self.column, value),
            None => Condition::absent(&self.column),
        };
        let mutation = match new {
            Some(value) => Mutation::new().put(&self.column, value),
            None => Mutation::new().delete_column(&self.column),
        };
        self.wide.check_and_mutate(key, &check, &mutation)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.id.check_write()?;
        let wide = Within::one_call(&self.wide as &dyn WideStore);
        let mut rows = wide.scan(&Scan::new(ranges.to_vec()), &self.columns());
        let mut batch = RowBatch::new();
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(());
            }
            let gone = |(key, _): (&[u8], &[u8])| (key.to_vec(), Mutation::new().delete_column(&self.column));
            let gone = batch.iter().map(gone).collect::<Vec<_>>();
            wide.mutate_many(&gone).map_err(|error| self.error(error))?;
        }
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.wide.split_points()
    }
}

/// A scan of rows of one cell each.
struct Values {
    rows: Box<dyn Rows>,
    cells: RowBatch,
    batch_bytes: usize,
}

impl Rows for Values {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        self.rows.next_batch(&mut self.cells)?;
        let mut room = Room::new(batch, usize::MAX, self.batch_bytes);
        for (key, cells) in self.cells.iter() {
            if let Some(cell) = CellIter::new(cells).next() {
                room.push(key, cell.value);
            }
        }
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}

/// Plain tables over wide ones: a [`Database`] over a [`WideDatabase`]. Each table is a wide table with the family `v`.
/// The values are in the column with the empty qualifier.
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
#[derive(Clone, Debug)]
pub struct OneColumnDatabase<W> {
    wide: W,
}

impl<W: WideDatabase> OneColumn<W> {
    /// Plain tables over a database of wide ones.
    pub fn database(wide: W) -> OneColumnDatabase<W> {
        OneColumnDatabase { wide }
    }
}

const FAMILY: &str = "v";

fn one_family() -> TableSchema {
    TableSchema::new().family(FAMILY, FamilySchema::new())
}

/// The crate's own plain tables (the catalog, migrations) have other names than its own wide tables.
fn wide_name(name: &str) -> Cow<'_, str> {
    name.strip_prefix(RESERVED).map_or(Cow::Borrowed(name), |own| format!("{PLAIN}{own}").into())
}

fn plain_name(name: String) -> String {
    name.strip_prefix(PLAIN).map(|own| format!("{RESERVED}{own}")).unwrap_or(name)
}

impl<W: WideDatabase> OneColumnDatabase<W> {
    fn open(&self, wide: &dyn WideDatabase, name: &str) -> Result<OneColumn<Arc<dyn WideStore>>, Error> {
        self.over(name, wide.table(&wide_name(name), &one_family()))
    }

    fn over(
        &self,
        name: &str,
        wide: Result<Arc<dyn WideStore>, Error>,
    ) -> Result<OneColumn<Arc<dyn WideStore>>, Error> {
        let wide = wide.map_err(|error| match error {
            Error::NoSuchTable(_) => Error::NoSuchTable(name.to_owned()),
            Error::TableExists(_) => Error::TableExists(name.to_owned()),
            other => other,
        })?;
        Ok(OneColumn { id: self.id().table(name), wide, column: FAMILY.into() })
    }
}

impl<W: WideDatabase> Database for OneColumnDatabase<W> {
    fn id(&self) -> DatabaseId {
        DatabaseId::within(&self.wide.id().table(&wide_name(CATALOG)))
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
        Ok(Arc::new(self.open(&self.wide, name)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(self.over(name, self.wide.open_table(&wide_name(name), &one_family()))?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(self.over(name, self.wide.create_table(&wide_name(name), &one_family(), new))?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<_> = self.wide.tables()?.into_iter().map(plain_name).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id().check_write([name])?;
        self.wide.drop_table(&wide_name(name))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.id().check_write(batches.iter().map(|&(name, _)| name))?;
        batches.iter().try_for_each(|(_, batch)| batch.check_keys())?;
        // All tables are created, or none is, before anything is written.
        let wide = Within::one_call(&self.wide as &dyn WideDatabase);
        let open = |&(name, _): &(&str, _)| Ok((name.to_owned(), self.open(&*wide, name)?));
        let tables = batches.iter().map(open).collect::<Result<BTreeMap<_, _>, Error>>()?;
        write_by_table(batches, |name, batch| tables.get(name).map_or(Ok(()), |table| table.write(batch)))
    }
}
