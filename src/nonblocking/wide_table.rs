//! Wide tables of asynchronous engines.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::sync::Arc;

use super::driven::driven;
use super::scan::{Source, TableStream};
use super::table::{count, one, opened_late};
use super::{AsyncWideDatabase, AsyncWideStore};
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::store::{CallOptions, NewTable, Scan};
use crate::table::setup::Setup;
use crate::table::wide::open_as_part;
use crate::wide::{Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideDatabase, WideStore};

/// A table of wide rows in the asynchronous database `D`: a [`WideTable`](crate::WideTable) whose methods are futures.
///
/// ```
/// use rowkey::nonblocking::{AsyncWideTable, Unblock};
/// use rowkey::wide::{CellsDatabase, Columns, Condition, FamilySchema, Mutation, TableSchema};
/// use rowkey::{Memory, RowKey};
/// # futures_lite::future::block_on(async {
///
/// // In place of `Unblock`: a connection to HBase or Bigtable.
/// let db = Unblock::new(CellsDatabase::new(Memory::new()));
/// let schema = TableSchema::new().family("page", FamilySchema::new()).family("count", FamilySchema::new());
/// let visits: AsyncWideTable<(u64, u32), _> = AsyncWideTable::open(db, "visits", &schema).await?;
///
/// visits.mutate(&(7, 1), &Mutation::new().put("page:url", "/cart").put("page:referer", "/search")).await?;
/// visits.increment(&(7, 1), "count:clicks", 2).await?;
/// let is_cart = Condition::equal("page:url", "/cart");
/// assert!(visits.check_and_mutate(&(7, 1), &is_cart, &Mutation::new().put("page:url", "/paid")).await?);
///
/// let mut rows = visits.scan(.., Columns::of("page:url"));
/// while let Some(row) = rows.next().await {
///     let (visit, row) = row?;
///     assert_eq!((visit, row.value("page:url")), ((7, 1), Some(&b"/paid"[..])));
/// }
/// # Ok::<(), rowkey::Error>(()) }).unwrap();
/// ```
pub struct AsyncWideTable<K, D> {
    db: D,
    name: Arc<str>,
    store: Arc<dyn AsyncWideStore>,
    /// Fingerprints of its keys before their enums got more variants.
    earlier: Arc<[Fingerprint]>,
    key: PhantomData<fn() -> K>,
}

impl<K, D: Clone> Clone for AsyncWideTable<K, D> {
    fn clone(&self) -> Self {
        let Self { db, name, store, earlier, key } = self;
        Self { db: db.clone(), name: name.clone(), store: store.clone(), earlier: earlier.clone(), key: *key }
    }
}

impl<K, D> std::fmt::Debug for AsyncWideTable<K, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AsyncWideTable").field("name", &self.name).finish_non_exhaustive()
    }
}

type Open = fn(&dyn WideDatabase, &str, &TableSchema) -> Result<Arc<dyn WideStore>, Error>;

impl<K: RowKey, D: AsyncWideDatabase> AsyncWideTable<K, D> {
    /// Opens a wide table, or creates it if it does not exist. Checks and errors are those of
    /// [`WideTable::open`](crate::WideTable::open).
    ///
    /// Starts a thread that checks the stored record of the table, and ends with this call.
    pub async fn open(db: D, name: &str, schema: &TableSchema) -> Result<Self, Error> {
        Self::open_by(db, name, schema, |db, name, schema| db.table(name, schema)).await
    }

    /// Opens a wide table that exists.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it does not exist; it is not created. Otherwise as [`open`](Self::open).
    pub async fn open_existing(db: D, name: &str, schema: &TableSchema) -> Result<Self, Error> {
        Self::open_by(db, name, schema, |db, name, schema| db.open_table(name, schema)).await
    }

