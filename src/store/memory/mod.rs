//! A database in memory, for tests and for data that need not survive the process.
//!
//! A table is a persistent B+tree. A scan holds the root it was opened on. A writer copies the nodes that an open scan
//! still shares, and changes all others in place. So readers and writers do not wait for each other, and a scan never
//! sees part of a write.
//!
//! Writers of a table are serialized by a lock (their *turn*). The body of a transaction runs in its turn, on the
//! current roots, and holds no lock that readers need.

mod doomed;
mod rows;
mod table;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use imbl::OrdSet;
use parking_lot::{MutexGuard, RwLock, RwLockWriteGuard};

use self::rows::{Row, apply};
use self::table::{Handle, MemoryTable, Seen};
use super::{
    Atomicity, Batch, Call, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, Store, check_batches,
};
use crate::store::error::Error;

/// A database in memory, with the guarantees of a full engine: batches are atomic across tables, scans are snapshots,
/// and increments, conditional writes and transactions are supported. It has no regions, and no limits but memory. A
/// clone is another handle to the same database.
#[doc(alias = "in-memory")]
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::{Database, RowBatch, Rows, Scan};
///
/// let database = Memory::new();
/// let fruit = database.table("fruit")?;
/// fruit.compare_and_write(b"pear", None, Some(b"green"))?;
/// fruit.compare_and_write(b"apple", None, Some(b"red"))?;
///
/// let mut batch = RowBatch::new();
/// fruit.scan(&Scan::all()).next_batch(&mut batch)?;
/// assert_eq!(batch.get(0), Some((&b"apple"[..], &b"red"[..])));
/// assert_eq!(database.tables()?, ["fruit"]);
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// Dropping a table removes its rows. Handles opened before read no rows, and their writes are [`Error::NoSuchTable`],
/// also when another table has the name by then.
#[derive(Clone)]
pub struct Memory {
    id: DatabaseId,
    tables: Arc<RwLock<BTreeMap<String, Arc<MemoryTable>>>>,
    options: CallOptions,
}

const PROMISES: Guarantees = Guarantees::none()
    .batch(Atomicity::Database)
    .snapshot_scans(true)
    .increment(true)
    .compare_and_write(true)
    .transactions(true);

impl Default for Memory {
    fn default() -> Self {
        Self { id: DatabaseId::unique(), tables: Arc::default(), options: CallOptions::new() }
    }
}

impl Memory {
    /// An empty database.
    pub fn new() -> Self {
        Self::default()
    }

    fn open(&self, name: &str) -> Result<Arc<MemoryTable>, Error> {
        if let Some(table) = self.tables.read().get(name) {
            return Ok(Arc::clone(table));
        }
        self.id.check_write([name])?;
        let new = || Arc::new(MemoryTable::new(self.id.table(name)));
        Ok(Arc::clone(self.tables.write().entry(name.to_owned()).or_insert_with(new)))
    }

    fn handle(&self, table: &Arc<MemoryTable>) -> Arc<dyn Store> {
        Arc::new(Handle { table: Arc::clone(table), options: self.options.clone() })
    }

    /// The tables sorted by name, without duplicates, and the index in that list of each of `names`.
    fn open_all<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Result<OpenedTables, Error> {
        self.id.check_write(names.clone())?;
        let mut sorted: Vec<&str> = names.clone().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let places = names.filter_map(|name| sorted.binary_search(&name).ok()).collect();
        Ok((sorted.into_iter().map(|name| self.open(name)).collect::<Result<_, _>>()?, places))
    }
}

type OpenedTables = (Vec<Arc<MemoryTable>>, Vec<usize>);

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.tables.read().iter()).finish()
    }
}

impl Database for Memory {
    fn id(&self) -> DatabaseId {
        self.id
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { options: options.clone(), ..self.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        PROMISES
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.options.begin("opening", name)?;
        Ok(self.handle(&self.open(name)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.options.begin("opening", name)?;
        match self.tables.read().get(name) {
            Some(table) => Ok(self.handle(table)),
            None => Err(Error::NoSuchTable(name.to_owned())),
        }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.id.check_write([name])?;
        new.check(name, &[])?;
        self.options.begin("creation", name)?;
        match self.tables.write().entry(name.to_owned()) {
            Entry::Occupied(_) => Err(Error::TableExists(name.to_owned())),
            Entry::Vacant(place) => Ok(self.handle(place.insert(Arc::new(MemoryTable::new(self.id.table(name)))))),
        }
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.options.begin("list of tables", "")?;
        Ok(self.tables.read().keys().cloned().collect())
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id.check_write([name])?;
        let call = self.options.begin("drop", name)?;
        let table = self.tables.read().get(name).cloned();
        let Some(table) = table else { return Ok(()) };
        let Some(turn) = table.turn(&call)? else { return Ok(()) };
        self.tables.write().remove(name);
        table.id.mark_dropped();
        let rows = table.take_rows();
        drop(turn);
        // A large tree takes a while to free; nobody has to wait for that.
        drop(rows);
        Ok(())
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        batches.iter().try_for_each(|(_, batch)| batch.check_keys())?;
        let names = batches.iter().map(|&(name, _)| name);
        let call = self.options.begin_across("write", names.clone())?;
        loop {
            let (tables, places) = self.open_all(names.clone())?;
            let Some(_turns) = turns(&tables, &call)? else { continue };
            let mut locked = lock(&tables);
            for (&place, (_, batch)) in places.iter().zip(batches) {
                apply(&mut locked[place], batch);
            }
            return Ok(());
        }
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        let call = self.options.begin_across("transaction", tables.iter().copied())?;
        loop {
            let (opened, places) = self.open_all(tables.iter().copied())?;
            let Some(_turns) = turns(&opened, &call)? else { continue };
            let batches = {
                // Dropped before the writes, which would otherwise copy every node it shares with the tables.
                let seen: Vec<Seen<'_>> = opened.iter().map(|table| table.seen(&call)).collect::<Result<_, _>>()?;
                let views: Vec<&dyn Readable> = places.iter().map(|&place| &seen[place] as &dyn Readable).collect();
                let _inside = self.id.enter();
                body(&views)?
            };
            check_batches(tables, &batches)?;
            call.check()?;
            let mut locked = lock(&opened);
            for (&place, batch) in places.iter().zip(&batches) {
                apply(&mut locked[place], batch);
            }
            return Ok(());
        }
    }
}

/// Locked in the order of the names, so two writers can't deadlock. None if one of them was dropped meanwhile.
fn turns<'t>(tables: &'t [Arc<MemoryTable>], call: &Call<'_>) -> Result<Option<Vec<MutexGuard<'t, ()>>>, Error> {
    tables.iter().map(|table| table.turn(call)).collect()
}

/// All are locked at once, so no reader finds the batch in one table and misses it in the next. The caller has the
/// turns.
fn lock(tables: &[Arc<MemoryTable>]) -> Vec<RwLockWriteGuard<'_, OrdSet<Row>>> {
    tables.iter().map(|table| table.rows.write()).collect()
}
