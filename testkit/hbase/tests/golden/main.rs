//! Requests of HBase's own Java client and their responses, recorded at a real HBase by `servers/hbase/golden`. This
//! client must send the same messages and cells, but for what is said here, and read the responses.

mod inline;

use std::sync::{Arc, Mutex};

use bytes::{Buf, Bytes};
use hbase_client::{
    Append, CheckAndMutate, Client, CompactionState, Compare, Condition, Delete, Family, Get, Increment, Mutation,
    Namespace, Put, Region, Row, RowMutations, Scan, Table, TableSchema, protocol as pb,
};
use prost::Message;
use rowkey_hbase_testkit::{Call, Fake, Reply};

/// The recorded calls of a file, each with the frame of its response.
fn recorded(name: &str) -> Vec<(Call, Bytes)> {
    let file = format!("{}/tests/golden/recorded/{name}.bin", env!("CARGO_MANIFEST_DIR"));
    let mut bytes = Bytes::from(std::fs::read(file).expect("a recording"));
    let mut calls = Vec::new();
    while !bytes.is_empty() {
        let mut frame = || {
            let length = bytes.get_u32() as usize;
            bytes.split_to(length)
        };
        let (sent, answer) = (frame(), frame());
        calls.push((Call::of(sent).unwrap().1, answer));
    }
    calls
}

/// The message of the first call of a file.
fn first<M: Message + Default>(name: &str) -> M {
    recorded(name)[0].0.read()
}

const DESCRIBE: &str = "GetTableDescriptors";

/// Does the same as Java's client at a server that answers as it did then. Returns what came of it, and what both sent.
async fn both<T>(name: &str, work: impl AsyncFnOnce(&Client, &Table) -> T) -> (T, Vec<(Call, Call)>) {
    let java = recorded(name);
    let answers: Vec<_> = java.iter().map(|(_, answer)| answer.clone()).collect();
    let ours = Arc::<Mutex<Vec<Call>>>::default();
    let seen = ours.clone();
    let describes = java.iter().any(|(sent, _)| sent.method == DESCRIBE);
    let fake = Fake::start(move |call: &Call| {
        if call.method == DESCRIBE && !describes {
            // Only this client looks at the families before it changes a table whose regions stay open.
            let table_schema = vec![first::<pb::ModifyTableRequest>("alter").table_schema];
            return Reply::message(&pb::GetTableDescriptorsResponse { table_schema });
        }
        if call.method == "getProcedureResult" {
            let state = pb::get_procedure_result_response::State::Finished.into();
            return Reply::message(&pb::GetProcedureResultResponse { state, ..Default::default() });
        }
        let mut ours = seen.lock().unwrap();
        ours.push(call.clone());
        answers.get(ours.len() - 1).map_or(Reply::Close, |answer| Reply::Recorded(answer.clone()))
    });
    let options = fake.options().timeout(std::time::Duration::from_secs(10));
    let client = Client::new(options).unwrap();
    let result = work(&client, &client.table("t")).await;
    let ours = ours.lock().unwrap().clone();
    assert_eq!(ours.len(), java.len(), "{name}: {ours:?}");
    (result, java.into_iter().map(|(java, _)| java).zip(ours).collect())
}

/// Both sent the same calls, but for what `change` makes equal. The region is another one here.
fn same<M: Message + Default + PartialEq + std::fmt::Debug>(calls: &[(Call, Call)], change: impl Fn(&mut M)) {
    for (java, ours) in calls {
        let read = |sent: &Call| {
            let mut message = sent.read::<M>();
            change(&mut message);
            message
        };
        assert_eq!(read(ours), read(java), "{} (ours, Java's)", java.method);
        let cells = if java.cells.is_empty() { inline::cells(java) } else { java.cells.to_vec() };
        assert_eq!((&ours.method, &ours.cells[..]), (&java.method, &cells[..]));
    }
}

fn text(row: &Row) -> String {
    let cell = |cell: hbase_client::Cell<'_>| {
        let [qualifier, value] = [cell.qualifier(), cell.value()].map(String::from_utf8_lossy);
        format!("{qualifier}={value}")
    };
    format!("{} {}", String::from_utf8_lossy(row.key()), row.cells().map(cell).collect::<Vec<_>>().join(" "))
}

/// A number that any other one may be.
fn any_number<const N: usize>(numbers: [&mut Option<u64>; N]) {
    numbers.into_iter().for_each(|number| *number = number.map(|_| 1));
}

