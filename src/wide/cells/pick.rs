//! Picks the cells of a row that exist and are asked for.

use super::key::{Entry, Kind, Place, Version};
use super::visible::{Fate, Visible};
use crate::keys::key::RowKey;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::wide::column::{Columns, Compare};
use crate::wide::row::{end_cell, push_column};
use crate::wide::schema::TableSchema;

/// The step after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Return the cell: it was asked for.
    Take,
    Next,
    /// Nothing more of the column is needed.
    NextColumn,
    /// Nothing more of the row is needed.
    NextRow,
}

/// Picks the cells of a row that are asked for.
pub(super) struct Pick {
    /// The places it asks for, if those are not all places that are read.
    pub(super) places: Vec<KeyRange>,
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
    /// True if the column was seen in this row.
    in_column: bool,
    /// Number of versions of the column that were taken.
    taken: u32,
    /// Number of columns of the row with something to take.
    columns: u64,
    column_over: bool,
    over: bool,
}

impl Pick {
    pub(super) fn new(columns: &Columns, now: i64) -> Self {
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

    pub(super) fn row(&mut self) {
        self.visible.row();
        self.in_column = false;
        self.columns = 0;
        self.over = self.limit == 0 || self.versions == 0;
    }

    pub(super) fn asks_for(&self, place: &[u8]) -> bool {
        self.places.iter().any(|range| range.contains(place))
    }

    /// Looks at an entry. Returns what to do, and the timestamp if the cell is to be returned.
    #[inline]
    pub(super) fn see(&mut self, schema: &TableSchema, place: &[u8], value: &[u8]) -> Result<(Then, i64), Error> {
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

    #[inline]
    pub(super) fn take(
        &mut self,
        schema: &TableSchema,
        place: &[u8],
        value: &[u8],
        cells: &mut Vec<u8>,
    ) -> Result<Then, Error> {
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

/// Number of bytes of the version at the end of a column's place.
pub(super) const VERSION: usize = match Version::LAYOUT.width() {
    Some(width) => width,
    None => panic!("a version has one width"),
};
