//! Wide rows over any ordered store.

mod entries;
mod key;
mod purge;
mod read;
mod stamps;
mod visible;
mod written;

use std::fmt;
use std::sync::Arc;

pub use self::key::{CellKey, Entry, Kind, Place, Version};
pub use self::purge::PurgeReport;
use self::read::{CellRows, Families, Plan, RowReader};
use self::stamps::{Stamp, Stamps};
use self::written::Written;
use super::column::{Check, Column, Columns};
use super::mutation::{Edit, Mutation};
use super::row::Row;
use super::schema::{Change, TableSchema};
use super::{WideDatabase, WideGuarantees, WideStore};
use crate::catalog::{self, Given, Opened, PLAIN, WideTexts};
use crate::clock::{Clock, SystemClock};
use crate::error::Error;
use crate::key::RowKey;
use crate::store::{
    Atomicity, Batch, Database, DatabaseId, Metered, Rows, Scan, Store, TableId, View, add_to_counter, check_key,
};

/// A [`WideStore`] over a [`Store`]: a cell is one entry, under a [`CellKey`].
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
///
/// let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(2));
/// let table = Cells::open(&Memory::new(), "table", &schema)?;
/// table.mutate(b"row", &Mutation::new().put_at("a:q", 1, "old").put_at("a:q", 2, "new"))?;
/// table.mutate(b"row", &Mutation::new().delete_latest("a:q"))?;
/// assert_eq!(table.get(b"row", &Columns::all())?.value("a:q"), Some(&b"old"[..]));
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// All families of a row stand together. A read of one row looks at the chosen columns alone, but for what comes in the same
/// few entries; a scan goes over the rows' other columns too, and jumps only where they are many. What is scanned without
/// the rest belongs in a table of its own.
///
/// Mutations of a row are atomic where the store's batches are; increments, conditions and
/// [`Mutation::delete_latest`] need its [transactions](crate::store::Guarantees::transactions).
///
/// Timestamps that are not given come from a clock, and never go back in a row, whatever the clock does: those of
/// a handle and its clones, that is, and of all tables of one [`CellsDatabase`].
pub struct Cells<S = Arc<dyn Store>> {
    store: S,
    families: Arc<Families>,
    stamps: Arc<Stamps>,
}

impl<S: Clone> Clone for Cells<S> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), families: Arc::clone(&self.families), stamps: Arc::clone(&self.stamps) }
    }
}

impl<S> fmt::Debug for Cells<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells").field("schema", &self.families.schema).finish_non_exhaustive()
    }
}

impl Cells {
    /// Opens a wide table of a database; it is made if it is not there. The database keeps its schema.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if it is there with another schema, [`Error::Layout`] if it is no wide table,
    /// [`Error::ReservedName`] if the name begins with `rowkey.`.
    pub fn open(db: &(impl Database + ?Sized), name: &str, schema: &TableSchema) -> Result<Self, Error> {
        catalog::check_name(name)?;
        Self::open_named(db, name, schema)
    }

    fn open_named(db: &(impl Database + ?Sized), name: &str, schema: &TableSchema) -> Result<Self, Error> {
        schema.check()?;
        let Opened { store, .. } = catalog::open(db, name, &Given::entries(&CellKey::LAYOUT))?;
        catalog::keep_wide(db, name, |stored| match stored {
            None => Ok(Some(texts(schema))),
            Some(stored) => match parse(name, stored)?.changes_to(schema).as_slice() {
                [] => Ok(None),
                changes => Err(refusal(name, changes)),
            },
        })?;
        Self::over(store, schema.clone())
    }
}

impl<S: Store> Cells<S> {
    /// Wide rows over a store, which holds nothing else. Their schema is not kept.
    ///
    /// # Errors
    ///
    /// [`Error::Family`] if there can't be such a table.
    pub fn over(store: S, schema: TableSchema) -> Result<Self, Error> {
        schema.check()?;
        Ok(Self {
            store,
            families: Arc::new(Families::new(schema)),
            stamps: Arc::new(Stamps::new(Arc::new(SystemClock))),
        })
    }