/// Java sends the cells of single mutations as messages, this client as a block.
fn mutation(mutation: &mut pb::MutationProto) {
    mutation.durability.get_or_insert_default();
    mutation.associated_cell_count = None;
    any_number([&mut mutation.nonce]);
}

fn mutate(request: &mut pb::MutateRequest) {
    request.region = pb::RegionSpecifier::default();
    any_number([&mut request.nonce_group]);
    mutation(&mut request.mutation);
    if let Some(condition) = &mut request.condition {
        all_times(&mut condition.time_range);
        // An empty value, which Java does not write.
        let empty = condition.comparator.as_mut().and_then(|comparator| comparator.serialized_comparator.as_mut());
        empty.filter(|empty| empty[..] == *b"\n\x02\n\0").into_iter().for_each(|empty| *empty = b"\n\0"[..].into());
    }
}

#[tokio::test]
async fn mutations_are_javas() {
    let put = Put::new("a").value("f", "x", "1").value_at("f", "y", 5, "2");
    let ((), calls) = both("put", async |_, table| table.put(put).await.unwrap()).await;
    same(&calls, mutate);
    let increment = Increment::new("c").add("f", "n", 7);
    let (row, calls) = both("increment", async |_, table| table.increment(increment).await.unwrap()).await;
    same(&calls, mutate);
    assert_eq!(text(&row), "c n=\0\0\0\0\0\0\0\x07");
    let append = Append::new("c").value("f", "t", "end");
    let (row, calls) = both("append", async |_, table| table.append(append).await.unwrap()).await;
    same(&calls, mutate);
    assert_eq!(text(&row), "c t=end");
    let delete = Delete::new("d").column("f", "x").newest("f", "y").version("f", "z", 9);
    let ((), calls) = both("delete", async |_, table| table.delete(delete).await.unwrap()).await;
    same(&calls, mutate);
    let ((), calls) = both("delete_row", async |_, table| table.delete(Delete::new("d")).await.unwrap()).await;
    same(&calls, mutate);
}

#[tokio::test]
async fn conditions_are_javas() {
    let condition = Condition::value("f", "x", Compare::Equal, "1");
    let put = |value| Put::new("a").value("f", "x", value);
    let (done, calls) =
        both("check", async |_, table| table.check_and_mutate(&condition, put("3")).await.unwrap()).await;
    same(&calls, mutate);
    assert!(done.applied);
    let absent = Condition::absent("f", "x");
    let (done, calls) =
        both("check_absent", async |_, table| table.check_and_mutate(&absent, put("4")).await.unwrap()).await;
    same(&calls, mutate);
    assert!(!done.applied);
    let three = Condition::value("f", "x", Compare::Equal, "3");
    let count = Increment::new("a").add("f", "m", 5);
    let (done, calls) =
        both("check_increment", async |_, table| table.check_and_mutate(&three, count).await.unwrap()).await;
    same(&calls, mutate);
    assert_eq!((done.applied, text(&done.row)), (true, "a m=\0\0\0\0\0\0\0\x05".into()));
}

fn multi(request: &mut pb::MultiRequest) {
    any_number([&mut request.nonce_group]);
    for of_region in &mut request.region_action {
        of_region.region = pb::RegionSpecifier::default();
        of_region.condition.iter_mut().for_each(|condition| all_times(&mut condition.time_range));
        for action in &mut of_region.action {
            action.mutation.iter_mut().for_each(mutation);
            action.get.iter_mut().for_each(get_of);
        }
    }
}

#[tokio::test]
async fn batches_are_javas() {
    let row = |value| [Mutation::from(Put::new("r").value("f", "x", value)), Delete::new("r").column("f", "y").into()];
    let (row_of, calls) = both("row", async |_, table| table.mutate_row(row("1")).await.unwrap()).await;
    same(&calls, multi);
    assert!(row_of.is_empty());
    let condition = Condition::value("f", "x", Compare::Equal, "1");
    let change = RowMutations::new(row("2"));
    let (done, calls) =
        both("check_row", async |_, table| table.check_and_mutate(&condition, change).await.unwrap()).await;
    same(&calls, multi);
    assert!(done.applied);
    let actions = vec![
        Put::new("b1").value("f", "x", "1").into(),
        Get::new("a").into(),
        Delete::new("b2").column("f", "x").into(),
        Increment::new("b3").add("f", "n", 1).into(),
    ];
    let (results, calls) = both("multi", async |_, table| table.batch(actions).await).await;
    same(&calls, multi);
    let rows: Vec<_> = results.into_iter().map(|result| text(&result.unwrap().row)).collect();
    assert_eq!(rows, [" ", "a x=3 y=2", " ", "b3 n=\0\0\0\0\0\0\0\x01"]);
}

