//! Scans that return one row of each group, and seek past the rest of it.

use std::fmt;
use std::sync::Arc;

use super::plan::Start;
use super::scan::{Source, TableScan};
use super::setup::Setup;
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::prefix::Select;
use crate::store::error::Error;
use crate::store::value::RowValue;

impl<K: RowKey, V> TableScan<K, V> {
    /// Returns the first row of each group, in the scan's direction. `group` returns the selection of rows that belong
    /// to the same group as this row, usually a prefix of its fields. The scan seeks past them, so one row is read per
    /// group (one from each bucket of a salted key).
    ///
    /// If the selection has several ranges, the one that contains the row counts. A row in none of them is a group by
    /// itself. Limit and offset count groups. The scan starts from its beginning, even if rows were taken from it
    /// before.
    ///
    /// If reading or decoding a row fails, or panics, an error is the last item.
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
    /// // All hosts, at most ten.
    /// let hosts = visits.scan(..).limit(10).first_of_each(|visit| Visit::prefix().host(&visit.host));
    /// let hosts: Vec<String> = hosts.map(|row| row.map(|(visit, ())| visit.host)).collect::<Result<_, _>>()?;
    /// assert_eq!(hosts, ["a.example", "b.example"]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[doc(alias = "skip scan")]
    #[doc(alias = "distinct")]
    #[doc(alias = "group by")]
    pub fn first_of_each<F, S>(self, group: F) -> FirstOfEach<K, V, F>
    where
        F: FnMut(&K) -> S,
        S: Select<K>,
    {
        let (scan, pass, left) = self.by_rows();
        let table = Arc::clone(&scan.setup.table);
        FirstOfEach { table, scan: Some(scan), group, pass, left, rows_read: 0, reads: false }
    }

    /// The scan without its offset and limit, then these.
    fn by_rows(mut self) -> (Self, u64, u64) {
        if let Source::Wide(_, columns) = &mut self.source {
            columns.piece = None;
        }
        let (offset, limit) = (std::mem::take(&mut self.setup.offset), self.setup.scan.limit.take());
        (self, offset, limit.unwrap_or(u64::MAX))
    }

    /// A scan of the first row from here. After it, this scan's own start is no longer set.
    fn first_row(&mut self) -> Self {
        let start = std::mem::replace(&mut self.setup.start, Start::First);
        let Setup { table, earlier, selection, scan, .. } = &self.setup;
        let mut first = Setup::new(Arc::clone(table), Arc::clone(earlier), selection.clone());
        (first.scan, first.start) = (scan.clone().limit(1), start);
        Self::new(first, self.source.clone())
    }
}

/// An iterator over the first row of each group. See [`TableScan::first_of_each`].
#[must_use = "a scan reads nothing before it is iterated"]
pub struct FirstOfEach<K, V, F> {
    table: Arc<str>,
    /// The scan from the next group on; `None` after the last group or an error.
    scan: Option<TableScan<K, V>>,
    group: F,
    /// Number of groups still to be skipped.
    pass: u64,
    /// Number of groups that may still be returned.
    left: u64,
    rows_read: u64,
    /// Set while a row is read. If it is set when the next one is, that panicked.
    reads: bool,
}

impl<K, V, F> fmt::Debug for FirstOfEach<K, V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstOfEach").field("rows_read", &self.rows_read).finish_non_exhaustive()
    }
}

impl<K, V, F> FirstOfEach<K, V, F> {
    /// Returns the number of rows read from the store so far.
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
            scan.setup.start = Start::after_group(&key.encode(), &(self.group)(&key).select(), scan.setup.scan.reverse);
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
        if std::mem::replace(&mut self.reads, true) {
            (self.scan, self.reads) = (None, false);
            return Some(Err(Error::unwound(&self.table, &[], "a codec, or the closure of the groups,")));
        }
        let row = self.first_of_next();
        self.reads = false;
        row.transpose()
    }
}
