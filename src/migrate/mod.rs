//! From one key design to another, while the program goes on: a new key is a new table, and every row moves.
//!
//! A [`Migration`] is what the program reads and writes through meanwhile. It speaks the new types from the first day: the
//! program is changed once.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use rowkey::migrate::{Conversion, Migration, Phase};
//! use rowkey::{Memory, RowKey, Table};
//!
//! mod old {
//!     #[derive(rowkey::RowKey)]
//!     #[rowkey(salt(buckets = 4))]
//!     pub struct Crash {
//!         pub at: u64,
//!     }
//! }
//!
//! #[derive(RowKey)]
//! #[rowkey(salt(buckets = 16))]
//! struct Crash {
//!     at: u64,
//! }
//!
//! let db = Memory::new();
//! # let before: Table<old::Crash, String, _> = Table::open(&db, "crashes")?;
//! # for at in 0..1000 { before.put(&old::Crash { at }, &"oops".into())?; }
//! // In every process: the first one begins it, the others find it as it is.
//! let keys = Conversion::keys(
//!     |old::Crash { at }| Crash { at },
//!     |Crash { at }| old::Crash { at },
//! );
//! let crashes = Migration::<_, String, _, _, _>::open(&db, "more buckets", "crashes", "crashes.16", keys)?;
//! crashes.put(&Crash { at: 7 }, &"ouch".into())?;
//! assert_eq!(crashes.get(&Crash { at: 8 })?.as_deref(), Some("oops"));
//!
//! // In one of them, or in several, one after the other; what was stopped goes on where it was.
//! crashes.backfill().batch_rows(100).run(|progress| {
//!     println!("{} rows", progress.rows);
//!     ControlFlow::Continue(())
//! })?;
//! let report = crashes.verify().run(|_| ControlFlow::Continue(()))?;
//! assert_eq!((report.differences, crashes.phase()?), (0, Phase::Verified));
//! crashes.cut_over()?;
//! assert_eq!(crashes.get(&Crash { at: 7 })?.as_deref(), Some("ouch"));
//!
//! // After a while; until then `roll_back` leads back.
//! crashes.finish()?;
//! assert!(crashes.roll_back().is_err());
//! assert_eq!(Table::<Crash, String, _>::open(&db, "crashes.16")?.count(..)?, 1000);
//! # Ok::<(), rowkey::Error>(())
//! ```
//!
//! It keeps no [secondary tables](crate::secondary) in step: those of the new table are made by
//! [`rebuild`](crate::secondary::Secondary::rebuild) once it is the only one that is written.
//!
//! | phase | reads | writes | goes on by |
//! |---|---|---|---|
//! | copying | old | both | [`backfill`](Migration::backfill) |
//! | copied | old | both | [`verify`](Migration::verify), [`repair`](Migration::repair) |
//! | verified | old | both | [`cut_over`](Migration::cut_over) |
//! | cut over | new | both | [`finish`](Migration::finish) |
//! | finished | new | new | |
//! | rolled back | old | old | |
//!
//! [`roll_back`](Migration::roll_back) is possible from all but the last two. All programs that write the table have to do
//! so through the migration before rows are copied: what is written to a table directly is not followed, though a
//! verification names it.
//!
//! It moves plain tables; rows of a wide one are the program's to move. A program that still opens the old table by its name
//! after the migration is finished makes a new one of that name, without rows: see to it that none does.
//!
//! # How both tables stay the same
//!
//! The phase, and how far the rows are gone over, are a row of the table `rowkey.migrations`. With
//! [transactions](crate::store::Guarantees::transactions) a write is one over that row and both tables, and so is each
//! batch that is copied: nothing can come in between.
//!
//! Without them, who writes a row, or copies it, first takes a lock of its own for it, by compare-and-write; then reads the
//! phase; writes the old table, then the new one, each by compare-and-write on what it has read; and gives the lock back.
//!
//! - So no copy comes between the two writes of another, and none brings back a value that it read before: reading and
//!   writing are under one lock, and deleted rows are, too.
//! - A lock whose holder was cut off is taken over after a time ([`Migration::lock_timeout`]), and the new table's row made
//!   what follows from the old one's. The old table is written first in all phases where both are, so what it has is
//!   what was written last; a write that was cut off took place, or not, and in both tables alike.
//! - Cutting over, finishing and rolling back set a mark first, take every lock once, and only then go on. Writers that find
//!   the mark help. A writer reads the phase under its lock: so it either sees the mark, or its lock is waited for. When a
//!   table is dropped nobody is about to write it.
//!
//! A writer that stalls for longer than the time-out loses its lock. What it has read is held to the phase and, by the
//! compare-and-writes, to the rows before it writes; and it finds at the end that its lock is gone, and sees to it that both
//! tables have the same. Only one that both stalls there and is then cut off can leave a row to a verification.

