//! Scans: ranges as requests, rows as batches.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream::unfold;
use rowkey::nonblocking::Batches;
use rowkey::store::{CallOptions, RowBatch, Scan, requests_within};
use rowkey::{Error, KeyRange};

use crate::client::proto::{ReadRowsRequest, RowSet};
use crate::client::row_set::{has_keys, row_range};
use crate::client::{Client, Next, RowStream, WireRow};
use crate::filter::Reading;

/// The service refuses sets of rows that are longer: <https://cloud.google.com/bigtable/docs/reads>.
const MOST_BYTES: usize = 400_000;

/// More than a tag and a length take in a message.
const HEAD: usize = 8;

/// The ranges as sets that fit into a request each, in the order of the scan.
fn row_sets(scan: &Scan) -> VecDeque<RowSet> {
    let ranges = scan.ranges.iter().filter(|range| has_keys(range)).map(row_range);
    let requests = requests_within(ranges, MOST_BYTES, |range| prost::Message::encoded_len(range) + HEAD);
    let sets = requests.into_iter().map(|row_ranges| RowSet { row_ranges, ..RowSet::default() });
    if scan.reverse { sets.rev().collect() } else { sets.collect() }
}

pub(crate) fn not_asked_for() -> Error {
    Error::engine("the server sent a row that was not asked for")
}

/// The keys as sets that fit into a request each.
pub(crate) fn key_sets(keys: impl Iterator<Item = Vec<u8>>) -> impl Iterator<Item = RowSet> {
    let requests = requests_within(keys, MOST_BYTES, |key| key.len() + HEAD);
    requests.into_iter().map(|row_keys| RowSet { row_keys, ..RowSet::default() })
}

/// A scan, with what it needs to go on.
struct Scanning {
    client: Client,
    options: CallOptions,
    table: Arc<str>,
    /// The request without its rows.
    request: ReadRowsRequest,
    reading: Reading,
    ranges: Vec<KeyRange>,
    /// The rows that are not requested yet.
    sets: VecDeque<RowSet>,
    open: Option<RowStream>,
    limit: Option<u64>,
    batch_rows: usize,
    batch_bytes: usize,
    /// The bytes of a batch now: fewer if the memory of all scans is short.
    most: usize,
    piece: usize,
    /// Pieces of the last row that did not fit into the batch.
    pieces: VecDeque<Vec<u8>>,
    key: Vec<u8>,
    buffer: Vec<u8>,
    ends: Vec<usize>,
    /// An error that comes after the rows before it.
    failure: Option<Error>,
    ended: bool,
}

/// The batches of a scan.
pub(crate) fn batches(
    client: &Client,
    options: &CallOptions,
    table: &str,
    scan: &Scan,
    piece: Option<usize>,
    reading: Reading,
) -> Batches {
    let request = ReadRowsRequest {
        table_name: client.table_name(table),
        filter: Some(reading.filter.clone()),
        reversed: scan.reverse,
        ..ReadRowsRequest::default()
    };
    let scanning = Scanning {
        client: client.clone(),
        options: options.clone(),
        table: table.into(),
        request,
        reading,
        ranges: scan.ranges.clone(),
        sets: if scan.limit == Some(0) { VecDeque::new() } else { row_sets(scan) },
        open: None,
        limit: scan.limit,
        batch_rows: scan.batch_rows.max(1),
        batch_bytes: scan.batch_bytes,
        most: scan.batch_bytes,
        piece: piece.unwrap_or(usize::MAX),
        pieces: VecDeque::new(),
        key: Vec::new(),
        buffer: Vec::new(),
        ends: Vec::new(),
        failure: None,
        ended: false,
    };
    Box::pin(unfold(scanning, |mut scanning| async move {
        let batch = scanning.next_batch().await.transpose()?;
        scanning.ended |= batch.is_err();
        Some((batch, scanning))
    }))
}

impl Scanning {
    /// The rows that are there, at least one. It waits for the first one only.
    async fn next_batch(&mut self) -> Result<Option<RowBatch>, Error> {
        if self.ended {
            return Ok(None);
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut batch = RowBatch::new();
        let options = self.options.clone();
        let table = Arc::clone(&self.table);
        let call = options.begin("scan", &table)?;
        while !self.is_full(&batch) {
            if let Some(cells) = self.pieces.pop_front() {
                batch.push(&self.key, &cells);
                continue;
            }
            let Some(stream) = &mut self.open else {
                if !batch.is_empty() || !self.open_next() {
                    break;
                }
                continue;
            };
            let next = match stream.ready().await {
                Ok(Next::Pending) if !batch.is_empty() => break,
                Ok(Next::Pending) => {
                    let next = stream.next(&call).await;
                    self.most = self.batch_bytes.min(stream.most());
                    next.map(|row| row.map_or(Next::End, Next::Row))
                }
                other => other,
            };
            let taken = match next {
                Ok(Next::Row(row)) => self.take(&mut batch, row),
                Ok(Next::End) => {
                    self.open = None;
                    Ok(())
                }
                Ok(Next::Pending) => Ok(()),
                Err(error) => Err(error),
            };
            match taken {
                Ok(()) => {}
                Err(error) if batch.is_empty() => return Err(error),
                Err(error) => {
                    self.failure = Some(error);
                    break;
                }
            }
        }
        if let Some(stream) = &mut self.open {
            stream.rest();
        }
        Ok(Some(batch).filter(|batch| !batch.is_empty()))
    }

    fn is_full(&self, batch: &RowBatch) -> bool {
        batch.len() >= self.batch_rows || (!batch.is_empty() && batch.bytes() >= self.most)
    }

    /// Begins the next request. Returns whether there is one.
    fn open_next(&mut self) -> bool {
        let Some(rows) = self.sets.pop_front() else { return false };
        // Rows that are dropped here would count for the server's limit.
        let limit = self.limit.filter(|_| !self.reading.rest.drops_rows());
        let rows_limit = limit.map_or(0, |limit| i64::try_from(limit).unwrap_or(0));
        let request = ReadRowsRequest { rows: Some(rows), rows_limit, ..self.request.clone() };
        self.open = Some(self.client.scan(request, self.batch_bytes));
        true
    }

    fn take(&mut self, batch: &mut RowBatch, row: WireRow) -> Result<(), Error> {
        if !KeyRange::any_contains(&self.ranges, &row.key) {
            return Err(not_asked_for());
        }
        self.reading.cells(&row, self.piece, &mut self.buffer, &mut self.ends)?;
        if self.ends.is_empty() {
            return Ok(());
        }
        if let Some(limit) = &mut self.limit {
            *limit = limit.saturating_sub(1);
            if *limit == 0 {
                self.sets.clear();
                if self.reading.rest.drops_rows() {
                    self.open = None;
                }
            }
        }
        match self.ends.as_slice() {
            [_] => batch.push(&row.key, &self.buffer),
            ends => {
                let mut start = 0;
                for &end in ends {
                    self.pieces.push_back(self.buffer[start..end].to_vec());
                    start = end;
                }
                self.key = row.key;
            }
        }
        Ok(())
    }
}
