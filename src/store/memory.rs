//! A database in memory: for tests, and for data that need not outlive the process.
//!
//! A table is a persistent B+tree. A scan takes the root as it stands and walks that; a writer copies only what a scan
//! still holds, and changes the rest in place. So neither waits for the other, and a scan never sees half a write.
//!
//! Writers of a table take turns. The body of a transaction runs in its turn, on the roots as they stand, and holds no lock
//! that a reader waits for.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::hint::black_box;
use std::ops::{Bound, RangeBounds};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use imbl::OrdSet;

use super::options::failed;
use super::{
    Atomicity, Batch, Call, CallOptions, Database, DatabaseId, Guarantees, NewTable, RangeReader, RangeRows, Readable,
    Room, Rows, Scan, Store, TableId, Write, add_to_counter, check_batches, check_key,
};
use crate::keys::range::KeyRange;
use crate::store::error::Error;

/// A database in memory. Batches are atomic across its tables, scans are snapshots, and increments, conditions and transactions
/// are there; it has no regions, and no limits but the memory. A clone is another handle to it.
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
/// A table that is dropped loses its rows. Handles from before keep working on the table that was, which no name leads
/// to any more.
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
    /// A database without tables.
    pub fn new() -> Self {
        Self::default()
    }

    fn open(&self, name: &str) -> Result<Arc<MemoryTable>, Error> {
        if let Some(table) = read(&self.tables).get(name) {
            return Ok(Arc::clone(table));
        }
        self.id.check_write([name])?;
        let new = || Arc::new(MemoryTable::new(self.id.table(name)));
        Ok(Arc::clone(write(&self.tables).entry(name.to_owned()).or_insert_with(new)))
    }

    fn handle(&self, table: &Arc<MemoryTable>) -> Arc<dyn Store> {
        Arc::new(Handle { table: Arc::clone(table), options: self.options.clone() })
    }

    /// The tables, in the order of their names and each once; and where in it each of `names` is.
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
        f.debug_map().entries(read(&self.tables).iter()).finish()
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
        match read(&self.tables).get(name) {
            Some(table) => Ok(self.handle(table)),
            None => Err(Error::NoSuchTable(name.to_owned())),
        }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.id.check_write([name])?;
        new.check(name, &[])?;
        self.options.begin("creation", name)?;
        match write(&self.tables).entry(name.to_owned()) {
            Entry::Occupied(_) => Err(Error::TableExists(name.to_owned())),
            Entry::Vacant(place) => Ok(self.handle(place.insert(Arc::new(MemoryTable::new(self.id.table(name)))))),
        }
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.options.begin("list of tables", "")?;
        Ok(read(&self.tables).keys().cloned().collect())
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id.check_write([name])?;
        let call = self.options.begin("drop", name)?;
        let table = read(&self.tables).get(name).cloned();
        let Some(table) = table else { return Ok(()) };
        let turn = table.turn(&call)?;
        let mut tables = write(&self.tables);
        // Somebody else may have dropped it, and made another, while this waited for its turn.
        if !tables.get(name).is_some_and(|there| Arc::ptr_eq(there, &table)) {
            return Ok(());
        }
        tables.remove(name);
        drop(tables);
        let rows = table.take_rows();
        drop(turn);
        // A large tree takes its time to fall, and nobody has to wait for it.
        drop(rows);
        Ok(())
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        batches.iter().try_for_each(|(_, batch)| batch.check_keys())?;
        let names = batches.iter().map(|&(name, _)| name);
        let call = self.options.begin_across("write", names.clone())?;
        let (tables, places) = self.open_all(names)?;
        let _turns = turns(&tables, &call)?;
        let mut locked = lock(&tables);
        for (&place, (_, batch)) in places.iter().zip(batches) {
            apply(&mut locked[place], batch);
        }
        Ok(())
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        let call = self.options.begin_across("transaction", tables.iter().copied())?;
        let (opened, places) = self.open_all(tables.iter().copied())?;
        let _turns = turns(&opened, &call)?;
        let batches = {
            // Gone before the writes: they would have to copy what it shares with the tables.
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
        Ok(())
    }
}