#[tokio::test]
async fn changes_at_once_in_a_batch_are_javas() {
    let row = [Mutation::from(Put::new("b5").value("f", "x", "1")), Delete::new("b5").column("f", "y").into()];
    let three = Condition::value("f", "x", Compare::Equal, "3");
    let checked = |row: &str| CheckAndMutate::new(&three, Put::new(row).value("f", "z", "1"));
    let actions = vec![
        Put::new("b4").value("f", "x", "1").into(),
        RowMutations::new(row).into(),
        checked("a").into(),
        checked("b6").into(),
    ];
    let (results, calls) = both("multi_rows", async |_, table| table.batch(actions).await).await;
    same(&calls, |request| {
        multi(request);
        // Nothing of it has a nonce.
        request.nonce_group = None;
    });
    let applied: Vec<_> = results.into_iter().map(|result| result.unwrap().applied).collect();
    assert_eq!(applied, [true, true, true, false]);
}

/// Java says what is the default.
fn get_of(get: &mut pb::Get) {
    get.cache_blocks.get_or_insert(true);
    get.max_versions.get_or_insert(1);
    all_times(&mut get.time_range);
}

fn all_times(range: &mut Option<pb::TimeRange>) {
    range.get_or_insert(pb::TimeRange { from: Some(0), to: Some(i64::MAX as u64) });
}

fn get(request: &mut pb::GetRequest) {
    request.region = pb::RegionSpecifier::default();
    get_of(&mut request.get);
}

#[tokio::test]
async fn gets_are_javas() {
    let get_a = |get: Get| async move |_: &Client, table: &Table| table.get(get).await.unwrap();
    let (row, calls) = both("get", get_a(Get::new("a").column("f", "x").column("f", "y"))).await;
    same(&calls, get);
    assert_eq!(text(&row), "a x=1 y=2");
    let (row, calls) = both("versions", get_a(Get::new("a").versions(2).time_range(1..9))).await;
    same(&calls, get);
    assert_eq!(text(&row), "a y=2");
    let exists = async |_: &Client, table: &Table| table.exists(Get::new("a").family("f")).await.unwrap();
    let (exists, calls) = both("exists", exists).await;
    same(&calls, get);
    assert!(exists);
}

/// Java says what is the default, and begins with the key that follows the excluded one.
fn scan(request: &mut pb::ScanRequest) {
    request.region = request.region.as_ref().map(|_| pb::RegionSpecifier::default());
    request.close_scanner.get_or_insert_default();
    request.track_scan_metrics.get_or_insert_default();
    request.renew.get_or_insert_default();
    let Some(scan) = &mut request.scan else { return };
    if scan.include_start_row.take() == Some(false) {
        scan.start_row = scan.start_row.take().map(|row| [&row[..], b"\0"].concat().into());
    }
    scan.stop_row.get_or_insert_default();
    scan.include_stop_row.get_or_insert_default();
    scan.cache_blocks.get_or_insert(true);
    scan.max_versions.get_or_insert(1);
    all_times(&mut scan.time_range);
}

#[tokio::test]
async fn scans_are_javas() {
    let all = async |table: &Table, scan: Scan| {
        let mut scanner = table.scan(scan);
        let mut rows = Vec::new();
        while let Some(row) = scanner.next().await.unwrap() {
            rows.push(text(&row));
        }
        rows
    };
    let from = Scan::new().start_after("s1").stop_with("s4").rows_per_call(2);
    let (rows, calls) = both("scan", async |_, table| all(table, from).await).await;
    same(&calls, scan);
    assert_eq!(rows, ["s2 x=v2", "s3 x=v3", "s4 x=v4"]);
    let reverse = Scan::new().start("s3").reverse().limit(2).column("f", "x");
    let (rows, calls) = both("scan_reverse", async |_, table| all(table, reverse).await).await;
    same(&calls, scan);
    assert_eq!(rows, ["s3 x=v3", "s2 x=v2"]);
}

/// Java says every default of a family.
fn schemas(java: &pb::TableSchema, ours: &pb::TableSchema) {
    assert_eq!(java.table_name, ours.table_name);
    assert!(ours.attributes.iter().all(|option| java.attributes.contains(option)), "{ours:?}");
    let names = |schema: &pb::TableSchema| schema.column_families.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(java), names(ours));
    for (java, ours) in java.column_families.iter().zip(&ours.column_families) {
        assert!(ours.attributes.iter().all(|option| java.attributes.contains(option)), "{ours:?}");
    }
}

