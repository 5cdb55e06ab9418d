//! Reads rows from entries: the cells that exist and are asked for.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::entries::Entries;
use super::key::{CellKey, Entry, FamilyPlaces, Kind, Place, Version};
use super::visible::{Fate, Visible};
use crate::keys::key::RowKey;
use crate::keys::range::{KeyRange, successor};
use crate::store::error::Error;
use crate::store::row_batch::clear_within;
use crate::store::{CallOptions, Room, RowBatch, Rows, Scan, Store, TableId};
use crate::wide::column::{Columns, Compare, Condition};
use crate::wide::row::{CellIter, end_cell, push_column};
use crate::wide::schema::TableSchema;

/// The places of a row to read for some columns, sorted.
fn places(families: &Families, columns: &Columns) -> Result<Vec<KeyRange>, Error> {
    if columns.families().is_empty() {
        return Ok(vec![KeyRange::all()]);
    }
    let mut places = Vec::new();
    for (family, qualifiers) in columns.families() {
        let family = families.places(family)?;
        if !qualifiers.is_empty() {
            places.push(family.markers());
            places.extend(qualifiers.iter().filter_map(|range| family.columns(range)));
        }
    }
    Ok(places)
}

/// A table's families, and their places in a row.
pub(super) struct Families {
    pub(super) schema: TableSchema,
    places: BTreeMap<String, FamilyPlaces>,
}

impl Families {
    pub(super) fn new(schema: TableSchema) -> Self {
        let places = schema.families.keys().map(|name| (name.clone(), FamilyPlaces::new(name))).collect();
        Self { schema, places }
    }

    /// The prefix of the places of a family's columns.
    pub(super) fn columns_of(&self, family: &str) -> Result<&[u8], Error> {
        Ok(self.places(family)?.columns_prefix())
    }

    fn places(&self, family: &str) -> Result<&FamilyPlaces, Error> {
        match self.places.get(family) {
            Some(places) => Ok(places),
            None => Err(self.schema.no_such(family)),
        }
    }
}

/// What a read of rows looks at, and which cells it picks.
pub(super) struct Plan {
    families: Arc<Families>,
    places: Vec<KeyRange>,
    pick: Pick,
    /// Only rows in which this picks a value that passes the condition.
    rows_where: Option<(Condition, Pick)>,
    piece: Option<usize>,
}

impl Plan {
    pub(super) fn new(families: &Arc<Families>, columns: &Columns, now: i64) -> Result<Self, Error> {
        let mut looked_at = places(families, columns)?;
        let mut pick = Pick::new(columns, now);
        let rows_where = match &columns.rows_where {
            None => None,
            Some(check) => {
                let column = Columns::of(&check.column);
                let mut other = Pick::new(&column, now);
                other.places = places(families, &column)?;
                pick.places = std::mem::take(&mut looked_at);
                looked_at = KeyRange::merged(pick.places.iter().chain(&other.places).cloned().collect());
                Some((check.clone(), other))
            }
        };
        let piece = columns.piece.map(NonZeroUsize::get);
        Ok(Self { families: Arc::clone(families), places: looked_at, pick, rows_where, piece })
    }

    /// The entries of one row to read.
    pub(super) fn ranges_of(&self, row: &[u8]) -> Vec<KeyRange> {
        let part = CellKey::row_part(row);
        let of_row = |place: &KeyRange| {
            let end = place.end().map_or_else(|| successor(&part), |end| Some([&part, end].concat()));
            KeyRange::new([&part, place.start()].concat(), end)
        };
        self.places.iter().filter_map(of_row).collect()
    }

    /// One range from the first to the last entry of a row to read. The reader skips what is between.
    pub(super) fn range_of(&self, row: &[u8]) -> Option<KeyRange> {
        let part = CellKey::row_part(row);
        let end = match self.places.last()?.end() {
            Some(end) => Some([&part, end].concat()),
            None => successor(&part),
        };
        KeyRange::new([&part, self.places.first()?.start()].concat(), end)
    }
}

/// What to do after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// Return the cell: it was asked for.
    Take,
    Next,
    /// Nothing more of the column is needed.
    NextColumn,
    /// Nothing more of the row is needed.
    NextRow,
}

/// Picks the cells of a row that are asked for.
struct Pick {
    /// The places it asks for, if those are not all places that are read.
    places: Vec<KeyRange>,
    versions: u32,
    time: Option<(i64, i64)>,
    value: Option<(Compare, Vec<u8>)>,
    first_only: bool,
    offset: u64,
    limit: u64,
    now: i64,
    visible: Visible,
    /// The family of the current entry.
    family: String,
    /// The prefix of the places of the current column, up to the version, and the beginning of its cells. Kept from row
    /// to row, as the next row often has the same column.
    column: Vec<u8>,
    cell: Vec<u8>,
    /// Whether the column was seen in this row.
    in_column: bool,
    /// Number of versions of the column that were taken.
    taken: u32,
    /// Number of columns of the row with something to take.
    columns: u64,
    column_over: bool,
    over: bool,
}

