//! The columns to read of a row, as a filter that the server applies.

use prost::Message;
use rowkey::wide::{ClientFilter, Column, Columns, Compare, Condition, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange};

use crate::client::proto::row_filter::{Chain, Condition as Branch, Filter, Interleave};
use crate::client::proto::value_range::{EndValue, StartValue};
use crate::client::proto::{ColumnRange, RowFilter, TimestampRange, ValueRange, column_range};

/// Number of microseconds in a millisecond.
pub(crate) const MICROS: i64 = 1000;

/// The service refuses longer filters: <https://cloud.google.com/bigtable/quotas>.
const LONGEST: usize = 20 << 10;

/// The read of each row: the server's filter, and the client's.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) filter: RowFilter,
    /// The filter that the client applies to the cells that come.
    pub(crate) rest: ClientFilter,
}

impl Reading {
    /// `None` if nothing is asked for.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`]; of kind `InvalidInput` if the condition's value is too long for a filter.
    pub(crate) fn new(columns: &Columns, schema: &TableSchema) -> Result<Option<Self>, Error> {
        let families = columns.families_of(schema)?;
        if families.is_empty() {
            return Ok(None);
        }
        // A page counts columns, and its filter cells: of one version each they are the same.
        let versions = if columns.offset > 0 || columns.limit.is_some() { 1 } else { columns.versions };
        let pushed = Self {
            filter: conditional(columns, pushed(columns, versions, &families)),
            rest: rest_of_page(columns, &families),
        };
        if pushed.filter.encoded_len() <= LONGEST {
            return Ok(Some(pushed));
        }
        // The families and the time alone: the rest is done here.
        let chosen = interleave(families.iter().map(|(family, _)| of_family(family)).collect());
        let filter = conditional(columns, chain(std::iter::once(chosen).chain(of_time(columns)).collect()));
        if filter.encoded_len() > LONGEST {
            return Err(too_long(filter.encoded_len()));
        }
        Ok(Some(Self { filter, rest: ClientFilter::All(Box::new(columns.clone().versions(versions))) }))
    }
}

fn too_long(bytes: usize) -> Error {
    let what = format!("a condition has {bytes} bytes as a filter of Bigtable; the maximum is {LONGEST}");
    Error::engine_of(ErrorKind::InvalidInput, what)
}

/// Everything in the filter: columns, time, value, versions, page.
fn pushed(columns: &Columns, versions: u32, families: &[(&str, &[KeyRange])]) -> RowFilter {
    let mut of_cells: Vec<RowFilter> = of_time(columns).into_iter().collect();
    of_cells.extend(columns.value.as_ref().map(|(compare, value)| of_value(*compare, value)));
    of_cells.extend(i32::try_from(versions).ok().map(|versions| of(Filter::CellsPerColumnLimitFilter(versions))));
    let of_one = |(family, ranges): &(&str, &[KeyRange])| of_columns(family, ranges);
    let Some((offset, most)) = columns.page() else {
        // A filter of all families would cost the server as much as one of some.
        let is_all = columns.families().is_empty();
        let chosen = (!is_all).then(|| interleave(families.iter().map(of_one).collect()));
        return chain(chosen.into_iter().chain(of_cells).collect());
    };
    // Families have no order in Bigtable. So each is cut on its own, and the row is cut here.
    let (skipped, most) = if families.len() == 1 { (offset, most) } else { (0, offset.saturating_add(most)) };
    let of_each = families.iter().map(|family| {
        let mut filters = vec![of_one(family)];
        filters.extend(of_cells.iter().cloned());
        if skipped > 0 {
            filters.push(of(Filter::CellsPerRowOffsetFilter(i32::try_from(skipped).unwrap_or(i32::MAX))));
        }
        filters.extend(i32::try_from(most).ok().map(|most| of(Filter::CellsPerRowLimitFilter(most))));
        chain(filters)
    });
    interleave(of_each.collect())
}

/// The rest of a page after each family was cut on its own.
fn rest_of_page(columns: &Columns, families: &[(&str, &[KeyRange])]) -> ClientFilter {
    match columns.page() {
        Some((offset, most)) if families.len() > 1 => ClientFilter::Page { offset, most },
        _ => ClientFilter::Nothing,
    }
}

