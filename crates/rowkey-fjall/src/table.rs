//! One table: a keyspace of the engine.

use std::sync::Arc;

use fjall::{Keyspace, Snapshot};
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};
use rowkey::store::{
    Batch, Call, CallOptions, CommitPoint, Guarantees, Readable, RowBatch, Rows, Scan, Store, TableId, TimeSlice,
    Write, add_to_counter,
};
use rowkey::{Error, KeyRange};

use crate::error::guarded;
use crate::limits::{LIMITS, PROMISES, can_be};
use crate::options::Durability;
use crate::shared::{Shared, add, commit};
use crate::snapshot::FjallView;

/// Ranges are deleted in batches of this many rows, or bytes of keys: others wait for a batch, and it is in memory.
const DELETED_AT_ONCE: usize = 4096;
const DELETED_BYTES: usize = 1 << 20;

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

    /// Shared with other plain writes. No table is dropped meanwhile.
    fn writing(&self, call: &Call<'_>) -> Result<RwLockReadGuard<'_, ()>, Error> {
        let writing = self.shared.writing(call)?;
        self.id.check_dropped()?;
        Ok(writing)
    }

    /// Exclusive: nobody else writes.
    fn alone(&self, call: &Call<'_>) -> Result<RwLockWriteGuard<'_, ()>, Error> {
        let alone = self.shared.alone(call)?;
        self.id.check_dropped()?;
        Ok(alone)
    }

    /// Deletes the rows of ranges, some at a time.
    fn delete_pieces(&self, ranges: &[KeyRange], call: &Call<'_>, commit: &CommitPoint) -> Result<(), Error> {
        let mut rows = None;
        loop {
            call.check()?;
            let alone = self.alone(call)?;
            // One snapshot for all: what is put meanwhile does not keep it going.
            let rows = rows.get_or_insert_with(|| {
                let scan = Scan::new(ranges.to_vec()).batch_rows(256).batch_bytes(DELETED_BYTES);
                self.at(&self.shared.db.snapshot(), call.rest()).scan(&scan)
            });
            let slice = TimeSlice::begin();
            let (doomed, has_more) = next_piece(&mut **rows, || slice.is_over())?;
            self.commit_as(&doomed, Durability::Buffered)?;
            if !doomed.is_empty() {
                commit.pass();
            }
            drop(alone);
            if !has_more {
                return match self.durability {
                    Durability::Buffered => Ok(()),
                    Durability::Synced => self.shared.sync().map_err(|error| error.of_write([self.id.name()])),
                };
            }
        }
    }

    fn commit(&self, batch: &Batch) -> Result<(), Error> {
        self.commit_as(batch, self.durability)
    }

    fn commit_as(&self, batch: &Batch, durability: Durability) -> Result<(), Error> {
        let mut writes = batch.writes();
        if let (Some(write), None, Durability::Buffered) = (writes.next(), writes.next(), durability) {
            // A single write needs no batch.
            return guarded(|| self.write_one(write)).map_err(|error| error.of_write([self.id.name()]));
        }
        let mut all = self.shared.batch(durability);
        add(&mut all, &self.keyspace, batch);
        commit(all, [self.id.name()])
    }
}

/// The deletions of the next rows, and whether more may follow. Some rows are read even if the time is over at once.
fn next_piece(rows: &mut dyn Rows, is_over: impl Fn() -> bool) -> Result<(Batch, bool), Error> {
    let (mut doomed, mut found) = (Batch::new(), RowBatch::new());
    loop {
        rows.next_batch(&mut found)?;
        found.iter().for_each(|(key, _)| _ = doomed.delete(key));
        if found.is_empty() {
            return Ok((doomed, false));
        }
        if doomed.len() >= DELETED_AT_ONCE || doomed.bytes() >= DELETED_BYTES || is_over() {
            return Ok((doomed, true));
        }
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
        let _writing = self.writing(&self.begin("write")?)?;
        self.commit(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.id.check_write()?;
        LIMITS.check_row(self.id.name(), key, None)?;
        let _alone = self.alone(&self.begin("increment")?)?;
        let sum = add_to_counter(key, get(&self.keyspace, key)?.as_deref(), by)?;
        self.commit(Batch::new().put(key, sum.to_be_bytes()))?;
        Ok(sum)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.id.check_write()?;
        LIMITS.check_row(self.id.name(), key, new)?;
        let _alone = self.alone(&self.begin("compare-and-write")?)?;
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
        let (call, commit) = (self.begin("deletion of ranges")?, CommitPoint::default());
        let deleted = commit.decided(self.delete_pieces(ranges, &call, &commit));
        commit.outcome(self.id.name(), deleted)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.id.check_write()?;
        let call = self.begin("transaction")?;
        let _alone = self.alone(&call)?;
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

#[cfg(test)]
mod tests {
    use rowkey::store::{Batch, Database as _, Memory, Scan, Write};

    use super::{DELETED_AT_ONCE, next_piece};

    /// A thread that has to wait for a processor has used its time before it reads a row.
    #[test]
    fn a_piece_whose_time_is_over_at_once_is_not_the_end() {
        let (table, mut all) = (Memory::new().table("t").unwrap(), Batch::new());
        let keys: Vec<_> = (0..2 * DELETED_AT_ONCE as u32 + 5).map(|key| key.to_be_bytes().to_vec()).collect();
        keys.iter().for_each(|key| _ = all.put(key, ""));
        table.write(&all).unwrap();
        for (is_over, pieces) in [(true, keys.len().div_ceil(256)), (false, 2)] {
            let (mut rows, mut deleted, mut cut) = (table.scan(&Scan::all().batch_rows(256)), Vec::new(), 0);
            loop {
                let (doomed, has_more) = next_piece(&mut *rows, || is_over).unwrap();
                deleted.extend(doomed.writes().map(|write| match write {
                    Write::Delete(key) => key.to_vec(),
                    Write::Put(..) => panic!("a deletion puts nothing"),
                }));
                if !has_more {
                    break;
                }
                cut += 1;
            }
            assert_eq!((deleted.as_slice(), cut), (keys.as_slice(), pieces));
        }
    }
}
