//! fjall: an engine on disk, in this process.
//!
//! A table is a keyspace, a log-structured tree of sorted files. What is written goes to one journal for all of them first, so
//! a batch across tables is one record there.

mod directory;
mod journal;
mod rows;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ::fjall::config::{BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use ::fjall::{CompressionType, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Snapshot};

use self::rows::FjallView;
use super::{
    Batch, Database, Guarantees, RowBatch, Rows, Scan, Store, View, Write, add_to_counter, check_batches, check_key,
};
use crate::error::Error;
use crate::range::KeyRange;

/// A database in a directory, by the [fjall](https://docs.rs/fjall) engine (feature `fjall`). It promises everything that
/// [`Guarantees`] knows; a clone is another handle to it. One process has it open at a time, until the last handle is dropped:
/// clones, tables and scans, those that have ended too.
///
/// ```
/// use rowkey::Table;
/// use rowkey::store::Fjall;
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
/// `error.engine_error::<FjallError>()`.
///
/// A write that was answered is kept if this process dies ([`Durability::Buffered`]), or if the machine does
/// ([`Durability::Synced`]): see [`Fjall::durability`]. [The guide](crate::guide::on_disk) says what else it is to keep rows on
/// a disk.
///
/// Increments, conditions and transactions are one at a time in all tables, and plain writes wait for them. Ranges of more than
/// 100,000 rows are deleted in several batches.
///
/// A table that is dropped loses its rows. Handles from before keep working on the table that was, until this process ends.
#[derive(Clone)]
pub struct Fjall {
    shared: Arc<Shared>,
    durability: Durability,
}

/// What all handles to a database have in common.
struct Shared {
    db: ::fjall::Database,
    options: FjallOptions,
    /// Held for reading by what only writes, and alone by what reads first: increments, conditions, transactions, and what
    /// opens and drops tables.
    writers: RwLock<()>,
    /// Whether a table was dropped, of which there may be handles.
    dropped: AtomicBool,
}

/// What an answered write has outlived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// This process may die: the operating system has it. As HBase and most embedded engines do unless told otherwise.
    #[default]
    Buffered,
    /// The machine may die: the disk has it (`fdatasync`).
    Synced,
}

/// How a [`Fjall`] database is opened, and what new tables are like.
#[derive(Clone, Debug, Default)]
pub struct FjallOptions {
    durability: Durability,
    cache_bytes: Option<u64>,
    new_tables: TableOptions,
    by_name: BTreeMap<String, TableOptions>,
}

/// What a table is like on disk. It is kept with the table from when it is made: later options do not change it. A number out
/// of its range is taken for the nearest in it.
///
/// ```
/// use rowkey::store::TableOptions;
///
/// let archive = TableOptions::new().block_bytes(64 << 10).bloom_filter(None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableOptions {
    compression: bool,
    block_bytes: u32,
    bloom_filter: Option<f32>,
    memtable_bytes: u64,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { compression: true, block_bytes: 4096, bloom_filter: Some(0.01), memtable_bytes: 64 << 20 }
    }
}

impl TableOptions {
    /// Compressed blocks of 4 KiB, filters with 1 % false positives, 64 MiB in memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether blocks are compressed, by LZ4, but for those of the two uppermost levels, which are few and soon written anew.
    #[must_use]
    pub fn compression(self, compression: bool) -> Self {
        Self { compression, ..self }
    }

    /// How many bytes of rows a block has, from 1 KiB to 1 MiB: larger ones compress better, smaller ones are read faster.
    #[must_use]
    pub fn block_bytes(self, block_bytes: u32) -> Self {
        Self { block_bytes, ..self }
    }

    /// Of keys that are not there, how many are looked for in vain, from 0.000001 to 0.5: the rate of false positives of Bloom
    /// filters. None is no filters.
    #[must_use]
    pub fn bloom_filter(self, false_positives: Option<f32>) -> Self {
        Self { bloom_filter: false_positives, ..self }
    }

    /// How many bytes of rows are gathered in memory before they become a file, 1 MiB at least.
    #[must_use]
    pub fn memtable_bytes(self, memtable_bytes: u64) -> Self {
        Self { memtable_bytes, ..self }
    }
}

