//! One piece of a purge: what one transaction reads and removes.

use super::PurgeCounts;
use super::position::{Inside, Position};
use crate::keys::key::RowKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Batch, Readable, Scan, TimeSlice};
use crate::wide::cells::entries::Entries;
use crate::wide::cells::key::{CellKey, Entry, Kind, Place, Version};
use crate::wide::cells::pick::VERSION;
use crate::wide::cells::plan::Families;
use crate::wide::cells::visible::{Fate, Visible, Why};

/// The bounds of a piece: entries that it reads at most, and bytes of keys after whose removal it ends.
const ENTRIES: usize = 1000;
const BYTES: usize = 1 << 20;
/// Number of entries between two looks at the clock.
const BETWEEN_LOOKS: usize = 8;

/// The bounds of a batch of pieces, and what was read and removed of them.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) most_entries: usize,
    pub(super) most_bytes: usize,
    pub(super) entries: usize,
    pub(super) bytes: usize,
    /// Entries of the current row.
    pub(super) of_row: usize,
}

impl Room {
    /// Returns whether the batch ends, between two rows or inside of one.
    pub(super) fn is_full(&self, inside: bool) -> bool {
        match inside {
            true => self.of_row >= self.most_entries,
            false => self.entries >= self.most_entries || self.bytes >= self.most_bytes,
        }
    }
}

/// The work of a piece.
pub(super) struct Done {
    pub(super) rows: u64,
    pub(super) cells: PurgeCounts,
    pub(super) room: Room,
    /// `None` at the end of the table.
    pub(super) next: Option<Position>,
}

/// A piece under way.
pub(super) struct Piece<'p> {
    families: &'p Families,
    view: &'p dyn Readable,
    now: i64,
    room: Room,
    rows: u64,
    cells: PurgeCounts,
    read: usize,
    /// The number of entries after which the piece ends.
    end: usize,
    slice: TimeSlice,
    values: Vec<Vec<u8>>,
    markers: Vec<Vec<u8>>,
    bytes: usize,
    at: At,
}

/// The place of the last entry, and what is known there.
#[derive(Default)]
struct At {
    key: Vec<u8>,
    /// The prefix of the row's entries; empty before the first row.
    part: Vec<u8>,
    /// The family, if the schema has it.
    family: String,
    /// True if the piece began in the family.
    in_family: bool,
    /// As of an [`Inside`].
    family_hides: Option<i64>,
    /// The prefix of the column's entries; empty outside of a column.
    column: Vec<u8>,
    /// True if the piece began in the column, and its versions were not counted in this piece.
    in_column: bool,
    /// As of an [`Inside`].
    column_hides: Option<i64>,
    /// As of an [`Inside`].
    why: Option<Why>,
    /// The time of the last entry, if that deletes one version.
    version_deleted: Option<i64>,
    visible: Visible,
}

impl<'p> Piece<'p> {
    pub(super) fn new(families: &'p Families, view: &'p dyn Readable, now: i64, room: Room) -> Self {
        let (values, markers) = (Vec::new(), Vec::new());
        let (cells, slice, at) = (PurgeCounts::default(), TimeSlice::begin(), At::default());
        Self { families, view, now, room, rows: 0, cells, read: 0, end: ENTRIES, slice, values, markers, bytes: 0, at }
    }

    /// Visits the entries from a position on, and returns what to remove.
    pub(super) fn purge(mut self, from: &Position) -> Result<(Done, Batch), Error> {
        let rest = match from {
            Position::Start => CellKey::rows_in(&KeyRange::all()),
            Position::AfterRow(row) => CellKey::rows_in(&KeyRange::after(row.as_slice())),
            Position::Inside(inside) => {
                self.resume(inside)?;
                KeyRange::after(&*inside.entry)
            }
        };
        let mut entries = Entries::new(self.view.scan(&self.scan(rest, self.room.most_entries)));
        while entries.settle()? {
            let (key, _) = entries.get();
            let begun = self.read > 0;
            let is_over = begun && self.is_over();
            if self.at.part.is_empty() || !key.starts_with(&self.at.part) {
                let row = self.end_row()?;
                if let Some(row) = row.filter(|_| is_over || (begun && self.room.is_full(false))) {
                    return Ok(self.done(Some(Position::AfterRow(row))));
                }
                self.at.part.extend_from_slice(CellKey::row_of(key));
            }
            let place =
                Place::decode(&key[self.at.part.len()..]).map_err(|error| Error::from(error).of_key("", key))?;
            if self.at.goes_on(key, &place) && (is_over || (begun && self.room.is_full(true))) {
                let inside = self.at.inside();
                return Ok(self.done(Some(Position::Inside(inside))));
            }
            self.entry(key, &place)?;
            entries.advance();
        }
        self.end_row()?;
        Ok(self.done(None))
    }

