//! Wide rows: column families of sorted columns, each with timestamped versions, as in HBase and Bigtable.
//!
//! - [`WideStore`] is one table of wide rows, as HBase and Bigtable serve it.
//! - [`Cells`] emulates HBase rows on a key-value store: any [`Store`](crate::store::Store), one entry per cell.
//! - [`OneColumn`] is the reverse: a plain table over one column of wide rows.
//!
//! ```
//! use rowkey::Memory;
//! use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
//!
//! let schema = TableSchema::new().family("page", FamilySchema::new().max_versions(5));
//! let visits = Cells::open(&Memory::new(), "visits", &schema)?;
//! for url in ["/", "/search", "/cart"] {
//!     visits.mutate(b"visitor 7", &Mutation::new().put("page:url", url))?;
//! }
//! assert_eq!(visits.get(b"visitor 7", &Columns::of("page:url"))?.value("page:url"), Some(&b"/cart"[..]));
//! # Ok::<(), rowkey::Error>(())
//! ```
//!
//! # Semantics
//!
//! `Cells` follows HBase as it was observed: `tests/wide/hbase.cases`, `pages.cases` and `hbase_more.cases` record what
//! HBase 2.6 returned in 177 doubtful cases, and the tests compare [`Cells`] with them.
//!
//! - **In `Cells`, a write without a timestamp is the latest write.** It has the clock's time. A put removes those
//!   versions and deletes of its column that have the same time or a later one; a later delete of the whole family is
//!   moved back to just before the put. A delete removes later versions in the same way. So a write that returned `Ok`
//!   takes effect at once, whatever was stored: a write of the same millisecond, a write by a handle whose clock is
//!   ahead, a write from before the clock stepped back, a write with a timestamp in the future. Increments, conditional
//!   mutations and `delete_latest` are writes without a timestamp, too.
//!
//!   This removes history for good: a handle whose clock is a minute slow removes the last minute's versions of each
//!   column that it puts. If versions are your history, give timestamps ([`Mutation::put_at`]).
//! - **Order.** A row's key is not empty. Families sort by name, qualifiers by their bytes (the empty one first),
//!   versions from the newest to the oldest. Two writes to one column with the same timestamp (given, or in one
//!   millisecond) are one version: the later write.
//! - **Deletes write markers** (tombstones). A marker hides all cells with its timestamp or an older one, including
//!   cells that are written later with such a timestamp. It does so until [`Cells::purge`] drops it (in HBase: a major
//!   compaction), or until a write without a timestamp to a cell that it hides moves it back. A family's marker that is
//!   moved back hides less in the family's other columns, too.
//! - **Versions.** A family keeps its newest [`max_versions`](FamilySchema::max_versions). Older versions are not
//!   returned but may be stored until they are purged. So deleting the newest version can uncover the one before it.
//! - **TTL.** Expired versions are not returned, unless they are among the newest
//!   [`min_versions`](FamilySchema::min_versions) of their column. The time to live counts from the version's timestamp
//!   to the reader's clock.
//! - **Order of the filters.** A read of a column drops deleted versions, then expired ones, then those outside of the
//!   time range, then those beyond the number that the family keeps, then those with another value, then those beyond
//!   the number asked for. A column without a version left takes no place in a page.
//!
//! # Where engines differ
//!
//! The rules above are those of `Cells`. Each row of this table is a field of [`WideGuarantees`], in which a store
//! declares what it does: `store.guarantees()`. The behaviour of HBase and Bigtable was recorded (`tests/wide/*.cases`;
//! Bigtable's from its emulator); `differences.cases` and `bigtable.differences.cases` record where `Cells` differs.
//! The columns of HBase and Bigtable are the behaviour of their servers. Where the crate `rowkey-hbase` or
//! `rowkey-bigtable` declares something else, because it decides before it sends, its name is there.
//!
//! | | HBase | Bigtable | `Cells` | guarantee |
//! |---|---|---|---|---|
//! | a mutation of a row is atomic | yes | yes | if batches of its store are atomic and scans are snapshots | [`atomic_rows`](WideGuarantees::atomic_rows) |
//! | a scan reads a snapshot | no | no | as its store | [`snapshot_scans`](WideGuarantees::snapshot_scans) |
//! | timestamps | 0 to `i64::MAX` - 1; `i64::MAX` is the server's time | 0 to `i64::MAX` / 1000, kept in microseconds | 0 to `i64::MAX` | [`timestamps`](WideGuarantees::timestamps) |
//! | whose clock stamps | the server's; with `rowkey-hbase` this process's, if it is given one | a put: this process's, so that it can be sent again; a counter: the server's | this process's | [`clock`](WideGuarantees::clock) |
//! | a put without a timestamp, if a version or a delete has a later time | has the clock's time, and is hidden; under a check of a value it has that cell's time, if that is later; a counter has a time after its cell's | has the clock's time, and is not the newest | is the latest write, and later versions are removed: the rule above | [`untimed_puts`](WideGuarantees::untimed_puts) |
//! | a delete without a timestamp, if a version has a later time | the version stays; `rowkey-hbase` removes it under a condition on this column, if nothing else is changed | the version is removed | the version is removed | [`untimed_deletes`](WideGuarantees::untimed_deletes) |
//! | a put in the same millisecond as the delete before it | is hidden; with `rowkey-hbase` is returned, as a delete waits a millisecond | is returned | is returned | [`put_after_delete`](WideGuarantees::put_after_delete) |
//! | deletes and puts in one mutation, without timestamps | deletes hide puts, whatever their order, and `delete_latest` uses the row as it was before | take effect in order | take effect in order | [`edit_order`](WideGuarantees::edit_order) |
//! | a delete, and a later write with a timestamp that it covers | hides the write | leaves the write | hides the write | [`deletes`](WideGuarantees::deletes) |
//! | a delete of a family or a row up to a timestamp | supported | refused | supported | [`delete_family_until`](WideGuarantees::delete_family_until) |
//! | [`Mutation::delete_latest`] of a column without a version | writes a marker | refused, as any `delete_latest` | does nothing | [`delete_latest`](WideGuarantees::delete_latest) |
//! | a put whose delete marker was compacted before the put was flushed | reappears | has no marker | is purged with the marker, unless it comes while its row [is being purged](Cells::purge) | [`deleted_for_good`](WideGuarantees::deleted_for_good) |
//! | versions that are expired, or more than the family keeps | are not returned | may be returned until they are collected | are not returned | [`kept_on_read`](WideGuarantees::kept_on_read) |
//! | when they are removed | with a flush or a compaction | when they are collected | with `purge`; a counter's old value at once in a family of one version | [`unkept_until_purge`](WideGuarantees::unkept_until_purge) |
//! | the time of a counter | is a millisecond after the value before, or the clock's, if that is later: many increments in one millisecond run ahead of the clock | the clock's | the clock's | [`counter_times`](WideGuarantees::counter_times) |
//! | counters | supported | supported | with transactions of its store | [`increment`](WideGuarantees::increment) |
//! | a counter twice in one increment | each is added to the value before; `rowkey-hbase` adds the second to the first's sum | the second is added to the first's sum | the second is added to the first's sum | [`repeated_counters`](WideGuarantees::repeated_counters) |
//! | writes under a check | supported | supported | with transactions of its store | [`check_and_mutate`](WideGuarantees::check_and_mutate) |
//! | [`Condition::absent`] and an empty value; a check that compares with the empty value | an empty value is absent; every operator but ≠ means =; with `rowkey-hbase` it is absent, and compares as any other value | as any other value | as any other value | [`empty_values`](WideGuarantees::empty_values) |
//! | a mutation of no such family, under a check that fails | the check fails; `rowkey-hbase` refuses it | the check fails; `rowkey-bigtable` refuses it | is refused | [`validated_first`](WideGuarantees::validated_first) |
//! | a page of columns with several versions | has the newest version of each | has the newest version of each | has as many of each as were asked for | [`page_versions`](WideGuarantees::page_versions) |
//! | a page over the empty qualifier | counts each of its versions as a column, whatever is read of them; with `rowkey-hbase` as one column | counts it as one column | counts it as one column | [`page_empty_qualifier`](WideGuarantees::page_empty_qualifier) |
//! | a row's condition on a column that is not read, or of no family | treats the column as absent | sees it; is refused | sees it; is refused | [`row_conditions`](WideGuarantees::row_conditions) |
//! | pieces of a row under a condition on it | are refused; with `rowkey-hbase` supported, after the row is read | supported, after the row is read | supported, after the row is read | [`pieces_under_conditions`](WideGuarantees::pieces_under_conditions) |
//! | a read that asks for nothing: a time range without a millisecond of 1970 or later, no version, a limit of no column | a range that is backward or negative, and no version, are refused; the rest returns nothing; `rowkey-hbase` returns nothing | a range returns nothing, but an end of 0 means no end; no version, and a limit of no column, are refused; `rowkey-bigtable` returns nothing | returns nothing | [`empty_reads`](WideGuarantees::empty_reads) |
//! | a table created with split points is split into regions there | yes | yes; the emulator ignores them, and `rowkey-bigtable` does not declare them there | as its store | [`split_points`](WideGuarantees::split_points) |
//! | maximum length of row key, qualifier, value | 32,767 bytes; a cell with its key has 10 MiB unless configured | 4 KiB, 16 KiB, 100 MiB as documented; the emulator accepts more, and `rowkey-bigtable` refuses it | as its store | [`limits`](WideGuarantees::limits) |
//!
//! Other differences between the engines' clients are hidden, so all stores behave alike:
//!
//! - A family and one of its columns in one read are that column alone in HBase, and cells that come twice in Bigtable.
//!   [`Columns`] turns them into the family before a store sees them.
//! - HBase's pages count columns, or cells by family; Bigtable's count cells. [`Columns::limit`](Columns::limit())
//!   counts columns.
//! - A limit of no row means no limit in both. Here a scan with it has no rows, as in a plain store.
//! - Bigtable does not refuse unknown families, and its families have no order. A store has its schema, refuses other
//!   families, and sorts by family.

