//! The cells of a family: how many of a kind a row has, and how much of one is its key.

use rowkey::untyped::FieldBuf;

use crate::cost::{CELL, rows};
use crate::design::{BlockEncoding, Columns, Family, Size};
use crate::facts::{KeyFacts, about};
use crate::finding::Edit;
use crate::resolve::TableDesign;
use crate::rules::context::Context;

/// Cells of one kind.
pub(super) struct Cell<'d> {
    /// The column.
    pub(super) name: &'d str,
    /// The bytes of the column's name.
    pub(super) name_bytes: f64,
    /// The number in a row.
    pub(super) count: f64,
    /// The most that a row has, as far as the file says.
    pub(super) most: f64,
    /// The bytes of a value.
    pub(super) value: Option<f64>,
    /// The bytes of the largest value, as far as the file says.
    pub(super) largest: Option<f64>,
    /// True if the column's name is data, as much as its value.
    pub(super) names_are_data: bool,
}

impl Cell<'_> {
    /// That of a row or family of which the file says no column.
    pub(super) const UNNAMED: Self =
        Self { name: "", name_bytes: 0.0, count: 1.0, most: 1.0, value: None, largest: None, names_are_data: false };
}

/// The cells of a family.
pub(super) fn of(family: &Family) -> Vec<Cell<'_>> {
    let named = |name: &'_ str| family.sizes.get(name).map(|size| &size.value);
    let cell = |name| {
        let size = named(name);
        let (value, largest) = (size.map(about), size.map(largest));
        Cell { name, name_bytes: name.len() as f64, count: 1.0, most: 1.0, value, largest, names_are_data: false }
    };
    match family.columns.as_ref().map(|columns| &columns.value) {
        Some(Columns::Names(names)) => names.iter().map(|name| cell(name.as_str())).collect(),
        Some(Columns::OfRow(of_row)) => {
            let (name, shape) = of_row.name.split_once(':').unwrap_or((&of_row.name, ""));
            let name = name.trim();
            let width = FieldBuf::new(name, shape.trim()).ok().and_then(|field| field.ty.width());
            let count = of_row.per_row.map_or(1.0, |count| count.0);
            let most = of_row.max.map_or(count, |max| max.0.max(count));
            let size = named(name);
            let value = of_row.value.map(|bytes| bytes.0).or(size.map(about));
            let largest = size.map(largest).or(value);
            let name_bytes = width.map_or(8.0, |width| width as f64);
            vec![Cell { name, name_bytes, count, most, value, largest, names_are_data: true }]
        }
        None => family.sizes.keys().map(|name| cell(name)).collect(),
    }
}

/// The largest of the numbers that a size says.
pub(super) fn largest(size: &Size) -> f64 {
    match size {
        Size::About(bytes) => bytes.0,
        Size::Spread(spread) => {
            [spread.p50, spread.p99, spread.max].into_iter().flatten().map(|bytes| bytes.0).fold(0.0, f64::max)
        }
    }
}

/// The share of a family's bytes that the keys of its cells take.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// The number of cells of a row in the family.
    pub(super) cells: f64,
    /// The bytes of their keys: row key, family, column, timestamp, type and lengths.
    pub(super) keys: f64,
    /// The bytes of the names among these.
    pub(super) names: f64,
    /// The bytes of their values.
    pub(super) values: f64,
}

impl Share {
    /// As cells are without an encoding. None where the size of a value is not known, or all are empty: then the key is
    /// what is stored.
    pub(super) fn plain(name: &str, family: &Family, key: &KeyFacts<'_>) -> Option<Self> {
        Self::new(name, family, |cell| key.bytes + name.len() as f64 + cell.name_bytes + CELL)
    }

    /// As FAST_DIFF writes cells: what a cell has in common with the one before is left out, so a row has its key once.
    pub(super) fn fast_diff(name: &str, family: &Family, key: &KeyFacts<'_>, table: &TableDesign) -> Option<Self> {
        let cells: f64 = of(family).iter().map(|cell| cell.count).sum();
        let own = own_bytes(key, rows(table)) / cells.max(1.0);
        Self::new(name, family, |cell| own + cell.name_bytes + ENCODED).map(|share| {
            // What a program would store in the value otherwise is no overhead.
            let data: f64 =
                of(family).iter().filter(|cell| cell.names_are_data).map(|cell| cell.count * cell.name_bytes).sum();
            Self { keys: share.keys - data, values: share.values + data, ..share }
        })
    }

    /// As the family's encoding, or its default, writes cells.
    pub(super) fn encoded(name: &str, family: &Family, key: &KeyFacts<'_>, table: &TableDesign) -> Option<Self> {
        if leaves_out_prefixes(family) {
            Self::fast_diff(name, family, key, table)
        } else {
            Self::plain(name, family, key)
        }
    }

    fn new(name: &str, family: &Family, key_of: impl Fn(&Cell<'_>) -> f64) -> Option<Self> {
        let mut share = Self { cells: 0.0, keys: 0.0, names: 0.0, values: 0.0 };
        for cell in of(family) {
            share.cells += cell.count;
            share.keys += cell.count * key_of(&cell);
            share.names += cell.count * (name.len() as f64 + cell.name_bytes);
            share.values += cell.count * cell.value?;
        }
        (share.values > 0.0 && share.values.is_finite() && share.keys.is_finite()).then_some(share)
    }

    /// The share of keys, from 0 to 1.
    pub(super) fn of_keys(self) -> f64 {
        self.keys / (self.keys + self.values)
    }
}

/// A cell's lengths, flags and timestamp as FAST_DIFF writes them, about.
const ENCODED: f64 = 7.0;

/// True if the encoding of a family's blocks leaves out what keys have in common.
pub(super) fn leaves_out_prefixes(family: &Family) -> bool {
    use BlockEncoding::{Diff, FastDiff, Prefix};
    family.encoding.as_ref().is_some_and(|encoding| matches!(**encoding, Prefix | Diff | FastDiff))
}

/// The bytes of a row's key that it does not have in common with the row before: those behind the leading fields that
/// several rows share.
fn own_bytes(key: &KeyFacts<'_>, rows: Option<f64>) -> f64 {
    let Some(rows) = rows else {
        return key.bytes;
    };
    let (mut values, mut shared) = (1.0, key.layout.lead().width() as f64);
    for field in &key.fields {
        let Some(spread) = field.spread else { break };
        values *= spread.distinct;
        if values * 2.0 > rows {
            break;
        }
        shared += field.bytes;
    }
    (key.bytes - shared).max(1.0)
}

/// The edit that encodes a family's blocks.
pub(super) fn encode(context: &Context<'_>, family: &str) -> Vec<Edit> {
    let Some(family) = context.table.table.family.get(family) else {
        return Vec::new();
    };
    match &family.encoding {
        Some(encoding) => vec![Edit { place: encoding.place, text: "\"fast_diff\"".to_owned() }],
        None => context.design.files.key_added(family.place, "encoding", "\"fast_diff\"").into_iter().collect(),
    }
}
