//! One table of a [`Memory`](super::Memory), and its handles.

use std::fmt;
use std::sync::Arc;

use imbl::OrdSet;
use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};

use super::PROMISES;
use super::doomed::Doomed;
use super::rows::{Reader, Row, apply};
use crate::keys::range::KeyRange;
use crate::store::error::{CommitPoint, Error};
use crate::store::options::failed;
use crate::store::{
    Batch, Call, CallOptions, Guarantees, RangeRows, Readable, Rows, Scan, Store, TableId, add_to_counter, check_key,
};

/// One table of a [`Memory`].
pub(super) struct MemoryTable {
    pub(super) id: TableId,
    /// Held by the writer, and taken before `rows`. While a transaction's body runs, only this is held.
    writer: Mutex<()>,
    pub(super) rows: RwLock<OrdSet<Row>>,
}

impl MemoryTable {
    pub(super) fn new(id: TableId) -> Self {
        Self { id, writer: Mutex::default(), rows: RwLock::default() }
    }

    /// Waits for the turn to write. None if the table was dropped.
    #[inline]
    pub(super) fn turn(&self, call: &Call<'_>) -> Result<Option<MutexGuard<'_, ()>>, Error> {
        let turn = call.lock_queued(|| self.writer.lock(), |slice| self.writer.try_lock_for(slice))?;
        Ok((!self.id.is_dropped()).then_some(turn))
    }

    /// The rows, for reading. Waits while a large batch is being applied.
    #[inline]
    fn rows(&self, call: &Call<'_>) -> Result<RwLockReadGuard<'_, OrdSet<Row>>, Error> {
        call.lock_queued(|| self.rows.read(), |slice| self.rows.try_read_for(slice))
    }

    pub(super) fn seen<'c>(&'c self, call: &'c Call<'c>) -> Result<Seen<'c>, Error> {
        Ok(Seen { rows: self.rows(call)?.clone(), table: &self.id, call })
    }

    /// Removes all rows. The caller has the turn.
    pub(super) fn take_rows(&self) -> OrdSet<Row> {
        std::mem::take(&mut *self.rows.write())
    }
}

impl fmt::Debug for MemoryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.rows.read().len())
    }
}

/// A table with the options of a handle.
pub(super) struct Handle {
    pub(super) table: Arc<MemoryTable>,
    pub(super) options: CallOptions,
}

impl Handle {
    #[inline]
    fn turn(&self, call: &Call<'_>) -> Result<MutexGuard<'_, ()>, Error> {
        self.table.turn(call)?.ok_or_else(|| Error::NoSuchTable(self.table.id.name().to_owned()))
    }

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
        let _turn = self.turn(&self.begin("write")?)?;
        apply(&mut self.table.rows.write(), batch);
        Ok(())
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.table.id.check_write()?;
        check_key(key)?;
        let _turn = self.turn(&self.begin("increment")?)?;
        let mut rows = self.table.rows.write();
        let sum = add_to_counter(key, rows.get(key).map(Row::value), by)?;
        rows.insert(Row::new(key, &sum.to_be_bytes()));
        Ok(sum)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.table.id.check_write()?;
        check_key(key)?;
        let _turn = self.turn(&self.begin("compare-and-write")?)?;
        let mut rows = self.table.rows.write();
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
        let call = self.begin("deletion of ranges")?;
        if ranges.contains(&KeyRange::all()) {
            let turn = self.turn(&call)?;
            let rows = self.table.take_rows();
            drop(turn);
            // A large tree takes a while to free; nobody has to wait for that.
            drop(rows);
            return Ok(());
        }
        let (mut doomed, commit): (Option<Doomed>, _) = (None, CommitPoint::default());
        loop {
            let begun = call.check().and_then(|()| self.turn(&call));
            let turn = commit.outcome(self.table.id.name(), begun)?;
            let mut rows = self.table.rows.write();
            let doomed = doomed.get_or_insert_with(|| Doomed::new(ranges, &rows));
            let removed = doomed.remove_some(&mut rows);
            drop(rows);
            drop(turn);
            if !removed.is_empty() {
                commit.pass();
            }
            // Freed while nobody has to wait for that.
            drop(removed);
            if doomed.is_empty() {
                return Ok(());
            }
        }
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.table.id.check_write()?;
        let call = self.begin("transaction")?;
        let _turn = self.turn(&call)?;
        let batch = {
            // Dropped before the writes, which would otherwise copy every node it shares with the table.
            let seen = self.table.seen(&call)?;
            let _inside = self.table.id.database().enter();
            body(&seen)?
        };
        batch.check_keys()?;
        call.check()?;
        apply(&mut self.table.rows.write(), &batch);
        Ok(())
    }
}

/// A table as a transaction sees it.
pub(super) struct Seen<'c> {
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
