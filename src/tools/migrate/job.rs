//! Backfill, verification and repair: the tables gone over batch by batch, the place kept in the database.

use std::ops::ControlFlow;

use super::phase::{State, TABLE, Task};
use super::write::{Compared, Core};
use super::{Difference, DifferenceKind, Migration};
use crate::keys::cursor::{Checkpoint, Cursor};
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::OwnedKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::phase::Phase;
use crate::store::value::RowValue;
use crate::store::{Batch, DEFAULT_BATCH_BYTES, Database, Readable, RowBatch, Rows, Scan};
use crate::table::stored_key;

/// A [`backfill`](Migration::backfill), [`verify`](Migration::verify) or [`repair`](Migration::repair), before it is run.
///
/// Where it is, the database keeps: stopped or killed, it goes on there, in any process.
#[must_use = "a job does nothing before it is run"]
#[derive(Debug)]
pub struct Job<'m, K1, V1, K2, V2, D> {
    migration: &'m Migration<K1, V1, K2, V2, D>,
    task: Task,
    batch_rows: usize,
    batch_bytes: usize,
}

/// How far a job is: what its last batch of rows had.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<K1, K2> {
    /// How many rows this run has gone over so far.
    pub rows: u64,
    /// What differed in the last batch; nothing in a backfill, where all rows differ at first.
    pub differences: Vec<Difference<K1, K2>>,
    /// Where it will go on.
    pub checkpoint: Checkpoint,
}

/// What a job has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many rows this run has gone over.
    pub rows: u64,
    /// How many rows of the new table it wrote, or deleted.
    pub written: u64,
    /// How many differences a verification or a repair has found, in the runs before that this one went on from too.
    pub differences: u64,
    /// Whether it is done; if not, it was stopped.
    pub complete: bool,
}

/// What differs between the rows of an old and a new key, and how many bytes are to be written for it.
type OfRow<'r> = dyn FnMut((&[u8], &[u8])) -> Result<(Option<DifferenceKind>, usize), Error> + 'r;

/// What a batch had.
#[derive(Default)]
struct Seen {
    rows: u64,
    written: u64,
    last: Option<Vec<u8>>,
    /// Kind, old key, new key.
    findings: Vec<(DifferenceKind, Vec<u8>, Vec<u8>)>,
}

