//! Buffered writes: who is told of a failure, and how much is gathered for how long.

use std::time::{Duration, Instant};

use hbase_client::{BufferOptions, BufferedMutator, ErrorKind, FailedWrite, Put};
use rowkey_hbase_testkit::{Call, Fake, Reply, with_longer_timeouts};

const NO_FAMILY: &str = "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException";

/// Rows that end with `x` are refused.
fn answer(call: &Call) -> Reply {
    Reply::batch(call, |action| {
        let row = action.mutation.as_ref().and_then(|mutation| mutation.row.clone()).unwrap_or_default();
        row.ends_with(b"x").then_some(NO_FAMILY)
    })
}

fn buffered(fake: &Fake, bytes: usize) -> BufferedMutator {
    let options = BufferOptions::new().flush_bytes(bytes).flush_interval(Duration::from_millis(20));
    fake.table().with_timeout(Duration::from_secs(60)).buffered_mutator(options)
}

fn put(row: &str) -> Put {
    Put::new(row).value("f", "q", "v")
}

/// The bytes of the key of a put, and of its cell: lengths, key with timestamp and kind, and value.
const BYTES: usize = 1 + (4 + 4 + 4) + (2 + 1 + 1 + 1 + 1 + 8 + 1) + 1;

fn rows(failed: &[FailedWrite]) -> Vec<String> {
    failed.iter().map(|failed| String::from_utf8_lossy(failed.write.row()).into_owned()).collect()
}

#[tokio::test]
async fn writes_are_sent_together() {
    let fake = Fake::start(answer);
    let writes = buffered(&fake, 1 << 20);
    for row in 0..500 {
        drop(writes.mutate(put(&row.to_string())).await.unwrap());
    }
    assert!(writes.flush().await.is_empty());
    let calls = fake.calls("Multi");
    assert!((1..50).contains(&calls), "{calls}");
    let waits = writes.mutate(put("late")).await.unwrap();
    waits.outcome().await.unwrap();
    assert!(writes.close().await.is_empty());
}

#[tokio::test]
async fn each_failure_is_told_once() {
    let fake = Fake::start(answer);
    let writes = buffered(&fake, 100);
    let kept = writes.mutate(put("1x")).await.unwrap();
    drop(writes.mutate(put("2x")).await.unwrap());
    drop(writes.mutate(put("3")).await.unwrap());
    let failed = writes.flush().await;
    assert_eq!(rows(&failed), ["2x"]);
    assert_eq!(failed[0].error.kind(), ErrorKind::FamilyNotFound);
    assert!(kept.outcome().await.is_err());
    assert!(writes.mutate(put("")).await.is_err());
    assert!(writes.close().await.is_empty());
}

/// Each writes a row and flushes, one before the other, and nothing is sent until all of them wait.
async fn flushes(writer: &BufferedMutator, many: usize) -> Vec<Vec<FailedWrite>> {
    let flushes = (0..many).map(|task| async move {
        let ending = if task % 3 == 0 { "x" } else { "" };
        drop(writer.mutate(put(&format!("{task}{ending}"))).await.unwrap());
        writer.flush().await
    });
    futures_util::future::join_all(flushes).await
}

#[tokio::test]
async fn flushes_that_wait_share_a_batch_and_each_is_told_of_what_it_flushed() {
    let fake = Fake::start(answer);
    let writer = buffered(&fake, 1 << 20);
    for round in 1..3 {
        let told = flushes(&writer, 10).await.iter().map(|failed| rows(failed).join(" ")).collect::<Vec<_>>();
        assert_eq!(told, ["0x", "", "", "3x", "", "", "6x", "", "", "9x"]);
        assert_eq!(fake.calls("Multi"), round);
    }
    // A flush whose caller has left leaves its failures to the next one, and no batch.
    drop(writer.mutate(put("left-x")).await.unwrap());
    let mut left = Box::pin(writer.flush());
    assert!(futures_util::FutureExt::now_or_never(&mut left).is_none());
    drop(left);
    assert_eq!(rows(&writer.flush().await), ["left-x"]);
    assert_eq!(fake.calls("Multi"), 3);
}

