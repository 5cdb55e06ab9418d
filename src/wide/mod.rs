//! Wide rows: families of sorted columns, each with versions, as HBase and Bigtable keep them.
//!
//! [`WideStore`] is one table of such rows. HBase and Bigtable serve it natively; [`Cells`] serves it over any
//! [`Store`](crate::store::Store), a cell being one entry under a derived key. [`OneColumn`] is the way back: plain key →
//! value over any wide store.
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
//! # What holds
//!
//! Semantics follow HBase, as it was seen to do: `tests/wide/hbase.cases`, `pages.cases` and `hbase_more.cases` have what HBase 2.6
//! answered in 177 doubtful cases, and the tests ask [`Cells`] the same.
//!
//! - **A write without a timestamp is the latest there is**, in `Cells`. Its time is the clock's when it is written. A put removes
//!   its column's versions and deletes that have that time or a later one; a later delete of the whole family is moved back to
//!   just before it. A delete removes what it names in the same way. So what returned `Ok` takes effect at once, whatever was
//!   there: another write of the same millisecond, one of a handle whose clock is ahead, one from before the clock was put back,
//!   one whose timestamp was given and lies in the future. Increments, mutations under a condition and `delete_latest` are such
//!   writes.
//!
//!   It costs history: what is removed is gone for good, so a handle whose clock is a minute behind removes the last minute's
//!   versions of each column that it puts. Where versions are a history, give timestamps ([`Mutation::put_at`]).
//! - A row's key is not empty. Families sort by name, qualifiers by their bytes (the empty one first), versions by their
//!   timestamps, newest first. Two writes to one column with one timestamp (given, or in one millisecond) are one version,
//!   the later one.
//! - Deletes write markers. A marker hides what is as old as it says or older, also what is written later with such a
//!   timestamp, until [`Cells::purge`] drops it (HBase: a major compaction), or until a write without a timestamp to what it hides
//!   moves it back; a delete of a family that is moved back hides less in its other columns, too.
//! - A family keeps its newest [`max_versions`](FamilySchema::max_versions). Older ones are not read any more but may be
//!   there until they are purged; so a newest version that is deleted uncovers the one before it.
//! - Expired versions are not read, unless they are among the newest [`min_versions`](FamilySchema::min_versions) of their column.
//!   Time to live counts from the version's timestamp to the reader's clock.
//! - What is read of a column: not the deleted versions, nor the expired ones; of the rest those in the time range; of
//!   these as many as the family keeps; of these those with the right value; of these as many as were asked for. Columns
//!   that have none left take no place in a page.
//!
//! # Where engines differ
//!
//! What holds above is `Cells`'. Each row here is a field of [`WideGuarantees`], in which a store says what it does:
//! `store.guarantees()`. What HBase and Bigtable do was recorded (`tests/wide/*.cases`; Bigtable's from its emulator);
//! `differences.cases` and `bigtable.differences.cases` have where `Cells` answers otherwise.
//!
//! | | HBase | Bigtable | `Cells` | guarantee |
//! |---|---|---|---|---|
//! | a mutation of a row is seen whole | yes | yes | if a batch of its store is atomic, and scans are snapshots | [`atomic_rows`](WideGuarantees::atomic_rows) |
//! | a scan shows one moment | no | no | as its store | [`snapshot_scans`](WideGuarantees::snapshot_scans) |
//! | timestamps | 0 to `i64::MAX` - 1; `i64::MAX` is the server's time | 0 to `i64::MAX` / 1000, kept in microseconds | 0 to `i64::MAX` | [`timestamps`](WideGuarantees::timestamps) |
//! | whose clock stamps | the server's | this process's a put, so that it can be sent again; the server's a counter | this process's | [`clock`](WideGuarantees::clock) |
//! | a put without a timestamp, where a version or a delete has a later time | has the clock's time, and is hidden; under a check it has the checked cell's time, if that is later; a counter has one ahead of its cell's | has the clock's time, and is not the newest | is the latest there is, and later versions go: the rule above | [`untimed_puts`](WideGuarantees::untimed_puts) |
//! | a delete without a timestamp, where a version has a later time | the version stays | the version goes | the version goes | [`untimed_deletes`](WideGuarantees::untimed_deletes) |
//! | a put in the millisecond of the delete before it | is hidden | is there | is there | [`put_after_delete`](WideGuarantees::put_after_delete) |
//! | deletes and puts in one mutation, without timestamps | deletes hide puts, whatever their order, and `delete_latest` looks at the row as it was before | take effect in their order | take effect in their order | [`edit_order`](WideGuarantees::edit_order) |
//! | a delete, and what is written later with a timestamp that it covers | hides it | leaves it | hides it | [`deletes`](WideGuarantees::deletes) |
//! | a delete of a family or a row up to a timestamp | there | refused | there | [`delete_family_until`](WideGuarantees::delete_family_until) |
//! | [`Mutation::delete_latest`] where nothing is | writes a marker | refused, as any `delete_latest` | does nothing | [`delete_latest`](WideGuarantees::delete_latest) |
//! | a put whose marker was compacted before it was flushed | comes back | has no marker | is purged with what is hidden | [`deleted_for_good`](WideGuarantees::deleted_for_good) |
//! | versions that are expired, or more than the family keeps | are not read | can be read until they are collected | are not read | [`kept_on_read`](WideGuarantees::kept_on_read) |
//! | when they go | with a flush or a compaction | when they are collected | with `purge`; a counter's old value at once in a family of one version | [`unkept_until_purge`](WideGuarantees::unkept_until_purge) |
//! | counters | there | there | with transactions of its store | [`increment`](WideGuarantees::increment) |
//! | a counter twice in one increment | each is added to the value before | the second is added to the first's sum | the second is added to the first's sum | [`repeated_counters`](WideGuarantees::repeated_counters) |
//! | writes under a check | there | there | with transactions of its store | [`check_and_mutate`](WideGuarantees::check_and_mutate) |
//! | [`Condition::absent`] and an empty value; a check that compares with the empty value | an empty value is absent; every operator but ≠ is read as = | as any other value | as any other value | [`empty_values`](WideGuarantees::empty_values) |
//! | a mutation of no such family, under a check that fails | the check fails | the check fails | is refused | [`validated_first`](WideGuarantees::validated_first) |
//! | a page of columns with several versions | has the newest version of each | has the newest version of each | has as many of each as were asked for | [`page_versions`](WideGuarantees::page_versions) |
//! | a page over the empty qualifier | counts each of its versions as a column, whatever is read of them | counts it as one column | counts it as one column | [`page_empty_qualifier`](WideGuarantees::page_empty_qualifier) |
//! | a row's condition on a column that is not read, or of no family | takes the column for absent | sees it; is refused | sees it; is refused | [`row_conditions`](WideGuarantees::row_conditions) |
//! | pieces of a row under a condition on it | are refused | are cut when the row is known | are cut when the row is known | [`pieces_under_conditions`](WideGuarantees::pieces_under_conditions) |
//! | an empty or negative time range, no version, a limit of no column | are refused; nothing is read | nothing is read, but an end of 0 is no end; are refused | nothing is read | [`empty_reads`](WideGuarantees::empty_reads) |
//! | a table made with split points has regions that meet there | yes | yes, but not in the emulator | as its store | [`split_points`](WideGuarantees::split_points) |
//! | longest row key, qualifier, value | 32,767 bytes; a cell with its key has 10 MiB unless configured | 4 KiB as documented, the emulator takes more; a value of 10 MiB is taken | as its store | [`limits`](WideGuarantees::limits) |
//!
//! What the clients of engines differ in besides is alike for all stores. A family and one of its columns in one read are that column
//! alone in HBase, and cells that come twice in Bigtable; [`Columns`] makes them the family before a store sees them. HBase's pages
//! count columns, or cells by family, and Bigtable's cells; [`Columns::limit`](Columns::limit()) counts columns. A limit of no row is
//! none in both; here a scan with it has no row, as one of a plain store. Bigtable has no family to refuse, and its families have no
//! order; a store has its schema, refuses what is not in it, and sorts.

