//! Responses of a server as errors of a store.

use hbase_client::{Client, protocol as pb};
use rowkey::wide::{Condition, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, ErrorKind};
use rowkey_hbase::HBase;
use rowkey_hbase_testkit::{Fake, Reply, TABLE};

/// An operation of several steps that is stopped before the step that decides it has the error beneath, so it has to
/// tell that the same call may succeed a moment later.
#[tokio::test]
async fn a_write_whose_response_is_lost_may_succeed_a_moment_later() {
    let fake = Fake::start(|call| match &*call.method {
        "GetClusterId" => Reply::message(&pb::GetClusterIdResponse { cluster_id: Some("id".into()) }),
        "GetTableDescriptors" => {
            let family = pb::ColumnFamilySchema { name: "f".into(), ..Default::default() };
            let table_name = Some(pb::TableName { namespace: "default".into(), qualifier: TABLE.into() });
            let table = pb::TableSchema { table_name, column_families: vec![family], ..Default::default() };
            Reply::message(&pb::GetTableDescriptorsResponse { table_schema: vec![table] })
        }
        _ => Reply::Close,
    });
    let database = HBase::connect(Client::new(fake.options()).unwrap()).await.unwrap();
    let schema = TableSchema::new().family("f", FamilySchema::new());
    let table = database.external_table(TABLE, &schema).await.unwrap();
    let (put, absent) = (Mutation::new().put("f:q", "v"), Condition::absent("f:q"));
    for error in
        [table.mutate(b"r", &put).await.unwrap_err(), table.check_and_mutate(b"r", &absent, &put).await.unwrap_err()]
    {
        let Error::OutcomeUnknown { source, .. } = &error else { panic!("{error:?}") };
        assert_eq!(source.kind(), ErrorKind::Busy, "{error:?}");
    }
    assert_eq!(fake.calls("Mutate"), 2, "neither is sent again");
}
