//! Rows and responses that are larger than a scan may hold.

use std::time::Duration;

use futures_util::TryStreamExt;
use prost::Message;
use rowkey::merge::{BatchMerge, Step};
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore};
use rowkey::store::{CallOptions, Scan};
use rowkey::wide::{Columns, FamilySchema, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange};
use rowkey_bigtable::client::proto::admin::{ColumnFamily, Table};
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::row_filter::Filter;
use rowkey_bigtable::client::proto::row_range::{EndKey, StartKey};
use rowkey_bigtable::client::proto::{ReadRowsRequest, ReadRowsResponse, RowFilter, RowRange, RowSet};
use rowkey_bigtable::client::{Client, RowStream};
use rowkey_bigtable::{Bigtable, BigtableError, BigtableOptions};
use rowkey_bigtable_testkit::answers::{End, messages, status};
use rowkey_bigtable_testkit::{Answer, Asked, Mock};
use tonic::Code;

const MIB: usize = 1 << 20;

fn options(address: &str) -> BigtableOptions {
    BigtableOptions::new("p", "i").emulator(address).retry_for(Duration::from_secs(5))
}

/// Rows in order, each with one cell.
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn is_in(range: &RowRange, key: &[u8]) -> bool {
    let begins = match &range.start_key {
        None => true,
        Some(StartKey::StartKeyClosed(start)) => key >= start.as_slice(),
        Some(StartKey::StartKeyOpen(start)) => key > start.as_slice(),
    };
    begins
        && match &range.end_key {
            None => true,
            Some(EndKey::EndKeyClosed(end)) => key <= end.as_slice(),
            Some(EndKey::EndKeyOpen(end)) => key < end.as_slice(),
        }
}

fn strips_values(filter: &RowFilter) -> bool {
    match &filter.filter {
        Some(Filter::Chain(chain)) => chain.filters.iter().any(strips_values),
        Some(Filter::StripValueTransformer(strips)) => *strips,
        _ => false,
    }
}

/// A server that sends `in_one` rows in a response, and values in chunks of a given size.
fn answers(rows: Rows, in_one: usize, chunk: usize) -> impl Fn(&Asked) -> Answer + Send + Sync + 'static {
    move |asked| {
        if asked.method == "GetTable" {
            let families = [("f".to_owned(), ColumnFamily::default())];
            return messages([Table { column_families: families.into(), ..Table::default() }], End::of(Code::Ok));
        }
        let request = ReadRowsRequest::decode(asked.message.clone()).unwrap();
        if request.table_name.ends_with("rowkey.schemas") {
            return status(Code::NotFound, "no such table");
        }
        let ranges = request.rows.unwrap_or_default().row_ranges;
        let is_asked_for = |key: &[u8]| ranges.is_empty() || ranges.iter().any(|range| is_in(range, key));
        let mut found: Vec<_> = rows.iter().filter(|(key, _)| is_asked_for(key)).collect();
        if request.reversed {
            found.reverse();
        }
        if request.rows_limit > 0 {
            found.truncate(usize::try_from(request.rows_limit).unwrap());
        }
        let is_bare = request.filter.as_ref().is_some_and(strips_values);
        let responses: Vec<_> = found
            .chunks(in_one)
            .map(|rows| {
                let chunks =
                    rows.iter().flat_map(|(key, value)| chunks_of(key, if is_bare { &[] } else { value }, chunk));
                ReadRowsResponse { chunks: chunks.collect(), ..ReadRowsResponse::default() }
            })
            .collect();
        messages(responses, End::of(Code::Ok))
    }
}

fn chunks_of(key: &[u8], value: &[u8], most: usize) -> Vec<CellChunk> {
    let pieces: Vec<&[u8]> = if value.is_empty() { vec![value] } else { value.chunks(most).collect() };
    let last = pieces.len() - 1;
    let chunk = |(at, piece): (usize, &&[u8])| CellChunk {
        row_key: if at == 0 { key.to_vec() } else { Vec::new() },
        family_name: (at == 0).then(|| "f".to_owned()),
        qualifier: (at == 0).then(|| b"q".to_vec()),
        value: piece.to_vec(),
        value_size: if at < last { i32::try_from(value.len()).unwrap() } else { 0 },
        row_status: (at == last).then_some(RowStatus::CommitRow(true)),
        ..CellChunk::default()
    };
    pieces.iter().enumerate().map(chunk).collect()
}

