//! Tables of asynchronous engines.

use std::borrow::Borrow;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Poll, ready};

use super::driven::driven;
use super::feed::poll_batch;
use super::scan::{KeyStream, Source, TableStream};
use super::{AsyncDatabase, AsyncStore, Batches};
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::catalog::{self, Given, moved};
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::{RowValue, decoded, encoded, unencoded};
use crate::store::{Batch, CallOptions, Database, NewTable, OpenMode, Scan};
use crate::table::setup::Setup;
use crate::table::{InTable, WriteBatch, decoded_many, push_row, put_row};

/// A table of rows under keys of type `K`, values of type `V`, in the asynchronous database `D`: a
/// [`Table`](crate::Table) whose methods are futures.
///
/// It opens the same tables: layouts and codecs are checked, and stored in the same catalog. A handle is as cheap to
/// clone as the database's handle, and can be shared by tasks. Futures are [`Send`] if key and value are; those of
/// single calls do not borrow the key. See [the module](super) for what becomes of futures that are dropped.
///
/// ```
/// use std::time::Duration;
///
/// use rowkey::nonblocking::{AsyncTable, Unblock};
/// use rowkey::store::CallOptions;
/// use rowkey::{Memory, RowKey};
///
/// /// Recent actions of a user, newest first.
/// #[derive(RowKey, Debug, Clone, PartialEq)]
/// struct Action {
///     user: u64,
///     #[rowkey(desc)]
///     at: i64, // Unix milliseconds
/// }
/// # futures_lite::future::block_on(async {
///
/// let actions: AsyncTable<Action, String, _> = AsyncTable::open(Unblock::new(Memory::new()), "actions").await?;
/// actions.put(&Action { user: 42, at: 1_307_097_848_000 }, &"login".into()).await?;
/// actions.put(&Action { user: 42, at: 1_307_097_849_000 }, &"click".into()).await?;
///
/// // One handle for each request: half a second for each of its operations.
/// let of_request = actions.with_options(&CallOptions::new().timeout(Duration::from_millis(500)));
/// let newest = of_request.first(Action::prefix().user(42)).await?;
/// assert_eq!(newest.map(|(_, what)| what).as_deref(), Some("click"));
/// # Ok::<(), rowkey::Error>(()) }).unwrap();
/// ```
pub struct AsyncTable<K, V, D> {
    db: D,
    name: Arc<str>,
    store: Arc<dyn AsyncStore>,
    /// Fingerprints of its keys before their enums got more variants.
    earlier: Arc<[Fingerprint]>,
    types: PhantomData<fn() -> (K, V)>,
}

impl<K, V, D: Clone> Clone for AsyncTable<K, V, D> {
    fn clone(&self) -> Self {
        let Self { db, name, store, earlier, types } = self;
        Self { db: db.clone(), name: name.clone(), store: store.clone(), earlier: earlier.clone(), types: *types }
    }
}

impl<K, V, D> std::fmt::Debug for AsyncTable<K, V, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AsyncTable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<K: RowKey, V: RowValue, D: AsyncDatabase> AsyncTable<K, V, D> {
    /// Opens a table, or creates it if it does not exist. Checks and errors are those of
    /// [`Table::open`](crate::Table::open).
    ///
    /// Starts a thread that checks the stored layouts of keys and values, and ends with this call.
    pub async fn open(db: D, name: &str) -> Result<Self, Error> {
        Self::open_as(db, name, OpenMode::OpenOrCreate).await
    }

    /// Opens a table that exists.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it does not exist; it is not created. Otherwise as [`open`](Self::open).
    pub async fn open_existing(db: D, name: &str) -> Result<Self, Error> {
        Self::open_as(db, name, OpenMode::Open).await
    }

    /// Creates a table, with split points and options of the engine, as [`Table::create`](crate::Table::create).
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if the table exists, with any layout; [`Error::SplitPoint`] and [`Error::TableOption`] if
    /// it can't be created like this. Otherwise as [`open`](Self::open).
    pub async fn create(db: D, name: &str, new: &NewTable) -> Result<Self, Error> {
        Self::open_as(db, name, OpenMode::Create(new.clone())).await
    }

    /// A table of a store that is open already, whose rows another program keeps, as
    /// [`Table::external`](crate::Table::external).
    #[doc(alias = "foreign")]
    pub fn external(db: D, store: Arc<dyn AsyncStore>) -> Self {
        Self { db, name: store.id().name().into(), store, earlier: Arc::default(), types: PhantomData }
    }

    async fn open_as(db: D, name: &str, mode: OpenMode) -> Result<Self, Error> {
        let within = db.with_options(&db.options().from_now());
        let name: Arc<str> = name.into();
        let (of_thread, given) = (Arc::clone(&name), Given::new(&K::LAYOUT, V::CODEC));
        let (earlier, is_new) = driven(Arc::clone(&within), move |db| {
            let within = Within::one_call(&db as &dyn Database);
            let opened = moved::open(&within, &of_thread, &given, &mode, db.options())?;
            Ok((opened.earlier, opened.is_new))
        })
        .await?;
        let opened = within.open_table(&name).await;
        let store = opened.map_err(|error| opened_late(error, &name, is_new))?.with_options(db.options());
        Ok(Self { db, name, store, earlier, types: PhantomData })
    }
}

