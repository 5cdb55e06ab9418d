//! fjall: an engine on disk, in this process.
//!
//! A table is a keyspace, a log-structured tree of sorted files. What is written goes to one journal for all of them first, so
//! a batch across tables is one record there.

#![forbid(unsafe_code)]

mod directory;
mod error;
mod journal;
mod options;
mod rows;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use fjall::{Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Snapshot};

pub use self::error::FjallError;
use self::error::guarded;
pub use self::options::{Durability, FjallOptions, TableOptions};
use self::rows::FjallView;
use rowkey::store::{
    Atomicity, Batch, Call, CallOptions, Database, DatabaseId, Guarantees, Limits, NewTable, Readable, RowBatch, Rows,
    Scan, Store, TableId, Write, add_to_counter, check_batches,
};
use rowkey::{Error, KeyRange};

/// A database in a directory, by the [fjall](https://docs.rs/fjall) engine. Batches are atomic across its
/// tables, scans are snapshots, and increments, conditions and transactions are there. A key has at most 65,535 bytes, a value
/// 1 GiB, a table's name 254 bytes. A clone is another handle to it. One process has it open at a time, until the last handle is dropped:
/// clones, tables and scans, those that have ended too.
///
/// ```
/// use rowkey::Table;
/// use rowkey_fjall::Fjall;
///
/// # let directory = std::env::temp_dir().join(format!("rowkey-fjall-doc-{}", std::process::id()));
/// let db = Fjall::open(&directory)?;
/// let seen: Table<String, i64, _> = Table::open(db, "seen")?;
/// seen.increment(&"ada".to_owned(), 1)?;
/// drop(seen);
///
/// let seen: Table<String, i64, _> = Table::open(Fjall::open(&directory)?, "seen")?;
/// assert_eq!(seen.get(&"ada".to_owned())?, Some(1));
/// # drop(seen);
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What goes wrong is a [`FjallError`], in [`Error::Engine`] where a table's method answers it:
/// `error.engine_error::<FjallError>()`. Where the disk fails while a write is made, it is [`Error::OutcomeUnknown`]: the
/// journal may have it, and show it when the database is opened anew.
///
/// [`Database::create_table`] takes the fields of [`TableOptions`] as options, by name: `compression` (`true`, `false`),
/// `block_bytes`, `bloom_filter` (a rate, or `none`), `memtable_bytes`. What is not said is as [`FjallOptions`] has it.
///
/// A write that was answered is kept if this process dies ([`Durability::Buffered`]), or if the machine does
/// ([`Durability::Synced`]): see [`Fjall::durability`]. [The guide](rowkey::guide::on_disk) says what else it is to keep rows on
/// a disk.
///
/// Increments, conditions and transactions are one at a time in all tables, and plain writes wait for them; a write in the body
/// of a transaction is [`Error::Reentrant`]. Ranges of more than
/// 100,000 rows, or 4 MiB of keys, are deleted in several batches.
///
/// A table that is dropped loses its rows. Handles from before keep working on the table that was, until this process ends.
///
/// [`CallOptions`] bound how long a call waits for other calls. They do not end what the engine itself waits for: the disk, and
/// writers that it holds up until it has compacted.
#[derive(Clone)]
pub struct Fjall {
    shared: Arc<Shared>,
    durability: Durability,
    options: CallOptions,
}

/// What all handles to a database have in common.
struct Shared {
    id: DatabaseId,
    db: fjall::Database,
    options: FjallOptions,
    /// Held for reading by what only writes, and alone by what reads first: increments, conditions, transactions, and what
    /// opens and drops tables.
    writers: RwLock<()>,
    /// Held while a table is looked for, and made if it is not there; after `writers`.
    making: Mutex<()>,
    /// Whether a table was dropped, of which there may be handles.
    dropped: AtomicBool,
}