mod bounded;
pub mod catalog;
mod cells;
mod check;
mod client_filter;
mod column;
mod counters;
mod guarantees;
mod mutation;
pub(crate) mod one_column;
pub(crate) mod plain_value;
mod row;
mod schema;

use std::sync::Arc;

pub use self::cells::{CellKey, Cells, CellsDatabase, Entry, Kind, Place, PurgeCounts, Version};
pub(crate) use self::cells::{Inside, Position, Purged};
pub use self::check::{WideLimits, check_mutation, check_wide_name};
pub use self::client_filter::ClientFilter;
pub use self::column::{Column, Columns, Compare, Condition};
pub use self::counters::{counter_columns, counter_sums, not_a_counter};
pub use self::guarantees::{
    ClockOf, CounterTimes, DeleteLatest, Deletes, EditOrder, EmptyValues, PageVersions, RepeatedCounters,
    RowConditions, TimestampUnit, Timestamps, UntimedDeletes, UntimedPuts, WideGuarantees,
};
pub use self::mutation::{Edit, Mutation};
pub use self::one_column::{OneColumn, OneColumnDatabase};
pub use self::row::{Cell, CellIter, Row, push_cell};
pub use self::schema::{Change, FamilySchema, SchemaError, TableSchema};
use crate::keys::range::KeyRange;
use crate::store::error::{Error, RowErrors};
use crate::store::options::{Within, handles};
use crate::store::pointers::through_pointers;
use crate::store::{CallOptions, DatabaseId, NewTable, RowBatch, Rows, Scan, TableId};

