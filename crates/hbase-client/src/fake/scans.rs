use std::sync::Arc;
use std::time::Duration;

use super::tests::table;
use super::{Fake, Reply};
use crate::locked::Locked;
use crate::{Scan, Scanner, pb};

const NO_SCANNER: &str = "org.apache.hadoop.hbase.UnknownScannerException";

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

async fn keys(scanner: &mut Scanner) -> Vec<String> {
    let mut keys = Vec::new();
    while let Some(row) = scanner.next().await.unwrap() {
        keys.push(String::from_utf8(row.key().to_vec()).unwrap());
    }
    keys
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
    assert_eq!(keys(&mut scanner).await, ["a", "b", "c", "d"]);
    assert_eq!((scanner.counts().heartbeats, fake.calls("Scan")), (1, 6));
}

/// What a scan meets, and whether its region is looked up again for it.
const FAULTS: [(&str, bool); 13] = [
    (NO_SCANNER, false),
    ("org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException", false),
    ("org.apache.hadoop.hbase.exceptions.ScannerResetException", false),
    ("org.apache.hadoop.hbase.regionserver.LeaseException", false),
    ("org.apache.hadoop.hbase.NotServingRegionException", true),
    ("org.apache.hadoop.hbase.exceptions.RegionMovedException", true),
    ("org.apache.hadoop.hbase.regionserver.RegionServerStoppedException", true),
    ("org.apache.hadoop.hbase.exceptions.RegionOpeningException", false),
    ("org.apache.hadoop.hbase.RegionTooBusyException", false),
    ("org.apache.hadoop.hbase.CallQueueTooBigException", false),
    ("org.apache.hadoop.hbase.quotas.RpcThrottlingException", false),
    ("org.apache.hadoop.hbase.ipc.CallTimeoutException", false),
    ("java.io.IOException", false),
];

#[tokio::test]
async fn no_fault_of_a_region_ends_a_scan_and_meta_is_asked_only_if_it_may_have_moved() {
    const ROWS: [&str; 4] = ["a", "b", "c", "d"];
    for (class, looked_up) in FAULTS {
        // Each call that opens a scanner gets one row, and the next one the fault.
        let fake = Fake::start(move |call| {
            let request: pb::ScanRequest = call.read();
            let Some(scan) = request.scan else { return Reply::Exception(class, class.into()) };
            let next = ROWS.iter().position(|row| row.as_bytes() > scan.start_row()).unwrap();
            let more = Some(next + 1 < ROWS.len());
            Reply::answer(&pb::ScanResponse { more_results_in_region: more, ..rows(vec![row(ROWS[next])]) })
        });
        let fake = fake.await;
        let mut scanner = table(&fake).scan(Scan::new());
        assert_eq!(keys(&mut scanner).await, ROWS, "{class}");
        assert_eq!(fake.lookups(), if looked_up { ROWS.len() } else { 1 }, "{class}");
    }
}