    fn scan(&self, range: KeyRange, most: usize) -> Scan {
        Scan::new(vec![range]).batch_rows(most.clamp(1, 256)).batch_bytes(BYTES)
    }

    fn is_over(&self) -> bool {
        let is_late = || self.read.is_multiple_of(BETWEEN_LOOKS) && self.slice.is_over();
        self.read >= self.end || self.bytes >= BYTES || is_late()
    }

    /// Values before the markers that hide them, in case a store fails in between.
    fn done(self, next: Option<Position>) -> (Done, Batch) {
        let mut dead = Batch::new();
        self.values.iter().chain(&self.markers).for_each(|key| _ = dead.delete(key.as_slice()));
        (Done { rows: self.rows, cells: self.cells, room: self.room, next }, dead)
    }

    /// Begins inside of a row.
    fn resume(&mut self, inside: &Inside<'_>) -> Result<(), Error> {
        let key = &*inside.entry;
        let part = CellKey::row_of(key);
        let place = Place::decode(&key[part.len()..]).map_err(|error| Error::from(error).of_key("", key))?;
        self.at.key.extend_from_slice(key);
        self.at.part.extend_from_slice(part);
        if !self.begin_family(place.family) {
            return Ok(());
        }
        let newest = self.newest_marker(place.family)?;
        newest.into_iter().for_each(|until| self.at.visible.family_deleted(until));
        self.at.in_family = true;
        self.at.family_hides = inside.family_hides.min(newest);
        if let Entry::Column { .. } = place.entry {
            self.at.column.extend_from_slice(column_of(key));
            self.at.in_column = true;
            self.at.visible.column();
            self.at.visible.assume(inside.kept);
            self.at.why = inside.why;
            if let Some(until) = inside.column_hides
                && self.view.get(&self.at.column_marker(until))?.is_some()
            {
                self.at.column_hides = Some(until);
                self.at.visible.version(Version { at: until, kind: Kind::ColumnDeleted });
            }
        }
        Ok(())
    }

    fn newest_marker(&self, family: &str) -> Result<Option<i64>, Error> {
        let under = |bound: &[u8]| [&self.at.part, bound].concat();
        let markers = self.families.markers_of(family)?;
        let range = KeyRange::new(under(markers.start()), markers.end().map(under));
        let mut entries = Entries::new(self.view.scan(&Scan::new(range.into_iter().collect()).limit(1)));
        if !entries.settle()? {
            return Ok(None);
        }
        let (key, _) = entries.get();
        let place = key.strip_prefix(self.at.part.as_slice()).unwrap_or_default();
        match Place::decode(place).map_err(|error| Error::from(error).of_key("", key))?.entry {
            Entry::FamilyDeleted { until } => Ok(Some(until)),
            Entry::Column { .. } => Ok(None),
        }
    }

    fn entry(&mut self, key: &[u8], place: &Place<'_>) -> Result<(), Error> {
        self.read += 1;
        self.room.entries += 1;
        self.room.of_row += 1;
        if self.at.family != place.family {
            self.end_family()?;
            // Cells of a family that is not in the schema are kept.
            self.begin_family(place.family);
        }
        self.at.key.clear();
        self.at.key.extend_from_slice(key);
        if self.at.family.is_empty() {
            return Ok(());
        }
        match place.entry {
            Entry::FamilyDeleted { until } => match self.at.family_hides {
                None => {
                    self.at.family_hides = Some(until);
                    self.at.visible.family_deleted(until);
                }
                // The newest marker hides what this one hides.
                Some(newest) if until < newest => self.remove(key, Kind::ColumnDeleted, Why::Deleted),
                Some(_) => {}
            },
            Entry::Column { version, .. } => {
                if self.at.column != column_of(key) {
                    self.end_column();
                    self.at.column.extend_from_slice(column_of(key));
                    self.at.visible.column();
                }
                self.at.version_deleted = (version.kind == Kind::VersionDeleted).then_some(version.at);
                match self.fate(key, version)? {
                    Fate::Kept => {
                        self.at.why = None;
                        self.cells.kept += 1;
                    }
                    // The newest marker of a column hides what its others hide.
                    Fate::Gone(_) | Fate::ColumnGone(_)
                        if version.kind == Kind::ColumnDeleted && self.at.column_hides.is_none() =>
                    {
                        self.at.column_hides = Some(version.at);
                    }
                    Fate::Gone(why) | Fate::ColumnGone(why) => {
                        self.remove(key, version.kind, self.at.why.unwrap_or(why));
                    }
                }
            }
        }
        Ok(())
    }

