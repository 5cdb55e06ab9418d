//! Access tokens: how calls wait for them, and what they are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use rowkey::store::CallOptions;
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::mutate_rows_request::Entry;
use rowkey_bigtable::client::proto::mutation::{Mutation as Edit, SetCell};
use rowkey_bigtable::client::proto::{
    MutateRowRequest, MutateRowResponse, MutateRowsRequest, MutateRowsResponse, Mutation, ReadModifyWriteRowRequest,
    ReadRowsRequest, ReadRowsResponse, RpcStatus, SampleRowKeysRequest, mutate_rows_response,
};
use rowkey_bigtable::{BigtableError, BigtableOptions, Credentials, Token, TokenError};
use rowkey_bigtable_testkit::answers::{End, messages, status};
use rowkey_bigtable_testkit::{Answer, Asked, Authority, Mock};
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::Code;

/// Only a call that hangs takes as long.
const HANGS: Duration = Duration::from_secs(120);

/// A server, and options of a client of it whose tokens `provider` gives.
async fn serving(
    answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    credentials: Credentials,
) -> (Mock, BigtableOptions) {
    let authority = Authority::new();
    let (mock, endpoint) = Mock::start_tls(&authority, answer).await;
    let options = BigtableOptions::new("p", "i").without_emulator().endpoint(&endpoint).admin_endpoint(&endpoint);
    (mock, options.ca_certificate(authority.pem()).credentials(credentials))
}

/// A provider that counts its fetches.
fn counted<R: Future<Output = Result<Token, TokenError>> + Send + 'static>(
    fetch: impl Fn(usize) -> R + Send + Sync + 'static,
) -> (Credentials, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&count);
    (Credentials::provider(move || fetch(counting.fetch_add(1, Ordering::AcqRel))), count)
}

fn numbered(number: usize) -> Token {
    Token::new(format!("t{number}")).expires_in(Duration::from_secs(3600))
}

fn fine(asked: &Asked) -> Answer {
    let ok = End::of(Code::Ok);
    match asked.method.as_str() {
        "ReadRows" => messages([ReadRowsResponse::default()], ok),
        "MutateRows" => {
            let entry = mutate_rows_response::Entry { index: 0, status: Some(RpcStatus::default()) };
            messages([MutateRowsResponse { entries: vec![entry], ..Default::default() }], ok)
        }
        _ => messages([MutateRowResponse {}], ok),
    }
}

/// Takes no token but this.
fn only(token: &'static str) -> impl Fn(&Asked) -> Answer + Send + Sync + 'static {
    move |asked| match asked.headers["authorization"] == format!("Bearer {token}") {
        true => fine(asked),
        false => status(Code::Unauthenticated, "the token was revoked"),
    }
}

async fn put(client: &Client, options: &CallOptions) -> Result<(), Error> {
    let call = options.begin("put", "t").unwrap();
    timeout(HANGS, client.mutate_row(MutateRowRequest::default(), &call)).await.expect("the call hangs")
}

async fn read(client: &Client) -> Result<(), Error> {
    let options = CallOptions::none();
    let call = options.begin("scan", "t").unwrap();
    let mut rows = client.read_rows(ReadRowsRequest::default());
    timeout(HANGS, rows.next(&call)).await.expect("the call hangs").map(drop)
}

async fn put_many(client: &Client) -> Result<(), Error> {
    let options = CallOptions::none();
    let call = options.begin("put", "t").unwrap();
    let cell = SetCell { timestamp_micros: 1000, ..SetCell::default() };
    let mutations = vec![Mutation { mutation: Some(Edit::SetCell(cell)) }];
    let entries = vec![Entry { row_key: b"a".to_vec(), mutations, ..Entry::default() }];
    let request = MutateRowsRequest { entries, ..MutateRowsRequest::default() };
    let failed = timeout(HANGS, client.mutate_rows(request, &call)).await.expect("the call hangs")?;
    failed.into_iter().next().map_or(Ok(()), |failed| Err(failed.error))
}

async fn add(client: &Client) -> Result<(), Error> {
    let options = CallOptions::none();
    let call = options.begin("increment", "t").unwrap();
    let adding = client.read_modify_write_row(ReadModifyWriteRowRequest::default(), &call);
    timeout(HANGS, adding).await.expect("the call hangs").map(drop)
}

#[tokio::test]
async fn calls_that_are_shorter_than_a_fetch_end_and_the_fetch_goes_on() {
    let (open, gate) = watch::channel(false);
    let (credentials, fetches) = counted(move |number| {
        let mut gate = gate.clone();
        async move {
            gate.wait_for(|is_open| *is_open).await.map_err(TokenError::unavailable)?;
            Ok(numbered(number))
        }
    });
    let (mock, options) = serving(fine, credentials).await;
    let client = Client::new(&options).unwrap();
    let short = CallOptions::new().timeout(Duration::from_millis(20));
    for ended in join_all((0..25).map(|_| put(&client, &short))).await {
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::DeadlineExceeded);
    }
    assert!(mock.asked().is_empty());
    open.send(true).unwrap();
    for done in join_all((0..25).map(|_| put(&client, CallOptions::none()))).await {
        done.unwrap();
    }
    assert_eq!(fetches.load(Ordering::Acquire), 1);
    assert!(mock.asked().iter().all(|asked| asked.headers["authorization"] == "Bearer t0"));
}

