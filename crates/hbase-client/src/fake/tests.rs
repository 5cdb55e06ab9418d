use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Fake, Reply};
use crate::locked::Locked;
use crate::{Client, Compare, Condition, Delete, ErrorKind, Increment, Options, Put, Scan, Table, pb};

const BUSY: &str = "org.apache.hadoop.hbase.CallQueueTooBigException";
const MOVED: &str = "org.apache.hadoop.hbase.exceptions.RegionMovedException";
const NO_SCANNER: &str = "org.apache.hadoop.hbase.UnknownScannerException";

fn table(fake: &Fake) -> Table {
    let options = Options::new().masters([fake.address().clone()]).timeout(Duration::from_secs(10));
    Client::new(options).unwrap().table("t")
}

fn put() -> Put {
    Put::new("r").value("f", "q", "v")
}

fn done() -> Reply {
    Reply::answer(&pb::MutateResponse { processed: Some(true), ..Default::default() })
}

#[tokio::test]
async fn an_increment_is_repeated_with_its_nonce_where_it_is() {
    let nonces = Arc::<Locked<Vec<_>>>::default();
    let seen = nonces.clone();
    let fake = Fake::start(move |call| {
        let request: pb::MutateRequest = call.read();
        seen.lock().push((request.nonce_group, request.mutation.nonce));
        if call.nth == 0 { Reply::Close } else { done() }
    });
    let fake = fake.await;
    table(&fake).increment(Increment::new("r").add("f", "n", 1)).await.unwrap();
    let nonces = nonces.lock().clone();
    assert!(nonces.len() == 2 && nonces[0] == nonces[1] && nonces[0].1.is_some(), "{nonces:?}");
}

#[tokio::test]
async fn an_increment_is_not_repeated_where_its_nonce_is_not_known() {
    let fake = Fake::start(|_| Reply::Close).await;
    let table = table(&fake);
    table.regions().await.unwrap();
    fake.reopen();
    let error = table.increment(Increment::new("r").add("f", "n", 1)).await.unwrap_err();
    assert_eq!((error.kind(), fake.calls("Mutate")), (ErrorKind::OutcomeUnknown, 1), "{error}");
}