    /// Takes the time from another clock.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use rowkey::Memory;
    /// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new().ttl(Duration::from_millis(10)));
    /// let table = Cells::open(&Memory::new(), "table", &schema)?.with_clock(|| 1_000);
    /// table.mutate(b"row", &Mutation::new().put("a:now", "").put_at("a:then", 990, ""))?;
    /// let columns = table.get(b"row", &Columns::all())?.to_map();
    /// assert_eq!(columns.into_keys().collect::<Vec<_>>(), ["a:now".into()], "what is 10 ms old has expired");
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.stamps = Arc::new(Stamps::new(Arc::new(clock)));
        self
    }

    /// The entries as they are stored, under [`CellKey`]s.
    pub fn store(&self) -> &S {
        &self.store
    }

    fn plan(&self, columns: &Columns) -> Result<Plan, Error> {
        Plan::new(&self.families, columns, self.stamps.now())
    }

    /// Reads a row by a scan of its entries.
    fn read(&self, row: &[u8], columns: &Columns, open: &dyn Fn(&Scan) -> Box<dyn Rows>) -> Result<Row, Error> {
        let plan = self.plan(columns)?;
        let few = if columns.families.is_empty() && !columns.first_only { 32 } else { 4 };
        let scan = Scan::new(plan.range_of(row).into_iter().collect()).batch_rows(few);
        Ok(Row::from_cells(RowReader::new(plan, open(&scan), false).into_cells()?))
    }

    /// The newest version of a column: its timestamp and value.
    fn newest(&self, row: &[u8], column: &Column, view: &dyn View) -> Result<Option<(i64, Vec<u8>)>, Error> {
        let found = self.read(row, &Columns::of(column), &|scan| view.scan(scan))?;
        Ok(found.cells().next().map(|cell| (cell.timestamp, cell.value.to_vec())))
    }

    fn keeps_versions(&self, family: &str) -> bool {
        self.families.schema.families.get(family).is_some_and(|family| family.max_versions > 1)
    }

    fn check(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        check_key(row)?;
        mutation.check_timestamps()?;
        mutation
            .edits()
            .iter()
            .filter_map(Edit::family)
            .try_for_each(|family| self.families.schema.require(family).map(drop))
    }

    /// Writes mutations. They get their timestamps where nobody else writes: an increment between a put's timestamp and
    /// the put would hide it.
    fn apply<'m>(&self, rows: impl Iterator<Item = (&'m [u8], &'m Mutation)> + Clone) -> Result<(), Error> {
        let write_all = |view: Option<&dyn View>| {
            let mut batch = Batch::new();
            for (row, mutation) in rows.clone() {
                self.write(row, mutation, self.stamps.of_row(row), view, &mut batch)?;
            }
            Ok(batch)
        };
        let timed = rows.clone().all(|(_, mutation)| mutation.edits().iter().all(|edit| edit.timestamp().is_some()));
        if timed || !self.store.guarantees().transactions {
            return self.store.write(&write_all(None)?);
        }
        self.store.transact(&mut |view| write_all(Some(view)))
    }

    /// Adds a mutation's entries to a batch. `view` is the store before the mutation, if it has to be looked at.
    fn write(
        &self,
        row: &[u8],
        mutation: &Mutation,
        mut stamp: Stamp<'_>,
        view: Option<&dyn View>,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        // The deletes that were given the timestamp which a put would get.
        let mut now_deleted: Vec<&Edit> = Vec::new();
        let put = |batch: &mut Batch, family: &str, entry: Entry<'_>, value: &[u8]| {
            let key = CellKey { row: row.into(), place: Place { family, entry } };
            batch.put(key.encode(), value);
        };
        fn version(column: &Column, at: i64, kind: Kind) -> Entry<'_> {
            Entry::Column { qualifier: column.qualifier.as_slice().into(), version: Version { at, kind } }
        }
        for edit in mutation.edits() {
            if edit.timestamp().is_none() && !matches!(edit, Edit::Put { .. } | Edit::DeleteVersion { .. }) {
                now_deleted.push(edit);
            }
            match edit {
                Edit::Put { column, at, value } => {
                    let at = at.unwrap_or_else(|| {
                        let behind = now_deleted.iter().any(|edit| edit.deletes(column));
                        if behind {
                            now_deleted.clear();
                        }
                        stamp.put(behind, self.keeps_versions(&column.family))
                    });
                    put(batch, &column.family, version(column, at, Kind::Value), value);
                }
                Edit::DeleteVersion { column, at } => {
                    let at = match (at, view) {
                        (Some(at), _) => Some(*at),
                        (None, Some(view)) => self.newest(row, column, &Written { view, batch })?.map(|(at, _)| at),
                        (None, None) => return Err(Error::Unsupported("transactions")),
                    };
                    if let Some(at) = at {
                        if stamp.delete_at(at) {
                            now_deleted.push(edit);
                        }
                        put(batch, &column.family, version(column, at, Kind::VersionDeleted), &[]);
                    }
                }
                Edit::DeleteColumn { column, until } => {
                    let until = until.unwrap_or_else(|| stamp.delete());
                    put(batch, &column.family, version(column, until, Kind::ColumnDeleted), &[]);
                }
                Edit::DeleteFamily { family, until } => {
                    let until = until.unwrap_or_else(|| stamp.delete());
                    put(batch, family, Entry::FamilyDeleted { until }, &[]);
                }
                Edit::DeleteRow { until } => {
                    let until = until.unwrap_or_else(|| stamp.delete());
                    for family in self.families.schema.families.keys() {
                        put(batch, family, Entry::FamilyDeleted { until }, &[]);
                    }
                }
            }
        }
        Ok(())
    }
}

