//! A server that fails, stalls and lies: what the client makes of it.

use std::collections::HashSet;
use std::future::Future;
use std::time::{Duration, Instant};

use prost::Message;
use prost::bytes::Bytes;
use prost_types::Any;
use rowkey::nonblocking::AsyncWideDatabase;
use rowkey::store::{CallOptions, Cancel};
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::mutate_rows_request::Entry;
use rowkey_bigtable::client::proto::mutation::{AddToCell, MergeToCell, Mutation as Edit, SetCell};
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::{
    CheckAndMutateRowRequest, MutateRowRequest, MutateRowResponse, MutateRowsRequest, MutateRowsResponse, Mutation,
    ReadModifyWriteRowRequest, ReadRowsRequest, ReadRowsResponse, RetryInfo, RpcStatus, mutate_rows_response,
};
use rowkey_bigtable::{Bigtable, BigtableError, BigtableOptions};
use rowkey_bigtable_testkit::answers::{End, bytes, headers, messages, never, status, wait};
use rowkey_bigtable_testkit::{Answer, Asked, Mock};
use tokio::runtime::Runtime;
use tokio::time::sleep;
use tonic::Code;

const SHORT: Duration = Duration::from_millis(300);
/// Only a call that hangs takes as long, however busy the machine is.
const HANGS: Duration = Duration::from_secs(600);

fn options(address: &str) -> BigtableOptions {
    BigtableOptions::new("p", "i").emulator(address).retry_for(HANGS)
}

/// A server, a client of it, and what the test does with both.
fn with<F: Future<Output = ()>>(
    answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    change: impl Fn(BigtableOptions) -> BigtableOptions,
    test: impl FnOnce(Mock, Client) -> F,
) {
    // In one thread, so that what a server sends is on its way before it resets a stream.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mock, address) = Mock::start(answer).await;
        let client = Client::new(&change(options(&address))).unwrap();
        tokio::time::timeout(HANGS, test(mock, client)).await.expect("a call hangs");
    });
}

fn row(key: &str) -> ReadRowsResponse {
    let chunk = CellChunk {
        row_key: key.into(),
        family_name: Some("f".to_owned()),
        qualifier: Some(b"q".to_vec()),
        row_status: Some(RowStatus::CommitRow(true)),
        ..CellChunk::default()
    };
    ReadRowsResponse { chunks: vec![chunk], ..ReadRowsResponse::default() }
}

async fn keys(client: &Client, options: &CallOptions) -> (Vec<String>, Result<(), Error>) {
    let (mut rows, mut keys) = (client.read_rows(ReadRowsRequest::default()), Vec::new());
    loop {
        let call = match options.begin("scan", "t") {
            Ok(call) => call,
            Err(error) => return (keys, Err(error)),
        };
        match rows.next(&call).await {
            Ok(Some(row)) => keys.push(String::from_utf8(row.key).unwrap()),
            Ok(None) => return (keys, Ok(())),
            Err(error) => {
                assert!(rows.next(&call).await.unwrap().is_none(), "a stream has ended after its error");
                return (keys, Err(error));
            }
        }
    }
}

fn code_of(error: &Error) -> Option<Code> {
    error.engine_error::<BigtableError>().map(|error: &BigtableError| error.status().code())
}

async fn put(client: &Client, options: &CallOptions) -> Result<(), Error> {
    client.mutate_row(MutateRowRequest::default(), &options.begin("mutation", "t").unwrap()).await
}

async fn add(client: &Client, options: &CallOptions) -> Result<(), Error> {
    let call = options.begin("increment", "t").unwrap();
    client.read_modify_write_row(ReadModifyWriteRowRequest::default(), &call).await.map(drop)
}

/// Makes a call that has ever more time, until it had enough.
async fn with_enough_time<T, F: Future<Output = Option<T>>>(call: impl Fn(CallOptions) -> F) -> T {
    let mut time = SHORT;
    loop {
        if let Some(output) = call(CallOptions::new().timeout(time)).await {
            return output;
        }
        time *= 2;
    }
}