fn conditional(columns: &Columns, filter: RowFilter) -> RowFilter {
    let Some(condition) = &columns.rows_where else { return filter };
    let (yes, no) = match condition.value {
        Some(_) => (Some(Box::new(filter)), None),
        None => (None, Some(Box::new(filter))),
    };
    let branch = Branch { predicate_filter: Some(Box::new(presence(condition))), true_filter: yes, false_filter: no };
    of(Filter::Condition(Box::new(branch)))
}

/// A filter that lets a cell through if the condition's column is present, and if its newest version passes the
/// comparison when there is one. A condition that asks for an absent column holds where this filter lets nothing
/// through.
pub(crate) fn presence(condition: &Condition) -> RowFilter {
    let Column { family, qualifier } = &condition.column;
    let point = [KeyRange::point(qualifier.as_slice())];
    let mut filters = vec![of_columns(family, &point), of(Filter::CellsPerColumnLimitFilter(1))];
    filters.extend(condition.value.as_ref().map(|(compare, value)| of_value(*compare, value)));
    chain(filters)
}

/// As [`presence`], for a request of its own.
///
/// # Errors
///
/// Of kind `InvalidInput` if the condition's value is too long for a filter.
pub(crate) fn predicate(condition: &Condition) -> Result<RowFilter, Error> {
    let filter = presence(condition);
    let bytes = filter.encoded_len();
    if bytes <= LONGEST { Ok(filter) } else { Err(too_long(bytes)) }
}

fn of(filter: Filter) -> RowFilter {
    RowFilter { filter: Some(filter) }
}

fn chain(mut filters: Vec<RowFilter>) -> RowFilter {
    match (filters.len(), filters.pop()) {
        (0, _) => of(Filter::PassAllFilter(true)),
        (1, Some(only)) => only,
        (_, last) => of(Filter::Chain(Chain { filters: filters.into_iter().chain(last).collect() })),
    }
}

fn interleave(mut filters: Vec<RowFilter>) -> RowFilter {
    match (filters.len(), filters.pop()) {
        (1, Some(only)) => only,
        (_, last) => of(Filter::Interleave(Interleave { filters: filters.into_iter().chain(last).collect() })),
    }
}

/// All columns of a family. A range says so without a regular expression, which the emulator compiles for each cell.
fn of_family(family: &str) -> RowFilter {
    of_range(family, &KeyRange::all())
}

fn of_columns(family: &str, ranges: &[KeyRange]) -> RowFilter {
    interleave(ranges.iter().map(|range| of_range(family, range)).collect())
}

fn of_range(family: &str, range: &KeyRange) -> RowFilter {
    let start = Some(range.start()).filter(|start| !start.is_empty());
    of(Filter::ColumnRangeFilter(ColumnRange {
        family_name: family.to_owned(),
        start_qualifier: start.map(|start| column_range::StartQualifier::StartQualifierClosed(start.to_vec())),
        end_qualifier: range.end().map(|end| column_range::EndQualifier::EndQualifierOpen(end.to_vec())),
    }))
}

fn of_time(columns: &Columns) -> Option<RowFilter> {
    let (start, end) = columns.time?;
    Some(of(Filter::TimestampRangeFilter(TimestampRange {
        start_timestamp_micros: start.max(0).saturating_mul(MICROS),
        // An end of 0 is no end, as is one that microseconds can't represent.
        end_timestamp_micros: end.checked_mul(MICROS).unwrap_or(0),
    })))
}

fn of_value(compare: Compare, value: &[u8]) -> RowFilter {
    let in_range = |start_value, end_value| of(Filter::ValueRangeFilter(ValueRange { start_value, end_value }));
    let value = value.to_vec();
    match compare {
        // No value sorts before the empty one, and an empty end would be no end.
        Compare::Less if value.is_empty() => of(Filter::BlockAllFilter(true)),
        Compare::Less => in_range(None, Some(EndValue::EndValueOpen(value))),
        Compare::LessOrEqual => in_range(None, Some(EndValue::EndValueClosed(value))),
        Compare::Equal => {
            in_range(Some(StartValue::StartValueClosed(value.clone())), Some(EndValue::EndValueClosed(value)))
        }
        Compare::NotEqual if value.is_empty() => of_value(Compare::Greater, &value),
        Compare::NotEqual => interleave(vec![of_value(Compare::Less, &value), of_value(Compare::Greater, &value)]),
        Compare::GreaterOrEqual => in_range(Some(StartValue::StartValueClosed(value)), None),
        Compare::Greater => in_range(Some(StartValue::StartValueOpen(value)), None),
    }
}
