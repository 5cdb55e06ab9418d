//! A run over the rows of tables that can be stopped and resumed.
//!
//! One vocabulary for all of them: a [`Job`] is made by a method of what it works on, and run. It returns a [`Report`]:
//! what was read, written and found, and the [`Checkpoint`] to resume from if it was stopped.
//!
//! | job | made by | [`Difference`]s | where its checkpoint is kept |
//! |---|---|---|---|
//! | verify an index | [`Secondary::verify`](crate::secondary::Secondary::verify) | yes | by the program |
//! | rebuild an index | [`Secondary::rebuild`](crate::secondary::Secondary::rebuild) | yes, repaired | by the program |
//! | backfill a migration | [`Migration::backfill`](crate::migrate::Migration::backfill) | no: all rows are new | in the database |
//! | verify a migration | [`Migration::verify`](crate::migrate::Migration::verify) | yes | in the database |
//! | repair a migration | [`Migration::repair`](crate::migrate::Migration::repair) | yes, repaired | in the database |
//! | copy a wide table | [`WideCopy::backfill`](crate::migrate::WideCopy::backfill), [`backfill_since`](crate::migrate::WideCopy::backfill_since) | no | by the program |
//! | verify a copy | [`WideCopy::verify`](crate::migrate::WideCopy::verify) | yes | by the program |
//! | repair a copy | [`WideCopy::repair`](crate::migrate::WideCopy::repair) | yes, repaired | by the program |
//! | purge dead cells | [`Cells::purge`](crate::wide::Cells::purge), [`WideTable::purge`](crate::WideTable::purge) | no | by the program |
//!
//! Run to the end:
//!
//! ```
//! # use rowkey::secondary::Primary;
//! # let mut users = Primary::<u32, String, _>::open(rowkey::Memory::new(), "users")?;
//! # let by_name = users.secondary("users.by_name", |id: &u32, name: &String| [(name.clone(), *id)])?;
//! assert!(by_name.verify().run()?.is_clean());
//! # Ok::<(), rowkey::Error>(())
//! ```
//!
//! Run with progress, stop, store the checkpoint, and resume after a restart:
//!
//! ```
//! # use std::ops::ControlFlow;
//! # use rowkey::jobs::{Checkpoint, DifferenceKind};
//! # use rowkey::secondary::Primary;
//! # let db = rowkey::Memory::new();
//! # let before = rowkey::Table::<u32, String, _>::open(&db, "users")?;
//! # for (id, name) in [(1, "ada"), (2, "bob"), (3, "eve")] { before.put(&id, &name.into())?; }
//! # let mut users = Primary::<u32, String, _>::open(db, "users")?;
//! # let by_name = users.secondary("users.by_name", |id: &u32, name: &String| [(name.clone(), *id)])?;
//! let report = by_name.rebuild().batch_rows(2).run_watched(|progress| {
//!     println!("{} rows, {} repaired", progress.report.rows, progress.report.written);
//!     for difference in &progress.differences {
//!         assert_eq!(difference.kind, DifferenceKind::Missing);
//!     }
//!     ControlFlow::Break(())
//! })?;
//! let stored: Option<String> = report.next.map(|checkpoint| checkpoint.to_string());
//!
//! let checkpoint: Option<Checkpoint> = stored.map(|text| text.parse()).transpose()?;
//! let report = by_name.rebuild().resume(checkpoint).run()?;
//! assert!(report.is_done());
//! assert_eq!(report.written, 1);
//! # Ok::<(), rowkey::Error>(())
//! ```
//!
//! A tool implements [`Work`]: one batch, from a checkpoint to the next. The loop, the callback and the sums are here.

use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

pub use crate::keys::checkpoint::Checkpoint;
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;
use crate::store::DEFAULT_BATCH_BYTES;
use crate::store::error::Error;
use crate::wide::PurgeCounts;

