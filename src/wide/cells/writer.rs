//! Turns mutations into a batch of entries.
//!
//! A write without a timestamp is the latest write, with the clock's time, `now`. Entries with the same time or a later
//! one that would hide or outrank it are removed with it. They may come from another write in the same millisecond,
//! from before the clock stepped back, or have a given timestamp. So no clock has to be stored, and none can run ahead.

use std::borrow::Cow;
use std::sync::Arc;

use super::entries::Entries;
use super::key::{CellKey, Entry, Kind, Place, Version};
use super::pending::{Pending, Writers};
use super::pick::VERSION;
use super::plan::{Families, Plan};
use super::read::RowReader;
use crate::keys::key::RowKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Batch, Readable, Scan};
use crate::wide::column::{Column, Columns};
use crate::wide::mutation::{Edit, Mutation};
use crate::wide::row::Row;

/// Builds a batch from mutations. Each of them sees the writes of those before it.
pub(super) struct Writer<'a> {
    families: &'a Arc<Families>,
    view: &'a dyn Readable,
    now: i64,
    pending: Pending<'a>,
    row: OfRow<'a>,
}

/// The state of the current row.
#[derive(Default)]
struct OfRow<'a> {
    row: &'a [u8],
    /// The prefix of its entries.
    part: Vec<u8>,
    /// There are few, so a linear search is enough.
    families: Vec<OfFamily<'a>>,
}

/// The places of a family's entries in the row, and what was read of them.
struct OfFamily<'a> {
    name: &'a str,
    /// Its markers of now or later.
    markers: KeyRange,
    /// All its columns.
    columns: KeyRange,
    /// True if the store has none of those markers, except removed ones.
    cut: bool,
    /// The store has no value from now up to this timestamp, except removed ones.
    swept: Option<i64>,
}

impl<'a> Writer<'a> {
    /// Timestamps begin at 0, so an earlier clock gives 0.
    pub(super) fn new(families: &'a Arc<Families>, view: &'a dyn Readable, now: i64) -> Self {
        let now = now.max(0);
        Self { families, view, now, pending: Pending::new(now, None), row: OfRow::default() }
    }

    /// Records which mutation writes which entry, for stores in which entries can fail one by one.
    pub(super) fn noting_writers(mut self) -> Self {
        self.pending = Pending::new(self.now, Some(Writers::new()));
        self
    }

    pub(super) fn into_batch(self) -> Batch {
        self.pending.into_batch().0
    }

    pub(super) fn into_batch_and_writers(self) -> (Batch, Writers) {
        let (batch, writers) = self.pending.into_batch();
        (batch, writers.unwrap_or_default())
    }

    /// Begins the next mutation.
    pub(super) fn begin(&mut self, mutation: usize) {
        self.pending.begin(mutation);
    }

    /// Begins the next row.
    pub(super) fn row(&mut self, row: &'a [u8]) {
        if self.row.row != row {
            self.row = OfRow { row, part: CellKey::row_part(row), families: Vec::new() };
        }
    }

    pub(super) fn mutate(&mut self, row: &'a [u8], mutation: &'a Mutation) -> Result<(), Error> {
        self.row(row);
        mutation.edits().iter().try_for_each(|edit| self.edit(edit))
    }

    fn edit(&mut self, edit: &'a Edit) -> Result<(), Error> {
        match edit {
            Edit::Put { column, at: None, value } => self.put(column, Cow::Borrowed(value)),
            Edit::DeleteVersion { column, at: None } => self.delete_latest(column),
            Edit::DeleteColumn { column, until: None } => self.delete_column(column),
            Edit::DeleteFamily { family, until: None } => self.delete_family(family),
            Edit::DeleteRow { until: None } => {
                let families = self.families;
                families.schema.families.keys().try_for_each(|family| self.delete_family(family))
            }
            timed => {
                let (row, pending) = (self.row.row, &mut self.pending);
                timed_entries(self.families, timed, |at, place, value| {
                    let is_value =
                        matches!(place.entry, Entry::Column { version: Version { kind: Kind::Value, .. }, .. });
                    let key = CellKey { row: row.into(), place }.encode();
                    match is_value {
                        true => pending.put(key, at, Cow::Borrowed(value)),
                        false => pending.put_delete(key, at),
                    }
                });
                Ok(())
            }
        }
    }

    /// The newest version of a column: its timestamp and value.
    pub(super) fn newest(&self, column: &Column) -> Result<Option<(i64, Vec<u8>)>, Error> {
        let plan = Plan::new(self.families, &Columns::of(column), self.now)?;
        let scan = Scan::new(plan.range_of(self.row.row).into_iter().collect()).batch_rows(4);
        let rows = self.pending.over(self.view.scan(&scan), &plan.ranges_of(self.row.row), scan.batch_bytes);
        let row = Row::from_cells(RowReader::new(plan, rows, &scan).into_cells()?);
        Ok(row.cells().next().map(|cell| (cell.timestamp, cell.value.to_vec())))
    }

