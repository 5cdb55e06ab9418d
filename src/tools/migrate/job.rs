//! Backfill, verification and repair: both tables are read in batches, and the checkpoint is kept in the database.

use std::fmt;

use super::Migration;
use super::phase::{State, TABLE, Task};
use super::tables::{Compared, Core};
use crate::keys::cursor::Cursor;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::OwnedKey;
use crate::store::error::Error;
use crate::store::phase::Phase;
use crate::store::value::RowValue;
use crate::store::{Batch, Database, Readable, RowBatch, Rows};
use crate::table::stored_key;
use crate::tools::job::{self, Bounds, Checkpoint, Difference, DifferenceKind, Work};
use crate::tools::piece::Piece;

/// A backfill, verification or repair.
pub(super) struct Pass<'m, K1, V1, K2, V2, D> {
    pub(super) migration: &'m Migration<K1, V1, K2, V2, D>,
    pub(super) task: Task,
}

impl<K1, V1, K2, V2, D> fmt::Debug for Pass<'_, K1, V1, K2, V2, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("migration", self.migration).field("task", &self.task).finish()
    }
}

/// The difference between the rows of an old and a new key, and the number of bytes to write for it.
type OfRow<'r> = dyn FnMut((&[u8], &[u8])) -> Result<(Option<DifferenceKind>, usize), Error> + 'r;

/// The work and the findings of a batch.
#[derive(Default)]
struct Seen {
    rows: u64,
    written: u64,
    last: Option<Vec<u8>>,
    /// Kind, old key, new key.
    findings: Vec<(DifferenceKind, Vec<u8>, Vec<u8>)>,
    bytes: usize,
    /// True if the batch goes on with another piece.
    is_cut: bool,
}

impl Seen {
    /// The rest of a batch, in rows and bytes.
    fn left(&self, bounds: &Bounds) -> (usize, usize) {
        let rows = usize::try_from(self.rows).map_or(0, |rows| bounds.rows().saturating_sub(rows));
        (rows, bounds.bytes.saturating_sub(self.bytes))
    }

    fn add(&mut self, piece: Self) {
        self.rows += piece.rows;
        self.written += piece.written;
        self.bytes += piece.bytes;
        self.findings.extend(piece.findings);
        self.is_cut = piece.is_cut;
    }
}

impl<K1, V1, K2, V2, D> Work<K1, K2> for Pass<'_, K1, V1, K2, V2, D>
where
    K1: OwnedKey + 'static,
    V1: RowValue + 'static,
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    D: Database + Clone,
{
    fn job(&self) -> Option<String> {
        None
    }

    fn batch(&mut self, at: &Checkpoint, bounds: &Bounds) -> Result<job::Batch<K1, K2>, Error> {
        loop {
            // Each batch is a call.
            let call = self.migration.one_call();
            let mut core = self.migration.core(&call);
            core.timeout = bounds.timeout.unwrap_or(core.timeout);
            let kept = core.kept.state()?;
            if kept.phase.after_waiting().is_some() {
                core.pass_barrier()?;
                continue;
            }
            let state = match (kept.phase, self.task) {
                (Phase::Copied | Phase::Verified | Phase::CutOver, Task::Backfill) => return Ok(job::Batch::default()),
                (Phase::Copying, Task::Backfill)
                | (Phase::Copied | Phase::Verified | Phase::CutOver, Task::Verify | Task::Repair) => {
                    self.of_task(kept.clone())
                }
                (phase, Task::Backfill) => return Err(core.kept.refused("copy its rows", phase)),
                (phase, Task::Verify | Task::Repair) => return Err(core.kept.refused("compare its tables", phase)),
            };
            // A checkpoint that was handed in is not trusted: the one in the database is never older.
            self.after(at)?;
            let left = |seen: &Seen| seen.left(bounds);
            let Some(stepped) = self.step(&core, &kept, &state, left(&Seen::default()))? else { continue };
            let (mut seen, mut after, mut complete) = stepped;
            while seen.is_cut {
                let Some((piece, state, over)) = self.step(&core, &after, &after, left(&seen))? else { break };
                seen.add(piece);
                (after, complete) = (state, over);
            }
            let typed = seen.findings.iter().map(|(kind, old, new)| {
                let source = stored_key::<K1>(core.old_name, old)?;
                Ok(Difference { kind: *kind, source, target: stored_key::<K2>(core.new_name, new)? })
            });
            return Ok(job::Batch {
                rows: seen.rows,
                written: seen.written,
                differences: typed.collect::<Result<_, Error>>()?,
                before: state.differences,
                next: (!complete).then_some(after.checkpoint),
                ..job::Batch::default()
            });
        }
    }
}