/// A run over the rows of tables that can be stopped and resumed: a verification, a rebuild, a backfill, a repair or a
/// purge, before it is run. It works in batches, while others read and write.
///
/// A timeout of the handle's [`CallOptions`](crate::store::CallOptions) bounds each batch, not the whole job.
///
/// `K1` and `K2` are the keys of a [`Difference`]. A purge finds none.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use rowkey::jobs::{Checkpoint, DifferenceKind};
/// use rowkey::secondary::Primary;
/// use rowkey::{Memory, Table};
///
/// let db = Memory::new();
/// // Rows from before there was an index.
/// let before: Table<u32, String, _> = Table::open(&db, "users")?;
/// before.put(&1, &"ada".into())?;
/// before.put(&2, &"bob".into())?;
///
/// let mut users = Primary::<u32, String, _>::open(&db, "users")?;
/// let by_name = users.secondary("users.by_name", |id: &u32, name: &String| [(name.clone(), *id)])?;
///
/// let report = by_name.verify().run_watched(|progress| {
///     for difference in &progress.differences {
///         println!("{difference:?}");
///         assert_eq!(difference.kind, DifferenceKind::Missing);
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(report.missing, 2);
///
/// // It is stopped after a batch of one row, and resumed, in another process, from a checkpoint that was stored as text.
/// let report = by_name.rebuild().batch_rows(1).run_watched(|_| ControlFlow::Break(()))?;
/// let checkpoint = report.next.unwrap().to_string();
/// let report = by_name.rebuild().resume(checkpoint.parse::<Checkpoint>()?).run()?;
/// assert_eq!((report.written, report.is_done()), (1, true));
/// assert!(by_name.verify().run()?.is_clean());
/// # Ok::<(), rowkey::Error>(())
/// ```
#[must_use = "a job does nothing before it is run"]
pub struct Job<'j, K1 = Infallible, K2 = Infallible> {
    work: Box<dyn Work<K1, K2> + Send + 'j>,
    start: Checkpoint,
    bounds: Bounds,
}

/// The report of a job: the work and the differences of this run.
///
/// `Display` writes one line for a log, which leaves out the kinds of differences of which there are none. `Debug`
/// writes all fields.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::secondary::Primary;
///
/// let mut users = Primary::<u32, String, _>::open(Memory::new(), "users")?;
/// let by_name = users.secondary("users.by_name", |id: &u32, name: &String| [(name.clone(), *id)])?;
/// users.put(&1, &"ada".into())?;
/// // A row that no index knows, because it was not written through `users`.
/// users.table().put(&2, &"bob".into())?;
///
/// // Two rows of the primary table and one of the secondary table.
/// let report = by_name.verify().run()?;
/// assert_eq!(report.to_string(), "done: rows read 3, written 0, differences 1 (missing 1)");
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Rows read. A job that reads two tables, as every verification does, counts the rows of both: a row and its copy
    /// are 2.
    pub rows: u64,
    /// Rows written or deleted: rows that were copied or repaired, or the cells and delete markers that a purge
    /// removed.
    pub written: u64,
    /// [`DifferenceKind::Missing`] found.
    pub missing: u64,
    /// [`DifferenceKind::Extra`] found.
    pub extra: u64,
    /// [`DifferenceKind::Different`] found.
    pub different: u64,
    /// [`DifferenceKind::Conflict`] found.
    pub conflicts: u64,
    /// Differences of all kinds found by the earlier runs that this one resumed. A migration stores this number. In
    /// other jobs it is 0.
    pub earlier: u64,
    /// The cells that a purge kept and removed. All 0 in other jobs.
    pub cells: PurgeCounts,
    /// The checkpoint to resume from, or `None` if the job is done.
    pub next: Option<Checkpoint>,
}

/// The progress of a job, after each batch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<K1 = Infallible, K2 = Infallible> {
    /// The work and the differences of this run so far. `report.next` is the checkpoint to resume from if it is stopped
    /// now.
    pub report: Report,
    /// The differences found in the last batch.
    pub differences: Vec<Difference<K1, K2>>,
}

/// A row that differs from the one computed from its source.
///
/// The source of a secondary row is a row of the primary table. The source of a row of the new table of a migration or
/// a copy is a row of the old table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<K1, K2> {
    /// The kind of the difference.
    pub kind: DifferenceKind,
    /// The key of the source: a row of the primary table, or of the old one. If the kind is `Extra`, the row need not
    /// exist.
    pub source: K1,
    /// The key of the row that follows from it: a row of the secondary table, or of the new one.
    pub target: K2,
}

/// The kind of difference between a row and the one computed from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The row is missing.
    Missing,
    /// The row exists but does not follow from its source, or the source does not exist. In an index: a stale entry.
    Extra,
    /// The row has another value.
    Different,
    /// Of secondary tables alone: two primary rows have the same secondary key. The entry belongs to the other row,
    /// whose claim is the only one or comes first. A rebuild leaves it as it is. If neither row has a claim, a
    /// verification names the first of each batch as missing.
    Conflict,
}

impl<'j, K1, K2> Job<'j, K1, K2> {
    pub(super) fn new(work: impl Work<K1, K2> + Send + 'j) -> Self {
        let bounds = Bounds { rows: None, bytes: DEFAULT_BATCH_BYTES, timeout: None };
        Self { work: Box::new(work), start: Checkpoint::default(), bounds }
    }

