//! How far a migration is, and the row that says so.

use crate::cursor::Checkpoint;
use crate::error::Error;
use crate::phase::{PHASES, Phase};
use crate::store::{Batch, Database, View};

/// What goes over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Backfill,
    Verify,
    Repair,
}

const TASKS: [(Task, &str); 3] = [(Task::Backfill, "backfill"), (Task::Verify, "verify"), (Task::Repair, "repair")];

/// What is kept of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) task: Task,
    pub(super) checkpoint: Checkpoint,
    /// How many differences the task has found so far.
    pub(super) differences: u64,
    pub(super) old: String,
    pub(super) new: String,
}

impl State {
    pub(super) fn begun(old: &str, new: &str) -> Self {
        Self {
            phase: Phase::Copying,
            task: Task::Backfill,
            checkpoint: Checkpoint::default(),
            differences: 0,
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Self { phase, task, checkpoint, differences, old, new } = self;
        let task = TASKS.iter().find(|(known, _)| known == task).map_or("", |(_, name)| name);
        format!("{phase}\n{task}\n{checkpoint}\n{differences}\n{}\n{old}{new}", old.len()).into_bytes()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(bytes).ok()?.splitn(6, '\n');
        let phase = lines.next()?;
        let task = lines.next()?;
        let checkpoint = lines.next()?.parse().ok()?;
        let differences = lines.next()?.parse().ok()?;
        let old_len = lines.next()?.parse().ok()?;
        let (old, new) = lines.next()?.split_at_checked(old_len)?;
        Some(Self {
            phase: PHASES.iter().find(|(_, name)| *name == phase)?.0,
            task: TASKS.iter().find(|(_, name)| *name == task)?.0,
            checkpoint,
            differences,
            old: old.to_owned(),
            new: new.to_owned(),
        })
    }
}

/// The table in which migrations are kept: `s` and the name → its state; `l`, the name's length, the name and an old row's
/// key → a lock.
pub(super) use crate::catalog::MIGRATIONS as TABLE;

/// The row that keeps a migration's state.
#[derive(Clone, Copy)]
pub(super) struct Kept<'m> {
    pub(super) db: &'m dyn Database,
    pub(super) name: &'m str,
}

impl Kept<'_> {
    pub(super) fn key(self) -> Vec<u8> {
        [b"s", self.name.as_bytes()].concat()
    }

    pub(super) fn parse(self, bytes: Option<&[u8]>) -> Result<Option<State>, Error> {
        bytes.map(|bytes| State::parse(bytes).ok_or_else(|| self.error("its state can't be read"))).transpose()
    }

    pub(super) fn error(self, what: impl Into<String>) -> Error {
        Error::Migration { name: self.name.to_owned(), what: what.into() }
    }

    pub(super) fn refused(self, step: &'static str, phase: Phase) -> Error {
        Error::MigrationPhase { name: self.name.to_owned(), step, phase }
    }

    pub(super) fn read(self) -> Result<Option<State>, Error> {
        self.parse(self.db.table(TABLE)?.get(&self.key())?.as_deref())
    }

    /// The state of a migration that was begun.
    pub(super) fn state(self) -> Result<State, Error> {
        self.read()?.ok_or_else(|| self.error("it is forgotten"))
    }

    /// The state, as a transaction sees it.
    pub(super) fn seen(self, view: &dyn View) -> Result<State, Error> {
        self.parse(view.get(&self.key())?.as_deref())?.ok_or_else(|| self.error("it is forgotten"))
    }

    /// Puts a state in place of another; answers whether that was still there.
    pub(super) fn replace(self, before: Option<&State>, after: &State) -> Result<bool, Error> {
        let (key, before, after) = (self.key(), before.map(State::to_bytes), after.to_bytes());
        if self.db.guarantees().compare_and_write {
            return self.db.table(TABLE)?.compare_and_write(&key, before.as_deref(), Some(&after));
        }
        let mut replaced = false;
        self.db.transact(&[TABLE], &mut |views| {
            let [view] = views else { return Err(self.error("a transaction has other tables")) };
            let mut batch = Batch::new();
            replaced = view.get(&key)? == before;
            if replaced {
                batch.put(key.as_slice(), after.as_slice());
            }
            Ok(vec![batch])
        })?;
        Ok(replaced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back() {
        for (phase, _) in PHASES {
            for (task, _) in TASKS {
                let state = State { phase, task, differences: 7, ..State::begun("a\nb", "\n") };
                assert_eq!(State::parse(&state.to_bytes()), Some(state));
            }
        }
        assert_eq!(State::parse(b"copying\nbackfill\n1\n0\n9\nab"), None);
    }
}
