//! One row of each group: from one row the scan skips behind all that are with it.

use std::fmt;
use std::sync::Arc;

use super::plan::Start;
use super::scan::{Source, TableScan};
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::error::Error;
use crate::store::value::RowValue;

impl<K: RowKey, V> TableScan<K, V> {
    /// The first row of each group, in the scan's direction. `group` answers which rows are with a row, usually a prefix of
    /// its fields; they are skipped and not read, so what is read is a row a group (one from each bucket of a salted key).
    /// Of several ranges the one counts that the row is in; if it is in none, it is a group by itself. Limit and offset
    /// count groups. Rows that were taken from the scan before come again.
    ///
    /// An item is an error where reading or decoding its row fails; it is the last.
    ///
    /// ```
    /// use rowkey::{Memory, RowKey, Table};
    ///
    /// #[derive(RowKey, Debug, PartialEq)]
    /// struct Visit {
    ///     host: String,
    ///     day: u16,
    /// }
    ///
    /// let visits: Table<Visit, (), _> = Table::open(Memory::new(), "visits")?;
    /// for host in ["a.example", "b.example"] {
    ///     (1..1000).try_for_each(|day| visits.put(&Visit { host: host.into(), day }, &()))?;
    /// }
    ///
    /// let mut last_days = visits.scan(..).reverse().first_of_each(|visit| Visit::prefix().host(&visit.host));
    /// assert_eq!(last_days.next().transpose()?, Some((Visit { host: "b.example".into(), day: 999 }, ())));
    /// assert_eq!(last_days.next().transpose()?, Some((Visit { host: "a.example".into(), day: 999 }, ())));
    /// assert_eq!(last_days.next().transpose()?, None);
    /// assert_eq!(last_days.rows_read(), 2);
    ///
    /// // The hosts that there are, ten at most.
    /// let hosts = visits.scan(..).limit(10).first_of_each(|visit| Visit::prefix().host(&visit.host));
    /// let hosts: Vec<String> = hosts.map(|row| row.map(|(visit, ())| visit.host)).collect::<Result<_, _>>()?;
    /// assert_eq!(hosts, ["a.example", "b.example"]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn first_of_each<F, S>(self, group: F) -> FirstOfEach<K, V, F>
    where
        F: FnMut(&K) -> S,
        S: Select<K>,
    {
        let (scan, pass, left) = self.by_rows();
        FirstOfEach { scan: Some(scan), group, pass, left, rows_read: 0 }
    }

    /// The scan without its offset and limit, and these.
    fn by_rows(mut self) -> (Self, u64, u64) {
        if let Source::Wide(_, columns) = &mut self.source {
            columns.piece = None;
        }
        let (offset, limit) = (std::mem::take(&mut self.offset), self.scan.limit.take());
        (self, offset, limit.unwrap_or(u64::MAX))
    }

    /// A scan of the first row from here. This one does not know any more where it starts.
    fn first_row(&mut self) -> Self {
        let start = std::mem::replace(&mut self.start, Start::First);
        let mut first =
            Self::new(Arc::clone(&self.table), Arc::clone(&self.earlier), self.source.clone(), self.selection.clone());
        (first.scan, first.start) = (self.scan.clone().limit(1), start);
        first
    }
}

/// The first row of each group: [`TableScan::first_of_each`].
#[must_use = "a scan reads nothing before it is iterated"]
pub struct FirstOfEach<K, V, F> {
    /// The scan from the next group on; none after the last, or an error.
    scan: Option<TableScan<K, V>>,
    group: F,
    /// How many groups are left out yet.
    pass: u64,
    /// How many may come yet.
    left: u64,
    rows_read: u64,
}

impl<K, V, F> fmt::Debug for FirstOfEach<K, V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstOfEach").field("rows_read", &self.rows_read).finish_non_exhaustive()
    }
}

impl<K, V, F> FirstOfEach<K, V, F> {
    /// How many rows were read from the store so far.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }
}

impl<K: OwnedKey, V: RowValue, S: Select<K>, F: FnMut(&K) -> S> FirstOfEach<K, V, F> {
    fn first_of_next(&mut self) -> Result<Option<(K, V)>, Error> {
        loop {
            let Some(mut scan) = self.scan.take().filter(|_| self.left > 0) else { return Ok(None) };
            let mut first = scan.first_row().in_one_call();
            let row = first.next().transpose();
            self.rows_read += first.rows_read();
            let Some((key, value)) = row? else { return Ok(None) };
            scan.start = Start::after_group(&key.encode(), &(self.group)(&key).select(), scan.scan.reverse);
            self.scan = Some(scan);
            if self.pass == 0 {
                self.left -= 1;
                return Ok(Some((key, value)));
            }
            self.pass -= 1;
        }
    }
}

impl<K: OwnedKey, V: RowValue, S: Select<K>, F: FnMut(&K) -> S> Iterator for FirstOfEach<K, V, F> {
    type Item = Result<(K, V), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.first_of_next().transpose()
    }
}
