//! Tables of cells in a database, which stores their schemas.

use std::fmt;
use std::sync::Arc;

use super::key::CellKey;
use super::{Cells, over};
use crate::keys::clock::{Clock, SystemClock};
use crate::keys::key::RowKey;
use crate::store::catalog::moved;
use crate::store::catalog::{self, Given, Opened, WideTexts};
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{CallOptions, Database, DatabaseId, Metered, NewTable, OpenMode};
use crate::wide::catalog::{absent, parsed};
use crate::wide::check::check_wide_name;
use crate::wide::schema::{Change, TableSchema};
use crate::wide::{WideDatabase, WideGuarantees, WideStore};

impl Cells {
    /// Opens a wide table of a database, and creates it if it does not exist. The database stores its schema.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if the table has another schema, [`Error::Layout`] if it is not a wide table, [`Error::Moved`]
    /// if a [migration](crate::migrate) has moved its rows to another table, [`Error::ReservedName`] if the name begins
    /// with `rowkey.`.
    pub fn open(db: &(impl Database + ?Sized), name: &str, schema: &TableSchema) -> Result<Self, Error> {
        catalog::check_name(name)?;
        Self::open_named(db, name, schema, &OpenMode::OpenOrCreate)
    }

    fn open_named(
        db: &(impl Database + ?Sized),
        name: &str,
        schema: &TableSchema,
        mode: &OpenMode,
    ) -> Result<Self, Error> {
        schema.check()?;
        let within = Within::one_call(&db as &dyn Database);
        let store = moved::unless_moved(&*within, name, mode, |commit| {
            let given = Given::entries(&CellKey::LAYOUT);
            let Opened { store, .. } = catalog::open(&*within, name, &given, mode, commit)?;
            catalog::keep_wide(&*within, name, commit, |stored| match stored {
                None => Ok(Some(texts(schema))),
                Some(stored) => parse(name, stored)?.check_opening(name, schema).map(|()| None),
            })?;
            Ok(within.handed_out(store, db.options()))
        })?;
        Self::over(store, schema.clone())
    }
}

/// Emulates HBase tables on a key-value store: a [`WideDatabase`] over any [`Database`]. Each wide table is one table
/// with [`Cells`].
#[doc(alias = "HBase")]
#[derive(Clone)]
pub struct CellsDatabase<D> {
    db: D,
    clock: Arc<dyn Clock>,
}

impl<D> fmt::Debug for CellsDatabase<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellsDatabase").finish_non_exhaustive()
    }
}

impl<D: Database + Clone> CellsDatabase<Metered<D>> {
    /// Wide tables in a [`Metered`] database. Each entry counts as a cell, and the cells of a row that are read
    /// together count as one row.
    ///
    /// ```
    /// use rowkey::store::Metered;
    /// use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, TableSchema};
    /// use rowkey::{Memory, WideTable};
    ///
    /// let db = Metered::new(Memory::new());
    /// let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(3));
    /// let pages: WideTable<u32, _> = WideTable::open(CellsDatabase::metered(&db), "pages", &schema)?;
    /// for (at, edit) in [(1, "one"), (2, "two"), (3, "three")] {
    ///     pages.mutate(&7, &Mutation::new().put_at("a:text", at, edit).put_at("a:author", at, "ada"))?;
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
    /// Wide tables in `db`, next to its plain ones. With a [`Metered`] database use [`metered`](Self::metered): here
    /// each cell would count as a row.
    pub fn new(db: D) -> Self {
        Self { db, clock: Arc::new(SystemClock) }
    }

    /// Uses another clock. Default: the system's clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Opens a wide table, as [`WideDatabase::table`], for the methods that only [`Cells`] has.
    pub fn cells(&self, name: &str, schema: &TableSchema) -> Result<Cells, Error> {
        self.opened(name, schema, &OpenMode::OpenOrCreate)
    }

    fn opened(&self, name: &str, schema: &TableSchema, mode: &OpenMode) -> Result<Cells, Error> {
        check_wide_name(name)?;
        Ok(Cells { clock: Arc::clone(&self.clock), ..Cells::open_named(&self.db, name, schema, mode)? })
    }

    /// The same wide tables, with these options.
    pub(crate) fn bounded(&self, options: &CallOptions) -> CellsDatabase<Arc<dyn Database>> {
        CellsDatabase { db: self.db.with_options(options), clock: Arc::clone(&self.clock) }
    }
}

impl<D: Database> WideDatabase for CellsDatabase<D> {
    fn id(&self) -> DatabaseId {
        self.db.id()
    }

    fn options(&self) -> &CallOptions {
        self.db.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
        Arc::new(self.bounded(options))
    }

    fn guarantees(&self) -> WideGuarantees {
        over(self.db.guarantees())
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(Arc::new(self.cells(name, schema)?))
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(Arc::new(self.opened(name, schema, &OpenMode::Open)?))
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        self.id().check_write([name])?;
        // Checked as given, so that an error names the row's split point.
        NewTable { options: Vec::new(), ..new.clone() }.check(name, &[])?;
        Ok(Arc::new(self.opened(name, schema, &OpenMode::Create(of_entries(new)))?))
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        let db = Within::one_call(&self.db as &dyn Database);
        catalog::wide(&*db, name)?.map(|stored| parse(name, &stored)).transpose()
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        if !schema.families.is_empty() {
            schema.check()?;
        }
        let mut changes = Vec::new();
        let db = Within::one_call(&self.db as &dyn Database);
        catalog::of_catalog("alteration", name, |commit| {
            catalog::keep_wide(&*db, name, commit, |stored| {
                let stored = parse(name, stored.ok_or_else(|| absent(name))?)?;
                changes = stored.check_alteration(name, schema)?;
                Ok(Some(texts(&stored.altered_to(schema))))
            })
        })?;
        Ok(changes)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        catalog::wide_tables(&*Within::one_call(&self.db as &dyn Database))
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id().check_write([name])?;
        let db = Within::one_call(&self.db as &dyn Database);
        if catalog::wide(&*db, name)?.is_some() {
            catalog::drop_table(&*db, name)?;
        }
        Ok(())
    }
}

/// The split points of the entries, given those of the rows.
fn of_entries(new: &NewTable) -> NewTable {
    let points = new.split_points.iter().map(|row| CellKey::row_part(row)).collect();
    NewTable { split_points: points, ..new.clone() }
}

/// A schema as the catalog stores it: the fields of the row keys are in rows of their own.
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
    let mut schema = parsed(table, &stored.schema)?;
    schema.row_fields.clone_from(&stored.fields);
    schema.earlier_row_keys = stored.earlier.iter().flat_map(|shapes| shapes.lines()).map(str::to_owned).collect();
    Ok(schema)
}