mod conversion;
mod job;
mod lock;
mod phase;
mod write;

use std::fmt;
use std::time::Duration;

pub use self::conversion::Conversion;
use self::conversion::{Between, Convert};
pub use self::job::{Job, Progress, Report};
use self::phase::{Kept, State, Task};
use self::write::Core;
use crate::catalog;
use crate::error::Error;
use crate::key::OwnedKey;
use crate::moved;
pub use crate::phase::Phase;
use crate::store::{Database, Scan, count};
use crate::table::Table;
use crate::value::{RowValue, decoded, encoded};

/// A migration from a table of rows (`K1`, `V1`) to one of rows (`K2`, `V2`), as it is: what the program reads and writes
/// through until it is over. See [the module](crate::migrate).
pub struct Migration<K1, V1, K2, V2, D> {
    db: D,
    between: Between<K1, V1, K2, V2>,
    old: Option<Table<K1, V1, D>>,
    new: Option<Table<K2, V2, D>>,
    timeout: Duration,
}

type Tables<K1, V1, K2, V2, D> = (Option<Table<K1, V1, D>>, Option<Table<K2, V2, D>>);

impl<K1, V1, K2, V2, D> fmt::Debug for Migration<K1, V1, K2, V2, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Between { name, old, new, .. } = &self.between;
        f.debug_struct("Migration").field("name", name).field("old", old).field("new", new).finish_non_exhaustive()
    }
}

/// What differs between the two tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<K1, K2> {
    /// How they differ.
    pub kind: DifferenceKind,
    /// The key in the old table.
    pub old: K1,
    /// The key in the new table.
    pub new: K2,
}

/// How a row of the new table differs from what follows from the old one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It is not there.
    Missing,
    /// It is there, and the old one is not.
    Extra,
    /// It has another value.
    Different,
}