/// One table of wide rows.
///
/// For authors of engines: a method that writes calls [`TableId::check_write`] first, and every method calls
/// [`CallOptions::begin`], as in a [`Store`](crate::store::Store).
#[doc(alias = "HTable")]
pub trait WideStore: Send + Sync {
    /// The id of this table. A wrapper returns the id of the table it wraps.
    fn id(&self) -> &TableId;

    /// The options of this handle. A wrapper returns the options of the store it wraps.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same table with `options`. They replace the options of this handle.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore>;

    /// The guarantees of this store.
    fn guarantees(&self) -> WideGuarantees;

    /// The table's schema: its families.
    fn schema(&self) -> &TableSchema;

    /// Reads cells of a row. Returns an empty [`Row`] if there are none.
    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error>;

    /// Reads cells of several rows, in the order of `rows`.
    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        let store = Within::one_call(&self as &dyn WideStore);
        rows.iter().map(|row| store.get(row, columns)).collect()
    }

    /// Opens a scan of rows. The value of each row is its cells ([`CellIter`]). Rows without a cell to return are left
    /// out and do not count for the limit. A reverse scan reverses the rows, not the cells in a row.
    ///
    /// The returned [`Rows`] owns what it needs, so it can move to another thread. If the scan can't be opened, the
    /// first [`Rows::next_batch`] returns the error.
    #[doc(alias = "ResultScanner")]
    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows>;

    /// Writes to a row, atomically if [`WideGuarantees::atomic_rows`]. If not, a mutation that failed may have written
    /// some of its cells: then the error is [`Error::OutcomeUnknown`]. With any other error nothing is written.
    #[doc(alias = "put")]
    #[doc(alias = "delete")]
    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error>;

    /// Writes to several rows, each as by [`mutate`](Self::mutate). Of two mutations of one row the later is applied
    /// later. Mutations that are not valid (an empty row key, no such family, a value that is too large, a negative
    /// timestamp) are refused before anything is written. Default: writes them one after another, and continues after a
    /// failure.
    ///
    /// # Errors
    ///
    /// [`Error::Rows`]: the mutations it names failed, all others are written. With any other error nothing is written,
    /// unless its [kind](crate::ErrorKind) is `OutcomeUnknown`.
    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        self.id().check_write()?;
        for (row, mutation) in rows {
            check_mutation(self.id(), row, mutation, self.schema(), &WideLimits::none())?;
        }
        self.options().begin("mutation", self.id().name())?;
        let store = Within::one_call(&self as &dyn WideStore);
        let mut failed = RowErrors::new(rows.len());
        for (index, (row, mutation)) in rows.iter().enumerate() {
            if let Err(error) = store.mutate(row, mutation) {
                failed.push(index, self.id().name(), row, error);
            }
        }
        failed.into_result()
    }

    /// Adds to counters of a row, atomically, and returns their new values. A counter is eight bytes, a big-endian
    /// two's complement integer. An absent counter is 0. The sum wraps around. If one of the cells is not a counter,
    /// none is changed: [`Error::NotACounterCell`].
    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error>;

    /// Writes to a row if a condition on one of its columns holds, atomically. Returns whether it was written.
    #[doc(alias = "checkAndPut")]
    #[doc(alias = "checkAndMutate")]
    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error>;

    /// The row keys at which the table's regions begin now, as
    /// [`Store::split_points`](crate::store::Store::split_points). Default: none.
    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(Vec::new())
    }

    /// Returns whether the row exists.
    fn exists(&self, row: &[u8]) -> Result<bool, Error> {
        Ok(!self.get(row, &Columns::all().first_only())?.is_empty())
    }

    /// Returns the first row at or after a key, with its key. The row is complete, even if `columns` asks for pieces.
    #[doc(alias = "seek")]
    fn first_at_or_after(&self, row: &[u8], columns: &Columns) -> Result<Option<(Vec<u8>, Row)>, Error> {
        let mut columns = columns.clone();
        columns.piece = None;
        let mut batch = RowBatch::new();
        self.scan(&Scan::new(vec![KeyRange::from_start(row)]).limit(1), &columns).next_batch(&mut batch)?;
        Ok(batch.get(0).map(|(key, cells)| (key.to_vec(), Row::from_cells(cells.to_vec()))))
    }
}

