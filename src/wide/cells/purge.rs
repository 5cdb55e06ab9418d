//! Purge: removes what no read returns any more.

use std::ops::ControlFlow;

use super::Cells;
use super::entries::Entries;
use super::key::{CellKey, Entry, Kind, Place, Version};
use super::visible::{Fate, Visible, Why};
use crate::keys::key::RowKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{Batch, DEFAULT_BATCH_BYTES, Rows, Scan, Store};

/// Entries are removed in batches of this many, or fewer if their keys are long. A row's markers are removed with, or
/// after, what they hide.
const BATCH: usize = 1000;

/// What a purge has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeReport {
    /// Number of rows visited.
    pub rows: u64,
    /// Number of cells kept.
    pub kept: u64,
    /// Number of cells removed because deletes hid them.
    pub deleted: u64,
    /// Number of cells removed because they had expired.
    pub expired: u64,
    /// Number of cells removed because there were enough newer versions.
    pub old: u64,
    /// Number of delete markers removed.
    pub markers: u64,
    /// The last row that is done. Pass it as `after` to continue a purge that was stopped.
    pub last_row: Option<Vec<u8>>,
    /// Whether the purge reached the end of the table.
    pub finished: bool,
}

impl PurgeReport {
    fn dropped(&mut self, kind: Kind, why: Why) {
        *match (kind, why) {
            (Kind::ColumnDeleted | Kind::VersionDeleted, _) => &mut self.markers,
            (Kind::Value, Why::Deleted) => &mut self.deleted,
            (Kind::Value, Why::Expired) => &mut self.expired,
            (Kind::Value, Why::Old) => &mut self.old,
        } += 1;
    }
}

/// Entries to remove, of the rows visited so far.
#[derive(Default)]
struct Dead {
    /// Of rows that are done.
    done: Batch,
    /// Those of the current row.
    values: Vec<Vec<u8>>,
    markers: Vec<Vec<u8>>,
}

impl Dead {
    /// Values before the markers that hide them, in case a store fails in between.
    fn end_row(&mut self) {
        for key in self.values.drain(..).chain(self.markers.drain(..)) {
            self.done.delete(key);
        }
    }
}

impl<S: Store> Cells<S> {
    /// Removes what no read returns any more: deleted and expired cells, versions beyond those that the family keeps,
    /// and delete markers. This is HBase's major compaction. After it, a write with a timestamp older than a delete is
    /// no longer hidden by that delete.
    ///
    /// It goes row by row, starting after `after` if that is given, and calls `progress` about once per thousand
    /// entries read or removed. `Break` stops it; pass [`PurgeReport::last_row`] as `after` to continue. Concurrent
    /// reads and writes are allowed. Without [transactions](crate::store::Guarantees::transactions) a version or a
    /// delete that is written again during the purge, with exactly the timestamp of a removed one, may be removed too.
    #[doc(alias = "compact")]
    #[doc(alias = "major compaction")]
    #[doc(alias = "vacuum")]
    #[doc(alias = "garbage collection")]
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
    /// let report = table.purge(None, |_| ControlFlow::Continue(()))?;
    /// assert_eq!((report.kept, report.old, report.deleted, report.markers), (2, 3, 5, 1));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn purge(
        &self,
        after: Option<&[u8]>,
        mut progress: impl FnMut(&PurgeReport) -> ControlFlow<()>,
    ) -> Result<PurgeReport, Error> {
        let mut report = PurgeReport { last_row: after.map(<[u8]>::to_vec), ..PurgeReport::default() };
        loop {
            let store = Within::one_call(&self.store as &dyn Store);
            if store.guarantees().transactions {
                let mut next = PurgeReport::default();
                store.transact(&mut |view| {
                    next = report.clone();
                    self.purge_some(&mut next, self.clock.now(), &|scan| view.scan(scan))
                })?;
                report = next;
            } else {
                let dead = self.purge_some(&mut report, self.clock.now(), &|scan| store.scan(scan))?;
                if !dead.is_empty() {
                    store.write(&dead)?;
                }
            }
            if progress(&report).is_break() || report.finished {
                return Ok(report);
            }
        }
    }

    /// Visits the next rows, and returns the entries to remove.
    fn purge_some(
        &self,
        report: &mut PurgeReport,
        now: i64,
        open: &dyn Fn(&Scan) -> Box<dyn Rows>,
    ) -> Result<Batch, Error> {
        let rest = KeyRange::behind(report.last_row.as_deref());
        let mut entries = Entries::new(open(&Scan::new(vec![CellKey::rows_in(&rest)])));
        let (mut part, mut family, mut column) = (Vec::new(), String::new(), Vec::new());
        let (mut visible, mut dead, mut read) = (Visible::default(), Dead::default(), 0);
        while entries.settle()? {
            let (key, _) = entries.get();
            if part.is_empty() || !key.starts_with(&part) {
                if !part.is_empty() {
                    dead.end_row();
                    report.end_row(&part)?;
                    if dead.done.len() >= BATCH || dead.done.bytes() >= DEFAULT_BATCH_BYTES || read >= BATCH {
                        return Ok(dead.done);
                    }
                }
                part.clear();
                part.extend_from_slice(CellKey::row_of(key));
                family.clear();
                column.clear();
            }
            read += 1;
            let Place { family: found, entry } =
                Place::decode(&key[part.len()..]).map_err(|error| Error::from(error).of_key("", key))?;
            if family != found {
                // Cells of a family that is not in the schema are kept.
                let Some(&schema) = self.families.schema.families.get(found) else {
                    entries.advance();
                    continue;
                };
                family.clear();
                family.push_str(found);
                visible.family(schema, now);
                column.clear();
            }
            match entry {
                Entry::FamilyDeleted { until } => {
                    visible.family_deleted(until);
                    report.markers += 1;
                    dead.markers.push(key.to_vec());
                }
                Entry::Column { version, .. } => {
                    let place = &key[..key.len().saturating_sub(Version::LAYOUT.width().unwrap_or(0))];
                    if column != place {
                        column.clear();
                        column.extend_from_slice(place);
                        visible.column();
                    }
                    match visible.version(version) {
                        Fate::Kept => report.kept += 1,
                        Fate::Gone(why) | Fate::ColumnGone(why) => {
                            report.dropped(version.kind, why);
                            let dead = if version.kind == Kind::Value { &mut dead.values } else { &mut dead.markers };
                            dead.push(key.to_vec());
                        }
                    }
                }
            }
            entries.advance();
        }
        if !part.is_empty() {
            dead.end_row();
            report.end_row(&part)?;
        }
        report.finished = true;
        Ok(dead.done)
    }
}

impl PurgeReport {
    fn end_row(&mut self, part: &[u8]) -> Result<(), Error> {
        self.rows += 1;
        CellKey::read_row(part, self.last_row.get_or_insert_default())
            .map_err(|error| Error::from(error).of_key("", part))
    }
}
