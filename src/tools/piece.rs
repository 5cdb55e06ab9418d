//! The pieces of a job's batch: each is one transaction, after which others write.

use crate::keys::range::KeyRange;
use crate::store::{Scan, TimeSlice};

/// A piece has this many rows at most.
const ROWS: usize = 256;

/// A piece under way: what a transaction of a batch may read and write.
pub(super) struct Piece {
    /// The rest of the batch, in rows and bytes.
    rows: usize,
    bytes: usize,
    read: usize,
    used: usize,
    /// `None` if nobody has to wait for the piece, which is the whole batch then.
    slice: Option<TimeSlice>,
    cut: bool,
}

impl Piece {
    /// The next piece of a batch with this much left.
    pub(super) fn transaction(rows: usize, bytes: usize) -> Self {
        Self { slice: Some(TimeSlice::begin()), ..Self::whole(rows, bytes) }
    }

    /// A batch that is no transaction.
    pub(super) fn whole(rows: usize, bytes: usize) -> Self {
        Self { rows, bytes, read: 0, used: 0, slice: None, cut: false }
    }

    /// The scan of its rows, and of the row by which it is cut.
    pub(super) fn scan(&self, after: Option<&[u8]>) -> Scan {
        let rows = if self.slice.is_some() { self.rows.min(ROWS + 1) } else { self.rows };
        let range = after.map_or_else(KeyRange::all, KeyRange::after);
        Scan::new(vec![range]).limit(rows as u64).batch_rows(rows).batch_bytes(self.bytes)
    }

    /// Returns whether the piece ends before the next row.
    pub(super) fn ends(&mut self) -> bool {
        if self.read >= self.rows || self.used >= self.bytes {
            return true;
        }
        self.cut = self.read > 0 && self.slice.is_some_and(|slice| self.read >= ROWS || slice.is_over());
        self.cut
    }

    /// Counts a row that was read.
    pub(super) fn row(&mut self) {
        self.read += 1;
    }

    /// Counts bytes that were read or will be written.
    pub(super) fn bytes(&mut self, bytes: usize) {
        self.used += bytes;
    }

    /// Bytes that were read or will be written.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Returns whether the batch goes on with another piece.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use crate::store::TimeSlice;
    use crate::tools::piece::{Piece, ROWS};

    fn rows_of(mut piece: Piece, bytes_of_row: usize) -> (usize, bool) {
        let mut rows = 0;
        while !piece.ends() {
            piece.row();
            piece.bytes(bytes_of_row);
            rows += 1;
        }
        (rows, piece.is_cut())
    }

    #[test]
    fn a_batch_ends_by_its_bounds_and_a_piece_before() {
        assert_eq!(rows_of(Piece::whole(7, 100), 1), (7, false));
        assert_eq!(rows_of(Piece::whole(usize::MAX, 100), 30), (4, false));
        assert_eq!(rows_of(Piece::whole(1000, usize::MAX), 1), (1000, false));
        let (rows, is_cut) = rows_of(Piece::transaction(1000, usize::MAX), 1);
        assert!((1..=ROWS).contains(&rows) && is_cut);
    }

    #[test]
    fn time_ends_a_piece_after_a_row() {
        let mut piece = Piece::transaction(1000, usize::MAX);
        std::thread::sleep(TimeSlice::LENGTH);
        assert!(!piece.ends());
        piece.row();
        assert!(piece.ends() && piece.is_cut());
    }
}
