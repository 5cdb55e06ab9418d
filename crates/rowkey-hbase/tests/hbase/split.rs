//! A database whose tables have regions from the beginning, between the keys of the suites.

use std::sync::Arc;

use rowkey::Error;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore, StoreFuture};
use rowkey::store::{CallOptions, DatabaseId, NewTable};
use rowkey::wide::{Change, TableSchema, WideGuarantees};
use rowkey_hbase::HBase;

/// The keys of the suites are a few letters, and bytes of either end.
const POINTS: [&[u8]; 15] =
    [b"\0", b"\0\0", b"\x01", b"\x02", b"\x10", b"a", b"b", b"k", b"n", b"r", b"r\0", b"r\x02", b"s", b"\x80", b"\xff"];

/// Creates each table with sixteen regions.
#[derive(Clone)]
pub(crate) struct Split(pub(crate) HBase);

impl AsyncWideDatabase for Split {
    fn id(&self) -> DatabaseId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideDatabase> {
        self.0.with_options(options)
    }

    fn guarantees(&self) -> WideGuarantees {
        self.0.guarantees()
    }

    fn table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move {
            match self.0.create_table(&name, &schema, &NewTable::new().split_at(POINTS)).await {
                Err(Error::TableExists(_)) => self.0.table(&name, &schema).await,
                created => created,
            }
        })
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        self.0.open_table(name, schema)
    }

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn AsyncWideStore>> {
        self.0.opened_table(name, schema)
    }

    fn create_table(
        &self,
        name: &str,
        schema: &TableSchema,
        new: &NewTable,
    ) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        self.0.create_table(name, schema, new)
    }

    fn schema(&self, name: &str) -> StoreFuture<'_, Option<TableSchema>> {
        self.0.schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Vec<Change>> {
        self.0.alter(name, schema)
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        self.0.tables()
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        self.0.drop_table(name)
    }
}