/// Why a directory, or what is in it, can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FjallError {
    /// Another process, or another handle that was opened by itself, has it open.
    #[error("{} is locked: it is open in another process, or twice in this one", .0.display())]
    Locked(PathBuf),
    /// There are files in it, and they are no database.
    #[error("{} has files of something else in it ({found}), and is no fjall database", .path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// One of the files.
        found: String,
    },
    /// It is a fjall database that others have made tables in.
    #[error("{} is a fjall database of another program: it has a keyspace {keyspace:?}", .path.display())]
    OtherProgram {
        /// The directory.
        path: PathBuf,
        /// The keyspace that is no table of ours.
        keyspace: String,
    },
    /// Its files are of another version of the engine.
    #[error("{} was written by another version of fjall", .0.display())]
    Version(PathBuf),
    /// A file is damaged, or is not there.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The system refused: no permission, no space, no directory.
    #[error("the disk refused: {0}")]
    Disk(std::io::Error),
    /// The engine could not write before, perhaps in the background, as on a full disk. What was answered is kept and can be
    /// read, but nothing more is taken until all handles are dropped and the database is opened anew.
    #[error("the engine could not write before: the database takes no more until it is opened anew")]
    Failed,
    /// A key has more than 65,535 bytes, a table's name more than 254, a value more than 1 GiB.
    #[error("{what} of {len} bytes, where {most} are the most")]
    TooLong {
        /// A key, a table's name or a value.
        what: &'static str,
        /// How long it is.
        len: usize,
        /// How long it may be.
        most: usize,
    },
    /// The engine failed in a way of its own.
    #[error("fjall failed: {0}")]
    Engine(String),
}

impl From<FjallError> for Error {
    fn from(error: FjallError) -> Self {
        Self::engine(error)
    }
}

impl From<::fjall::Error> for FjallError {
    fn from(error: ::fjall::Error) -> Self {
        use ::fjall::Error as E;
        match error {
            E::Io(error) => Self::Disk(error),
            E::Storage(::fjall::LsmError::Io(error)) => Self::Disk(error),
            E::Poisoned => Self::Failed,
            E::Storage(error) => Self::Damaged(error.to_string()),
            E::JournalRecovery(error) => Self::Damaged(error.to_string()),
            E::Decompress(_) | E::InvalidTrailer | E::InvalidTag(_) | E::Unrecoverable => {
                Self::Damaged(error.to_string())
            }
            other => Self::Engine(other.to_string()),
        }
    }
}

/// Runs what may panic in the engine: damaged files make it do so in places.
fn guarded<T>(run: impl FnOnce() -> Result<T, ::fjall::Error>) -> Result<T, FjallError> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Ok(result?),
        Err(panic) => Err(FjallError::Damaged(Error::panicked("fjall", &*panic).to_string())),
    }
}

impl FjallOptions {
    /// [`Durability::Buffered`], and tables as [`TableOptions::default`] has them.
    pub fn new() -> Self {
        Self::default()
    }

    /// What an answered write has outlived, unless [`Fjall::durability`] says another thing.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// How many bytes of blocks are kept in memory once they were read; 32 MiB unless told.
    #[must_use]
    pub fn cache_bytes(self, bytes: u64) -> Self {
        Self { cache_bytes: Some(bytes), ..self }
    }

    /// What tables are like that are made from now on.
    #[must_use]
    pub fn new_tables(self, options: TableOptions) -> Self {
        Self { new_tables: options, ..self }
    }

    /// What one table is like, if it is made from now on.
    #[must_use]
    pub fn table(mut self, name: &str, options: TableOptions) -> Self {
        self.by_name.insert(name.to_owned(), options);
        self
    }

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
        let mut builder = ::fjall::Database::builder(path);
        if let Some(bytes) = self.cache_bytes {
            builder = builder.cache_size(bytes);
        }
        let opened = match catch_unwind(AssertUnwindSafe(|| builder.open())) {
            Ok(Ok(db)) => Ok(db),
            Ok(Err(::fjall::Error::Locked)) => Err(FjallError::Locked(path.to_owned())),
            Ok(Err(::fjall::Error::InvalidVersion(_))) => Err(FjallError::Version(path.to_owned())),
            Ok(Err(error)) => Err(error.into()),
            Err(panic) => Err(FjallError::Damaged(Error::panicked("fjall", &*panic).to_string())),
        };
        let db = opened?;
        db.supervisor.seqno.fetch_max(next);
        if let Some(other) = db.list_keyspace_names().iter().find(|name| !name.starts_with(TABLE)) {
            return Err(FjallError::OtherProgram { path: path.to_owned(), keyspace: other.to_string() });
        }
        let durability = self.durability;
        Ok(Fjall {
            shared: Arc::new(Shared { db, options: self, writers: RwLock::new(()), dropped: AtomicBool::new(false) }),
            durability,
        })
    }
}