mod bounded;
mod cells;
mod check;
mod column;
mod guarantees;
mod mutation;
mod one_column;
mod row;
mod schema;

use std::sync::Arc;

pub use self::cells::{CellKey, Cells, CellsDatabase, Entry, Kind, Place, PurgeReport, Version};
pub use self::check::{WideLimits, check_mutation};
pub use self::column::{Column, Columns, Compare, Condition};
pub use self::guarantees::{
    ClockOf, DeleteLatest, Deletes, EditOrder, EmptyValues, PageVersions, RepeatedCounters, RowConditions,
    TimestampUnit, Timestamps, UntimedDeletes, UntimedPuts, WideGuarantees,
};
pub use self::mutation::{Edit, Mutation};
pub use self::one_column::{OneColumn, OneColumnDatabase};
pub use self::row::{Cell, CellIter, Row, push_cell};
pub use self::schema::{Change, FamilySchema, SchemaError, TableSchema};
use crate::keys::range::KeyRange;
use crate::store::error::{Error, RowErrors};
use crate::store::options::{Within, handles};
use crate::store::{CallOptions, DatabaseId, NewTable, RowBatch, Rows, Scan, TableId};

/// One table of wide rows.
///
/// A method that writes begins with [`TableId::check_write`], and each with [`CallOptions::begin`], as those of a
/// [`Store`](crate::store::Store) do.
pub trait WideStore: Send + Sync {
    /// Which table of which database it is; of a wrapper, what it wraps.
    fn id(&self) -> &TableId;