/// What the keyspace of a table begins with; the rest is the table's name.
const TABLE: &str = "=";
const LONGEST_NAME: usize = 254;
const LONGEST_KEY: usize = 65_535;
/// The engine's lengths are of 32 bits, also of a block, and of a value that compression has made longer.
const LONGEST_VALUE: usize = 1 << 30;
const LIMITS: Limits = Limits::none().key(LONGEST_KEY).value(LONGEST_VALUE).table_name(LONGEST_NAME);
const PROMISES: Guarantees = Guarantees::none()
    .batch(Atomicity::Database)
    .snapshot_scans(true)
    .increment(true)
    .compare_and_write(true)
    .transactions(true)
    .limits(LIMITS);
/// So many rows of ranges, or so many bytes of their keys, are deleted by one batch, which is in memory.
const DELETED_AT_ONCE: usize = 100_000;
const DELETED_BYTES: usize = 4 << 20;

impl FjallOptions {
    /// Opens the database in a directory of its own; it is made if it is not there. Of a file system that is mounted take one
    /// below its root, as something else (`lost+found`) may be there. To open is to write: a read-only directory can't be.
    ///
    /// # Errors
    ///
    /// [`FjallError`] says why it can't be: locked, foreign, damaged, no permission.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Fjall, FjallError> {
        let path = std::path::absolute(path).map_err(FjallError::Disk)?;
        self.open_absolute(&path).map_err(|error| match error {
            FjallError::Disk(error) => {
                FjallError::Disk(std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))
            }
            other => other,
        })
    }

    fn open_absolute(self, path: &Path) -> Result<Fjall, FjallError> {
        let next = directory::check(path)?;
        let mut builder = fjall::Database::builder(path);
        if let Some(bytes) = self.cache_bytes {
            builder = builder.cache_size(bytes);
        }
        let db = match guarded(|| Ok(builder.open()))? {
            Ok(db) => db,
            Err(fjall::Error::Locked) => return Err(FjallError::Locked(path.to_owned())),
            Err(fjall::Error::InvalidVersion(_)) => return Err(FjallError::Version(path.to_owned())),
            Err(error) => return Err(error.into()),
        };
        db.supervisor.seqno.fetch_max(next);
        if let Some(other) = db.list_keyspace_names().iter().find(|name| !name.starts_with(TABLE)) {
            return Err(FjallError::OtherProgram { path: path.to_owned(), keyspace: other.to_string() });
        }
        let durability = self.durability;
        let shared = Shared {
            id: DatabaseId::unique(),
            db,
            options: self,
            writers: RwLock::new(()),
            making: Mutex::new(()),
            dropped: AtomicBool::new(false),
        };
        Ok(Fjall { shared: Arc::new(shared), durability, options: CallOptions::new() })
    }
}

impl Fjall {
    /// Opens the database in a directory, as [`FjallOptions::new`] has it; it is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`FjallError`] says why it can't be.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FjallError> {
        FjallOptions::new().open(path)
    }

    /// A handle whose writes, and those of the tables that are opened by it, outlive that. What others wrote before is
    /// in the same journal, so a [`Synced`](Durability::Synced) write takes it along.
    ///
    /// ```
    /// # use rowkey::store::{Batch, Database, Durability, Fjall};
    /// # let directory = std::env::temp_dir().join(format!("rowkey-fjall-durability-{}", std::process::id()));
    /// let db = Fjall::open(&directory)?;
    /// db.write(&[("log", Batch::new().put("1", "kept if the process dies"))])?;
    /// db.durability(Durability::Synced).write(&[("log", Batch::new().put("2", "both kept if the machine dies"))])?;
    /// # drop(db);
    /// # std::fs::remove_dir_all(directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn durability(&self, durability: Durability) -> Self {
        Self { durability, ..self.clone() }
    }

    /// Returns when the disk has all that was answered.
    ///
    /// # Errors
    ///
    /// What the disk says; the database takes no more writes then.
    pub fn sync(&self) -> Result<(), Error> {
        Ok(guarded(|| self.shared.db.persist(PersistMode::SyncData))?)
    }

    fn options_of(&self, name: &str) -> TableOptions {
        *self.shared.options.by_name.get(name).unwrap_or(&self.shared.options.new_tables)
    }

    /// A table, made if it is not there.
    fn opened(&self, name: &str, call: &Call<'_>) -> Result<FjallTable, Error> {
        LIMITS.check_table_name(name)?;
        self.opened_alone(name, self.options_of(name), &self.shared.making(call)?)
    }

    fn opened_alone(&self, name: &str, options: TableOptions, _: &MutexGuard<'_, ()>) -> Result<FjallTable, Error> {
        let keyspace = guarded(|| self.shared.db.keyspace(&format!("{TABLE}{name}"), || options.to_engine()))?;
        let id = self.shared.id.table(name);
        let (shared, options) = (Arc::clone(&self.shared), self.options.clone());
        Ok(FjallTable { id, shared, durability: self.durability, options, keyspace })
    }
}

