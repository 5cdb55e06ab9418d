//! Tables: typed rows in, typed rows out.

mod batch;
mod groups;
mod page;
mod plan;
mod progress;
mod scan;
mod wide;

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::sync::Arc;

pub use self::batch::WriteBatch;
pub(crate) use self::batch::push_row;
use self::batch::put_row;
pub use self::groups::FirstOfEach;
pub use self::page::Page;
pub(crate) use self::scan::Source;
pub use self::scan::{Keys, TableScan};
pub use self::wide::WideTable;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::catalog::moved;
use crate::store::catalog::{self, Given, How, Opened};
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::{RowValue, decoded, encoded, unencoded};
use crate::store::{Batch, CallOptions, Database, NewTable, Scan, Store, count};

/// A table of rows under keys of type `K`, values of type `V`, in the database `D`.
///
/// Opening it checks that its rows' keys have `K`'s layout, and its values `V`'s codec: the database keeps each table's in a
/// table of its own, `rowkey.layouts`. Handles are cheap to clone where the database's are, and can be shared by threads.
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
    /// The fingerprints that its keys had before they got more variants.
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
    /// Opens a table; it is made if it is not there.
    ///
    /// Keys whose enums have got more variants are taken, and kept from then on: a program that does not know them is
    /// refused after that ([`LayoutBuf::extends`](crate::LayoutBuf::extends)). Cursors from before go on.
    ///
    /// # Errors
    ///
    /// [`Error::Layout`] if the table was opened before with keys of another shape: its rows would be read wrongly.
    /// [`Error::Fields`] if the shape is the same and a field has another name, place or unit
    /// ([`catalog::rename_field`] if it was only renamed); a field without a name or a unit, as of a
    /// tuple or a plain `i64`, is taken for any. [`Error::ValueCodec`] if its values are of another
    /// [codec](RowValue::CODEC). A table from before these were kept is taken as it is, and they are kept from then on.
    /// [`Error::Moved`] if a [migration](crate::migrate) has moved its rows to another table. [`Error::ReservedName`] if the name
    /// begins with `rowkey.`.
    pub fn open(db: D, name: &str) -> Result<Self, Error> {
        Self::open_how(db, name, &How::OpenOrMake)
    }

    /// Opens a table that is there.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it is not; it is not made. Otherwise as of [`open`](Self::open).
    pub fn open_existing(db: D, name: &str) -> Result<Self, Error> {
        Self::open_how(db, name, &How::Open)
    }

    /// Makes a table that is not there, with split points and options of the engine. Of several that make one at once, one does.
    /// Where the process is killed in between, or the call ends there (a deadline, an error of the engine), the table is there:
    /// [`open`](Self::open) and [`open_existing`](Self::open_existing) complete it.
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
    /// [`Error::TableExists`] if it is there, whatever it holds; [`Error::SplitPoint`], [`Error::TableOption`] if it can't be made
    /// so. Otherwise as of [`open`](Self::open).
    pub fn create(db: D, name: &str, new: &NewTable) -> Result<Self, Error> {
        Self::open_how(db, name, &How::Make(new))
    }

    fn open_how(db: D, name: &str, how: &How<'_>) -> Result<Self, Error> {
        let within = Within::one_call(&db as &dyn Database);
        let Opened { store, earlier } = Self::open_within(&within, name, db.options(), how)?;
        drop(within);
        Ok(Self { db, name: name.into(), store, earlier, types: PhantomData })
    }

    /// As [`open`](Self::open), as a part of another call: by what is left of that one.
    pub(crate) fn open_as_part(db: D, name: &str, within: &Within<'_, dyn Database + '_>) -> Result<Self, Error> {
        let Opened { store, earlier } = Self::open_within(within, name, db.options(), &How::OpenOrMake)?;
        Ok(Self { db, name: name.into(), store, earlier, types: PhantomData })
    }

    fn open_within(
        within: &Within<'_, dyn Database + '_>,
        name: &str,
        options: &CallOptions,
        how: &How<'_>,
    ) -> Result<Opened, Error> {
        moved::open(within, name, &Given::new(&K::LAYOUT, V::CODEC), how, options)
    }
}

impl<K, V, D: Database> Table<K, V, D> {
    /// Drops the table: its rows, and what is kept of its keys and values. One that is cut off is finished where the table is
    /// opened next; so nobody should open it meanwhile. What becomes of other handles to it is the engine's to say:
    /// [`Memory`](crate::Memory)'s write on into the table that was.
    pub fn drop_table(self) -> Result<(), Error> {
        catalog::drop_table(&*Within::one_call(&*self.own_database()), &self.name)
    }