    /// Creates a wide table, with split points (of its row keys) and options of the engine, as
    /// [`WideTable::create`](crate::WideTable::create).
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if the table exists, with any schema; [`Error::SplitPoint`], [`Error::TableOption`] and
    /// [`Error::Family`] if it can't be created like this; [`Error::ReservedName`].
    pub async fn create(db: D, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Self, Error> {
        crate::store::catalog::check_name(name)?;
        let created = db.create_table(name, &schema.clone().row_key::<K>(), new).await;
        let store = created.map_err(|error| error.of_catalog("creation", name))?;
        Ok(Self { db, name: name.into(), store, earlier: Arc::default(), key: PhantomData })
    }

    /// A table of a store that is open already, whose rows another program keeps, as
    /// [`Table::external`](crate::Table::external).
    #[doc(alias = "foreign")]
    pub fn external(db: D, store: Arc<dyn AsyncWideStore>) -> Self {
        Self { db, name: store.id().name().into(), store, earlier: Arc::default(), key: PhantomData }
    }

    async fn open_by(db: D, name: &str, schema: &TableSchema, open: Open) -> Result<Self, Error> {
        let within = db.with_options(&db.options().from_now());
        let name: Arc<str> = name.into();
        let (of_thread, schema) = (Arc::clone(&name), schema.clone().row_key::<K>());
        let given = schema.clone();
        let (earlier, is_new) = driven(Arc::clone(&within), move |db| {
            let opened =
                open_as_part(&db as &dyn WideDatabase, &of_thread, &given, |db, schema| open(db, &of_thread, schema))?;
            Ok((opened.earlier, opened.is_new))
        })
        .await?;
        let opened = within.open_table(&name, &schema).await;
        let store = opened.map_err(|error| opened_late(error, &name, is_new))?.with_options(db.options());
        Ok(Self { db, name, store, earlier, key: PhantomData })
    }

    /// Changes the families of a table, as [`WideTable::alter`](crate::WideTable::alter).
    ///
    /// # Errors
    ///
    /// As [`WideDatabase::alter`](crate::wide::WideDatabase::alter).
    pub async fn alter(db: &D, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        db.alter(name, &schema.clone().row_key::<K>()).await
    }

    /// Drops the table with its rows. The engine decides what other handles to it do.
    pub async fn drop_table(self) -> Result<(), Error> {
        self.db.with_options(self.options()).drop_table(&self.name).await
    }
}

impl<K, D: Clone> AsyncWideTable<K, D> {
    /// A handle to the same table with these [`CallOptions`] in place of those of this handle.
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self { store: self.store.with_options(options), ..self.clone() }
    }
}

impl<K, D> AsyncWideTable<K, D> {
    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The options of this handle: timeouts and cancellation.
    pub fn options(&self) -> &CallOptions {
        self.store.options()
    }

    /// The database, with the options it had when the table was opened.
    pub fn database(&self) -> &D {
        &self.db
    }

    /// The wide store below: rows under keys of bytes.
    pub fn store(&self) -> &Arc<dyn AsyncWideStore> {
        &self.store
    }
}

impl<K: RowKey, D> AsyncWideTable<K, D> {
    /// Returns the cells of a row in these columns: an empty [`Row`] if there are none.
    pub fn get(&self, key: &K::Ref<'_>, columns: &Columns) -> impl Future<Output = Result<Row, Error>> + use<'_, K, D> {
        let (key, columns) = (key.encode(), columns.clone());
        async move { self.store.get(&key, &columns).await.map_err(|error| error.of_key(&self.name, &key)) }
    }

    /// Returns several rows, in the order of the keys given.
    pub fn get_many<'k, I>(
        &self,
        keys: I,
        columns: &Columns,
    ) -> impl Future<Output = Result<Vec<Row>, Error>> + use<'_, K, D, I>
    where
        I: IntoIterator<Item: Borrow<K::Ref<'k>>>,
    {
        let keys: Vec<_> = keys.into_iter().map(|key| key.borrow().encode()).collect();
        let columns = columns.clone();
        async move {
            let slices: Vec<_> = keys.iter().map(Vec::as_slice).collect();
            self.store.get_many(&slices, &columns).await.map_err(|error| error.of_key(&self.name, &[]))
        }
    }

    /// Returns whether the row exists.
    pub fn exists(&self, key: &K::Ref<'_>) -> impl Future<Output = Result<bool, Error>> + use<'_, K, D> {
        let key = key.encode();
        async move { Ok(!self.store.get(&key, &Columns::all().first_only()).await?.is_empty()) }
    }

    /// Writes to a row, atomically if the store has [`atomic_rows`](crate::wide::WideGuarantees::atomic_rows). If a
    /// mutation has deletes and puts, see [`edit_order`](crate::wide::WideGuarantees::edit_order).
    pub fn mutate(
        &self,
        key: &K::Ref<'_>,
        mutation: &Mutation,
    ) -> impl Future<Output = Result<(), Error>> + use<'_, K, D> {
        let (key, mutation) = (key.encode(), mutation.clone());
        async move { self.store.mutate(&key, &mutation).await }
    }

