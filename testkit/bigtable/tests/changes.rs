//! Changes of tables, and the requests that a server gets for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prost::Message;
use rowkey::nonblocking::{AsyncDatabase, AsyncTable, AsyncWideDatabase, Blocking};
use rowkey::store::{Batch, CallOptions, Cancel, Database};
use rowkey::wide::{FamilySchema, OneColumn, TableSchema};
use rowkey::{Error, ErrorKind, Table, WriteBatch};
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::mutate_rows_request::Entry;
use rowkey_bigtable::client::proto::{
    CheckAndMutateRowRequest, MutateRowRequest, MutateRowsRequest, ReadRowsRequest, SampleRowKeysRequest,
    SampleRowKeysResponse,
};
use rowkey_bigtable::{Bigtable, BigtableOptions};
use rowkey_bigtable_testkit::answers::{End, messages, never, paced, status, wait};
use rowkey_bigtable_testkit::instance::Instance;
use rowkey_bigtable_testkit::{Answer, Asked, Mock};
use tonic::Code;

const SHORT: Duration = Duration::from_millis(50);
/// Long enough for a request to be sent on a busy machine.
const ATTEMPT: Duration = Duration::from_secs(1);
/// Only what hangs takes as long.
const PATIENT: Duration = Duration::from_secs(600);

fn options(address: &str) -> BigtableOptions {
    BigtableOptions::new("p", "i").emulator(address).retry_for(PATIENT)
}

async fn instance() -> (Mock, String) {
    let instance = Instance::default();
    Mock::start(move |asked| instance.answer(asked)).await
}

fn methods(mock: &Mock) -> Vec<String> {
    mock.asked().into_iter().map(|asked| asked.method).collect()
}

