//! The contents of a table when it is full grown: its rows, how long they are kept, and their bytes.

use std::time::Duration;

use crate::design::WriteKind;
use crate::facts::{Growth, KeyFacts};
use crate::file::{Count, Period, Rate};
use crate::load::mean;
use crate::problem::Problem;
use crate::resolve::TableDesign;
use crate::row_bytes::per_row;

use super::values::values;

/// The seconds that a row lives: the longest TTL of the families, whatever `keep` says. None if a family has none.
pub fn retention(table: &TableDesign) -> Option<f64> {
    let ttls = table.table.family.values().map(|family| family.ttl.as_ref().map(|ttl| ttl.seconds()));
    ttls.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::max).filter(|seconds| *seconds > 0.0)
}

/// The seconds that the rows of the full grown table were written in: as long as they are kept, or as the declared
/// number of rows takes.
pub fn span(table: &TableDesign) -> Option<f64> {
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

/// The declared number of rows, if the values of the key, or the rates and the time that rows are kept, say another.
/// Costs are counted with it all the same.
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
    let least =
        Some(kept.unwrap_or(DAY)).filter(|seconds| is_new && !deletes_most(table) && said.0 * FACTOR < rate * seconds);
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
    let rate: f64 = puts.filter_map(|write| mean(write)).sum();
    (rate > 0.0).then(|| rate / cells_per_row(table))
}

/// True if rows are deleted about as fast as they are put, as far as the rates are known: they do not add up.
pub(crate) fn deletes_most(table: &TableDesign) -> bool {
    let mut deletes = table.table.write.iter().filter(|write| write.kind == Some(WriteKind::Delete)).peekable();
    let Some(put) = rows_per_second(table).filter(|_| deletes.peek().is_some()) else { return false };
    // As many as it takes, where nothing says how many.
    let deleted: f64 = deletes.map(|write| mean(write).unwrap_or(put)).sum();
    2.0 * deleted >= put
}

fn cells_per_row(table: &TableDesign) -> f64 {
    table.table.family.values().filter_map(|family| per_row(&family.value)).fold(1.0, f64::max)
}