/// The keys and the lengths of values, and how it ended.
async fn read(mut rows: RowStream) -> (Vec<(String, usize)>, Result<(), Error>) {
    let call = CallOptions::none().begin("scan", "t").unwrap();
    let mut found = Vec::new();
    loop {
        match rows.next(&call).await {
            Ok(Some(row)) => found.push((String::from_utf8(row.key).unwrap(), row.cells[0].value.len())),
            Ok(None) => return (found, Ok(())),
            Err(error) => return (found, Err(error)),
        }
    }
}

fn between(start: Option<StartKey>, end: Option<EndKey>) -> ReadRowsRequest {
    let rows = RowSet { row_ranges: vec![RowRange { start_key: start, end_key: end }], row_keys: Vec::new() };
    ReadRowsRequest { rows: Some(rows), ..ReadRowsRequest::default() }
}

#[tokio::test]
async fn a_row_that_is_too_large_is_named_and_passed_over() {
    // In many chunks, in one message that is read and refused, and in one that is too large to be read.
    for (size, chunk) in [(3 * MIB, MIB / 4), (3 * MIB, 3 * MIB), (20 * MIB, 20 * MIB)] {
        for in_one in [1, 100] {
            let row = |key: &str| (key.as_bytes().to_vec(), vec![7; if key == "c" { size } else { 10 }]);
            let (_mock, address) = Mock::start(answers(["a", "b", "c", "d", "e"].map(row).into(), in_one, chunk)).await;
            let client = Client::new(&options(&address).largest_row(MIB)).unwrap();
            for reversed in [false, true] {
                let (found, end) = read(client.read_rows(ReadRowsRequest { reversed, ..Default::default() })).await;
                let before = if reversed { ["e", "d"] } else { ["a", "b"] };
                assert_eq!(found, before.map(|key| (key.to_owned(), 10)), "{size} {chunk} {in_one}");
                let error = end.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error:?}");
                let large = error.engine_error::<BigtableError>().unwrap().large_row();
                assert_eq!(large.as_deref(), Some(&b"c"[..]), "{error}");
                assert!(
                    error.to_string().contains("at key c has") && error.to_string().contains("largest_row"),
                    "{error}"
                );
            }
            let before = read(client.read_rows(between(None, Some(EndKey::EndKeyOpen(b"c".to_vec()))))).await;
            let after = read(client.read_rows(between(Some(StartKey::StartKeyOpen(b"c".to_vec())), None))).await;
            let keys = |(rows, end): (Vec<(String, usize)>, Result<(), Error>)| {
                end.unwrap();
                rows.into_iter().map(|(key, _)| key).collect::<String>()
            };
            assert_eq!((keys(before), keys(after)), ("ab".to_owned(), "de".to_owned()));
            // A larger option reads it.
            let client = Client::new(&options(&address).largest_row(32 * MIB)).unwrap();
            let (found, end) = read(client.read_rows(ReadRowsRequest::default())).await;
            end.unwrap();
            assert_eq!(found[2], ("c".to_owned(), size));
        }
    }
}

/// The key of a number in one of 16 buckets.
fn salted(number: u8) -> Vec<u8> {
    vec![number.wrapping_mul(7) % 16, number]
}

/// The numbers that a scan of all buckets returns, from `first` to `last`, and the number of the row that is too large.
async fn merged(store: &dyn AsyncWideStore, [first, last]: [u8; 2], reverse: bool) -> (Vec<u8>, Option<u8>) {
    let range = |bucket| KeyRange::new([bucket, first], Some([bucket, last, 0])).unwrap();
    let open = |bucket| store.scan(&Scan::new(vec![range(bucket)]).reverse(reverse), &Columns::all());
    let mut streams: Vec<_> = (0..16).map(open).collect();
    let (mut merge, mut numbers) = (BatchMerge::new(16).salt(1).reverse(reverse), Vec::new());
    loop {
        match merge.step() {
            Ok(Step::Row) => numbers.push(merge.row().unwrap().0[1]),
            Ok(Step::Feed(source)) => {
                let read = streams[source].try_next().await;
                let read = read.map(|rows| *merge.batch(source).unwrap() = rows.unwrap_or_default());
                merge.feed(source, read);
            }
            Ok(Step::Done) => return (numbers, None),
            Err(error) => {
                let large = error.engine_error::<BigtableError>().unwrap().large_row().unwrap();
                return (numbers, Some(large[1]));
            }
        }
    }
}