impl fmt::Debug for Fjall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fjall").field("durability", &self.durability).finish_non_exhaustive()
    }
}

impl Shared {
    fn has_table(&self, name: &str) -> bool {
        name.len() <= LONGEST_NAME && self.db.keyspace_exists(&format!("{TABLE}{name}"))
    }

    fn making(&self, call: &Call<'_>) -> Result<MutexGuard<'_, ()>, Error> {
        call.lock_mutex(&self.making)
    }

    fn writing(&self, call: &Call<'_>) -> Result<RwLockReadGuard<'_, ()>, Error> {
        call.lock_read(&self.writers)
    }

    /// Nobody else writes.
    fn alone(&self, call: &Call<'_>) -> Result<RwLockWriteGuard<'_, ()>, Error> {
        call.lock_write(&self.writers)
    }

    fn batch(&self, durability: Durability) -> OwnedWriteBatch {
        self.db.batch().durability(Some(match durability {
            Durability::Buffered => PersistMode::Buffer,
            Durability::Synced => PersistMode::SyncData,
        }))
    }
}

fn add(batch: &mut OwnedWriteBatch, keyspace: &Keyspace, writes: &Batch) {
    for write in writes.writes() {
        match write {
            Write::Put(key, value) => batch.insert(keyspace, key, value),
            Write::Delete(key) => batch.remove(keyspace, key),
        }
    }
}

/// Whether all writes to tables can be made, and the tables.
fn check_all<'b>(batches: impl IntoIterator<Item = (&'b str, &'b Batch)>) -> Result<(), Error> {
    batches.into_iter().try_for_each(|(name, batch)| {
        LIMITS.check_table_name(name)?;
        LIMITS.check(name, batch)
    })
}

fn commit<'t>(batch: OwnedWriteBatch, tables: impl IntoIterator<Item = &'t str>) -> Result<(), Error> {
    guarded(|| batch.commit()).map_err(|error| error.of_write(tables))
}

impl Database for Fjall {
    fn id(&self) -> DatabaseId {
        self.shared.id
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
        let call = self.options.begin("opening", name)?;
        if !self.shared.has_table(name) {
            self.shared.id.check_write([name])?;
        }
        Ok(Arc::new(self.opened(name, &call)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        let call = self.options.begin("opening", name)?;
        let making = self.shared.making(&call)?;
        match self.shared.has_table(name) {
            true => Ok(Arc::new(self.opened_alone(name, self.options_of(name), &making)?)),
            false => Err(Error::NoSuchTable(name.to_owned())),
        }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.shared.id.check_write([name])?;
        LIMITS.check_table_name(name)?;
        let options = self.options_of(name).with(name, new)?;
        let call = self.options.begin("creation", name)?;
        let making = self.shared.making(&call)?;
        match self.shared.has_table(name) {
            true => Err(Error::TableExists(name.to_owned())),
            false => Ok(Arc::new(self.opened_alone(name, options, &making)?)),
        }
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.options.begin("list of tables", "")?;
        let names = guarded(|| Ok(self.shared.db.list_keyspace_names()))?;
        let mut names: Vec<String> =
            names.iter().filter_map(|name| Some(name.strip_prefix(TABLE)?.to_owned())).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.shared.id.check_write([name])?;
        let call = self.options.begin("drop", name)?;
        let _alone = self.shared.alone(&call)?;
        let making = self.shared.making(&call)?;
        if self.shared.has_table(name) {
            let table = self.opened_alone(name, self.options_of(name), &making)?;
            self.shared.dropped.store(true, Ordering::Relaxed);
            guarded(|| self.shared.db.delete_keyspace(table.keyspace))?;
        }
        Ok(())
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.shared.id.check_write(batches.iter().map(|&(name, _)| name))?;
        check_all(batches.iter().copied())?;
        let call = self.options.begin_across("write", batches.iter().map(|&(name, _)| name))?;
        let _writing = self.shared.writing(&call)?;
        let mut all = self.shared.batch(self.durability);
        for (name, batch) in batches {
            add(&mut all, &self.opened(name, &call)?.keyspace, batch);
        }
        commit(all, batches.iter().map(|&(name, _)| name))
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        self.shared.id.check_write(tables.iter().copied())?;
        tables.iter().try_for_each(|name| LIMITS.check_table_name(name))?;
        let call = self.options.begin_across("transaction", tables.iter().copied())?;
        let _alone = self.shared.alone(&call)?;
        let opened = tables.iter().map(|name| self.opened(name, &call)).collect::<Result<Vec<_>, _>>()?;
        let snapshot = self.shared.db.snapshot();
        let views: Vec<_> = opened.iter().map(|table| table.at(&snapshot, call.rest())).collect();
        let views: Vec<&dyn Readable> = views.iter().map(|view| view as &dyn Readable).collect();
        let batches = {
            let _inside = self.shared.id.enter();
            body(&views)?
        };
        check_batches(tables, &batches)?;
        check_all(tables.iter().copied().zip(&batches))?;
        call.check()?;
        let mut all = self.shared.batch(self.durability);
        for (table, batch) in opened.iter().zip(&batches) {
            add(&mut all, &table.keyspace, batch);
        }
        commit(all, tables.iter().copied())
    }
}

/// One table of a [`Fjall`].
struct FjallTable {
    id: TableId,
    shared: Arc<Shared>,
    durability: Durability,
    options: CallOptions,
    keyspace: Keyspace,
}

impl FjallTable {
    fn write_one(&self, write: Write<'_>) -> Result<(), fjall::Error> {
        match write {
            Write::Put(key, value) => self.keyspace.insert(key, value),
            Write::Delete(key) => self.keyspace.remove(key),
        }
    }

    #[inline]
    fn begin(&self, doing: &'static str) -> Result<Call<'_>, Error> {
        self.options.begin(doing, self.id.name())
    }

    fn at(&self, snapshot: &Snapshot, options: CallOptions) -> FjallView {
        let (keyspace, table) = (self.keyspace.clone(), self.id.clone());
        FjallView { keyspace, snapshot: snapshot.clone(), table, options }
    }

    /// The engine no longer compacts a table that was dropped, and lets nobody write, without an end, where there are too many
    /// files to be compacted: so it is done here, long before.
    fn compact_if_dropped(&self) -> Result<(), Error> {
        const MANY: usize = 16;
        let (db, keyspace) = (&self.shared.db, &self.keyspace);
        if !self.shared.dropped.load(Ordering::Relaxed) || keyspace.l0_table_count() < MANY {
            return Ok(());
        }
        let is_there = db.keyspace_exists(keyspace.name())
            && guarded(|| db.keyspace(keyspace.name(), KeyspaceCreateOptions::default))?.id() == keyspace.id();
        match is_there {
            true => Ok(()),
            false => Ok(guarded(|| keyspace.major_compact())?),
        }
    }

    fn commit(&self, batch: &Batch) -> Result<(), Error> {
        self.compact_if_dropped()?;
        let mut writes = batch.writes();
        if let (Some(write), None, Durability::Buffered) = (writes.next(), writes.next(), self.durability) {
            // One write needs no batch. A table that was dropped takes it as one of a batch only.
            let written = guarded(|| match self.write_one(write) {
                Err(fjall::Error::KeyspaceDeleted) => Ok(false),
                written => written.map(|()| true),
            })
            .map_err(|error| error.of_write([self.id.name()]))?;
            if written {
                return Ok(());
            }
        }
        let mut all = self.shared.batch(self.durability);
        add(&mut all, &self.keyspace, batch);
        commit(all, [self.id.name()])
    }
}

/// Whether a row can have this key; the engine is not asked of others.
fn can_be(key: &[u8]) -> bool {
    (1..=LONGEST_KEY).contains(&key.len())
}

fn get(keyspace: &Keyspace, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    if !can_be(key) {
        return Ok(None);
    }
    Ok(guarded(|| keyspace.get(key))?.map(|value| value.to_vec()))
}

impl Readable for FjallTable {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.begin("get")?;
        get(&self.keyspace, key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.at(&self.shared.db.snapshot(), self.options.clone()).scan(scan)
    }
}

impl Store for FjallTable {
    fn id(&self) -> &TableId {
        &self.id
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        let (shared, keyspace) = (Arc::clone(&self.shared), self.keyspace.clone());
        let (id, durability, options) = (self.id.clone(), self.durability, options.clone());
        Arc::new(Self { id, shared, durability, options, keyspace })
    }

    fn guarantees(&self) -> Guarantees {
        PROMISES
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let view = self.at(&self.shared.db.snapshot(), self.begin("get")?.rest());
        keys.iter().map(|key| view.get(key)).collect()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.id.check_write()?;
        LIMITS.check(self.id.name(), batch)?;
        let _writing = self.shared.writing(&self.begin("write")?)?;
        self.commit(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.id.check_write()?;
        LIMITS.check_row(self.id.name(), key, None)?;
        let _alone = self.shared.alone(&self.begin("increment")?)?;
        let sum = add_to_counter(key, get(&self.keyspace, key)?.as_deref(), by)?;
        self.commit(Batch::new().put(key, sum.to_be_bytes()))?;
        Ok(sum)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.id.check_write()?;
        LIMITS.check_row(self.id.name(), key, new)?;
        let _alone = self.shared.alone(&self.begin("compare-and-write")?)?;
        if get(&self.keyspace, key)?.as_deref() != expected {
            return Ok(false);
        }
        let mut batch = Batch::new();
        match new {
            Some(value) => batch.put(key, value),
            None => batch.delete(key),
        };
        self.commit(&batch)?;
        Ok(true)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.id.check_write()?;
        let call = self.begin("deletion of ranges")?;
        let _alone = self.shared.alone(&call)?;
        let view = self.at(&self.shared.db.snapshot(), call.rest());
        let mut rows = view.scan(&Scan::new(ranges.to_vec()).batch_rows(4096));
        let (mut found, mut doomed) = (RowBatch::new(), Batch::new());
        loop {
            rows.next_batch(&mut found)?;
            if found.is_empty() {
                return self.commit(&doomed);
            }
            for (key, _) in found.iter() {
                doomed.delete(key);
            }
            if doomed.len() >= DELETED_AT_ONCE || doomed.bytes() >= DELETED_BYTES {
                self.commit(&std::mem::take(&mut doomed))?;
            }
        }
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.id.check_write()?;
        let call = self.begin("transaction")?;
        let _alone = self.shared.alone(&call)?;
        let batch = {
            let view = self.at(&self.shared.db.snapshot(), call.rest());
            let _inside = self.id.database().enter();
            body(&view)?
        };
        LIMITS.check(self.id.name(), &batch)?;
        call.check()?;
        self.commit(&batch)
    }
}
