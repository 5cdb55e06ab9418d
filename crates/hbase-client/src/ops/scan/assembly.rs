//! Rows of a scan, put together of the pieces that come.

use super::position::Position;
use crate::model::row::Row;

/// Makes rows of the results of a scan, some of which are parts of a row.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// Give the parts as they come.
    pieces: bool,
    /// The parts so far of a row whose end did not come; in pieces, the last one.
    parts: Vec<Row>,
    /// A new scanner gives the row from its beginning, though its parts up to this cell have been given.
    again: Option<Row>,
}

impl Assembly {
    pub(super) fn new(pieces: bool) -> Self {
        Self { pieces, ..Self::default() }
    }

    /// Returns whether no row is under way.
    pub(super) fn is_between_rows(&self) -> bool {
        self.parts.is_empty() && self.again.is_none()
    }

    /// The row whose cells have come in part.
    pub(super) fn under_way(&self) -> Option<&Row> {
        self.parts.last().or(self.again.as_ref())
    }

    /// Returns whether a result, if it is of the row that is under way, continues behind the cells that came of it.
    pub(super) fn takes(&self, row: &Row) -> bool {
        let Some(last) = self.parts.last().filter(|part| part.key() == row.key()).and_then(Row::last_cell) else {
            return true;
        };
        row.cells().next().is_none_or(|first| first.is_after(&last))
    }

    /// Takes a result, unless those before it were all that is wanted. `partial`: more of its row will come.
    pub(super) fn push(&mut self, mut row: Row, partial: bool, position: &mut Position, rows: &mut Vec<Row>) {
        if self.parts.first().is_some_and(|part| part.key() != row.key()) {
            self.finish(position, rows);
        }
        if let Some(given) = self.again.take_if(|given| given.key() != row.key()) {
            // The rest of that row is gone.
            position.passed(given.key_bytes());
        }
        if position.is_at_end() {
            return;
        }
        if let Some(last) = self.again.as_ref().and_then(Row::last_cell) {
            row = row.after(&last);
            if row.is_empty() && partial {
                return;
            }
        }
        match (self.pieces, row.is_empty()) {
            // All of it has been given before.
            (true, true) => {
                if let Some(given) = self.again.take() {
                    position.passed(given.key_bytes());
                }
            }
            (true, false) => {
                self.again = None;
                rows.push(row.clone());
                self.parts = vec![row];
                if !partial {
                    self.finish(position, rows);
                }
            }
            (false, _) => {
                self.parts.push(row);
                if !partial {
                    self.finish(position, rows);
                }
            }
        }
    }

