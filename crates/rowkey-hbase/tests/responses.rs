//! Responses of a server as errors of a store.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use hbase_client::{Client, protocol as pb};
use rowkey::nonblocking::AsyncStore;
use rowkey::store::{CallOptions, Scan};
use rowkey::wide::{Columns, Condition, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange};
use rowkey_hbase::HBase;
use rowkey_hbase_testkit::{Call, Fake, Reply, TABLE};

/// A server that knows its cluster and its table, with the family `f`.
fn fake(script: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Fake {
    Fake::start(move |call| match &*call.method {
        "GetClusterId" => Reply::message(&pb::GetClusterIdResponse { cluster_id: Some("id".into()) }),
        "GetTableDescriptors" => {
            let family = pb::ColumnFamilySchema { name: "f".into(), ..Default::default() };
            let table_name = Some(pb::TableName { namespace: "default".into(), qualifier: TABLE.into() });
            let table = pb::TableSchema { table_name, column_families: vec![family], ..Default::default() };
            Reply::message(&pb::GetTableDescriptorsResponse { table_schema: vec![table] })
        }
        _ => script(call),
    })
}

async fn database(fake: &Fake) -> HBase {
    HBase::connect(Client::new(fake.options()).unwrap()).await.unwrap()
}

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new())
}

/// An operation of several steps that is stopped before the step that decides it has the error beneath, so it has to
/// tell that the same call may succeed a moment later.
#[tokio::test]
async fn a_write_whose_response_is_lost_may_succeed_a_moment_later() {
    let fake = fake(|_| Reply::Close);
    let table = database(&fake).await.external_table(TABLE, &schema()).await.unwrap();
    let (put, absent) = (Mutation::new().put("f:q", "v"), Condition::absent("f:q"));
    for error in
        [table.mutate(b"r", &put).await.unwrap_err(), table.check_and_mutate(b"r", &absent, &put).await.unwrap_err()]
    {
        let Error::OutcomeUnknown { source, .. } = &error else { panic!("{error:?}") };
        assert_eq!(source.kind(), ErrorKind::Busy, "{error:?}");
    }
    assert_eq!(fake.calls("Mutate"), 2, "neither is sent again");
}

/// A program that repeats what is busy would do so for ever.
#[tokio::test]
async fn a_cluster_that_lets_nobody_in_is_no_busy_one() {
    let fake = Fake::start(|_| Reply::OfConnection("org.apache.hadoop.hbase.security.AccessDeniedException"));
    let begun = Instant::now();
    let error = HBase::connect(Client::new(fake.options()).unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

/// The empty value has two forms, of `rowkey`'s and of other programs. They are looked for in one operation. Half
/// of its time is gone before the second, so with a time of its own that would end half of the time too late.
#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_with_the_empty_value_has_one_deadline() {
    const TIMEOUT: Duration = Duration::from_secs(12);
    let fake = fake(|call| match (&*call.method, call.nth) {
        ("Mutate", 0) => {
            std::thread::sleep(TIMEOUT / 2);
            Reply::message(&pb::MutateResponse { processed: Some(false), ..Default::default() })
        }
        _ => Reply::Silence,
    });
    let table = database(&fake).await.external_table(TABLE, &schema()).await.unwrap();
    let plain = OneColumn::new(table, "f:q").with_options(&CallOptions::new().timeout(TIMEOUT));
    let begun = Instant::now();
    let error = plain.compare_and_write(b"r", Some(b""), Some(b"new")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
    assert!(begun.elapsed() < TIMEOUT + TIMEOUT / 2, "{:?}", begun.elapsed());
    assert_eq!(fake.calls("Mutate"), 2);
}

fn row(key: &str) -> pb::Result {
    let text = |text: &str| Some(text.to_owned().into());
    let (row, family, qualifier, value) = (text(key), text("f"), text("q"), text("v"));
    let cell = pb::Cell { row, family, qualifier, value, timestamp: Some(1), ..Default::default() };
    pb::Result { cell: vec![cell], ..Default::default() }
}

/// Of a scan of one range the first and the last row of a response are looked at here: the client looks at the order.
#[tokio::test]
async fn rows_that_were_not_asked_for_are_an_error() {
    let range = || KeyRange::new("b", Some("e")).unwrap();
    let ranges = || vec![KeyRange::point("b"), KeyRange::point("d")];
    let cases = [
        (vec![range()], false, vec!["b c d"], true),
        (vec![range()], true, vec!["d c b"], true),
        (vec![range()], false, vec!["b", "c", "d"], true),
        (vec![range()], true, vec!["d", "lost", "c b"], true),
        (vec![range()], false, vec!["b x d"], false),
        (vec![range()], true, vec!["d a b"], false),
        (vec![range()], false, vec!["b c b"], false),
        (vec![range()], false, vec!["b b"], false),
        (vec![range()], true, vec!["b c"], false),
        (vec![range()], false, vec!["a b"], false),
        (vec![range()], false, vec!["d e"], false),
        (vec![range()], true, vec!["e"], false),
        (vec![range()], true, vec!["b a"], false),
        (vec![range()], false, vec!["c", "b"], false),
        (vec![range()], false, vec!["c", "lost", "c"], false),
        (vec![range()], true, vec!["c", "lost", "d"], false),
        (ranges(), false, vec!["b d"], true),
        (ranges(), true, vec!["d b"], true),
        (ranges(), false, vec!["b c d"], false),
        (ranges(), true, vec!["d c b"], false),
    ];
    let cases = cases.into_iter().flat_map(|case| [(false, case.clone()), (true, case)]);
    for (of_values, (ranges, reverse, responses, are_asked_for)) in cases {
        let script = responses.clone();
        let fake = fake(move |call| match &*call.method {
            "Scan" if call.read::<pb::ScanRequest>().close_scanner() => Reply::message(&pb::ScanResponse::default()),
            "Scan" => match script.get(call.nth) {
                Some(&"lost") => Reply::Exception("org.apache.hadoop.hbase.UnknownScannerException", "lost".into()),
                Some(keys) => {
                    let more = Some(call.nth + 1 < script.len());
                    let (more_results, more_results_in_region) = (more, more);
                    let (scanner_id, results) = (Some(7), keys.split(' ').map(row).collect());
                    let more = pb::ScanResponse { more_results, more_results_in_region, ..Default::default() };
                    Reply::message(&pb::ScanResponse { scanner_id, results, ..more })
                }
                None => Reply::Silence,
            },
            _ => Reply::Silence,
        });
        let table = database(&fake).await.external_table(TABLE, &schema()).await.unwrap();
        let scan = Scan::new(ranges.clone()).reverse(reverse);
        let batches = match of_values {
            false => table.scan(&scan, &Columns::all()),
            true => OneColumn::new(table, "f:q").scan(&scan),
        };
        let case = format!("{ranges:?} of values: {of_values} reverse: {reverse} {responses:?}");
        match batches.collect::<Vec<_>>().await.into_iter().collect::<Result<Vec<_>, _>>() {
            Ok(batches) => {
                assert!(are_asked_for, "{case}");
                let keys: Vec<_> = batches.iter().flatten().map(|(key, _)| str::from_utf8(key).unwrap()).collect();
                assert_eq!(keys.join(" "), responses.join(" ").replace("lost ", ""), "{case}");
            }
            Err(error) => assert!(!are_asked_for, "{case}: {error}"),
        }
    }
}
