//! TLS: an authority of one's own, endpoints of one's own, and what no attempt mends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rowkey::store::CallOptions;
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::{MutateRowRequest, MutateRowResponse, ReadRowsRequest, ReadRowsResponse};
use rowkey_bigtable::{BigtableError, BigtableOptions, Credentials, Token};
use rowkey_bigtable_testkit::answers::{End, messages};
use rowkey_bigtable_testkit::{Answer, Asked, Authority, Mock, TokenServer};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::Code;

/// A call that is repeated takes longer.
const RETRIES: Duration = Duration::from_secs(600);
/// Only a call that is repeated, or hangs, takes as long.
const HANGS: Duration = Duration::from_secs(120);

fn options(endpoint: &str) -> BigtableOptions {
    let options = BigtableOptions::new("p", "i").without_emulator().endpoint(endpoint).admin_endpoint(endpoint);
    options.retry_for(RETRIES).credentials(Credentials::anonymous())
}

fn answer(asked: &Asked) -> Answer {
    if asked.method != "ReadRows" {
        return messages([MutateRowResponse {}], End::of(Code::Ok));
    }
    let chunk = CellChunk {
        row_key: b"a".to_vec(),
        family_name: Some("f".to_owned()),
        qualifier: Some(b"q".to_vec()),
        row_status: Some(RowStatus::CommitRow(true)),
        ..CellChunk::default()
    };
    messages([ReadRowsResponse { chunks: vec![chunk], ..ReadRowsResponse::default() }], End::of(Code::Ok))
}

async fn put(client: &Client) -> Result<(), Error> {
    let options = CallOptions::none();
    let call = options.begin("put", "t").unwrap();
    timeout(HANGS, client.mutate_row(MutateRowRequest::default(), &call)).await.expect("the call is repeated")
}

async fn read(client: &Client) -> Result<usize, Error> {
    let (options, mut rows, mut count) = (CallOptions::none(), client.read_rows(ReadRowsRequest::default()), 0);
    let call = options.begin("scan", "t").unwrap();
    while timeout(HANGS, rows.next(&call)).await.expect("the call is repeated")?.is_some() {
        count += 1;
    }
    Ok(count)
}

fn assert_refused(error: &Error, words: &[&str]) {
    assert_eq!(error.kind(), ErrorKind::Other, "{error}");
    assert_eq!(error.engine_error::<BigtableError>().unwrap().attempts(), 1, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}

#[tokio::test]
async fn a_server_under_an_authority_of_ones_own_is_reached() {
    let authority = Authority::new();
    let (mock, endpoint) = Mock::start_tls(&authority, answer).await;
    let client = Client::new(&options(&endpoint).ca_certificate(authority.pem())).unwrap();
    put(&client).await.unwrap();
    assert_eq!(read(&client).await.unwrap(), 1);
    assert!(mock.asked().iter().all(|asked| !asked.headers.contains_key("authorization")));
    // One of several, and in one text with others.
    let several = format!("{}{}", Authority::new().pem(), authority.pem());
    put(&Client::new(&options(&endpoint).ca_certificate(several)).unwrap()).await.unwrap();
    // A name that the certificate has.
    let by_name = endpoint.replace("127.0.0.1", "localhost");
    put(&Client::new(&options(&by_name).ca_certificate(authority.pem())).unwrap()).await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_trusted_is_refused_at_once() {
    let (mock, endpoint) = Mock::start_tls(&Authority::new(), answer).await;
    for options in [options(&endpoint), options(&endpoint).ca_certificate(Authority::new().pem())] {
        let client = Client::new(&options).unwrap();
        assert_refused(&put(&client).await.unwrap_err(), &["invalid peer certificate"]);
        assert_refused(&read(&client).await.unwrap_err(), &["invalid peer certificate"]);
        let call = CallOptions::none();
        let call = call.begin("increment", "t").unwrap();
        let added = client.read_modify_write_row(Default::default(), &call).await.unwrap_err();
        assert_refused(&added, &["invalid peer certificate"]);
    }
    assert!(mock.asked().is_empty());
}

#[tokio::test]
async fn a_certificate_of_another_name_is_refused_at_once() {
    let authority = Authority::of(&["another.example"]);
    let (_, endpoint) = Mock::start_tls(&authority, answer).await;
    let client = Client::new(&options(&endpoint).ca_certificate(authority.pem())).unwrap();
    assert_refused(&put(&client).await.unwrap_err(), &["invalid peer certificate", "another.example"]);
}

#[tokio::test]
async fn a_server_without_tls_is_refused_at_once() {
    let (_, address) = Mock::start(answer).await;
    let client = Client::new(&options(&format!("https://{address}"))).unwrap();
    assert_refused(&put(&client).await.unwrap_err(), &["corrupt message"]);
}

#[tokio::test]
async fn a_token_endpoint_that_is_not_trusted_is_refused_at_once() {
    let authority = Authority::new();
    let (mock, endpoint) = Mock::start_tls(&authority, answer).await;
    let give = |_: &_| -> rowkey_bigtable_testkit::Given { Box::pin(async { (200, String::new()) }) };
    let (server, address) = TokenServer::start_tls(&Authority::new(), give).await;
    let user = format!(
        r#"{{"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r",
             "token_uri": "https://{address}/token"}}"#
    );
    let options = options(&endpoint).ca_certificate(authority.pem()).credentials(Credentials::json(user));
    let client = Client::new(&options).unwrap();
    assert_refused(&put(&client).await.unwrap_err(), &["no access token", &address, "invalid peer certificate"]);
    assert!(mock.asked().is_empty() && server.wanted().is_empty());
}