fn schema() -> TableSchema {
    TableSchema::new("golden").family(Family::new("f").max_versions(3).block_size(8192)).max_file_size(1 << 30)
}

fn altered() -> TableSchema {
    schema().family("g")
}

#[tokio::test]
async fn tables_are_javas() {
    let read = Call::read::<pb::CreateTableRequest>;
    let ((), calls) = both("create", async |client, _| client.admin().create(&schema(), ["m"]).await.unwrap()).await;
    let (java, ours) = (read(&calls[0].0), read(&calls[0].1));
    assert_eq!((&java.split_keys, java.nonce.is_some()), (&ours.split_keys, ours.nonce.is_some()));
    schemas(&java.table_schema, &ours.table_schema);
    assert_eq!(ours.table_schema.column_families[0].attributes.len(), 2);

    let read = Call::read::<pb::ModifyTableRequest>;
    let ((), calls) = both("alter", async |client, _| client.admin().alter(&altered()).await.unwrap()).await;
    let (java, ours) = (read(&calls[0].0), read(&calls[0].1));
    assert_eq!((&java.table_name, java.nonce.is_some()), (&ours.table_name, ours.nonce.is_some()));
    schemas(&java.table_schema, &ours.table_schema);

    let larger = altered().max_file_size(1 << 31);
    let open = async |client: &Client, _: &Table| client.admin().alter_without_reopening(&larger).await.unwrap();
    let ((), calls) = both("alter_open", open).await;
    let (java, ours) = (read(&calls[0].0), read(&calls[0].1));
    assert_eq!((java.reopen_regions, ours.reopen_regions), (Some(false), Some(false)));

    let (known, calls) = both("describe", async |client, _| client.admin().describe("golden").await.unwrap()).await;
    same(&calls, |_: &mut pb::GetTableDescriptorsRequest| {});
    assert!(known.options().any(|option| option == ("MAX_FILESIZE", "1073741824")), "{known:?}");
    let family = known.families().next().unwrap();
    assert!(family.options().any(|option| option == ("VERSIONS", "3")), "{family:?}");
    assert!(family.options().any(|option| option == ("BLOCKSIZE", "8192")), "{family:?}");
}

#[tokio::test]
async fn states_of_tables_are_javas() {
    let table = |request: &mut pb::TableRequest| any_number([&mut request.nonce_group, &mut request.nonce]);
    let ((), calls) = both("disable", async |client, _| client.admin().disable("golden").await.unwrap()).await;
    same(&calls, table);
    let ((), calls) = both("enable", async |client, _| client.admin().enable("golden").await.unwrap()).await;
    same(&calls, table);
    let ((), calls) = both("drop", async |client, _| client.admin().drop("golden").await.unwrap()).await;
    same(&calls, table);
    let ((), calls) =
        both("truncate", async |client, _| client.admin().truncate_preserve("golden").await.unwrap()).await;
    same(&calls, |request: &mut pb::TruncateTableRequest| any_number([&mut request.nonce_group, &mut request.nonce]));
}

/// A region that the master knows by this name.
fn named(region: &pb::RegionSpecifier) -> Region {
    let table_name = pb::TableName { namespace: "default".into(), qualifier: "golden".into() };
    let info = pb::RegionInfo { table_name, ..Default::default() };
    pb::region(&info, [b"golden,,1.", &region.value[..], b"."].concat().into()).unwrap()
}

#[tokio::test]
async fn changes_of_regions_are_javas() {
    let java: pb::SplitTableRegionRequest = first("split");
    let whole = pb::region(&java.region_info, "golden,,1.".into()).unwrap();
    let ((), calls) = both("split", async |client, _| client.admin().split(&whole, "c").await.unwrap()).await;
    same(&calls, |request: &mut pb::SplitTableRegionRequest| {
        any_number([&mut request.nonce_group, &mut request.nonce]);
        // Java says what is the default.
        let region = &mut request.region_info;
        let said = (region.offline.take(), region.split.take(), region.replica_id.take());
        assert!([(None, None, None), (Some(false), Some(false), Some(0))].contains(&said), "{said:?}");
    });

    let java: pb::MergeTableRegionsRequest = first("merge");
    let halves: Vec<_> = java.region.iter().map(named).collect();
    let ((), calls) = both("merge", async |client, _| client.admin().merge(&halves).await.unwrap()).await;
    same(&calls, |request: &mut pb::MergeTableRegionsRequest| {
        any_number([&mut request.nonce_group, &mut request.nonce]);
    });

    let java: pb::MoveRegionRequest = first("move");
    let (moved, to) = (named(&java.region), pb::server(java.dest_server_name.as_ref().unwrap()).unwrap());
    let move_it = async |client: &Client, _: &Table| client.admin().move_region(&moved, Some(&to)).await.unwrap();
    let ((), calls) = both("move", move_it).await;
    same(&calls, |_: &mut pb::MoveRegionRequest| {});
}

