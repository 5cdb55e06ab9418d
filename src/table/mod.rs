//! Tables: rows with typed keys and values.

mod batch;
mod groups;
mod page;
pub(crate) mod plan;
pub(crate) mod progress;
mod scan;
pub(crate) mod setup;
pub(crate) mod source;
pub(crate) mod wide;

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::sync::Arc;

pub use self::batch::{InTable, WriteBatch};
pub(crate) use self::batch::{push_row, put_row};
pub use self::groups::FirstOfEach;
pub use self::page::Page;
pub(crate) use self::scan::Source;
pub use self::scan::{Keys, TableScan};
use self::setup::Setup;
pub use self::wide::WideTable;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::catalog::moved;
use crate::store::catalog::{self, Given, Opened};
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::{RowValue, decoded, encoded, unencoded};
use crate::store::{Batch, CallOptions, Database, NewTable, OpenMode, Scan, Store, count};

/// A table of rows under keys of type `K`, values of type `V`, in the database `D`.
///
/// Opening a table checks that its keys have the layout of `K` and its values the codec of `V`. The database stores the
/// layouts and codecs of all tables in a table of its own, `rowkey.layouts`. A handle is as cheap to clone as the
/// database's handle, and can be shared by threads.
///
/// ```
/// use rowkey::{Memory, RowKey, Table};
///
/// /// Recent actions of a user, newest first.
/// #[derive(RowKey, Debug, Clone, PartialEq)]
/// struct Action {
///     user: u64,
///     #[rowkey(desc)]
///     at: i64, // Unix milliseconds
///     event: u32,
/// }
///
/// let actions: Table<Action, String, _> = Table::open(Memory::new(), "actions")?;
/// actions.put(&Action { user: 42, at: 1_307_097_848_000, event: 7 }, &"login".into())?;
/// actions.put(&Action { user: 42, at: 1_307_097_849_000, event: 8 }, &"click".into())?;
/// actions.put(&Action { user: 43, at: 1_307_097_848_500, event: 9 }, &"login".into())?;
///
/// let what: Vec<String> = actions.scan(Action::prefix().user(42)).map(|row| row.map(|(_, what)| what)).collect::<Result<_, _>>()?;
/// assert_eq!(what, ["click", "login"]);
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct Table<K, V, D> {
    db: D,
    name: Arc<str>,
    store: Arc<dyn Store>,
    /// Fingerprints of its keys before their enums got more variants.
    earlier: Arc<[Fingerprint]>,
    types: PhantomData<fn() -> (K, V)>,
}

impl<K, V, D: Clone> Clone for Table<K, V, D> {
    fn clone(&self) -> Self {
        let Self { db, name, store, earlier, types } = self;
        Self { db: db.clone(), name: name.clone(), store: store.clone(), earlier: earlier.clone(), types: *types }
    }
}

impl<K, V, D> std::fmt::Debug for Table<K, V, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<K: RowKey, V: RowValue, D: Database> Table<K, V, D> {
    /// Opens a table, or creates it if it does not exist.
    ///
    /// Keys whose enums have got more variants are accepted, and stored as the table's layout. From then on a program
    /// that does not know the new variants is refused ([`LayoutBuf::extends`](crate::LayoutBuf::extends)). Older
    /// cursors stay valid.
    ///
    /// # Errors
    ///
    /// [`Error::Layout`] if the table has keys of another shape: its rows would be read wrongly. [`Error::Fields`] if
    /// the shape is the same but a field has another name, position or unit; if it was only renamed, call
    /// [`catalog::rename_field`]. A field without a name or unit, as in a tuple or a plain `i64`, matches any.
    /// [`Error::ValueCodec`] if its values have another [codec](RowValue::CODEC). For a table created before these were
    /// stored, they are stored now. [`Error::Moved`] if a [migration](crate::migrate) has moved its rows to another
    /// table. [`Error::ReservedName`] if the name begins with `rowkey.`.
    pub fn open(db: D, name: &str) -> Result<Self, Error> {
        Self::open_as(db, name, &OpenMode::OpenOrCreate)
    }

    /// Opens a table that exists.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it does not exist; it is not created. Otherwise as [`open`](Self::open).
    pub fn open_existing(db: D, name: &str) -> Result<Self, Error> {
        Self::open_as(db, name, &OpenMode::Open)
    }