#[tokio::test]
async fn a_write_across_tables_asks_for_nothing_else() {
    let (mock, address) = instance().await;
    let db: Arc<dyn AsyncDatabase> = Arc::new(OneColumn::database(Bigtable::connect(options(&address)).await.unwrap()));
    let names: AsyncTable<u64, String, _> = AsyncTable::open(&db, "names").await.unwrap();
    let hits: AsyncTable<u64, u64, _> = AsyncTable::open(&db, "hits").await.unwrap();
    let before = mock.asked().len();
    for _ in 0..3 {
        let mut batch = WriteBatch::new();
        batch.put(&names, &7, &"Ada".to_owned()).unwrap();
        batch.put(&hits, &7, &1).unwrap();
        batch.write_async(&db).await.unwrap();
        // A handle with options is one to the same tables.
        let late = db.with_options(&CallOptions::new().timeout(PATIENT));
        let mut batch = WriteBatch::new();
        batch.delete(&names, &8);
        batch.write_async(&late).await.unwrap();
    }
    assert_eq!(methods(&mock)[before..], vec!["MutateRows"; 9]);
    assert_eq!(names.get(&7).await.unwrap().as_deref(), Some("Ada"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_write_across_tables_asks_for_nothing_else() {
    let (mock, address) = instance().await;
    let db = tokio::task::block_in_place(|| Blocking::connect(Bigtable::connect(options(&address))).unwrap());
    tokio::task::block_in_place(|| {
        let db = OneColumn::database(db);
        let names: Table<u64, String, _> = Table::open(&db, "names").unwrap();
        let hits: Table<u64, u64, _> = Table::open(&db, "hits").unwrap();
        let before = mock.asked().len();
        let mut batch = WriteBatch::new();
        batch.put(&names, &7, &"Ada".to_owned()).unwrap();
        batch.put(&hits, &7, &1).unwrap();
        batch.write(&db).unwrap();
        assert_eq!(methods(&mock)[before..], ["MutateRows", "MutateRows"]);
        // A table that another program drops is created anew, as before.
        let other = Blocking::connect(Bigtable::connect(options(&address))).unwrap();
        OneColumn::database(other).drop_table("hits").unwrap();
        let (one, none) = (Batch::new().put("key", "value").clone(), Batch::new());
        Database::write(&db, &[("names", &one), ("hits", &one), ("hits", &none)]).unwrap();
        assert!(Database::open_table(&db, "hits").unwrap().get(b"key").unwrap().is_some());
        // Whoever drops it through this database asks for it again.
        Database::drop_table(&db, "names").unwrap();
        let before = mock.asked().len();
        Database::write(&db, &[("names", &one)]).unwrap();
        assert!(methods(&mock)[before..].contains(&"CreateTable".to_owned()));
    });
}

/// A drop that takes ten times as long as an attempt may.
fn slow_drop(asked: &Asked) -> Answer {
    match asked.method.as_str() {
        "DropRowRange" | "DeleteTable" | "CreateTable" | "ModifyColumnFamilies" => Box::pin(async move {
            tokio::time::sleep(ATTEMPT * 3).await;
            messages([()], End::of(Code::Ok)).await
        }),
        _ => status(Code::NotFound, "no"),
    }
}

#[tokio::test]
async fn a_drop_is_waited_for_as_long_as_its_caller_allows() {
    let (mock, address) = Mock::start(slow_drop).await;
    let db = Bigtable::connect(options(&address).attempt_timeout(ATTEMPT)).await.unwrap();
    db.drop_rows("t", b"a").await.unwrap();
    assert_eq!(methods(&mock), ["DropRowRange"]);
    db.drop_table("t").await.unwrap();
    assert_eq!(methods(&mock)[1..].iter().filter(|method| *method == "DeleteTable").count(), 1);
}

#[tokio::test]
async fn a_drop_that_may_still_run_is_not_sent_again() {
    let failures: [fn() -> Answer; 4] = [
        || status(Code::Unavailable, "no"),
        || status(Code::DeadlineExceeded, "no"),
        || messages(Vec::<()>::new(), End::Reset),
        || messages(Vec::<()>::new(), End::Trailers(vec![])),
    ];
    for failure in failures {
        let exists = move |asked: &Asked| match asked.method.as_str() {
            "GetTable" => messages([()], End::of(Code::Ok)),
            "ReadRows" => messages(Vec::<()>::new(), End::of(Code::Ok)),
            _ => failure(),
        };
        let (mock, address) = Mock::start(exists).await;
        let db = Bigtable::connect(options(&address)).await.unwrap();
        let error = db.drop_rows("t", b"").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
        let error = db.drop_table("t").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
        let drops = methods(&mock).into_iter().filter(|method| method.starts_with('D'));
        assert_eq!(drops.collect::<Vec<_>>(), ["DropRowRange", "DeleteTable"]);
    }
}

#[tokio::test]
async fn the_caller_of_a_drop_ends_it() {
    let silent = |asked: &Asked| match asked.method.as_str() {
        "DropRowRange" | "DeleteTable" => never(),
        _ => status(Code::NotFound, "no"),
    };
    let (mock, address) = Mock::start(silent).await;
    let cancel = Cancel::new();
    let db = Bigtable::connect(options(&address).attempt_timeout(SHORT)).await.unwrap();
    let db = db.with_options(&CallOptions::new().cancel(&cancel));
    let (dropped, ()) = tokio::join!(db.drop_table("t"), async {
        while !methods(&mock).contains(&"DeleteTable".to_owned()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(SHORT * 10).await;
        cancel.cancel();
    });
    assert_eq!(dropped.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(methods(&mock).iter().filter(|method| *method == "DeleteTable").count(), 1);
}

#[tokio::test]
async fn a_drop_that_was_refused_for_now_is_sent_again() {
    let refuses = |asked: &Asked| match asked.number {
        0 => wait(Code::ResourceExhausted, SHORT),
        _ => messages([()], End::of(Code::Ok)),
    };
    let (mock, address) = Mock::start(refuses).await;
    Bigtable::connect(options(&address)).await.unwrap().drop_rows("t", b"").await.unwrap();
    assert_eq!(methods(&mock), ["DropRowRange"; 2]);
}

async fn sampled(client: &Client) -> Result<usize, Error> {
    let call = CallOptions::none().begin("split points", "t").unwrap();
    Ok(client.sample_row_keys(SampleRowKeysRequest::default(), &call).await?.len())
}

/// Samples come in time, and all of them do not.
#[tokio::test]
async fn samples_of_row_keys_may_take_longer_than_an_attempt() {
    let sample = |n: i64| SampleRowKeysResponse { row_key: n.to_be_bytes().to_vec(), offset_bytes: n };
    let slow = move |_: &Asked| paced((0..30).map(sample), SHORT, End::of(Code::Ok));
    let (_mock, address) = Mock::start(slow).await;
    let brief = options(&address).attempt_timeout(SHORT * 20).retry_for(SHORT * 40);
    assert_eq!(sampled(&Client::new(&brief).unwrap()).await.unwrap(), 30);
}

#[tokio::test]
async fn samples_that_break_off_begin_again() {
    let sample = |n: i64| SampleRowKeysResponse { row_key: n.to_be_bytes().to_vec(), offset_bytes: n };
    let breaks = move |asked: &Asked| match asked.number {
        0 => messages((0..5).map(sample), End::Reset),
        1 => messages((0..3).map(sample), End::of(Code::Unavailable)),
        2 => messages((0..2).map(sample), End::Never),
        _ => messages((0..9).map(sample), End::of(Code::Ok)),
    };
    let (mock, address) = Mock::start(breaks).await;
    let client = Client::new(&options(&address).attempt_timeout(SHORT * 20)).unwrap();
    assert_eq!(sampled(&client).await.unwrap(), 9);
    assert!(mock.asked().len() >= 4);
}

#[test]
fn a_client_whose_runtime_has_ended_says_so_at_once() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (server, own, other) = (runtime(), runtime(), runtime());
    let (_mock, address) = server.block_on(instance());
    let (used, unused) = own.block_on(async {
        let client = || Client::new(&options(&address)).unwrap();
        let used = client();
        put(&used).await.unwrap_err();
        (used, client())
    });
    drop(own);
    for client in [used, unused] {
        other.block_on(async {
            let call = CallOptions::none().begin("scan", "t").unwrap();
            let mut rows = client.read_rows(ReadRowsRequest::default());
            let errors = async {
                let batch = MutateRowsRequest { entries: vec![Entry::default()], ..MutateRowsRequest::default() };
                let of_batch = client.mutate_rows(batch, &call).await.unwrap().swap_remove(0).error;
                let of_samples = sampled(&client).await.unwrap_err();
                [put(&client).await.unwrap_err(), rows.next(&call).await.unwrap_err(), of_batch, of_samples]
            };
            for error in tokio::time::timeout(PATIENT / 2, errors).await.expect("it is told at once") {
                assert_eq!(error.kind(), ErrorKind::Other, "{error}");
                assert!(error.to_string().contains("runtime") && !error.to_string().contains("attempts"), "{error}");
            }
        });
    }
}

async fn put(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("mutation", "t").unwrap();
    client.mutate_row(MutateRowRequest::default(), &call).await
}

/// An instance whose profile `many` has several clusters.
async fn two_profiles() -> (Mock, String) {
    let instance = Instance::default();
    let answer = move |asked: &Asked| {
        let is_refused = asked.method == "CheckAndMutateRow"
            && CheckAndMutateRowRequest::decode(asked.message.clone()).unwrap().app_profile_id == "many";
        match is_refused {
            true => status(Code::FailedPrecondition, "Single-row transactions are not allowed by this app profile"),
            false => instance.answer(asked),
        }
    };
    Mock::start(answer).await
}

#[tokio::test]
async fn a_profile_of_several_clusters_needs_another_one_for_schemas() {
    let (mock, address) = two_profiles().await;
    let schema = TableSchema::new().family("f", FamilySchema::new()).row_key::<u64>();
    let many = || options(&address).app_profile("many");
    let db = Bigtable::connect(many()).await.unwrap();
    let error = db.table("t", &schema).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    for part in ["\"many\"", "schema_app_profile", "single-row transactions"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    let both = Bigtable::connect(many().schema_app_profile("one")).await.unwrap();
    let table = both.table("t", &schema).await.unwrap();
    table.get(b"row", &rowkey::wide::Columns::all()).await.unwrap();
    let last = ReadRowsRequest::decode(mock.asked().pop().unwrap().message).unwrap();
    assert_eq!(last.app_profile_id, "many", "data is asked for under its own profile");
    // A table that was opened once can be opened under any profile, and dropped.
    db.table("t", &schema).await.unwrap();
    db.drop_table("t").await.unwrap();
    assert!(both.schema("t").await.unwrap().is_none());
}

/// A server that is back shortly before the deadline is asked: no long pause goes beyond it.
#[tokio::test]
async fn the_last_attempt_is_near_the_deadline() {
    let (mock, address) = Mock::start(|_| status(Code::Unavailable, "no")).await;
    let client = Client::new(&options(&address)).unwrap();
    let limit = Duration::from_secs(3);
    let bounds = CallOptions::new().timeout(limit);
    for is_batch in [false, true] {
        let (begun, call) = (Instant::now(), bounds.begin("mutation", "t").unwrap());
        let before = mock.asked().len();
        let ended = match is_batch {
            false => client.mutate_row(MutateRowRequest::default(), &call).await.unwrap_err(),
            true => {
                let entries = vec![Entry::default()];
                let request = MutateRowsRequest { entries, ..MutateRowsRequest::default() };
                client.mutate_rows(request, &call).await.unwrap().remove(0).error
            }
        };
        assert_eq!(ended.kind(), ErrorKind::OutcomeUnknown, "{ended}");
        let attempts: Vec<Duration> = mock.asked()[before..].iter().map(|asked| asked.at - begun).collect();
        let last = *attempts.last().unwrap();
        // It may come to the server somewhat later than it was sent.
        assert!(last > limit * 9 / 10 && attempts.len() < 20, "{attempts:?}");
    }
}