    /// The fate of a version of the current column.
    fn fate(&mut self, key: &[u8], version: Version) -> Result<Fate, Error> {
        let fate = self.at.visible.version(version);
        let Fate::ColumnGone(why) = fate else { return Ok(fate) };
        let Some(enough) = self.at.visible.versions_for(why).filter(|_| self.at.in_column) else { return Ok(fate) };
        // Others may have removed versions that an earlier piece has kept, so that this one is to be kept.
        self.count(key, enough)?;
        self.at.in_column = false;
        Ok(self.at.visible.version(version))
    }

    /// Counts the visible versions of the column before a key, up to a number.
    fn count(&mut self, key: &[u8], enough: u32) -> Result<(), Error> {
        let mut visible = self.at.visible.clone();
        visible.column();
        let before = KeyRange::new(self.at.column.as_slice(), Some(key));
        let scan = before.map(|before| self.scan(before, enough.try_into().unwrap_or(usize::MAX)));
        let mut entries = Entries::new(self.view.scan(&scan.unwrap_or_else(|| Scan::new(Vec::new()))));
        let mut counted = 0;
        while visible.versions() < enough && entries.settle()? {
            let (key, _) = entries.get();
            let version = key.strip_prefix(self.at.column.as_slice()).unwrap_or_default();
            let version = Version::decode(version).map_err(|error| Error::from(error).of_key("", key))?;
            counted += 1;
            if let Fate::ColumnGone(_) = visible.version(version) {
                break;
            }
            entries.advance();
        }
        self.at.visible = visible;
        // A piece does more where it has to count more.
        self.end = self.end.max(self.read + counted);
        self.slice = TimeSlice::begin();
        Ok(())
    }

    fn remove(&mut self, key: &[u8], kind: Kind, why: Why) {
        self.cells.removed_one(kind, why);
        self.bytes += key.len();
        self.room.bytes += key.len();
        let keys = if kind == Kind::Value { &mut self.values } else { &mut self.markers };
        keys.push(key.to_vec());
    }

    /// Returns whether the schema has the family.
    fn begin_family(&mut self, family: &str) -> bool {
        let Some(&schema) = self.families.schema.families.get(family) else { return false };
        self.at.family.push_str(family);
        self.at.visible.family(schema, self.now);
        true
    }

    fn end_column(&mut self) {
        if let Some(until) = self.at.column_hides.take() {
            self.remove(&self.at.column_marker(until), Kind::ColumnDeleted, Why::Deleted);
        }
        self.at.column.clear();
        self.at.in_column = false;
        self.at.why = None;
        self.at.version_deleted = None;
    }

    fn end_family(&mut self) -> Result<(), Error> {
        self.end_column();
        if let Some(until) = self.at.family_hides.take() {
            let place = Place { family: &self.at.family, entry: Entry::FamilyDeleted { until } };
            let mut marker = self.at.part.clone();
            place.encode_to(&mut marker);
            if !self.at.in_family || self.view.get(&marker)?.is_some() {
                self.remove(&marker, Kind::ColumnDeleted, Why::Deleted);
            }
        }
        self.at.family.clear();
        self.at.in_family = false;
        Ok(())
    }

    /// Ends the row, and returns its key, if there is one.
    fn end_row(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.at.part.is_empty() {
            return Ok(None);
        }
        self.end_family()?;
        let mut row = Vec::new();
        let part = &self.at.part;
        CellKey::read_row(part, &mut row).map_err(|error| Error::from(error).of_key("", part))?;
        self.at.part.clear();
        self.rows += 1;
        self.room.of_row = 0;
        Ok(Some(row))
    }
}

impl At {
    /// Returns whether an entry is another one than the version that the last entry deletes: those two go together.
    fn goes_on(&self, key: &[u8], place: &Place<'_>) -> bool {
        match place.entry {
            Entry::Column { version, .. } => self.version_deleted != Some(version.at) || self.column != column_of(key),
            Entry::FamilyDeleted { .. } => true,
        }
    }

    fn column_marker(&self, until: i64) -> Vec<u8> {
        let mut key = self.column.clone();
        Version { at: until, kind: Kind::ColumnDeleted }.encode_to(&mut key);
        key
    }

    fn inside(&self) -> Inside<'static> {
        let &Self { ref key, family_hides, column_hides, why, ref visible, .. } = self;
        let (entry, why) = (key.clone().into(), why.or(visible.rest()));
        Inside { entry, family_hides, column_hides, kept: visible.versions(), why }
    }
}

/// The prefix of a column's entries, from a key of one of them.
fn column_of(key: &[u8]) -> &[u8] {
    &key[..key.len().saturating_sub(VERSION)]
}
