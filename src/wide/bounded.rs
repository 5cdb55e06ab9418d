//! [`Bounded`] wide stores.

use std::sync::Arc;

use super::column::{Column, Columns, Condition};
use super::mutation::Mutation;
use super::row::Row;
use super::schema::{Change, TableSchema};
use super::{WideDatabase, WideGuarantees, WideStore};
use crate::store::error::Error;
use crate::store::{Bounded, CallOptions, DatabaseId, NewTable, Rows, Scan, TableId};

impl<S: WideStore + ?Sized + 'static> WideStore for Bounded<S> {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.inner.guarantees()
    }

    fn schema(&self) -> &TableSchema {
        self.inner.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        self.options.begin("get", self.id().name())?;
        self.inner.get(row, columns)
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        self.options.begin("get", self.id().name())?;
        self.inner.get_many(rows, columns)
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        self.options.rows(self.id().name(), self.inner.scan(scan, columns))
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.options.begin("mutation", self.id().name())?;
        self.inner.mutate(row, mutation)
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        self.options.begin("mutation", self.id().name())?;
        self.inner.mutate_many(rows)
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        self.options.begin("increment", self.id().name())?;
        self.inner.increment(row, counters)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.options.begin("check-and-mutate", self.id().name())?;
        self.inner.check_and_mutate(row, check, mutation)
    }

    fn exists(&self, row: &[u8]) -> Result<bool, Error> {
        self.options.begin("get", self.id().name())?;
        self.inner.exists(row)
    }

    fn first_at_or_after(&self, row: &[u8], columns: &Columns) -> Result<Option<(Vec<u8>, Row)>, Error> {
        self.options.begin("get", self.id().name())?;
        self.inner.first_at_or_after(row, columns)
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.options.begin("split points", self.id().name())?;
        self.inner.split_points()
    }
}

impl<D: WideDatabase + ?Sized + 'static> WideDatabase for Bounded<D> {
    fn id(&self) -> DatabaseId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.inner.guarantees()
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        self.options.begin("opening", name)?;
        Ok(self.inner.table(name, schema)?.with_options(&self.options))
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        self.options.begin("opening", name)?;
        Ok(self.inner.open_table(name, schema)?.with_options(&self.options))
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        self.options.begin("creation", name)?;
        Ok(self.inner.create_table(name, schema, new)?.with_options(&self.options))
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        self.options.begin("get of the schema", name)?;
        self.inner.schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        self.options.begin("alteration", name)?;
        self.inner.alter(name, schema)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.options.begin("list of tables", "")?;
        self.inner.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.options.begin("drop", name)?;
        self.inner.drop_table(name)
    }
}
