//! Wide tables of a server, and what they return and are sent.

use std::sync::{Arc, Mutex, PoisonError};

use rowkey::Error;
use rowkey::store::{CallOptions, Costs, DatabaseId, NewTable, RowBatch, Rows, Scan, TableId};
use rowkey::wide::{
    CellIter, Change, Column, Columns, Condition, Edit, Mutation, Row, TableSchema, WideDatabase, WideGuarantees,
    WideStore,
};

/// The wide tables of a server, counted as [`Metered`](rowkey::store::Metered) counts plain ones: what a server reads
/// and does not return is not seen.
#[derive(Clone)]
pub(super) struct Counted {
    db: Arc<dyn WideDatabase>,
    meter: Meter,
}

#[derive(Clone, Default)]
struct Meter(Arc<Mutex<Costs>>);

/// The bytes of a timestamp.
const TIMESTAMP: u64 = 8;

impl Meter {
    fn add(&self, add: impl FnOnce(&mut Costs)) {
        add(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn read<'c>(&self, row: &[u8], cells: impl Iterator<Item = rowkey::wide::Cell<'c>>) {
        let (mut count, mut bytes) = (0, 0);
        for cell in cells {
            count += 1;
            bytes += (row.len() + cell.family.len() + cell.qualifier.len() + cell.value.len()) as u64 + TIMESTAMP;
        }
        self.add(|costs| {
            costs.rows_read += u64::from(count > 0);
            costs.cells_read += count;
            costs.bytes_read += bytes;
        });
    }

    fn wrote(&self, row: &[u8], mutation: &Mutation) {
        let (mut cells, mut bytes) = (0, 0);
        for edit in mutation.edits() {
            let (column, value) = match edit {
                Edit::Put { column, value, .. } => (column.qualifier.len(), value.len()),
                Edit::DeleteVersion { column, .. } | Edit::DeleteColumn { column, .. } => (column.qualifier.len(), 0),
                _ => (0, 0),
            };
            cells += 1;
            bytes += (row.len() + edit.family().map_or(0, str::len) + column + value) as u64 + TIMESTAMP;
        }
        self.add(|costs| {
            costs.writes += u64::from(cells > 0);
            costs.cells_written += cells;
            costs.bytes_written += bytes;
        });
    }
}

impl Counted {
    /// Starts to count.
    pub(super) fn new(db: Arc<dyn WideDatabase>) -> Self {
        Self { db, meter: Meter::default() }
    }

    /// The counters so far.
    pub(super) fn costs(&self) -> Costs {
        *self.meter.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self, store: Arc<dyn WideStore>) -> Arc<dyn WideStore> {
        Arc::new(CountedStore { store, meter: self.meter.clone() })
    }
}

impl WideDatabase for Counted {
    fn id(&self) -> DatabaseId {
        self.db.id()
    }

    fn options(&self) -> &CallOptions {
        self.db.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
        Arc::new(Self { db: self.db.with_options(options), meter: self.meter.clone() })
    }

    fn guarantees(&self) -> WideGuarantees {
        self.db.guarantees()
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(self.table(self.db.table(name, schema)?))
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(self.table(self.db.open_table(name, schema)?))
    }

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn WideStore>> {
        self.db.opened_table(name, schema).map(|store| self.table(store))
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        Ok(self.table(self.db.create_table(name, schema, new)?))
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        self.db.schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        self.db.alter(name, schema)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.db.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.db.drop_table(name)
    }
}

struct CountedStore {
    store: Arc<dyn WideStore>,
    meter: Meter,
}

impl WideStore for CountedStore {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(Self { store: self.store.with_options(options), meter: self.meter.clone() })
    }

    fn guarantees(&self) -> WideGuarantees {
        self.store.guarantees()
    }

    fn schema(&self) -> &TableSchema {
        self.store.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        let found = self.store.get(row, columns)?;
        self.meter.add(|costs| costs.seeks += 1);
        self.meter.read(row, found.cells());
        Ok(found)
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        let found = self.store.get_many(rows, columns)?;
        self.meter.add(|costs| costs.seeks += rows.len() as u64);
        rows.iter().zip(&found).for_each(|(row, found)| self.meter.read(row, found.cells()));
        Ok(found)
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        self.meter.add(|costs| costs.seeks += scan.ranges.len() as u64);
        Box::new(CountedRows { rows: self.store.scan(scan, columns), meter: self.meter.clone() })
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.store.mutate(row, mutation)?;
        self.meter.wrote(row, mutation);
        Ok(())
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        self.store.mutate_many(rows)?;
        rows.iter().for_each(|(row, mutation)| self.meter.wrote(row, mutation));
        Ok(())
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        let sums = self.store.increment(row, counters)?;
        let written = counters.iter().zip(&sums);
        self.meter
            .wrote(row, &written.fold(Mutation::new(), |all, ((column, _), sum)| all.put(column, sum.to_be_bytes())));
        Ok(sums)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        let written = self.store.check_and_mutate(row, check, mutation)?;
        self.meter.add(|costs| costs.seeks += 1);
        if written {
            self.meter.wrote(row, mutation);
        }
        Ok(written)
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.store.split_points()
    }

    fn exists(&self, row: &[u8]) -> Result<bool, Error> {
        self.meter.add(|costs| costs.seeks += 1);
        self.store.exists(row)
    }
}

struct CountedRows {
    rows: Box<dyn Rows>,
    meter: Meter,
}

impl Rows for CountedRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.rows.next_batch(batch)?;
        batch.iter().for_each(|(row, cells)| self.meter.read(row, CellIter::new(cells)));
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}
