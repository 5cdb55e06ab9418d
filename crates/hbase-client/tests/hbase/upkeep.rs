//! Namespaces, flushes and compactions.

use hbase_client::{CompactionState, Delete, ErrorKind, Family, Namespace, Put, RegionMetrics, Scan, TableSchema};

use crate::{client, create, remove};

#[tokio::test]
#[ignore = "needs a server"]
async fn namespaces_are_created_altered_listed_and_dropped() {
    let client = client();
    let admin = client.admin();
    let schema = TableSchema::new("names_pace:t").family("f");
    remove(&admin, &schema).await;
    if let Err(error) = admin.drop_namespace("names_pace").await {
        assert_eq!(error.kind(), ErrorKind::NamespaceNotFound, "{error}");
    }
    assert_eq!(admin.describe_namespace("names_pace").await.unwrap_err().kind(), ErrorKind::NamespaceNotFound);
    assert_eq!(admin.create(&schema, [""; 0]).await.unwrap_err().kind(), ErrorKind::NamespaceNotFound);
    let namespace = Namespace::new("names_pace").setting("our.own", "1");
    admin.create_namespace(namespace.clone()).await.unwrap();
    assert_eq!(admin.create_namespace("names_pace").await.unwrap_err().kind(), ErrorKind::NamespaceExists);
    assert_eq!(admin.describe_namespace("names_pace").await.unwrap(), namespace);
    admin.alter_namespace(&Namespace::new("names_pace").setting("our.own", "2")).await.unwrap();
    let all = admin.namespaces().await.unwrap();
    let ours = all.iter().find(|namespace| namespace.name() == "names_pace").unwrap();
    assert_eq!(ours.settings().collect::<Vec<_>>(), [("our.own", "2")]);
    assert!(["default", "hbase"].iter().all(|name| all.iter().any(|namespace| namespace.name() == *name)));

    assert!(admin.tables_of("names_pace").await.unwrap().is_empty());
    admin.create(&schema, [""; 0]).await.unwrap();
    assert_eq!(admin.tables_of("names_pace").await.unwrap(), [schema.name().clone()]);
    let full = admin.drop_namespace("names_pace").await.unwrap_err();
    assert_eq!(full.kind(), ErrorKind::Refused, "{full}");
    remove(&admin, &schema).await;
    admin.drop_namespace("names_pace").await.unwrap();
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_compaction_removes_what_was_deleted() {
    let client = client();
    let admin = client.admin();
    create(&admin, &TableSchema::new("tables_compacted").family("f"), &["g", "p"]).await;
    let table = client.table("tables_compacted");
    let rows = ["a", "h", "q"];
    let put = |row: &str| Put::new(row).value_at("f", "x", 50, "v");
    for row in rows {
        table.put(put(row)).await.unwrap();
        table.delete(Delete::new(row).column_until("f", "x", 100)).await.unwrap();
        table.put(put(row)).await.unwrap();
        assert!(!table.exists(row).await.unwrap(), "it is hidden by the deletion");
    }
    // The deletions are in files, and gone from there.
    admin.flush("tables_compacted").await.unwrap();
    admin.major_compact("tables_compacted").await.unwrap();
    assert_eq!(admin.compaction_state("tables_compacted").await.unwrap(), CompactionState::None);
    for row in rows {
        table.put(put(row)).await.unwrap();
        assert!(table.exists(row).await.unwrap());
    }
    admin.compact("tables_compacted").await.unwrap();
    assert_eq!(admin.flush("tables_none").await.unwrap_err().kind(), ErrorKind::TableNotFound);
    admin.disable("tables_compacted").await.unwrap();
    let disabled = admin.with_timeout(std::time::Duration::from_secs(10)).major_compact("tables_compacted").await;
    assert_eq!(disabled.unwrap_err().kind(), ErrorKind::TableDisabled);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_table_is_altered_while_its_regions_stay_open() {
    let client = client();
    let admin = client.admin();
    let schema = TableSchema::new("tables_open").family(Family::new("f").max_versions(2));
    create(&admin, &schema, &["m"]).await;
    let table = client.table("tables_open");
    table.put(Put::new("a").value("f", "x", "v")).await.unwrap();
    let openings = || {
        let ours = |line: &&str| line.starts_with("region tables_open,");
        client.dump().lines().filter(ours).map(str::to_owned).collect::<Vec<_>>()
    };
    table.regions().await.unwrap();
    let before = openings();
    let altered = schema.clone().family(Family::new("f").max_versions(9)).option("a.b", "1");
    admin.alter_without_reopening(&altered).await.unwrap();
    table.regions().await.unwrap();
    assert_eq!(openings(), before, "no region was opened again");
    let read = admin.describe("tables_open").await.unwrap();
    assert_eq!(read.families().next().unwrap().get_max_versions(), 9);
    assert_eq!(read.get("a.b"), Some("1"));
    let added = read.clone().family("g");
    for families in [added.clone(), added.remove_family("f")] {
        let refused = admin.alter_without_reopening(&families).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");
    }
    // A setting that is given again has the new value.
    admin.alter(&read.option("a.b", "2")).await.unwrap();
    table.regions().await.unwrap();
    assert_ne!(openings(), before);
    assert_eq!(admin.describe("tables_open").await.unwrap().get("a.b"), Some("2"));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_region_counts_its_rows_and_begins_again_when_it_is_split() {
    let client = client();
    let admin = client.admin();
    create(&admin, &TableSchema::new("tables_counted").family("f"), &["m"]).await;
    let table = client.table("tables_counted");
    let all = async || {
        let mut all: Vec<RegionMetrics> = Vec::new();
        for server in admin.servers().await.unwrap() {
            all.extend(admin.region_metrics(&server, "tables_counted").await.unwrap());
        }
        all.sort_by_key(RegionMetrics::start);
        all
    };
    let counts = |all: &[RegionMetrics]| -> Vec<(Vec<u8>, u64, u64)> {
        all.iter().map(|region| (region.start().to_vec(), region.writes(), region.reads())).collect()
    };
    assert_eq!(counts(&all().await), [(b"".to_vec(), 0, 0), (b"m".to_vec(), 0, 0)]);
    for row in ["a", "b", "c", "x"] {
        table.put(Put::new(row).value("f", "x", "v")).await.unwrap();
    }
    table.delete(Delete::new("c")).await.unwrap();
    table.get("x").await.unwrap();
    let mut rows = table.scan(Scan::new().stop_before("m"));
    while rows.next().await.unwrap().is_some() {}
    let before = all().await;
    // The deleted row is read and left out.
    assert_eq!(counts(&before), [(b"".to_vec(), 4, 3), (b"m".to_vec(), 1, 1)]);
    assert_eq!(before[0].filtered_reads(), 1);
    admin.flush("tables_counted").await.unwrap();
    let first = table.regions().await.unwrap()[0].0.clone();
    assert_eq!(before[0].region_name(), first.name());
    admin.split(&first, "b").await.unwrap();
    let after = all().await;
    assert_eq!(counts(&after), [(b"".to_vec(), 0, 0), (b"b".to_vec(), 0, 0), (b"m".to_vec(), 1, 1)]);
    assert!(after[0].region_id() > before[0].region_id() && after[2].files() == 1 && after[2].memstore_bytes() == 0);
}