    /// Sets the value of a column, whatever is stored.
    pub(super) fn put(&mut self, column: &'a Column, value: Cow<'a, [u8]>) -> Result<(), Error> {
        let key = self.column_key(column, self.now, Kind::Value);
        let marker = self.column_key(column, self.now - 1, Kind::ColumnDeleted);
        let versions = until(&marker);
        let of_family = self.find_family(&column.family)?;
        let family = &self.row.families[of_family];
        let pending = self.pending.later_in(&family.markers).chain(self.pending.later_in(&versions));
        let mut found: Vec<Vec<u8>> = pending.cloned().collect();
        let ranges = if family.cut { vec![versions] } else { vec![family.markers.clone(), versions] };
        found.extend(self.stored(ranges)?);

        let (mut column_deleted, mut family_deleted) = (false, None);
        for key in found {
            let kind = match Place::decode(&key[self.row.part.len()..])?.entry {
                Entry::FamilyDeleted { until } => {
                    family_deleted = family_deleted.max(Some(until));
                    Kind::ColumnDeleted
                }
                Entry::Column { version: Version { kind, .. }, .. } => {
                    column_deleted |= kind == Kind::ColumnDeleted;
                    kind
                }
            };
            self.pending.drop_entry(key, kind);
        }
        // Older versions that the removed markers hid stay hidden.
        if let Some(until) = family_deleted {
            self.sweep(&column.family, until)?;
            self.mark_family(&column.family);
        }
        self.row.families[of_family].cut = true;
        if column_deleted && self.now > 0 {
            self.pending.put_delete(marker, self.now - 1);
        }
        self.pending.put(key, self.now, value);
        Ok(())
    }

    /// Sets a counter in place of the version at `before`.
    pub(super) fn put_counter(&mut self, column: &'a Column, before: Option<i64>, sum: i64) -> Result<(), Error> {
        let keeps_one = self.families.schema.require(&column.family)?.max_versions == 1;
        // Nobody reads the old value, and it would add an entry per increment.
        if let Some(before) = before.filter(|_| keeps_one) {
            self.pending.drop_entry(self.column_key(column, before, Kind::Value), Kind::Value);
        }
        self.put(column, Cow::Owned(sum.to_be_bytes().to_vec()))
    }

    fn delete_latest(&mut self, column: &'a Column) -> Result<(), Error> {
        match self.newest(column)? {
            Some((at, _)) if at < self.now => {
                let key = self.column_key(column, at, Kind::VersionDeleted);
                self.pending.put_delete(key, at);
            }
            // A marker would hide the next put.
            Some((at, _)) => self.pending.drop_entry(self.column_key(column, at, Kind::Value), Kind::Value),
            None => {}
        }
        Ok(())
    }

    fn delete_column(&mut self, column: &'a Column) -> Result<(), Error> {
        let marker = self.column_key(column, self.now - 1, Kind::ColumnDeleted);
        let versions = until(&marker);
        let prefix = versions.start().len();
        let mut found: Vec<Vec<u8>> = self.pending.later_in(&versions).cloned().collect();
        found.extend(self.stored(vec![versions])?);
        for key in found {
            if version_of(&key, prefix)?.kind == Kind::Value {
                self.pending.drop_entry(key, Kind::Value);
            }
        }
        if self.now > 0 {
            self.pending.put_delete(marker, self.now - 1);
        }
        Ok(())
    }

    fn delete_family(&mut self, family: &'a str) -> Result<(), Error> {
        self.sweep(family, i64::MAX)?;
        self.mark_family(family);
        Ok(())
    }

    /// Writes a marker that hides what the family has before now.
    fn mark_family(&mut self, family: &str) {
        if self.now > 0 {
            let key = self.key(family, Entry::FamilyDeleted { until: self.now - 1 });
            self.pending.put_delete(key, self.now - 1);
        }
    }

    /// Removes a family's values from now up to a timestamp.
    fn sweep(&mut self, name: &'a str, until: i64) -> Result<(), Error> {
        let of_family = self.find_family(name)?;
        let family = &self.row.families[of_family];
        let prefix = family.columns.start().len();
        let mut values = Vec::new();
        for key in self.pending.later_in(&family.columns) {
            let version = version_of(key, prefix)?;
            if version.kind == Kind::Value && version.at <= until {
                values.push(key.clone());
            }
        }
        if family.swept < Some(until) {
            let mut entries = Entries::new(self.view.scan(&Scan::new(vec![family.columns.clone()])));
            while entries.settle()? {
                let (key, _) = entries.get();
                let version = version_of(key, prefix)?;
                if version.at < self.now {
                    entries.pass(key.len() - VERSION)?;
                    continue;
                }
                if version.kind == Kind::Value && version.at <= until {
                    values.push(key.to_vec());
                }
                entries.advance();
            }
        }
        values.into_iter().for_each(|key| self.pending.drop_entry(key, Kind::Value));
        let family = &mut self.row.families[of_family];
        family.swept = family.swept.max(Some(until));
        Ok(())
    }

