//! Wide tables.

use std::sync::Arc;

use super::Blocking;
use crate::nonblocking::wide::promised;
use crate::nonblocking::{AsyncWideDatabase, AsyncWideStore, StoreFuture};
use crate::store::error::Error;
use crate::store::{CallOptions, DatabaseId, NewTable, Rows, Scan, TableId};
use crate::wide::{
    Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideDatabase, WideGuarantees, WideStore,
};

impl<T: AsyncWideStore + 'static> Blocking<T> {
    fn read_wide<R: Send + 'static>(
        &self,
        call: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        self.call(self.engine.options(), self.engine.id().name(), call)
    }

    fn write_wide<R: Send + 'static>(
        &self,
        call: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        let id = self.engine.id();
        self.write_call(self.engine.options(), id.database(), &[id.name()], call)
    }
}

impl<T: AsyncWideStore + 'static> WideStore for Blocking<T> {
    fn id(&self) -> &TableId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> WideGuarantees {
        promised(self.engine.guarantees())
    }

    fn schema(&self) -> &TableSchema {
        self.engine.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        let (row, columns) = (row.to_vec(), columns.clone());
        self.read_wide(move |engine| engine.get(&row, &columns))
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        let (rows, columns) = (rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), columns.clone());
        self.read_wide(move |engine| engine.get_many(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &columns))
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        let (columns, is_snapshot) = (columns.clone(), self.engine.guarantees().snapshot_scans);
        let (options, table) = (self.engine.options(), self.engine.id().name());
        self.rows(scan, is_snapshot, options, table, move |engine, scan| engine.scan(scan, &columns))
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        let (row, mutation) = (row.to_vec(), mutation.clone());
        self.write_wide(move |engine| engine.mutate(&row, &mutation))
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        let rows = rows.to_vec();
        self.write_wide(move |engine| engine.mutate_many(&rows))
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        let (row, counters) = (row.to_vec(), counters.to_vec());
        self.write_wide(move |engine| engine.increment(&row, &counters))
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        let (row, check, mutation) = (row.to_vec(), check.clone(), mutation.clone());
        self.write_wide(move |engine| engine.check_and_mutate(&row, &check, &mutation))
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.read_wide(T::split_points)
    }
}

impl<T: AsyncWideDatabase + 'static> Blocking<T> {
    fn opened_wide(&self, table: Arc<dyn AsyncWideStore>) -> Arc<dyn WideStore> {
        Arc::new(self.on_same(table))
    }
}

impl<T: AsyncWideDatabase + 'static> WideDatabase for Blocking<T> {
    fn id(&self) -> DatabaseId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> WideGuarantees {
        promised(self.engine.guarantees())
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        let (existing, any) = ((name.to_owned(), schema.clone()), (name.to_owned(), schema.clone()));
        let table = self.open_call(
            self.engine.options(),
            self.engine.id(),
            name,
            move |engine| engine.open_table(&existing.0, &existing.1),
            move |engine| engine.table(&any.0, &any.1),
        )?;
        Ok(self.opened_wide(table))
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        let (table, schema) = (name.to_owned(), schema.clone());
        let table = self.call(self.engine.options(), name, move |engine| engine.open_table(&table, &schema))?;
        Ok(self.opened_wide(table))
    }

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn WideStore>> {
        Some(self.opened_wide(self.engine.opened_table(name, schema)?))
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        let (table, schema, new) = (name.to_owned(), schema.clone(), new.clone());
        let made = self.write_call(self.engine.options(), self.engine.id(), &[name], move |engine| {
            engine.create_table(&table, &schema, &new)
        })?;
        Ok(self.opened_wide(made))
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        let table = name.to_owned();
        self.call(self.engine.options(), name, move |engine| engine.schema(&table))
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        let (table, schema) = (name.to_owned(), schema.clone());
        self.write_call(self.engine.options(), self.engine.id(), &[name], move |engine| engine.alter(&table, &schema))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.call(self.engine.options(), "", T::tables)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        let table = name.to_owned();
        self.write_call(self.engine.options(), self.engine.id(), &[name], move |engine| engine.drop_table(&table))
    }
}
