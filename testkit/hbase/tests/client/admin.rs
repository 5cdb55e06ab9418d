//! Responses of a master and of region servers to an `Admin`.

use hbase_client::protocol::get_procedure_result_response::State as Progress;
use hbase_client::{Admin, Client, CompactionState, ErrorKind, Family, TableSchema, protocol as pb};
use rowkey_hbase_testkit::{Fake, Reply};

#[tokio::test]
async fn a_change_that_cannot_be_followed_is_named_and_a_wrong_one_is_not_sent() {
    let fake = Fake::start(|call| match &*call.method {
        "getProcedureResult" => {
            Reply::message(&pb::GetProcedureResultResponse { state: Progress::NotFound.into(), ..Default::default() })
        }
        _ => Reply::message(&pb::ProcedureResponse { proc_id: Some(14) }),
    });
    let admin = Client::new(fake.options()).unwrap().admin();
    let error = admin.alter(&TableSchema::new("t").family("f")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    let text = "it is not known whether `alter` of table t was carried out: the master does not know procedure 14";
    assert!(error.to_string().starts_with(text), "{error}");

    let wrong = TableSchema::new("t").family(Family::new("f").max_versions(0));
    assert_eq!(admin.alter(&wrong).await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(admin.create(&wrong, [""; 0]).await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(admin.truncate("a b").await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!((fake.calls("ModifyTable"), fake.calls("CreateTable"), fake.calls("truncateTable")), (1, 0, 0));
}

#[tokio::test]
async fn regions_stay_open_only_if_the_families_stay() {
    let known = TableSchema::new("t").family("f").family(Family::new("g").max_versions(3));
    let families = ["f", "g"].map(|name| pb::ColumnFamilySchema { name: name.into(), ..Default::default() });
    let table_name = Some(pb::TableName { namespace: "default".into(), qualifier: "t".into() });
    let of_master = pb::TableSchema { table_name, column_families: families.into(), ..Default::default() };
    let fake = Fake::start(move |call| match &*call.method {
        "GetTableDescriptors" => {
            let table_schema = if call.nth < 5 { vec![of_master.clone()] } else { vec![] };
            Reply::message(&pb::GetTableDescriptorsResponse { table_schema })
        }
        _ => Reply::message(&pb::ProcedureResponse { proc_id: None }),
    });
    let admin = admin(&fake);
    let added = known.clone().family("h");
    let replaced = added.clone().remove_family("f");
    for (wrong, family) in [(added, "h"), (replaced, "f"), (known.clone().remove_family("g"), "g")] {
        let error = admin.alter_without_reopening(&wrong).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains(&format!("family {family:?}")), "{error}");
    }
    assert_eq!(fake.calls("ModifyTable"), 0);
    let other = known.clone().remove_family("g").family(Family::new("g").max_versions(4));
    admin.alter_without_reopening(&other).await.unwrap();
    admin.alter_without_reopening(&known.clone().option("a", "1")).await.unwrap();
    assert_eq!(fake.calls("ModifyTable"), 2);
    // It was dropped meanwhile.
    assert_eq!(admin.alter_without_reopening(&known).await.unwrap_err().kind(), ErrorKind::TableNotFound);
    assert_eq!(fake.calls("ModifyTable"), 2);
}

fn admin(fake: &Fake) -> Admin {
    Client::new(fake.options().timeout(std::time::Duration::from_secs(20))).unwrap().admin()
}

#[tokio::test]
async fn a_master_that_knows_no_server_yet_is_asked_again() {
    let server = pb::ServerName { host_name: "h".into(), port: Some(1), start_code: Some(2) };
    let fake = Fake::start(move |call| {
        let servers_name = if call.nth < 3 { vec![] } else { vec![server.clone()] };
        Reply::message(&pb::GetClusterStatusResponse { cluster_status: pb::ClusterStatus { servers_name } })
    });
    let servers = admin(&fake).servers().await.unwrap();
    assert_eq!(servers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["h,1,2"]);

    let fake = Fake::start(|_| Reply::message(&pb::GetClusterStatusResponse::default()));
    let hasty = admin(&fake).with_timeout(std::time::Duration::from_millis(300));
    assert_eq!(hasty.servers().await.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_compaction_is_waited_for() {
    use pb::get_region_info_response::CompactionState as State;
    let fake = Fake::start(|call| match &*call.method {
        "GetRegionInfo" => {
            let state = if [0, 2, 3].contains(&call.nth) { State::Major } else { State::None };
            let compaction_state = Some(state.into());
            Reply::message(&pb::GetRegionInfoResponse { compaction_state, ..Default::default() })
        }
        "CompactRegion" if call.nth == 0 => {
            let class = "org.apache.hadoop.hbase.NotServingRegionException";
            Reply::Exception(class, class.into())
        }
        "FlushRegion" => Reply::message(&pb::FlushRegionResponse {}),
        _ => Reply::message(&pb::CompactRegionResponse {}),
    });
    let admin = admin(&fake);
    let in_a_task = admin.clone();
    let upkeep = async move {
        in_a_task.flush("t").await.unwrap();
        in_a_task.major_compact("t").await.unwrap();
    };
    tokio::spawn(upkeep).await.unwrap();
    // One is under way before; the region is looked up again; and it takes until the third look.
    assert_eq!((fake.calls("FlushRegion"), fake.calls("GetRegionInfo"), fake.calls("CompactRegion")), (1, 5, 2));
    assert_eq!(admin.compaction_state("t").await.unwrap(), CompactionState::None);
}

#[tokio::test]
async fn an_error_of_a_namespace_names_it() {
    let class = "org.apache.hadoop.hbase.NamespaceNotFoundException";
    let fake = Fake::start(move |_| Reply::Exception(class, format!("{class}: n")));
    let admin = admin(&fake);
    let error = admin.drop_namespace("n").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NamespaceNotFound);
    assert!(error.to_string().contains("`drop_namespace` of namespace n"), "{error}");
    for wrong in ["", "a.b", "a:b", "a b"] {
        assert_eq!(admin.create_namespace(wrong).await.unwrap_err().kind(), ErrorKind::Invalid, "{wrong}");
    }
    assert_eq!(fake.calls("CreateNamespace"), 0);
}

#[tokio::test]
async fn a_region_without_a_name_and_a_server_without_response_are_errors() {
    let fake = Fake::start(|call| match call.nth {
        0 => {
            let class = "org.apache.hadoop.hbase.CallQueueTooBigException";
            Reply::Exception(class, class.into())
        }
        1 => Reply::message(&pb::GetRegionLoadResponse::default()),
        2 => Reply::message(&pb::GetRegionLoadResponse { region_loads: vec![pb::RegionLoad::default()] }),
        _ => Reply::Silence,
    });
    let server = Client::new(fake.options()).unwrap().table("t").regions().await.unwrap()[0].1.clone().unwrap();
    let admin = admin(&fake);
    assert_eq!(admin.region_metrics(&server, "t").await.unwrap(), []);
    let nameless = admin.region_metrics(&server, "t").await.unwrap_err();
    assert_eq!(nameless.kind(), ErrorKind::Malformed);
    let hasty = admin.with_timeout(std::time::Duration::from_millis(300));
    let silent = hasty.region_metrics(&server, "t").await.unwrap_err();
    assert_eq!(silent.kind(), ErrorKind::Unavailable);
    assert!(silent.to_string().contains("`region_metrics` of table t"), "{silent}");
    assert_eq!(admin.region_metrics(&server, "a b").await.unwrap_err().kind(), ErrorKind::Invalid);
}
