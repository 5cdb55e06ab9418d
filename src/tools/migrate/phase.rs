//! The row that stores the state of a migration.

pub(super) use crate::store::catalog::moved::{State, Task};
use crate::store::catalog::moved::{state_key, unreadable};
use crate::store::error::Error;
use crate::store::phase::Phase;
use crate::store::{Batch, Database, Readable};

/// The table of migrations: `s` and the name → the state; `l`, the name's length, the name and the key of an old row →
/// a lock.
pub(super) use crate::store::catalog::MIGRATIONS as TABLE;

/// The row that stores a migration's state.
#[derive(Clone, Copy)]
pub(super) struct Kept<'m> {
    pub(super) db: &'m dyn Database,
    pub(super) name: &'m str,
}

impl Kept<'_> {
    pub(super) fn key(self) -> Vec<u8> {
        state_key(self.name)
    }

    pub(super) fn parse(self, bytes: Option<&[u8]>) -> Result<Option<State>, Error> {
        bytes.map(|bytes| State::parse(bytes).ok_or_else(|| unreadable(self.name))).transpose()
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

    /// The state of a migration that has begun.
    pub(super) fn state(self) -> Result<State, Error> {
        self.read()?.ok_or_else(|| self.error("it was forgotten"))
    }

    /// The state, as seen by a transaction.
    pub(super) fn seen(self, view: &dyn Readable) -> Result<State, Error> {
        self.parse(view.get(&self.key())?.as_deref())?.ok_or_else(|| self.error("it was forgotten"))
    }

    /// Replaces a state by another; returns whether the old one was still there.
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
