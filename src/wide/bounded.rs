//! [`Bounded`] wide stores.

use std::sync::Arc;

use super::column::{Column, Columns, Condition};
use super::mutation::Mutation;
use super::row::Row;
use super::schema::{Change, TableSchema};
use super::{WideDatabase, WideGuarantees, WideStore};
use crate::store::bounded::calls;
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

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        self.options.rows(self.id().name(), self.inner.scan(scan, columns))
    }

    calls! { on self.id().name();
        "get": fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error>;
        "get": fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error>;
        "get": fn exists(&self, row: &[u8]) -> Result<bool, Error>;
        "get": fn first_at_or_after(&self, row: &[u8], columns: &Columns) -> Result<Option<(Vec<u8>, Row)>, Error>;
        "mutation": fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error>;
        "mutation": fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error>;
        "increment": fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error>;
        "check-and-mutate":
            fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error>;
        "split points": fn split_points(&self) -> Result<Vec<Vec<u8>>, Error>;
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

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn WideStore>> {
        Some(self.inner.opened_table(name, schema)?.with_options(&self.options))
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        self.options.begin("creation", name)?;
        Ok(self.inner.create_table(name, schema, new)?.with_options(&self.options))
    }

    calls! { on name;
        "get of the schema": fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error>;
        "alteration": fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error>;
        "drop": fn drop_table(&self, name: &str) -> Result<(), Error>;
    }

    calls! { on "";
        "list of tables": fn tables(&self) -> Result<Vec<String>, Error>;
    }
}