/// What the keyspace of a table begins with; the rest is the table's name.
const TABLE: &str = "=";
const LONGEST_NAME: usize = 254;
const LONGEST_KEY: usize = 65_535;
/// The engine's lengths are of 32 bits, also of a block, and of a value that compression has made longer.
const LONGEST_VALUE: usize = 1 << 30;
/// So many rows of ranges are deleted by one batch, which is in memory.
const DELETED_AT_ONCE: usize = 100_000;

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

    fn open_table(&self, name: &str) -> Result<FjallTable, Error> {
        check_length("a table's name", name.len(), LONGEST_NAME)?;
        let options = self.shared.options.by_name.get(name).unwrap_or(&self.shared.options.new_tables);
        let keyspace = guarded(|| self.shared.db.keyspace(&format!("{TABLE}{name}"), || options.to_engine()))?;
        Ok(FjallTable { shared: Arc::clone(&self.shared), durability: self.durability, keyspace })
    }
}

impl fmt::Debug for Fjall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fjall").field("durability", &self.durability).finish_non_exhaustive()
    }
}

impl TableOptions {
    fn to_engine(self) -> KeyspaceCreateOptions {
        use CompressionType::{Lz4, None as Plain};
        let compression = if self.compression { [Plain, Plain, Lz4] } else { [Plain; 3] };
        let filter = match self.bloom_filter {
            Some(rate) => {
                FilterPolicyEntry::Bloom(BloomConstructionPolicy::FalsePositiveRate(rate.max(1e-6).clamp(1e-6, 0.5)))
            }
            None => FilterPolicyEntry::None,
        };
        KeyspaceCreateOptions::default()
            .data_block_compression_policy(CompressionPolicy::new(compression))
            .data_block_size_policy(BlockSizePolicy::all(self.block_bytes.clamp(1 << 10, 1 << 20)))
            .filter_policy(FilterPolicy::all(filter))
            .max_memtable_size(self.memtable_bytes.max(1 << 20))
    }
}

impl Shared {
    fn writing(&self) -> RwLockReadGuard<'_, ()> {
        self.writers.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody else writes.
    fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.writers.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn batch(&self, durability: Durability) -> OwnedWriteBatch {
        self.db.batch().durability(Some(match durability {
            Durability::Buffered => PersistMode::Buffer,
            Durability::Synced => PersistMode::SyncData,
        }))
    }
}

fn add(batch: &mut OwnedWriteBatch, keyspace: &Keyspace, writes: &Batch) -> Result<(), Error> {
    for write in writes.writes() {
        check_lengths(write)?;
        match write {
            Write::Put(key, value) => batch.insert(keyspace, key, value),
            Write::Delete(key) => batch.remove(keyspace, key),
        }
    }
    Ok(())
}

fn check_lengths(write: Write<'_>) -> Result<(), FjallError> {
    check_length("a key", write.key().len(), LONGEST_KEY)?;
    check_length("a value", write.value().map_or(0, <[u8]>::len), LONGEST_VALUE)
}

fn check_length(what: &'static str, len: usize, most: usize) -> Result<(), FjallError> {
    if len <= most { Ok(()) } else { Err(FjallError::TooLong { what, len, most }) }
}

fn commit(batch: OwnedWriteBatch) -> Result<(), Error> {
    Ok(guarded(|| batch.commit())?)
}

