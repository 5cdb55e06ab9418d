//! Proxies and load balancers that answer in the server's place, with pages.

use std::time::Duration;

use rowkey::store::CallOptions;
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::{
    MutateRowRequest, MutateRowResponse, ReadModifyWriteRowRequest, ReadRowsRequest, ReadRowsResponse,
};
use rowkey_bigtable::{BigtableError, BigtableOptions};
use rowkey_bigtable_testkit::answers::{End, messages, page};
use rowkey_bigtable_testkit::{Answer, Asked, Mock};
use tonic::Code;

const PAGE: &str = "<html><head><title>Bad gateway</title></head></html>";
const HTML: (&str, &str) = ("content-type", "text/html; charset=utf-8");
const PATIENT: Duration = Duration::from_secs(600);

async fn client(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static, retry_for: Duration) -> (Mock, Client) {
    let (mock, address) = Mock::start(answer).await;
    (mock, Client::new(&BigtableOptions::new("p", "i").emulator(address).retry_for(retry_for)).unwrap())
}

async fn put(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("mutation", "t").unwrap();
    client.mutate_row(MutateRowRequest::default(), &call).await
}

async fn add(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("increment", "t").unwrap();
    client.read_modify_write_row(ReadModifyWriteRowRequest::default(), &call).await.map(drop)
}

async fn read(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("scan", "t").unwrap();
    client.read_rows(ReadRowsRequest::default()).next(&call).await.map(drop)
}

fn code_of(error: &Error) -> Option<Code> {
    error.engine_error::<BigtableError>().map(|error: &BigtableError| error.status().code())
}

fn done(asked: &Asked) -> Answer {
    match asked.method.as_str() {
        "ReadRows" => messages(Vec::<ReadRowsResponse>::new(), End::of(Code::Ok)),
        _ => messages([MutateRowResponse {}], End::of(Code::Ok)),
    }
}

/// Ends of a page: as a proxy means it, cut, and one that never comes.
fn ends() -> [End; 3] {
    [End::Trailers(vec![]), End::Reset, End::Never]
}

#[tokio::test]
async fn a_proxy_that_is_busy_is_asked_again() {
    for status in [429, 502, 503, 504] {
        for end in ends() {
            let busy = move |asked: &Asked| match asked.number {
                0 => page(status, &[HTML], PAGE, end.clone()),
                _ => done(asked),
            };
            let (mock, client) = client(busy, PATIENT).await;
            put(&client).await.unwrap();
            read(&client).await.unwrap();
            assert_eq!(mock.asked().len(), 4, "{status}");
            // The proxy does not say whether the server had it.
            let (mock, client) = self::client(move |_| page(status, &[HTML], PAGE, End::Never), PATIENT).await;
            let error = add(&client).await.unwrap_err();
            assert_eq!(
                (error.kind(), code_of(&error)),
                (ErrorKind::OutcomeUnknown, Some(Code::Unavailable)),
                "{error}"
            );
            let said = error.engine_error::<BigtableError>().unwrap().message();
            assert!(said.contains(&format!("HTTP {status}")), "{said}");
            assert_eq!(mock.asked().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_page_is_an_error_of_its_status() {
    let grpc = ("content-type", "application/grpc");
    for (status, content_type, code, kind) in [
        (200, HTML, Code::Unknown, ErrorKind::OutcomeUnknown),
        (301, HTML, Code::Unknown, ErrorKind::OutcomeUnknown),
        (400, HTML, Code::Internal, ErrorKind::OutcomeUnknown),
        (401, HTML, Code::Unauthenticated, ErrorKind::PermissionDenied),
        (403, HTML, Code::PermissionDenied, ErrorKind::PermissionDenied),
        (403, grpc, Code::PermissionDenied, ErrorKind::PermissionDenied),
        (404, HTML, Code::Unimplemented, ErrorKind::Unsupported),
        (500, HTML, Code::Unknown, ErrorKind::OutcomeUnknown),
    ] {
        for end in ends() {
            let (mock, client) = client(move |_| page(status, &[content_type], PAGE, end.clone()), PATIENT).await;
            for error in [put(&client).await, add(&client).await] {
                let error = error.unwrap_err();
                assert_eq!((error.kind(), code_of(&error)), (kind, Some(code)), "{status}: {error}");
            }
            assert_eq!(read(&client).await.map_err(|error| code_of(&error)), Err(Some(code)), "{status}");
            assert_eq!(mock.asked().len(), 3, "{status} is not repeated");
        }
    }
}

#[tokio::test]
async fn what_a_page_says_in_grpc_goes_first() {
    for (status, said, code) in [
        (503, "8", Code::ResourceExhausted),
        (200, "7", Code::PermissionDenied),
        // No page is a success.
        (403, "0", Code::PermissionDenied),
        (200, "0", Code::Ok),
    ] {
        let answer = move |_: &Asked| page(status, &[HTML, ("grpc-status", said)], PAGE, End::Never);
        let (_, client) = client(answer, PATIENT).await;
        let written = tokio::time::timeout(PATIENT, put(&client)).await.unwrap();
        match (code, written) {
            (Code::Ok, written) => assert!(written.is_err(), "{said}"),
            (code, written) => {
                assert_eq!(written.map_err(|error| code_of(&error)), Err(Some(code)), "{status}, {said}")
            }
        }
    }
}

#[tokio::test]
async fn a_proxy_that_stays_busy_is_an_error_that_says_so() {
    let (mock, client) = client(|_| page(503, &[HTML], PAGE, End::Never), Duration::from_millis(100)).await;
    let error = read(&client).await.unwrap_err();
    assert_eq!((error.kind(), code_of(&error)), (ErrorKind::Busy, Some(Code::Unavailable)), "{error}");
    assert!(error.to_string().contains("HTTP 503") && error.to_string().contains("text/html"), "{error}");
    assert!(mock.asked().len() > 1);
}
