//! Online migrations from one key design to another: a new key is a new table, and every row is copied while programs
//! run.
//!
//! Programs read and write through a [`Migration`] meanwhile. It has the new types from the beginning, so a program is
//! changed once.
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
//! // In every process. The first one begins the migration, the others open it.
//! let keys = Conversion::keys(
//!     |old::Crash { at }| Crash { at },
//!     |Crash { at }| old::Crash { at },
//! );
//! let crashes = Migration::<_, String, _, _, _>::open(&db, "more buckets", "crashes", "crashes.16", keys)?;
//! crashes.put(&Crash { at: 7 }, &"ouch".into())?;
//! assert_eq!(crashes.get(&Crash { at: 8 })?.as_deref(), Some("oops"));
//!
//! // In one process, or in several. A job that was stopped resumes at its checkpoint in the database.
//! crashes.backfill().batch_rows(100).run_watched(|progress| {
//!     println!("{} rows", progress.report.rows);
//!     ControlFlow::Continue(())
//! })?;
//! let report = crashes.verify().run()?;
//! assert_eq!((report.differences(), crashes.phase()?), (0, Phase::Verified));
//! crashes.cut_over()?;
//! assert_eq!(crashes.get(&Crash { at: 7 })?.as_deref(), Some("ouch"));
//!
//! // After a while. Until then `roll_back` is possible.
//! crashes.finish()?;
//! assert!(crashes.roll_back().is_err());
//! assert_eq!(Table::<Crash, String, _>::open(&db, "crashes.16")?.count(..)?, 1000);
//! # Ok::<(), rowkey::Error>(())
//! ```
//!
//! A migration does not keep [secondary tables](crate::secondary) in step. Make those of the new table by
//! [`rebuild`](crate::secondary::Secondary::rebuild) once only the new table is written.
//!
//! | phase | reads | writes | next step |
//! |---|---|---|---|
//! | copying | old | both | [`backfill`](Migration::backfill) |
//! | copied | old | both | [`verify`](Migration::verify), [`repair`](Migration::repair) |
//! | verified | old | both | [`cut_over`](Migration::cut_over) |
//! | cut over | new | both | [`finish`](Migration::finish) |
//! | finished | new | new | |
//! | rolled back | old | old | |
//!
//! [`roll_back`](Migration::roll_back) is possible until the migration is finished. Before rows are copied, all
//! programs that write the table have to write through the migration. Writes to a table directly are not followed, but
//! a verification names them.
//!
//! The dropped table is the old one after [`finish`](Migration::finish), the new one after
//! [`roll_back`](Migration::roll_back). From then on, opening a table of that name returns [`Error::Moved`], until the
//! migration is forgotten ([`forget`](Migration::forget)). Handles that are open already keep writing to a table that
//! no name leads to, and those writes are lost. So no program may still use the old table by itself when the migration
//! is finished.
//!
//! A migration is between plain tables. Wide tables, also those of another program, which knows of no migration, are
//! moved by a [`WideCopy`]: it copies while programs write, and what they have written meanwhile is carried over when
//! they are stopped.
//!
//! A table that does not exist when the migration begins is created: check the name of the old table.
//!
//! # How both tables stay the same
//!
//! The phase and the checkpoint of the job are a row of the table `rowkey.migrations`. With
//! [transactions](crate::store::Guarantees::transactions), a write is one transaction over that row and both tables,
//! and so is each batch that is copied. Nothing can come in between.
//!
//! Without transactions each row has a lock, a row of `rowkey.migrations`, and a write is decided there:
//!
//! 1. The writer takes the lock by compare-and-write, with a token that no other write has.
//! 2. It reads the phase, then the row in both tables, and computes the new row.
//! 3. It commits: a compare-and-write of the lock adds to its token the rows that both tables are to have. From here on
//!    the write takes place. If the lock was lost, nothing is written, and the writer starts again.
//! 4. It writes the tables, each by compare-and-write, the old one first, and deletes the lock.
//!
//! A copy or a repair of a row is such a write, of the new table alone.
//!
//! - **A writer is killed, or stalls for longer than the [timeout](Migration::lock_timeout).** Another writer takes
//!   over its lock by compare-and-write. If the write was committed, the new holder first completes it, in both tables.
//!   If not, the stalled writer can no longer commit. So each write takes place exactly once or not at all, and in both
//!   tables alike. A write whose writer was killed after the commit may become visible only then.
//! - **A stalled writer goes on, and writes a table late.** Its compare-and-write fails, unless the row has come back
//!   to the bytes that it had read (A → B → A). So whoever takes over the lock of a committed write adds the writer's
//!   token to a list of late writers in the lock. While the list is not empty, the lock's row stays, with the rows that
//!   both tables are to have after the last write. Writers trust it instead of the tables, and restore the tables from
//!   it. A late writer finds its lock lost, restores the row itself, and removes its token from the list. Then its
//!   write returns as any other.
//! - **The phase changes.** Cutting over, finishing and rolling back first set a mark, then take every lock once, which
//!   completes what was committed, and only then go on. Writers that find the mark help. A writer reads the phase under
//!   its lock. Either it sees the mark; or the step waits for its lock, or takes the lock over, and the writer can't
//!   commit any more.
//! - **A table is dropped.** On engines whose handles create tables, a late writer, or a transaction that began before,
//!   can create it again. It then finds the phase changed, and drops the table again.
//!
//! A write that times out or is cancelled between its steps ([`CallOptions`](crate::store::CallOptions)) leaves what a
//! crash there leaves. Its error says which side of the commit that was: [`Error::OutcomeUnknown`] after it, and before
//! it any other, with which nothing is written.
//!
//! One gap remains without transactions: between a late write (A → B → A) and its repair, a reader sees the late row.
//! If the late writer is killed in between, this lasts until the next write of the row, or the next
//! [`cut_over`](Migration::cut_over), [`finish`](Migration::finish), [`roll_back`](Migration::roll_back) or
//! [`forget`](Migration::forget). The list of late writers is deleted with the migration: a process that stalls while
//! another one forgets the migration is not covered.

