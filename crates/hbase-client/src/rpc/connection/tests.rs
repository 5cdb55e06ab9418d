//! Calls on a connection to a server that the tests write, without sockets.

use futures_util::FutureExt;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::*;
use crate::pb;

const LIMITS: Limits = Limits {
    frame: 1 << 20,
    calls: 100,
    read_timeout: Duration::from_secs(60),
    idle_timeout: Duration::from_secs(120),
};

fn connected(limits: Limits, buffer: usize) -> (Connection, DuplexStream) {
    let (near, far) = tokio::io::duplex(buffer);
    let (reader, writer) = tokio::io::split(near);
    (Connection::start(reader, writer, limits), far)
}

/// The id of the next call that comes.
async fn next(far: &mut DuplexStream) -> u32 {
    let mut frame = vec![0; far.read_u32().await.unwrap() as usize];
    far.read_exact(&mut frame).await.unwrap();
    let header = pb::RequestHeader::decode_length_delimited(&*frame).unwrap();
    header.call_id()
}

async fn answer(far: &mut DuplexStream, id: u32) {
    let header = pb::ResponseHeader { call_id: Some(id), ..Default::default() };
    let mut frame = header.encode_length_delimited_to_vec();
    let message = pb::GetActiveMasterResponse {
        server_name: Some(pb::ServerName { host_name: id.to_string(), ..Default::default() }),
    };
    frame.extend(message.encode_length_delimited_to_vec());
    far.write_u32(frame.len() as u32).await.unwrap();
    far.write_all(&frame).await.unwrap();
}

fn in_seconds(seconds: u64) -> Instant {
    Instant::now() + Duration::from_secs(seconds)
}

async fn call(connection: &Connection, seconds: u64) -> Result<String, CallFault> {
    let message = pb::GetActiveMasterRequest {};
    let answer = connection.call(&Payload::new("M", &message), in_seconds(seconds)).await?;
    let read: pb::GetActiveMasterResponse = answer.read()?;
    Ok(read.server_name.unwrap().host_name)
}