impl Pick {
    fn new(columns: &Columns, now: i64) -> Self {
        Self {
            places: Vec::new(),
            versions: columns.versions,
            time: columns.time,
            value: columns.value.clone(),
            first_only: columns.first_only,
            offset: columns.offset,
            limit: columns.limit.map_or(u64::MAX, |limit| limit.saturating_add(columns.offset)),
            now,
            visible: Visible::default(),
            family: String::new(),
            column: Vec::new(),
            cell: Vec::new(),
            in_column: false,
            taken: 0,
            columns: 0,
            column_over: false,
            over: false,
        }
    }

    fn row(&mut self) {
        self.visible.row();
        self.in_column = false;
        self.columns = 0;
        self.over = self.limit == 0 || self.versions == 0;
    }

    fn asks_for(&self, place: &[u8]) -> bool {
        self.places.iter().any(|range| range.contains(place))
    }

    /// Looks at an entry. Returns what to do, and the timestamp if the cell is to be returned.
    #[inline]
    fn see(&mut self, schema: &TableSchema, place: &[u8], value: &[u8]) -> Result<(Then, i64), Error> {
        if self.over {
            return Ok((Then::NextRow, 0));
        }
        let at = place.len().saturating_sub(VERSION);
        // A place that is too short for a version is not a column's, and decoding it is an error.
        let version = if at > 0 && place[..at] == self.column {
            if !self.in_column {
                self.begin_column();
            } else if self.column_over {
                return Ok((Then::NextColumn, 0));
            }
            Version::decode(&place[at..])?
        } else {
            match self.go_on(schema, place)? {
                Some(version) => version,
                None => return Ok((Then::Next, 0)),
            }
        };
        let then = self.version(version, value);
        self.column_over = then == Then::NextColumn;
        Ok((then, version.at))
    }

    fn begin_column(&mut self) {
        self.visible.column();
        self.in_column = true;
        self.taken = 0;
        self.column_over = false;
    }

    /// Moves on to another column or family. `None` for a family's marker, and for a family that is not in the schema.
    fn go_on(&mut self, schema: &TableSchema, place: &[u8]) -> Result<Option<Version>, Error> {
        let Place { family, entry } = Place::decode(place)?;
        if self.family != family {
            let Some(&schema) = schema.families.get(family) else { return Ok(None) };
            self.family.clear();
            self.family.push_str(family);
            self.column.clear();
            self.visible.family(schema, self.now);
        }
        match entry {
            Entry::FamilyDeleted { until } => {
                self.visible.family_deleted(until);
                Ok(None)
            }
            Entry::Column { qualifier, version } => {
                self.begin_column();
                self.column.clear();
                self.column.extend_from_slice(&place[..place.len() - VERSION]);
                self.cell.clear();
                push_column(&mut self.cell, family, &qualifier)?;
                Ok(Some(version))
            }
        }
    }

    #[inline]
    fn version(&mut self, version: Version, value: &[u8]) -> Then {
        if let (Some((start, end)), Kind::Value) = (self.time, version.kind) {
            if version.at < start {
                return Then::NextColumn;
            }
            if version.at >= end {
                return Then::Next;
            }
        }
        match self.visible.version(version) {
            Fate::Gone(_) => return Then::Next,
            Fate::ColumnGone(_) => return Then::NextColumn,
            Fate::Kept => {}
        }
        if self.value.as_ref().is_some_and(|(compare, given)| !compare.holds(value, given)) {
            return Then::Next;
        }
        if self.taken >= self.versions {
            return Then::NextColumn;
        }
        if self.taken == 0 {
            if self.columns >= self.limit {
                self.over = true;
                return Then::NextRow;
            }
            self.columns += 1;
            if self.columns <= self.offset {
                return Then::NextColumn;
            }
        }
        self.taken += 1;
        self.over = self.first_only;
        Then::Take
    }
}

/// Number of bytes of the version at the end of a column's place.
pub(super) const VERSION: usize = match Version::LAYOUT.width() {
    Some(width) => width,
    None => panic!("a version has one width"),
};

/// A row, or some of its cells.
pub(super) struct Piece<'r> {
    /// Whether it is the first piece of the row.
    first: bool,
    row: &'r [u8],
    cells: &'r [u8],
}