#[tokio::test]
async fn flushes_of_many_tasks_end_in_time() {
    with_longer_timeouts(Duration::from_secs(1), true, async |timeout| {
        let fake = Fake::start(|_| Reply::Silence);
        let writer = fake.table().with_timeout(timeout).buffered_mutator(BufferOptions::new());
        let began = Instant::now();
        let told = flushes(&writer, 30).await;
        assert!(told.iter().all(|failed| failed.len() == 1));
        // One after the other they would need thirty.
        began.elapsed() < 15 * timeout
    })
    .await;
}

#[tokio::test]
async fn failures_that_nobody_asks_for_stop_the_writer() {
    let fake = Fake::start(answer);
    let writes = buffered(&fake, 200);
    let mut taken = 0;
    while let Ok(written) = writes.mutate(put("x")).await {
        drop(written);
        taken += 1;
        assert!(taken < 1000);
    }
    assert!(taken > 0);
    let failed = writes.flush().await;
    assert_eq!(failed.len(), taken);
    drop(writes.mutate(put("1")).await.unwrap());
    assert!(writes.close().await.is_empty());
}

#[tokio::test]
async fn a_writer_waits_while_nothing_is_answered() {
    with_longer_timeouts(Duration::from_millis(300), true, async |timeout| {
        let fake = Fake::start(|_| Reply::Silence);
        let writes = buffered(&fake, 1000);
        let mut taken = 0;
        let write = async {
            loop {
                drop(writes.mutate(put("1")).await.unwrap());
                taken += BYTES;
            }
        };
        assert!(tokio::time::timeout(timeout, write).await.is_err());
        assert!(taken <= 2000, "{taken}");
        taken >= 1000
    })
    .await;
}

#[tokio::test]
async fn what_was_gathered_is_sent_when_it_is_dropped() {
    let fake = Fake::start(answer);
    let writes = buffered(&fake, 1 << 20);
    let written = writes.mutate(put("1")).await.unwrap();
    drop(writes);
    written.outcome().await.unwrap();
}

#[tokio::test]
async fn a_failure_that_was_not_heard_is_told_by_the_next_flush() {
    let fake = Fake::start(answer);
    let writer = buffered(&fake, 1 << 20);
    let kept = writer.mutate(put("kept-x")).await.unwrap();
    let left = writer.mutate(put("left-x")).await.unwrap();
    assert_eq!(rows(&writer.flush().await), <[&str; 0]>::default());
    drop(kept);
    // A wait that is given up hears nothing.
    drop(left.outcome());
    assert_eq!(rows(&writer.flush().await), ["kept-x", "left-x"]);
    let heard = writer.mutate(put("heard-x")).await.unwrap();
    assert_eq!(heard.outcome().await.unwrap_err().kind(), ErrorKind::FamilyNotFound);
    assert_eq!(rows(&writer.close().await), <[&str; 0]>::default());
}

#[test]
fn what_was_taken_when_the_runtime_stops_has_failed() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let first = runtime();
    let (writer, kept) = first.block_on(async {
        let fake = Fake::start(|_| Reply::Silence);
        let writer = buffered(&fake, 100);
        let mut kept = None;
        for row in ["sent", "sent too", "not sent", "not sent either"] {
            kept = Some(writer.mutate(put(row)).await.unwrap());
            tokio::task::yield_now().await;
        }
        while fake.calls("Multi") == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        (writer, kept.unwrap())
    });
    drop(first);
    let second = runtime();
    let failed = second.block_on(async {
        assert!(writer.mutate(put("late")).await.is_err());
        writer.flush().await
    });
    let mut failed = rows(&failed);
    failed.sort();
    assert_eq!(failed, ["not sent", "sent", "sent too"]);
    assert!(second.block_on(kept.outcome()).is_err());
}
