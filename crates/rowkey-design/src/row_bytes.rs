//! The bytes of a row, and of one put of a write.

use crate::design::{Columns, Family, Write};
use crate::facts::{KeyFacts, about};
use crate::problem::Located;
use crate::resolve::TableDesign;

/// The bytes of a cell beside key, family, qualifier and value: HBase's lengths, timestamp and type.
pub(crate) const CELL: f64 = 20.0;

/// The bytes of a column's name that is data, if nothing is known of it.
const NAME_OF_DATA: f64 = 2.0;

/// The columns that a row has in a family whose columns are data.
pub(crate) fn per_row(family: &Family) -> Option<f64> {
    match &family.columns.as_ref()?.value {
        Columns::OfRow(of_row) => of_row.per_row.map(|count| count.0),
        Columns::Names(_) => None,
    }
}

/// The bytes of each value whose size the file does not say: what the values of a row have, less those that the file
/// says, in equal parts.
pub(crate) fn unsaid(table: &TableDesign, value_bytes: f64) -> f64 {
    let families = || table.table.family.values().map(|family| &family.value);
    let (mut said, mut count) = (0.0, if table.table.family.is_empty() { 1.0 } else { 0.0 });
    let mut add = |cells: f64, value: Option<f64>| match value {
        Some(bytes) => said += cells * bytes,
        None => count += cells,
    };
    for family in families() {
        let size = |column: &str| family.sizes.get(column).map(|size| about(&size.value));
        match family.columns.as_ref().map(|columns| &columns.value) {
            Some(Columns::OfRow(of_row)) => {
                add(of_row.per_row.map_or(1.0, |count| count.0), of_row.value.map(|bytes| bytes.0));
            }
            Some(Columns::Names(names)) => names.iter().for_each(|name| add(1.0, size(name))),
            None if family.sizes.is_empty() => add(1.0, None),
            None => family.sizes.values().for_each(|size| add(1.0, Some(about(&size.value)))),
        }
    }
    if count > 0.0 { ((value_bytes - said) / count).max(0.0) } else { 0.0 }
}

/// The bytes of a row as a scan reads it: each cell with its key, family, qualifier, timestamp and type.
///
/// `columns`: those that are read, as `column`, `family:column` or a family; all where there are none.
pub fn bytes_per_row(table: &TableDesign, key: &KeyFacts<'_>, columns: &[Located<String>]) -> f64 {
    bytes_with(table, key, columns, |_| 1.0).max(key.bytes)
}

/// The bytes on disk of a byte that is written to these columns, of all families together.
pub fn on_disk(table: &TableDesign, key: &KeyFacts<'_>, columns: &[Located<String>]) -> f64 {
    let own = |family: &Family| family.on_disk.as_ref().map_or(1.0, |part| part.value);
    let all = bytes_with(table, key, columns, |_| 1.0);
    if all > 0.0 { bytes_with(table, key, columns, own) / all } else { 1.0 }
}

/// True if all columns of a family are among these.
fn is_whole(columns: &[Located<String>], family: &str) -> bool {
    columns.is_empty() || columns.iter().any(|column| column.as_str() == family)
}

/// True if a column of a family is among these: by its name, by that and the family's, or with the whole family.
fn is_asked(columns: &[Located<String>], family: &str, column: &str) -> bool {
    let this = |asked: &str| match asked.split_once(':') {
        Some((of, rest)) if of == family => rest == column,
        _ => asked == column,
    };
    is_whole(columns, family) || columns.iter().any(|asked| this(asked))
}

/// The bytes of the cells of a row, those of each family multiplied by a factor.
fn bytes_with(
    table: &TableDesign,
    key: &KeyFacts<'_>,
    columns: &[Located<String>],
    times: impl Fn(&Family) -> f64,
) -> f64 {
    let unsaid = key.value_bytes.map_or(0.0, |bytes| unsaid(table, bytes));
    let mut all = if table.table.family.is_empty() { key.bytes + unsaid } else { 0.0 };
    for (name, family) in &table.table.family {
        let mut bytes = 0.0;
        let whole = is_whole(columns, name);
        let asked = |column: &str| is_asked(columns, name, column);
        let cell = key.bytes + name.len() as f64 + CELL;
        let size = |column: &str| family.sizes.get(column).map_or(unsaid, |size| about(&size.value));
        match family.columns.as_ref().map(|columns| &columns.value) {
            Some(Columns::OfRow(of_row)) => {
                let prefix = format!("{name}:");
                let some = columns.iter().filter(|column| column.starts_with(&prefix)).count() as f64;
                let per_row = of_row.per_row.map_or(1.0, |count| count.0);
                let cells = if whole { per_row } else { some.min(per_row) };
                bytes += cells * (cell + NAME_OF_DATA + of_row.value.map_or(unsaid, |bytes| bytes.0));
            }
            Some(Columns::Names(names)) => {
                let names = names.iter().filter(|column| asked(column));
                bytes += names.map(|column| cell + column.len() as f64 + size(column)).sum::<f64>();
            }
            None if family.sizes.is_empty() && whole => bytes += cell + unsaid,
            None => {
                let names = family.sizes.keys().filter(|column| asked(column));
                bytes += names.map(|column| cell + column.len() as f64 + size(column)).sum::<f64>();
            }
        }
        all += bytes * times(family);
    }
    all
}

/// The bytes of one put of a write: of the columns that it writes, each with its key. Where a row has a column for each
/// of something, a put is one of them.
pub fn bytes_per_put(table: &TableDesign, key: &KeyFacts<'_>, write: &Write) -> f64 {
    let is_written =
        |name: &str| write.columns.is_empty() || write.columns.iter().any(|column| column.as_str() == name);
    let families = table.table.family.iter().filter(|(name, _)| is_written(name));
    let cells = families.filter_map(|(_, family)| per_row(&family.value)).fold(1.0, f64::max);
    bytes_per_row(table, key, &write.columns) / cells
}

/// The cells of one put of a write.
pub fn cells_per_put(table: &TableDesign, write: &Write) -> f64 {
    (names_per_put(table, &write.columns).len() as f64).max(1.0)
}

/// The bytes of the families and qualifiers of one put of these columns; of all, if there are none.
pub fn name_bytes_per_put(table: &TableDesign, columns: &[Located<String>]) -> f64 {
    names_per_put(table, columns).iter().sum()
}

/// Those of each cell.
fn names_per_put(table: &TableDesign, columns: &[Located<String>]) -> Vec<f64> {
    let mut names = Vec::new();
    for (name, family) in &table.table.family {
        let asked = |column: &String| Some(column.len() as f64).filter(|_| is_asked(columns, name, column));
        let is_whole = is_whole(columns, name);
        let qualifiers: Vec<f64> = match family.columns.as_ref().map(|columns| &columns.value) {
            // Where a row has a column for each of something, a put is one of them.
            Some(Columns::OfRow(_)) => {
                let is_of_this = |column: &Located<String>| column.split_once(':').is_some_and(|(of, _)| of == name);
                let is_written = is_whole || columns.iter().any(is_of_this);
                is_written.then_some(NAME_OF_DATA).into_iter().collect()
            }
            Some(Columns::Names(names)) => names.iter().filter_map(|column| asked(column)).collect(),
            None if !family.sizes.is_empty() => family.sizes.keys().filter_map(asked).collect(),
            None => is_whole.then_some(0.0).into_iter().collect(),
        };
        names.extend(qualifiers.into_iter().map(|qualifier| name.len() as f64 + qualifier));
    }
    names
}
