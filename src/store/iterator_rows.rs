//! An open scan over the rows that an iterator returns.

use std::fmt;

use super::{RowBatch, Rows, Scan, Walk};
use crate::keys::range::KeyRange;
use crate::store::error::Error;

/// The rows of an iterator as an open scan: of a file, of an export, of a client without a store.
///
/// The iterator returns rows in the order of the scan. Those outside its ranges are passed over; limit and size of
/// batches are the scan's. The iterator is dropped as soon as it ends or fails, or no range is left.
///
/// ```
/// use rowkey::foreign::Fdb;
/// use rowkey::merge::MergedRows;
/// use rowkey::store::{IteratorRows, Rows, Scan};
/// use rowkey::{Error, RowKey, Select};
///
/// /// A tuple of FoundationDB.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct User {
///     #[rowkey(with = Fdb)]
///     name: String,
///     #[rowkey(with = Fdb)]
///     id: u32,
/// }
///
/// // A dump of another program's rows.
/// let dump: Vec<std::io::Result<(&[u8], &[u8])>> =
///     vec![Ok((b"\x02ada\0\x15\x07", b"login")), Ok((b"\x02bob\0\x15\x08", b"click"))];
/// let rows = dump.into_iter().map(|row| row.map_err(Error::engine));
///
/// let scan = Scan::new(User::prefix().name("bob".to_owned()).ranges());
/// let mut users = MergedRows::new([Box::new(IteratorRows::new(&scan, rows)) as Box<dyn Rows>]);
/// while let Some((key, value)) = users.next_row()? {
///     assert_eq!((User::decode(key)?, value), (User { name: "bob".into(), id: 8 }, &b"click"[..]));
/// }
/// assert_eq!(users.rows_read(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IteratorRows<I> {
    walk: Walk,
    ranges: Vec<KeyRange>,
    /// `None` after the end or an error.
    rows: Option<I>,
    /// The error that comes after the rows before it.
    error: Option<Error>,
}

impl<I, K, V> IteratorRows<I>
where
    I: Iterator<Item = Result<(K, V), Error>> + Send,
    K: AsRef<[u8]>,
    V: AsRef<[u8]>,
{
    /// A scan of these rows, which come in its order.
    pub fn new(scan: &Scan, rows: impl IntoIterator<IntoIter = I>) -> Self {
        Self { walk: Walk::new(scan), ranges: scan.ranges.clone(), rows: Some(rows.into_iter()), error: None }
    }

    /// Returns whether every range is before this key, in the direction of the scan.
    fn is_past(&self, key: &[u8]) -> bool {
        match self.walk.is_reverse() {
            true => self.ranges.first().is_some_and(|range| key < range.start()),
            false => self.ranges.last().is_some_and(|range| range.ends_by(key)),
        }
    }

    /// Returns whether rows may be left.
    fn fill(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let mut room = self.walk.room(batch);
        while !self.walk.is_over() {
            let Some((key, value)) = self.rows.as_mut().and_then(Iterator::next).transpose()? else { break };
            let (key, value) = (key.as_ref(), value.as_ref());
            if self.is_past(key) {
                break;
            }
            if KeyRange::any_contains(&self.ranges, key) && !room.push(key, value) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<I, K, V> Rows for IteratorRows<I>
where
    I: Iterator<Item = Result<(K, V), Error>> + Send,
    K: AsRef<[u8]>,
    V: AsRef<[u8]>,
{
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.walk.batch_bytes());
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let filled = self.fill(batch);
        self.walk.took_batch(batch);
        if !matches!(filled, Ok(true)) || self.walk.is_over() {
            self.rows = None;
        }
        match filled {
            Err(error) if batch.is_empty() => return Err(error),
            Err(error) => self.error = Some(error),
            Ok(_) => {}
        }
        Ok(())
    }
}

impl<I> fmt::Debug for IteratorRows<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IteratorRows").field("walk", &self.walk).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    type Row = Result<([u8; 1], [u8; 1]), Error>;

    fn read(scan: &Scan, rows: Vec<Row>) -> (Vec<Vec<u8>>, bool) {
        let mut rows = IteratorRows::new(scan, rows);
        let (mut batch, mut batches) = (RowBatch::new(), Vec::new());
        let failed = loop {
            match rows.next_batch(&mut batch) {
                Ok(()) if batch.is_empty() => break false,
                Ok(()) => batches.push(batch.iter().map(|(key, _)| key[0]).collect()),
                Err(_) => break true,
            }
        };
        rows.next_batch(&mut batch).unwrap();
        assert!(batch.is_empty() && rows.rows.is_none(), "after the end no rows come");
        (batches, failed)
    }

    fn rows(keys: impl IntoIterator<Item = u8>) -> Vec<Row> {
        keys.into_iter().map(|key| Ok(([key], [0]))).collect()
    }

    #[test]
    fn ranges_limit_and_batches_are_those_of_the_scan() {
        let scan =
            Scan::new([1, 4].map(|from| KeyRange::new([from], Some([from + 2])).unwrap()).to_vec()).batch_rows(3);
        assert_eq!(read(&scan, rows(0..9)), (vec![vec![1, 2, 4], vec![5]], false));
        assert_eq!(read(&scan.clone().limit(2), rows(0..9)), (vec![vec![1, 2]], false));
        assert_eq!(read(&scan.clone().batch_bytes(4), rows(0..9)), (vec![vec![1, 2], vec![4, 5]], false));
        assert_eq!(read(&scan.clone().reverse(true), rows((0..9).rev())), (vec![vec![5, 4, 2], vec![1]], false));
        assert_eq!(read(&scan, rows([])), (vec![], false));
        assert_eq!(read(&Scan::new(Vec::new()), rows(0..9)), (vec![], false));
    }

    #[test]
    fn rows_before_an_error_come_before_it() {
        let failing = |keys| {
            let mut rows = rows(keys);
            rows.extend([Err(Error::engine("broken")), Ok(([9], [0]))]);
            rows
        };
        assert_eq!(read(&Scan::all(), failing(0..3)), (vec![vec![0, 1, 2]], true));
        assert_eq!(read(&Scan::all(), failing(0..0)), (vec![], true));
    }

    #[test]
    fn the_iterator_is_dropped_when_no_range_is_left() {
        let held = Arc::new(());
        let of = Arc::clone(&held);
        let endless = (0_u8..).map(move |key| Ok(([key], [Arc::strong_count(&of) as u8])));
        let mut rows = IteratorRows::new(&Scan::new(vec![KeyRange::prefix([1])]), endless);
        let mut batch = RowBatch::new();
        rows.next_batch(&mut batch).unwrap();
        assert_eq!((batch.len(), Arc::strong_count(&held)), (1, 1));
    }
}