    /// Creates a table, with split points and options of the engine. If several callers create it at once, one
    /// succeeds. If the process is killed in between, or the call fails there (a deadline, an error of the engine; then
    /// it returns [`Error::OutcomeUnknown`]), the table exists, and [`open`](Self::open) and
    /// [`open_existing`](Self::open_existing) complete it.
    ///
    /// ```
    /// use rowkey::splits::Splits;
    /// use rowkey::store::NewTable;
    /// use rowkey::{Error, Memory, RowKey, Table};
    ///
    /// #[derive(RowKey)]
    /// #[rowkey(salt(buckets = 4))]
    /// struct Visit {
    ///     user: u64,
    /// }
    ///
    /// let (db, new) = (Memory::new(), NewTable::new().splits(&Splits::of_buckets::<Visit>()?));
    /// let visits: Table<Visit, String, _> = Table::create(&db, "visits", &new)?;
    /// visits.put(&Visit { user: 7 }, &"/".into())?;
    /// assert!(matches!(Table::<Visit, String, _>::create(&db, "visits", &new), Err(Error::TableExists(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if the table exists, with any layout; [`Error::SplitPoint`] and [`Error::TableOption`] if
    /// it can't be created like this. Otherwise as [`open`](Self::open).
    pub fn create(db: D, name: &str, new: &NewTable) -> Result<Self, Error> {
        Self::open_as(db, name, &OpenMode::Create(new.clone()))
    }

    /// A table of a store that is open already, whose rows another program keeps: nothing is checked, and nothing is
    /// stored about keys and values. Its name is the store's.
    ///
    /// ```
    /// use rowkey::store::{Batch, Database, Store};
    /// use rowkey::{Memory, RowKey, Table};
    ///
    /// let db = Memory::new();
    /// let of_others = db.table("of others")?;
    /// of_others.write(Batch::new().put(7u64.encode(), "seven"))?;
    ///
    /// let numbers: Table<u64, String, _> = Table::external(&db, of_others);
    /// assert_eq!(numbers.get(&7)?.as_deref(), Some("seven"));
    /// assert_eq!(db.tables()?, ["of others"]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[doc(alias = "foreign")]
    pub fn external(db: D, store: Arc<dyn Store>) -> Self {
        Self { db, name: store.id().name().into(), store, earlier: Arc::default(), types: PhantomData }
    }

    fn open_as(db: D, name: &str, mode: &OpenMode) -> Result<Self, Error> {
        let within = Within::one_call(&db as &dyn Database);
        let Opened { store, earlier, .. } = Self::open_within(&within, name, db.options(), mode)?;
        drop(within);
        Ok(Self { db, name: name.into(), store, earlier, types: PhantomData })
    }

    /// As [`open`](Self::open), within what is left of the time of another call.
    pub(crate) fn open_as_part(db: D, name: &str, within: &Within<'_, dyn Database + '_>) -> Result<Self, Error> {
        let Opened { store, earlier, .. } = Self::open_within(within, name, db.options(), &OpenMode::OpenOrCreate)?;
        Ok(Self { db, name: name.into(), store, earlier, types: PhantomData })
    }

    fn open_within(
        within: &Within<'_, dyn Database + '_>,
        name: &str,
        options: &CallOptions,
        mode: &OpenMode,
    ) -> Result<Opened, Error> {
        moved::open(within, name, &Given::new(&K::LAYOUT, V::CODEC), mode, options)
    }
}

impl<K, V, D: Database> Table<K, V, D> {
    /// Drops the table: its rows, and its stored layout and codec. A drop that is interrupted is completed when the
    /// table is opened next, so no program should open the table during the drop. The engine decides what other handles
    /// to it do: writes through those of `Memory` and `Fjall` are [`Error::NoSuchTable`].
    pub fn drop_table(self) -> Result<(), Error> {
        catalog::drop_table(&*Within::one_call(&*self.own_database()), &self.name)
    }

    /// The database, with the options of this table handle.
    pub(crate) fn own_database(&self) -> Within<'_, dyn Database + '_> {
        Within::options(&self.db as &dyn Database, self.options())
    }
}

