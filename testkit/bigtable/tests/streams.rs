//! Scans beside each other: connections that allow few streams, responses that have more than a scan may hold.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use rowkey::store::CallOptions;
use rowkey_bigtable::BigtableOptions;
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::{MutateRowRequest, MutateRowResponse, ReadRowsRequest, ReadRowsResponse};
use rowkey_bigtable::client::{Client, RowStream};
use rowkey_bigtable_testkit::answers::{End, messages};
use rowkey_bigtable_testkit::{Asked, Mock};
use tokio::time::timeout;
use tonic::Code;

/// Longer than any test takes on a busy machine, and shorter than a starved request is tried for.
const LATE: Duration = Duration::from_secs(50);

fn options(address: &str) -> BigtableOptions {
    BigtableOptions::new("p", "i").emulator(address)
}

fn row(key: &str) -> ReadRowsResponse {
    let chunk = CellChunk {
        row_key: key.into(),
        family_name: Some("f".to_owned()),
        qualifier: Some(b"q".to_vec()),
        row_status: Some(RowStatus::CommitRow(true)),
        ..CellChunk::default()
    };
    ReadRowsResponse { chunks: vec![chunk], ..ReadRowsResponse::default() }
}

async fn next(rows: &mut RowStream) -> Option<Vec<u8>> {
    let call = CallOptions::none().begin("scan", "t").unwrap();
    rows.next(&call).await.unwrap().map(|row| row.key)
}

/// Scans that end only when they are dropped, each after its first row.
async fn open(client: &Client, count: usize) -> Vec<RowStream> {
    let mut scans: Vec<_> = (0..count).map(|_| client.read_rows(ReadRowsRequest::default())).collect();
    let firsts = timeout(LATE, join_all(scans.iter_mut().map(next))).await.expect("no scan starves another one");
    assert_eq!(firsts, vec![Some(b"a".to_vec()); count]);
    scans
}

fn connections(mock: &Mock) -> usize {
    mock.asked().iter().map(|asked| asked.from.unwrap()).collect::<BTreeSet<_>>().len()
}

#[tokio::test]
async fn open_scans_starve_nobody_where_a_connection_has_few_streams() {
    for streams in [1, 2, 7] {
        let (mock, address) = Mock::with_streams(streams, |asked| match asked.method.as_str() {
            "ReadRows" => messages([row("a")], End::Never),
            _ => messages([MutateRowResponse {}], End::of(Code::Ok)),
        })
        .await;
        let client = Client::new(&options(&address)).unwrap();
        let scans = open(&client, 8).await;
        let call = CallOptions::none().begin("mutation", "t").unwrap();
        let puts = (0..4).map(|_| client.mutate_row(MutateRowRequest::default(), &call));
        let puts = timeout(LATE, join_all(puts)).await.expect("puts are not starved");
        assert!(puts.iter().all(Result::is_ok), "{puts:?}");
        let more = open(&client, 20).await;
        // Each scan is open, on as many connections as that takes.
        assert!(connections(&mock) * streams as usize >= 28, "{} connections", connections(&mock));
        drop((scans, more));
        let of_all = open(&client, 8).await;
        drop(of_all);
    }
}

/// A request that waits for an answer, and has a stream, stays where it is.
#[tokio::test]
async fn a_slow_answer_is_no_full_connection() {
    let (mock, address) = Mock::start(|_: &Asked| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            messages([row("a")], End::of(Code::Ok)).await
        })
    })
    .await;
    let client = Client::new(&options(&address).connections(1)).unwrap();
    let mut scans: Vec<_> = (0..20).map(|_| client.read_rows(ReadRowsRequest::default())).collect();
    assert_eq!(join_all(scans.iter_mut().map(next)).await, vec![Some(b"a".to_vec()); 20]);
    assert_eq!(mock.asked().len(), 20);
}
