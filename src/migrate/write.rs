//! Writes to both tables, and the barrier behind which a phase ends.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::DifferenceKind;
use super::conversion::Convert;
use super::phase::{Kept, State, TABLE};
use crate::error::Error;
use crate::phase::Phase;
use crate::range::KeyRange;
use crate::secondary::{Live, Token};
use crate::store::{Batch, Database, RowBatch, Rows, Scan, Store, View};

/// A migration as bytes.
#[derive(Clone, Copy)]
pub(super) struct Core<'m> {
    pub(super) kept: Kept<'m>,
    pub(super) convert: &'m dyn Convert,
    /// The tables, where the migration had them when it was opened.
    pub(super) old: Option<&'m Arc<dyn Store>>,
    pub(super) new: Option<&'m Arc<dyn Store>>,
    pub(super) old_name: &'m str,
    pub(super) new_name: &'m str,
    pub(super) timeout: Duration,
}

/// How much of a write came about.
enum Written {
    All,
    /// The old table's row, before the lock was lost.
    Old,
    Nothing,
}

/// Two rows held side by side.
pub(super) struct Compared {
    /// What has to be in the new table.
    pub(super) due: Option<Vec<u8>>,
    found: Option<Vec<u8>>,
    pub(super) kind: Option<DifferenceKind>,
}

/// What becomes of a row's new value.
pub(super) type Decide<'d> = dyn FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> + 'd;

/// How long a writer sleeps before it looks again whether a lock is free.
const NAP: Duration = Duration::from_micros(200);