impl<S: Store> WideStore for Cells<S> {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn guarantees(&self) -> WideGuarantees {
        over(self.store.guarantees())
    }

    fn schema(&self) -> &TableSchema {
        &self.families.schema
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        check_key(row)?;
        self.read(row, columns, &|scan| self.store.scan(scan))
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        Box::new(match self.plan(columns) {
            Ok(plan) => CellRows::new(plan, scan, |scan| self.store.scan(scan)),
            Err(error) => CellRows::failed(error),
        })
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.check(row, mutation)?;
        self.apply(std::iter::once((row, mutation)))
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        rows.iter().try_for_each(|(row, mutation)| self.check(row, mutation))?;
        self.apply(rows.iter().map(|(row, mutation)| (row.as_slice(), mutation)))
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        check_key(row)?;
        let mut sums = Vec::new();
        self.store.transact(&mut |view| {
            sums.clear();
            let mut batch = Batch::new();
            let mut added: Vec<(&Column, i64, i64)> = Vec::new();
            for (column, by) in counters {
                let schema = self.families.schema.require(&column.family)?;
                let (before, sum) = match added.iter().find(|(other, ..)| *other == column) {
                    Some(&(_, at, sum)) => (Some(at), sum.wrapping_add(*by)),
                    None => {
                        let (at, value) = self.newest(row, column, view)?.unzip();
                        let sum = add_to_counter(row, value.as_deref(), *by);
                        (at, sum.map_err(|error| not_a_counter(error, column))?)
                    }
                };
                let at = self.stamps.of_row(row).after(before, schema.max_versions > 1);
                let entry = |at| {
                    let version = Version { at, kind: Kind::Value };
                    let entry = Entry::Column { qualifier: column.qualifier.as_slice().into(), version };
                    CellKey { row: row.into(), place: Place { family: &column.family, entry } }.encode()
                };
                // Nobody reads the old one: a counter would grow by an entry each time.
                if let Some(before) = before.filter(|_| schema.max_versions == 1) {
                    batch.delete(entry(before));
                }
                batch.put(entry(at), sum.to_be_bytes());
                added.retain(|(other, ..)| *other != column);
                added.push((column, at, sum));
                sums.push(sum);
            }
            Ok(batch)
        })?;
        Ok(sums)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Check, mutation: &Mutation) -> Result<bool, Error> {
        self.check(row, mutation)?;
        let mut holds = false;
        self.store.transact(&mut |view| {
            let (at, value) = self.newest(row, &check.column, view)?.unzip();
            holds = check.holds(value.as_deref());
            let mut batch = Batch::new();
            if holds {
                let stamp = self.stamps.of_row(row).not_before(at);
                self.write(row, mutation, stamp, Some(view), &mut batch)?;
            }
            Ok(batch)
        })?;
        Ok(holds)
    }
}

fn not_a_counter(error: Error, column: &Column) -> Error {
    match error {
        Error::NotACounter { key, len } => Error::NotACounterCell { row: key, column: column.to_string(), len },
        other => other,
    }
}

fn over(beneath: crate::store::Guarantees) -> WideGuarantees {
    WideGuarantees {
        // A row is read by a scan.
        atomic_rows: beneath.batch >= Atomicity::Table && beneath.snapshot_scans,
        snapshot_scans: beneath.snapshot_scans,
        increment: beneath.transactions,
        check_and_mutate: beneath.transactions,
        delete_latest: beneath.transactions,
        delete_markers: true,
        slow_scans: beneath.slow_scans,
    }
}

/// A schema as the catalog keeps it: what is known of the row keys' fields stands in rows of its own.
fn texts(schema: &TableSchema) -> WideTexts {
    let families = TableSchema { row_fields: None, earlier_row_keys: Vec::new(), ..schema.clone() };
    let earlier: String = schema.earlier_row_keys.iter().flat_map(|shape| [shape, "\n"]).collect();
    WideTexts {
        schema: families.to_string(),
        fields: schema.row_fields.clone(),
        earlier: Some(earlier).filter(|earlier| !earlier.is_empty()),
    }
}

