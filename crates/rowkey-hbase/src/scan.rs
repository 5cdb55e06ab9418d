//! Scans: ranges as scanners, rows as batches.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::unfold;
use hbase_client as hbase;
use hbase_client::Filter;
use rowkey::nonblocking::Batches;
use rowkey::store::{CallOptions, RowBatch, Scan, requests_within};
use rowkey::{Error, KeyRange};
use tokio::time::sleep;

use crate::call::within;
use crate::error::error;
use crate::reading::{Reading, cell};

/// HBase's longest row key.
pub(crate) const LONGEST_KEY: usize = i16::MAX as usize;

/// The most bytes of the ranges of one scanner. They are sent to each region again.
const MOST_BYTES: usize = 400_000;

/// The responses in `batch_bytes`. A scanner holds four at most: three in the client (one is being taken, one was read
/// ahead, one waits) and the batch that is made of one. A scan may hold a batch, and as many bytes ahead.
const RESPONSES: u64 = 2;

/// The most batches of `batch_rows` rows in a response. `batch_bytes` bounds it first, where rows are not short: a call
/// costs the server more than rows do.
const BATCHES: usize = 4;

/// The items that a scan makes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// One, of its cells.
    Rows,
    /// Several, each of as many cells at most.
    Pieces(usize),
    /// One, of the value of its first cell.
    Values,
}

/// A scan, with what it needs to go on.
struct Scanning {
    table: hbase::Table,
    options: CallOptions,
    name: Arc<str>,
    /// The scanners that are not opened yet.
    scans: VecDeque<hbase::Scan>,
    ranges: Vec<KeyRange>,
    /// The names of the families that are read.
    families: Vec<String>,
    open: Option<hbase::Scanner>,
    /// Rows that came last, and the number of those that are in a batch.
    rows: hbase::Rows,
    taken: usize,
    /// The number of rows that may still begin.
    limit: Option<u64>,
    /// In pieces, the key of the row that came last, of which more may come.
    key: Bytes,
    batch_rows: usize,
    batch_bytes: usize,
    /// The bytes of the last batch: the next one is likely to have as many.
    last_bytes: usize,
    made: Made,
    /// The place of the first cell of the next piece in its row.
    cells: usize,
    ended: bool,
}

/// The batches of a scan.
pub(crate) fn batches(
    table: &hbase::Table,
    options: &CallOptions,
    name: &str,
    scan: &Scan,
    made: Made,
    reading: &Reading,
) -> Batches {
    let in_pieces = matches!(made, Made::Pieces(_));
    let scans = if scan.limit == Some(0) { VecDeque::new() } else { scans(scan, in_pieces, reading) };
    let scanning = Scanning {
        table: table.clone(),
        options: options.clone(),
        name: name.into(),
        scans,
        ranges: scan.ranges.clone(),
        families: reading.families().map(str::to_owned).collect(),
        open: None,
        rows: hbase::Rows::default(),
        taken: 0,
        limit: scan.limit,
        key: Bytes::new(),
        batch_rows: scan.batch_rows.max(1),
        batch_bytes: scan.batch_bytes,
        last_bytes: 0,
        made,
        cells: 0,
        ended: false,
    };
    Box::pin(unfold(scanning, |mut scanning| async move {
        let batch = scanning.next_batch().await.transpose()?;
        if batch.is_err() {
            scanning.ended = true;
            scanning.open = None;
        }
        Some((batch, scanning))
    }))
}

/// The scanners that read the ranges, in the order of the scan.
fn scans(scan: &Scan, in_pieces: bool, reading: &Reading) -> VecDeque<hbase::Scan> {
    // More than a tag and a length take in a message.
    let bytes = |range: &KeyRange| range.start().len() + range.end().map_or(0, <[u8]>::len) + 8;
    let groups = requests_within(scan.ranges.iter().filter_map(of_keys), MOST_BYTES, bytes);
    let scanner = |group: Vec<KeyRange>| {
        let start = group.first().map_or(&[][..], KeyRange::start);
        let end = group.last().and_then(KeyRange::end).unwrap_or_default();
        let of_rows = hbase::Scan::new()
            .rows_per_call(u32::try_from(scan.batch_rows.saturating_mul(BATCHES)).unwrap_or(u32::MAX))
            .bytes_per_call(scan.batch_bytes as u64 / RESPONSES);
        let of_rows = match scan.reverse {
            false => of_rows.start(start).stop_before(end),
            true if start.is_empty() => of_rows.reverse().start_after(end),
            true => of_rows.reverse().start_after(end).stop_with(start),
        };
        let of_rows = if in_pieces { of_rows.allow_partial_rows() } else { of_rows };
        let rows = (group.len() > 1)
            .then(|| Filter::row_ranges(group.iter().map(|range| range.start()..range.end().unwrap_or_default())));
        reading.scan(of_rows, rows)
    };
    let scans = groups.into_iter().map(scanner);
    if scan.reverse { scans.rev().collect() } else { scans.collect() }
}