impl<K, V, D: Clone> Table<K, V, D> {
    /// A handle to the same table with these [`CallOptions`] in place of those of this handle.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use rowkey::store::CallOptions;
    /// use rowkey::{Memory, Table};
    ///
    /// let seen: Table<String, i64, _> = Table::open(Memory::new(), "seen")?;
    /// // One handle for each request.
    /// let of_request = seen.with_options(&CallOptions::new().timeout(Duration::from_millis(250)));
    /// assert_eq!(of_request.increment(&"ada".to_owned(), 1)?, 1);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "timeout")]
    #[doc(alias = "deadline")]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self { store: self.store.with_options(options), ..self.clone() }
    }
}

impl<K, V, D> Table<K, V, D> {
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
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
}

impl<K: RowKey, V: RowValue, D> Table<K, V, D> {
    /// Writes a row.
    pub fn put(&self, key: &K::Ref<'_>, value: &V) -> Result<(), Error> {
        match put_row(key, |bytes| value.encode_value(bytes)) {
            Ok(batch) => self.store.write(&batch),
            Err(source) => Err(unencoded(&self.name, source)),
        }
    }

    /// Returns the value of a row, or `None` if the row does not exist.
    pub fn get(&self, key: &K::Ref<'_>) -> Result<Option<V>, Error> {
        let key = key.encode();
        self.store.get(&key)?.map(|value| self.decode(&key, &value)).transpose()
    }

    /// Returns the values of several rows, in the order of the keys given; `None` for a row that does not exist.
    pub fn get_many<'k>(&self, keys: impl IntoIterator<Item: Borrow<K::Ref<'k>>>) -> Result<Vec<Option<V>>, Error> {
        let keys: Vec<_> = keys.into_iter().map(|key| key.borrow().encode()).collect();
        let slices: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        decoded_many(&self.name, &keys, self.store.get_many(&slices)?)
    }

    /// Changes a row and returns its new value. The closure takes the current value and returns the new one; `None`
    /// stands for no row. It runs again if another writer changed the row in between. Inside the closure, or the
    /// value's codec, a write to the same database returns [`Error::Reentrant`].
    ///
    /// ```
    /// use rowkey::{Memory, Table};
    ///
    /// let seen: Table<String, i64, _> = Table::open(Memory::new(), "seen")?;
    /// for word in ["a", "b", "a"] {
    ///     seen.update(&word.to_owned(), |n| Some(n.unwrap_or(0) + 1))?;
    /// }
    /// assert_eq!(seen.get(&"a".to_owned())?, Some(2));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no compare-and-write; [`Error::Reentrant`] when called inside another
    /// write's closure on the same database.
    #[doc(alias = "compare_and_swap")]
    #[doc(alias = "upsert")]
    pub fn update(&self, key: &K::Ref<'_>, mut change: impl FnMut(Option<V>) -> Option<V>) -> Result<Option<V>, Error> {
        let key = key.encode();
        self.store.id().check_write()?;
        let store = Within::one_call(&*self.store);
        loop {
            let before = store.get(&key)?;
            let inside = self.store.id().database().enter();
            let after = change(before.as_deref().map(|value| self.decode(&key, value)).transpose()?);
            let bytes = after.as_ref().map(|value| self.encode(value)).transpose()?;
            drop(inside);
            if store.compare_and_write(&key, before.as_deref(), bytes.as_deref())? {
                return Ok(after);
            }
        }
    }

    /// Scans the selected rows in key order. The buckets of a salted key are merged.
    ///
    /// ```
    /// # use rowkey::{Memory, RowKey, Table};
    /// # #[derive(RowKey, Debug, Clone, PartialEq)]
    /// # struct Action { user: u64, #[rowkey(desc)] at: i64 }
    /// # let actions: Table<Action, String, _> = Table::open(Memory::new(), "actions")?;
    /// # let (t0, t1) = (0, 10);
    /// for row in actions.scan(Action::prefix().user(42).at_range(t0..t1)).limit(10) {
    ///     let (action, what) = row?;
    /// #   drop((action, what));
    /// }
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn scan(&self, select: impl Select<K>) -> TableScan<K, V> {
        self.scan_of(select)
    }

    /// Returns the first of the selected rows.
    pub fn first(&self, select: impl Select<K>) -> Result<Option<(K, V)>, Error>
    where
        K: OwnedKey,
    {
        self.scan(select).limit(1).in_one_call().next().transpose()
    }

    /// Returns the last of the selected rows.
    pub fn last(&self, select: impl Select<K>) -> Result<Option<(K, V)>, Error>
    where
        K: OwnedKey,
    {
        self.scan(select).reverse().limit(1).in_one_call().next().transpose()
    }

    /// Returns the first row whose key is `key` or greater. It costs one seek, or one for each bucket of a salted key.
    #[doc(alias = "seek")]
    #[doc(alias = "lower_bound")]
    pub fn first_at_or_after(&self, key: &K::Ref<'_>) -> Result<Option<(K, V)>, Error>
    where
        K: OwnedKey,
    {
        self.scan(..).from_key(key).limit(1).in_one_call().next().transpose()
    }

    pub(crate) fn encode(&self, value: &V) -> Result<Vec<u8>, Error> {
        encoded(&self.name, value)
    }

    pub(crate) fn decode(&self, key: &[u8], value: &[u8]) -> Result<V, Error> {
        decoded(&self.name, key, value)
    }
}