#[tokio::test(start_paused = true)]
async fn answers_find_their_calls_in_any_order() {
    let (connection, mut far) = connected(LIMITS, 1 << 16);
    let calls = futures_util::future::join_all((0..20).map(|_| call(&connection, 9)));
    let server = async {
        let mut ids = Vec::new();
        for _ in 0..20 {
            ids.push(next(&mut far).await);
        }
        for id in ids.iter().rev() {
            answer(&mut far, *id).await;
        }
        ids
    };
    let (answers, ids) = tokio::join!(calls, server);
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers, ids.iter().map(u32::to_string).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline_and_its_late_answer_harms_no_other() {
    let (connection, mut far) = connected(LIMITS, 1 << 16);
    assert!(matches!(call(&connection, 1).await, Err(CallFault::Unanswered(Cause::TimedOut))));
    let late = next(&mut far).await;
    answer(&mut far, late).await;
    let (second, ()) = tokio::join!(call(&connection, 1), async {
        let id = next(&mut far).await;
        answer(&mut far, id).await;
    });
    assert_eq!(second.unwrap(), "1");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_no_call_closes() {
    let (connection, mut far) = connected(LIMITS, 1 << 16);
    let (called, ()) = tokio::join!(call(&connection, 9), async {
        next(&mut far).await;
        answer(&mut far, 1000).await;
    });
    assert!(matches!(called, Err(CallFault::Unanswered(_))), "{called:?}");
    assert!(connection.broken().is_some());
    assert!(matches!(call(&connection, 9).await, Err(CallFault::NotSent(_))));
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_was_cut_was_not_sent() {
    // The pipe holds 20 bytes, less than a frame.
    let (connection, far) = connected(LIMITS, 20);
    let (called, ()) = tokio::join!(call(&connection, 9), async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        drop(far);
    });
    // The reader or the writer sees the end first. The reader cannot know how far the writer came.
    assert!(matches!(called, Err(CallFault::NotSent(_) | CallFault::Unanswered(_))));
    let (connection, far) = connected(LIMITS, 1 << 16);
    drop(far);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(matches!(call(&connection, 9).await, Err(CallFault::NotSent(_))));
}

#[tokio::test(start_paused = true)]
async fn an_answer_over_the_limit_fails_its_call_and_no_other() {
    let (connection, mut far) = connected(Limits { frame: 10_000, ..LIMITS }, 1 << 16);
    let (large, other, ()) = tokio::join!(call(&connection, 9), call(&connection, 9), async {
        let (large, other) = (next(&mut far).await, next(&mut far).await);
        let header = pb::ResponseHeader { call_id: Some(large), ..Default::default() };
        let mut frame = header.encode_length_delimited_to_vec();
        frame.resize(200_000, 7);
        far.write_u32(frame.len() as u32).await.unwrap();
        far.write_all(&frame).await.unwrap();
        answer(&mut far, other).await;
    });
    assert!(matches!(large, Err(CallFault::TooLarge(200_000))), "{large:?}");
    assert_eq!(other.unwrap(), "1");
}

#[tokio::test(start_paused = true)]
async fn a_frame_over_the_limit_that_is_no_answer_closes() {
    let (connection, mut far) = connected(LIMITS, 1 << 16);
    let (called, ()) = tokio::join!(call(&connection, 9), async {
        next(&mut far).await;
        far.write_u32(u32::MAX).await.unwrap();
        far.write_all(&[0; 4096]).await.unwrap();
    });
    assert!(
        matches!(called, Err(CallFault::Unanswered(Cause::Said(why))) if why.contains("4294967295 bytes, more than"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_left_and_an_idle_connection_closed() {
    let (connection, _far) = connected(LIMITS, 1 << 16);
    let started = Instant::now();
    assert!(matches!(call(&connection, 900).await, Err(CallFault::Unanswered(Cause::TimedOut))));
    assert_eq!(started.elapsed().as_secs(), 60);

    let (connection, _far) = connected(LIMITS, 1 << 16);
    tokio::time::sleep(Duration::from_secs(119)).await;
    assert!(connection.broken().is_none());
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert!(matches!(connection.broken(), Some(Cause::Idle)));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_just_begun_is_not_ended_by_the_silence_before_it() {
    let (connection, mut far) = connected(LIMITS, 1 << 16);
    assert!(call(&connection, 1).await.is_err());
    next(&mut far).await;
    tokio::time::sleep(Duration::from_secs(58)).await;
    let (called, ()) = tokio::join!(call(&connection, 40), async {
        let id = next(&mut far).await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(connection.broken().is_some(), "no others begin");
        answer(&mut far, id).await;
    });
    assert_eq!(called.unwrap(), "1");
    assert_eq!(far.read(&mut [0; 8]).await.unwrap(), 0, "closed behind it");
}

/// Sends a response by parts, each after a time, as long as the connection takes them: a whole one, or the beginning of
/// one and zeros, up to a length.
async fn dripped(far: &mut DuplexStream, length: Option<u32>, part: usize, every: Duration) {
    let id = next(far).await;
    let mut frame = pb::ResponseHeader { call_id: Some(id), ..Default::default() }.encode_length_delimited_to_vec();
    if length.is_none() {
        let server_name = pb::ServerName { host_name: "a".repeat(1_000_000), ..Default::default() };
        let message = pb::GetActiveMasterResponse { server_name: Some(server_name) };
        frame.extend(message.encode_length_delimited_to_vec());
    }
    let length = length.unwrap_or(frame.len() as u32);
    let mut bytes = [&length.to_be_bytes()[..], &frame].concat();
    let mut left = length as usize + 4;
    while left > 0 {
        tokio::time::sleep(every).await;
        bytes.resize(bytes.len().max(part), 0);
        let some: Vec<u8> = bytes.drain(..part.min(left)).collect();
        if far.write_all(&some).await.is_err() {
            return;
        }
        left -= some.len();
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_never_ends_is_left() {
    // One that may be read, and one that is passed over; by a byte a second, or somewhat more.
    for length in [1 << 20, u32::MAX] {
        for part in [1, 900] {
            let (connection, mut far) = connected(LIMITS, 1 << 16);
            let started = Instant::now();
            let calls = async {
                // Each call gives up sooner than the connection.
                while connection.broken().is_none() {
                    assert!(call(&connection, 2).await.is_err());
                }
                started.elapsed().as_secs()
            };
            let sent = dripped(&mut far, Some(length), part, Duration::from_secs(1));
            let (left, _) = tokio::join!(calls, async { tokio::time::timeout(Duration::from_secs(900), sent).await });
            assert!((60..130).contains(&left), "{length} {part}: {left}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_comes_steadily_is_waited_for() {
    for (part, every_ms) in [(1024, 1000), (100, 90), (60 << 10, 59_000), (1 << 16, 50)] {
        let (connection, mut far) = connected(LIMITS, 1 << 20);
        let sent = dripped(&mut far, None, part, Duration::from_millis(every_ms));
        let (called, ()) = tokio::join!(call(&connection, 3000), sent);
        assert_eq!(called.map(|name| name.len()).ok(), Some(1_000_000), "{part}: {:?}", connection.broken());
    }
}

#[tokio::test(start_paused = true)]
async fn frames_that_nobody_wants_any_more_are_not_kept_without_bound() {
    // A server that reads nothing.
    let (connection, _far) = connected(Limits { calls: 8, ..LIMITS }, 1);
    for _ in 0..100 {
        let permit = connection.limit.acquire().now_or_never();
        if permit.is_none() {
            return;
        }
        drop(permit);
        assert!(call(&connection, 1).await.is_err());
    }
    panic!("100 frames are queued");
}

#[test]
fn a_connection_ends_with_its_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let (connection, far) = first.block_on(async { connected(LIMITS, 1 << 16) });
    drop(first);
    assert!(connection.broken().is_some());
    assert!(matches!(runtime().block_on(call(&connection, 9)), Err(CallFault::NotSent(_))));
    drop(far);
}

#[tokio::test(start_paused = true)]
async fn calls_over_the_limit_wait_and_a_dropped_call_makes_room() {
    let (connection, mut far) = connected(Limits { calls: 1, ..LIMITS }, 1 << 16);
    let mut first = Box::pin(call(&connection, 100));
    assert!((&mut first).now_or_never().is_none());
    assert!(matches!(call(&connection, 1).await, Err(CallFault::NotSent(Cause::TimedOut))));
    assert_eq!(connection.in_flight(), 1);
    drop(first);
    assert_eq!(connection.in_flight(), 0);
    let (second, ()) = tokio::join!(call(&connection, 9), async {
        next(&mut far).await;
        let id = next(&mut far).await;
        answer(&mut far, id).await;
    });
    assert!(second.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_last_clone_closes() {
    let (connection, mut far) = connected(LIMITS, 1 << 16);
    drop(connection);
    assert_eq!(far.read(&mut [0; 8]).await.unwrap(), 0);
}