    /// The bytes of the row that is under way.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(Row::size).sum()
    }

    /// The row that is under way is complete: another one came, or the region ended.
    pub(super) fn finish(&mut self, position: &mut Position, rows: &mut Vec<Row>) {
        let parts = std::mem::take(&mut self.parts);
        let Some(first) = parts.first() else { return };
        position.passed(first.key_bytes());
        if !self.pieces {
            rows.push(Row::join(parts));
        }
    }

    /// The scanner is lost. The next one begins with the row that is under way.
    pub(super) fn reopen(&mut self, position: &mut Position) {
        let Some(last) = std::mem::take(&mut self.parts).pop() else { return };
        if self.pieces {
            (position.from, position.inclusive) = (last.key_bytes(), true);
            self.again = Some(last);
        }
    }

    /// The region ended, and the row that was to be gone on with did not come.
    pub(super) fn end_of_region(&mut self, position: &mut Position, rows: &mut Vec<Row>) {
        self.finish(position, rows);
        if let Some(given) = self.again.take() {
            position.passed(given.key_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cell::Parts;
    use crate::model::row::CellBlock;
    use crate::model::scan::Scan;

    fn row(key: &str, qualifiers: &str) -> Row {
        let mut bytes = Vec::new();
        for qualifier in qualifiers.as_bytes() {
            let (row, qualifier) = (key.as_bytes(), &[*qualifier][..]);
            Parts { row, family: b"f", qualifier, timestamp: 1, kind: 4, value: b"" }.write(&mut bytes).unwrap();
        }
        CellBlock(bytes.into()).take(qualifiers.len()).unwrap()
    }

    /// The rows that came, as `key:qualifiers`.
    fn text(rows: &[Row]) -> String {
        let text = |row: &Row| {
            let qualifiers = row.cells().flat_map(|cell| cell.qualifier().to_vec()).collect();
            format!("{}:{}", String::from_utf8_lossy(row.key()), String::from_utf8(qualifiers).unwrap())
        };
        rows.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    fn started(pieces: bool) -> (Assembly, Position, Vec<Row>) {
        (Assembly::new(pieces), Position::new(&Scan::new()), Vec::new())
    }

    #[test]
    fn parts_are_put_together() {
        let (mut assembly, mut position, mut rows) = started(false);
        for (row, partial) in
            [(row("a", "xy"), true), (row("a", "z"), false), (row("b", "x"), true), (row("c", "x"), true)]
        {
            assembly.push(row, partial, &mut position, &mut rows);
        }
        assert_eq!(text(&rows), "a:xyz b:x");
        assert_eq!((&*position.from, assembly.parts.len()), (&b"b"[..], 1));
        assembly.end_of_region(&mut position, &mut rows);
        assert_eq!((text(&rows), position.from), ("a:xyz b:x c:x".into(), "c".into()));
    }

    #[test]
    fn a_whole_row_is_read_again_after_a_fault() {
        let (mut assembly, mut position, mut rows) = started(false);
        assembly.push(row("a", "x"), false, &mut position, &mut rows);
        assembly.push(row("b", "xy"), true, &mut position, &mut rows);
        assembly.reopen(&mut position);
        assert_eq!((&*position.from, position.inclusive), (&b"a"[..], false));
        assembly.push(row("b", "xyz"), false, &mut position, &mut rows);
        assert_eq!(text(&rows), "a:x b:xyz");
    }

    #[test]
    fn pieces_go_on_inside_their_row() {
        let (mut assembly, mut position, mut rows) = started(true);
        assembly.push(row("a", "ab"), true, &mut position, &mut rows);
        assembly.reopen(&mut position);
        assert_eq!((&*position.from, position.inclusive), (&b"a"[..], true));
        assembly.push(row("a", "a"), true, &mut position, &mut rows);
        assembly.push(row("a", "bc"), true, &mut position, &mut rows);
        assembly.push(row("a", "d"), false, &mut position, &mut rows);
        assert_eq!(text(&rows), "a:ab a:c a:d");
        assert!(!position.inclusive);
    }

    #[test]
    fn a_row_that_another_one_ends_counts_before_that_one() {
        for pieces in [false, true] {
            let (mut assembly, mut rows) = (Assembly::new(pieces), Vec::new());
            let mut position = Position::new(&Scan::new().limit(1));
            assembly.push(row("a", "x"), true, &mut position, &mut rows);
            assembly.push(row("b", "x"), false, &mut position, &mut rows);
            assert_eq!((text(&rows), &*position.from), ("a:x".into(), &b"a"[..]));
        }
        let (mut assembly, mut rows) = (Assembly::new(true), Vec::new());
        let mut position = Position::new(&Scan::new().limit(1));
        assembly.push(row("a", "x"), true, &mut position, &mut rows);
        assembly.reopen(&mut position);
        assembly.push(row("b", "x"), false, &mut position, &mut rows);
        assert_eq!(text(&rows), "a:x");
    }

    #[test]
    fn a_row_whose_rest_is_gone_is_passed() {
        let (mut assembly, mut position, mut rows) = started(true);
        assembly.push(row("a", "ab"), true, &mut position, &mut rows);
        assembly.reopen(&mut position);
        assembly.push(row("a", "ab"), false, &mut position, &mut rows);
        assert_eq!((text(&rows), position.inclusive), ("a:ab".into(), false));
        assembly.push(row("b", "a"), true, &mut position, &mut rows);
        assembly.reopen(&mut position);
        assembly.push(row("c", "a"), false, &mut position, &mut rows);
        assert_eq!((text(&rows), &*position.from), ("a:ab b:a c:a".into(), &b"c"[..]));
    }
}