#[tokio::test]
async fn namespaces_are_javas() {
    let names = || Namespace::new("golden_names").setting("a.b", "1");
    // By its nonce a master knows a repeated request. Java sends none.
    let change = |request: &mut pb::NamespaceRequest| (request.nonce_group, request.nonce) = (None, None);
    let ((), calls) =
        both("create_namespace", async |client, _| client.admin().create_namespace(names()).await.unwrap()).await;
    same(&calls, change);
    let ((), calls) =
        both("alter_namespace", async |client, _| client.admin().alter_namespace(&names()).await.unwrap()).await;
    same(&calls, change);
    let describe = async |client: &Client, _: &Table| client.admin().describe_namespace("golden_names").await.unwrap();
    let (described, calls) = both("describe_namespace", describe).await;
    same(&calls, |_: &mut pb::GetNamespaceDescriptorRequest| {});
    assert_eq!(described, names());
    let (all, calls) = both("namespaces", async |client, _| client.admin().namespaces().await.unwrap()).await;
    same(&calls, |_: &mut pb::ListNamespaceDescriptorsRequest| {});
    assert!(all.contains(&names()), "{all:?}");
    let (tables, calls) = both("tables_of", async |client, _| client.admin().tables_of("default").await.unwrap()).await;
    same(&calls, |_: &mut pb::ListTableNamesByNamespaceRequest| {});
    assert!(tables.contains(&"golden".into()), "{tables:?}");
    let drop = async |client: &Client, _: &Table| client.admin().drop_namespace("golden_names").await.unwrap();
    let ((), calls) = both("drop_namespace", drop).await;
    same(&calls, |request: &mut pb::DeleteNamespaceRequest| (request.nonce_group, request.nonce) = (None, None));
}

#[tokio::test]
async fn metrics_of_regions_are_javas() {
    let read = async |client: &Client, table: &Table| {
        let server = table.regions().await.unwrap()[0].1.clone().unwrap();
        client.admin().region_metrics(&server, "golden").await.unwrap()
    };
    let (regions, calls) = both("region_metrics", read).await;
    same(&calls, |_: &mut pb::GetRegionLoadRequest| {});
    // The numbers that Java's client printed of the same response.
    let [region] = &regions[..] else { panic!("{regions:?}") };
    assert_eq!(region.region_name(), "golden,,1795848340491.23195bda680dff5bf3d0118754d1b427.");
    assert_eq!((region.reads(), region.filtered_reads(), region.writes()), (14, 2, 14));
    assert_eq!((region.files(), region.file_bytes(), region.memstore_bytes()), (0, 0, 1 << 20));
}

#[tokio::test]
async fn calls_for_regions_are_javas() {
    let ((), calls) = both("flush", async |client, _| client.admin().flush("t").await.unwrap()).await;
    same(&calls, |request: &mut pb::FlushRegionRequest| request.region = pb::RegionSpecifier::default());
    let (state, calls) =
        both("compacting", async |client, _| client.admin().compaction_state("t").await.unwrap()).await;
    same(&calls, |request: &mut pb::GetRegionInfoRequest| request.region = pb::RegionSpecifier::default());
    // A compaction was asked for just before.
    assert_eq!(state, CompactionState::Major);
    // This client waits for the end of a compaction, before and after.
    let compacted = Arc::<Mutex<Vec<Call>>>::default();
    let seen = compacted.clone();
    let fake = Fake::start(move |call: &Call| match &*call.method {
        "CompactRegion" => {
            seen.lock().unwrap().push(call.clone());
            Reply::message(&pb::CompactRegionResponse {})
        }
        _ => Reply::message(&pb::GetRegionInfoResponse::default()),
    });
    let client = Client::new(fake.options()).unwrap();
    client.admin().major_compact("t").await.unwrap();
    let java = recorded("major_compact").into_iter().map(|(java, _)| java);
    let calls: Vec<_> = java.zip(compacted.lock().unwrap().clone()).collect();
    assert_eq!(calls.len(), 1);
    same(&calls, |request: &mut pb::CompactRegionRequest| request.region = pb::RegionSpecifier::default());
}