/// The same keys with bounds that are no longer than a key of HBase: a longer one is before the next key of that
/// length. `None` if there are no such keys.
fn of_keys(range: &KeyRange) -> Option<KeyRange> {
    let next = |bound: &[u8]| match bound.get(..LONGEST_KEY) {
        Some(cut) if bound.len() > LONGEST_KEY => KeyRange::prefix(cut).end().map(<[u8]>::to_vec),
        _ => Some(bound.to_vec()),
    };
    KeyRange::new(next(range.start())?, range.end().and_then(next))
}

impl Scanning {
    /// The rows that are there, at least one. It waits for the first one only.
    async fn next_batch(&mut self) -> Result<Option<RowBatch>, Error> {
        if self.ended {
            return Ok(None);
        }
        let (options, name) = (self.options.clone(), Arc::clone(&self.name));
        let call = options.begin("scan", &name)?;
        let mut batch = RowBatch::new();
        loop {
            let left = self.rows.len() - self.taken;
            if left > 0 {
                batch = RowBatch::with_capacity(left.min(self.batch_rows), self.last_bytes);
            }
            self.fill(&mut batch)?;
            if !batch.is_empty() {
                break;
            }
            let Some(open) = &mut self.open else {
                let Some(scan) = self.scans.pop_front().filter(|_| self.limit != Some(0)) else { break };
                let scan = match self.limit {
                    Some(limit) => scan.limit(limit),
                    None => scan,
                };
                // Later calls have a time of their own.
                self.open = Some(within(&self.table, &options.begin("scan", &name)?).scan(scan));
                continue;
            };
            match call.bound(open.next_batch(), sleep).await?.map_err(|told| error(&name, told, &call))? {
                Some(rows) => {
                    self.check(&rows)?;
                    (self.rows, self.taken) = (rows, 0);
                }
                None => self.open = None,
            }
        }
        self.last_bytes = batch.bytes();
        Ok(Some(batch).filter(|batch| !batch.is_empty()))
    }

    fn is_full(&self, batch: &RowBatch) -> bool {
        batch.len() >= self.batch_rows || (!batch.is_empty() && batch.bytes() >= self.batch_bytes)
    }

    /// Checks that the rows were asked for. They came in the order of the scan: the client has checked that, but for
    /// `hbase:meta`, whose rows have an order of their own.
    fn check(&self, rows: &hbase::Rows) -> Result<(), Error> {
        let is_asked_for = |row: hbase::RowRef<'_>| KeyRange::any_contains(&self.ranges, row.key());
        let is_meta = (self.table.name().namespace(), self.table.name().name()) == ("hbase", "meta");
        let all_are = match self.ranges.len() {
            1 if !is_meta => rows.iter().next().into_iter().chain(rows.iter().next_back()).all(is_asked_for),
            _ => rows.iter().all(is_asked_for),
        };
        if all_are { Ok(()) } else { Err(Error::engine("HBase: the server sent a row that was not asked for")) }
    }

    /// Moves rows that came into a batch.
    fn fill(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        while !self.is_full(batch) {
            let Some(row) = self.rows.get(self.taken) else { return Ok(()) };
            let (key, in_pieces) = (row.key(), matches!(self.made, Made::Pieces(_)));
            let mut cells = row.cells().map(|of_row| cell(&of_row, &self.families));
            let taken = match self.made {
                Made::Rows => batch.push_cells(key, cells).map(|()| row.len())?,
                Made::Pieces(piece) => batch.push_cells(key, cells.skip(self.cells).take(piece)).map(|()| piece)?,
                Made::Values => {
                    if let Some(first) = cells.next().transpose()? {
                        batch.push(key, first.value);
                    }
                    row.len()
                }
            };
            if self.cells == 0 && !(in_pieces && self.key == key) {
                if in_pieces {
                    self.key = Bytes::copy_from_slice(key);
                }
                self.limit = self.limit.map(|limit| limit.saturating_sub(1));
            }
            self.cells = self.cells.saturating_add(taken);
            if self.cells >= row.len() {
                self.cells = 0;
                self.taken += 1;
            }
            // The memory of a response is not held when all of it is in batches.
            if self.taken == self.rows.len() {
                (self.rows, self.taken) = (hbase::Rows::default(), 0);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_no_key_has_are_cut_to_keys() {
        let long = |byte: u8, len| vec![byte; len];
        let cut = |start: Vec<u8>, end: Option<Vec<u8>>| {
            let range = of_keys(&KeyRange::new(start, end).unwrap())?;
            Some((range.start().to_vec(), range.end().map(<[u8]>::to_vec)))
        };
        let next = [long(7, LONGEST_KEY - 1), vec![8]].concat();
        assert_eq!(cut(long(7, LONGEST_KEY), None), Some((long(7, LONGEST_KEY), None)));
        assert_eq!(cut(long(7, LONGEST_KEY + 1), None), Some((next.clone(), None)));
        assert_eq!(cut(vec![1], Some(long(7, 40_000))), Some((vec![1], Some(next))));
        assert_eq!(cut(vec![1], Some(long(255, 40_000))), Some((vec![1], None)));
        assert_eq!(cut(long(255, 40_000), None), None);
        assert_eq!(cut(long(7, LONGEST_KEY + 1), Some(long(7, LONGEST_KEY + 2))), None);
    }
}