/// Reads rows, one after another.
pub(super) struct RowReader {
    plan: Plan,
    entries: Entries,
    reverse: bool,
    /// The key of the current row, unless the caller knows it.
    row: Vec<u8>,
    reads_keys: bool,
    /// The prefix of the row's entries; empty between rows.
    part: Vec<u8>,
    /// The cells that were picked, and where those begin that were not returned yet.
    cells: Vec<u8>,
    at: usize,
    picked: usize,
    /// Whether the row's condition holds.
    holds: bool,
    /// Whether a piece of the row was returned.
    given: bool,
    /// The entries of a row that is read in reverse.
    buffer: RowBatch,
    /// Number of bytes of memory to keep from row to row.
    kept: usize,
}

impl RowReader {
    /// `scan` is the scan of the entries.
    pub(super) fn new(plan: Plan, entries: Box<dyn Rows>, scan: &Scan) -> Self {
        Self {
            plan,
            entries: Entries::new(entries),
            reverse: scan.reverse,
            row: Vec::new(),
            reads_keys: true,
            part: Vec::new(),
            cells: Vec::new(),
            at: 0,
            picked: 0,
            holds: true,
            given: false,
            buffer: RowBatch::new(),
            kept: scan.batch_bytes,
        }
    }

    /// Returns the next row with a picked cell, or the next piece of one; `None` at the end. Does not begin another row
    /// unless `more`.
    pub(super) fn next_piece(&mut self, more: bool) -> Result<Option<Piece<'_>>, Error> {
        loop {
            if self.at < self.cells.len() {
                let at = self.at;
                self.at = self.end_of_piece();
                let first = !std::mem::replace(&mut self.given, true);
                return Ok(Some(Piece { first, row: &self.row, cells: &self.cells[at..self.at] }));
            }
            clear_within(&mut self.cells, self.kept);
            self.at = 0;
            if self.part.is_empty() && (!more || !self.begin()?) {
                return Ok(None);
            }
            if self.reverse {
                self.read_back()?
            } else {
                self.read()?
            }
            if !self.holds {
                self.cells.clear();
            }
        }
    }

    /// All cells of the next row.
    pub(super) fn into_cells(mut self) -> Result<Vec<u8>, Error> {
        self.plan.piece = None;
        self.reads_keys = false;
        let found = self.next_piece(true)?.is_some();
        Ok(if found { self.cells } else { Vec::new() })
    }

    fn begin(&mut self) -> Result<bool, Error> {
        if !self.entries.settle()? {
            return Ok(false);
        }
        let (key, _) = self.entries.get();
        let part = CellKey::row_of(key);
        if self.reads_keys {
            CellKey::read_row(part, &mut self.row).map_err(|error| Error::from(error).of_key("", key))?;
        }
        self.part.extend_from_slice(part);
        self.given = false;
        self.plan.pick.row();
        self.holds = true;
        if let Some((check, pick)) = &mut self.plan.rows_where {
            pick.row();
            self.holds = check.holds(None);
        }
        Ok(true)
    }

    /// Reads to the end of the row, or of a piece.
    fn read(&mut self) -> Result<(), Error> {
        self.picked = 0;
        // A condition may depend on the row's last cell, so the whole row is read first.
        let piece = self.plan.piece.filter(|_| self.plan.rows_where.is_none()).unwrap_or(usize::MAX);
        let (mut next, whole) = (0, self.plan.places == [KeyRange::all()]);
        while self.entries.settle()? {
            let (key, value) = self.entries.get();
            let Some(place) = key.strip_prefix(self.part.as_slice()) else { break };
            if !whole {
                while self.plan.places.get(next).is_some_and(|range| range.ends_by(place)) {
                    next += 1;
                }
                match self.plan.places.get(next) {
                    None => {
                        self.entries.pass(self.part.len())?;
                        continue;
                    }
                    Some(range) if place < range.start() => {
                        let start = [&self.part, range.start()].concat();
                        self.entries.seek(&start)?;
                        continue;
                    }
                    Some(_) => {}
                }
            }
            if self.picked == piece {
                return Ok(());
            }
            let (row, column) = (self.part.len(), key.len().saturating_sub(VERSION));
            let seen = self.plan.see(place, value, &mut self.cells, &mut self.holds);
            match seen.map_err(|error| error.of_key("", key))? {
                Then::Take => {
                    self.picked += 1;
                    self.entries.advance();
                }
                Then::Next => self.entries.advance(),
                Then::NextColumn => self.entries.pass(column)?,
                Then::NextRow => self.entries.pass(row)?,
            }
        }
        self.part.clear();
        Ok(())
    }

    /// Reads a row whose entries come in reverse.
    fn read_back(&mut self) -> Result<(), Error> {
        self.buffer.clear_within(self.kept);
        while self.entries.settle()? {
            let (key, value) = self.entries.get();
            let Some(place) = key.strip_prefix(self.part.as_slice()) else { break };
            if self.plan.places.iter().any(|range| range.contains(place)) {
                self.buffer.push(place, value);
            }
            self.entries.advance();
        }
        for index in (0..self.buffer.len()).rev() {
            let (place, value) = self.buffer.get(index).unwrap_or_default();
            let seen = self.plan.see(place, value, &mut self.cells, &mut self.holds);
            if seen.map_err(|error| error.of_key("", &[&self.part, place].concat()))? == Then::NextRow {
                break;
            }
        }
        self.part.clear();
        Ok(())
    }

    /// Where the next piece ends.
    fn end_of_piece(&self) -> usize {
        let Some(piece) = self.plan.piece else { return self.cells.len() };
        let mut cells = CellIter::new(&self.cells[self.at..]);
        cells.by_ref().take(piece).for_each(drop);
        self.cells.len() - cells.left().len()
    }
}