/// Every row that is not too large comes, whichever buckets the others are in.
#[tokio::test]
async fn rows_between_those_too_large_come_of_all_buckets() {
    let mut rows: Rows =
        (150..=250).map(|n| (salted(n), vec![7; if [200, 204].contains(&n) { 2 * MIB } else { 10 }])).collect();
    rows.sort();
    let (_mock, address) = Mock::start(answers(rows, 2, MIB / 4)).await;
    let db = Bigtable::connect(options(&address).largest_row(MIB)).await.unwrap();
    let schema = TableSchema::new().family("f", FamilySchema::new().max_versions(u32::MAX));
    let store = db.open_table("t", &schema).await.unwrap();
    let of = |from: u8, to: u8| if from <= to { (from..=to).collect() } else { (to..=from).rev().collect::<Vec<_>>() };
    for (ends, reverse, expected) in [
        ([150, 250], false, (of(150, 199), Some(200))),
        ([201, 250], false, (of(201, 203), Some(204))),
        ([205, 250], false, (of(205, 250), None)),
        ([150, 250], true, (of(250, 205), Some(204))),
        ([150, 203], true, (of(203, 201), Some(200))),
        ([150, 199], true, (of(199, 150), None)),
    ] {
        assert_eq!(merged(&*store, ends, reverse).await, expected);
    }
}

/// A response is no row: its rows are asked for one by one.
#[tokio::test]
async fn a_response_that_is_too_large_is_read_row_by_row() {
    let rows: Rows = (10..40).map(|n| (n.to_string().into_bytes(), vec![7; MIB * 9 / 10])).collect();
    let (mock, address) = Mock::start(answers(rows, 30, MIB)).await;
    let client = Client::new(&options(&address).largest_row(MIB)).unwrap();
    let (found, end) = read(client.read_rows(ReadRowsRequest::default())).await;
    end.unwrap();
    assert_eq!(found, (10..40).map(|n| (n.to_string(), MIB * 9 / 10)).collect::<Vec<_>>());
    assert!(mock.asked().len() <= 31, "{} requests", mock.asked().len());
}

/// A scan does not hold the rows that it does not return now: it asks for them again, in responses that it can hold.
#[tokio::test]
async fn what_a_response_has_beside_a_batch_is_let_go() {
    const ROWS: usize = 3_000;
    let rows: Rows = (0..ROWS).map(|n| (format!("{n:05}").into_bytes(), vec![7; 100])).collect();
    let (mock, address) = Mock::start(answers(rows.clone(), 1_000, 1_000)).await;
    let db = Bigtable::connect(options(&address)).await.unwrap();
    let store =
        db.open_table("t", &TableSchema::new().family("f", FamilySchema::new().max_versions(u32::MAX))).await.unwrap();
    for (bytes, reverse) in [(8 << 10, false), (8 << 10, true), (1, false), (64 << 20, false)] {
        let before = mock.asked().len();
        let ranges =
            vec![KeyRange::new("00000", Some("01000")).unwrap(), KeyRange::new("01500", None::<&str>).unwrap()];
        let scan =
            Scan::new(ranges).reverse(reverse).batch_bytes(bytes).limit(if bytes == 1 { Some(40) } else { None });
        let (mut batches, mut keys) = (store.scan(&scan, &Columns::all()), Vec::new());
        while let Some(batch) = batches.try_next().await.unwrap() {
            assert!(batch.len() == 1 || batch.bytes() < bytes + 200, "{} bytes", batch.bytes());
            keys.extend(batch.iter().map(|(key, _)| key.to_vec()));
        }
        let mut expected: Vec<_> = (0..1_000).chain(1_500..ROWS).map(|n| rows[n].0.clone()).collect();
        if reverse {
            expected.reverse();
        }
        expected.truncate(if bytes == 1 { 40 } else { usize::MAX });
        assert_eq!(keys, expected);
        let asked: Vec<_> = mock.asked()[before..]
            .iter()
            .map(|asked| ReadRowsRequest::decode(asked.message.clone()).unwrap().rows_limit)
            .collect();
        match bytes {
            1 => assert!(asked.len() == 40 && asked[1..].iter().all(|limit| *limit == 1), "{asked:?}"),
            8192 => assert!(asked.len() > 30 && asked[1..].iter().all(|limit| (1..200).contains(limit)), "{asked:?}"),
            _ => assert_eq!(asked, [0]),
        }
    }
}
