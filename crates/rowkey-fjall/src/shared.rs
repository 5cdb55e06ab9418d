//! The state that all handles to a database share.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use fjall::{Keyspace, OwnedWriteBatch, PersistMode};
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use rowkey::Error;
use rowkey::store::{Batch, Call, DatabaseId, TableId, Write};

use crate::error::{FjallError, guarded};
use crate::limits::LONGEST_NAME;
use crate::options::{Durability, FjallOptions};
use crate::record::Recorder;

/// The state that all handles to a database share.
pub(crate) struct Shared {
    /// Dropped first, while the database is open.
    pub(crate) _recorder: Recorder,
    pub(crate) id: DatabaseId,
    pub(crate) db: fjall::Database,
    pub(crate) options: FjallOptions,
    /// Shared by plain writes. Exclusive for what reads first (increments, conditional writes, transactions, deletions
    /// of ranges) and for dropping tables. Whoever holds it long hands it to whoever waits: `parking_lot` does so,
    /// std's lock lets its holder take it again at once.
    pub(crate) writers: RwLock<()>,
    /// The ids of opened tables. Held while a table is looked up, created or dropped. Taken after `writers`.
    pub(crate) ids: Mutex<Ids>,
}

/// By the table's name: all its handles have clones of one id, which is marked when the table is dropped.
pub(crate) type Ids = HashMap<Box<str>, TableId>;

/// The name of a table's keyspace is this and the table's name.
pub(crate) const TABLE: &str = "=";

impl Shared {
    pub(crate) fn has_table(&self, name: &str) -> bool {
        name.len() <= LONGEST_NAME && self.db.keyspace_exists(&format!("{TABLE}{name}"))
    }

    pub(crate) fn ids(&self, call: &Call<'_>) -> Result<MutexGuard<'_, Ids>, Error> {
        call.lock_mutex(&self.ids)
    }

    pub(crate) fn writing(&self, call: &Call<'_>) -> Result<RwLockReadGuard<'_, ()>, Error> {
        call.lock_queued(|| self.writers.read(), |slice| self.writers.try_read_for(slice))
    }

    /// Exclusive: nobody else writes.
    pub(crate) fn alone(&self, call: &Call<'_>) -> Result<RwLockWriteGuard<'_, ()>, Error> {
        call.lock_queued(|| self.writers.write(), |slice| self.writers.try_write_for(slice))
    }

    /// Everything written so far is on the disk when this returns.
    pub(crate) fn sync(&self) -> Result<(), FjallError> {
        guarded(|| self.db.persist(PersistMode::SyncData))
    }

    pub(crate) fn batch(&self, durability: Durability) -> OwnedWriteBatch {
        self.db.batch().durability(Some(match durability {
            Durability::Buffered => PersistMode::Buffer,
            Durability::Synced => PersistMode::SyncData,
        }))
    }
}

pub(crate) fn add(batch: &mut OwnedWriteBatch, keyspace: &Keyspace, writes: &Batch) {
    for write in writes.writes() {
        match write {
            Write::Put(key, value) => batch.insert(keyspace, key, value),
            Write::Delete(key) => batch.remove(keyspace, key),
        }
    }
}

pub(crate) fn commit<'t>(batch: OwnedWriteBatch, tables: impl IntoIterator<Item = &'t str>) -> Result<(), Error> {
    guarded(|| batch.commit()).map_err(|error| error.of_write(tables))
}
