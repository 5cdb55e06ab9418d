//! What a database keeps of migrations, for all who open tables: how far each is, and which tables it is between.
//!
//! The catalog has a row for each table that takes part in a migration, which leads to the migration's state. That state
//! alone says whether the table's rows were moved: it changes atomically, and a row that outlives it means nothing.

use crate::keys::checkpoint::Checkpoint;
use crate::keys::range::KeyRange;
use crate::store::catalog::{self, CATALOG, Given, How, MIGRATIONS, Opened};
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::phase::{PHASES, Phase};
use crate::store::{Batch, CallOptions, Database, RowBatch, Rows, Scan};

/// What goes over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Backfill,
    Verify,
    Repair,
}

const TASKS: [(Task, &str); 3] = [(Task::Backfill, "backfill"), (Task::Verify, "verify"), (Task::Repair, "repair")];

/// What is kept of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) task: Task,
    pub(crate) checkpoint: Checkpoint,
    /// How many differences the task has found so far.
    pub(crate) differences: u64,
    pub(crate) old: String,
    pub(crate) new: String,
}

impl State {
    pub(crate) fn begun(old: &str, new: &str) -> Self {
        Self {
            phase: Phase::Copying,
            task: Task::Backfill,
            checkpoint: Checkpoint::default(),
            differences: 0,
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Self { phase, task, checkpoint, differences, old, new } = self;
        let task = TASKS.iter().find(|(known, _)| known == task).map_or("", |(_, name)| name);
        format!("{phase}\n{task}\n{checkpoint}\n{differences}\n{}\n{old}{new}", old.len()).into_bytes()
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
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

    /// Where a table's rows are, if it was one of the two and is dropped.
    fn moved(&self, table: &str) -> Option<&str> {
        match self.phase {
            Phase::Finished if table == self.old => Some(&self.new),
            Phase::RolledBack if table == self.new => Some(&self.old),
            _ => None,
        }
    }
}

/// The key of a migration's state, in the table of migrations.
pub(crate) fn state_key(migration: &str) -> Vec<u8> {
    [b"s", migration.as_bytes()].concat()
}

const TAKES_PART: &[u8] = b"m";

/// The beginning of the catalog's keys of a table that takes part in migrations; the migration's name ends them.
fn of_table(table: &str) -> Vec<u8> {
    [TAKES_PART, &(table.len() as u64).to_be_bytes(), table.as_bytes()].concat()
}

fn keys<'m>(migration: &'m str, tables: [&'m str; 2]) -> impl Iterator<Item = Vec<u8>> + 'm {
    tables.into_iter().map(|table| [&of_table(table), migration.as_bytes()].concat())
}

/// Keeps that tables take part in a migration.
pub(crate) fn note(db: &(impl Database + ?Sized), migration: &str, tables: [&str; 2]) -> Result<(), Error> {
    let catalog = db.table(CATALOG)?;
    for key in keys(migration, tables) {
        if catalog.get(&key)?.is_none() {
            catalog.write(Batch::new().put(key, []))?;
        }
    }
    Ok(())
}

/// Forgets that tables took part in a migration.
pub(crate) fn forget(db: &(impl Database + ?Sized), migration: &str, tables: [&str; 2]) -> Result<(), Error> {
    let mut batch = Batch::new();
    for key in keys(migration, tables) {
        batch.delete(key);
    }
    db.table(CATALOG)?.write(&batch)
}

/// Opens a table of keys and values as a part of the call `within`; the handle is for further calls, with these options.
///
/// # Errors
///
/// As of [`unless_moved`], and of [`catalog::open`]; [`Error::ReservedName`].
pub(crate) fn open(
    within: &Within<'_, dyn Database + '_>,
    table: &str,
    given: &Given<'_>,
    how: &How<'_>,
    options: &CallOptions,
) -> Result<Opened, Error> {
    catalog::check_name(table)?;
    let opened = unless_moved(&**within, table, how, || catalog::open(&**within, table, given, how))?;
    Ok(Opened { store: within.handed_out(opened.store, options), ..opened })
}

/// Makes or opens a table by `open`, as `how` says.
///
/// # Errors
///
/// [`Error::Moved`] if a migration has moved its rows; the table is not made again then.
pub(crate) fn unless_moved<T, D: Database + ?Sized>(
    db: &D,
    table: &str,
    how: &How<'_>,
    open: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    if matches!(how, How::Open) && catalog::existing(db)?.is_none() {
        // No table was moved, and of one that is not there no catalog is made.
        db.open_table(table)?;
    }
    refuse_moved(db, table)?;
    let opened = open();
    // It may have been dropped since, and made again by `open`.
    match refuse_moved(db, table) {
        Err(moved @ Error::Moved { .. }) => catalog::drop_table(db, table).and(Err(moved)),
        refused => refused.and(opened),
    }
}

fn refuse_moved(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    let prefix = of_table(table);
    let mut rows = db.table(CATALOG)?.scan(&Scan::new(vec![KeyRange::prefix(prefix.as_slice())]));
    let mut batch = RowBatch::new();
    loop {
        rows.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(());
        }
        for (key, _) in batch.iter() {
            let migration = String::from_utf8_lossy(key.strip_prefix(prefix.as_slice()).unwrap_or_default());
            let Some(state) = db.table(MIGRATIONS)?.get(&state_key(&migration))? else { continue };
            let state = State::parse(&state).ok_or_else(|| unreadable(&migration))?;
            if let Some(to) = state.moved(table) {
                let (table, to, migration) = (table.to_owned(), to.to_owned(), migration.into_owned());
                return Err(Error::Moved { table, to, migration });
            }
        }
    }
}

#[cold]
pub(crate) fn unreadable(migration: &str) -> Error {
    Error::Migration { name: migration.to_owned(), what: "its state can't be read".to_owned() }
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