/// Wide tables by name.
///
/// For authors of engines: a method that creates, alters or drops a table calls [`DatabaseId::check_write`] first.
#[doc(alias = "Admin")]
pub trait WideDatabase: Send + Sync {
    /// The id of this database, the same for all its handles, as of a [`Database`](crate::store::Database).
    fn id(&self) -> DatabaseId;

    /// The options of this handle and of the tables opened through it.
    fn options(&self) -> &CallOptions;

    /// Returns a handle to the same database with `options`. They replace the options of this handle, and apply to
    /// tables opened through the new one.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase>;

    /// The guarantees of the tables.
    fn guarantees(&self) -> WideGuarantees;

    /// Opens a table, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if it exists with another schema. The error says which differences [`Self::alter`] can apply.
    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;

    /// Opens a table that exists.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it does not exist; it is not created. [`Error::Schema`] as [`Self::table`].
    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;

    /// A handle to a table that this database has opened with this schema before, without a look at whether the table
    /// is still there. If it is not, a write through the handle is an error of the kind `NotFound`, and nothing of it
    /// is written. Never waits. The default is `None`, which is right for engines whose openings ask no server.
    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn WideStore>> {
        let _ = (name, schema);
        None
    }

    /// Creates a table that does not exist. Of several concurrent calls for one name, one succeeds.
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if the table exists; it stays as it is. [`Error::SplitPoint`], [`Error::TableOption`] or
    /// [`Error::Family`] if the table can't be created so.
    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error>;

    /// The schema of a table; `None` if there is no such table.
    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error>;

    /// Changes a table's schema, and returns the changes. A schema without families changes only what is stored about
    /// the row keys. Handles opened before keep the schema that they were opened with.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if a table with rows can't be changed so. Nothing is changed.
    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error>;

    /// The names of the wide tables, sorted.
    fn tables(&self) -> Result<Vec<String>, Error>;

    /// Drops a table and its rows. Does nothing if there is no such table.
    fn drop_table(&self, name: &str) -> Result<(), Error>;
}

through_pointers!(WideStore {
    fn id(&self) -> &TableId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore>;
    fn guarantees(&self) -> WideGuarantees;
    fn schema(&self) -> &TableSchema;
    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error>;
    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error>;
    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows>;
    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error>;
    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error>;
    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error>;
    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error>;
    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error>;
    fn exists(&self, row: &[u8]) -> Result<bool, Error>;
    fn first_at_or_after(&self, row: &[u8], columns: &Columns) -> Result<Option<(Vec<u8>, Row)>, Error>;
});
through_pointers!(WideDatabase {
    fn id(&self) -> DatabaseId;
    fn options(&self) -> &CallOptions;
    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase>;
    fn guarantees(&self) -> WideGuarantees;
    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;
    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;
    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn WideStore>>;
    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error>;
    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error>;
    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error>;
    fn tables(&self) -> Result<Vec<String>, Error>;
    fn drop_table(&self, name: &str) -> Result<(), Error>;
});
handles!(WideStore, WideDatabase);
