//! The traits of asynchronous engines of wide rows.

use std::sync::Arc;

use super::one_column::cut_from_cells;
use super::{Batches, StoreFuture};
use crate::store::options::handles;
use crate::store::pointers::through_pointers;
use crate::store::{CallOptions, DatabaseId, NewTable, Scan, TableId};
use crate::wide::one_column::scan_of_cells;
use crate::wide::{Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideGuarantees};

/// One table of wide rows, of an asynchronous engine. Methods do what those of [`WideStore`](crate::wide::WideStore)
/// do, and have the same errors. See [`AsyncStore`](super::AsyncStore) for the duties of engines.
#[doc(alias = "HTable")]
pub trait AsyncWideStore: Send + Sync {
    /// The id of this table. A wrapper returns the id of the table it wraps.
    fn id(&self) -> &TableId;

    /// The options of this handle.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same table with `options`. They replace the options of this handle.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideStore>;

    /// The guarantees of this store.
    fn guarantees(&self) -> WideGuarantees;

    /// The table's schema: its families.
    fn schema(&self) -> &TableSchema;

    /// Reads cells of a row. Returns an empty [`Row`] if there are none.
    fn get(&self, row: &[u8], columns: &Columns) -> StoreFuture<'_, Row>;

    /// Reads cells of several rows, in the order of `rows`.
    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> StoreFuture<'_, Vec<Row>>;

    /// Opens a scan of rows, without waiting, as [`AsyncStore::scan`](super::AsyncStore::scan). The value of each row
    /// is its cells.
    #[doc(alias = "ResultScanner")]
    fn scan(&self, scan: &Scan, columns: &Columns) -> Batches;

    /// Opens a scan of one column, as [`scan`](Self::scan). The value of each row is that of the column's newest cell.
    ///
    /// By default the values are cut out of cells. An engine that can read them without making cells first may do so.
    fn scan_values(&self, scan: &Scan, column: &Column) -> Batches {
        cut_from_cells(self.scan(&scan_of_cells(scan), &Columns::of(column)))
    }

    /// Writes to a row.
    #[doc(alias = "put")]
    #[doc(alias = "delete")]
    fn mutate(&self, row: &[u8], mutation: &Mutation) -> StoreFuture<'_, ()>;

    /// Writes to several rows.
    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> StoreFuture<'_, ()>;

    /// Adds to counters of a row, atomically, and returns their new values.
    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> StoreFuture<'_, Vec<i64>>;

    /// Writes to a row if a condition on one of its columns holds, atomically. Returns whether it was written.
    #[doc(alias = "checkAndPut")]
    #[doc(alias = "checkAndMutate")]
    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> StoreFuture<'_, bool>;

    /// Returns the row keys at which the table's regions begin now. Default: none.
    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// Wide tables by name, of an asynchronous engine. Methods do what those of [`WideDatabase`](crate::wide::WideDatabase)
/// do, and have the same errors. See [`AsyncStore`](super::AsyncStore) for the duties of engines.
#[doc(alias = "Admin")]
pub trait AsyncWideDatabase: Send + Sync {
    /// The id of this database, the same for all its handles.
    fn id(&self) -> DatabaseId;

    /// The options of this handle and of the tables opened through it.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same database with `options`. They replace the options of this handle, and apply to
    /// tables opened through the new one.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideDatabase>;

    /// The guarantees of the tables.
    fn guarantees(&self) -> WideGuarantees;

    /// Opens a table, and creates it if it does not exist.
    fn table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>>;

    /// Opens a table that exists.
    fn open_table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>>;

    /// A handle to a table that this database has opened with this schema before, without a look at whether the table
    /// is still there. If it is not, a write through the handle is an error of the kind `NotFound`, and nothing of it
    /// is written. The default is `None`, which is right for engines whose openings ask no server.
    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn AsyncWideStore>> {
        let _ = (name, schema);
        None
    }

    /// Creates a table that does not exist.
    fn create_table(
        &self,
        name: &str,
        schema: &TableSchema,
        new: &NewTable,
    ) -> StoreFuture<'_, Arc<dyn AsyncWideStore>>;

    /// The schema of a table; `None` if there is no such table.
    fn schema(&self, name: &str) -> StoreFuture<'_, Option<TableSchema>>;

    /// Changes a table's schema, and returns the changes.
    fn alter(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Vec<Change>>;

    /// The names of the wide tables, sorted.
    fn tables(&self) -> StoreFuture<'_, Vec<String>>;

    /// Drops a table and its rows. Does nothing if there is no such table.
    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()>;
}

/// The guarantees of an engine through an adapter.
pub(super) fn promised(mut of_engine: WideGuarantees) -> WideGuarantees {
    of_engine.slow_scans = false;
    of_engine
}

through_pointers!(AsyncWideStore {
    fn id(&self) -> &TableId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideStore>;
    fn guarantees(&self) -> WideGuarantees;
    fn schema(&self) -> &TableSchema;
    fn get(&self, row: &[u8], columns: &Columns) -> StoreFuture<'_, Row>;
    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> StoreFuture<'_, Vec<Row>>;
    fn scan(&self, scan: &Scan, columns: &Columns) -> Batches;
    fn scan_values(&self, scan: &Scan, column: &Column) -> Batches;
    fn mutate(&self, row: &[u8], mutation: &Mutation) -> StoreFuture<'_, ()>;
    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> StoreFuture<'_, ()>;
    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> StoreFuture<'_, Vec<i64>>;
    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> StoreFuture<'_, bool>;
    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>>;
});
through_pointers!(AsyncWideDatabase {
    fn id(&self) -> DatabaseId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideDatabase>;
    fn guarantees(&self) -> WideGuarantees;
    fn table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>>;
    fn open_table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>>;
    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn AsyncWideStore>>;
    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncWideStore>>;
    fn schema(&self, name: &str) -> StoreFuture<'_, Option<TableSchema>>;
    fn alter(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Vec<Change>>;
    fn tables(&self) -> StoreFuture<'_, Vec<String>>;
    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()>;
});
handles!(AsyncWideStore, AsyncWideDatabase);