#[tokio::test]
async fn requests_over_tls_have_the_providers_token() {
    let authority = Authority::new();
    let (mock, endpoint) = Mock::start_tls(&authority, answer).await;
    let token = || async { Ok(Token::new("secret").quota_project("billed")) };
    let options = options(&endpoint).ca_certificate(authority.pem()).credentials(Credentials::provider(token));
    put(&Client::new(&options).unwrap()).await.unwrap();
    for project in ["other", ""] {
        put(&Client::new(&options.clone().quota_project(project)).unwrap()).await.unwrap();
    }
    let said: Vec<_> = mock.asked().iter().map(|asked| asked.headers.clone()).collect();
    assert!(said.iter().all(|headers| headers["authorization"] == "Bearer secret"));
    assert!(said[0]["x-goog-user-project"] == "billed" && said[1]["x-goog-user-project"] == "other");
    assert!(!said[2].contains_key("x-goog-user-project"));
}

#[tokio::test]
async fn a_handshake_that_is_longer_than_calls_goes_on_after_them() {
    let authority = Authority::new();
    let (_, endpoint) = Mock::start_tls(&authority, answer).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let slow = format!("https://{}", listener.local_addr().unwrap());
    let (open, gate) = watch::channel(false);
    let taken = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&taken);
    let target = endpoint.strip_prefix("https://").unwrap().to_owned();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            counting.fetch_add(1, Ordering::AcqRel);
            let (mut gate, target) = (gate.clone(), target.clone());
            tokio::spawn(async move {
                gate.wait_for(|is_open| *is_open).await.unwrap();
                let mut server = TcpStream::connect(target).await.unwrap();
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    // No connect timeout of its own: it would be another connection.
    let options = options(&slow).ca_certificate(authority.pem()).connections(1).connect_timeout(RETRIES);
    let client = Client::new(&options).unwrap();
    let short = CallOptions::new().timeout(Duration::from_millis(20));
    for _ in 0..25 {
        let call = short.begin("put", "t").unwrap();
        let late = client.mutate_row(MutateRowRequest::default(), &call).await.unwrap_err();
        assert_eq!(late.kind(), ErrorKind::DeadlineExceeded, "{late}");
    }
    open.send(true).unwrap();
    put(&client).await.unwrap();
    assert_eq!(taken.load(Ordering::Acquire), 1);
}
