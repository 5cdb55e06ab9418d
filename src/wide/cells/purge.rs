//! What nobody can read any more, dropped.

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

/// Entries are dropped in batches of so many, fewer if their keys are long, and a row's markers with, or after, what they hide.
const BATCH: usize = 1000;

/// What a purge has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeReport {
    /// Rows that were gone through.
    pub rows: u64,
    /// Cells that stay.
    pub kept: u64,
    /// Cells dropped as deletes hid them.
    pub deleted: u64,
    /// Cells dropped as they had expired.
    pub expired: u64,
    /// Cells dropped as there were enough newer versions.
    pub old: u64,
    /// Markers of deletes dropped.
    pub markers: u64,
    /// The last row that is done: a purge that was stopped goes on after it.
    pub last_row: Option<Vec<u8>>,
    /// Whether it came to the end of the table.
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

/// The dead entries of the rows that were gone through, and are not dropped yet.
#[derive(Default)]
struct Dead {
    /// Of rows that are done.
    done: Batch,
    /// Of the row that is gone through.
    values: Vec<Vec<u8>>,
    markers: Vec<Vec<u8>>,
}

impl Dead {
    /// What markers hide goes before them, should a store fail in between.
    fn end_row(&mut self) {
        for key in self.values.drain(..).chain(self.markers.drain(..)) {
            self.done.delete(key);
        }
    }
}

impl<S: Store> Cells<S> {
    /// Drops what nobody can read any more: deleted and expired cells, versions beyond those that are kept, and the
    /// markers of deletes. It is what HBase does in a major compaction; what is written after it, or meanwhile, with
    /// the timestamp of something older than a delete is not hidden any more.
    ///
    /// It goes from row to row, behind `after` if that is given, and tells `progress` about every thousand entries that it
    /// drops or reads; `Break` stops it, and [`PurgeReport::last_row`] says from where to go on. Others may read and
    /// write meanwhile; but where the store has no [transactions](crate::store::Guarantees::transactions), a version, or
    /// a delete, that is written again meanwhile under the very timestamp of one that is dropped may go with it.
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

    /// Goes through the next rows, and answers what of them is to be dropped.
    fn purge_some(
        &self,
        report: &mut PurgeReport,
        now: i64,
        open: &dyn Fn(&Scan) -> Box<dyn Rows>,
    ) -> Result<Batch, Error> {
        let rest = report.last_row.as_deref().map_or_else(KeyRange::all, KeyRange::after);
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
                // What a family that the schema does not know has is not ours to drop.
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
