//! Scans that break off anywhere: each row comes once, whole and in order.

use std::sync::Mutex;
use std::time::Duration;

use fastrand::Rng;
use prost::Message;
use rowkey::store::CallOptions;
use rowkey_bigtable::BigtableOptions;
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::row_range::{EndKey, StartKey};
use rowkey_bigtable::client::proto::{ReadRowsRequest, ReadRowsResponse, RowRange, RowSet};
use rowkey_bigtable::client::{Client, WireRow};
use rowkey_bigtable_testkit::answers::{End, messages, status};
use rowkey_bigtable_testkit::{Answer, Mock};
use tonic::Code;

/// The most breaks of a scan.
const BREAKS: usize = 4;

/// Qualifiers and values of a row's cells.
type Cells = Vec<(u8, Vec<u8>)>;
type Rows = Vec<(Vec<u8>, Cells)>;

/// Rows whose keys are a letter each.
fn rows(rng: &mut Rng) -> Rows {
    let keys = (b'a'..b'm').filter(|_| rng.bool()).collect::<Vec<_>>();
    let mut cells = || (0..rng.u8(1..4)).map(|column| (column, vec![column; rng.usize(0..7)])).collect();
    keys.into_iter().map(|key| (vec![key], cells())).collect()
}

fn row_set(rng: &mut Rng) -> RowSet {
    let key = |rng: &mut Rng| vec![rng.u8(b'a'..b'm')];
    let mut set = RowSet::default();
    for _ in 0..rng.usize(0..3) {
        set.row_keys.push(key(rng));
    }
    for _ in 0..rng.usize(0..3) {
        let (start, end) = (key(rng), key(rng));
        let (start, end) = if start <= end { (start, end) } else { (end, start) };
        let start_key = if rng.bool() { StartKey::StartKeyClosed(start) } else { StartKey::StartKeyOpen(start) };
        let end_key = if rng.bool() { EndKey::EndKeyClosed(end) } else { EndKey::EndKeyOpen(end) };
        set.row_ranges.push(RowRange {
            start_key: Some(start_key).filter(|_| rng.u8(0..4) > 0),
            end_key: Some(end_key).filter(|_| rng.u8(0..4) > 0),
        });
    }
    set
}

fn has(set: &RowSet, key: &[u8]) -> bool {
    let in_range = |range: &RowRange| {
        let starts = match &range.start_key {
            None => true,
            Some(StartKey::StartKeyClosed(start)) => key >= start.as_slice(),
            Some(StartKey::StartKeyOpen(start)) => key > start.as_slice(),
        };
        let ends = match &range.end_key {
            None => true,
            Some(EndKey::EndKeyClosed(end)) => key <= end.as_slice(),
            Some(EndKey::EndKeyOpen(end)) => key < end.as_slice(),
        };
        starts && ends
    };
    let is_all = set.row_keys.is_empty() && set.row_ranges.is_empty();
    is_all || set.row_keys.iter().any(|one| one == key) || set.row_ranges.iter().any(in_range)
}

/// The rows that Bigtable returns.
fn selected(rows: &Rows, request: &ReadRowsRequest) -> Rows {
    let set = request.rows.clone().unwrap_or_default();
    let mut rows: Rows = rows.iter().filter(|(key, _)| has(&set, key)).cloned().collect();
    if request.reversed {
        rows.reverse();
    }
    if let limit @ 1.. = usize::try_from(request.rows_limit).unwrap() {
        rows.truncate(limit);
    }
    rows
}