    /// What bounds the calls of this handle; of a wrapper, those of what it wraps.
    fn options(&self) -> &CallOptions;

    /// A handle to the same table with these options in place of those of this handle.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore>;

    /// What this store promises.
    fn guarantees(&self) -> WideGuarantees;

    /// The table's families.
    fn schema(&self) -> &TableSchema;

    /// The cells of a row that are asked for; an empty [`Row`] if there are none.
    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error>;

    /// Rows, in the order asked for.
    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        let store = Within::one_call(&self as &dyn WideStore);
        rows.iter().map(|row| store.get(row, columns)).collect()
    }

    /// Opens a scan of rows; the value of each is its cells ([`CellIter`]). Rows of which nothing is asked for do not
    /// come, nor do they count for its limit. In a reverse scan the rows are reversed, the cells in a row are not.
    ///
    /// It owns what it needs, so it can move to a thread; an error of opening is what its first [`Rows::next_batch`]
    /// answers.
    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows>;

    /// Writes to a row, atomically where [`WideGuarantees::atomic_rows`] says so. Otherwise a mutation that failed can have written
    /// some of its cells.
    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error>;

    /// Writes to rows, each as one; of two mutations of one row the later comes later. What is not valid (an empty row key, no
    /// such family, too large, a negative timestamp) is refused before anything is written. Default: one after another, all of
    /// them, whatever fails.
    ///
    /// # Errors
    ///
    /// With [`Error::Rows`] the mutations that it names failed, and all others are in. Any other error is of the whole call, and
    /// nothing of it is written, unless its [kind](crate::ErrorKind) is `OutcomeUnknown`.
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

    /// Adds to counters of a row, as one, and answers their new values. A counter is eight bytes, big-endian, two's
    /// complement; an absent one is 0; it wraps around. If one of them is no counter, none is changed:
    /// [`Error::NotACounterCell`].
    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error>;

    /// Writes to a row if a condition on one of its columns holds; answers whether it did.
    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error>;

    /// The row keys at which the table's regions meet now, as of [`Store::split_points`](crate::store::Store::split_points).
    /// Default: none.
    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(Vec::new())
    }

    /// Whether there is such a row.
    fn exists(&self, row: &[u8]) -> Result<bool, Error> {
        Ok(!self.get(row, &Columns::all().first_only())?.is_empty())
    }

    /// The first row at or after a key, with its key; it is whole, whatever the pieces asked for.
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
/// A method that makes a table, alters one or drops one begins with [`DatabaseId::check_write`].
pub trait WideDatabase: Send + Sync {
    /// Which database it is: one for all its handles, as of a [`Database`](crate::store::Database).
    fn id(&self) -> DatabaseId;