impl<K: RowKey, V, D> Table<K, V, D> {
    fn scan_of<T>(&self, select: impl Select<K>) -> TableScan<K, T> {
        let setup = Setup::new(Arc::clone(&self.name), Arc::clone(&self.earlier), select.select());
        TableScan::new(setup, Source::Plain(Arc::clone(&self.store)))
    }

    /// Returns whether a cursor or checkpoint with this fingerprint belongs to the table: to its keys, or to what they
    /// were before their enums got more variants.
    pub(crate) fn knows(&self, fingerprint: Fingerprint) -> bool {
        fingerprint == K::LAYOUT.fingerprint() || self.earlier.contains(&fingerprint)
    }

    /// Deletes a row.
    pub fn delete(&self, key: &K::Ref<'_>) -> Result<(), Error> {
        self.store.write(push_row(&mut Batch::new(), key, None))
    }

    /// Scans the selected keys, in order.
    pub fn keys(&self, select: impl Select<K>) -> Keys<K> {
        self.scan_of::<()>(select).keys()
    }

    /// Returns the number of selected rows. It reads all of them, but does not decode them.
    pub fn count(&self, select: impl Select<K>) -> Result<u64, Error> {
        count(Within::one_call(&*self.store).scan(&Scan::new(select.ranges()).batch_rows(4096)))
    }

    /// Deletes the selected rows. The engine decides whether that is atomic. It is idempotent: calling it again deletes
    /// what is left.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if some rows may be deleted, and others not.
    #[doc(alias = "delete_range")]
    #[doc(alias = "delete_prefix")]
    pub fn delete_rows(&self, select: impl Select<K>) -> Result<(), Error> {
        self.store.delete_ranges(&select.ranges())
    }

    /// Returns the fingerprint of the keys' layout.
    pub fn fingerprint(&self) -> Fingerprint {
        K::LAYOUT.fingerprint()
    }
}

impl<K: RowKey, D> Table<K, i64, D> {
    /// Adds `by` to a row's counter and returns the new value. A row that does not exist counts as 0. It is atomic:
    /// concurrent increments all count.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no increment.
    pub fn increment(&self, key: &K::Ref<'_>, by: i64) -> Result<i64, Error> {
        self.store.increment(&key.encode(), by)
    }
}

/// Decodes the values that a store returned for these keys.
pub(crate) fn decoded_many<V: RowValue>(
    table: &str,
    keys: &[Vec<u8>],
    values: Vec<Option<Vec<u8>>>,
) -> Result<Vec<Option<V>>, Error> {
    if keys.len() != values.len() {
        return Err(Error::engine(format!("the store returned {} values for {} keys", values.len(), keys.len())));
    }
    keys.iter().zip(values).map(|(key, value)| value.map(|value| decoded(table, key, &value)).transpose()).collect()
}

/// Decodes a stored key; an error names the table.
#[inline]
pub(crate) fn stored_key<'k, K: RowKey>(table: &str, key: &'k [u8]) -> Result<K::Ref<'k>, Error> {
    K::decode(key).map_err(|error| Error::from(error).of_key(table, key))
}

/// Decodes a stored row; an error names the table and the row.
#[inline]
pub(crate) fn stored_row<K: OwnedKey, V: RowValue>(table: &str, key: &[u8], value: &[u8]) -> Result<(K, V), Error> {
    Ok((stored_key::<K>(table, key)?, decoded(table, key, value)?))
}