impl<'m> Core<'m> {
    pub(super) fn db(&self) -> &'m dyn Database {
        self.kept.db
    }

    pub(super) fn old_store(&self) -> Result<&'m dyn Store, Error> {
        self.old.map(|store| &**store).ok_or_else(|| self.kept.error("the old table was not there when it was opened"))
    }

    pub(super) fn new_store(&self) -> Result<&'m dyn Store, Error> {
        self.new.map(|store| &**store).ok_or_else(|| self.kept.error("the new table was not there when it was opened"))
    }

    /// The new value of a row, where reads go; the keys are those of the old and the new table.
    pub(super) fn read(
        &self,
        phase: Phase,
        old: &dyn View,
        new: &dyn View,
        (old_key, new_key): (&[u8], &[u8]),
    ) -> Result<Option<Vec<u8>>, Error> {
        if phase.reads_new() {
            return new.get(new_key);
        }
        old.get(old_key)?.map(|value| self.convert.value(old_key, &value)).transpose()
    }

    /// Changes a row in the tables that the phase has.
    pub(super) fn change(&self, new_key: &[u8], decide: &mut Decide<'_>) -> Result<(), Error> {
        self.db().id().check_write([self.old_name, self.new_name])?;
        let old_key = self.convert.key_back(new_key)?;
        if self.db().guarantees().transactions {
            self.change_exactly((&old_key, new_key), decide)
        } else {
            self.change_locked((&old_key, new_key), decide)
        }
    }

    fn change_exactly(&self, keys: (&[u8], &[u8]), decide: &mut Decide<'_>) -> Result<(), Error> {
        loop {
            let phase = self.kept.state()?.phase;
            if phase.behind_the_barrier().is_some() {
                self.pass_barrier()?;
                continue;
            }
            let mut tables = vec![TABLE];
            tables.extend(phase.has_old().then_some(self.old_name));
            tables.extend(phase.has_new().then_some(self.new_name));
            let mut done = false;
            self.db().transact(&tables, &mut |views| {
                let [kept, first, rest @ ..] = views else {
                    return Err(self.kept.error("a transaction has no tables"));
                };
                done = self.kept.seen(*kept)?.phase == phase;
                if !done {
                    return Ok(vec![Batch::new(); tables.len()]);
                }
                let second = rest.first().unwrap_or(first);
                let new_value = decide(self.read(phase, *first, *second, keys)?.as_deref())?;
                let mut batches = vec![Batch::new()];
                if phase.has_old() {
                    let old_value = self.back(keys.1, new_value.as_deref())?;
                    batches.push(one(keys.0, old_value));
                }
                if phase.has_new() {
                    batches.push(one(keys.1, new_value));
                }
                Ok(batches)
            })?;
            if done {
                return Ok(());
            }
        }
    }

    fn back(&self, new_key: &[u8], new_value: Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> {
        new_value.map(|value| self.convert.value_back(new_key, value)).transpose()
    }

    fn change_locked(&self, keys: (&[u8], &[u8]), decide: &mut Decide<'_>) -> Result<(), Error> {
        loop {
            let lock = self.lock(keys)?;
            // The phase is read behind the lock: a barrier that this write has not seen finds the lock.
            let phase = self.kept.state()?.phase;
            if phase.behind_the_barrier().is_some() {
                self.unlock(keys.0, lock)?;
                self.pass_barrier()?;
                continue;
            }
            match self.write_locked(phase, keys, decide) {
                Ok(written) => {
                    let held = self.unlock(keys.0, lock)?;
                    match written {
                        Written::Nothing => {}
                        Written::All if held => return Ok(()),
                        Written::All | Written::Old => return self.bring_if_both(keys),
                    }
                }
                // It is not known what was written: who takes the lock over makes both tables the same.
                Err(error @ Error::Engine(_)) => return Err(error),
                Err(error) => return self.unlock(keys.0, lock).and(Err(error)),
            }
        }
    }

    /// Behind a write whose lock was lost: if the tables are still two, both get the same.
    fn bring_if_both(&self, keys: (&[u8], &[u8])) -> Result<(), Error> {
        match self.bring_locked(keys) {
            Ok(_) | Err(Error::MigrationPhase { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes a row under its lock.
    fn write_locked(&self, phase: Phase, keys: (&[u8], &[u8]), decide: &mut Decide<'_>) -> Result<Written, Error> {
        let old = if phase.has_old() { self.old_store()?.get(keys.0)? } else { None };
        let new = if phase.has_new() { self.new_store()?.get(keys.1)? } else { None };
        let now = match (phase.reads_new(), &old) {
            (true, _) => new.clone(),
            (false, Some(old)) => Some(self.convert.value(keys.0, old)?),
            (false, None) => None,
        };
        let after = decide(now.as_deref())?;
        // What was read has to be from before a table was dropped.
        if self.kept.state()?.phase != phase {
            return Ok(Written::Nothing);
        }
        if phase.has_old() {
            let after = self.back(keys.1, after.as_deref())?;
            if !self.old_store()?.compare_and_write(keys.0, old.as_deref(), after.as_deref())? {
                return Ok(Written::Nothing);
            }
        }
        if phase.has_new() && !self.new_store()?.compare_and_write(keys.1, new.as_deref(), after.as_deref())? {
            return Ok(if phase.has_old() { Written::Old } else { Written::Nothing });
        }
        Ok(Written::All)
    }

    /// Makes the new table's row what follows from the old one's; answers what differed.
    pub(super) fn bring_locked(&self, keys: (&[u8], &[u8])) -> Result<Option<DifferenceKind>, Error> {
        self.locked(keys, |core| core.bring(keys))
    }

    /// Looks at a row's two tables under its lock, if both are there; again if the lock was lost meanwhile.
    pub(super) fn locked(
        &self,
        keys: (&[u8], &[u8]),
        look: impl Fn(&Self) -> Result<Option<DifferenceKind>, Error>,
    ) -> Result<Option<DifferenceKind>, Error> {
        loop {
            let lock = self.lock(keys)?;
            let phase = self.kept.state()?.phase;
            if !phase.has_both() {
                self.unlock(keys.0, lock)?;
                return Err(self.kept.refused("compare its tables", phase));
            }
            let looked = look(self);
            // Behind a failure of the store it is not known what was written.
            if matches!(looked, Err(Error::Engine(_))) || self.unlock(keys.0, lock)? {
                return looked;
            }
        }
    }

    /// What differs between the rows of two keys.
    pub(super) fn compare(
        &self,
        old: &dyn View,
        new: &dyn View,
        (old_key, new_key): (&[u8], &[u8]),
    ) -> Result<Compared, Error> {
        let due = old.get(old_key)?.map(|value| self.convert.value(old_key, &value)).transpose()?;
        let found = new.get(new_key)?;
        let kind = match (&due, &found) {
            (due, found) if due == found => None,
            (_, None) => Some(DifferenceKind::Missing),
            (None, _) => Some(DifferenceKind::Extra),
            (Some(_), Some(_)) => Some(DifferenceKind::Different),
        };
        Ok(Compared { due, found, kind })
    }

    fn bring(&self, keys: (&[u8], &[u8])) -> Result<Option<DifferenceKind>, Error> {
        let (old, new) = (Live(self.old_store()?), Live(self.new_store()?));
        let mut first = None;
        loop {
            let Compared { due, found, kind } = self.compare(&old, &new, keys)?;
            let Some(kind) = kind else { return Ok(first) };
            first = first.or(Some(kind));
            // What was read has to be from before a table was dropped.
            let phase = self.kept.state()?.phase;
            if !phase.has_both() {
                return Err(self.kept.refused("compare its tables", phase));
            }
            // Around once more, the old row is looked at again.
            self.new_store()?.compare_and_write(keys.1, found.as_deref(), due.as_deref())?;
        }
    }

    fn lock_prefix(&self) -> Vec<u8> {
        let name = self.kept.name.as_bytes();
        [b"l", &(name.len() as u64).to_be_bytes()[..], name].concat()
    }

    fn lock_key(&self, old_key: &[u8]) -> Vec<u8> {
        [&self.lock_prefix(), old_key].concat()
    }

    /// Locks a row. A lock whose holder was cut off is taken over, and what it left half done is done.
    pub(super) fn lock(&self, keys: (&[u8], &[u8])) -> Result<Token, Error> {
        // A closure of the lock's own holder would wait for it.
        self.db().id().check_write([TABLE])?;
        let locks = self.db().table(TABLE)?;
        let key = self.lock_key(keys.0);
        loop {
            let held = locks.get(&key)?;
            if held.as_deref().is_some_and(|held| !self.is_cut_off(held)) {
                thread::sleep(NAP);
                continue;
            }
            let token = Token::new();
            if locks.compare_and_write(&key, held.as_deref(), Some(&token.to_bytes()))? {
                if held.is_some() && self.kept.state()?.phase.has_both() {
                    match self.bring(keys) {
                        Ok(_) | Err(Error::MigrationPhase { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
                return Ok(token);
            }
        }
    }

    fn is_cut_off(&self, lock: &[u8]) -> bool {
        <[u8; 16]>::try_from(lock).map_or(true, |token| Token::from_bytes(token).is_older_than(self.timeout))
    }

    /// Gives a lock back; `false` if it was taken over.
    pub(super) fn unlock(&self, old_key: &[u8], token: Token) -> Result<bool, Error> {
        let locks = self.db().table(TABLE)?;
        locks.compare_and_write(&self.lock_key(old_key), Some(&token.to_bytes()), None)
    }

    /// Waits for the writes that were begun in the phase before, then goes on to the next one. Who finds a migration at a
    /// barrier does so, whoever set it there.
    pub(super) fn pass_barrier(&self) -> Result<State, Error> {
        loop {
            let state = self.kept.state()?;
            let Some(next) = state.phase.behind_the_barrier() else { return Ok(state) };
            if !self.db().guarantees().transactions {
                self.drain_locks()?;
            }
            self.kept.replace(Some(&state), &State { phase: next, ..state.clone() })?;
        }
    }

    /// Takes every lock once, and gives it back.
    fn drain_locks(&self) -> Result<(), Error> {
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
                let token = self.lock((old_key, &new_key))?;
                self.unlock(old_key, token)?;
            }
        }
    }

    /// The new value of a row, read where the phase says.
    pub(super) fn get(&self, new_key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let old_key = self.convert.key_back(new_key)?;
        let mut phase = self.kept.state()?.phase;
        loop {
            let value = if phase.reads_new() {
                self.new_store()?.get(new_key)?
            } else {
                let old = Live(self.old_store()?);
                self.read(phase, &old, &old, (&old_key, new_key))?
            };
            // The table may have been dropped meanwhile.
            let now = self.kept.state()?.phase;
            if now.reads_new() == phase.reads_new() {
                return Ok(value);
            }
            phase = now;
        }
    }

    /// Deletes what is kept of the migration.
    pub(super) fn forget(&self) -> Result<(), Error> {
        let kept = self.db().table(TABLE)?;
        kept.delete_ranges(&[KeyRange::prefix(self.lock_prefix())])?;
        kept.write(Batch::new().delete(self.kept.key()))
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
