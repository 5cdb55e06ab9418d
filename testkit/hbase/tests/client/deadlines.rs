//! Servers that come back late: an operation uses the time that it has.

use std::time::{Duration, Instant};

use hbase_client::{Client, ErrorKind, Get, Put, Scan, TableSchema, protocol as pb};
use rowkey_hbase_testkit::{Fake, Reply, with_longer_timeouts};

const CLOSED: &str = "org.apache.hadoop.hbase.NotServingRegionException";
const HOLD: &str = "org.apache.hadoop.hbase.PleaseHoldException";

/// A cluster that serves nothing in this time.
fn back_after(late: Duration) -> Fake {
    let began = Instant::now();
    Fake::start(move |call| match (began.elapsed() < late, call.method.as_str()) {
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
    with_longer_timeouts(Duration::from_secs(8), Vec::<String>::new(), async |timeout| {
        let fake = back_after(timeout * 13 / 16);
        let client = Client::new(fake.options().timeout(timeout)).unwrap();
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
        let others = [read.map(drop), scanned.map(drop), tables.map(drop), created.map(drop)];
        let all = singles.into_iter().chain(batch.into_iter().map(|one| one.map(drop))).chain(others);
        all.filter_map(|result| result.err()).map(|error| error.to_string()).collect()
    })
    .await;
}

#[tokio::test]
async fn what_was_not_served_in_time_may_be_tried_later() {
    let busy = (ErrorKind::Busy, true, Some(CLOSED.to_owned()));
    let fake = Fake::start(|_| Reply::Exception(CLOSED, CLOSED.into()));
    with_longer_timeouts(Duration::from_millis(800), vec![busy; 3], async |timeout| {
        let table = fake.table().with_timeout(timeout);
        let began = Instant::now();
        let read = [
            table.get("r").await.map(drop),
            table.batch(vec![Get::new("r").into()]).await.remove(0).map(drop),
            table.scan(Scan::new()).next().await.map(drop),
        ];
        assert!(began.elapsed() > 3 * timeout * 7 / 8, "{:?}", began.elapsed());
        let told = read.into_iter().map(Result::unwrap_err).map(|error| {
            let class = error.exception().map(|exception| exception.class().to_owned());
            (error.kind(), error.is_retryable(), class)
        });
        told.collect()
    })
    .await;
    let table = fake.table().with_timeout(Duration::from_millis(800));
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
    with_longer_timeouts(Duration::from_secs(4), (None, 4), async |timeout| {
        let fake = Fake::start(|_| Reply::message(&pb::GetResponse::default()));
        // As many questions as are asked in three quarters of the time.
        fake.silence_meta(3);
        let options = fake.options().timeout(timeout);
        let client = Client::new(options.meta_timeout(timeout / 4)).unwrap();
        let read = client.table("t").get("r").await;
        (read.err().map(|error| error.to_string()), fake.lookups())
    })
    .await;
}