impl<K1, V1, K2, V2, D> Pass<'_, K1, V1, K2, V2, D>
where
    K1: OwnedKey + 'static,
    V1: RowValue + 'static,
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    D: Database + Clone,
{
    /// The state to resume from: that of this task, or its start if another task ran meanwhile.
    fn of_task(&self, state: State) -> State {
        if state.task == self.task {
            return state;
        }
        State { task: self.task, checkpoint: Checkpoint::default(), differences: 0, ..state }
    }

    /// Does one batch, or a piece of it. `None` if another process was faster, or it has to be repeated.
    fn step(
        &self,
        core: &Core<'_>,
        kept: &State,
        state: &State,
        left: (usize, usize),
    ) -> Result<Option<(Seen, State, bool)>, Error> {
        let fingerprint = layout_of::<K1, K2>(&state.checkpoint);
        let finish = |seen: Seen| {
            let (after, complete) = state_after(state, &seen, fingerprint);
            (seen, after, complete)
        };
        if !core.db().guarantees().transactions {
            let stepped = finish(self.locked_batch(core, state, left)?);
            let replaced = core.kept.replace(Some(kept), &stepped.1)?;
            return Ok(replaced.then_some(stepped));
        }
        let mut stepped = None;
        core.db().transact(&[TABLE, core.old_name, core.new_name], &mut |views| {
            let &[kept_view, old, new] = views else { return Err(core.kept.error("a transaction has other tables")) };
            stepped = None;
            if core.kept.seen(kept_view)? != *kept {
                return Ok(Vec::new());
            }
            let (mut keep, mut write) = (Batch::new(), Batch::new());
            let seen = self.rows(core, state, Piece::transaction(left.0, left.1), (old, new), &mut |keys| {
                let Compared { due, kind } = core.compare_in(old, new, keys)?;
                let before = write.bytes();
                if kind.is_some() && self.task != Task::Verify {
                    match due {
                        Some(value) => write.put(keys.1, value),
                        None => write.delete(keys.1),
                    };
                }
                Ok((kind, write.bytes() - before))
            })?;
            let (seen, after, complete) = finish(seen);
            keep.put(core.kept.key(), after.to_bytes());
            stepped = Some((seen, after, complete));
            Ok(vec![keep, Batch::new(), write])
        })?;
        if stepped.is_none() {
            core.drop_moved(core.kept.state()?.phase)?;
        }
        Ok(stepped)
    }

    fn locked_batch(&self, core: &Core<'_>, state: &State, (rows, bytes): (usize, usize)) -> Result<Seen, Error> {
        let (old, new) = (core.old_store()?, core.new_store()?);
        self.rows(core, state, Piece::whole(rows, bytes), (old, new), &mut |keys| match self.task {
            Task::Backfill | Task::Repair => Ok((core.compare_locked(keys, true)?, 0)),
            Task::Verify => match core.compare_in(old, new, keys)?.kind {
                None => Ok((None, 0)),
                // A write may be between its two tables. Under the lock it is not.
                Some(_) => Ok((core.compare_locked(keys, false)?, 0)),
            },
        })
    }

    /// Returns whether the table of a pass had keys of this layout before their enums got more variants.
    fn knows(&self, of_old: bool, found: Fingerprint) -> bool {
        let Migration { old, new, .. } = self.migration;
        match of_old {
            true => old.as_ref().is_some_and(|table| table.knows(found)),
            false => new.as_ref().is_some_and(|table| table.knows(found)),
        }
    }

    /// The key after which a pass resumes.
    fn after<'c>(&self, checkpoint: &'c Checkpoint) -> Result<Option<&'c [u8]>, Error> {
        let known = |found| self.knows(checkpoint.pass() == 1, found);
        Ok(checkpoint.key_of(layout_of::<K1, K2>(checkpoint), known)?)
    }

    /// Reads a batch of one table; `row` returns what differs, and repairs it if that is the task.
    fn rows(
        &self,
        core: &Core<'_>,
        state: &State,
        mut piece: Piece,
        (old, new): (&dyn Readable, &dyn Readable),
        row: &mut OfRow<'_>,
    ) -> Result<Seen, Error> {
        let of_old = state.checkpoint.pass() == 1;
        let scan = piece.scan(self.after(&state.checkpoint)?);
        let mut scan = if of_old { old.scan(&scan) } else { new.scan(&scan) };
        let (mut seen, mut batch) = (Seen::default(), RowBatch::new());
        loop {
            scan.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(Seen { bytes: piece.used(), ..seen });
            }
            for (key, value) in batch.iter() {
                if piece.ends() {
                    return Ok(Seen { bytes: piece.used(), is_cut: piece.is_cut(), ..seen });
                }
                piece.row();
                let other = if of_old { core.convert.key(key)? } else { core.convert.key_back(key)? };
                let keys = if of_old { (key, other.as_slice()) } else { (other.as_slice(), key) };
                seen.rows += 1;
                seen.last = Some(key.to_vec());
                let (kind, written) = row(keys)?;
                piece.bytes(key.len() + value.len() + written);
                let Some(kind) = kind else { continue };
                seen.written += u64::from(self.task != Task::Verify);
                // Rows that both tables have were compared in the pass over the old one.
                if self.task != Task::Backfill && (of_old || kind == DifferenceKind::Extra) {
                    seen.findings.push((kind, keys.0.to_vec(), keys.1.to_vec()));
                }
            }
        }
    }
}

/// The layout of the keys that a pass reads.
fn layout_of<K1: OwnedKey, K2: OwnedKey>(checkpoint: &Checkpoint) -> Fingerprint {
    if checkpoint.pass() == 1 { K1::LAYOUT.fingerprint() } else { K2::LAYOUT.fingerprint() }
}

/// The state after a batch, and whether the job is done.
fn state_after(state: &State, seen: &Seen, fingerprint: Fingerprint) -> (State, bool) {
    let pass = state.checkpoint.pass();
    let differences = state.differences + seen.findings.len() as u64;
    let at = |pass, cursor| State { checkpoint: Checkpoint::new(pass, cursor), differences, ..state.clone() };
    if let Some(last) = &seen.last {
        return (at(pass, Some(Cursor::new(fingerprint, last))), false);
    }
    if state.task != Task::Backfill && pass == 1 {
        return (at(2, None), false);
    }
    let phase = match (state.phase, state.task, differences) {
        (Phase::Copying, Task::Backfill, _) => Phase::Copied,
        (Phase::Copied, Task::Verify, 0) => Phase::Verified,
        (Phase::Verified, Task::Verify, 1..) => Phase::Copied,
        (phase, ..) => phase,
    };
    (State { phase, differences: 0, ..at(1, None) }, true)
}
