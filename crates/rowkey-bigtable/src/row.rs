//! Rows as they come, and as `rowkey` reads them.

use std::cmp::Reverse;

use rowkey::wide::{Cell, Columns, push_cell};
use rowkey::{Error, KeyRange};

use crate::client::{WireCell, WireRow};
use crate::filter::MICROS;

/// What is left to do with the cells of a row that the server's filter let through.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    Nothing,
    /// Several families were each cut to a page, and the row is to be cut to one.
    Page {
        offset: u64,
        most: u64,
    },
    /// The server has chosen families and times alone.
    All(Box<Columns>),
}

impl Rest {
    /// Whether a row may have no cell left.
    pub(crate) fn drops_rows(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Page { offset, .. } => *offset > 0,
            Self::All(_) => true,
        }
    }

    /// The row's cells in order, as [`push_cell`] writes them, in pieces of at most so many cells. `buffer` has the
    /// pieces one after the other, `ends` where each ends.
    pub(crate) fn cells(
        &self,
        row: &WireRow,
        piece: usize,
        buffer: &mut Vec<u8>,
        ends: &mut Vec<usize>,
    ) -> Result<(), Error> {
        buffer.clear();
        ends.clear();
        let is_sorted = row.cells.is_sorted_by_key(|cell| place(row, cell));
        if is_sorted && matches!(self, Self::Nothing) && (1..=piece).contains(&row.cells.len()) {
            // As most rows are: the whole row is a piece.
            row.cells.iter().try_for_each(|cell| push_cell(buffer, &cell_of(row, cell)))?;
            ends.push(buffer.len());
            return Ok(());
        }
        let mut order: Vec<&WireCell> = row.cells.iter().collect();
        if !is_sorted {
            order.sort_by_key(|cell| place(row, cell));
        }
        self.cut(row, &mut order);
        for cells in order.chunks(piece) {
            for cell in cells {
                push_cell(buffer, &cell_of(row, cell))?;
            }
            ends.push(buffer.len());
        }
        Ok(())
    }

    fn cut(&self, row: &WireRow, cells: &mut Vec<&WireCell>) {
        match self {
            Self::Nothing => {}
            Self::Page { offset, most } => page(cells, *offset, *most),
            Self::All(columns) => {
                let is_paged = columns.offset > 0 || columns.limit.is_some();
                let versions = if is_paged { 1 } else { columns.versions };
                cells.retain(|cell| passes(columns, &cell_of(row, cell)));
                let (mut column, mut seen) = (None, 0);
                cells.retain(|cell| {
                    let this = named(row, cell);
                    seen = if column == Some(this) { seen + 1 } else { 1 };
                    column = Some(this);
                    seen <= versions
                });
                page(cells, columns.offset, columns.limit.unwrap_or(u64::MAX));
                if columns.first_only {
                    cells.truncate(1);
                }
            }
        }
    }
}

fn page(cells: &mut Vec<&WireCell>, offset: u64, most: u64) {
    let [offset, most] = [offset, most].map(|cells| usize::try_from(cells).unwrap_or(usize::MAX));
    cells.drain(..offset.min(cells.len()));
    cells.truncate(most);
}

fn passes(columns: &Columns, cell: &Cell<'_>) -> bool {
    let chosen = match columns.families().get(cell.family) {
        None => columns.families().is_empty(),
        Some(ranges) => is_in(ranges, cell.qualifier),
    };
    chosen
        && columns.time.is_none_or(|(start, end)| (start..end).contains(&cell.timestamp))
        && columns.value.as_ref().is_none_or(|(compare, given)| compare.holds(cell.value, given))
}

/// Whether a key, or a qualifier, is in one of the ranges. They are sorted, and may be thousands.
pub(crate) fn is_in(ranges: &[KeyRange], key: &[u8]) -> bool {
    let begun = ranges.partition_point(|range| range.start() <= key);
    ranges[..begun].last().is_some_and(|range| range.contains(key))
}

fn named<'r>(row: &'r WireRow, cell: &WireCell) -> (&'r str, &'r [u8]) {
    row.columns.get(cell.column).map_or(("", &[]), |(family, qualifier)| (family, qualifier))
}

fn place<'r>(row: &'r WireRow, cell: &WireCell) -> (&'r str, &'r [u8], Reverse<i64>) {
    let (family, qualifier) = named(row, cell);
    (family, qualifier, Reverse(cell.micros))
}

fn cell_of<'r>(row: &'r WireRow, cell: &'r WireCell) -> Cell<'r> {
    let (family, qualifier) = named(row, cell);
    Cell { family, qualifier, timestamp: cell.micros.div_euclid(MICROS), value: &cell.value }
}

#[cfg(test)]
mod tests {
    use rowkey::wide::Row;

    use super::*;

    /// Other programs may write microseconds, which the emulator refuses.
    #[test]
    fn microseconds_are_read_as_the_milliseconds_they_are_in() {
        let micros = [1_235_001, 1_234_999, 1_234_567, 1_234_000, 999, 0];
        let cells =
            micros.map(|micros| WireCell { micros, value: micros.to_string().into_bytes(), ..WireCell::default() });
        let row = WireRow { key: b"r".to_vec(), columns: vec![("a".into(), b"q".to_vec())], cells: cells.into() };
        let read = |rest: Rest| {
            let (mut cells, mut ends) = (Vec::new(), Vec::new());
            rest.cells(&row, usize::MAX, &mut cells, &mut ends).unwrap();
            let row = Row::from_cells(cells);
            row.cells().map(|cell| (cell.timestamp, cell.value.to_vec())).collect::<Vec<_>>()
        };
        let cell = |micros: &i64| (micros / 1000, micros.to_string().into_bytes());
        let all: Vec<_> = micros.iter().map(cell).collect();
        assert_eq!(read(Rest::Nothing), all);
        let chosen = |columns: Columns| read(Rest::All(Box::new(columns)));
        assert_eq!(chosen(Columns::all().versions(9).time(1234..1235)), all[1..4]);
        assert_eq!(chosen(Columns::all().versions(9).time(0..1)), all[4..]);
        assert_eq!(chosen(Columns::all().versions(2)), all[..2]);
    }

    #[test]
    fn a_row_is_in_a_range_that_was_asked_for() {
        let range = |start: &str, end: Option<&str>| KeyRange::new(start, end).unwrap();
        let ranges = [range("b", Some("d")), range("d", Some("e")), range("x", None)];
        let found = ["a", "b", "cz", "d", "e", "w", "x", "zz"].map(|key| is_in(&ranges, key.as_bytes()));
        assert_eq!(found, [false, true, true, true, false, false, true, true]);
        assert!(!is_in(&[], b"a"));
    }
}