    /// Writes to several rows, to each as [`mutate`](Self::mutate) does.
    ///
    /// # Errors
    ///
    /// As [`WideTable::mutate_many`](crate::WideTable::mutate_many).
    pub fn mutate_many<'k, I, B>(&self, rows: I) -> impl Future<Output = Result<(), Error>> + use<'_, K, D, I, B>
    where
        I: IntoIterator<Item = (B, Mutation)>,
        B: Borrow<K::Ref<'k>>,
    {
        let rows: Vec<_> = rows.into_iter().map(|(key, mutation)| (key.borrow().encode(), mutation)).collect();
        async move { self.store.mutate_many(&rows).await }
    }

    /// Writes one column, encoded by the codec of its value, as [`WideTable::put`](crate::WideTable::put).
    pub fn put<V: RowValue, C: Into<Column>>(
        &self,
        key: &K::Ref<'_>,
        column: C,
        value: &V,
    ) -> impl Future<Output = Result<(), Error>> + use<'_, K, D, V, C> {
        let (key, mutation) = (key.encode(), Mutation::new().put_value(column, value));
        async move { self.store.mutate(&key, &mutation?).await }
    }

    /// Deletes a row. Some stores keep versions with a later time than the clock's
    /// ([`untimed_deletes`](crate::wide::WideGuarantees::untimed_deletes)).
    pub fn delete(&self, key: &K::Ref<'_>) -> impl Future<Output = Result<(), Error>> + use<'_, K, D> {
        self.mutate(key, &Mutation::new().delete_row())
    }

    /// Adds `by` to a counter and returns the new value. A counter that does not exist counts as 0. It is atomic:
    /// concurrent increments all count.
    ///
    /// # Errors
    ///
    /// [`Error::NotACounterCell`]; [`Error::Unsupported`] if the store has no increment.
    pub fn increment<C: Into<Column>>(
        &self,
        key: &K::Ref<'_>,
        column: C,
        by: i64,
    ) -> impl Future<Output = Result<i64, Error>> + use<'_, K, D, C> {
        let sums = self.increment_many(key, &[(column.into(), by)]);
        async move {
            let sums = sums.await?;
            sums.first().copied().ok_or_else(|| Error::engine("the store returned no new value for a counter"))
        }
    }

    /// Adds to several counters of a row, atomically, and returns their new values. For a counter that is named twice
    /// see [`repeated_counters`](crate::wide::WideGuarantees::repeated_counters).
    ///
    /// # Errors
    ///
    /// As [`Self::increment`].
    pub fn increment_many(
        &self,
        key: &K::Ref<'_>,
        counters: &[(Column, i64)],
    ) -> impl Future<Output = Result<Vec<i64>, Error>> + use<'_, K, D> {
        let (key, counters) = (key.encode(), counters.to_vec());
        async move { self.store.increment(&key, &counters).await }
    }

    /// Writes to a row, atomically, if a condition on one of its columns holds; returns whether it did, as
    /// [`WideTable::check_and_mutate`](crate::WideTable::check_and_mutate).
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no conditional writes.
    #[doc(alias = "compare_and_set")]
    pub fn check_and_mutate(
        &self,
        key: &K::Ref<'_>,
        check: &Condition,
        mutation: &Mutation,
    ) -> impl Future<Output = Result<bool, Error>> + use<'_, K, D> {
        let (key, check, mutation) = (key.encode(), check.clone(), mutation.clone());
        async move { self.store.check_and_mutate(&key, &check, &mutation).await }
    }

    /// Scans the selected rows in key order, with these columns of each, as
    /// [`WideTable::scan`](crate::WideTable::scan).
    pub fn scan(&self, select: impl Select<K>, columns: Columns) -> TableStream<K, Row> {
        let setup = Setup::new(Arc::clone(&self.name), Arc::clone(&self.earlier), select.select());
        TableStream::new(setup, Source::Wide(Arc::clone(&self.store), Box::new(columns)))
    }

    /// Returns the first row whose key is `key` or greater. It costs one seek, or one for each bucket of a salted key.
    /// The row is whole, even if `columns` asks for pieces.
    #[doc(alias = "seek")]
    pub fn first_at_or_after(
        &self,
        key: &K::Ref<'_>,
        mut columns: Columns,
    ) -> impl Future<Output = Result<Option<(K, Row)>, Error>> + use<K, D>
    where
        K: OwnedKey,
    {
        columns.piece = None;
        one(self.scan(.., columns).from_key(key))
    }

    /// Returns the number of selected rows. It reads their cells.
    pub fn count<S: Select<K>>(&self, select: S) -> impl Future<Output = Result<u64, Error>> + use<'_, K, D, S> {
        let scan = Scan::new(select.ranges()).batch_rows(4096);
        async move { count(Within::one_call(&*self.store).scan(&scan, &Columns::all().first_only())).await }
    }
}