impl Database for Fjall {
    fn guarantees(&self) -> Guarantees {
        Guarantees::all()
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(self.open_table(name)?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let names = guarded(|| Ok(self.shared.db.list_keyspace_names()))?;
        let mut names: Vec<String> =
            names.iter().filter_map(|name| Some(name.strip_prefix(TABLE)?.to_owned())).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        let _alone = self.shared.alone();
        let keyspace = format!("{TABLE}{name}");
        if name.len() <= LONGEST_NAME && self.shared.db.keyspace_exists(&keyspace) {
            let table = self.open_table(name)?;
            self.shared.dropped.store(true, Ordering::Relaxed);
            guarded(|| self.shared.db.delete_keyspace(table.keyspace))?;
        }
        Ok(())
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        batches.iter().try_for_each(|(_, batch)| batch.check_keys())?;
        let _writing = self.shared.writing();
        let mut all = self.shared.batch(self.durability);
        for (name, batch) in batches {
            add(&mut all, &self.open_table(name)?.keyspace, batch)?;
        }
        commit(all)
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn View]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        let _alone = self.shared.alone();
        let opened = tables.iter().map(|name| self.open_table(name)).collect::<Result<Vec<_>, _>>()?;
        let snapshot = self.shared.db.snapshot();
        let views: Vec<_> = opened.iter().map(|table| table.at(&snapshot)).collect();
        let views: Vec<&dyn View> = views.iter().map(|view| view as &dyn View).collect();
        let batches = body(&views)?;
        check_batches(tables, &batches)?;
        let mut all = self.shared.batch(self.durability);
        for (table, batch) in opened.iter().zip(&batches) {
            add(&mut all, &table.keyspace, batch)?;
        }
        commit(all)
    }
}

/// One table of a [`Fjall`].
struct FjallTable {
    shared: Arc<Shared>,
    durability: Durability,
    keyspace: Keyspace,
}

impl FjallTable {
    fn write_one(&self, write: Write<'_>) -> Result<(), ::fjall::Error> {
        match write {
            Write::Put(key, value) => self.keyspace.insert(key, value),
            Write::Delete(key) => self.keyspace.remove(key),
        }
    }

    fn at(&self, snapshot: &Snapshot) -> FjallView {
        FjallView { keyspace: self.keyspace.clone(), snapshot: snapshot.clone() }
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
            check_lengths(write)?;
            // One write needs no batch. A table that was dropped takes it as one of a batch only.
            let written = guarded(|| match self.write_one(write) {
                Err(::fjall::Error::KeyspaceDeleted) => Ok(false),
                written => written.map(|()| true),
            })?;
            if written {
                return Ok(());
            }
        }
        let mut all = self.shared.batch(self.durability);
        add(&mut all, &self.keyspace, batch)?;
        commit(all)
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

impl Store for FjallTable {
    fn guarantees(&self) -> Guarantees {
        Guarantees::all()
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        get(&self.keyspace, key)
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let view = self.at(&self.shared.db.snapshot());
        keys.iter().map(|key| view.get(key)).collect()
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.at(&self.shared.db.snapshot()).scan(scan)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        batch.check_keys()?;
        let _writing = self.shared.writing();
        self.commit(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        check_key(key)?;
        let _alone = self.shared.alone();
        let sum = add_to_counter(key, get(&self.keyspace, key)?.as_deref(), by)?;
        self.commit(Batch::new().put(key, sum.to_be_bytes()))?;
        Ok(sum)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        check_key(key)?;
        let _alone = self.shared.alone();
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
        let _alone = self.shared.alone();
        let mut rows = self.scan(&Scan::new(ranges.to_vec()).batch_rows(4096));
        let (mut found, mut doomed) = (RowBatch::new(), Batch::new());
        loop {
            rows.next_batch(&mut found)?;
            if found.is_empty() {
                return self.commit(&doomed);
            }
            for (key, _) in found.iter() {
                doomed.delete(key);
            }
            if doomed.len() >= DELETED_AT_ONCE {
                self.commit(&std::mem::take(&mut doomed))?;
            }
        }
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn View) -> Result<Batch, Error>) -> Result<(), Error> {
        let _alone = self.shared.alone();
        let batch = body(&self.at(&self.shared.db.snapshot()))?;
        batch.check_keys()?;
        self.commit(&batch)
    }
}
