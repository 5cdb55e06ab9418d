//! The records of migrations in a database, for everybody who opens tables: the state of each, and the tables it moves.
//!
//! The catalog has a row for each table that takes part in a migration, which points to the migration's state. Only
//! that state says whether the table's rows have moved. It changes atomically. A row of the catalog without a state has
//! no meaning.

use crate::keys::checkpoint::Checkpoint;
use crate::keys::range::KeyRange;
use crate::store::catalog::{self, CATALOG, Given, MIGRATIONS, Opened};
use crate::store::error::{CommitPoint, Error};
use crate::store::options::Within;
use crate::store::phase::Phase;
use crate::store::{Batch, CallOptions, Database, OpenMode, RowBatch, Rows, Scan};

/// The pass over the rows that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Backfill,
    Verify,
    Repair,
}

/// The words that stand for phases in the stored state. They are a format: never change one, only add.
const PHASE_WORDS: [(Phase, &str); 9] = [
    (Phase::Copying, "copying"),
    (Phase::Copied, "copied"),
    (Phase::Verified, "verified"),
    (Phase::CuttingOver, "cutting over"),
    (Phase::CutOver, "cut over"),
    (Phase::Finishing, "finishing"),
    (Phase::Finished, "finished"),
    (Phase::RollingBack, "rolling back"),
    (Phase::RolledBack, "rolled back"),
];

/// The words that stand for tasks in the stored state: a format, too.
const TASK_WORDS: [(Task, &str); 3] =
    [(Task::Backfill, "backfill"), (Task::Verify, "verify"), (Task::Repair, "repair")];

fn word_of<T: PartialEq>(words: &[(T, &'static str)], value: &T) -> &'static str {
    words.iter().find(|(known, _)| known == value).map_or("", |(_, word)| word)
}

fn value_of<T: Copy>(words: &[(T, &str)], word: &str) -> Option<T> {
    words.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
}

/// The state of a migration, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) task: Task,
    pub(crate) checkpoint: Checkpoint,
    /// Number of differences that the task has found so far.
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
        let (phase, task) = (word_of(&PHASE_WORDS, phase), word_of(&TASK_WORDS, task));
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
            phase: value_of(&PHASE_WORDS, phase)?,
            task: value_of(&TASK_WORDS, task)?,
            checkpoint,
            differences,
            old: old.to_owned(),
            new: new.to_owned(),
        })
    }

    /// The table that the rows of `table` are in now, if `table` was one of the two and is dropped.
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

/// Prefix of the catalog's keys of a table that takes part in migrations. The migration's name follows.
fn of_table(table: &str) -> Vec<u8> {
    [TAKES_PART, &(table.len() as u64).to_be_bytes(), table.as_bytes()].concat()
}

fn keys<'m>(migration: &'m str, tables: [&'m str; 2]) -> impl Iterator<Item = Vec<u8>> + 'm {
    tables.into_iter().map(|table| [&of_table(table), migration.as_bytes()].concat())
}

/// Stores that these tables take part in a migration.
pub(crate) fn note(db: &(impl Database + ?Sized), migration: &str, tables: [&str; 2]) -> Result<(), Error> {
    let catalog = db.table(CATALOG)?;
    for key in keys(migration, tables) {
        if catalog.get(&key)?.is_none() {
            catalog.write(Batch::new().put(key, []))?;
        }
    }
    Ok(())
}

/// Removes what [`note`] stored.
pub(crate) fn forget(db: &(impl Database + ?Sized), migration: &str, tables: [&str; 2]) -> Result<(), Error> {
    let mut batch = Batch::new();
    for key in keys(migration, tables) {
        batch.delete(key);
    }
    db.table(CATALOG)?.write(&batch)
}

/// Opens a table of keys and values as part of the operation `within`. The returned handle has `options`.
///
/// # Errors
///
/// As [`unless_moved`] and [`catalog::open`]; [`Error::ReservedName`].
pub(crate) fn open(
    within: &Within<'_, dyn Database + '_>,
    table: &str,
    given: &Given<'_>,
    mode: &OpenMode,
    options: &CallOptions,
) -> Result<Opened, Error> {
    catalog::check_name(table)?;
    let opened = unless_moved(&**within, table, mode, |commit| catalog::open(&**within, table, given, mode, commit))?;
    Ok(Opened { store: within.handed_out(opened.store, options), ..opened })
}

/// Calls `open`, which creates or opens a table, unless a migration has moved the table. Its errors name the table.
///
/// # Errors
///
/// [`Error::Moved`] if a migration has moved its rows. The table is not created again then. [`Error::OutcomeUnknown`]
/// if `open` has passed its [`CommitPoint`].
pub(crate) fn unless_moved<T, D: Database + ?Sized>(
    db: &D,
    table: &str,
    mode: &OpenMode,
    open: impl FnOnce(&CommitPoint) -> Result<T, Error>,
) -> Result<T, Error> {
    let doing = if matches!(mode, OpenMode::Create(_)) { "creation" } else { "opening" };
    catalog::of_catalog(doing, table, |commit| {
        if matches!(mode, OpenMode::Open) && catalog::existing(db)?.is_none() {
            // No table was moved. If the table does not exist, no catalog is created either.
            db.open_table(table)?;
        }
        refuse_moved(db, table)?;
        let opened = open(commit);
        // A migration may have dropped it in the meantime, and `open` may have created it again.
        match refuse_moved(db, table) {
            Err(moved @ Error::Moved { .. }) => catalog::drop_table(db, table).and(Err(moved)),
            refused => refused.and(opened),
        }
    })
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
        for (key, _) in &batch {
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
        for (phase, _) in PHASE_WORDS {
            for (task, _) in TASK_WORDS {
                let state = State { phase, task, differences: 7, ..State::begun("a\nb", "\n") };
                assert_eq!(State::parse(&state.to_bytes()), Some(state));
            }
        }
        assert_eq!(State::parse(b"copying\nbackfill\n1\n0\n9\nab"), None);
    }

    /// The bytes of a state are a format: a database that was written before is read.
    #[test]
    fn the_stored_words_stay_as_they_are() {
        let words = [
            (Phase::Copying, "copying"),
            (Phase::Copied, "copied"),
            (Phase::Verified, "verified"),
            (Phase::CuttingOver, "cutting over"),
            (Phase::CutOver, "cut over"),
            (Phase::Finishing, "finishing"),
            (Phase::Finished, "finished"),
            (Phase::RollingBack, "rolling back"),
            (Phase::RolledBack, "rolled back"),
        ];
        for (phase, phase_word) in words {
            for (task, task_word) in [(Task::Backfill, "backfill"), (Task::Verify, "verify"), (Task::Repair, "repair")]
            {
                let state = State { phase, task, ..State::begun("old", "new") };
                let stored = format!("{phase_word}\n{task_word}\n1\n0\n3\noldnew");
                assert_eq!(String::from_utf8(state.to_bytes()).unwrap(), stored);
                assert_eq!(State::parse(stored.as_bytes()), Some(state));
            }
        }
    }
}
