//! The connections of a client: how they are shared, replaced, waited for.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

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
use rowkey_bigtable_testkit::answers::{End, messages, never};
use rowkey_bigtable_testkit::{Answer, Asked, Mock};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tonic::Code;

const SHORT: Duration = Duration::from_millis(300);

fn options(address: &str) -> BigtableOptions {
    BigtableOptions::new("p", "i").emulator(address).retry_for(Duration::from_secs(5))
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
    let client = Client::new(&options(&address).connections(3).connection_age(SHORT)).unwrap();
    let six = || join_all((0..6).map(|_| read(&client)));
    six().await;
    assert_eq!(used("ReadRows", &mock).len(), 3, "six requests at once use three connections");
    // Old ones are replaced by new ones, which were warmed; nothing that runs is broken.
    for _ in 0..8 {
        assert_eq!(six().await, [1; 6]);
    }
    let (all, warmed) = (used("ReadRows", &mock), used("PingAndWarm", &mock));
    assert!(all.len() > 3, "{all:?}");
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
    sleep(SHORT * 2).await;
    while used("PingAndWarm", &mock).is_empty() {
        assert_eq!(read(&client).await, 12_000);
    }
    let mut count = 1;
    while next(&mut old).await.is_some() {
        count += 1;
    }
    assert_eq!(count, 12_000);
    let scans = used("ReadRows", &mock);
    assert!((1..=2).contains(&scans.len()), "{scans:?}");
}

#[tokio::test]
async fn an_old_connection_is_kept_if_there_is_no_new_one() {
    let (mock, address) = Mock::start(one_row).await;
    // A proxy that takes one connection, and then refuses all.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        drop(listener);
        let mut server = TcpStream::connect(address).await.unwrap();
        tokio::io::copy_bidirectional(&mut client, &mut server).await
    });
    let client = Client::new(&options(&proxy).connections(1).connection_age(SHORT / 10)).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < SHORT * 5 {
        assert_eq!(read(&client).await, 1);
        sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(used("ReadRows", &mock).len(), 1);
}

#[tokio::test]
async fn what_waits_for_a_connection_is_not_written() {
    // A listener with a full queue: connecting to it hangs.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(stream) = timeout(SHORT, TcpStream::connect(address)).await {
        queue.push(stream.unwrap());
        assert!(queue.len() < 100, "the queue of a listener has an end");
    }
    let client = Client::new(&options(&address.to_string())).unwrap();
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
    // The first connection hangs, as nothing accepts it; the listener is served only later.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(stream) = timeout(SHORT, TcpStream::connect(address)).await {
        queue.push(stream.unwrap());
    }
    let (_, server) = Mock::start(one_row).await;
    tokio::spawn(async move {
        sleep(SHORT * 2).await;
        drop(queue);
        while let Ok((mut client, _)) = listener.accept().await {
            let server = server.clone();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    let patient = options(&address.to_string()).attempt_timeout(SHORT).retry_for(Duration::from_secs(30));
    let client = Client::new(&patient).unwrap();
    let call = CallOptions::none().begin("check-and-mutate", "t").unwrap();
    client.check_and_mutate_row(CheckAndMutateRowRequest::default(), &call).await.unwrap();
}

#[tokio::test]
async fn scans_that_are_not_read_do_not_close_their_connection() {
    const ROWS: usize = 12_000;
    const SCANS: usize = 20;
    let rows = |_: &Asked| messages((0..ROWS).map(|n| row(format!("{n:06}"))), End::of(Code::Ok));
    let (mock, address) = Mock::start(rows).await;
    let client = Client::new(&options(&address).connections(1)).unwrap();
    let mut scans: Vec<_> = (0..SCANS).map(|_| client.read_rows(ReadRowsRequest::default())).collect();
    for scan in &mut scans {
        next(scan).await.unwrap();
    }
    // What fits into the windows comes meanwhile.
    sleep(SHORT).await;
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
    let client = Client::new(&options(&address).connections(1)).unwrap();
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
    let put = timeout(SHORT, client.mutate_row(MutateRowRequest::default(), &call));
    let scan = async { timeout(SHORT, next(&mut client.read_rows(ReadRowsRequest::default()))).await };
    let (put, scan) = tokio::join!(put, scan);
    assert!(put.is_err() && scan.is_err());
    assert_eq!(mock.asked().len(), 2);
    while mock.in_flight() > 0 {
        sleep(Duration::from_millis(5)).await;
    }
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
        let began = Instant::now();
        while tasks() > 0 {
            assert!(began.elapsed() < Duration::from_secs(20), "{} tasks of a closed connection", tasks());
            sleep(Duration::from_millis(5)).await;
        }
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
