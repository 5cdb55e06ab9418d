//! What nobody can read any more, dropped.

use super::Cells;
use super::entries::Entries;
use super::key::{CellKey, Entry, Kind, Place, Version};
use super::visible::{Fate, Visible, Why};
use crate::keys::key::RowKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{Batch, Rows, Scan, Store};

/// What a purge did to cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeCounts {
    /// Cells kept.
    pub kept: u64,
    /// Cells dropped because a delete hid them.
    pub deleted: u64,
    /// Cells dropped because they had expired.
    pub expired: u64,
    /// Cells dropped because there were enough newer versions.
    pub old: u64,
    /// Delete markers dropped.
    pub markers: u64,
}

impl PurgeCounts {
    /// All that was dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.deleted + self.expired + self.old + self.markers
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.kept += more.kept;
        self.deleted += more.deleted;
        self.expired += more.expired;
        self.old += more.old;
        self.markers += more.markers;
    }

    fn drop_one(&mut self, kind: Kind, why: Why) {
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
    /// Rows that were read.
    pub(crate) rows: u64,
    pub(crate) cells: PurgeCounts,
    /// The last row that is done: the next batch starts after it.
    pub(crate) last_row: Option<Vec<u8>>,
    /// Whether the batch reached the end of the table.
    pub(crate) finished: bool,
}

/// The dead entries of the rows that were read, not dropped yet.
#[derive(Default)]
struct Dead {
    /// Of rows that are done.
    done: Batch,
    /// Of the row that is read.
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
    /// Drops what nobody can read any more of the rows after `after`. The batch ends with the row by which it has read or is to
    /// drop `entries` entries, or deletes `bytes` bytes of them.
    pub(crate) fn purge_batch(&self, after: Option<&[u8]>, entries: usize, bytes: usize) -> Result<Purged, Error> {
        let store = Within::one_call(&self.store as &dyn Store);
        if store.guarantees().transactions {
            let mut purged = Purged::default();
            store.transact(&mut |view| {
                let dead;
                (purged, dead) = self.dead_after(after, (entries, bytes), &|scan| view.scan(scan))?;
                Ok(dead)
            })?;
            return Ok(purged);
        }
        let (purged, dead) = self.dead_after(after, (entries, bytes), &|scan| store.scan(scan))?;
        if !dead.is_empty() {
            store.write(&dead)?;
        }
        Ok(purged)
    }

    /// Reads the next rows, and returns what of them is to be dropped.
    fn dead_after(
        &self,
        after: Option<&[u8]>,
        (most_entries, most_bytes): (usize, usize),
        open: &dyn Fn(&Scan) -> Box<dyn Rows>,
    ) -> Result<(Purged, Batch), Error> {
        let now = self.clock.now();
        let mut purged = Purged { last_row: after.map(<[u8]>::to_vec), ..Purged::default() };
        let rest = KeyRange::behind(after);
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
                            purged.cells.drop_one(version.kind, why);
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
