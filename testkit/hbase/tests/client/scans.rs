//! Scans: heartbeats, scanners that were lost, rows in pieces.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hbase_client::{ErrorKind, Scan, Scanner, protocol as pb};
use rowkey_hbase_testkit::{Fake, Reply, eventually};

const NO_SCANNER: &str = "org.apache.hadoop.hbase.UnknownScannerException";

/// A result with one cell.
fn row(row: &'static str) -> pb::Result {
    let cell = pb::Cell { row: Some(row.into()), family: Some("f".into()), ..Default::default() };
    pb::Result { cell: vec![cell], ..Default::default() }
}

/// A response of an open scanner.
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
    let closed = Arc::<Mutex<usize>>::default();
    let count = closed.clone();
    let fake = Fake::start(move |call| {
        let request: pb::ScanRequest = call.read();
        *count.lock().unwrap() += usize::from(request.close_scanner());
        Reply::message(&rows(vec![row(["a", "b", "c", "d", "e", "f"][call.nth.min(5)])]))
    });
    let mut scanner = fake.table().scan(Scan::new());
    scanner.next().await.unwrap();
    eventually(|| scanner.counts().renewals >= 2).await;
    drop(scanner);
    eventually(|| *closed.lock().unwrap() > 0).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(*closed.lock().unwrap(), 1);
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
                assert_eq!(scan.start_row(), b"");
                Reply::message(&rows(vec![row("a"), row("b")]))
            }
            (1, None) => {
                assert_eq!((request.scanner_id(), request.next_call_seq), (7, Some(0)));
                Reply::message(&pb::ScanResponse { heartbeat_message: Some(true), ..rows(Vec::new()) })
            }
            (2, None) => {
                assert_eq!(request.next_call_seq, Some(1));
                Reply::Exception(NO_SCANNER, NO_SCANNER.into())
            }
            (3, Some(scan)) => {
                assert_eq!((scan.start_row(), scan.include_start_row()), (&b"b"[..], false));
                Reply::message(&rows(vec![row("c")]))
            }
            (4, None) => Reply::Close,
            (5, Some(scan)) => {
                assert_eq!((scan.start_row(), scan.include_start_row()), (&b"c"[..], false));
                let end = Some(false);
                Reply::message(&pb::ScanResponse { more_results_in_region: end, ..rows(vec![row("d")]) })
            }
            (nth, scan) => panic!("call {nth}: {scan:?}"),
        }
    });
    let mut scanner = fake.table().scan(Scan::new());
    assert_eq!(keys(&mut scanner).await, ["a", "b", "c", "d"]);
    assert_eq!((scanner.counts().heartbeats, fake.calls("Scan")), (1, 6));
}

/// The exceptions that a scan meets, and whether its region is looked up again after each.
const FAULTS: [(&str, bool); 11] = [
    (NO_SCANNER, false),
    ("org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException", false),
    ("org.apache.hadoop.hbase.exceptions.ScannerResetException", false),
    ("org.apache.hadoop.hbase.regionserver.LeaseException", false),
    ("org.apache.hadoop.hbase.NotServingRegionException", true),
    ("org.apache.hadoop.hbase.exceptions.RegionMovedException", true),
    ("org.apache.hadoop.hbase.regionserver.RegionServerStoppedException", true),
    ("org.apache.hadoop.hbase.exceptions.RegionOpeningException", false),
    ("org.apache.hadoop.hbase.RegionTooBusyException", false),
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
            Reply::message(&pb::ScanResponse { more_results_in_region: more, ..rows(vec![row(ROWS[next])]) })
        });
        let mut scanner = fake.table().scan(Scan::new());
        assert_eq!(keys(&mut scanner).await, ROWS, "{class}");
        assert_eq!(fake.lookups(), if looked_up { ROWS.len() } else { 1 }, "{class}");
    }
}