/// The chunks of a row: its values are cut, and it may be begun, and taken back, before.
fn chunks(key: &[u8], cells: &Cells, rng: &mut Rng) -> Vec<CellChunk> {
    let mut chunks = Vec::new();
    for (index, (qualifier, value)) in cells.iter().enumerate() {
        let (head, tail) = value.split_at(rng.usize(0..=value.len()));
        chunks.push(CellChunk {
            row_key: if index == 0 { key.to_vec() } else { Vec::new() },
            family_name: (index == 0).then(|| "f".to_owned()),
            qualifier: Some(vec![*qualifier]),
            value: head.to_vec(),
            value_size: if tail.is_empty() { 0 } else { i32::try_from(value.len()).unwrap() },
            ..CellChunk::default()
        });
        if !tail.is_empty() {
            chunks.push(CellChunk { value: tail.to_vec(), ..CellChunk::default() });
        }
    }
    let reset = CellChunk { row_status: Some(RowStatus::ResetRow(true)), ..CellChunk::default() };
    let mut all: Vec<CellChunk> = match rng.u8(0..4) {
        0 if chunks.len() > 1 => chunks[..rng.usize(1..chunks.len())].iter().cloned().chain([reset]).collect(),
        _ => Vec::new(),
    };
    chunks.last_mut().unwrap().row_status = Some(RowStatus::CommitRow(true));
    all.extend(chunks);
    all
}

/// The answer to a request: all rows, or, to one of the first requests, what comes before a break.
fn answer(rows: &Rows, request: &ReadRowsRequest, number: usize, rng: &mut Rng) -> Answer {
    let mut parts: Vec<ReadRowsResponse> = Vec::new();
    for (key, cells) in selected(rows, request) {
        let mut chunks = chunks(&key, &cells, rng);
        while !chunks.is_empty() {
            let some = chunks.drain(..rng.usize(1..=chunks.len())).collect();
            parts.push(ReadRowsResponse { chunks: some, ..ReadRowsResponse::default() });
        }
        // A key between this row and the next one, scanned and not returned.
        if rng.u8(0..4) == 0 && !request.reversed {
            let scanned = [key.as_slice(), b"~"].concat();
            parts.push(ReadRowsResponse { last_scanned_row_key: scanned, ..ReadRowsResponse::default() });
        }
    }
    if number >= BREAKS || rng.u8(0..4) == 0 {
        return messages(parts, End::of(Code::Ok));
    }
    let whole = parts.len();
    parts.truncate(rng.usize(0..=whole));
    match rng.u8(0..12) {
        0 => messages(parts, End::Reset),
        1 if parts.is_empty() => status(Code::Unavailable, "not now"),
        2..7 => messages(parts, End::Trailers(vec![])),
        _ => messages(parts, End::of(Code::Unavailable)),
    }
}

fn read(row: WireRow) -> (Vec<u8>, Cells) {
    let cells = row.cells.into_iter().map(|cell| (row.columns[cell.column].1[0], cell.value)).collect();
    (row.key, cells)
}

#[tokio::test]
async fn a_scan_that_breaks_off_anywhere_returns_each_row_once() {
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let rows = rows(&mut rng);
        let request = ReadRowsRequest {
            rows: Some(row_set(&mut rng)),
            rows_limit: rng.i64(0..6),
            reversed: rng.bool(),
            ..ReadRowsRequest::default()
        };
        let expected = selected(&rows, &request);
        let whole = request.rows.as_ref().is_some_and(|set| set.row_keys.is_empty() && set.row_ranges.is_empty());
        let rng = Mutex::new(rng);
        let served = rows.clone();
        let (mock, address) = Mock::start(move |asked| {
            let request = ReadRowsRequest::decode(asked.message.clone()).unwrap();
            answer(&served, &request, asked.number, &mut rng.lock().unwrap())
        })
        .await;
        let options = BigtableOptions::new("p", "i").emulator(&address).retry_for(Duration::from_secs(600));
        let client = Client::new(&options).unwrap();
        let (mut stream, mut found) = (client.read_rows(request.clone()), Vec::new());
        let call = CallOptions::none().begin("scan", "t").unwrap();
        while let Some(row) = stream.next(&call).await.unwrap_or_else(|error| panic!("{seed}: {error}")) {
            found.push(read(row));
        }
        assert_eq!(found, expected, "seed {seed}: {request:?}");
        for asked in mock.asked() {
            let sent = ReadRowsRequest::decode(asked.message).unwrap().rows.unwrap_or_default();
            let is_whole = sent.row_keys.is_empty() && sent.row_ranges.is_empty();
            assert!(whole || !is_whole, "seed {seed}: the whole table was asked for");
        }
    }
}