mod conversion;
mod job;
mod lock;
mod phase;
mod steps;
mod tables;
mod wide;
mod write;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use self::conversion::Conversion;
use self::conversion::{Between, Convert};
use self::job::Pass;
use self::phase::{Kept, State, Task};
use self::tables::Core;
pub use self::wide::WideCopy;
use crate::keys::key::OwnedKey;
use crate::store::catalog;
use crate::store::catalog::moved;
use crate::store::error::{CommitPoint, Error};
use crate::store::options::Within;
pub use crate::store::phase::Phase;
use crate::store::value::{RowValue, decoded, encoded};
use crate::store::{CallOptions, Database, Scan, Store, count};
use crate::table::Table;
use crate::tools::job::Job;

/// A migration from a table of rows (`K1`, `V1`) to a table of rows (`K2`, `V2`). The program reads and writes through
/// it until it is over. See [the module](crate::migrate).
pub struct Migration<K1, V1, K2, V2, D> {
    db: D,
    between: Arc<Between<K1, V1, K2, V2>>,
    old: Option<Table<K1, V1, D>>,
    new: Option<Table<K2, V2, D>>,
    timeout: Duration,
    options: CallOptions,
}

/// The handles that one call of a [`Migration`] uses: they share one deadline.
struct OneCall<'m> {
    db: Within<'m, dyn Database + 'm>,
    old: Option<Arc<dyn Store>>,
    new: Option<Arc<dyn Store>>,
}

type Tables<K1, V1, K2, V2, D> = (Option<Table<K1, V1, D>>, Option<Table<K2, V2, D>>);

impl<K1, V1, K2, V2, D> fmt::Debug for Migration<K1, V1, K2, V2, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Between { name, old, new, .. } = &*self.between;
        f.debug_struct("Migration").field("name", name).field("old", old).field("new", new).finish_non_exhaustive()
    }
}

