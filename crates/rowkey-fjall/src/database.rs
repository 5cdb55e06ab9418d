//! A database: its handles, and writes across tables.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rowkey::Error;
use rowkey::store::{
    Batch, Call, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, Store, check_batches,
};

use crate::error::{FjallError, guarded};
use crate::files::sync_directory;
use crate::limits::{LIMITS, PROMISES, check_all};
use crate::options::{Durability, FjallOptions, TableOptions};
use crate::shared::{Ids, Shared, TABLE, add, commit};
use crate::table::FjallTable;

/// A database in a directory, by the [fjall](https://docs.rs/fjall) engine: an LSM tree in this process.
///
/// Batches are atomic across tables, scans are snapshots, and increments, conditional writes and transactions are
/// supported. A clone is another handle to the same database. Only one process can have it open, until the last handle
/// is dropped: clones, tables, and scans, even those that have ended.
#[doc(alias = "LSM")]
#[doc(alias = "embedded")]
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
/// # Durability
///
/// A write that returned `Ok` survives a crash of the process ([`Durability::Buffered`]); with [`Durability::Synced`],
/// also a power loss. See [`Fjall::durability`] and [the guide](rowkey::guide::on_disk).
///
/// # Errors
///
/// The engine's error is a [`FjallError`]. In a table's [`Error::Engine`] it is `error.engine_error::<FjallError>()`.
/// If the disk fails during a write, the error is [`Error::OutcomeUnknown`]: the write may be in the journal, and is
/// replayed when the database is opened again.
///
/// # Limits
///
/// - A key has at most 65,535 bytes, a value 1 GiB, a table's name 254 bytes.
/// - Increments, conditional writes and transactions run one at a time, in all tables, and plain writes wait for them.
///   A write in the body of a transaction is [`Error::Reentrant`].
/// - [`Store::delete_ranges`] deletes in batches of at most 4,096 rows, 1 MiB of keys and 10 ms of reading, and other
///   writes go on between two of them. With [`Durability::Synced`] it waits for the disk once, at its end.
/// - Dropping a table removes its rows. Writes through handles opened before are [`Error::NoSuchTable`], also when
///   another table has the name by then. Scans that are under way go on; so do reads through these handles, until the
///   process ends.
/// - [`CallOptions`] bound how long a call waits for other calls. They do not bound waits inside the engine: for the
///   disk, or while it delays writers until it has compacted.
///
/// # Options of tables
///
/// [`Database::create_table`] accepts the fields of [`TableOptions`] by name: `compression` (`true`, `false`),
/// `block_bytes`, `bloom_filter` (a rate, or `none`), `memtable_bytes`. Default: as in [`FjallOptions`].
#[derive(Clone)]
pub struct Fjall {
    pub(crate) shared: Arc<Shared>,
    pub(crate) durability: Durability,
    pub(crate) options: CallOptions,
}

impl Fjall {
    /// Opens the database in a directory with default options ([`FjallOptions::new`]), and creates it if it does not
    /// exist.
    ///
    /// # Errors
    ///
    /// As [`FjallOptions::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FjallError> {
        FjallOptions::new().open(path)
    }

    /// Returns a handle to the same database that writes with this durability, as do tables opened through it. A
    /// [`Synced`](Durability::Synced) write also covers everything written before, through any handle, as all tables
    /// share one journal.
    #[doc(alias = "fsync")]
    #[doc(alias = "WAL")]
    ///
    /// ```
    /// use rowkey::store::{Batch, Database};
    /// use rowkey_fjall::{Durability, Fjall};
    ///
    /// # let directory = std::env::temp_dir().join(format!("rowkey-fjall-durability-{}", std::process::id()));
    /// let db = Fjall::open(&directory)?;
    /// db.write(&[("log", Batch::new().put("1", "survives a crash of the process"))])?;
    /// db.durability(Durability::Synced).write(&[("log", Batch::new().put("2", "both survive a power loss"))])?;
    /// # drop(db);
    /// # std::fs::remove_dir_all(directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn durability(&self, durability: Durability) -> Self {
        Self { durability, ..self.clone() }
    }

    /// Returns when everything written so far is on the disk (`fdatasync`).
    ///
    /// # Errors
    ///
    /// The error of the disk. The database refuses further writes then.
    #[doc(alias = "fsync")]
    #[doc(alias = "flush")]
    pub fn sync(&self) -> Result<(), Error> {
        Ok(self.shared.sync()?)
    }

    fn options_of(&self, name: &str) -> TableOptions {
        *self.shared.options.by_name.get(name).unwrap_or(&self.shared.options.new_tables)
    }

    /// A table; created if it does not exist.
    fn opened(&self, name: &str, call: &Call<'_>) -> Result<FjallTable, Error> {
        LIMITS.check_table_name(name)?;
        self.opened_alone(name, self.options_of(name), &mut *self.shared.ids(call)?)
    }

    fn opened_alone(&self, name: &str, options: TableOptions, ids: &mut Ids) -> Result<FjallTable, Error> {
        let mut is_new = false;
        let mut new = || {
            is_new = true;
            options.to_engine()
        };
        let keyspace = guarded(|| self.shared.db.keyspace(&format!("{TABLE}{name}"), &mut new))?;
        // The engine does not make the name of the table's directory durable.
        if let (true, Some(tables)) = (is_new, keyspace.path().parent()) {
            sync_directory(tables).map_err(FjallError::Disk)?;
        }
        let id = match ids.get(name) {
            Some(id) => id.clone(),
            None => ids.entry(name.into()).or_insert(self.shared.id.table(name)).clone(),
        };
        let (shared, options) = (Arc::clone(&self.shared), self.options.clone());
        Ok(FjallTable { id, shared, durability: self.durability, options, keyspace })
    }
}

impl fmt::Debug for Fjall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fjall").field("durability", &self.durability).finish_non_exhaustive()
    }
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
        let mut ids = self.shared.ids(&call)?;
        match self.shared.has_table(name) {
            true => Ok(Arc::new(self.opened_alone(name, self.options_of(name), &mut ids)?)),
            false => Err(Error::NoSuchTable(name.to_owned())),
        }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.shared.id.check_write([name])?;
        LIMITS.check_table_name(name)?;
        let options = self.options_of(name).with(name, new)?;
        let call = self.options.begin("creation", name)?;
        let mut ids = self.shared.ids(&call)?;
        match self.shared.has_table(name) {
            true => Err(Error::TableExists(name.to_owned())),
            false => Ok(Arc::new(self.opened_alone(name, options, &mut ids)?)),
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
        let alone = self.shared.alone(&call)?;
        let mut ids = self.shared.ids(&call)?;
        if !self.shared.has_table(name) {
            return Ok(());
        }
        let last = self.opened_alone(name, self.options_of(name), &mut ids)?.keyspace;
        guarded(|| self.shared.db.delete_keyspace(last.clone()))?;
        if let Some(id) = ids.remove(name) {
            id.mark_dropped();
        }
        drop((ids, alone));
        // With the last handle its files are removed; nobody has to wait for that.
        drop(last);
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