/// In the order of their names, two writers can't wait for each other.
fn turns<'t>(tables: &'t [Arc<MemoryTable>], call: &Call<'_>) -> Result<Vec<MutexGuard<'t, ()>>, Error> {
    tables.iter().map(|table| table.turn(call)).collect()
}

/// Locked all at once, no reader finds the batch in one table and misses it in the next. Whoever locks has the turns.
fn lock(tables: &[Arc<MemoryTable>]) -> Vec<RwLockWriteGuard<'_, OrdSet<Row>>> {
    tables.iter().map(|table| write(&table.rows)).collect()
}

/// One table of a [`Memory`].
struct MemoryTable {
    id: TableId,
    /// Held by who writes, and before `rows`; it alone is held while a transaction's body runs.
    writer: Mutex<()>,
    rows: RwLock<OrdSet<Row>>,
}

impl MemoryTable {
    fn new(id: TableId) -> Self {
        Self { id, writer: Mutex::default(), rows: RwLock::default() }
    }

    #[inline]
    fn turn(&self, call: &Call<'_>) -> Result<MutexGuard<'_, ()>, Error> {
        call.lock_mutex(&self.writer)
    }

    /// The rows, for who reads: a large batch that is being applied is waited for.
    #[inline]
    fn rows(&self, call: &Call<'_>) -> Result<RwLockReadGuard<'_, OrdSet<Row>>, Error> {
        call.lock_read(&self.rows)
    }

    fn seen<'c>(&'c self, call: &'c Call<'c>) -> Result<Seen<'c>, Error> {
        Ok(Seen { rows: self.rows(call)?.clone(), table: &self.id, call })
    }

    /// Leaves no row; the caller has the turn.
    fn take_rows(&self) -> OrdSet<Row> {
        std::mem::take(&mut *write(&self.rows))
    }
}

impl fmt::Debug for MemoryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", read(&self.rows).len())
    }
}

/// A table, for calls with options.
struct Handle {
    table: Arc<MemoryTable>,
    options: CallOptions,
}

impl Handle {
    #[inline]
    fn begin(&self, doing: &'static str) -> Result<Call<'_>, Error> {
        self.options.begin(doing, self.table.id.name())
    }
}

impl Readable for Handle {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let rows = self.table.rows(&self.begin("get")?)?;
        Ok(rows.get(key).map(|row| row.value().to_vec()))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let rows = self.begin("scan").and_then(|call| Ok(self.table.rows(&call)?.clone()));
        match rows {
            Ok(rows) => self.options.rows(self.table.id.name(), Box::new(RangeRows::new(scan, Reader(rows)))),
            Err(error) => failed(error),
        }
    }
}

impl Store for Handle {
    fn id(&self) -> &TableId {
        &self.table.id
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { table: Arc::clone(&self.table), options: options.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        PROMISES
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let rows = self.table.rows(&self.begin("get")?)?;
        Ok(keys.iter().map(|&key| rows.get(key).map(|row| row.value().to_vec())).collect())
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.table.id.check_write()?;
        batch.check_keys()?;
        let _turn = self.table.turn(&self.begin("write")?)?;
        apply(&mut write(&self.table.rows), batch);
        Ok(())
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.table.id.check_write()?;
        check_key(key)?;
        let _turn = self.table.turn(&self.begin("increment")?)?;
        let mut rows = write(&self.table.rows);
        let sum = add_to_counter(key, rows.get(key).map(Row::value), by)?;
        rows.insert(Row::new(key, &sum.to_be_bytes()));
        Ok(sum)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.table.id.check_write()?;
        check_key(key)?;
        let _turn = self.table.turn(&self.begin("compare-and-write")?)?;
        let mut rows = write(&self.table.rows);
        if rows.get(key).map(Row::value) != expected {
            return Ok(false);
        }
        match new {
            Some(value) => rows.insert(Row::new(key, value)),
            None => rows.remove(key),
        };
        Ok(true)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.table.id.check_write()?;
        let turn = self.table.turn(&self.begin("deletion of ranges")?)?;
        if ranges.contains(&KeyRange::all()) {
            let rows = self.table.take_rows();
            drop(turn);
            // A large tree takes its time to fall, and nobody has to wait for it.
            drop(rows);
            return Ok(());
        }
        let mut rows = write(&self.table.rows);
        for range in ranges {
            let doomed: Vec<Row> = rows.range::<_, [u8]>(range).cloned().collect();
            for row in doomed {
                rows.remove(row.key());
            }
        }
        Ok(())
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.table.id.check_write()?;
        let call = self.begin("transaction")?;
        let _turn = self.table.turn(&call)?;
        let batch = {
            // Gone before the writes: they would have to copy what it shares with the table.
            let seen = self.table.seen(&call)?;
            let _inside = self.table.id.database().enter();
            body(&seen)?
        };
        batch.check_keys()?;
        call.check()?;
        apply(&mut write(&self.table.rows), &batch);
        Ok(())
    }
}

/// A table as a transaction sees it.
struct Seen<'c> {
    rows: OrdSet<Row>,
    table: &'c TableId,
    call: &'c Call<'c>,
}

