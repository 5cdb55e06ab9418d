//! The entries that a read of rows looks at.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::key::{CellKey, FamilyPlaces};
use super::pick::{Pick, Then};
use crate::keys::range::{KeyRange, successor};
use crate::store::error::Error;
use crate::wide::column::{Columns, Condition};
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

    /// The places of a family's markers.
    pub(super) fn markers_of(&self, family: &str) -> Result<KeyRange, Error> {
        Ok(self.places(family)?.markers())
    }

    fn places(&self, family: &str) -> Result<&FamilyPlaces, Error> {
        match self.places.get(family) {
            Some(places) => Ok(places),
            None => Err(self.schema.no_such(family)),
        }
    }
}

/// The entries that a read of rows looks at, and the cells that it picks.
pub(super) struct Plan {
    families: Arc<Families>,
    pub(super) places: Vec<KeyRange>,
    pub(super) pick: Pick,
    /// Only rows in which this picks a value that passes the condition.
    pub(super) rows_where: Option<(Condition, Pick)>,
    pub(super) piece: Option<usize>,
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

    /// Looks at an entry, and appends its cell to `cells` if it is asked for.
    #[inline]
    pub(super) fn see(
        &mut self,
        place: &[u8],
        value: &[u8],
        cells: &mut Vec<u8>,
        holds: &mut bool,
    ) -> Result<Then, Error> {
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
