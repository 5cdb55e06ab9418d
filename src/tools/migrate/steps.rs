//! The steps of a migration from phase to phase.

use super::phase::State;
use super::tables::Core;
use super::{Migration, OneCall};
use crate::keys::key::OwnedKey;
use crate::store::Database;
use crate::store::catalog;
use crate::store::error::{CommitPoint, Error};
use crate::store::phase::Phase;
use crate::store::value::RowValue;

impl<K1, V1, K2, V2, D> Migration<K1, V1, K2, V2, D>
where
    K1: OwnedKey + 'static,
    V1: RowValue + 'static,
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    D: Database + Clone,
{
    /// Returns the phase.
    pub fn phase(&self) -> Result<Phase, Error> {
        Ok(self.core(&self.one_call()).kept.state()?.phase)
    }

    /// Makes reads use the new table. Writes still go to both. Idempotent: it has no effect if the migration is cut
    /// over already.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if the migration is not verified.
    #[doc(alias = "switch")]
    pub fn cut_over(&self) -> Result<(), Error> {
        let commit = CommitPoint::default();
        let done =
            self.step(&self.one_call(), &commit, "cut over", Phase::CuttingOver, |phase| phase == Phase::Verified);
        self.outcome(&commit, done)
    }

    /// Finishes the migration and drops the old table. Opening a table of its name then returns [`Error::Moved`].
    /// Idempotent: safe to call again after a crash.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if the migration is not cut over.
    pub fn finish(&self) -> Result<(), Error> {
        let (call, commit) = (self.one_call(), CommitPoint::default());
        let done = self.step(&call, &commit, "finish", Phase::Finishing, |phase| phase == Phase::CutOver);
        self.outcome(&commit, done.and_then(|()| catalog::drop_table(&*call.db, &self.between.old)))
    }

    /// Rolls the migration back: reads and writes go to the old table, and the new table is dropped. Opening a table of
    /// its name then returns [`Error::Moved`]. Idempotent: safe to call again after a crash.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if the migration is finished.
    #[doc(alias = "rollback")]
    #[doc(alias = "abort")]
    pub fn roll_back(&self) -> Result<(), Error> {
        let (call, commit) = (self.one_call(), CommitPoint::default());
        let done = self.step(&call, &commit, "roll back", Phase::RollingBack, Phase::has_both);
        self.outcome(&commit, done.and_then(|()| catalog::drop_table(&*call.db, &self.between.new)))
    }

    /// Deletes the stored state of the migration. Then a migration of that name can begin again, and a table of the
    /// dropped table's name can be created again. Idempotent: safe to call again after a crash.
    ///
    /// Call it when no process has the migration open any more. One that stalled in [`finish`](Self::finish) or
    /// [`roll_back`](Self::roll_back) would drop a table that was created since under the dropped name.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if the migration is neither finished nor rolled back.
    pub fn forget(self) -> Result<(), Error> {
        let (call, commit) = (self.one_call(), CommitPoint::default());
        let forgotten = self.forget_by(&self.core(&call), &commit);
        self.outcome(&commit, forgotten)
    }

    fn forget_by(&self, core: &Core<'_>, commit: &CommitPoint) -> Result<(), Error> {
        // An earlier call that was killed, or another process, has deleted the state.
        if core.kept.read()?.is_none() {
            return core.forget(commit);
        }
        let phase = core.pass_barrier()?.phase;
        if !matches!(phase, Phase::Finished | Phase::RolledBack) {
            return Err(core.kept.refused("be forgotten", phase));
        }
        if !self.db.guarantees().transactions {
            core.drain_locks()?;
        }
        core.drop_moved(phase)?;
        core.forget(commit)
    }

    /// The result of a step between the two tables.
    fn outcome<T>(&self, commit: &CommitPoint, result: Result<T, Error>) -> Result<T, Error> {
        let both = format!("{}, {}", self.between.old, self.between.new);
        match result {
            // Another process has gone on since, and perhaps back.
            Err(refused @ Error::MigrationPhase { .. }) => Err(refused),
            result => commit.outcome(&both, result).map_err(|error| error.naming(&both)),
        }
    }

    /// Passes a barrier, from a phase that allows it. When the barrier is set, the step is taken, whoever completes it:
    /// then `commit` is passed.
    fn step(
        &self,
        call: &OneCall<'_>,
        commit: &CommitPoint,
        step: &'static str,
        barrier: Phase,
        allowed: fn(Phase) -> bool,
    ) -> Result<(), Error> {
        let core = self.core(call);
        loop {
            let state = core.pass_barrier()?;
            if barrier.after_waiting() == Some(state.phase) {
                return Ok(());
            }
            if !allowed(state.phase) {
                return Err(core.kept.refused(step, state.phase));
            }
            let next = State { phase: barrier, ..state.clone() };
            if commit.decided(core.kept.replace(Some(&state), &next))? {
                commit.pass();
            }
        }
    }
}