impl<'m, K1, V1, K2, V2, D> Job<'m, K1, V1, K2, V2, D>
where
    K1: OwnedKey + 'static,
    V1: RowValue + 'static,
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    D: Database + Clone,
{
    pub(super) fn new(migration: &'m Migration<K1, V1, K2, V2, D>, task: Task) -> Self {
        Self { migration, task, batch_rows: 256, batch_bytes: DEFAULT_BATCH_BYTES }
    }

    /// At most so many rows a batch, 256 unless told. With transactions each batch is one, and writers wait for it.
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// A batch ends with the row by which it has read and written so many bytes. Default: 4 MiB.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Runs the job, to its end or until `progress`, which is told of every batch, stops it by [`ControlFlow::Break`].
    ///
    /// # Errors
    ///
    /// [`Error::MigrationPhase`] if one of the tables is not there any more.
    pub fn run(self, mut progress: impl FnMut(&Progress<K1, K2>) -> ControlFlow<()>) -> Result<Report, Error> {
        let mut report = Report::default();
        loop {
            // Each batch is a call.
            let call = self.migration.one_call();
            let core = self.migration.core(&call);
            let kept = core.kept.state()?;
            if kept.phase.behind_the_barrier().is_some() {
                core.pass_barrier()?;
                continue;
            }
            let state = match (kept.phase, self.task) {
                (Phase::Copied | Phase::Verified | Phase::CutOver, Task::Backfill) => {
                    return Ok(Report { complete: true, ..report });
                }
                (Phase::Copying, Task::Backfill)
                | (Phase::Copied | Phase::Verified | Phase::CutOver, Task::Verify | Task::Repair) => {
                    self.of_task(kept.clone())
                }
                (phase, Task::Backfill) => return Err(core.kept.refused("copy its rows", phase)),
                (phase, Task::Verify | Task::Repair) => return Err(core.kept.refused("compare its tables", phase)),
            };
            let Some((seen, after, complete)) = self.step(&core, &kept, &state)? else { continue };
            report.rows += seen.rows;
            report.written += seen.written;
            report.differences =
                if complete { state.differences + seen.findings.len() as u64 } else { after.differences };
            report.complete = complete;
            let decoded = seen.findings.iter().map(|(kind, old, new)| {
                let (old, new) = (stored_key::<K1>(core.old_name, old)?, stored_key::<K2>(core.new_name, new)?);
                Ok(Difference { kind: *kind, old, new })
            });
            let differences = decoded.collect::<Result<_, Error>>()?;
            let told = progress(&Progress { rows: report.rows, differences, checkpoint: after.checkpoint });
            if complete || told.is_break() {
                return Ok(report);
            }
        }
    }

    /// The state to go on from: that of this task, or its start where another one was at work.
    fn of_task(&self, state: State) -> State {
        if state.task == self.task {
            return state;
        }
        State { task: self.task, checkpoint: Checkpoint::default(), differences: 0, ..state }
    }

    /// One batch; nothing if somebody else was faster, or it has to be looked at anew.
    fn step(&self, core: &Core<'_>, kept: &State, state: &State) -> Result<Option<(Seen, State, bool)>, Error> {
        let fingerprint =
            if state.checkpoint.pass() == 1 { K1::LAYOUT.fingerprint() } else { K2::LAYOUT.fingerprint() };
        let finish = |seen: Seen| {
            let (after, complete) = behind(state, &seen, fingerprint);
            (seen, after, complete)
        };
        if !core.db().guarantees().transactions {
            let stepped = finish(self.locked_batch(core, state, fingerprint)?);
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
            let seen = self.batch(core, state, fingerprint, old, new, &mut |keys| {
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

    fn locked_batch(&self, core: &Core<'_>, state: &State, fingerprint: Fingerprint) -> Result<Seen, Error> {
        let (old, new) = (core.old_store()?, core.new_store()?);
        self.batch(core, state, fingerprint, old, new, &mut |keys| match self.task {
            Task::Backfill | Task::Repair => Ok((core.compare_locked(keys, true)?, 0)),
            Task::Verify => match core.compare_in(old, new, keys)?.kind {
                None => Ok((None, 0)),
                // A write may be between its two tables: under the lock it is not.
                Some(_) => Ok((core.compare_locked(keys, false)?, 0)),
            },
        })
    }

    /// Whether the table that a pass goes over had keys of this layout before they got more variants.
    fn knows(&self, of_old: bool, found: Fingerprint) -> bool {
        let Migration { old, new, .. } = self.migration;
        match of_old {
            true => old.as_ref().is_some_and(|table| table.knows(found)),
            false => new.as_ref().is_some_and(|table| table.knows(found)),
        }
    }

    /// Goes over a batch of one table; `row` answers what differed, and mends it if that is the task.
    fn batch(
        &self,
        core: &Core<'_>,
        state: &State,
        fingerprint: Fingerprint,
        old: &dyn Readable,
        new: &dyn Readable,
        row: &mut OfRow<'_>,
    ) -> Result<Seen, Error> {
        let of_old = state.checkpoint.pass() == 1;
        let after = state.checkpoint.key_of(fingerprint, |found| self.knows(of_old, found))?;
        let scan = Scan::new(vec![after.map_or_else(KeyRange::all, KeyRange::after)]).limit(self.batch_rows as u64);
        let scan = scan.batch_rows(self.batch_rows).batch_bytes(self.batch_bytes);
        let mut scan = if of_old { old.scan(&scan) } else { new.scan(&scan) };
        let (mut seen, mut batch, mut bytes) = (Seen::default(), RowBatch::new(), 0);
        loop {
            scan.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(seen);
            }
            for (key, value) in batch.iter() {
                if bytes >= self.batch_bytes {
                    return Ok(seen);
                }
                let other = if of_old { core.convert.key(key)? } else { core.convert.key_back(key)? };
                let keys = if of_old { (key, other.as_slice()) } else { (other.as_slice(), key) };
                seen.rows += 1;
                seen.last = Some(key.to_vec());
                let (kind, written) = row(keys)?;
                bytes += key.len() + value.len() + written;
                let Some(kind) = kind else { continue };
                seen.written += u64::from(self.task != Task::Verify);
                // What both tables have was compared when the old one was gone over.
                if self.task != Task::Backfill && (of_old || kind == DifferenceKind::Extra) {
                    seen.findings.push((kind, keys.0.to_vec(), keys.1.to_vec()));
                }
            }
        }
    }
}

/// The state behind a batch, and whether the task is complete with it.
fn behind(state: &State, seen: &Seen, fingerprint: Fingerprint) -> (State, bool) {
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