/// The table to read, which [`Migration::reading`] answers.
#[derive(Debug)]
pub enum Reading<'m, K1, V1, K2, V2, D> {
    /// The old one, until the migration is cut over, and when it is rolled back.
    Old(&'m Table<K1, V1, D>),
    /// The new one, from then on.
    New(&'m Table<K2, V2, D>),
}

impl<K1, V1, K2, V2, D> Migration<K1, V1, K2, V2, D>
where
    K1: OwnedKey + 'static,
    V1: RowValue + 'static,
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    D: Database + Clone,
{
    /// Opens the migration of a name where it is; begins it if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Migration`] if it was begun between other tables, or the new table has rows when it begins;
    /// [`Error::Layout`] if a table has keys of another shape; [`Error::Unsupported`] if the database has neither
    /// transactions nor compare-and-write.
    pub fn open(
        db: D,
        name: &str,
        old: &str,
        new: &str,
        conversion: Conversion<K1, V1, K2, V2>,
    ) -> Result<Self, Error> {
        [old, new].into_iter().try_for_each(catalog::check_name)?;
        let guarantees = db.guarantees();
        if !guarantees.transactions && !guarantees.compare_and_write {
            return Err(Error::Unsupported("transactions, and no compare-and-write"));
        }
        let kept = Kept { db: &db, name };
        loop {
            let opened = match kept.read()? {
                None => Self::begin(kept, &db, old, new).map(|()| None),
                Some(state) if (state.old.as_str(), state.new.as_str()) != (old, new) => {
                    let (old, new) = (&state.old, &state.new);
                    return Err(kept.error(format!("it is one of table {old:?} to table {new:?}")));
                }
                Some(state) => Self::tables(&db, &state).map(Some),
            };
            match opened {
                Ok(Some((old_table, new_table))) => {
                    // One that an older version began has no such rows.
                    moved::note(&db, name, [old, new])?;
                    let (database, name, old, new) = (db.id(), name.to_owned(), old.to_owned(), new.to_owned());
                    let between = Between { conversion, database, name, old, new };
                    return Ok(Self { db, between, old: old_table, new: new_table, timeout: Duration::from_secs(60) });
                }
                Ok(None) => {}
                // It was finished or rolled back after its state was read.
                Err(Error::Moved { migration, .. }) if migration == name => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Begins the migration, unless somebody else has begun it.
    fn begin(kept: Kept<'_>, db: &D, old: &str, new: &str) -> Result<(), Error> {
        if old == new {
            return Err(kept.error("its two tables are one"));
        }
        Table::<K1, V1, _>::open(db, old)?;
        let rows = count(Table::<K2, V2, _>::open(db, new)?.store().scan(&Scan::all().limit(1)))?;
        if rows > 0 {
            // They are not in the way if somebody has begun it since, and copied them.
            let begun = kept.read()?.is_some();
            return if begun { Ok(()) } else { Err(kept.error(format!("table {new:?} has rows already"))) };
        }
        moved::note(db, kept.name, [old, new])?;
        kept.replace(None, &State::begun(old, new)).map(drop)
    }

    /// The tables that the phase has. One that was dropped is not made again.
    fn tables(db: &D, state: &State) -> Result<Tables<K1, V1, K2, V2, D>, Error> {
        let old = state.phase.has_old().then(|| Table::open(db.clone(), &state.old)).transpose()?;
        let new = state.phase.has_new().then(|| Table::open(db.clone(), &state.new)).transpose()?;
        Ok((old, new))
    }

    /// How long a write without transactions may take, a minute unless told: a row whose writer was cut off is locked so
    /// long. All processes have to agree on it, and their clocks to within it.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn core(&self) -> Core<'_> {
        let Between { name, old, new, .. } = &self.between;
        Core {
            kept: Kept { db: &self.db, name },
            convert: &self.between as &dyn Convert,
            old: self.old.as_ref().map(Table::store),
            new: self.new.as_ref().map(Table::store),
            old_name: old,
            new_name: new,
            timeout: self.timeout,
        }
    }

    /// How far it is.
    pub fn phase(&self) -> Result<Phase, Error> {
        Ok(self.core().kept.state()?.phase)
    }

    /// The table to read now, for scans: each has its own order. Ask again for every scan.
    ///
    /// ```
    /// # use rowkey::Memory;
    /// use rowkey::migrate::{Conversion, Migration, Reading};
    /// use rowkey::prefix::tuple_prefix;
    ///
    /// let keys = Conversion::keys(|(user, at): (u32, u64)| (at, user), |(at, user)| (user, at));
    /// let visits = Migration::<_, (), _, _, _>::open(Memory::new(), "by time", "visits", "visits.2", keys)?;
    /// visits.put(&(1_700_000_000, 42), &())?;
    /// let of_user = match visits.reading()? {
    ///     Reading::Old(visits) => visits.count(tuple_prefix()._0(42))?,
    ///     Reading::New(visits) => visits.keys(..).filter(|key| matches!(key, Ok((_, 42)))).count() as u64,
    /// };
    /// assert_eq!(of_user, 1);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn reading(&self) -> Result<Reading<'_, K1, V1, K2, V2, D>, Error> {
        let kept = self.core().kept;
        match (kept.state()?.phase.reads_new(), &self.old, &self.new) {
            (true, _, Some(table)) => Ok(Reading::New(table)),
            (false, Some(table), _) => Ok(Reading::Old(table)),
            _ => Err(kept.error("its table was not there when it was opened")),
        }
    }

    /// The value of a row, if it is there.
    pub fn get(&self, key: &K2) -> Result<Option<V2>, Error> {
        let key = key.encode();
        self.core().get(&key)?.map(|value| self.decode(&key, &value)).transpose()
    }

    /// Writes a row.
    pub fn put(&self, key: &K2, value: &V2) -> Result<(), Error> {
        let value = self.encode(value)?;
        self.core().change(&key.encode(), &mut |_| Ok(Some(value.clone())))
    }

    /// Deletes a row.
    pub fn delete(&self, key: &K2) -> Result<(), Error> {
        self.core().change(&key.encode(), &mut |_| Ok(None))
    }

    /// Changes a row by what it was, and answers what it became, as [`Table::update`].
    pub fn update(&self, key: &K2, mut change: impl FnMut(Option<V2>) -> Option<V2>) -> Result<Option<V2>, Error> {
        let key = key.encode();
        let mut after = None;
        self.core().change(&key, &mut |before| {
            let _inside = self.between.database.enter();
            after = change(before.map(|value| self.decode(&key, value)).transpose()?);
            after.as_ref().map(|value| self.encode(value)).transpose()
        })?;
        Ok(after)
    }

    /// Copies the old table's rows. Where they are copied already it answers so.
    pub fn backfill(&self) -> Job<'_, K1, V1, K2, V2, D> {
        Job::new(self, Task::Backfill)
    }

    /// Goes over both tables and names every difference. If there is none, the migration is verified.
    pub fn verify(&self) -> Job<'_, K1, V1, K2, V2, D> {
        Job::new(self, Task::Verify)
    }

    /// Makes the new table what follows from the old one wherever it differs. It is to be verified then.
    pub fn repair(&self) -> Job<'_, K1, V1, K2, V2, D> {
        Job::new(self, Task::Repair)
    }

    /// Lets reads go to the new table; writes still go to both. Where they do already it answers so.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] unless it is verified.
    pub fn cut_over(&self) -> Result<(), Error> {
        self.step("cut over", Phase::CuttingOver, |phase| phase == Phase::Verified)
    }

    /// Ends it: the old table is dropped. Called again it sees to it that it is.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] unless it is cut over.
    pub fn finish(&self) -> Result<(), Error> {
        self.step("finish", Phase::Finishing, |phase| phase == Phase::CutOver)?;
        catalog::drop_table(&self.db, &self.between.old)
    }

    /// Takes it back: reads and writes go to the old table, and the new one is dropped. Called again it sees to it that
    /// it is.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if it is finished.
    pub fn roll_back(&self) -> Result<(), Error> {
        self.step("roll back", Phase::RollingBack, Phase::has_both)?;
        catalog::drop_table(&self.db, &self.between.new)
    }

    /// Deletes what the database keeps of the migration, so that one of that name can be begun again.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] unless it is finished or rolled back.
    pub fn forget(self) -> Result<(), Error> {
        let core = self.core();
        // A call that was cut off, or another one, may have deleted the state.
        if core.kept.read()?.is_none() {
            return core.forget();
        }
        let phase = core.pass_barrier()?.phase;
        if !matches!(phase, Phase::Finished | Phase::RolledBack) {
            return Err(core.kept.refused("be forgotten", phase));
        }
        if !self.db.guarantees().transactions {
            core.drain_locks()?;
        }
        core.drop_moved(phase)?;
        core.forget()
    }

    /// Goes through a barrier, from a phase where that is allowed.
    fn step(&self, step: &'static str, barrier: Phase, allowed: fn(Phase) -> bool) -> Result<(), Error> {
        let core = self.core();
        loop {
            let state = core.pass_barrier()?;
            if barrier.behind_the_barrier() == Some(state.phase) {
                return Ok(());
            }
            if !allowed(state.phase) {
                return Err(core.kept.refused(step, state.phase));
            }
            core.kept.replace(Some(&state), &State { phase: barrier, ..state.clone() })?;
        }
    }

    fn encode(&self, value: &V2) -> Result<Vec<u8>, Error> {
        encoded(&self.between.new, value)
    }

    fn decode(&self, key: &[u8], value: &[u8]) -> Result<V2, Error> {
        decoded(&self.between.new, key, value)
    }
}