    /// Resumes where an earlier run of the job stopped; `None` starts at the beginning.
    ///
    /// A checkpoint of another job, such as a verification's that is given to a rebuild, or of the same job over tables
    /// of other names, is refused. It does not know the database, nor the table of a [`Cells`](crate::wide::Cells):
    /// rows before a checkpoint of the same table in another database are skipped without an error.
    ///
    /// A migration keeps its checkpoint in the database, and always resumes from that one, so no row can be skipped.
    /// There `checkpoint` is only checked to be of the key layouts of the migration's tables.
    pub fn resume(mut self, checkpoint: impl Into<Option<Checkpoint>>) -> Self {
        self.start = checkpoint.into().unwrap_or_default();
        self
    }

    /// The most rows in a batch. Default: 256. With transactions a batch is done in pieces, each of which is one
    /// transaction, of at most 256 rows and some 10 ms ([`TimeSlice`](crate::store::TimeSlice)), however large the
    /// batch: writers wait for a piece.
    ///
    /// A purge counts cells and delete markers instead. It ends a batch with a whole row, unless that alone has as
    /// many; then it ends inside of it. Default: 1000.
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.bounds.rows = Some(rows.max(1));
        self
    }

    /// A batch ends with the row that brings what it has read and written to this many bytes; a purge counts what it
    /// deletes. Default: 4 MiB.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.bounds.bytes = bytes.max(1);
        self
    }

    /// Sets the timeout of a write without transactions. After that time, the traces of an unfinished write are treated
    /// as those of a killed process. Default: that of the [`Primary`](crate::secondary::Primary::write_timeout) when
    /// the secondary table was declared, or of the [`Migration`](crate::migrate::Migration::lock_timeout). Use zero if
    /// there are no other writers.
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.bounds.timeout = Some(timeout);
        self
    }

    /// Runs the job to its end.
    ///
    /// # Errors
    ///
    /// Those of the method that made the job, and [`Error::Cursor`] if the checkpoint is of another job, other tables
    /// or another key layout. Batches before the error are done: running the job again is safe.
    pub fn run(self) -> Result<Report, Error> {
        self.run_watched(|_| ControlFlow::Continue(()))
    }

    /// Runs the job, and calls `watch` after each batch. [`ControlFlow::Break`] stops it.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_watched(mut self, mut watch: impl FnMut(&Progress<K1, K2>) -> ControlFlow<()>) -> Result<Report, Error> {
        let job = self.work.job().map(|job| Fingerprint::of(&job));
        if job.is_some() && self.start.job().is_some_and(|of| Some(of) != job) {
            return Err(CursorError::OtherJob.into());
        }
        let mut report = Report { next: Some(self.start), ..Report::default() };
        while let Some(at) = &report.next {
            let mut batch = self.work.batch(at, &self.bounds)?;
            batch.next = batch.next.map(|next| next.of_job(job));
            let differences = report.add(batch);
            let progress = Progress { report, differences };
            let told = watch(&progress);
            report = progress.report;
            if told.is_break() {
                break;
            }
        }
        Ok(report)
    }
}

impl<K1, K2> fmt::Debug for Job<'_, K1, K2> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work, start, bounds } = self;
        f.debug_struct("Job").field("work", work).field("start", start).field("bounds", bounds).finish()
    }
}

impl Report {
    /// Returns whether the job is done. If not, it was stopped.
    pub fn is_done(&self) -> bool {
        self.next.is_none()
    }

    /// Returns the number of differences found in this run, and in the [earlier](Self::earlier) ones that it resumed.
    pub fn differences(&self) -> u64 {
        self.earlier + self.found()
    }

    /// Returns whether no difference was found. A stopped job has not read all rows: see [`is_done`](Self::is_done).
    pub fn is_clean(&self) -> bool {
        self.differences() == 0
    }

    fn found(&self) -> u64 {
        self.missing + self.extra + self.different + self.conflicts
    }

    /// Adds a batch; returns its differences.
    fn add<K1, K2>(&mut self, batch: Batch<K1, K2>) -> Vec<Difference<K1, K2>> {
        let Batch { rows, written, differences, before, cells, next } = batch;
        self.rows += rows;
        self.written += written;
        // Differences that others have found since this run began count as well.
        self.earlier = before.saturating_sub(self.found());
        for difference in &differences {
            *match difference.kind {
                DifferenceKind::Missing => &mut self.missing,
                DifferenceKind::Extra => &mut self.extra,
                DifferenceKind::Different => &mut self.different,
                DifferenceKind::Conflict => &mut self.conflicts,
            } += 1;
        }
        self.cells.add(cells);
        self.next = next;
        differences
    }
}