#[tokio::test]
async fn a_scanner_outlives_a_server_with_too_much_to_do() {
    let overloaded = [
        "org.apache.hadoop.hbase.CallQueueTooBigException",
        "org.apache.hadoop.hbase.CallDroppedException",
        "org.apache.hadoop.hbase.quotas.RpcThrottlingException",
    ];
    for class in overloaded {
        let fake = Fake::start(move |call| {
            let request: pb::ScanRequest = call.read();
            match call.nth {
                0 => Reply::message(&rows(vec![row("a")])),
                1 => Reply::Exception(class, class.into()),
                _ => {
                    assert_eq!((request.scanner_id(), request.next_call_seq), (7, Some(0)));
                    Reply::message(&pb::ScanResponse { more_results_in_region: Some(false), ..rows(vec![row("b")]) })
                }
            }
        });
        let mut scanner = fake.table().scan(Scan::new());
        assert_eq!(keys(&mut scanner).await, ["a", "b"], "{class}");
        assert_eq!((fake.calls("Scan"), fake.lookups()), (3, 1), "{class}");
    }
}

/// A response of the rows that a test says, and then of the same for ever.
async fn first_error(
    scan: Scan,
    answer: impl Fn(usize) -> pb::ScanResponse + Send + Sync + 'static,
) -> hbase_client::Error {
    let fake = Fake::start(move |call| Reply::message(&answer(call.nth)));
    let mut scanner = fake.table().scan(scan);
    loop {
        match scanner.next_batch().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the scan ended"),
            Err(error) => return error,
        }
    }
}

fn part(key: &'static str, qualifier: &'static str) -> pb::Result {
    let mut part = row(key);
    part.cell[0].qualifier = Some(qualifier.into());
    part.partial = Some(true);
    part
}

#[tokio::test]
async fn rows_that_were_not_asked_for_are_an_error() {
    type Answers = fn(usize) -> Vec<pb::Result>;
    let wrong: [(Scan, Answers); 9] = [
        (Scan::new(), |_| vec![row("a"), row("b")]),
        (Scan::new(), |_| vec![row("b"), row("a")]),
        (Scan::new(), |_| vec![row("a"), row("a")]),
        (Scan::new().start("b"), |_| vec![row("a")]),
        (Scan::new().start_after("a"), |_| vec![row("a")]),
        (Scan::new().stop_before("m"), |_| vec![row("a"), row("m")]),
        (Scan::new().reverse(), |_| vec![row("a"), row("b")]),
        (Scan::new(), |_| vec![part("a", "x")]),
        (Scan::new().allow_partial_rows(), |_| vec![part("a", "x")]),
    ];
    for (at, (scan, answers)) in wrong.into_iter().enumerate() {
        let error = first_error(scan, move |nth| rows(answers(nth))).await;
        assert_eq!(error.kind(), ErrorKind::Malformed, "{at}: {error}");
    }
    let keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let fake = Fake::start(move |call| {
        let more = Some(call.nth < 3);
        let results = vec![row(keys[call.nth * 2]), row(keys[call.nth * 2 + 1])];
        Reply::message(&pb::ScanResponse { more_results_in_region: more, ..rows(results) })
    });
    let mut scanner = fake.table().scan(Scan::new().start("a").stop_with("h"));
    assert_eq!(self::keys(&mut scanner).await, keys);
}

#[tokio::test]
async fn a_server_that_has_nothing_to_say_is_not_asked_all_the_time() {
    let fake = Fake::start(|_| Reply::message(&rows(Vec::new())));
    let mut scanner = fake.table().scan(Scan::new());
    let waited = tokio::time::timeout(Duration::from_secs(1), scanner.next()).await;
    assert!(waited.is_err() && fake.calls("Scan") < 40, "{}", fake.calls("Scan"));
}

#[tokio::test]
async fn who_wants_rows_does_not_wait_for_a_renewal() {
    let fake = Fake::start(|call| {
        let request: pb::ScanRequest = call.read();
        let next = ["a", "b", "c", "d", "e", "f", "g", "h"][call.nth.min(7)];
        if request.renew() { Reply::Silence } else { Reply::message(&rows(vec![row(next)])) }
    });
    let mut scanner = fake.table().scan(Scan::new());
    scanner.next().await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    for _ in 0..2 {
        let next = tokio::time::timeout(Duration::from_secs(30), scanner.next()).await;
        assert!(next.expect("in time").unwrap().is_some());
    }
}