/// The error of a call whose request has come to a server that says nothing.
async fn unanswered<F: Future<Output = Error>>(mock: &Mock, call: impl Fn(CallOptions) -> F) -> Error {
    with_enough_time(|options| async {
        let before = mock.asked().len();
        let error = call(options).await;
        (mock.asked().len() > before).then_some(error)
    })
    .await
}

#[test]
fn a_server_that_says_nothing_ends_every_call_in_time() {
    with(
        |_| never(),
        |options| options,
        |mock, client| async move {
            let read = unanswered(&mock, async |options| keys(&client, &options).await.1.unwrap_err()).await;
            assert!(matches!(read, Error::DeadlineExceeded { .. }), "{read}");
            let put = unanswered(&mock, async |options| put(&client, &options).await.unwrap_err()).await;
            assert!(matches!(put, Error::OutcomeUnknown { .. }), "{put}");
            let add = unanswered(&mock, async |options| add(&client, &options).await.unwrap_err()).await;
            assert!(matches!(add, Error::OutcomeUnknown { .. }), "{add}");
            let check = unanswered(&mock, async |options| {
                let call = options.begin("check-and-mutate", "t").unwrap();
                client.check_and_mutate_row(CheckAndMutateRowRequest::default(), &call).await.unwrap_err()
            });
            let check = check.await;
            assert!(matches!(check, Error::OutcomeUnknown { .. }), "{check}");
            let failed = with_enough_time(async |options| {
                let call = options.begin("mutation", "t").unwrap();
                let request = MutateRowsRequest { entries: vec![Entry::default(); 2], ..Default::default() };
                // Otherwise nothing was sent.
                client.mutate_rows(request, &call).await.ok()
            });
            let failed = failed.await;
            assert!(failed.iter().all(|entry| matches!(entry.error, Error::OutcomeUnknown { .. })), "{failed:?}");
            assert_eq!(failed.len(), 2);
            let (cancel, before) = (Cancel::new(), mock.asked().len());
            let cancelled = CallOptions::new().cancel(&cancel);
            let (read, ()) = tokio::join!(keys(&client, &cancelled), async {
                until(|| mock.asked().len() > before).await;
                cancel.cancel();
            });
            assert!(matches!(read.1, Err(Error::Cancelled { .. })), "{read:?}");
            // A request that was given up is given up on the server too.
            until(|| mock.in_flight() == 0).await;
        },
    );
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn an_attempt_that_says_nothing_is_made_again_where_that_is_safe() {
    let first_is_silent = |asked: &Asked| match asked.number {
        0 => never(),
        _ if asked.method == "ReadRows" => messages([row("a")], End::of(Code::Ok)),
        _ => messages([MutateRowResponse {}], End::of(Code::Ok)),
    };
    with(
        first_is_silent,
        |options| options.attempt_timeout(SHORT),
        |_, client| async move {
            let options = CallOptions::new();
            assert_eq!(keys(&client, &options).await.0, ["a"]);
            put(&client, &options).await.unwrap();
            let unknown = add(&client, &options).await.unwrap_err();
            assert!(matches!(unknown, Error::OutcomeUnknown { .. }), "{unknown}");
        },
    );
}

#[test]
fn what_a_status_says_of_a_write() {
    for (code, kind, times) in [
        (Code::InvalidArgument, ErrorKind::InvalidInput, 1),
        (Code::NotFound, ErrorKind::NotFound, 1),
        (Code::PermissionDenied, ErrorKind::PermissionDenied, 1),
        (Code::ResourceExhausted, ErrorKind::Busy, 1),
        (Code::Unimplemented, ErrorKind::Unsupported, 1),
        (Code::Internal, ErrorKind::OutcomeUnknown, 1),
        (Code::Unknown, ErrorKind::OutcomeUnknown, 1),
        (Code::Unavailable, ErrorKind::OutcomeUnknown, usize::MAX),
        (Code::Aborted, ErrorKind::OutcomeUnknown, usize::MAX),
    ] {
        let fails = move |_: &Asked| status(code, "no");
        let patience = |options: BigtableOptions| options.retry_for(SHORT);
        with(fails, patience, |mock, client| async move {
            let error = put(&client, &CallOptions::new()).await.unwrap_err();
            assert_eq!((error.kind(), code_of(&error)), (kind, Some(code)), "{error}");
            let puts = mock.asked().len();
            assert!(if times == 1 { puts == 1 } else { puts > 1 }, "{code:?}: {puts} attempts");
            // To add twice is not to add once.
            let error = add(&client, &CallOptions::new()).await.unwrap_err();
            assert_eq!((error.kind(), code_of(&error)), (kind, Some(code)), "{error}");
            assert_eq!(mock.asked().len() - puts, 1, "{code:?}");
        });
    }
}

#[test]
fn no_connection_is_no_write() {
    Runtime::new().unwrap().block_on(async {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = closed.local_addr().unwrap();
        drop(closed);
        let client = Client::new(&options(&address.to_string()).retry_for(SHORT)).unwrap();
        for error in [put(&client, &CallOptions::new()).await, add(&client, &CallOptions::new()).await] {
            let error = error.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
        }
        let patient = Client::new(&options(&address.to_string())).unwrap();
        let late = add(&patient, &CallOptions::new().timeout(SHORT)).await.unwrap_err();
        assert!(matches!(late, Error::DeadlineExceeded { .. }), "{late}");
        let call = CallOptions::none().begin("mutation", "t").unwrap();
        let request = MutateRowsRequest { entries: vec![Entry::default(); 2], ..Default::default() };
        let failed = client.mutate_rows(request, &call).await.unwrap();
        assert!(failed.iter().all(|entry| entry.error.kind() == ErrorKind::Busy), "{failed:?}");
    });
}

#[test]
fn a_wait_that_the_server_asks_for_is_made() {
    let asks = |asked: &Asked| match asked.number {
        0 => wait(Code::ResourceExhausted, SHORT),
        _ => messages([MutateRowResponse {}], End::of(Code::Ok)),
    };
    with(
        asks,
        |options| options,
        |_, client| async move {
            let begun = Instant::now();
            put(&client, &CallOptions::new()).await.unwrap();
            assert!(begun.elapsed() >= SHORT);
        },
    );
    // One that is too long ends the call, and not the program.
    let asks = |_: &Asked| wait(Code::Unavailable, Duration::from_secs(i64::MAX as u64));
    with(
        asks,
        |options| options,
        |_, client| async move {
            assert!(put(&client, &CallOptions::new()).await.is_err());
        },
    );
}

#[test]
fn a_scan_goes_on_after_its_last_row() {
    let breaks = |asked: &Asked| match asked.number {
        0 => messages([row("a"), row("b")], End::Reset),
        1 => messages([row("c")], End::of(Code::Unavailable)),
        2 => messages(Vec::<ReadRowsResponse>::new(), End::Reset),
        _ => messages([row("d")], End::of(Code::Ok)),
    };
    with(
        breaks,
        |options| options,
        |_, client| async move {
            let (read, ended) = keys(&client, &CallOptions::new()).await;
            assert_eq!(read, ["a", "b", "c", "d"]);
            ended.unwrap();
        },
    );
}

#[test]
fn a_server_that_never_makes_progress_is_given_up() {
    // It answers each attempt, and never with a row.
    let stuck = |_: &Asked| messages([ReadRowsResponse::default()], End::of(Code::Unavailable));
    with(
        stuck,
        |options| options.retry_for(SHORT),
        |_, client| async move {
            let (read, ended) = keys(&client, &CallOptions::new()).await;
            assert_eq!((read.len(), code_of(&ended.unwrap_err())), (0, Some(Code::Unavailable)));
        },
    );
}

#[test]
fn lies_are_errors() {
    let answers: Vec<fn() -> Answer> = vec![
        || messages([row("b"), row("a")], End::of(Code::Ok)),
        || messages([row("a"), row("a")], End::of(Code::Ok)),
        || bytes([Bytes::from_static(b"\x00\x00\x00\x00\x03abc")], End::of(Code::Ok)),
        || bytes([Bytes::from_static(b"\x07\x00\x00\x00\x00")], End::of(Code::Ok)),
        || bytes([Bytes::from_static(b"\x00\xff\xff\xff\xff")], End::of(Code::Ok)),
        || headers(&[("grpc-status", "3"), ("grpc-status-details-bin", "%%%"), ("grpc-message", "%zz")]),
        || headers(&[("grpc-status", "3"), ("grpc-status-details-bin", "AAB")]),
        || headers(&[("grpc-status", "no number")]),
        || {
            messages(
                [row("a")],
                End::Trailers(vec![("grpc-status", "3".into()), ("grpc-status-details-bin", "~".into())]),
            )
        },
        || headers(&[("grpc-status", "3"), ("x-goog-cbt-cookie-a", "1"), ("x-goog-cbt-cookie-bin", "!!")]),
    ];
    for (index, answer) in answers.into_iter().enumerate() {
        with(
            move |_| answer(),
            |options| options.retry_for(SHORT),
            |_, client| async move {
                let (read, ended) = keys(&client, &CallOptions::new()).await;
                assert!(ended.is_err() && read.len() <= 1, "{index}: {read:?}, {ended:?}");
                // Rows are read as the response of a write, which has no fields.
                assert_eq!(put(&client, &CallOptions::new()).await.is_ok(), index < 2, "{index}");
            },
        );
    }
}

#[test]
fn entries_that_failed_are_sent_again_alone() {
    let of = |entries: &[(i64, Code)]| {
        let entries = entries.iter().map(|(index, code)| mutate_rows_response::Entry {
            index: *index,
            status: Some(RpcStatus { code: (*code).into(), ..RpcStatus::default() }),
        });
        MutateRowsResponse { entries: entries.collect(), rate_limit_info: None }
    };
    // Of five rows one is written, one refused, one named twice, one not at all; the connection breaks. Indexes that
    // there are not are passed over.
    let answer = move |asked: &Asked| match asked.number {
        0 => messages(
            [
                of(&[(0, Code::Ok), (1, Code::InvalidArgument), (9, Code::Ok), (-1, Code::Ok)]),
                of(&[(2, Code::Aborted)]),
            ],
            End::Reset,
        ),
        1 => messages([of(&[(0, Code::Ok), (2, Code::Unavailable)])], End::of(Code::Unavailable)),
        _ => messages([of(&[(0, Code::Ok), (1, Code::Internal)])], End::of(Code::Ok)),
    };
    with(
        answer,
        |options| options,
        |mock, client| async move {
            let call = CallOptions::none().begin("mutation", "t").unwrap();
            let request = MutateRowsRequest { entries: vec![Entry::default(); 5], ..Default::default() };
            let failed = client.mutate_rows(request, &call).await.unwrap();
            let kinds: Vec<_> = failed.iter().map(|entry| (entry.index, entry.error.kind())).collect();
            assert_eq!(kinds, [(1, ErrorKind::InvalidInput), (4, ErrorKind::OutcomeUnknown)]);
            assert_eq!(mock.asked().len(), 3);
        },
    );
}

/// Edits that are another one the second time: at the server's time, an addition, a merge.
fn not_repeatable() -> [Mutation; 3] {
    let set = SetCell { timestamp_micros: -1, ..SetCell::default() };
    let kinds = [Edit::SetCell(set), Edit::AddToCell(AddToCell::default()), Edit::MergeToCell(MergeToCell::default())];
    kinds.map(|edit| Mutation { mutation: Some(edit) })
}

#[test]
fn what_would_be_another_edit_the_second_time_is_sent_once() {
    for edit in not_repeatable() {
        with(
            |_| status(Code::Unavailable, "no"),
            |options| options.retry_for(SHORT),
            |mock, client| async move {
                let call = CallOptions::none().begin("mutation", "t").unwrap();
                let mutations = vec![Mutation::default(), edit];
                let request = MutateRowRequest { mutations: mutations.clone(), ..Default::default() };
                let error = client.mutate_row(request, &call).await.unwrap_err();
                assert_eq!((error.kind(), mock.asked().len()), (ErrorKind::OutcomeUnknown, 1), "{error}");

                let entries = vec![Entry::default(), Entry { mutations, ..Entry::default() }];
                let request = MutateRowsRequest { entries, ..Default::default() };
                let failed = client.mutate_rows(request, &call).await.unwrap();
                let kinds: Vec<_> = failed.iter().map(|entry| (entry.index, entry.error.kind())).collect();
                assert_eq!(kinds, [(0, ErrorKind::OutcomeUnknown), (1, ErrorKind::OutcomeUnknown)]);
                let sent = mock.asked().into_iter().filter(|asked| asked.method == "MutateRows");
                let sent = sent.map(|asked| MutateRowsRequest::decode(asked.message).unwrap().entries.len());
                let sent: Vec<_> = sent.collect();
                assert!(sent[0] == 2 && sent.len() > 1 && sent[1..].iter().all(|rows| *rows == 1), "{sent:?}");
            },
        );
    }
}

#[test]
fn a_drop_whose_response_was_lost_is_done() {
    let answer = |asked: &Asked| match (asked.method.as_str(), asked.number) {
        ("DeleteTable", 0) => status(Code::Unavailable, "no"),
        _ => status(Code::NotFound, "no"),
    };
    Runtime::new().unwrap().block_on(async {
        let (mock, address) = Mock::start(answer).await;
        Bigtable::connect(options(&address)).await.unwrap().drop_table("t").await.unwrap();
        assert_eq!(mock.asked().iter().filter(|asked| asked.method == "DeleteTable").count(), 1);
    });
}

#[test]
fn a_server_that_always_says_something_does_not_go_beyond_the_deadline() {
    let empty = |_: &Asked| messages([ReadRowsResponse::default()], End::Again);
    with(
        empty,
        |options| options,
        |_, client| async move {
            let (_, ended) = keys(&client, &CallOptions::new().timeout(SHORT / 10)).await;
            let error = ended.unwrap_err();
            assert!(matches!(error, Error::DeadlineExceeded { .. }), "{error}");
        },
    );
}

fn outcomes(outcomes: &[(i64, Code, Option<i64>)]) -> MutateRowsResponse {
    let of = |(index, code, wish): &(i64, Code, Option<i64>)| {
        let delay = |seconds| RetryInfo { retry_delay: Some(prost_types::Duration { seconds, nanos: 0 }) };
        let details = wish.map(|seconds| Any {
            type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(),
            value: delay(seconds).encode_to_vec(),
        });
        let status = RpcStatus { code: (*code).into(), details: details.into_iter().collect(), ..RpcStatus::default() };
        mutate_rows_response::Entry { index: *index, status: Some(status) }
    };
    MutateRowsResponse { entries: outcomes.iter().map(of).collect(), rate_limit_info: None }
}

#[test]
fn time_for_retries_is_counted_from_the_last_row_that_was_written() {
    // One row of each attempt is written. 40 pauses without progress would take minutes.
    const ROWS: usize = 40;
    let one = |asked: &Asked| {
        let left = (0..ROWS - asked.number).map(|index| {
            let code = if index == 0 { Code::Ok } else { Code::Unavailable };
            (index as i64, code, None)
        });
        messages([outcomes(&left.collect::<Vec<_>>())], End::of(Code::Ok))
    };
    with(
        one,
        |options| options.retry_for(Duration::from_secs(5)),
        |mock, client| async move {
            let call = CallOptions::none().begin("mutation", "t").unwrap();
            let request = MutateRowsRequest { entries: vec![Entry::default(); ROWS], ..Default::default() };
            let failed = client.mutate_rows(request, &call).await.unwrap();
            assert!(failed.is_empty(), "{failed:?}");
            assert_eq!(mock.asked().len(), ROWS);
        },
    );
}

#[test]
fn a_row_that_has_to_wait_an_hour_does_not_keep_the_others() {
    let an_hour = |asked: &Asked| match asked.number {
        0 => {
            let first = [
                (0, Code::Unavailable, None),
                (1, Code::ResourceExhausted, Some(3600)),
                (2, Code::Unavailable, Some(0)),
            ];
            messages([outcomes(&first)], End::of(Code::Ok))
        }
        _ => messages([outcomes(&[(0, Code::Ok, None), (1, Code::Ok, None)])], End::of(Code::Ok)),
    };
    with(
        an_hour,
        |options| options,
        |_, client| async move {
            let call = CallOptions::none().begin("mutation", "t").unwrap();
            let request = MutateRowsRequest { entries: vec![Entry::default(); 3], ..Default::default() };
            let failed = client.mutate_rows(request, &call).await.unwrap();
            assert_eq!(failed.iter().map(|entry| entry.index).collect::<Vec<_>>(), [1], "{failed:?}");
        },
    );
}

#[test]
fn a_request_that_is_too_large_is_refused_before_it_is_sent() {
    with(
        |_| never(),
        |options| options,
        |mock, client| async move {
            let call = CallOptions::none().begin("mutation", "t").unwrap();
            let large = Entry { row_key: vec![0; 513 << 20], ..Entry::default() };
            let request = MutateRowsRequest { entries: vec![large, Entry::default()], ..Default::default() };
            let failed = client.mutate_rows(request, &call).await.unwrap();
            let kinds: Vec<_> = failed.iter().map(|entry| entry.error.kind()).collect();
            assert_eq!(kinds, [ErrorKind::InvalidInput; 2]);
            assert!(mock.asked().is_empty());
        },
    );
}

#[test]
fn a_stream_that_is_dropped_ends_on_the_server() {
    let endless = |_: &Asked| messages((0..20).map(|n| row(&format!("{n:05}"))), End::Never);
    with(
        endless,
        |options| options.connections(1),
        |mock, client| async move {
            let options = CallOptions::new();
            // More than a connection has streams: the server allows 200.
            for _ in 0..300 {
                let mut rows = client.read_rows(ReadRowsRequest::default());
                let row = rows.next(&options.begin("scan", "t").unwrap()).await.unwrap();
                assert_eq!(row.unwrap().key, b"00000");
            }
            let connections: HashSet<_> = mock.asked().into_iter().map(|asked| asked.from).collect();
            assert_eq!((mock.asked().len(), connections.len()), (300, 1));
        },
    );
}

/// A chunk of the row `a`, which is not its last one.
fn begun() -> ReadRowsResponse {
    let mut response = row("a");
    response.chunks[0].row_status = None;
    response
}

#[test]
fn what_came_of_a_row_before_a_break_is_forgotten() {
    for before in [vec![], vec![row("0")]] {
        let rows = before.len() + 1;
        let breaks = move |asked: &Asked| match asked.number {
            0 => messages(before.iter().cloned().chain([begun()]), End::Reset),
            _ => messages([row("a")], End::of(Code::Ok)),
        };
        with(
            breaks,
            |options| options,
            |_, client| async move {
                let (mut stream, mut read) = (client.read_rows(ReadRowsRequest::default()), Vec::new());
                let options = CallOptions::new();
                while let Some(row) = stream.next(&options.begin("scan", "t").unwrap()).await.unwrap() {
                    read.push(row);
                }
                assert_eq!(read.len(), rows);
                assert!(read.iter().all(|row| row.cells.len() == 1), "{read:?}");
            },
        );
    }
}

#[test]
fn a_deadline_does_not_forget_what_the_server_said_of_rows() {
    let entries = [(0, Code::Ok), (1, Code::Unavailable), (2, Code::NotFound)].map(|(index, code)| {
        let status = Some(RpcStatus { code: code.into(), ..RpcStatus::default() });
        mutate_rows_response::Entry { index, status }
    });
    let response = MutateRowsResponse { entries: entries.to_vec(), rate_limit_info: None };
    with(
        move |_| messages([response.clone()], End::Never),
        |options| options,
        |_, client| async move {
            let kinds = with_enough_time(async |options| {
                let call = options.begin("mutation", "t").unwrap();
                let request = MutateRowsRequest { entries: vec![Entry::default(); 4], ..Default::default() };
                let failed = client.mutate_rows(request, &call).await.ok()?;
                let kinds: Vec<_> = failed.iter().map(|entry| (entry.index, entry.error.kind())).collect();
                // Otherwise the response had not come.
                (kinds.len() < 4).then_some(kinds)
            });
            let kinds = kinds.await;
            // The first is written, and nothing is known of the last.
            assert_eq!(
                kinds,
                [(1, ErrorKind::OutcomeUnknown), (2, ErrorKind::NotFound), (3, ErrorKind::OutcomeUnknown)]
            );
        },
    );
}

#[test]
fn an_end_without_a_status_is_a_break() {
    for end in [End::Trailers(vec![]), End::Trailers(vec![("x", "y".to_owned())])] {
        let cut = move |asked: &Asked| match asked.number {
            0 if asked.method == "ReadRows" => messages([row("a")], end.clone()),
            _ if asked.method == "ReadRows" => messages([row("b")], End::of(Code::Ok)),
            _ => messages([MutateRowResponse {}], end.clone()),
        };
        with(
            cut,
            |options| options.retry_for(SHORT),
            |_, client| async move {
                let (read, ended) = keys(&client, &CallOptions::new()).await;
                assert_eq!(read, ["a", "b"]);
                ended.unwrap();
                let error = put(&client, &CallOptions::new()).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
            },
        );
    }
}

#[test]
fn what_the_client_makes_of_a_response_is_no_refusal() {
    let answers: [fn() -> Answer; 4] = [
        || bytes([Bytes::from_static(b"\x00\xff\xff\xff\xff")], End::of(Code::Ok)),
        || bytes([Bytes::from_static(b"\x01\x00\x00\x00\x01a")], End::of(Code::Ok)),
        || headers(&[("grpc-encoding", "gzip")]),
        || bytes([], End::of(Code::Ok)),
    ];
    for (index, answer) in answers.into_iter().enumerate() {
        with(
            move |_| answer(),
            |options| options.retry_for(SHORT),
            |_, client| async move {
                let error = put(&client, &CallOptions::new()).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{index}: {error}");
            },
        );
    }
}

#[test]
fn nothing_to_write_is_not_sent() {
    with(
        |_| never(),
        |options| options,
        |mock, client| async move {
            let call = CallOptions::none().begin("mutation", "t").unwrap();
            assert!(client.mutate_rows(MutateRowsRequest::default(), &call).await.unwrap().is_empty());
            assert!(mock.asked().is_empty());
        },
    );
}

#[test]
fn a_write_ends_with_its_last_entry() {
    let entries = vec![mutate_rows_response::Entry { index: 0, status: None }];
    let response = MutateRowsResponse { entries, rate_limit_info: None };
    with(
        move |_| messages([response.clone()], End::Never),
        |options| options,
        |_, client| async move {
            let call = CallOptions::none().begin("mutation", "t").unwrap();
            let request = MutateRowsRequest { entries: vec![Entry::default()], ..Default::default() };
            assert!(client.mutate_rows(request, &call).await.unwrap().is_empty());
        },
    );
}

#[test]
fn outside_a_runtime_there_is_no_client() {
    let error = Client::new(&options("127.0.0.1:1")).unwrap_err();
    assert!(error.to_string().contains("runtime"), "{error}");
}