fn parse(table: &str, stored: &WideTexts) -> Result<TableSchema, Error> {
    let mut schema: TableSchema = stored.schema.parse().map_err(|error| Error::Schema {
        table: table.to_owned(),
        differences: format!("what is kept of it: {error}"),
    })?;
    schema.row_fields.clone_from(&stored.fields);
    schema.earlier_row_keys = stored.earlier.iter().flat_map(|shapes| shapes.lines()).map(str::to_owned).collect();
    Ok(schema)
}

fn refusal(table: &str, changes: &[Change]) -> Error {
    let told = changes.iter().map(|change| {
        let how = if change.in_place { "can be altered" } else { "takes another table" };
        format!("{change} ({how})")
    });
    Error::Schema { table: table.to_owned(), differences: told.collect::<Vec<_>>().join("; ") }
}

/// A [`WideDatabase`] over a [`Database`]: each wide table is a table of [`Cells`].
#[derive(Clone)]
pub struct CellsDatabase<D> {
    db: D,
    stamps: Arc<Stamps>,
}

impl<D> fmt::Debug for CellsDatabase<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellsDatabase").finish_non_exhaustive()
    }
}

impl<D: Database + Clone> CellsDatabase<Metered<D>> {
    /// Wide tables in a database that counts, together with all else that is counted there: an entry is a cell, and the
    /// cells of a row that are read together are one row.
    ///
    /// ```
    /// use rowkey::store::Metered;
    /// use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, TableSchema};
    /// use rowkey::{Memory, WideTable};
    ///
    /// let db = Metered::new(Memory::new());
    /// let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(3));
    /// let pages: WideTable<u32, _> = WideTable::open(CellsDatabase::metered(&db), "pages", &schema)?;
    /// for edit in ["one", "two", "three"] {
    ///     pages.mutate(&7, &Mutation::new().put("a:text", edit).put("a:author", "ada"))?;
    /// }
    ///
    /// let before = db.costs();
    /// let row = pages.get(&7, &Columns::all())?;
    /// assert_eq!(row.cells().count(), 2, "the newest versions");
    /// let costs = db.costs() - before;
    /// assert_eq!((costs.rows_read, costs.cells_read), (1, 6), "all versions are read");
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn metered(db: &Metered<D>) -> Self {
        Self::new(db.rows_by(CellKey::row_of))
    }
}

impl<D: Database> CellsDatabase<D> {
    /// Wide tables in `db`, beside its plain ones. Over a [`Metered`] one use [`metered`](Self::metered): here each cell
    /// would count as a row.
    pub fn new(db: D) -> Self {
        Self { db, stamps: Arc::new(Stamps::new(Arc::new(SystemClock))) }
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { stamps: Arc::new(Stamps::new(Arc::new(clock))), ..self }
    }

    /// Opens a wide table, as [`WideDatabase::table`] does, for what [`Cells`] has besides.
    pub fn cells(&self, name: &str, schema: &TableSchema) -> Result<Cells, Error> {
        if !name.starts_with(PLAIN) {
            catalog::check_name(name)?;
        }
        Ok(Cells { stamps: Arc::clone(&self.stamps), ..Cells::open_named(&self.db, name, schema)? })
    }
}

impl<D: Database> WideDatabase for CellsDatabase<D> {
    fn id(&self) -> DatabaseId {
        self.db.id()
    }

    fn guarantees(&self) -> WideGuarantees {
        over(self.db.guarantees())
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(Arc::new(self.cells(name, schema)?))
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        catalog::wide(&self.db, name)?.map(|stored| parse(name, &stored)).transpose()
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        schema.check()?;
        let mut changes = Vec::new();
        catalog::keep_wide(&self.db, name, |stored| {
            let stored = stored.ok_or_else(|| Error::Schema {
                table: name.to_owned(),
                differences: "there is no such table".to_owned(),
            })?;
            let stored = parse(name, stored)?;
            changes = stored.changes_to(schema);
            if changes.iter().all(|change| change.in_place) {
                Ok(Some(texts(&stored.altered_to(schema))))
            } else {
                Err(refusal(name, &changes))
            }
        })?;
        Ok(changes)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        catalog::wide_tables(&self.db)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id().check_write([name])?;
        if catalog::wide(&self.db, name)?.is_some() {
            catalog::drop_table(&self.db, name)?;
        }
        Ok(())
    }
}
