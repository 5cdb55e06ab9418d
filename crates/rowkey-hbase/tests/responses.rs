//! Responses of a server as errors of a store.

use std::time::{Duration, Instant};

use hbase_client::{Client, protocol as pb};
use rowkey::nonblocking::AsyncStore;
use rowkey::store::CallOptions;
use rowkey::wide::{Condition, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey::{Error, ErrorKind};
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

/// The empty value has two forms, of `rowkey`'s and of other programs. They are looked for in one operation.
#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_with_the_empty_value_has_one_deadline() {
    let fake = fake(|call| match (&*call.method, call.nth) {
        ("Mutate", 0) => {
            std::thread::sleep(Duration::from_millis(2_000));
            Reply::message(&pb::MutateResponse { processed: Some(false), ..Default::default() })
        }
        _ => Reply::Silence,
    });
    let table = database(&fake).await.external_table(TABLE, &schema()).await.unwrap();
    let plain = OneColumn::new(table, "f:q").with_options(&CallOptions::new().timeout(Duration::from_millis(3_000)));
    let begun = Instant::now();
    let error = plain.compare_and_write(b"r", Some(b""), Some(b"new")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
    assert!(begun.elapsed() < Duration::from_millis(4_000), "{:?}", begun.elapsed());
    assert_eq!(fake.calls("Mutate"), 2);
}
