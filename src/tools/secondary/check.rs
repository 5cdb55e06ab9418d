//! Verification and rebuilding: both tables gone over, every difference named, and mended if that is asked for.

mod look;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use self::look::Look;
use super::Secondary;
use crate::keys::cursor::{Checkpoint, Cursor};
use crate::keys::key::OwnedKey;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::store::{DEFAULT_BATCH_BYTES, Database};
use crate::table::stored_key;

/// A [`verify`](Secondary::verify) or [`rebuild`](Secondary::rebuild) of a secondary table, before it is run.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use rowkey::secondary::{DifferenceKind, Primary};
/// use rowkey::{Memory, Table};
///
/// let db = Memory::new();
/// // Rows from before there was a secondary table.
/// let before: Table<u32, String, _> = Table::open(&db, "users")?;
/// before.put(&1, &"ada".into())?;
/// before.put(&2, &"bob".into())?;
///
/// let mut users = Primary::<u32, String, _>::open(&db, "users")?;
/// let by_name = users.secondary("users.by_name", |id: &u32, name: &String| [(name.clone(), *id)])?;
///
/// let report = by_name.verify().run(|progress| {
///     for difference in &progress.differences {
///         println!("{difference:?}");
///         assert_eq!(difference.kind, DifferenceKind::Missing);
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(report.missing, 2);
///
/// // A batch of one row, then it is stopped; its checkpoint, as text, goes on in another process.
/// let report = by_name.rebuild().batch_rows(1).run(|_| ControlFlow::Break(()))?;
/// let checkpoint = report.next.unwrap().to_string();
/// let report = by_name.rebuild().after(checkpoint.parse()?).run(|_| ControlFlow::Continue(()))?;
/// assert_eq!((report.mended, report.next), (1, None));
/// assert!(by_name.verify().run(|_| ControlFlow::Continue(()))?.is_clean());
/// # Ok::<(), rowkey::Error>(())
/// ```
#[must_use = "a check does nothing before it is run"]
pub struct Check<'s, K2, V2, K, V, D> {
    secondary: &'s Secondary<K2, V2, K, V, D>,
    mend: bool,
    start: Checkpoint,
    batch_rows: usize,
    batch_bytes: usize,
    timeout: Duration,
}

impl<K2, V2, K, V, D> fmt::Debug for Check<'_, K2, V2, K, V, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("secondary", &self.secondary).field("mend", &self.mend).finish_non_exhaustive()
    }
}

/// What differs between a primary row and a secondary one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<K, K2> {
    /// How they differ.
    pub kind: DifferenceKind,
    /// The key of the primary row, which need not be there where the secondary one is stale.
    pub key: K,
    /// The secondary key.
    pub secondary: K2,
}

/// How a secondary row differs from what follows from the primary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It is not there.
    Missing,
    /// It is there, and does not follow from the primary row, or that is not there.
    Stale,
    /// It has another value.
    WrongValue,
    /// It belongs to another primary row, which has the same secondary key, and whose claim is the only one or comes first.
    /// A rebuild leaves it as it is. Of rows that have one key and no claim, a verify names the first of each batch as
    /// missing.
    Conflict,
}

/// How far a check is: what its last batch of rows had.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<K, K2> {
    /// How many rows of both tables were gone over so far.
    pub rows: u64,
    /// What differed in the last batch.
    pub differences: Vec<Difference<K, K2>>,
    /// Where to go on if it is stopped now.
    pub next: Option<Checkpoint>,
}

/// What a check has found, and mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many rows of both tables were gone over.
    pub rows: u64,
    /// How many secondary rows were missing.
    pub missing: u64,
    /// How many were stale.
    pub stale: u64,
    /// How many had another value.
    pub wrong_value: u64,
    /// How many primary rows had a key that belongs to another.
    pub conflicts: u64,
    /// How many of these were mended.
    pub mended: u64,
    /// Where to go on; none if it went over both tables to the end.
    pub next: Option<Checkpoint>,
}

impl Report {
    /// Whether nothing differed in what was gone over.
    pub fn is_clean(&self) -> bool {
        self.missing + self.stale + self.wrong_value + self.conflicts == 0
    }

