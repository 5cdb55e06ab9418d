//! One table: a keyspace of the engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use fjall::{Keyspace, KeyspaceCreateOptions, Snapshot};
use rowkey::store::{
    Batch, Call, CallOptions, Guarantees, Readable, RowBatch, Rows, Scan, Store, TableId, Write, add_to_counter,
};
use rowkey::{Error, KeyRange};

use crate::database::{Shared, add, commit};
use crate::error::guarded;
use crate::limits::{LIMITS, PROMISES, can_be};
use crate::options::Durability;
use crate::snapshot::FjallView;

/// Ranges are deleted in batches of this many rows, or bytes of keys, as a batch is in memory.
const DELETED_AT_ONCE: usize = 100_000;
const DELETED_BYTES: usize = 4 << 20;

/// One table of a [`Fjall`].
pub(crate) struct FjallTable {
    pub(crate) id: TableId,
    pub(crate) shared: Arc<Shared>,
    pub(crate) durability: Durability,
    pub(crate) options: CallOptions,
    pub(crate) keyspace: Keyspace,
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

    pub(crate) fn at(&self, snapshot: &Snapshot, options: CallOptions) -> FjallView {
        let (keyspace, table) = (self.keyspace.clone(), self.id.clone());
        FjallView { keyspace, snapshot: snapshot.clone(), table, options }
    }

    /// The engine does not compact a dropped table any more, and blocks its writers forever once it has too many files.
    /// So it is compacted here, long before that.
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
            // A single write needs no batch, unless the table was dropped: that is written to only in a batch.
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
