//! Servers that come back late: an operation uses the time that it has.

use std::time::{Duration, Instant};

use hbase_client::{Client, ErrorKind, Get, Put, Scan, TableSchema, protocol as pb};
use rowkey_hbase_testkit::{Fake, Reply};

const CLOSED: &str = "org.apache.hadoop.hbase.NotServingRegionException";
const HOLD: &str = "org.apache.hadoop.hbase.PleaseHoldException";

/// The time of an operation, and when servers are back.
const TIMEOUT: Duration = Duration::from_secs(8);
const BACK: Duration = Duration::from_millis(6_500);

/// A cluster that serves nothing before `BACK`.
fn back_late() -> Fake {
    let began = Instant::now();
    Fake::start(move |call| match (began.elapsed() < BACK, call.method.as_str()) {
        (true, "GetTableNames" | "CreateTable") => Reply::Exception(HOLD, HOLD.into()),
        (true, _) => Reply::Exception(CLOSED, CLOSED.into()),
        (false, "Get") => Reply::message(&pb::GetResponse::default()),
        (false, "Mutate") => Reply::message(&pb::MutateResponse { processed: Some(true), ..Default::default() }),
        (false, "Multi") => Reply::batch(call, |_| None),
        (false, "Scan") => Reply::message(&pb::ScanResponse { more_results: Some(false), ..Default::default() }),
        (false, "GetTableNames") => Reply::message(&pb::GetTableNamesResponse::default()),
        (false, _) => Reply::message(&pb::ProcedureResponse::default()),
    })
}

#[tokio::test]
async fn whatever_is_asked_is_asked_until_its_time_is_over() {
    let fake = back_late();
    let client = Client::new(fake.options().timeout(TIMEOUT)).unwrap();
    let (table, admin) = (client.table("t"), client.admin());
    let put = || Put::new("r").value("f", "q", "v");
    let singles = futures_util::future::join_all((0..20).map(|_| table.put(put())));
    let schema = TableSchema::new("t").family("f");
    let (singles, read, batch, scanned, tables, created) = tokio::join!(
        singles,
        table.get("r"),
        table.batch(vec![put().into(), Get::new("q").into()]),
        async { table.scan(Scan::new()).next().await },
        admin.tables(),
        admin.create(&schema, [""; 0]),
    );
    singles.into_iter().for_each(|put| put.unwrap());
    batch.into_iter().for_each(|one| drop(one.unwrap()));
    read.unwrap();
    scanned.unwrap();
    tables.unwrap();
    created.unwrap();
}

#[tokio::test]
async fn what_was_not_served_in_time_may_be_tried_later() {
    let fake = Fake::start(|_| Reply::Exception(CLOSED, CLOSED.into()));
    let table = fake.table().with_timeout(Duration::from_millis(800));
    let began = Instant::now();
    let read = [
        table.get("r").await.map(drop),
        table.batch(vec![Get::new("r").into()]).await.remove(0).map(drop),
        table.scan(Scan::new()).next().await.map(drop),
    ];
    for error in read.map(Result::unwrap_err) {
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Busy, true), "{error}");
        assert_eq!(error.exception().map(hbase_client::Exception::class), Some(CLOSED));
    }
    assert!(began.elapsed() > Duration::from_millis(3 * 700), "{:?}", began.elapsed());
    // A write whose last attempt has no response before its deadline has an outcome that is not known.
    let put = || Put::new("r").value("f", "q", "v");
    let written = [table.put(put()).await, table.batch(vec![put().into()]).await.remove(0).map(drop)];
    for error in written.map(Result::unwrap_err) {
        match error.exception() {
            Some(_) => assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Busy, true), "{error}"),
            None => assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}"),
        }
    }
}

#[tokio::test]
async fn meta_that_tells_late_is_heard() {
    let fake = Fake::start(|_| Reply::message(&pb::GetResponse::default()));
    // As many questions as are asked in three quarters of the time.
    fake.silence_meta(3);
    let options = fake.options().timeout(Duration::from_secs(4));
    let client = Client::new(options.meta_timeout(Duration::from_secs(1))).unwrap();
    client.table("t").get("r").await.unwrap();
    assert_eq!(fake.lookups(), 4);
}
