//! Wide tables: rows with typed keys, and columns in families.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::sync::Arc;

use super::scan::{Source, TableScan};
use super::setup::Setup;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::catalog;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::store::{CallOptions, Database, NewTable, Scan, count};
use crate::wide::{
    Cells, CellsDatabase, Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideDatabase, WideStore,
};

/// A table of wide rows in the database `D`: keys of type `K`, and columns in families, as in HBase and Bigtable.
///
/// Opening a table checks that its keys have the layout of `K`. The database stores the layout in the table's schema.
///
/// ```
/// use rowkey::wide::{CellsDatabase, Column, Columns, FamilySchema, Mutation, TableSchema};
/// use rowkey::{Memory, RowKey, WideTable};
///
/// /// A visitor's visits, newest first.
/// #[derive(RowKey, Debug, Clone, PartialEq)]
/// struct Visit {
///     visitor: u64,
///     #[rowkey(desc)]
///     at: i64, // Unix milliseconds
/// }
///
/// let schema = TableSchema::new()
///     .family("page", FamilySchema::new())
///     .family("count", FamilySchema::new());
/// let visits: WideTable<Visit, _> = WideTable::open(CellsDatabase::new(Memory::new()), "visits", &schema)?;
///
/// let visit = Visit { visitor: 7, at: 1_307_097_848_000 };
/// visits.mutate(&visit, &Mutation::new().put("page:url", "/cart").put("page:referer", "/search"))?;
/// visits.increment(&visit, "count:clicks", 2)?;
///
/// let row = visits.get(&visit, &Columns::all())?;
/// assert_eq!(row.value("page:url"), Some(&b"/cart"[..]));
/// assert_eq!(row.read::<i64>("count:clicks")?, Some(2));
///
/// for row in visits.scan(Visit::prefix().visitor(7), Columns::of("page:url")).limit(5) {
///     let (visit, row) = row?;
///     println!("{} {:?}", visit.at, row.read::<String>("page:url")?);
/// }
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// Engines differ in versions, deletes and counters: see [the table](crate::wide#where-engines-differ).
/// `table.store().guarantees()` returns what this engine does.
///
/// Qualifiers can be derived keys too: columns then sort as the keys do, and ranges of keys are ranges of columns.
///
/// ```
/// use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, TableSchema};
/// use rowkey::{Memory, RowKey, Select, WideTable};
///
/// /// An inbox's index by sender, newest first: the name of a column, whose value is the message's number.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct BySender {
///     sender: String,
///     #[rowkey(desc)]
///     at: u32,
/// }
///
/// let schema = TableSchema::new().family("index", FamilySchema::new());
/// let inboxes: WideTable<u64, _> = WideTable::open(CellsDatabase::new(Memory::new()), "inboxes", &schema)?;
/// let mail = |sender: &str, at| ("index", BySender { sender: sender.into(), at }.encode());
/// let received = Mutation::new().put(mail("bob", 1), "m1").put(mail("ada", 2), "m2").put(mail("ada", 3), "m3");
/// inboxes.mutate(&7, &received)?;
///
/// let from_ada = Columns::all().qualifiers_in("index", BySender::prefix().sender("ada").ranges());
/// let row = inboxes.get(&7, &from_ada)?;
/// let found: Vec<BySender> = row.qualifiers("index").collect::<Result<_, _>>()?;
/// assert_eq!(found.iter().map(|mail| mail.at).collect::<Vec<_>>(), [3, 2]);
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct WideTable<K, D> {
    db: D,
    name: Arc<str>,
    store: Arc<dyn WideStore>,
    /// Fingerprints of its keys before their enums got more variants.
    earlier: Arc<[Fingerprint]>,
    key: PhantomData<fn() -> K>,
}

impl<K, D: Clone> Clone for WideTable<K, D> {
    fn clone(&self) -> Self {
        let Self { db, name, store, earlier, key } = self;
        Self { db: db.clone(), name: name.clone(), store: store.clone(), earlier: earlier.clone(), key: *key }
    }
}