impl Readable for Seen<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.call.check()?;
        Ok(self.rows.get(key).map(|row| row.value().to_vec()))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let rows = RangeRows::new(scan, Reader(self.rows.clone()));
        self.call.rest().rows(self.table.name(), Box::new(rows))
    }
}

fn apply(rows: &mut OrdSet<Row>, batch: &Batch) {
    for write in batch.writes() {
        match write {
            Write::Put(key, value) => rows.insert(Row::new(key, value)),
            Write::Delete(key) => rows.remove(key),
        };
    }
}

/// A key and its value in one piece of memory: one allocation a row, one cache miss to read it in a scan, and one count
/// to raise where a node is copied.
#[derive(Clone)]
struct Row {
    bytes: Arc<[u8]>,
    key_len: usize,
}

impl Row {
    fn new(key: &[u8], value: &[u8]) -> Self {
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, key.len() + value.len()).collect();
        let (key_bytes, value_bytes) = Arc::make_mut(&mut bytes).split_at_mut(key.len());
        key_bytes.copy_from_slice(key);
        value_bytes.copy_from_slice(value);
        Self { bytes, key_len: key.len() }
    }

    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_len]
    }

    fn value(&self) -> &[u8] {
        &self.bytes[self.key_len..]
    }
}

impl Borrow<[u8]> for Row {
    fn borrow(&self) -> &[u8] {
        self.key()
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(other.key())
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Row {}

/// What a scan reads: the table as it was.
struct Reader(OrdSet<Row>);

/// A search of the tree for each batch: nothing that points into it is kept in between.
impl RangeReader for Reader {
    fn read(&mut self, rest: &KeyRange, reverse: bool, room: &mut Room<'_>) -> Result<bool, Error> {
        let (mut start, mut end) = (rest.start_bound(), rest.end_bound());
        let few = room.rows() <= GROUP;
        if few {
            // A second search of the tree, for the far end, takes longer than to look at each row.
            *(if reverse { &mut start } else { &mut end }) = Bound::Unbounded;
        }
        let mut found = self.0.range::<_, [u8]>((start, end));
        let mut group = [None; GROUP];
        loop {
            let group = &mut group[..room.rows().min(GROUP)];
            group.fill_with(|| if reverse { found.next_back() } else { found.next() });
            // Rows lie all over the memory. Touched one right after the other, they are fetched together; copied one
            // by one, each would be waited for.
            for row in group.iter().flatten() {
                black_box(row.bytes.first().copied());
            }
            for row in group {
                let Some(row) = row.filter(|row| !few || rest.contains(row.key())) else { return Ok(false) };
                if !room.push(row.key(), row.value()) {
                    return Ok(true);
                }
            }
        }
    }
}

/// How many rows are fetched together.
const GROUP: usize = 32;

// A writer can't leave a tree half changed by a panic of ours, so a poisoned lock is as good as any.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