#[tokio::test]
async fn calls_with_slow_tokens_succeed_after_the_first_fetch() {
    let (credentials, fetches) = counted(|number| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok(numbered(number))
    });
    let (_, options) = serving(fine, credentials).await;
    let client = Client::new(&options).unwrap();
    // A slow machine needs more time for each call. Whose fetch ends with its call would begin another one.
    let mut time = Duration::from_millis(200);
    while put(&client, &CallOptions::new().timeout(time)).await.is_err() {
        time += Duration::from_millis(20);
    }
    for _ in 0..25 {
        put(&client, CallOptions::none()).await.unwrap();
    }
    assert_eq!(fetches.load(Ordering::Acquire), 1);
}

#[tokio::test]
async fn a_token_that_is_refused_is_replaced_and_the_call_repeated() {
    for at in 0..4 {
        let (credentials, fetches) = counted(|number| async move { Ok(numbered(number)) });
        let (mock, options) = serving(only("t1"), credentials).await;
        // No time for other repetitions.
        let client = Client::new(&options.retry_for(Duration::from_secs(10))).unwrap();
        match at {
            0 => put(&client, CallOptions::none()).await.unwrap(),
            1 => read(&client).await.unwrap(),
            2 => put_many(&client).await.unwrap(),
            // It was refused, and so it was not added.
            _ => add(&client).await.unwrap(),
        }
        assert_eq!((mock.asked().len(), fetches.load(Ordering::Acquire)), (2, 2), "{at}");
    }
}

#[tokio::test]
async fn calls_at_once_whose_token_is_refused_have_one_new_token() {
    let (credentials, fetches) = counted(|number| async move { Ok(numbered(number)) });
    let (_, options) = serving(only("t1"), credentials).await;
    let client = Client::new(&options).unwrap();
    for done in join_all((0..25).map(|_| put(&client, CallOptions::none()))).await {
        done.unwrap();
    }
    assert_eq!(fetches.load(Ordering::Acquire), 2);
}

#[tokio::test]
async fn a_service_that_refuses_every_token_is_asked_twice_by_a_call() {
    let (credentials, fetches) = counted(|number| async move { Ok(numbered(number)) });
    let (mock, options) = serving(only("another one"), credentials).await;
    let client = Client::new(&options).unwrap();
    let error = put(&client, CallOptions::none()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("the token was revoked"), "{error}");
    assert_eq!((mock.asked().len(), fetches.load(Ordering::Acquire)), (2, 2));
    for _ in 0..25 {
        put(&client, CallOptions::none()).await.unwrap_err();
    }
    let fetched = fetches.load(Ordering::Acquire);
    assert!(fetched <= 6, "{fetched} tokens for a service that refuses all");
}