    /// What bounds the calls of this handle, and of the tables that it opens.
    fn options(&self) -> &CallOptions;

    /// A handle to the same database with these options in place of those of this handle. The tables that it opens have them too.
    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase>;

    /// What the tables promise.
    fn guarantees(&self) -> WideGuarantees;

    /// Opens a table; it is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if it is there with another schema; it says what of it [`Self::alter`] can change.
    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;

    /// Opens a table that is there.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it is not; it is not made. [`Error::Schema`] as of [`Self::table`].
    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;

    /// Makes a table that is not there. Of several that make one at once, one does.
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if it is there, which is left as it is. [`Error::SplitPoint`], [`Error::TableOption`],
    /// [`Error::Family`] if it can't be made so.
    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error>;

    /// The schema of a table, if there is one.
    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error>;

    /// Changes a table's schema and returns what was changed. A schema without families changes what is kept of the row keys
    /// alone. Handles from before keep to the schema that they were
    /// opened with.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`], and nothing is changed, if the table, with its rows, can't have it.
    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error>;

    /// The names of the wide tables, sorted.
    fn tables(&self) -> Result<Vec<String>, Error>;

    /// Drops a table and its rows; nothing happens where there is none.
    fn drop_table(&self, name: &str) -> Result<(), Error>;
}

macro_rules! through_a_pointer {
    ($inner:ident: $($pointer:ty),*) => {$(
        impl<$inner: WideStore + ?Sized> WideStore for $pointer {
            fn id(&self) -> &TableId {
                (**self).id()
            }
            fn options(&self) -> &CallOptions {
                (**self).options()
            }
            fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
                (**self).with_options(options)
            }
            fn guarantees(&self) -> WideGuarantees {
                (**self).guarantees()
            }
            fn schema(&self) -> &TableSchema {
                (**self).schema()
            }
            fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
                (**self).get(row, columns)
            }
            fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
                (**self).get_many(rows, columns)
            }
            fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
                (**self).scan(scan, columns)
            }
            fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
                (**self).mutate(row, mutation)
            }
            fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
                (**self).mutate_many(rows)
            }
            fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
                (**self).increment(row, counters)
            }
            fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
                (**self).check_and_mutate(row, check, mutation)
            }
            fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
                (**self).split_points()
            }
            fn exists(&self, row: &[u8]) -> Result<bool, Error> {
                (**self).exists(row)
            }
            fn first_at_or_after(&self, row: &[u8], columns: &Columns) -> Result<Option<(Vec<u8>, Row)>, Error> {
                (**self).first_at_or_after(row, columns)
            }
        }

        impl<$inner: WideDatabase + ?Sized> WideDatabase for $pointer {
            fn id(&self) -> DatabaseId {
                (**self).id()
            }
            fn options(&self) -> &CallOptions {
                (**self).options()
            }
            fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
                (**self).with_options(options)
            }
            fn guarantees(&self) -> WideGuarantees {
                (**self).guarantees()
            }
            fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
                (**self).table(name, schema)
            }
            fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
                (**self).open_table(name, schema)
            }
            fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
                (**self).create_table(name, schema, new)
            }
            fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
                (**self).schema(name)
            }
            fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
                (**self).alter(name, schema)
            }
            fn tables(&self) -> Result<Vec<String>, Error> {
                (**self).tables()
            }
            fn drop_table(&self, name: &str) -> Result<(), Error> {
                (**self).drop_table(name)
            }
        }
    )*};
}
through_a_pointer!(T: &T, Box<T>, Arc<T>);
handles!(WideStore, WideDatabase);
