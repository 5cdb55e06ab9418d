//! Plain tables.

use std::sync::Arc;

use super::Blocking;
use crate::keys::range::KeyRange;
use crate::nonblocking::{AsyncDatabase, AsyncStore, StoreFuture, promised};
use crate::store::error::Error;
use crate::store::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, Rows, Scan, Store, TableId,
};

impl<T: AsyncStore + 'static> Blocking<T> {
    fn read_table<R: Send + 'static>(
        &self,
        call: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        self.call(self.engine.options(), self.engine.id().name(), call)
    }

    fn write_table<R: Send + 'static>(
        &self,
        call: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        let id = self.engine.id();
        self.write_call(self.engine.options(), id.database(), &[id.name()], call)
    }
}

impl<T: AsyncStore + 'static> Readable for Blocking<T> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let key = key.to_vec();
        self.read_table(move |engine| engine.get(&key))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let is_snapshot = self.engine.guarantees().snapshot_scans;
        self.rows(scan, is_snapshot, self.engine.options(), self.engine.id().name(), T::scan)
    }
}

impl<T: AsyncStore + 'static> Store for Blocking<T> {
    fn id(&self) -> &TableId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        promised(self.engine.guarantees())
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let keys: Vec<_> = keys.iter().map(|key| key.to_vec()).collect();
        self.read_table(move |engine| engine.get_many(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>()))
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        let batch = batch.clone();
        self.write_table(move |engine| engine.write(&batch))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        let key = key.to_vec();
        self.write_table(move |engine| engine.increment(&key, by))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        let (key, expected, new) = (key.to_vec(), expected.map(<[u8]>::to_vec), new.map(<[u8]>::to_vec));
        self.write_table(move |engine| engine.compare_and_write(&key, expected.as_deref(), new.as_deref()))
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        let ranges = ranges.to_vec();
        self.write_table(move |engine| engine.delete_ranges(&ranges))
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.read_table(T::split_points)
    }
}

impl<T: AsyncDatabase + 'static> Blocking<T> {
    fn opened(&self, table: Arc<dyn AsyncStore>) -> Arc<dyn Store> {
        Arc::new(self.on_same(table))
    }
}

impl<T: AsyncDatabase + 'static> Database for Blocking<T> {
    fn id(&self) -> DatabaseId {
        self.engine.id()
    }

    fn options(&self) -> &CallOptions {
        self.engine.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(self.on_same(self.engine.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        promised(self.engine.guarantees())
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        let (existing, any) = (name.to_owned(), name.to_owned());
        let table = self.open_call(
            self.engine.options(),
            self.engine.id(),
            name,
            move |engine| engine.open_table(&existing),
            move |engine| engine.table(&any),
        )?;
        Ok(self.opened(table))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        let table = name.to_owned();
        let table = self.call(self.engine.options(), name, move |engine| engine.open_table(&table))?;
        Ok(self.opened(table))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        let (table, new) = (name.to_owned(), new.clone());
        Ok(self.opened(self.write_call(self.engine.options(), self.engine.id(), &[name], move |engine| {
            engine.create_table(&table, &new)
        })?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.call(self.engine.options(), "", T::tables)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        let table = name.to_owned();
        self.write_call(self.engine.options(), self.engine.id(), &[name], move |engine| engine.drop_table(&table))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        let tables: Vec<_> = batches.iter().map(|&(name, _)| name).collect();
        let batches: Vec<_> = batches.iter().map(|&(name, batch)| (name.to_owned(), batch.clone())).collect();
        self.write_call(self.engine.options(), self.engine.id(), &tables, move |engine| {
            engine.write(&batches.iter().map(|(name, batch)| (name.as_str(), batch)).collect::<Vec<_>>())
        })
    }
}
