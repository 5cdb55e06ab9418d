//! Rows as they come, and as `rowkey` reads them.

use std::cmp::Reverse;

use rowkey::Error;
use rowkey::wide::{Cell, ClientFilter, push_cell};

use crate::client::{WireCell, WireRow};
use crate::filter::{MICROS, Reading};

impl Reading {
    /// The row's cells in order, as [`push_cell`] writes them, in pieces of at most `piece` cells. `buffer` has the
    /// pieces one after the other, `ends` the end of each.
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
        if is_sorted && self.rest == ClientFilter::Nothing && (1..=piece).contains(&row.cells.len()) {
            // As most rows are: the whole row is a piece.
            row.cells.iter().try_for_each(|cell| push_cell(buffer, &cell_of(row, cell)))?;
            ends.push(buffer.len());
            return Ok(());
        }
        let mut order: Vec<&WireCell> = row.cells.iter().collect();
        if !is_sorted {
            order.sort_by_key(|cell| place(row, cell));
        }
        self.rest.retain(&mut order, |cell| cell_of(row, cell));
        for cells in order.chunks(piece) {
            for cell in cells {
                push_cell(buffer, &cell_of(row, cell))?;
            }
            ends.push(buffer.len());
        }
        Ok(())
    }
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
    use rowkey::wide::{Columns, Row};

    use super::*;
    use crate::client::proto::RowFilter;

    /// Other programs may write microseconds, which the emulator refuses.
    #[test]
    fn microseconds_are_read_as_the_milliseconds_they_are_in() {
        let micros = [1_235_001, 1_234_999, 1_234_567, 1_234_000, 999, 0];
        let cells =
            micros.map(|micros| WireCell { micros, value: micros.to_string().into_bytes(), ..WireCell::default() });
        let row = WireRow { key: b"r".to_vec(), columns: vec![("a".into(), b"q".to_vec())], cells: cells.into() };
        let read = |rest: ClientFilter| {
            let (mut cells, mut ends) = (Vec::new(), Vec::new());
            let reading = Reading { filter: RowFilter::default(), rest };
            reading.cells(&row, usize::MAX, &mut cells, &mut ends).unwrap();
            let row = Row::from_cells(cells);
            row.cells().map(|cell| (cell.timestamp, cell.value.to_vec())).collect::<Vec<_>>()
        };
        let cell = |micros: &i64| (micros / 1000, micros.to_string().into_bytes());
        let all: Vec<_> = micros.iter().map(cell).collect();
        assert_eq!(read(ClientFilter::Nothing), all);
        let chosen = |columns: Columns| read(ClientFilter::All(Box::new(columns)));
        assert_eq!(chosen(Columns::all().versions(9).time(1234..1235)), all[1..4]);
        assert_eq!(chosen(Columns::all().versions(9).time(0..1)), all[4..]);
        assert_eq!(chosen(Columns::all().versions(2)), all[..2]);
    }
}