impl Plan {
    /// Looks at an entry, and appends its cell to `cells` if it is asked for.
    #[inline]
    fn see(&mut self, place: &[u8], value: &[u8], cells: &mut Vec<u8>, holds: &mut bool) -> Result<Then, Error> {
        let Self { families, pick, rows_where, .. } = self;
        let schema = &families.schema;
        let Some((check, other)) = rows_where else {
            return pick.take(schema, place, value, cells);
        };
        // Each of the two picks asks for a part of the places that are read.
        let mut over = Then::Next;
        if other.asks_for(place) {
            let (then, _) = other.see(schema, place, value)?;
            if then == Then::Take {
                *holds = check.holds(Some(value));
            }
            over = then;
        }
        let then = if pick.asks_for(place) { pick.take(schema, place, value, cells)? } else { Then::Next };
        Ok(match (then, over) {
            (Then::NextRow, Then::NextRow) => Then::NextRow,
            (Then::Take, _) => Then::Take,
            _ => Then::Next,
        })
    }
}

impl Pick {
    #[inline]
    fn take(&mut self, schema: &TableSchema, place: &[u8], value: &[u8], cells: &mut Vec<u8>) -> Result<Then, Error> {
        let (then, timestamp) = self.see(schema, place, value)?;
        if then == Then::Take {
            let at = cells.len();
            cells.reserve(self.cell.len() + value.len());
            cells.extend_from_slice(&self.cell);
            end_cell(cells, at, timestamp, value)?;
        }
        Ok(then)
    }
}

/// A scan of rows over a scan of entries.
pub(super) struct CellRows {
    /// An error that follows the rows already returned.
    failed: Option<Error>,
    reader: Option<RowReader>,
    left: u64,
    batch_rows: usize,
    batch_bytes: usize,
    /// Each batch of rows is a call, and may read several batches of entries.
    options: CallOptions,
    table: TableId,
}

impl CellRows {
    pub(super) fn new(plan: Plan, scan: &Scan, store: &impl Store) -> Self {
        let batch_rows = scan.batch_rows.max(1);
        let left = scan.limit.unwrap_or(u64::MAX);
        // A few rows do not need a large batch.
        let rows = usize::try_from(left).unwrap_or(usize::MAX).min(batch_rows);
        let entries = rows.saturating_mul(4).clamp(8, batch_rows.max(256));
        let ranges = scan.ranges.iter().map(CellKey::rows_in).collect();
        // Two batches are held: one of entries, one of rows.
        let beneath =
            Scan::new(ranges).reverse(scan.reverse).batch_rows(entries).batch_bytes(scan.batch_bytes).divided(2);
        let reader = RowReader::new(plan, store.scan(&beneath), &beneath);
        let (options, table) = (store.options().clone(), store.id().clone());
        Self { failed: None, reader: Some(reader), left, batch_rows, batch_bytes: beneath.batch_bytes, options, table }
    }
}

impl Rows for CellRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        if let Some(reader) = &mut self.reader
            && !self.options.is_unbounded()
        {
            match self.options.begin("scan", self.table.name()) {
                Ok(call) => reader.entries.begin(call.rest(), &self.table),
                Err(error) => {
                    self.reader = None;
                    return Err(error);
                }
            }
        }
        let mut room = Room::new(batch, self.batch_rows, self.batch_bytes);
        while let (Some(reader), false) = (&mut self.reader, room.is_full()) {
            match reader.next_piece(self.left > 0) {
                Ok(Some(Piece { first, row, cells })) => {
                    self.left -= u64::from(first);
                    room.push(row, cells);
                }
                end => {
                    self.failed = end.err();
                    self.reader = None;
                }
            }
        }
        // Rows that were read before an error are returned before it.
        match self.failed.take_if(|_| batch.is_empty()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
