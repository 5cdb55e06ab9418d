//! Operations outside of a runtime.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hbase_client::{BufferOptions, Client, ErrorKind, Get, Options, Put, Scan, TableSchema};
use rowkey_hbase_testkit::{Fake, Reply};

/// The result of a future that does not wait.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn without_a_runtime_an_operation_is_an_error() {
    let client = Client::new(Options::new().masters([hbase_client::Address::new("127.0.0.1", 1)])).unwrap();
    let (table, admin) = (client.table("t"), client.admin());
    let put = || Put::new("r").value("f", "q", "v");
    let writes = table.buffered_mutator(BufferOptions::new());
    let mut scanner = table.scan(Scan::new());
    let errors = [
        now(table.get("r")).map(drop),
        now(table.put(put())),
        now(table.batch(vec![put().into(), Get::new("r").into()])).remove(1).map(drop),
        now(table.regions()).map(drop),
        now(admin.tables()).map(drop),
        now(admin.create(&TableSchema::new("t").family("f"), [""; 0])),
        now(writes.mutate(put())).map(drop),
        now(scanner.next()).map(drop),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains("outside of a tokio runtime"), "{error}");
    }
    assert_eq!(now(scanner.next()).unwrap(), None);
    assert!(now(writes.flush()).is_empty());
    assert!(now(writes.close()).is_empty());
}

#[test]
fn a_buffer_takes_writes_from_elsewhere() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (writes, fake) = runtime.block_on(async {
        let fake = Fake::start(|call| Reply::batch(call, |_| None));
        (fake.table().buffered_mutator(BufferOptions::new()), fake)
    });
    let written = now(writes.mutate(Put::new("r").value("f", "q", "v"))).unwrap();
    runtime.block_on(async {
        written.outcome().await.unwrap();
        assert!(writes.close().await.is_empty());
    });
    assert_eq!(fake.calls("Multi"), 1);
}