    /// The index of a family in the current row.
    fn find_family(&mut self, name: &'a str) -> Result<usize, Error> {
        if let Some(at) = self.row.families.iter().position(|family| family.name == name) {
            return Ok(at);
        }
        let first = self.key(name, Entry::FamilyDeleted { until: i64::MAX });
        let end = self.key(name, Entry::FamilyDeleted { until: self.now - 1 });
        let columns = KeyRange::prefix([&self.row.part, self.families.columns_of(name)?].concat());
        let markers = KeyRange::new(first, Some(end)).unwrap_or_else(|| columns.clone());
        self.row.families.push(OfFamily { name, markers, columns, cut: false, swept: None });
        Ok(self.row.families.len() - 1)
    }

    /// The keys that the store has in some ranges, except removed ones. There are few. One is read at a time: their
    /// neighbours may be large.
    fn stored(&self, ranges: Vec<KeyRange>) -> Result<Vec<Vec<u8>>, Error> {
        let mut entries = Entries::new(self.view.scan(&Scan::new(ranges).batch_rows(1)));
        let mut keys = Vec::new();
        while entries.settle()? {
            let (key, _) = entries.get();
            if !self.pending.drops(key) {
                keys.push(key.to_vec());
            }
            entries.advance();
        }
        Ok(keys)
    }

    fn column_key(&self, column: &Column, at: i64, kind: Kind) -> Vec<u8> {
        let version = Version { at, kind };
        self.key(&column.family, Entry::Column { qualifier: column.qualifier.as_slice().into(), version })
    }

    fn key(&self, family: &str, entry: Entry<'_>) -> Vec<u8> {
        let qualifier = if let Entry::Column { qualifier, .. } = &entry { qualifier.len() } else { 0 };
        let mut key = Vec::with_capacity(self.row.part.len() + family.len() + qualifier + 16);
        key.extend_from_slice(&self.row.part);
        Place { family, entry }.encode_to(&mut key);
        key
    }
}

/// The entries of a column before a version of it, that is, its later versions.
fn until(version: &[u8]) -> KeyRange {
    let column = &version[..version.len() - VERSION];
    KeyRange::new(column, Some(version)).unwrap_or_else(|| KeyRange::prefix(column))
}

/// The version at the end of a key, after a prefix of at least `prefix` bytes.
fn version_of(key: &[u8], prefix: usize) -> Result<Version, Error> {
    let at = key.len().saturating_sub(VERSION).max(prefix);
    Ok(Version::decode(key.get(at..).unwrap_or_default())?)
}

/// The entries of mutations in which every edit has a timestamp. Nothing has to be read.
pub(super) fn timed<'m>(families: &Families, rows: impl Iterator<Item = (&'m [u8], &'m Mutation)>) -> Batch {
    let mut batch = Batch::new();
    for (row, mutation) in rows {
        for edit in mutation.edits() {
            timed_entries(families, edit, |_, place, value| {
                batch.put(CellKey { row: row.into(), place }.encode(), value);
            });
        }
    }
    batch
}

/// The mutation that wrote an entry, by the entry's index in the result of [`timed`].
pub(super) fn writer_of_timed<'m>(
    families: &Families,
    mut rows: impl Iterator<Item = (&'m [u8], &'m Mutation)>,
    entry: usize,
) -> Option<usize> {
    let mut end = 0;
    rows.position(|(_, mutation)| {
        end += timed_entries_of(families, mutation);
        entry < end
    })
}

/// The number of entries of a mutation in the result of [`timed`].
pub(super) fn timed_entries_of(families: &Families, mutation: &Mutation) -> usize {
    let mut entries = 0;
    mutation.edits().iter().for_each(|edit| timed_entries(families, edit, |_, _, _| entries += 1));
    entries
}

/// The entries of an edit that has a timestamp.
fn timed_entries<'e>(families: &'e Families, edit: &'e Edit, mut put: impl FnMut(i64, Place<'e>, &'e [u8])) {
    let Some(at) = edit.timestamp() else { return };
    let version = |column: &'e Column, kind| {
        let entry = Entry::Column { qualifier: column.qualifier.as_slice().into(), version: Version { at, kind } };
        Place { family: &column.family, entry }
    };
    let of_family = |family| Place { family, entry: Entry::FamilyDeleted { until: at } };
    match edit {
        Edit::Put { column, value, .. } => put(at, version(column, Kind::Value), value),
        Edit::DeleteVersion { column, .. } => put(at, version(column, Kind::VersionDeleted), &[]),
        Edit::DeleteColumn { column, .. } => put(at, version(column, Kind::ColumnDeleted), &[]),
        Edit::DeleteFamily { family, .. } => put(at, of_family(family), &[]),
        Edit::DeleteRow { .. } => families.schema.families.keys().for_each(|family| put(at, of_family(family), &[])),
    }
}
