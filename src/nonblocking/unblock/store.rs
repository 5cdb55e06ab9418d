//! Plain tables.

use std::sync::Arc;

use super::Unblock;
use super::pool::{self, Does};
use crate::keys::range::KeyRange;
use crate::nonblocking::{AsyncDatabase, AsyncStore, Batches, StoreFuture, promised};
use crate::store::error::Error;
use crate::store::{Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Scan, Store, TableId};

impl<T: Store + ?Sized + 'static> Unblock<T> {
    fn on_table<R: Send + 'static>(
        &self,
        does: Does,
        call: impl FnOnce(&(dyn Store + 'static)) -> Result<R, Error> + Send + 'static,
    ) -> StoreFuture<'_, R> {
        self.on(|engine| engine as &dyn Store, does, self.engine.id().name(), call)
    }
}

impl<T: Store + ?Sized + 'static> AsyncStore for Unblock<T> {
    fn id(&self) -> &TableId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        promised(self.engine.guarantees())
    }

    fn get(&self, key: &[u8]) -> StoreFuture<'_, Option<Vec<u8>>> {
        let key = key.to_vec();
        self.on_table(Does::Read("get"), move |store| store.get(&key))
    }

    fn get_many(&self, keys: &[&[u8]]) -> StoreFuture<'_, Vec<Option<Vec<u8>>>> {
        let keys: Vec<_> = keys.iter().map(|key| key.to_vec()).collect();
        self.on_table(Does::Read("get"), move |store| {
            store.get_many(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>())
        })
    }

    fn scan(&self, scan: &Scan) -> Batches {
        let (rows, options) = (self.engine.scan(scan), self.engine.options());
        pool::batches(self.place, rows, scan, options, self.engine.id().name())
    }

    fn write(&self, batch: &Batch) -> StoreFuture<'_, ()> {
        let batch = batch.clone();
        self.on_table(Does::Write("write"), move |store| store.write(&batch))
    }

    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64> {
        let key = key.to_vec();
        self.on_table(Does::Write("increment"), move |store| store.increment(&key, by))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> StoreFuture<'_, bool> {
        let (key, expected, new) = (key.to_vec(), expected.map(<[u8]>::to_vec), new.map(<[u8]>::to_vec));
        self.on_table(Does::Write("compare-and-write"), move |store| {
            store.compare_and_write(&key, expected.as_deref(), new.as_deref())
        })
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> StoreFuture<'_, ()> {
        let ranges = ranges.to_vec();
        self.on_table(Does::Write("deletion of ranges"), move |store| store.delete_ranges(&ranges))
    }

    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        self.on_table(Does::Read("split points"), |store| store.split_points())
    }
}

impl<T: Database + ?Sized + 'static> Unblock<T> {
    fn on_tables<R: Send + 'static>(
        &self,
        does: Does,
        tables: &[&str],
        call: impl FnOnce(&(dyn Database + 'static)) -> Result<R, Error> + Send + 'static,
    ) -> StoreFuture<'_, R> {
        self.on(|engine| engine as &dyn Database, does, tables.join(", "), call)
    }

    fn open(
        &self,
        does: Does,
        table: &str,
        open: impl FnOnce(&(dyn Database + 'static)) -> Result<Arc<dyn Store>, Error> + Send + 'static,
    ) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let opened = self.on_tables(does, &[table], open);
        Box::pin(async move {
            // It has the options of the call that opened it.
            let table = opened.await?.with_options(self.engine.options());
            Ok(Arc::new(self.on_same(table)) as Arc<dyn AsyncStore>)
        })
    }
}

impl<T: Database + ?Sized + 'static> AsyncDatabase for Unblock<T> {
    fn id(&self) -> DatabaseId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncDatabase> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        promised(self.engine.guarantees())
    }

    fn table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let table = name.to_owned();
        self.open(Does::Write("opening"), name, move |db| db.table(&table))
    }

    fn open_table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let table = name.to_owned();
        self.open(Does::Read("opening"), name, move |db| db.open_table(&table))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let (table, new) = (name.to_owned(), new.clone());
        self.open(Does::Write("creation"), name, move |db| db.create_table(&table, &new))
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        self.on_tables(Does::Read("list of tables"), &[], |db| db.tables())
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        let table = name.to_owned();
        self.on_tables(Does::Write("drop"), &[name], move |db| db.drop_table(&table))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> StoreFuture<'_, ()> {
        let tables: Vec<_> = batches.iter().map(|&(name, _)| name).collect();
        let batches: Vec<_> = batches.iter().map(|&(name, batch)| (name.to_owned(), batch.clone())).collect();
        self.on_tables(Does::Write("write"), &tables, move |db| {
            db.write(&batches.iter().map(|(name, batch)| (name.as_str(), batch)).collect::<Vec<_>>())
        })
    }
}