#[tokio::test]
async fn a_failure_that_passes_is_busy_and_says_why() {
    let (credentials, fetches) = counted(|_| async { Err(TokenError::unavailable("503 of the endpoint")) });
    let (_, options) = serving(fine, credentials).await;
    let client = Client::new(&options.clone().retry_for(Duration::from_millis(200))).unwrap();
    let error = put(&client, CallOptions::none()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
    assert!(error.to_string().contains("no access token: 503 of the endpoint"), "{error}");
    let of_call = error.engine_error::<BigtableError>().unwrap();
    assert!(fetches.load(Ordering::Acquire) <= of_call.attempts() as usize);
    // A call with a deadline says it too.
    let client = Client::new(&options).unwrap();
    let error = put(&client, &CallOptions::new().timeout(Duration::from_secs(1))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
    assert!(error.to_string().contains("503 of the endpoint"), "{error}");
    let many = CallOptions::new().timeout(Duration::from_secs(1));
    let error = client.mutate_rows(one_entry(), &many.begin("put", "t").unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
    assert!(error.to_string().contains("503 of the endpoint"), "{error}");
}

/// Every kind of call says for how long, at the end of its attempts and at its own end.
#[tokio::test]
async fn a_token_that_does_not_come_is_named() {
    let (credentials, fetches) = counted(|_| std::future::pending());
    let (mock, options) = serving(fine, credentials).await;
    let short = Duration::from_millis(20);
    let client = Client::new(&options.attempt_timeout(short).retry_for(5 * short)).unwrap();
    let sampled = async |options: &CallOptions| {
        let call = options.begin("split points", "t").unwrap();
        client.sample_row_keys(SampleRowKeysRequest::default(), &call).await.map(drop)
    };
    let none = CallOptions::none();
    let late = [put(&client, none).await, read(&client).await, put_many(&client).await, add(&client).await];
    for ended in late.into_iter().chain([sampled(none).await]) {
        let error = ended.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
        assert!(error.to_string().contains("Unavailable: no access token: being fetched for "), "{error}");
    }
    let bounded = CallOptions::new().timeout(short / 2);
    let scanned = async {
        let mut rows = client.read_rows(ReadRowsRequest::default());
        rows.next(&bounded.begin("scan", "t").unwrap()).await.map(drop)
    };
    let call = bounded.begin("put", "t").unwrap();
    let many = async { client.mutate_rows(one_entry(), &call).await.map(drop) };
    for ended in [many.await, put(&client, &bounded).await, scanned.await, sampled(&bounded).await] {
        let error = ended.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
        assert!(error.to_string().contains("no access token: being fetched for"), "{error}");
    }
    assert_eq!((fetches.load(Ordering::Acquire), mock.asked().len()), (1, 0));
}

fn one_entry() -> MutateRowsRequest {
    let entries = vec![Entry { row_key: b"a".to_vec(), ..Entry::default() }];
    MutateRowsRequest { entries, ..MutateRowsRequest::default() }
}

#[tokio::test]
async fn a_failure_that_passes_is_waited_for() {
    let (credentials, fetches) = counted(|number| async move {
        match number {
            ..3 => Err(TokenError::unavailable("503")),
            _ => Ok(numbered(number)),
        }
    });
    let (_, options) = serving(fine, credentials).await;
    let client = Client::new(&options).unwrap();
    for done in join_all((0..25).map(|_| put(&client, CallOptions::none()))).await {
        done.unwrap();
    }
    // Neither are increments that wait for a token lost.
    add(&client).await.unwrap();
    assert_eq!(fetches.load(Ordering::Acquire), 4);
}

#[tokio::test]
async fn a_failure_that_lasts_is_told_at_once() {
    for kind in [ErrorKind::PermissionDenied, ErrorKind::Unsupported, ErrorKind::InvalidInput, ErrorKind::Other] {
        let (credentials, fetches) = counted(move |_| async move { Err(TokenError::new(kind, "it is so")) });
        let (mock, options) = serving(fine, credentials).await;
        let client = Client::new(&options).unwrap();
        for ended in join_all((0..25).map(|_| put(&client, CallOptions::none()))).await {
            let error = ended.unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains("it is so"), "{error}");
            assert_eq!(error.engine_error::<BigtableError>().unwrap().attempts(), 1);
        }
        assert!(fetches.load(Ordering::Acquire) > 0 && mock.asked().is_empty());
    }
}
