//! The request of a scan.

use bytes::Bytes;

use crate::model::columns::{Columns, columns};
use crate::model::error::{Error, Result};
use crate::model::row::wrong_key;
use crate::pb;

/// Reads rows in the order of their keys. By default all rows of a table.
#[derive(Debug, Clone)]
pub struct Scan {
    pub(crate) start: Bytes,
    pub(crate) start_inclusive: bool,
    pub(crate) stop: Bytes,
    pub(crate) stop_inclusive: bool,
    pub(crate) reverse: bool,
    pub(crate) limit: Option<u64>,
    pub(crate) rows: u32,
    pub(crate) bytes: u64,
    pub(crate) ahead: usize,
    pub(crate) pieces: bool,
    pub(crate) counts: bool,
    columns: Columns,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            start: Bytes::new(),
            start_inclusive: true,
            stop: Bytes::new(),
            stop_inclusive: false,
            reverse: false,
            limit: None,
            rows: i32::MAX as u32,
            bytes: 2 << 20,
            ahead: 1,
            pieces: false,
            counts: false,
            columns: Columns::default(),
        }
    }
}

impl Scan {
    /// All rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts with this row, or behind where it would be. Empty is where the table begins; in reverse, where it ends.
    #[doc(alias = "withStartRow")]
    #[must_use]
    pub fn start(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.start, self.start_inclusive) = (Bytes::copy_from_slice(row.as_ref()), true);
        self
    }

    /// Starts behind this row; in reverse, before it.
    #[must_use]
    pub fn start_after(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.start, self.start_inclusive) = (Bytes::copy_from_slice(row.as_ref()), false);
        self
    }

    /// Stops before this row, which is not read. Empty is where the table ends; in reverse, where it begins.
    #[doc(alias = "withStopRow")]
    #[must_use]
    pub fn stop_before(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.stop, self.stop_inclusive) = (Bytes::copy_from_slice(row.as_ref()), false);
        self
    }

    /// Stops with this row, which is read.
    #[must_use]
    pub fn stop_with(mut self, row: impl AsRef<[u8]>) -> Self {
        (self.stop, self.stop_inclusive) = (Bytes::copy_from_slice(row.as_ref()), true);
        self
    }

    /// Reads the rows backwards: `start` is the greatest key then, and `stop` the least.
    #[doc(alias = "setReversed")]
    #[must_use]
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Limits the number of rows. The servers know the limit, and read no more.
    #[doc(alias = "setLimit")]
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// The most rows of a response. Default: as many as [`bytes_per_call`](Self::bytes_per_call) allows.
    #[doc(alias = "setCaching")]
    #[must_use]
    pub fn rows_per_call(mut self, rows: u32) -> Self {
        self.rows = rows.clamp(1, i32::MAX as u32);
        self
    }

    /// The approximate size of a response in bytes. Default: 2 MiB. A longer row comes in several responses, and is put
    /// together.
    #[doc(alias = "setMaxResultSize")]
    #[must_use]
    pub fn bytes_per_call(mut self, bytes: u64) -> Self {
        self.bytes = bytes.clamp(1, i64::MAX as u64);
        self
    }

    /// The number of responses that are read ahead. Default: 1. A scan holds two more: one that waits for room, and the
    /// one whose rows are being taken.
    #[must_use]
    pub fn read_ahead(mut self, answers: usize) -> Self {
        self.ahead = answers.clamp(1, 1024);
        self
    }

    /// Gives the pieces of a long row as they come, each a [`Row`](crate::Row) with the same key, instead of the whole
    /// row. Default: whole rows.
    #[must_use]
    #[doc(alias = "setAllowPartialResults")]
    pub fn allow_partial_rows(mut self) -> Self {
        self.pieces = true;
        self
    }

    /// Counts the rows that the servers read and filtered: [`Scanner::counts`](crate::Scanner::counts). Default: no.
    #[doc(alias = "setScanMetricsEnabled")]
    #[must_use]
    pub fn track_counts(mut self) -> Self {
        self.counts = true;
        self
    }

    columns!();

    /// Checks that a server can read it.
    pub(crate) fn check(&self) -> Result<()> {
        // An empty key is the table's end.
        let key = [&self.start, &self.stop].into_iter().filter(|key| !key.is_empty()).find_map(|key| wrong_key(key));
        key.or_else(|| self.columns.wrong()).map_or(Ok(()), |wrong| Err(Error::invalid(wrong)))
    }

    pub(crate) fn to_pb(&self) -> pb::Scan {
        let columns = &self.columns;
        let (store_limit, store_offset) = columns.cells_to_pb();
        pb::Scan {
            column: columns.to_pb(),
            filter: columns.filter_to_pb(self.reverse),
            time_range: columns.time_range,
            max_versions: columns.versions,
            cache_blocks: columns.no_cache.then_some(false),
            store_limit,
            store_offset,
            load_column_families_on_demand: columns.on_demand_to_pb(self.reverse),
            max_result_size: Some(self.bytes),
            caching: Some(self.rows),
            reversed: self.reverse.then_some(true),
            ..Default::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "it is refused")]
    fn what_cannot_be_read_is_told() {
        let (longest, longer) = ([9; 32_767], [9; 32_768]);
        let right = Scan::new().start("").stop_before("");
        assert!(right.check().is_ok());
        assert!(right.start_after(longest).stop_with(longest).family("f").time_range(3..3).check().is_ok());
        for wrong in [
            Scan::new().start(longer),
            Scan::new().stop_with(longer).reverse(),
            Scan::new().column("", "q"),
            Scan::new().time_range(5..3),
        ] {
            assert_eq!(wrong.check().unwrap_err().kind(), ErrorKind::Invalid, "{wrong:?}");
        }
    }
}
