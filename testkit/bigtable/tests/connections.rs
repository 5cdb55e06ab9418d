//! The connections of a client: how they are shared, replaced, waited for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use rowkey::ErrorKind;
use rowkey::store::CallOptions;
use rowkey_bigtable::BigtableOptions;
use rowkey_bigtable::client::proto::mutate_rows_request::Entry;
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::{
    CheckAndMutateRowRequest, MutateRowRequest, MutateRowResponse, MutateRowsRequest, ReadRowsRequest, ReadRowsResponse,
};
use rowkey_bigtable::client::{Client, RowStream};
use rowkey_bigtable_testkit::answers::{End, counted, messages, never};
use rowkey_bigtable_testkit::{Answer, Asked, Mock};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tonic::Code;

const SHORT: Duration = Duration::from_millis(300);
/// Longer than a busy machine takes.
const PATIENT: Duration = Duration::from_secs(600);

fn options(address: &str) -> BigtableOptions {
    BigtableOptions::new("p", "i").emulator(address).retry_for(PATIENT)
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENT, waiting).await.unwrap_or_else(|_| panic!("{what}"));
}

fn row(key: String) -> ReadRowsResponse {
    let chunk = CellChunk {
        row_key: key.into(),
        family_name: Some("f".to_owned()),
        qualifier: Some(b"q".to_vec()),
        row_status: Some(RowStatus::CommitRow(true)),
        ..CellChunk::default()
    };
    ReadRowsResponse { chunks: vec![chunk], ..ReadRowsResponse::default() }
}

async fn next(rows: &mut RowStream) -> Option<Vec<u8>> {
    let call = CallOptions::none().begin("scan", "t").unwrap();
    rows.next(&call).await.unwrap().map(|row| row.key)
}

async fn read(client: &Client) -> usize {
    let (mut rows, mut count) = (client.read_rows(ReadRowsRequest::default()), 0);
    while next(&mut rows).await.is_some() {
        count += 1;
    }
    count
}

/// The connections that requests of a method came on.
fn used(method: &str, mock: &Mock) -> BTreeSet<String> {
    let asked = mock.asked().into_iter().filter(|asked| asked.method == method);
    asked.map(|asked| asked.from.unwrap().to_string()).collect()
}

fn one_row(asked: &Asked) -> Answer {
    match asked.method.as_str() {
        "ReadRows" => messages([row("a".to_owned())], End::of(Code::Ok)),
        _ => messages([MutateRowResponse {}], End::of(Code::Ok)),
    }
}

#[tokio::test]
async fn connections_are_shared_and_replaced() {
    let slow = |asked: &Asked| -> Answer {
        let answer = one_row(asked);
        Box::pin(async move {
            sleep(SHORT / 3).await;
            answer.await
        })
    };
    let (mock, address) = Mock::start(slow).await;
    let client = Client::new(&options(&address).connections(3).connection_age(SHORT).scan_memory(usize::MAX)).unwrap();
    let six = || join_all((0..6).map(|_| read(&client)));
    six().await;
    assert_eq!(used("ReadRows", &mock).len(), 3, "six requests at once use three connections");
    // Old ones are replaced by new ones, which were warmed; nothing that runs is broken.
    while used("ReadRows", &mock).len() <= 3 {
        assert_eq!(six().await, [1; 6]);
    }
    let (all, warmed) = (used("ReadRows", &mock), used("PingAndWarm", &mock));
    assert!(all.difference(&warmed).count() <= 3, "only the first three were not warmed: {all:?}, {warmed:?}");
}

#[tokio::test]
async fn a_scan_ends_on_the_connection_on_which_it_began() {
    let rows = |asked: &Asked| match asked.method.as_str() {
        // More than a stream's window.
        "ReadRows" => messages((0..12_000).map(|n| row(format!("{n:06}"))), End::of(Code::Ok)),
        _ => messages([MutateRowResponse {}], End::of(Code::Ok)),
    };
    let (mock, address) = Mock::start(rows).await;
    let client = Client::new(&options(&address).connections(1).connection_age(SHORT)).unwrap();
    let mut old = client.read_rows(ReadRowsRequest::default());
    next(&mut old).await.unwrap();
    let mut others = 0;
    while used("PingAndWarm", &mock).is_empty() {
        assert_eq!(read(&client).await, 12_000);
        others += 1;
    }
    let mut count = 1;
    while next(&mut old).await.is_some() {
        count += 1;
    }
    assert_eq!(count, 12_000);
    let scans = mock.asked().into_iter().filter(|asked| asked.method == "ReadRows");
    assert_eq!(scans.count(), 1 + others, "no scan had to go on after a break");
}

#[tokio::test]
async fn an_old_connection_is_kept_if_there_is_no_new_one() {
    let (mock, address) = Mock::start(one_row).await;
    // A proxy that takes one connection, and then closes all.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap().to_string();
    let closed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&closed);
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut server = TcpStream::connect(address).await.unwrap();
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
        while listener.accept().await.is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let client = Client::new(&options(&proxy).connections(1).connection_age(SHORT / 10)).unwrap();
    while closed.load(Ordering::Relaxed) < 2 {
        assert_eq!(read(&client).await, 1);
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(read(&client).await, 1);
    assert_eq!(used("ReadRows", &mock).len(), 1);
}

/// A listener that nobody accepts connections of, and connections that fill its queue: another one waits.
async fn full_queue() -> (TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let (mut queue, mut waited) = (Vec::new(), 0);
    // One that waits once may be late.
    while waited < 4 {
        match timeout(SHORT, TcpStream::connect(address)).await {
            Ok(stream) => (queue.push(stream.unwrap()), waited = 0).1,
            Err(_) => waited += 1,
        }
        assert!(queue.len() < 100, "the queue of a listener has an end");
    }
    (listener, queue)
}