/// The table to read, returned by [`Migration::reading`].
#[derive(Debug)]
pub enum Reading<'m, K1, V1, K2, V2, D> {
    /// The old one, until the migration is cut over, and after it is rolled back.
    Old(&'m Table<K1, V1, D>),
    /// The new one, after the migration is cut over.
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
    /// Opens a migration by name, or begins it if it does not exist. If several processes do so at once, one begins it.
    /// A table that the migration has dropped is not created again.
    ///
    /// # Errors
    ///
    /// [`Error::Migration`] if the migration is between other tables, or if it begins and the new table has rows;
    /// [`Error::Layout`] if a table has keys of another shape; [`Error::Moved`] if another migration has moved a
    /// table's rows; [`Error::Unsupported`] if the database has neither transactions nor compare-and-write.
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
            return Err(Error::Unsupported("transactions or compare-and-write"));
        }
        let both = format!("{old}, {new}");
        catalog::of_catalog("opening of a migration", &both, |commit| {
            Self::open_by(db, name, [old, new], conversion, commit)
        })
    }

    /// Opens or begins the migration. `commit` is passed once something of it is stored.
    fn open_by(
        db: D,
        name: &str,
        [old, new]: [&str; 2],
        conversion: Conversion<K1, V1, K2, V2>,
        commit: &CommitPoint,
    ) -> Result<Self, Error> {
        let within = &Within::one_call(&db as &dyn Database);
        let kept = Kept { db: &**within, name };
        loop {
            let opened = match kept.read()? {
                None => Self::begin(kept, old, new, commit).map(|()| None),
                Some(state) if (state.old.as_str(), state.new.as_str()) != (old, new) => {
                    let (old, new) = (&state.old, &state.new);
                    return Err(kept.error(format!("it migrates table {old:?} to table {new:?}")));
                }
                Some(state) => Self::tables(&db, &state, within).map(Some),
            };
            match opened {
                Ok(Some((old_table, new_table))) => {
                    // A migration that an older version began has no such rows.
                    moved::note(kept.db, name, [old, new])?;
                    let (database, name, old, new) = (db.id(), name.to_owned(), old.to_owned(), new.to_owned());
                    let between = Arc::new(Between { conversion, database, name, old, new });
                    let (timeout, options) = (Duration::from_secs(60), db.options().clone());
                    return Ok(Self { db, between, old: old_table, new: new_table, timeout, options });
                }
                Ok(None) => {}
                // It was finished or rolled back after the state was read.
                Err(Error::Moved { migration, .. }) if migration == name => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Begins the migration, unless another process has begun it.
    fn begin(kept: Kept<'_>, old: &str, new: &str, commit: &CommitPoint) -> Result<(), Error> {
        let db = kept.db;
        if old == new {
            return Err(kept.error("its two tables are the same"));
        }
        commit.decided(Table::<K1, V1, _>::open(db, old))?;
        let rows = count(Table::<K2, V2, _>::open(db, new)?.store().scan(&Scan::all().limit(1)))?;
        if rows > 0 {
            // The rows do no harm if another process has begun it since, and copied them.
            let begun = kept.read()?.is_some();
            return if begun { Ok(()) } else { Err(kept.error(format!("the new table {new:?} already has rows"))) };
        }
        // Tables that did not exist are created.
        commit.pass();
        moved::note(db, kept.name, [old, new])?;
        kept.replace(None, &State::begun(old, new)).map(drop)
    }

    /// The tables of the phase. A dropped table is not created again.
    fn tables(
        db: &D,
        state: &State,
        within: &Within<'_, dyn Database + '_>,
    ) -> Result<Tables<K1, V1, K2, V2, D>, Error> {
        let State { phase, old, new, .. } = state;
        let old = phase.has_old().then(|| Table::open_as_part(db.clone(), old, within)).transpose()?;
        let new = phase.has_new().then(|| Table::open_as_part(db.clone(), new, within)).transpose()?;
        Ok((old, new))
    }

    /// A handle to the same migration with these [`CallOptions`] in place of those of this handle.
    ///
    /// On a database without transactions, a write that is ended between its steps leaves the lock of its row, as that
    /// of a killed process does: other writes of the row wait for [`lock_timeout`](Self::lock_timeout), or as long as
    /// their own options allow.
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self {
            db: self.db.clone(),
            between: Arc::clone(&self.between),
            old: self.old.as_ref().map(|table| table.with_options(options)),
            new: self.new.as_ref().map(|table| table.with_options(options)),
            timeout: self.timeout,
            options: options.clone(),
        }
    }

    /// Sets the timeout of a write without transactions: a row stays locked this long if its writer was killed.
    /// Default: one minute.
    ///
    /// A writer that takes longer loses nothing: another one may complete its write. All processes should use the same
    /// timeout, and their clocks should agree to within it; otherwise writers take over the locks of live writers,
    /// which costs time. Of a writer that was killed while its clock was ahead, a lock is taken over once another
    /// writer has waited this long for it.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The handles for one call, however many calls of the database it makes.
    fn one_call(&self) -> OneCall<'_> {
        let own = Within::options(&self.db as &dyn Database, &self.options);
        let options = match self.options.is_timed() {
            false => return OneCall { db: own, old: self.old_store().cloned(), new: self.new_store().cloned() },
            true => self.options.from_now(),
        };
        let bounded = |store: &Arc<dyn Store>| store.with_options(&options);
        OneCall {
            old: self.old_store().map(bounded),
            new: self.new_store().map(bounded),
            db: Within::Made(own.with_options(&options)),
        }
    }

    fn old_store(&self) -> Option<&Arc<dyn Store>> {
        self.old.as_ref().map(Table::store)
    }

    fn new_store(&self) -> Option<&Arc<dyn Store>> {
        self.new.as_ref().map(Table::store)
    }

    fn core<'c>(&'c self, call: &'c OneCall<'_>) -> Core<'c> {
        let Between { name, old, new, .. } = &*self.between;
        Core {
            kept: Kept { db: &*call.db, name },
            convert: &*self.between as &dyn Convert,
            old: call.old.as_ref(),
            new: call.new.as_ref(),
            old_name: old,
            new_name: new,
            timeout: self.timeout,
        }
    }

    /// Returns the table to read now, for scans. Each table has its own order. Call it again for every scan.
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
        let call = self.one_call();
        let kept = self.core(&call).kept;
        match (kept.state()?.phase.reads_new(), &self.old, &self.new) {
            (true, _, Some(table)) => Ok(Reading::New(table)),
            (false, Some(table), _) => Ok(Reading::Old(table)),
            _ => Err(kept.error("its table did not exist when it was opened")),
        }
    }

    /// Returns the value of a row, or `None` if the row does not exist.
    pub fn get(&self, key: &K2) -> Result<Option<V2>, Error> {
        let key = key.encode();
        self.core(&self.one_call()).get(&key)?.map(|value| self.decode(&key, &value)).transpose()
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if the write was stopped after it was committed: it takes place, at the latest when
    /// the row is written next. With any other error it does not.
    pub fn put(&self, key: &K2, value: &V2) -> Result<(), Error> {
        let value = self.encode(value)?;
        self.core(&self.one_call()).change(&key.encode(), &mut |_| Ok(Some(value.clone())))
    }

    /// Deletes a row.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn delete(&self, key: &K2) -> Result<(), Error> {
        self.core(&self.one_call()).change(&key.encode(), &mut |_| Ok(None))
    }

    /// Changes a row and returns its new value, as [`Table::update`] does.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put). After [`Error::OutcomeUnknown`] an update that is not idempotent must not be repeated.
    pub fn update(&self, key: &K2, mut change: impl FnMut(Option<V2>) -> Option<V2>) -> Result<Option<V2>, Error> {
        let key = key.encode();
        let mut after = None;
        self.core(&self.one_call()).change(&key, &mut |before| {
            let _inside = self.between.database.enter();
            after = change(before.map(|value| self.decode(&key, value)).transpose()?);
            after.as_ref().map(|value| self.encode(value)).transpose()
        })?;
        Ok(after)
    }

    /// Returns a job that copies the old table's rows. If they are copied already, it has nothing to do.
    ///
    /// Several processes may run it, one after the other or at once. Its report counts no differences, as all rows
    /// differ at first.
    #[doc(alias = "copy")]
    pub fn backfill(&self) -> Job<'_, K1, K2> {
        Job::new(Pass { migration: self, task: Task::Backfill })
    }

    /// Returns a job that compares both tables and names every difference. If it finds none, the migration is verified.
    ///
    /// Don't run it while a [`repair`](Self::repair) runs: both keep one checkpoint, and each batch of one starts the
    /// other again from the beginning.
    pub fn verify(&self) -> Job<'_, K1, K2> {
        Job::new(Pass { migration: self, task: Task::Verify })
    }

    /// Returns a job that repairs every difference in the new table. After it, verify again.
    pub fn repair(&self) -> Job<'_, K1, K2> {
        Job::new(Pass { migration: self, task: Task::Repair })
    }

    fn encode(&self, value: &V2) -> Result<Vec<u8>, Error> {
        encoded(&self.between.new, value)
    }

    fn decode(&self, key: &[u8], value: &[u8]) -> Result<V2, Error> {
        decoded(&self.between.new, key, value)
    }
}
