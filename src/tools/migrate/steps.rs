//! The steps of a migration from phase to phase.

use super::phase::State;
use super::{Migration, OneCall};
use crate::keys::key::OwnedKey;
use crate::store::Database;
use crate::store::catalog;
use crate::store::error::Error;
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
        self.step(&self.one_call(), "cut over", Phase::CuttingOver, |phase| phase == Phase::Verified)
    }

    /// Finishes the migration and drops the old table. Opening a table of its name then returns [`Error::Moved`].
    /// Idempotent: safe to call again after a crash.
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if the migration is not cut over.
    pub fn finish(&self) -> Result<(), Error> {
        let call = self.one_call();
        self.step(&call, "finish", Phase::Finishing, |phase| phase == Phase::CutOver)?;
        catalog::drop_table(&*call.db, &self.between.old)
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
        let call = self.one_call();
        self.step(&call, "roll back", Phase::RollingBack, Phase::has_both)?;
        catalog::drop_table(&*call.db, &self.between.new)
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
        let call = self.one_call();
        let core = self.core(&call);
        // An earlier call that was killed, or another process, has deleted the state.
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

    /// Passes a barrier, from a phase that allows it.
    fn step(
        &self,
        call: &OneCall<'_>,
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
            core.kept.replace(Some(&state), &State { phase: barrier, ..state.clone() })?;
        }
    }
}