/// The error of a table that is opened, and perhaps created, but could not be opened once more for its handle.
pub(super) fn opened_late(error: Error, table: &str, is_new: bool) -> Error {
    let error = error.of_catalog("opening", table);
    if is_new { error.after_commit(table) } else { error }
}

impl<K, V, D: AsyncDatabase> AsyncTable<K, V, D> {
    /// Drops the table: its rows, and its stored layout and codec, as [`Table::drop_table`](crate::Table::drop_table).
    pub async fn drop_table(self) -> Result<(), Error> {
        let name = Arc::clone(&self.name);
        let within = self.db.with_options(&self.options().from_now());
        driven(within, move |db| catalog::drop_table(&db as &dyn Database, &name)).await
    }
}

impl<K, V, D: Clone> AsyncTable<K, V, D> {
    /// A handle to the same table with these [`CallOptions`] in place of those of this handle.
    #[must_use]
    #[doc(alias = "timeout")]
    #[doc(alias = "deadline")]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self { store: self.store.with_options(options), ..self.clone() }
    }
}

impl<K, V, D> AsyncTable<K, V, D> {
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

    /// The store below: keys and values as bytes.
    pub fn store(&self) -> &Arc<dyn AsyncStore> {
        &self.store
    }
}

impl<K: RowKey, V: RowValue, D> AsyncTable<K, V, D> {
    /// Writes a row.
    pub fn put(&self, key: &K::Ref<'_>, value: &V) -> impl Future<Output = Result<(), Error>> + use<'_, K, V, D> {
        let batch = put_row(key, |bytes| value.encode_value(bytes));
        async move {
            match batch {
                Ok(batch) => self.store.write(&batch).await,
                Err(source) => Err(unencoded(&self.name, source)),
            }
        }
    }

    /// Returns the value of a row, or `None` if the row does not exist.
    pub fn get(&self, key: &K::Ref<'_>) -> impl Future<Output = Result<Option<V>, Error>> + use<'_, K, V, D> {
        let key = key.encode();
        async move { self.store.get(&key).await?.map(|value| self.decode(&key, &value)).transpose() }
    }

    /// Returns the values of several rows, in the order of the keys given; `None` for a row that does not exist.
    pub fn get_many<'k, I>(&self, keys: I) -> impl Future<Output = Result<Vec<Option<V>>, Error>> + use<'_, K, V, D, I>
    where
        I: IntoIterator<Item: Borrow<K::Ref<'k>>>,
    {
        let keys: Vec<_> = keys.into_iter().map(|key| key.borrow().encode()).collect();
        async move {
            let slices: Vec<_> = keys.iter().map(Vec::as_slice).collect();
            decoded_many(&self.name, &keys, self.store.get_many(&slices).await?)
        }
    }

    /// Changes a row and returns its new value. The closure takes the current value and returns the new one; `None`
    /// stands for no row. It runs again if another writer changed the row in between.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::nonblocking::{AsyncTable, Unblock};
    /// # futures_lite::future::block_on(async {
    ///
    /// let seen: AsyncTable<String, i64, _> = AsyncTable::open(Unblock::new(Memory::new()), "seen").await?;
    /// for word in ["a", "b", "a"] {
    ///     seen.update(&word.to_owned(), |n| Some(n.unwrap_or(0) + 1)).await?;
    /// }
    /// assert_eq!(seen.get(&"a".to_owned()).await?, Some(2));
    /// # Ok::<(), rowkey::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no compare-and-write.
    #[doc(alias = "compare_and_swap")]
    #[doc(alias = "upsert")]
    pub fn update<F>(
        &self,
        key: &K::Ref<'_>,
        mut change: F,
    ) -> impl Future<Output = Result<Option<V>, Error>> + use<'_, K, V, D, F>
    where
        F: FnMut(Option<V>) -> Option<V>,
    {
        let key = key.encode();
        async move {
            self.store.id().check_write()?;
            let store = Within::one_call(&*self.store);
            loop {
                let before = store.get(&key).await?;
                let (after, bytes) = self.changed(&key, before.as_deref(), &mut change)?;
                if store.compare_and_write(&key, before.as_deref(), bytes.as_deref()).await? {
                    return Ok(after);
                }
            }
        }
    }

    /// The new value of a row, and its bytes. Inside `change`, and the value's codec, the database is not to be
    /// written.
    fn changed(
        &self,
        key: &[u8],
        before: Option<&[u8]>,
        change: &mut impl FnMut(Option<V>) -> Option<V>,
    ) -> Result<(Option<V>, Option<Vec<u8>>), Error> {
        let _inside = self.store.id().database().enter();
        let after = change(before.map(|value| self.decode(key, value)).transpose()?);
        let bytes = after.as_ref().map(|value| encoded(&self.name, value)).transpose()?;
        Ok((after, bytes))
    }

    /// Scans the selected rows in key order. The buckets of a salted key are merged.
    pub fn scan(&self, select: impl Select<K>) -> TableStream<K, V> {
        self.scan_of(select)
    }

    /// Returns the first of the selected rows.
    pub fn first<S>(&self, select: S) -> impl Future<Output = Result<Option<(K, V)>, Error>> + use<K, V, D, S>
    where
        K: OwnedKey,
        S: Select<K>,
    {
        one(self.scan(select))
    }

    /// Returns the last of the selected rows.
    pub fn last<S>(&self, select: S) -> impl Future<Output = Result<Option<(K, V)>, Error>> + use<K, V, D, S>
    where
        K: OwnedKey,
        S: Select<K>,
    {
        one(self.scan(select).reverse())
    }

    /// Returns the first row whose key is `key` or greater. It costs one seek, or one for each bucket of a salted key.
    #[doc(alias = "seek")]
    #[doc(alias = "lower_bound")]
    pub fn first_at_or_after(
        &self,
        key: &K::Ref<'_>,
    ) -> impl Future<Output = Result<Option<(K, V)>, Error>> + use<K, V, D>
    where
        K: OwnedKey,
    {
        one(self.scan(..).from_key(key))
    }

    fn decode(&self, key: &[u8], value: &[u8]) -> Result<V, Error> {
        decoded(&self.name, key, value)
    }
}

/// The first row of a scan.
pub(super) async fn one<K: OwnedKey, V: RowValue>(scan: TableStream<K, V>) -> Result<Option<(K, V)>, Error> {
    scan.limit(1).in_one_call().next().await.transpose()
}

/// Counts the rows of a scan. Other tasks have a turn after each batch.
pub(super) async fn count(mut batches: Batches) -> Result<u64, Error> {
    let mut count = 0;
    poll_fn(|context| match ready!(poll_batch(&mut batches, context))? {
        Some(batch) => {
            count += batch.len() as u64;
            context.waker().wake_by_ref();
            Poll::Pending
        }
        None => Poll::Ready(Ok(count)),
    })
    .await
}

impl<K: RowKey, V, D> AsyncTable<K, V, D> {
    fn scan_of<T>(&self, select: impl Select<K>) -> TableStream<K, T> {
        let setup = Setup::new(Arc::clone(&self.name), Arc::clone(&self.earlier), select.select());
        TableStream::new(setup, Source::Plain(Arc::clone(&self.store)))
    }

    /// Deletes a row.
    pub fn delete(&self, key: &K::Ref<'_>) -> impl Future<Output = Result<(), Error>> + use<'_, K, V, D> {
        let mut batch = Batch::new();
        push_row(&mut batch, key, None);
        async move { self.store.write(&batch).await }
    }

    /// Scans the selected keys, in order.
    pub fn keys(&self, select: impl Select<K>) -> KeyStream<K> {
        self.scan_of::<()>(select).keys()
    }

    /// Returns the number of selected rows. It reads all of them, but does not decode them.
    pub fn count<S: Select<K>>(&self, select: S) -> impl Future<Output = Result<u64, Error>> + use<'_, K, V, D, S> {
        let scan = Scan::new(select.ranges()).batch_rows(4096);
        async move { count(Within::one_call(&*self.store).scan(&scan)).await }
    }

    /// Deletes the selected rows. The engine decides whether that is atomic. It is idempotent: calling it again deletes
    /// what is left.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if some rows may be deleted, and others not.
    #[doc(alias = "delete_range")]
    #[doc(alias = "delete_prefix")]
    pub fn delete_rows<S: Select<K>>(
        &self,
        select: S,
    ) -> impl Future<Output = Result<(), Error>> + use<'_, K, V, D, S> {
        let ranges = select.ranges();
        async move { self.store.delete_ranges(&ranges).await }
    }

    /// Returns the fingerprint of the keys' layout.
    pub fn fingerprint(&self) -> Fingerprint {
        K::LAYOUT.fingerprint()
    }
}

impl<K: RowKey, D> AsyncTable<K, i64, D> {
    /// Adds `by` to a row's counter and returns the new value. A row that does not exist counts as 0. It is atomic:
    /// concurrent increments all count.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no increment.
    pub fn increment(&self, key: &K::Ref<'_>, by: i64) -> impl Future<Output = Result<i64, Error>> + use<'_, K, D> {
        let key = key.encode();
        async move { self.store.increment(&key, by).await }
    }
}

impl WriteBatch {
    /// Writes the batch to an asynchronous database, as [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub async fn write_async(&self, db: &(impl AsyncDatabase + ?Sized)) -> Result<(), Error> {
        self.check(db.id())?;
        db.write(&self.batches()).await.map_err(|error| self.error(error))
    }
}

impl<K, V, D> InTable<K, V> for AsyncTable<K, V, D> {
    fn id(&self) -> &crate::store::TableId {
        self.store.id()
    }
}
