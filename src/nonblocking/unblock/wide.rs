//! Wide tables.

use std::sync::Arc;

use super::Unblock;
use super::pool::{self, Does};
use crate::nonblocking::wide::promised;
use crate::nonblocking::{AsyncWideDatabase, AsyncWideStore, Batches, StoreFuture};
use crate::store::error::Error;
use crate::store::{CallOptions, DatabaseId, NewTable, Scan, TableId};
use crate::wide::{
    Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideDatabase, WideGuarantees, WideStore,
};

impl<T: WideStore + ?Sized + 'static> Unblock<T> {
    fn on_wide_table<R: Send + 'static>(
        &self,
        does: Does,
        call: impl FnOnce(&(dyn WideStore + 'static)) -> Result<R, Error> + Send + 'static,
    ) -> StoreFuture<'_, R> {
        self.on(|engine| engine as &dyn WideStore, does, self.engine.id().name(), call)
    }
}

impl<T: WideStore + ?Sized + 'static> AsyncWideStore for Unblock<T> {
    fn id(&self) -> &TableId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideStore> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> WideGuarantees {
        promised(self.engine.guarantees())
    }

    fn schema(&self) -> &TableSchema {
        self.engine.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> StoreFuture<'_, Row> {
        let (row, columns) = (row.to_vec(), columns.clone());
        self.on_wide_table(Does::Read("get"), move |store| store.get(&row, &columns))
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> StoreFuture<'_, Vec<Row>> {
        let (rows, columns) = (rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), columns.clone());
        self.on_wide_table(Does::Read("get"), move |store| {
            store.get_many(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &columns)
        })
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Batches {
        let (rows, options) = (self.engine.scan(scan, columns), self.engine.options());
        pool::batches(self.place, rows, scan, options, self.engine.id().name())
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> StoreFuture<'_, ()> {
        let (row, mutation) = (row.to_vec(), mutation.clone());
        self.on_wide_table(Does::Write("mutation"), move |store| store.mutate(&row, &mutation))
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> StoreFuture<'_, ()> {
        let rows = rows.to_vec();
        self.on_wide_table(Does::Write("mutation"), move |store| store.mutate_many(&rows))
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> StoreFuture<'_, Vec<i64>> {
        let (row, counters) = (row.to_vec(), counters.to_vec());
        self.on_wide_table(Does::Write("increment"), move |store| store.increment(&row, &counters))
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> StoreFuture<'_, bool> {
        let (row, check, mutation) = (row.to_vec(), check.clone(), mutation.clone());
        self.on_wide_table(Does::Write("check-and-mutate"), move |store| {
            store.check_and_mutate(&row, &check, &mutation)
        })
    }

    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        self.on_wide_table(Does::Read("split points"), |store| store.split_points())
    }
}

impl<T: WideDatabase + ?Sized + 'static> Unblock<T> {
    fn on_wide_tables<R: Send + 'static>(
        &self,
        does: Does,
        table: &str,
        call: impl FnOnce(&(dyn WideDatabase + 'static), &str) -> Result<R, Error> + Send + 'static,
    ) -> StoreFuture<'_, R> {
        let name = table.to_owned();
        self.on(|engine| engine as &dyn WideDatabase, does, table.to_owned(), move |db| call(db, &name))
    }

    fn open_wide(
        &self,
        does: Does,
        table: &str,
        open: impl FnOnce(&(dyn WideDatabase + 'static), &str) -> Result<Arc<dyn WideStore>, Error> + Send + 'static,
    ) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let opened = self.on_wide_tables(does, table, open);
        Box::pin(async move {
            // It has the options of the call that opened it.
            let table = opened.await?.with_options(self.engine.options());
            Ok(Arc::new(self.on_same(table)) as Arc<dyn AsyncWideStore>)
        })
    }
}

impl<T: WideDatabase + ?Sized + 'static> AsyncWideDatabase for Unblock<T> {
    fn id(&self) -> DatabaseId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideDatabase> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> WideGuarantees {
        promised(self.engine.guarantees())
    }

    fn table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let schema = schema.clone();
        self.open_wide(Does::Write("opening"), name, move |db, name| db.table(name, &schema))
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let schema = schema.clone();
        self.open_wide(Does::Read("opening"), name, move |db, name| db.open_table(name, &schema))
    }

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn AsyncWideStore>> {
        Some(Arc::new(self.on_same(self.engine.opened_table(name, schema)?)))
    }

    fn create_table(
        &self,
        name: &str,
        schema: &TableSchema,
        new: &NewTable,
    ) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (schema, new) = (schema.clone(), new.clone());
        self.open_wide(Does::Write("creation"), name, move |db, name| db.create_table(name, &schema, &new))
    }

    fn schema(&self, name: &str) -> StoreFuture<'_, Option<TableSchema>> {
        self.on_wide_tables(Does::Read("schema"), name, |db, name| db.schema(name))
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Vec<Change>> {
        let schema = schema.clone();
        self.on_wide_tables(Does::Write("alteration"), name, move |db, name| db.alter(name, &schema))
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        self.on_wide_tables(Does::Read("list of tables"), "", |db, _| db.tables())
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        self.on_wide_tables(Does::Write("drop"), name, |db, name| db.drop_table(name))
    }
}