impl<K, D> std::fmt::Debug for WideTable<K, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WideTable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<K: RowKey, D: WideDatabase> WideTable<K, D> {
    /// Opens a wide table, or creates it if it does not exist. `schema` has its families. The layout of its keys is
    /// that of `K`.
    ///
    /// Keys whose enums have got more variants are accepted, and stored as the table's layout.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if the table has other families, keys of another shape, or fields of other names or units;
    /// [`Self::alter`] and [`Self::rename_field`] change what can be changed. [`Error::ReservedName`] if the name
    /// begins with `rowkey.`.
    pub fn open(db: D, name: &str, schema: &TableSchema) -> Result<Self, Error> {
        Self::open_by(db, name, schema, |db, schema| db.table(name, schema))
    }

    /// Opens a wide table that exists.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`] if it does not exist; it is not created. Otherwise as [`open`](Self::open).
    pub fn open_existing(db: D, name: &str, schema: &TableSchema) -> Result<Self, Error> {
        Self::open_by(db, name, schema, |db, schema| db.open_table(name, schema))
    }

    /// Creates a wide table, with split points (of its row keys) and options of the engine. If several callers create
    /// it at once, one succeeds. If the process is killed in between, or the call fails there (a deadline, an error of
    /// the engine), the table exists, and [`open`](Self::open) and [`open_existing`](Self::open_existing) complete it.
    ///
    /// # Errors
    ///
    /// [`Error::TableExists`] if the table exists, with any schema; [`Error::SplitPoint`], [`Error::TableOption`] and
    /// [`Error::Family`] if it can't be created like this; [`Error::ReservedName`] and [`Error::Moved`] as
    /// [`open`](Self::open).
    pub fn create(db: D, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Self, Error> {
        catalog::check_name(name)?;
        let store = db.create_table(name, &schema.clone().row_key::<K>(), new)?;
        Ok(Self { db, name: name.into(), store, earlier: Arc::default(), key: PhantomData })
    }

    /// A table of a store that is open already, whose rows another program keeps, as
    /// [`Table::external`](crate::Table::external).
    #[doc(alias = "foreign")]
    pub fn external(db: D, store: Arc<dyn WideStore>) -> Self {
        Self { db, name: store.id().name().into(), store, earlier: Arc::default(), key: PhantomData }
    }

    fn open_by(
        db: D,
        name: &str,
        schema: &TableSchema,
        open: impl FnOnce(&dyn WideDatabase, &TableSchema) -> Result<Arc<dyn WideStore>, Error>,
    ) -> Result<Self, Error> {
        let within = Within::one_call(&db as &dyn WideDatabase);
        let Opened { mut store, earlier, .. } = open_as_part(&*within, name, &schema.clone().row_key::<K>(), open)?;
        if let Within::Made(_) = within {
            store = store.with_options(db.options());
        }
        Ok(Self { db, name: name.into(), store, earlier, key: PhantomData })
    }

    /// Changes the table's families and returns the changes. Handles that are open keep the schema they were opened
    /// with.
    ///
    /// ```
    /// use rowkey::wide::{CellsDatabase, FamilySchema, TableSchema};
    /// use rowkey::{Memory, WideTable};
    ///
    /// let db = CellsDatabase::new(Memory::new());
    /// let schema = TableSchema::new().family("a", FamilySchema::new());
    /// WideTable::<u64, _>::open(&db, "t", &schema)?;
    /// let more = schema.family("a", FamilySchema::new().max_versions(3));
    /// let changes = WideTable::<u64, _>::alter(&db, "t", &more)?;
    /// assert_eq!(changes[0].to_string(), "family a: max versions 1 becomes 3");
    /// WideTable::<u64, _>::open(&db, "t", &more)?;
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WideDatabase::alter`].
    pub fn alter(db: &D, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        db.alter(name, &schema.clone().row_key::<K>())
    }

    /// Renames a field of the row keys, as [`catalog::rename_field`](crate::catalog::rename_field) does in a plain
    /// table.
    ///
    /// # Errors
    ///
    /// [`Error::Fields`] if there is no such field, or the new name is not valid; [`Error::NoSuchTable`].
    pub fn rename_field(db: &D, table: &str, field: &str, name: &str) -> Result<(), Error> {
        let refused = |differences| Error::Fields { table: table.to_owned(), differences };
        let db = Within::one_call(db as &dyn WideDatabase);
        let schema = db.schema(table)?.ok_or_else(|| Error::NoSuchTable(table.to_owned()))?;
        db.alter(table, &schema.rename_row_field(field, name).map_err(refused)?.of_row_keys()).map(drop)
    }

    /// Drops the table with its rows. The engine decides what other handles to it do.
    pub fn drop_table(self) -> Result<(), Error> {
        Within::options(&self.db as &dyn WideDatabase, self.options()).drop_table(&self.name)
    }
}

impl<K, D: Clone> WideTable<K, D> {
    /// A handle to the same table with these [`CallOptions`] in place of those of this handle. See
    /// [`Table::with_options`](crate::Table::with_options).
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self { store: self.store.with_options(options), ..self.clone() }
    }
}

impl<K, D> WideTable<K, D> {
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
    pub fn store(&self) -> &Arc<dyn WideStore> {
        &self.store
    }
}

impl<K: RowKey, D> WideTable<K, D> {
    /// Returns the cells of a row in these columns: an empty [`Row`] if there are none.
    pub fn get(&self, key: &K::Ref<'_>, columns: &Columns) -> Result<Row, Error> {
        let key = key.encode();
        self.store.get(&key, columns).map_err(|error| error.of_key(&self.name, &key))
    }

    /// Returns several rows, in the order of the keys given.
    pub fn get_many<'k>(
        &self,
        keys: impl IntoIterator<Item: Borrow<K::Ref<'k>>>,
        columns: &Columns,
    ) -> Result<Vec<Row>, Error> {
        let keys: Vec<_> = keys.into_iter().map(|key| key.borrow().encode()).collect();
        let slices: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        self.store.get_many(&slices, columns).map_err(|error| error.of_key(&self.name, &[]))
    }

    /// Returns whether the row exists.
    pub fn exists(&self, key: &K::Ref<'_>) -> Result<bool, Error> {
        self.store.exists(&key.encode())
    }

    /// Writes to a row, atomically if the store has [`atomic_rows`](crate::wide::WideGuarantees::atomic_rows). If a
    /// mutation has deletes and puts, see [`edit_order`](crate::wide::WideGuarantees::edit_order).
    pub fn mutate(&self, key: &K::Ref<'_>, mutation: &Mutation) -> Result<(), Error> {
        self.store.mutate(&key.encode(), mutation)
    }

    /// Writes to several rows, to each as [`mutate`](Self::mutate) does.
    ///
    /// # Errors
    ///
    /// As [`WideStore::mutate_many`]: [`Error::Rows`] names the mutations that failed, by their place and their encoded
    /// key; all others are written.
    pub fn mutate_many<'k>(
        &self,
        rows: impl IntoIterator<Item = (impl Borrow<K::Ref<'k>>, Mutation)>,
    ) -> Result<(), Error> {
        let rows: Vec<_> = rows.into_iter().map(|(key, mutation)| (key.borrow().encode(), mutation)).collect();
        self.store.mutate_many(&rows)
    }

    /// Writes one column, encoded by the codec of its value. The next read returns it, unless the column has a version
    /// with a later time ([`untimed_puts`](crate::wide::WideGuarantees::untimed_puts)) or was deleted in the same
    /// millisecond ([`put_after_delete`](crate::wide::WideGuarantees::put_after_delete)).
    pub fn put<V: RowValue>(&self, key: &K::Ref<'_>, column: impl Into<Column>, value: &V) -> Result<(), Error> {
        self.mutate(key, &Mutation::new().put_value(column, value)?)
    }

    /// Deletes a row. Some stores keep versions with a later time than the clock's
    /// ([`untimed_deletes`](crate::wide::WideGuarantees::untimed_deletes)).
    pub fn delete(&self, key: &K::Ref<'_>) -> Result<(), Error> {
        self.mutate(key, &Mutation::new().delete_row())
    }

    /// Adds `by` to a counter and returns the new value. A counter that does not exist counts as 0. It is atomic:
    /// concurrent increments all count.
    ///
    /// # Errors
    ///
    /// [`Error::NotACounterCell`]; [`Error::Unsupported`] if the store has no increment.
    pub fn increment(&self, key: &K::Ref<'_>, column: impl Into<Column>, by: i64) -> Result<i64, Error> {
        let sums = self.increment_many(key, &[(column.into(), by)])?;
        sums.first().copied().ok_or_else(|| Error::engine("the store returned no new value for a counter"))
    }

    /// Adds to several counters of a row, atomically, and returns their new values. For a counter that is named twice
    /// see [`repeated_counters`](crate::wide::WideGuarantees::repeated_counters).
    ///
    /// # Errors
    ///
    /// As [`Self::increment`].
    pub fn increment_many(&self, key: &K::Ref<'_>, counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        self.store.increment(&key.encode(), counters)
    }

    /// Writes to a row, atomically, if a condition on one of its columns holds; returns whether it did. Stores differ
    /// in what an [empty value](crate::wide::WideGuarantees::empty_values) is, and in whether an invalid mutation is
    /// refused if [the condition does not hold](crate::wide::WideGuarantees::validated_first).
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the store has no conditional writes.
    #[doc(alias = "compare_and_set")]
    pub fn check_and_mutate(&self, key: &K::Ref<'_>, check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.store.check_and_mutate(&key.encode(), check, mutation)
    }

    /// Scans the selected rows in key order, with these columns of each. The buckets of a salted key are merged. Rows
    /// without any of the columns are skipped.
    ///
    /// With [`Columns::piece`] a row can come in several items. Limits count rows, and a cursor is after the whole row.
    pub fn scan(&self, select: impl Select<K>, columns: Columns) -> TableScan<K, Row> {
        let setup = Setup::new(Arc::clone(&self.name), Arc::clone(&self.earlier), select.select());
        TableScan::new(setup, Source::Wide(Arc::clone(&self.store), Box::new(columns)))
    }

    /// Returns the first row whose key is `key` or greater. It costs one seek, or one for each bucket of a salted key.
    /// The row is whole, even if `columns` asks for pieces.
    #[doc(alias = "seek")]
    pub fn first_at_or_after(&self, key: &K::Ref<'_>, mut columns: Columns) -> Result<Option<(K, Row)>, Error>
    where
        K: OwnedKey,
    {
        columns.piece = None;
        self.scan(.., columns).from_key(key).limit(1).in_one_call().next().transpose()
    }

    /// Returns the number of selected rows. It reads their cells.
    pub fn count(&self, select: impl Select<K>) -> Result<u64, Error> {
        let columns = Columns::all().first_only();
        count(Within::one_call(&*self.store).scan(&Scan::new(select.ranges()).batch_rows(4096), &columns))
    }
}

impl<K, D: Database> WideTable<K, CellsDatabase<D>> {
    /// The store of cells below, with the options of this handle.
    pub(crate) fn cells(&self) -> Result<Cells, Error> {
        self.db.bounded(self.options()).cells(&self.name, self.store.schema())
    }
}

/// An open wide table, and the fingerprints of its keys before their enums got more variants.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn WideStore>,
    pub(crate) earlier: Arc<[Fingerprint]>,
    /// True if it was created, or something was stored about it.
    #[cfg_attr(
        not(feature = "async"),
        expect(dead_code, reason = "an opening of asynchronous tables goes on after this one")
    )]
    pub(crate) is_new: bool,
}

/// Opens a wide table as part of an operation. `schema` has the layout of the row keys.
pub(crate) fn open_as_part(
    db: &dyn WideDatabase,
    name: &str,
    schema: &TableSchema,
    open: impl FnOnce(&dyn WideDatabase, &TableSchema) -> Result<Arc<dyn WideStore>, Error>,
) -> Result<Opened, Error> {
    catalog::check_name(name)?;
    catalog::of_catalog("opening", name, |commit| {
        let (mut earlier, stored) = (Vec::new(), db.schema(name)?);
        if let Some(stored) = &stored {
            // A time to live is stored in milliseconds, so families that mean the same need not be equal.
            let families = |families| TableSchema { families, ..TableSchema::new() };
            let same = families(stored.families.clone()).changes_to(&families(schema.families.clone())).is_empty();
            let of_keys = schema.of_row_keys();
            if same && stored.row_key.is_some() && !stored.changes_to(&of_keys).is_empty() {
                commit.decided(db.alter(name, &of_keys))?;
                commit.pass();
            }
            earlier = stored.altered_to(schema).earlier_row_keys;
        }
        let earlier = earlier.iter().filter_map(|shape| catalog::fingerprint(shape)).collect();
        let store = commit.decided(open(db, schema))?;
        Ok(Opened { store, earlier, is_new: stored.is_none() || commit.is_passed() })
    })
}