    /// The database, with the table's own options.
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
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self { store: self.store.with_options(options), ..self.clone() }
    }
}

impl<K, V, D> Table<K, V, D> {
    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What bounds the calls of this handle.
    pub fn options(&self) -> &CallOptions {
        self.store.options()
    }

    /// The database, with the options that it was given with.
    pub fn database(&self) -> &D {
        &self.db
    }

    /// The rows as bytes.
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

    /// The value of a row, if it is there.
    pub fn get(&self, key: &K::Ref<'_>) -> Result<Option<V>, Error> {
        let key = key.encode();
        self.store.get(&key)?.map(|value| self.decode(&key, &value)).transpose()
    }

    /// The values of rows, in the keys' order.
    pub fn get_many<'k>(&self, keys: impl IntoIterator<Item: Borrow<K::Ref<'k>>>) -> Result<Vec<Option<V>>, Error> {
        let keys: Vec<_> = keys.into_iter().map(|key| key.borrow().encode()).collect();
        let slices: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        let values = self.store.get_many(&slices)?;
        keys.iter().zip(values).map(|(key, value)| value.map(|value| self.decode(key, &value)).transpose()).collect()
    }

    /// Changes a row by what it was, and answers what it became: `None` is no row, before and after. The closure is
    /// called again if somebody else wrote the row meanwhile; a write to the same database by it, or by the value's codec,
    /// returns [`Error::Reentrant`].
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
    /// [`Error::Unsupported`] if the store has no compare-and-write; [`Error::Reentrant`] inside another closure of a write
    /// to the database.
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

    /// The rows selected, in the order of their keys; buckets of a salted key are merged.
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

    /// The first of the rows selected.
    pub fn first(&self, select: impl Select<K>) -> Result<Option<(K, V)>, Error>
    where
        K: OwnedKey,
    {
        self.scan(select).limit(1).in_one_call().next().transpose()
    }

    /// The last of the rows selected.
    pub fn last(&self, select: impl Select<K>) -> Result<Option<(K, V)>, Error>
    where
        K: OwnedKey,
    {
        self.scan(select).reverse().limit(1).in_one_call().next().transpose()
    }

    /// The first row at or after a key: one seek, one for each bucket of a salted key.
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
        let source = Source::Plain(Arc::clone(&self.store));
        TableScan::new(Arc::clone(&self.name), Arc::clone(&self.earlier), source, select.select())
    }

    /// Whether a cursor or checkpoint with this fingerprint is of the table's keys, or of what they were before they got more
    /// variants.
    pub(crate) fn knows(&self, fingerprint: Fingerprint) -> bool {
        fingerprint == K::LAYOUT.fingerprint() || self.earlier.contains(&fingerprint)
    }

    /// Deletes a row.
    pub fn delete(&self, key: &K::Ref<'_>) -> Result<(), Error> {
        self.store.write(push_row(&mut Batch::new(), key, None))
    }

    /// The keys selected, in order.
    pub fn keys(&self, select: impl Select<K>) -> Keys<K> {
        self.scan_of::<()>(select).keys()
    }

    /// How many rows are selected. They are read, though not decoded.
    pub fn count(&self, select: impl Select<K>) -> Result<u64, Error> {
        count(Within::one_call(&*self.store).scan(&Scan::new(select.ranges()).batch_rows(4096)))
    }

    /// Deletes every row selected.
    pub fn delete_rows(&self, select: impl Select<K>) -> Result<(), Error> {
        self.store.delete_ranges(&select.ranges())
    }

    /// The fingerprint of the keys' layout.
    pub fn fingerprint(&self) -> Fingerprint {
        K::LAYOUT.fingerprint()
    }
}

impl<K: RowKey, D> Table<K, i64, D> {
    /// Adds to a row's counter and answers its new value; an absent one is 0. Exact under concurrent callers.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no increment.
    pub fn increment(&self, key: &K::Ref<'_>, by: i64) -> Result<i64, Error> {
        self.store.increment(&key.encode(), by)
    }
}

/// The key of a row of a table.
#[inline]
pub(crate) fn stored_key<'k, K: RowKey>(table: &str, key: &'k [u8]) -> Result<K::Ref<'k>, Error> {
    K::decode(key).map_err(|error| Error::from(error).of_key(table, key))
}
