//! Streams that are dropped, cancelled or late: they end on the server too.

use std::time::Duration;

use futures_util::StreamExt;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore, AsyncWideTable};
use rowkey::store::{CallOptions, Cancel, Scan};
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::Bigtable;
use tokio::time::sleep;

use super::load::{Crash, HANGS, until};
use super::proxy::Proxy;
use crate::{emulator, options, runtime};

/// More than the windows of a stream and of the sockets hold.
const ROWS: u32 = 600;
const VALUE: usize = 64 << 10;

const SHORT: Duration = Duration::from_millis(50);

/// Makes a write that ends after ever more time, until it was sent before: then nobody knows what came of it.
async fn until_sent(before: ErrorKind, write: impl AsyncFn(Duration) -> Error) {
    let mut time = SHORT;
    loop {
        let error = write(time).await;
        match error.kind() {
            ErrorKind::OutcomeUnknown => return,
            kind => assert_eq!(kind, before, "{error}"),
        }
        time *= 2;
        assert!(time < HANGS, "it is never sent");
    }
}

/// Waits until so many streams more were reset, none is open, and no more bytes come.
async fn ended(proxy: &Proxy, resets: usize, what: &str) {
    until(what, || proxy.open_streams() == 0 && proxy.resets() >= resets).await;
    assert_eq!(proxy.resets(), resets, "{what}");
    // The bytes that the server had sent before it saw the reset still come, but not the whole table.
    let mut bytes = proxy.bytes_to_clients();
    loop {
        sleep(Duration::from_millis(50)).await;
        let now = proxy.bytes_to_clients();
        if now < bytes + 1000 {
            break;
        }
        bytes = now;
    }
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn streams_end_on_the_server() {
    runtime().block_on(async {
        let to_emulator = options();
        let proxy = Proxy::start(&emulator()).await;
        let db = Bigtable::connect(to_emulator.emulator(proxy.host())).await.unwrap();
        let schema = TableSchema::new().family("a", FamilySchema::new());
        let store = db.table("large", &schema).await.unwrap();
        let row = |n: u32| (n.to_be_bytes().to_vec(), Mutation::new().put_at("a:v", 1, vec![7; VALUE]));
        for rows in (0..ROWS).collect::<Vec<_>>().chunks(100) {
            store.mutate_many(&rows.iter().map(|n| row(*n)).collect::<Vec<_>>()).await.unwrap();
        }
        let visits: AsyncWideTable<Crash, _> = AsyncWideTable::open(db.clone(), "visits", &schema).await.unwrap();
        let crashes: Vec<Crash> = (0..320).map(|id| Crash { at: 1, id }).collect();
        let rows = crashes.iter().map(|crash| (crash, Mutation::new().put("a:v", vec![7; VALUE])));
        visits.mutate_many(rows).await.unwrap();
        let mut resets = proxy.resets();
        ended(&proxy, resets, "what was written").await;

        let (scan, before) = (Scan::all().batch_rows(1), proxy.bytes_to_clients());
        let mut rows = store.scan(&scan, &Columns::all());
        assert_eq!(rows.next().await.unwrap().unwrap().len(), 1);
        assert_eq!(proxy.open_streams(), 1);
        drop(rows);
        resets += 1;
        ended(&proxy, resets, "a scan that is dropped").await;
        let came = proxy.bytes_to_clients() - before;
        assert!(came < u64::from(ROWS) * VALUE as u64 / 2, "{came} bytes came");

        let mut merged = visits.scan(.., Columns::all()).batch_rows(1);
        assert!(merged.next().await.unwrap().is_ok());
        let open = proxy.open_streams();
        assert!(open > 8, "{open} of 16 buckets are open");
        drop(merged);
        resets += open;
        ended(&proxy, resets, "a merge that is dropped").await;

        // A limit that is reached ends the scan on the server without a reset.
        let mut rows = store.scan(&Scan::all().limit(3), &Columns::all());
        while let Some(batch) = rows.next().await {
            batch.unwrap();
        }
        ended(&proxy, resets, "a scan with a limit").await;

        // Calls of which no answer comes.
        let timed = |time| store.with_options(&CallOptions::new().timeout(time));
        proxy.stall(true);
        let error = timed(SHORT).get(b"r", &Columns::all()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
        until_sent(ErrorKind::DeadlineExceeded, async |time| {
            timed(time).mutate(b"r", &Mutation::new().put("a:v", "")).await.unwrap_err()
        })
        .await;
        let error = timed(SHORT).scan(&scan, &Columns::all()).next().await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{error}");
        let counters = [("a:n".into(), 1)];
        until_sent(ErrorKind::Cancelled, async |time| {
            let cancel = Cancel::new();
            let cancelled = store.with_options(&CallOptions::new().cancel(&cancel));
            let (sum, ()) = tokio::join!(cancelled.increment(b"r", &counters), async {
                sleep(time).await;
                cancel.cancel();
            });
            sum.unwrap_err()
        })
        .await;
        // A future that is dropped.
        tokio::select! {
            biased;
            answer = store.get(b"r", &Columns::all()) => panic!("{answer:?}"),
            () = sleep(SHORT) => {}
        }
        proxy.stall(false);
        until("calls that are given up", || proxy.open_streams() == 0 && proxy.resets() > resets).await;
    });
}
