//! The columns to read of a row, as HBase selects and filters them.

use std::ops::Range;

use hbase_client as hbase;
use hbase_client::{Filter, IfMissing};
use rowkey::wide::{Cell, Columns, Condition, Row, TableSchema, push_cell};
use rowkey::{Error, ErrorKind, KeyRange};

use crate::condition::operator;

/// The read of each row.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The families to read, each with the qualifiers to read of it: all if there are none.
    families: Vec<(String, Vec<Vec<u8>>)>,
    filter: Option<Filter>,
    versions: u32,
    time: Option<Range<u64>>,
}

/// Applies a reading to a `Get` or a `Scan`, which have the same methods and no trait.
macro_rules! apply {
    ($reading:expr, $request:expr) => {{
        let Reading { families, filter, versions, time } = $reading;
        let mut request = $request.versions(*versions);
        for (family, qualifiers) in families {
            request = match qualifiers.as_slice() {
                [] => request.family(family),
                some => some.iter().fold(request, |request, qualifier| request.column(family, qualifier)),
            };
        }
        if let Some(time) = time {
            request = request.time_range(time.clone());
        }
        (request, filter)
    }};
}

impl Reading {
    /// `None` if nothing is asked for.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`].
    pub(crate) fn new(columns: &Columns, schema: &TableSchema) -> Result<Option<Self>, Error> {
        // A condition on a family that the table does not have is one on a column that is not read.
        let mut chosen = columns.clone();
        let condition = chosen.rows_where.take();
        let families = chosen.families_of(schema)?;
        if families.is_empty() {
            return Ok(None);
        }
        let mut filters = Vec::new();
        if let Some(condition) = &condition {
            match of_condition(condition, &families) {
                Decided::Later(filter) => filters.push(filter),
                Decided::Holds => {}
                Decided::Fails => return Ok(None),
            }
        }
        filters.extend(of_ranges(&families));
        filters.extend(columns.value.as_ref().map(|(compare, value)| Filter::value(operator(*compare), value)));
        let page = columns.page();
        filters.extend(page.map(|page| of_page(page, columns.first_only)));
        let selected = families.iter().map(|(family, ranges)| {
            let points: Option<Vec<_>> = ranges.iter().map(|range| point(range).map(<[u8]>::to_vec)).collect();
            ((*family).to_owned(), points.unwrap_or_default())
        });
        let millis = |at: i64| u64::try_from(at).unwrap_or_default();
        Ok(Some(Self {
            families: selected.collect(),
            filter: (!filters.is_empty()).then(|| Filter::all(filters)),
            versions: if page.is_some() { 1 } else { columns.versions },
            time: columns.time.map(|(start, end)| millis(start)..millis(end)),
        }))
    }

    /// The names of the families.
    pub(crate) fn families(&self) -> impl Iterator<Item = &str> {
        self.families.iter().map(|(family, _)| family.as_str())
    }

    pub(crate) fn get(&self, row: &[u8]) -> hbase::Get {
        let (get, filter) = apply!(self, hbase::Get::new(row));
        match filter {
            Some(filter) => get.filter(filter),
            None => get,
        }
    }

    /// Adds the reading to a scan of these rows.
    pub(crate) fn scan(&self, scan: hbase::Scan, rows: Option<Filter>) -> hbase::Scan {
        let (scan, filter) = apply!(self, scan);
        let filters: Vec<_> = rows.into_iter().chain(filter.clone()).collect();
        if filters.is_empty() { scan } else { scan.filter(&Filter::all(filters)) }
    }
}

/// The qualifier that is alone in a range.
fn point(range: &KeyRange) -> Option<&[u8]> {
    let (start, end) = (range.start(), range.end()?);
    (end.strip_prefix(start) == Some(&[0])).then_some(start)
}

enum Decided {
    Holds,
    Fails,
    Later(Filter),
}

/// A condition looks at what is read, so of a column that is not read it is decided before anything is sent.
fn of_condition(condition: &Condition, families: &[(&str, &[KeyRange])]) -> Decided {
    let rowkey::wide::Column { family, qualifier } = &condition.column;
    let is_read = families.iter().any(|(name, ranges)| name == family && KeyRange::any_contains(ranges, qualifier));
    match (&condition.value, is_read) {
        (None, false) => Decided::Holds,
        (Some(_), false) => Decided::Fails,
        // No value is less than the empty one.
        (None, true) => {
            Decided::Later(Filter::column_value(family, qualifier, hbase::Compare::Less, [], IfMissing::Pass))
        }
        (Some((compare, value)), true) => {
            Decided::Later(Filter::column_value(family, qualifier, operator(*compare), value, IfMissing::Skip))
        }
    }
}

/// The qualifiers, if they are more than whole families and single columns, which are selected.
fn of_ranges(families: &[(&str, &[KeyRange])]) -> Option<Filter> {
    let is_all = |ranges: &[KeyRange]| *ranges == [KeyRange::all()];
    let is_selected = |ranges: &[KeyRange]| is_all(ranges) || ranges.iter().all(|range| point(range).is_some());
    if families.iter().all(|(_, ranges)| is_selected(ranges)) {
        return None;
    }
    let of_family = |(family, ranges): &(&str, &[KeyRange])| {
        let of_family = (families.len() > 1).then(|| Filter::family(hbase::Compare::Equal, family));
        let of_range = (!is_selected(ranges)).then(|| Filter::any(ranges.iter().map(of_range)));
        Filter::all(of_family.into_iter().chain(of_range))
    };
    Some(Filter::any(families.iter().map(of_family)))
}

fn of_range(range: &KeyRange) -> Filter {
    match range.end() {
        Some(end) => Filter::qualifier_range(range.start()..end),
        None => Filter::qualifier_range(range.start()..),
    }
}

fn of_page((offset, most): (u64, u64), first_only: bool) -> Filter {
    let number = |columns: u64| u32::try_from(columns).unwrap_or(u32::MAX);
    match (first_only, offset) {
        (true, 0) => Filter::first_cell(),
        _ => Filter::columns(number(most), number(offset)),
    }
}

/// A cell, of one of the `known` families as a rule.
///
/// # Errors
///
/// Of a cell that no [`Cell`] can be: another program wrote it.
pub(crate) fn cell<'c>(cell: &hbase::Cell<'c>, known: &'c [String]) -> Result<Cell<'c>, Error> {
    let family = match known.iter().find(|name| name.as_bytes() == cell.family()) {
        Some(name) => name,
        None => str::from_utf8(cell.family()).map_err(|_| foreign(cell, "its family is not text"))?,
    };
    let timestamp = i64::try_from(cell.timestamp());
    let timestamp = timestamp.map_err(|_| foreign(cell, "its timestamp is over 9223372036854775807"))?;
    Ok(Cell { family, qualifier: cell.qualifier(), timestamp, value: cell.value() })
}

/// # Errors
///
/// As [`cell`].
pub(crate) fn row(row: &hbase::Row) -> Result<Row, Error> {
    let mut cells = Vec::with_capacity(row.size());
    row.cells().try_for_each(|of_row| push_cell(&mut cells, &cell(&of_row, &[])?))?;
    Ok(Row::from_cells(cells))
}

fn foreign(cell: &hbase::Cell<'_>, what: &str) -> Error {
    let [family, qualifier] = [cell.family(), cell.qualifier()].map(<[u8]>::escape_ascii);
    let text = format!("HBase: the cell {family}:{qualifier} can't be read here: {what}");
    Error::engine_at(ErrorKind::Unsupported, cell.row(), text)
}
