//! The contents of a table when it is full grown: its rows, how long they are kept, and their bytes.

use std::time::Duration;

use crate::design::{Columns, Family, Write, WriteKind};
use crate::facts::{Growth, KeyFacts, about};
use crate::file::{Count, Period, Rate};
use crate::problem::{Located, Problem};
use crate::resolve::TableDesign;

use super::values::values;

/// The bytes of a cell beside key, family, qualifier and value: HBase's lengths, timestamp and type.
pub(crate) const CELL: f64 = 20.0;

/// The seconds that a row lives: the longest TTL of the families, whatever `keep` says. None if a family has none.
pub(crate) fn retention(table: &TableDesign) -> Option<f64> {
    let ttls = table.table.family.values().map(|family| family.ttl.as_ref().map(|ttl| ttl.seconds()));
    ttls.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::max).filter(|seconds| *seconds > 0.0)
}

/// The seconds that the rows of the full grown table were written in: as long as they are kept, or as the declared
/// number of rows takes.
pub(crate) fn span(table: &TableDesign) -> Option<f64> {
    let by_rate = || Some(table.table.rows.as_ref()?.0 / rows_per_second(table)?);
    retention(table).or_else(by_rate).filter(|seconds| *seconds > 0.0)
}

/// The rows of the table when it is full grown: as the file says, or as its writes leave in the time that rows are
/// kept.
pub(crate) fn rows(table: &TableDesign) -> Option<f64> {
    match &table.table.rows {
        Some(rows) => Some(rows.0),
        None => Some(rows_per_second(table)? * retention(table)?),
    }
}

/// The declared number of rows, if the values of the key, or the rates and the time that rows are kept, say another. Costs are counted with it all
/// the same.
pub(crate) fn unlikely_rows(table: &TableDesign) -> Option<Problem> {
    /// Rates are of a usual day, and a table may hold more from before.
    const FACTOR: f64 = 10.0;
    /// Numbers of values are rounded.
    const ROUNDED: f64 = 1.1;
    let said = table.table.rows.as_ref()?;
    let key = KeyFacts::of(table, None);
    let keys = key.fields.iter().map(|field| values(field, None, retention(table))).product::<Option<f64>>();
    if let Some(keys) = keys.filter(|keys| said.0 > ROUNDED * keys) {
        let message =
            format!("`rows` is {}, but the fields of the key have {} together", said.value, Count(keys).of("value"));
        let help = "costs are counted with both: mend it, or `distinct` of a field, or the time to live".to_owned();
        return Some(Problem { place: said.place, message, help: Some(help) });
    }
    let rate = rows_per_second(table)?;
    // A write without a rate may put all others.
    let is_whole = table.table.write.iter().all(|write| write.rate.is_some() && write.bulk != Some(true));
    let note = |seconds: f64, at_least: bool| {
        let (time, rows) = (Period(Duration::from_secs_f64(seconds)), Count((rate * seconds).round()));
        let message = match at_least {
            true => format!("`rows` is {}, but {} in {time} are {rows}, each a new row", said.value, Rate(rate)),
            false => format!("`rows` is {}, but {} kept for {time} are {rows} at most", said.value, Rate(rate)),
        };
        let help = "costs are counted with `rows`: mend it, or the rates, or the time to live".to_owned();
        Problem { place: said.place, message, help: Some(help) }
    };
    let kept = retention(table);
    let most = kept.filter(|kept| is_whole && said.0 > FACTOR * rate * kept);
    let is_new = table.table.unique.is_none()
        && key.fields.iter().any(|field| match field.growth {
            Some(Growth::Time(seconds)) => seconds.is_some_and(|seconds| seconds <= 1.0),
            Some(Growth::Sequence | Growth::TimeId) => true,
            _ => false,
        });
    let least = Some(kept.unwrap_or(DAY)).filter(|seconds| is_new && said.0 * FACTOR < rate * seconds);
    most.map(|seconds| note(seconds, false)).or_else(|| least.map(|seconds| note(seconds, true)))
}

const DAY: f64 = 86_400.0;

/// The rows of a table's own key, or of a secondary table's, which may have fewer.
pub(crate) fn rows_of(table: &TableDesign, secondary: Option<usize>) -> Option<f64> {
    let secondary = secondary.and_then(|index| table.table.secondary.get(index));
    let own = secondary.and_then(|secondary| secondary.rows.as_ref()).map(|rows| rows.0);
    own.or_else(|| rows(table))
}

/// The number of new rows that are put a second. A write that changes a field of the key removes a row for each that it
/// adds.
pub(crate) fn rows_per_second(table: &TableDesign) -> Option<f64> {
    let puts = table.table.write.iter().filter(|write| {
        write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put
            && write.updates.is_empty()
            && write.bulk != Some(true)
            && write.order.as_ref().is_none_or(|order| order.value != crate::design::WriteOrder::OneRow)
    });
    let rate: f64 = puts.filter_map(|write| write.rate.as_ref()).map(|rate| rate.0).sum();
    (rate > 0.0).then(|| rate / cells_per_row(table))
}

fn cells_per_row(table: &TableDesign) -> f64 {
    table.table.family.values().filter_map(|family| per_row(&family.value)).fold(1.0, f64::max)
}

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
pub(crate) fn bytes_per_row(table: &TableDesign, key: &KeyFacts<'_>, columns: &[Located<String>]) -> f64 {
    let unsaid = key.value_bytes.map_or(0.0, |bytes| unsaid(table, bytes));
    let mut bytes = if table.table.family.is_empty() { key.bytes + unsaid } else { 0.0 };
    for (name, family) in &table.table.family {
        let whole = columns.is_empty() || columns.iter().any(|column| column.as_str() == name);
        let asked = |column: &str| {
            let this = |asked: &str| match asked.split_once(':') {
                Some((of, rest)) if of == name => rest == column,
                _ => asked == column,
            };
            whole || columns.iter().any(|asked| this(asked))
        };
        let cell = key.bytes + name.len() as f64 + CELL;
        let size = |column: &str| family.sizes.get(column).map_or(unsaid, |size| about(&size.value));
        match family.columns.as_ref().map(|columns| &columns.value) {
            Some(Columns::OfRow(of_row)) => {
                let prefix = format!("{name}:");
                let some = columns.iter().filter(|column| column.starts_with(&prefix)).count() as f64;
                let per_row = of_row.per_row.map_or(1.0, |count| count.0);
                let cells = if whole { per_row } else { some.min(per_row) };
                // The name of such a column is data: two bytes, if nothing is known of it.
                bytes += cells * (cell + 2.0 + of_row.value.map_or(unsaid, |bytes| bytes.0));
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
    }
    bytes.max(key.bytes)
}

/// The bytes of one put of a write: of the columns that it writes, each with its key. Where a row has a column for each
/// of something, a put is one of them.
pub(crate) fn bytes_per_put(table: &TableDesign, key: &KeyFacts<'_>, write: &Write) -> f64 {
    let is_written =
        |name: &str| write.columns.is_empty() || write.columns.iter().any(|column| column.as_str() == name);
    let families = table.table.family.iter().filter(|(name, _)| is_written(name));
    let cells = families.filter_map(|(_, family)| per_row(&family.value)).fold(1.0, f64::max);
    bytes_per_row(table, key, &write.columns) / cells
}