    fn count(&mut self, kind: DifferenceKind) {
        *match kind {
            DifferenceKind::Missing => &mut self.missing,
            DifferenceKind::Stale => &mut self.stale,
            DifferenceKind::WrongValue => &mut self.wrong_value,
            DifferenceKind::Conflict => &mut self.conflicts,
        } += 1;
    }
}

impl<'s, K2, V2, K, V, D> Check<'s, K2, V2, K, V, D>
where
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    K: OwnedKey + 'static,
    V: RowValue + 'static,
    D: Database + Clone,
{
    pub(super) fn new(secondary: &'s Secondary<K2, V2, K, V, D>, mend: bool) -> Self {
        let (start, timeout) = (Checkpoint::default(), secondary.timeout);
        Self { secondary, mend, start, batch_rows: 256, batch_bytes: DEFAULT_BATCH_BYTES, timeout }
    }

    /// Goes on where another check of the table was stopped.
    pub fn after(mut self, checkpoint: Checkpoint) -> Self {
        self.start = checkpoint;
        self
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

    /// How long a write without transactions may take. Default: that of the [`Primary`](super::Primary) when the table was
    /// declared, 60 seconds. Marks that are older are those of killed writers. Zero where nobody writes.
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs the check: first over the primary table, then over the secondary one. `progress` is told of every batch, and
    /// stops it by [`ControlFlow::Break`].
    ///
    /// With transactions, each batch is compared as it is at one moment. Without, a secondary row that a writer has marked
    /// is not judged: the write is under way, or is named when the mark is older than
    /// [`write_timeout`](Self::write_timeout). Any other difference is looked at twice more, and named if the secondary row
    /// was the same before and after the primary row was read. So a stale row or an old value that is named was there. A
    /// missing row would be named wrongly only if its primary row had come to the key and left it during each look. A
    /// rebuild looks once more, and mends by a write that looks for itself; so it may count what a writer has just finished.
    ///
    /// # Errors
    ///
    /// [`Error::Cursor`] if the checkpoint is one of other tables.
    pub fn run(self, mut progress: impl FnMut(&Progress<K, K2>) -> ControlFlow<()>) -> Result<Report, Error> {
        let own = self.secondary.primary.own_database();
        let mut report = Report { next: Some(self.start), ..Report::default() };
        while let Some(at) = report.next.take() {
            // Each batch is a call.
            let db = Within::one_call(&*own);
            let rows = Within::one_call(&**self.secondary.primary.store());
            let follower = match &rows {
                Within::As(_) => Arc::clone(&self.secondary.follower),
                Within::Made(rows) => self.secondary.follower.with_options(rows.options()),
            };
            let look = Look {
                db: &*db,
                primary: self.secondary.primary.name(),
                rows: &*rows,
                follower: &follower,
                limit: self.batch_rows,
                bytes: self.batch_bytes,
                mend: self.mend,
                timeout: self.timeout,
            };
            let first = at.pass() == 1;
            let (primary, table) = (&self.secondary.primary, &self.secondary.table);
            let fingerprint = if first { primary.fingerprint() } else { table.fingerprint() };
            let known = |found| if first { primary.knows(found) } else { table.knows(found) };
            let seen = look.batch(first, at.key_of(fingerprint, known)?)?;
            report.rows += seen.rows;
            report.mended += seen.mended;
            report.next = match (seen.last, first) {
                (Some(last), _) => Some(Checkpoint::new(at.pass(), Some(Cursor::new(fingerprint, &last)))),
                (None, true) => Some(Checkpoint::new(2, None)),
                (None, false) => None,
            };
            let mut differences = Vec::with_capacity(seen.findings.len());
            for finding in seen.findings {
                report.count(finding.kind);
                let key = stored_key::<K>(self.secondary.primary.name(), &finding.key)?;
                let secondary = stored_key::<K2>(&self.secondary.follower.name, &finding.entry)?;
                differences.push(Difference { kind: finding.kind, key, secondary });
            }
            if progress(&Progress { rows: report.rows, differences, next: report.next.clone() }).is_break() {
                break;
            }
        }
        Ok(report)
    }
}
