//! The two tables of a migration, and how their rows compare.

use std::sync::Arc;
use std::time::Duration;

use super::conversion::Convert;
use super::phase::Kept;
use crate::store::catalog;
use crate::store::error::Error;
use crate::store::phase::Phase;
use crate::store::{Database, Readable, Store};
use crate::tools::job::DifferenceKind;

/// A migration with its types erased.
#[derive(Clone, Copy)]
pub(super) struct Core<'m> {
    pub(super) kept: Kept<'m>,
    pub(super) convert: &'m dyn Convert,
    /// The tables, if they existed when the migration was opened.
    pub(super) old: Option<&'m Arc<dyn Store>>,
    pub(super) new: Option<&'m Arc<dyn Store>>,
    pub(super) old_name: &'m str,
    pub(super) new_name: &'m str,
    pub(super) timeout: Duration,
}

/// A row's keys in the old and in the new table.
pub(super) type Keys<'k> = (&'k [u8], &'k [u8]);

/// A row's values in the old and in the new table.
pub(super) type Pair = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The comparison of two rows.
pub(super) struct Compared {
    /// The value that the new table has to have.
    pub(super) due: Option<Vec<u8>>,
    pub(super) kind: Option<DifferenceKind>,
}

impl<'m> Core<'m> {
    pub(super) fn db(&self) -> &'m dyn Database {
        self.kept.db
    }

    pub(super) fn old_store(&self) -> Result<&'m dyn Store, Error> {
        self.old.map(|store| &**store).ok_or_else(|| self.kept.error("the old table did not exist when it was opened"))
    }

    pub(super) fn new_store(&self) -> Result<&'m dyn Store, Error> {
        self.new.map(|store| &**store).ok_or_else(|| self.kept.error("the new table did not exist when it was opened"))
    }

    pub(super) fn converted(&self, old_key: &[u8], old: Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> {
        old.map(|value| self.convert.value(old_key, value)).transpose()
    }

    /// Compares a row's values.
    pub(super) fn compare(&self, old_key: &[u8], (old, found): &Pair) -> Result<Compared, Error> {
        let due = self.converted(old_key, old.as_deref())?;
        let kind = match (&due, found) {
            (due, found) if due == found => None,
            (_, None) => Some(DifferenceKind::Missing),
            (None, _) => Some(DifferenceKind::Extra),
            (Some(_), Some(_)) => Some(DifferenceKind::Different),
        };
        Ok(Compared { due, kind })
    }

    /// Compares the rows of two keys, as two tables show them.
    pub(super) fn compare_in(&self, old: &dyn Readable, new: &dyn Readable, keys: Keys<'_>) -> Result<Compared, Error> {
        self.compare(keys.0, &(old.get(keys.0)?, new.get(keys.1)?))
    }

    pub(super) fn lock_prefix(&self) -> Vec<u8> {
        let name = self.kept.name.as_bytes();
        [b"l", &(name.len() as u64).to_be_bytes()[..], name].concat()
    }

    pub(super) fn lock_key(&self, old_key: &[u8]) -> Vec<u8> {
        [&self.lock_prefix(), old_key].concat()
    }

    /// Drops the table that the phase no longer has: a write that began earlier may have created it again.
    pub(super) fn drop_moved(&self, phase: Phase) -> Result<(), Error> {
        let moved = [(phase.has_old(), self.old_name), (phase.has_new(), self.new_name)];
        let mut moved = moved.into_iter().filter_map(|(kept, name)| (!kept).then_some(name));
        moved.try_for_each(|name| catalog::drop_table(self.db(), name))
    }
}
