//! Writes to both tables, and the barrier at the end of a phase.

use super::lock::{Due, LockedRow};
use super::phase::{State, TABLE};
use super::tables::{Compared, Core, Keys, Pair};
use crate::keys::range::KeyRange;
use crate::store::catalog::moved;
use crate::store::error::{CommitPoint, Error};
use crate::store::phase::Phase;
use crate::store::{Batch, RowBatch, Rows, Scan};
use crate::tools::job::DifferenceKind;

/// The new value of a row, from its old one, both in the new table's form.
pub(super) type Decide<'d> = dyn FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> + 'd;

impl Core<'_> {
    /// The value of a row in the new table's form, from the table that reads use.
    fn seen(&self, phase: Phase, old_key: &[u8], (old, new): &Pair) -> Result<Option<Vec<u8>>, Error> {
        if phase.reads_new() { Ok(new.clone()) } else { self.converted(old_key, old.as_deref()) }
    }

    /// Changes a row in the tables of the phase.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if the write was committed, or may be. With any other error it is not, and never will
    /// be.
    pub(super) fn change(&self, new_key: &[u8], decide: &mut Decide<'_>) -> Result<(), Error> {
        self.db().id().check_write([self.old_name, self.new_name])?;
        let old_key = self.convert.key_back(new_key)?;
        let (keys, commit) = ((old_key.as_slice(), new_key), CommitPoint::default());
        let changed = match self.db().guarantees().transactions {
            true => self.change_exactly(keys, decide, &commit),
            false => self.change_locked(keys, decide, &commit),
        };
        commit.outcome(self.new_name, changed).map_err(|error| error.naming(self.new_name))
    }

    fn change_exactly(&self, keys: Keys<'_>, decide: &mut Decide<'_>, commit: &CommitPoint) -> Result<(), Error> {
        loop {
            let phase = self.kept.state()?.phase;
            if phase.after_waiting().is_some() {
                self.pass_barrier()?;
                continue;
            }
            let mut tables = vec![TABLE];
            tables.extend(phase.has_old().then_some(self.old_name));
            tables.extend(phase.has_new().then_some(self.new_name));
            let mut done = false;
            let written = self.db().transact(&tables, &mut |views| {
                let [kept, first, rest @ ..] = views else {
                    return Err(self.kept.error("a transaction has no tables"));
                };
                done = self.kept.seen(*kept)?.phase == phase;
                if !done {
                    return Ok(Vec::new());
                }
                let second = rest.first().unwrap_or(first);
                let found = if phase.reads_new() { (None, second.get(keys.1)?) } else { (first.get(keys.0)?, None) };
                let new_value = decide(self.seen(phase, keys.0, &found)?.as_deref())?;
                let mut batches = vec![Batch::new()];
                if phase.has_old() {
                    let old_value = self.back(keys.1, new_value.as_deref())?;
                    batches.push(one(keys.0, old_value));
                }
                if phase.has_new() {
                    batches.push(one(keys.1, new_value));
                }
                Ok(batches)
            });
            commit.decided(written)?;
            if done {
                return Ok(());
            }
            self.drop_moved(self.kept.state()?.phase)?;
        }
    }

    fn back(&self, new_key: &[u8], new_value: Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> {
        new_value.map(|value| self.convert.value_back(new_key, value)).transpose()
    }

    fn change_locked(&self, keys: Keys<'_>, decide: &mut Decide<'_>, commit: &CommitPoint) -> Result<(), Error> {
        let mut row = LockedRow::new(*self, keys)?;
        loop {
            let phase = row.take()?;
            if phase.after_waiting().is_some() {
                row.give_back()?;
                self.pass_barrier()?;
                continue;
            }
            let mut changed = || {
                let found = row.rows(phase)?;
                let after = decide(self.seen(phase, keys.0, &found)?.as_deref())?;
                let old = phase.has_old().then(|| self.back(keys.1, after.as_deref())).transpose()?;
                Ok((found, Due { old, new: phase.has_new().then_some(after) }))
            };
            match changed() {
                Ok((found, due)) => {
                    if row.write(phase, found, due, commit)? {
                        return row.settle();
                    }
                }
                Err(error) => row.give_up(error)?,
            }
        }
    }

    /// Compares a row's two tables under its lock, and returns what differs. If `repaired`, makes the new table's row
    /// what follows from the old one's.
    pub(super) fn compare_locked(&self, keys: Keys<'_>, repaired: bool) -> Result<Option<DifferenceKind>, Error> {
        let mut row = LockedRow::new(*self, keys)?;
        loop {
            let phase = row.take()?;
            let looked = || {
                if !phase.has_both() {
                    return Err(self.kept.refused("compare its tables", phase));
                }
                let found = row.rows(phase)?;
                let compared = self.compare(keys.0, &found)?;
                Ok((found, compared))
            };
            match looked() {
                Ok((found, Compared { due, kind })) => {
                    let due = Due { old: None, new: repaired.then_some(due) };
                    if row.write(phase, found, due, &CommitPoint::default())? {
                        return row.settle().and(Ok(kind));
                    }
                }
                Err(error) => row.give_up(error)?,
            }
        }
    }

    /// Waits for the writes that began in the phase before, then goes on to the next phase. Every handle
    /// that finds a migration in such a phase, a barrier, does so.
    pub(super) fn pass_barrier(&self) -> Result<State, Error> {
        loop {
            let state = self.kept.state()?;
            let Some(next) = state.phase.after_waiting() else { return Ok(state) };
            if !self.db().guarantees().transactions {
                self.drain_locks()?;
            }
            self.kept.replace(Some(&state), &State { phase: next, ..state.clone() })?;
        }
    }

    /// Takes every lock once, and releases it: writes that were committed take place, and others find their lock lost.
    pub(super) fn drain_locks(&self) -> Result<(), Error> {
        let prefix = self.lock_prefix();
        let mut locks = self.db().table(TABLE)?.scan(&Scan::new(vec![KeyRange::prefix(prefix.as_slice())]));
        let mut batch = RowBatch::new();
        loop {
            locks.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(());
            }
            for (key, _) in batch.iter() {
                let old_key = key.strip_prefix(prefix.as_slice()).unwrap_or_default();
                let new_key = self.convert.key(old_key)?;
                let mut row = LockedRow::new(*self, (old_key, &new_key))?;
                row.take()?;
                row.give_back()?;
                row.settle()?;
            }
        }
    }

    /// Reads a row, in the new table's form, from the table that the phase reads.
    pub(super) fn get(&self, new_key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let old_key = self.convert.key_back(new_key)?;
        let mut phase = self.kept.state()?.phase;
        loop {
            let read = || {
                if phase.reads_new() {
                    return self.new_store()?.get(new_key);
                }
                self.converted(&old_key, self.old_store()?.get(&old_key)?.as_deref())
            };
            let value = read();
            // The table may have been dropped meanwhile.
            let now = self.kept.state()?.phase;
            if now.reads_new() == phase.reads_new() {
                return value;
            }
            phase = now;
        }
    }

    /// Deletes the stored state of the migration, and passes `commit`. The state goes after the locks, so that this can
    /// be repeated.
    pub(super) fn forget(&self, commit: &CommitPoint) -> Result<(), Error> {
        let kept = self.db().table(TABLE)?;
        // Locks that nobody holds.
        kept.delete_ranges(&[KeyRange::prefix(self.lock_prefix())])?;
        commit.decided(kept.write(Batch::new().delete(self.kept.key())))?;
        commit.pass();
        moved::forget(self.db(), self.kept.name, [self.old_name, self.new_name])
    }
}

fn one(key: &[u8], value: Option<Vec<u8>>) -> Batch {
    let mut batch = Batch::new();
    match value {
        Some(value) => batch.put(key, value),
        None => batch.delete(key),
    };
    batch
}
