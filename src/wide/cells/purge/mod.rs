//! Purge: removes what no read returns any more.

use super::Cells;
use super::entries::Entries;
use super::key::{CellKey, Entry, Kind, Place, Version};
use super::visible::{Fate, Visible, Why};
use crate::keys::key::RowKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{Batch, Rows, Scan, Store};

/// What a purge did to cells: part of a [`Report`](crate::jobs::Report).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeCounts {
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
}

impl PurgeCounts {
    /// Number of cells and markers removed.
    pub(crate) fn removed(&self) -> u64 {
        self.deleted + self.expired + self.old + self.markers
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.kept += more.kept;
        self.deleted += more.deleted;
        self.expired += more.expired;
        self.old += more.old;
        self.markers += more.markers;
    }

    fn remove_one(&mut self, kind: Kind, why: Why) {
        *match (kind, why) {
            (Kind::ColumnDeleted | Kind::VersionDeleted, _) => &mut self.markers,
            (Kind::Value, Why::Deleted) => &mut self.deleted,
            (Kind::Value, Why::Expired) => &mut self.expired,
            (Kind::Value, Why::Old) => &mut self.old,
        } += 1;
    }
}

/// What one batch of a purge did.
#[derive(Debug, Default)]
pub(crate) struct Purged {
    /// Number of rows visited.
    pub(crate) rows: u64,
    pub(crate) cells: PurgeCounts,
    /// The last row that is done: the next batch starts after it.
    pub(crate) last_row: Option<Vec<u8>>,
    /// Whether the batch reached the end of the table.
    pub(crate) finished: bool,
}

/// Entries to remove, of the rows visited so far.
#[derive(Default)]
struct Dead {
    /// Of rows that are done.
    done: Batch,
    /// Of the current row.
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
    /// Removes what no read returns any more from the rows after `after`. The batch ends with the row by which it has
    /// read or is to remove `most_entries` entries, or `most_bytes` bytes of their keys.
    pub(crate) fn purge_batch(
        &self,
        after: Option<&[u8]>,
        most_entries: usize,
        most_bytes: usize,
    ) -> Result<Purged, Error> {
        let store = Within::one_call(&self.store as &dyn Store);
        if store.guarantees().transactions {
            let mut purged = Purged::default();
            store.transact(&mut |view| {
                let dead;
                (purged, dead) = self.dead_after(after, (most_entries, most_bytes), &|scan| view.scan(scan))?;
                Ok(dead)
            })?;
            return Ok(purged);
        }
        let (purged, dead) = self.dead_after(after, (most_entries, most_bytes), &|scan| store.scan(scan))?;
        if !dead.is_empty() {
            store.write(&dead)?;
        }
        Ok(purged)
    }

    /// Visits the next rows, and returns the entries to remove.
    fn dead_after(
        &self,
        after: Option<&[u8]>,
        (most_entries, most_bytes): (usize, usize),
        open: &dyn Fn(&Scan) -> Box<dyn Rows>,
    ) -> Result<(Purged, Batch), Error> {
        let now = self.clock.now();
        let mut purged = Purged { last_row: after.map(<[u8]>::to_vec), ..Purged::default() };
        let rest = after.map_or_else(KeyRange::all, KeyRange::after);
        let mut entries = Entries::new(open(&Scan::new(vec![CellKey::rows_in(&rest)])));
        let (mut part, mut family, mut column) = (Vec::new(), String::new(), Vec::new());
        let (mut visible, mut dead, mut read) = (Visible::default(), Dead::default(), 0);
        while entries.settle()? {
            let (key, _) = entries.get();
            if part.is_empty() || !key.starts_with(&part) {
                if !part.is_empty() {
                    dead.end_row();
                    purged.end_row(&part)?;
                    if dead.done.len() >= most_entries || dead.done.bytes() >= most_bytes || read >= most_entries {
                        return Ok((purged, dead.done));
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
                    purged.cells.markers += 1;
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
                        Fate::Kept => purged.cells.kept += 1,
                        Fate::Gone(why) | Fate::ColumnGone(why) => {
                            purged.cells.remove_one(version.kind, why);
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
            purged.end_row(&part)?;
        }
        purged.finished = true;
        Ok((purged, dead.done))
    }
}

impl Purged {
    fn end_row(&mut self, part: &[u8]) -> Result<(), Error> {
        self.rows += 1;
        CellKey::read_row(part, self.last_row.get_or_insert_default())
            .map_err(|error| Error::from(error).of_key("", part))
    }
}