#[tokio::test]
async fn what_waits_for_a_connection_is_not_written() {
    let (listener, _queue) = full_queue().await;
    let client = Client::new(&options(&listener.local_addr().unwrap().to_string())).unwrap();
    let late = CallOptions::new().timeout(SHORT);
    let call = || late.begin("mutation", "t").unwrap();
    let error = client.mutate_row(MutateRowRequest::default(), &call()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
    let error = client.check_and_mutate_row(CheckAndMutateRowRequest::default(), &call()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
    let request = MutateRowsRequest { entries: vec![Entry::default(); 2], ..Default::default() };
    let error = client.mutate_rows(request, &call()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
}

#[tokio::test]
async fn an_attempt_that_is_not_sent_is_made_again_even_of_an_increment() {
    // The first connection hangs, as nothing accepts it; the listener is served only after an attempt.
    let (listener, queue) = full_queue().await;
    let address = listener.local_addr().unwrap();
    let (_, server) = Mock::start(one_row).await;
    tokio::spawn(async move {
        sleep(SHORT * 8).await;
        drop(queue);
        while let Ok((mut client, _)) = listener.accept().await {
            let server = server.clone();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    let patient = options(&address.to_string()).attempt_timeout(SHORT * 6);
    let client = Client::new(&patient).unwrap();
    let call = CallOptions::none().begin("check-and-mutate", "t").unwrap();
    client.check_and_mutate_row(CheckAndMutateRowRequest::default(), &call).await.unwrap();
}

// The connection has threads of its own: on a busy machine, its pings wait for the scans on one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scans_that_are_not_read_do_not_close_their_connection() {
    const ROWS: usize = 12_000;
    const SCANS: usize = 20;
    /// Of a stream. All rows are more.
    const WINDOW: usize = 256 << 10;
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let rows = move |_: &Asked| counted((0..ROWS).map(|n| row(format!("{n:06}"))), &count, End::of(Code::Ok));
    let (mock, address) = Mock::start(rows).await;
    let client = Client::new(&options(&address).connections(1).scan_memory(usize::MAX)).unwrap();
    let mut scans: Vec<_> = (0..SCANS).map(|_| client.read_rows(ReadRowsRequest::default())).collect();
    for scan in &mut scans {
        next(scan).await.unwrap();
    }
    // The bytes that fit into the windows come meanwhile.
    until("the windows are full", || sent.load(Ordering::Relaxed) >= SCANS * WINDOW).await;
    let counts = join_all(scans.iter_mut().map(async |scan| {
        let mut count = 1;
        while next(scan).await.is_some() {
            count += 1;
        }
        count
    }));
    assert_eq!(counts.await, [ROWS; SCANS]);
    assert_eq!(mock.asked().len(), SCANS, "no scan had to go on after a break");
}

#[tokio::test]
async fn full_connections_get_another_one_beside_them() {
    let open = |_: &Asked| messages([row("a".to_owned())], End::Never);
    let (mock, address) = Mock::start(open).await;
    let client = Client::new(&options(&address).connections(1).scan_memory(usize::MAX)).unwrap();
    let mut scans: Vec<_> = (0..250).map(|_| client.read_rows(ReadRowsRequest::default())).collect();
    for scan in &mut scans {
        next(scan).await.unwrap();
    }
    assert_eq!(used("ReadRows", &mock).len(), 3);
}

#[tokio::test]
async fn a_request_that_is_dropped_is_dropped_on_the_server() {
    let (mock, address) = Mock::start(|_| never()).await;
    let client = Client::new(&options(&address)).unwrap();
    let call = CallOptions::none().begin("mutation", "t").unwrap();
    let put = client.mutate_row(MutateRowRequest::default(), &call);
    let scan = async { next(&mut client.read_rows(ReadRowsRequest::default())).await };
    tokio::select! {
        answer = async { tokio::join!(put, scan) } => panic!("{answer:?}"),
        () = until("both are asked for", || mock.asked().len() == 2) => {}
    }
    until("both are given up", || mock.in_flight() == 0).await;
}

/// A request that is lost in it ends with its last handle.
#[test]
fn a_connection_that_was_closed_is_let_go() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (of_server, of_client) = (runtime(), runtime());
    let (_mock, address) = of_server.block_on(Mock::start(one_row));
    of_client.block_on(async {
        let client = Client::new(&options(&address).connections(1)).unwrap();
        assert_eq!(read(&client).await, 1);
        let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        assert!(tasks() > 0, "there is a connection");
        of_server.shutdown_background();
        until("a closed connection has no tasks", || tasks() == 0).await;
    });
}

#[test]
fn connections_outlive_the_runtime_of_who_uses_them_first() {
    let own = tokio::runtime::Runtime::new().unwrap();
    let answer = |_: &Asked| messages([MutateRowResponse::default()], End::of(Code::Ok));
    let (_mock, address) = own.block_on(Mock::start(answer));
    let client = own.block_on(async { Client::new(&options(&address)) }).unwrap();
    let put = async || {
        let call = CallOptions::none().begin("mutation", "t").unwrap();
        client.mutate_row(MutateRowRequest::default(), &call).await.unwrap();
    };
    // All places of connections are used in turn.
    let other = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    other.block_on(async {
        for _ in 0..8 {
            put().await;
        }
    });
    drop(other);
    own.block_on(async {
        for _ in 0..8 {
            put().await;
        }
    });
}