#[tokio::test]
async fn what_is_not_safe_to_repeat_is_not() {
    let fake = Fake::start(|_| Reply::Close).await;
    let table = table(&fake);
    let condition = Condition::value("f", "q", Compare::Equal, "v");
    let error = table.check_and_mutate(&condition, put()).await.unwrap_err();
    assert_eq!((error.kind(), fake.calls("Mutate")), (ErrorKind::OutcomeUnknown, 1));
    let error = table.delete(Delete::new("r").newest("f", "q")).await.unwrap_err();
    assert_eq!((error.kind(), fake.calls("Mutate")), (ErrorKind::OutcomeUnknown, 2));
    let results = table.batch(vec![Delete::new("r").newest("f", "q").into()]).await;
    assert_eq!(results[0].as_ref().unwrap_err().kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(fake.calls("Multi"), 1);
}

#[tokio::test]
async fn an_overloaded_server_is_waited_for_and_meta_is_left_alone() {
    let busy = |nth| nth < 4;
    let fake = Fake::start(move |call| if busy(call.nth) { Reply::Exception(BUSY, BUSY.into()) } else { done() }).await;
    let began = Instant::now();
    table(&fake).put(put()).await.unwrap();
    assert_eq!((fake.calls("Mutate"), fake.lookups()), (5, 1));
    assert!(began.elapsed() > Duration::from_millis(200), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_region_is_followed_to_where_it_moved() {
    let other = Fake::start(|_| done()).await;
    let port = other.address().port();
    let text = format!("{MOVED}: Region moved to: hostname=127.0.0.1 port={port} startCode=1. As of locationSeqNum=9.");
    let fake = Fake::start(move |_| Reply::Exception(MOVED, text.clone())).await;
    let table = table(&fake);
    table.put(put()).await.unwrap();
    table.put(put()).await.unwrap();
    assert_eq!((fake.calls("Mutate"), fake.lookups(), other.calls("Mutate")), (1, 1, 2));
}

#[tokio::test]
async fn an_operation_ends_at_its_deadline() {
    let fake = Fake::start(|_| Reply::Silence).await;
    let table = table(&fake).with_timeout(Duration::from_millis(300));
    let began = Instant::now();
    assert_eq!(table.get("r").await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(table.put(put()).await.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
    let results = table.get_many(["a", "b"]).await;
    assert!(results.iter().all(|result| result.is_err()));
    let took = began.elapsed();
    assert!((Duration::from_millis(900)..Duration::from_secs(3)).contains(&took), "{took:?}");
}

/// A result with one cell.
fn row(row: &'static str) -> pb::Result {
    let cell = pb::Cell { row: Some(row.into()), family: Some("f".into()), ..Default::default() };
    pb::Result { cell: vec![cell], ..Default::default() }
}

/// An answer of an open scanner.
fn rows(results: Vec<pb::Result>) -> pb::ScanResponse {
    let (scanner_id, ttl) = (Some(7), Some(300));
    let more = Some(true);
    pb::ScanResponse {
        scanner_id,
        ttl,
        results,
        more_results: more,
        more_results_in_region: more,
        ..Default::default()
    }
}

#[tokio::test]
async fn a_scanner_is_kept_open_while_nobody_takes_rows_and_closed_when_dropped() {
    let closed = Arc::<Locked<usize>>::default();
    let count = closed.clone();
    let fake = Fake::start(move |call| {
        let request: pb::ScanRequest = call.read();
        *count.lock() += usize::from(request.close_scanner());
        Reply::answer(&rows(vec![row(["a", "b", "c", "d", "e", "f"][call.nth.min(5)])]))
    });
    let fake = fake.await;
    let mut scanner = table(&fake).scan(Scan::new());
    scanner.next().await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(scanner.counts().renewals >= 2, "{:?}", scanner.counts());
    drop(scanner);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(*closed.lock(), 1);
}

#[tokio::test]
async fn a_lost_scanner_is_opened_again_behind_the_last_row() {
    let fake = Fake::start(|call| {
        let request: pb::ScanRequest = call.read();
        match (call.nth, &request.scan) {
            (0, Some(scan)) => {
                assert_eq!(scan.mvcc_read_point(), 0);
                Reply::answer(&pb::ScanResponse { mvcc_read_point: Some(5), ..rows(vec![row("a"), row("b")]) })
            }
            (1, None) => {
                assert_eq!((request.scanner_id(), request.next_call_seq), (7, Some(0)));
                Reply::answer(&pb::ScanResponse { heartbeat_message: Some(true), ..rows(Vec::new()) })
            }
            (2, None) => {
                assert_eq!(request.next_call_seq, Some(1));
                Reply::Exception(NO_SCANNER, NO_SCANNER.into())
            }
            (3, Some(scan)) => {
                assert_eq!((scan.start_row(), scan.include_start_row(), scan.mvcc_read_point()), (&b"b"[..], false, 5));
                Reply::answer(&rows(vec![row("c")]))
            }
            (4, None) => Reply::Close,
            (5, Some(scan)) => {
                assert_eq!((scan.start_row(), scan.include_start_row()), (&b"c"[..], false));
                let end = Some(false);
                Reply::answer(&pb::ScanResponse { more_results_in_region: end, ..rows(vec![row("d")]) })
            }
            (nth, scan) => panic!("call {nth}: {scan:?}"),
        }
    });
    let fake = fake.await;
    let mut scanner = table(&fake).scan(Scan::new());
    let mut keys = Vec::new();
    while let Some(row) = scanner.next().await.unwrap() {
        keys.push(row.key().to_vec());
    }
    assert_eq!(keys, [b"a", b"b", b"c", b"d"]);
    assert_eq!((scanner.counts().heartbeats, fake.calls("Scan")), (1, 6));
}
