//! Purges of wide tables, as jobs.

use std::fmt;
use std::sync::Arc;

use super::job::{Batch, Bounds, Checkpoint, Job, Work};
use crate::keys::cursor::Cursor;
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::RowKey;
use crate::store::error::Error;
use crate::store::{Database, Store};
use crate::table::WideTable;
use crate::wide::{CellKey, Cells, CellsDatabase, Inside, Position, Purged};

/// A batch reads or removes this many cells and markers.
const ENTRIES: usize = 1000;

/// The fingerprint in a purge's checkpoint between two rows. The last row is kept as bytes, whatever the type of its
/// key.
fn fingerprint() -> Fingerprint {
    CellKey::LAYOUT.fingerprint()
}

/// The fingerprint in a purge's checkpoint inside of a row.
fn inside() -> Fingerprint {
    Inside::LAYOUT.fingerprint()
}

fn position(at: &Checkpoint) -> Result<Position, CursorError> {
    if at.pass() != 1 {
        return Err(CursorError::Malformed("a purge has one pass"));
    }
    let key = at.key_of(fingerprint(), |found| found == inside())?;
    match (at.cursor(), key) {
        (Some(cursor), Some(key)) if cursor.fingerprint() == inside() => {
            let inside = Inside::decode(key).ok().filter(|inside| CellKey::decode(&inside.entry).is_ok());
            let inside = inside.ok_or(CursorError::Malformed("its place in a row is none"))?;
            Ok(Position::Inside(Inside { entry: inside.entry.into_owned().into(), ..inside }))
        }
        (_, Some(row)) => Ok(Position::AfterRow(row.to_vec())),
        (_, None) => Ok(Position::Start),
    }
}

fn checkpoint(position: &Position) -> Checkpoint {
    match position {
        Position::Start => Checkpoint::default(),
        Position::AfterRow(row) => Checkpoint::after_row(row),
        Position::Inside(of_row) => Checkpoint::new(1, Some(Cursor::new(inside(), &of_row.encode()))),
    }
}

impl Checkpoint {
    /// The checkpoint of a [purge](crate::wide::Cells::purge) that has done all rows up to this one.
    pub fn after_row(row: &[u8]) -> Self {
        Self::new(1, Some(Cursor::new(fingerprint(), row)))
    }
}

impl<S: Store> Cells<S> {
    /// Returns a job that removes what no read returns any more: deleted and expired cells, versions beyond those that
    /// the family keeps, and delete markers. This is HBase's major compaction.
    ///
    /// After it, or during it, a write with a timestamp older than a delete is no longer hidden by that delete.
    ///
    /// Concurrent reads and writes are allowed. With [transactions](crate::store::Guarantees::transactions) the job
    /// goes on in transactions of at most 1,000 cells and markers, and of some 10 ms. Writers wait for one of them, and
    /// what the job holds in memory does not grow with a row. (A family that keeps more than some 10,000 versions of a
    /// column is the exception: this many are counted in one transaction where older ones are removed.)
    ///
    /// A row of more than that is purged in several transactions. Writes of others in between take effect: a delete
    /// stays, and a version that has become visible is kept. The newest delete marker of a family or a column is
    /// removed after all that it hides. A write with an older timestamp that comes in between, to a part of the row
    /// that is done, is hidden until then and visible after. A delete that is written again in between with exactly the
    /// timestamp of one that is there is removed with it.
    ///
    /// A [`Checkpoint`] inside of a row says what was removed of that row. It is of no use, and wrong, for a copy of
    /// the database: there the marker would be removed, and not what it hides.
    ///
    /// Without transactions a version or a delete that is written again during the purge, with exactly the timestamp of
    /// a removed one, may be removed too.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use rowkey::Memory;
    /// use rowkey::wide::{Cells, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(2));
    /// let table = Cells::open(&Memory::new(), "table", &schema)?;
    /// for at in 1..=5 {
    ///     table.mutate(b"row", &Mutation::new().put_at("a:q", at, "").put_at("a:r", at, ""))?;
    /// }
    /// table.mutate(b"row", &Mutation::new().delete_column("a:r"))?;
    ///
    /// let report = table.purge().run()?;
    /// assert_eq!((report.cells.kept, report.cells.old, report.cells.deleted, report.cells.markers), (2, 3, 5, 1));
    ///
    /// // Stopped, and resumed.
    /// let report = table.purge().run_watched(|progress| {
    ///     println!("{} rows, {} removed", progress.report.rows, progress.report.written);
    ///     ControlFlow::Break(())
    /// })?;
    /// let report = table.purge().resume(report.next).run()?;
    /// assert_eq!((report.written, report.is_done()), (0, true));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[doc(alias = "compact")]
    #[doc(alias = "major compaction")]
    #[doc(alias = "vacuum")]
    #[doc(alias = "garbage collection")]
    pub fn purge(&self) -> Job<'_> {
        Job::new(Purge { table: None, batch: |from: &Position, entries, bytes| self.purge_batch(from, entries, bytes) })
    }
}

impl<K, D: Database> WideTable<K, CellsDatabase<D>> {
    /// Returns a job that removes what no read returns any more: deleted and expired cells, versions beyond those that
    /// the family keeps, and delete markers. See [`Cells::purge`](crate::wide::Cells::purge).
    #[doc(alias = "compact")]
    #[doc(alias = "major compaction")]
    #[doc(alias = "vacuum")]
    #[doc(alias = "garbage collection")]
    pub fn purge(&self) -> Job<'_> {
        let mut opened: Option<Cells<Arc<dyn Store>>> = None;
        let batch = move |from: &Position, entries, bytes| {
            let cells = match &mut opened {
                Some(cells) => cells,
                None => opened.insert(self.cells()?),
            };
            cells.purge_batch(from, entries, bytes).map_err(|error| error.of_key(self.name(), &[]))
        };
        Job::new(Purge { table: Some(self.name()), batch })
    }
}

/// One batch, by what makes it: from a position, bounded in entries and bytes.
struct Purge<'t, F> {
    /// The table's name, if it is known.
    table: Option<&'t str>,
    batch: F,
}

impl<F> fmt::Debug for Purge<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Purge").field("table", &self.table).finish_non_exhaustive()
    }
}

impl<K1, K2, F: FnMut(&Position, usize, usize) -> Result<Purged, Error>> Work<K1, K2> for Purge<'_, F> {
    fn job(&self) -> Option<String> {
        self.table.map(|table| format!("purge {table:?}"))
    }

    fn batch(&mut self, at: &Checkpoint, bounds: &Bounds) -> Result<Batch<K1, K2>, Error> {
        let Purged { rows, cells, next } = (self.batch)(&position(at)?, bounds.rows.unwrap_or(ENTRIES), bounds.bytes)?;
        let next = next.as_ref().map(checkpoint);
        Ok(Batch { rows, written: cells.removed(), cells, next, ..Batch::default() })
    }
}