/// One line for a log: `done: rows read 7, written 2, differences 2 (missing 1, different 1)`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, written, missing, extra, different, conflicts, earlier, cells, .. } = self;
        let PurgeCounts { kept, deleted, expired, old, markers } = cells;
        write!(f, "{}: rows read {rows}", if self.is_done() { "done" } else { "stopped" })?;
        if *cells != PurgeCounts::default() {
            write!(f, ", cells kept {kept}, removed {}", cells.removed())?;
            return parts(f, &[("deleted", *deleted), ("expired", *expired), ("old", *old), ("markers", *markers)]);
        }
        write!(f, ", written {written}, differences {}", self.differences())?;
        let kinds = [
            ("missing", *missing),
            ("extra", *extra),
            ("different", *different),
            ("conflicts", *conflicts),
            ("in earlier runs", *earlier),
        ];
        parts(f, &kinds)
    }
}

/// The parts of a sum in parentheses, those of 0 left out.
fn parts(f: &mut fmt::Formatter<'_>, parts: &[(&str, u64)]) -> fmt::Result {
    let mut before = " (";
    for (name, count) in parts.iter().filter(|(_, count)| *count > 0) {
        write!(f, "{before}{name} {count}")?;
        before = ", ";
    }
    f.write_str(if before == ", " { ")" } else { "" })
}

/// The bounds of a batch.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// The most rows, if the default is not used.
    pub(super) rows: Option<usize>,
    pub(super) bytes: usize,
    pub(super) timeout: Option<Duration>,
}

impl Bounds {
    pub(super) fn rows(&self) -> usize {
        self.rows.unwrap_or(256)
    }
}

/// The work of a job on its tables.
pub(super) trait Work<K1, K2>: fmt::Debug {
    /// The kind of work and the names of its tables, so that a checkpoint is of no other job. `None` if the names are
    /// not known, or the database keeps the checkpoint.
    fn job(&self) -> Option<String>;

    /// Does one batch from a checkpoint on.
    fn batch(&mut self, at: &Checkpoint, bounds: &Bounds) -> Result<Batch<K1, K2>, Error>;
}

/// The work and the findings of one batch.
pub(super) struct Batch<K1, K2> {
    pub(super) rows: u64,
    pub(super) written: u64,
    pub(super) differences: Vec<Difference<K1, K2>>,
    /// Differences found before this batch, if the database keeps their number.
    pub(super) before: u64,
    pub(super) cells: PurgeCounts,
    pub(super) next: Option<Checkpoint>,
}

impl<K1, K2> Default for Batch<K1, K2> {
    fn default() -> Self {
        let (cells, differences) = (PurgeCounts::default(), Vec::new());
        Self { rows: 0, written: 0, differences, before: 0, cells, next: None }
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::job::{Checkpoint, Report};
    use crate::wide::PurgeCounts;

    #[test]
    fn a_report_is_one_line() {
        let clean = Report { rows: 7, ..Report::default() };
        let next = Some(Checkpoint::after_row(b"k"));
        let found = Report { rows: 9, written: 5, missing: 1, extra: 2, different: 3, conflicts: 4, ..clean.clone() };
        let resumed = Report { earlier: 6, next: next.clone(), ..found.clone() };
        let all = PurgeCounts { kept: 1, deleted: 2, expired: 3, old: 4, markers: 5 };
        let purge = |cells: PurgeCounts| Report { rows: 2, written: cells.removed(), cells, ..Report::default() };
        for (report, line) in [
            (clean.clone(), "done: rows read 7, written 0, differences 0"),
            (Report { next, ..clean }, "stopped: rows read 7, written 0, differences 0"),
            (found, "done: rows read 9, written 5, differences 10 (missing 1, extra 2, different 3, conflicts 4)"),
            (
                resumed,
                "stopped: rows read 9, written 5, differences 16 (missing 1, extra 2, different 3, conflicts 4, \
                 in earlier runs 6)",
            ),
            (purge(all), "done: rows read 2, cells kept 1, removed 14 (deleted 2, expired 3, old 4, markers 5)"),
            (purge(PurgeCounts { kept: 6, ..PurgeCounts::default() }), "done: rows read 2, cells kept 6, removed 0"),
            (purge(PurgeCounts::default()), "done: rows read 2, written 0, differences 0"),
        ] {
            assert_eq!(report.to_string(), line);
        }
    }
}
