//! Connections: many calls at a time over one socket, in two tasks.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use prost::Message;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};

use super::calls::Calls;
use super::frame::{self, Answer, Payload};
use super::limit::{ConcurrencyLimit, Permit};
use crate::model::error::{CallFault, Cause};
use crate::sync::Locked;

/// The limits of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Bytes of a frame that comes.
    pub(crate) frame: usize,
    /// Calls under way at a time; others wait.
    pub(crate) calls: usize,
    /// The longest time in which nothing comes while a response is waited for.
    pub(crate) read_timeout: Duration,
    /// The longest time in which nothing comes or goes before the connection is closed.
    pub(crate) idle_timeout: Duration,
}

/// A connection to a server. Clones share it; it is closed when the last one is dropped.
#[derive(Clone)]
pub(crate) struct Connection {
    link: Arc<Link>,
    queue: mpsc::UnboundedSender<Queued>,
    limit: Arc<ConcurrencyLimit>,
}

struct Queued {
    id: u32,
    frame: Vec<u8>,
    /// Frames that nobody wants any more take room until they are passed over, so that they are not too many.
    _permit: Arc<Permit>,
}

const STOPPED: &str = "the runtime of the connection stopped";

/// A task of the connection has ended, perhaps with its runtime.
struct Ended(Arc<Link>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.fail(Cause::said(STOPPED));
    }
}

/// The state that the caller, the reader and the writer share.
struct Link {
    calls: Locked<Calls>,
    closed: watch::Sender<bool>,
    limits: Limits,
}

impl Link {
    fn fail(&self, cause: Cause) {
        self.calls.lock().fail(cause);
        self.closed.send_replace(true);
    }

    async fn closed(&self) {
        let mut closed = self.closed.subscribe();
        // The sender lives as long as `self`.
        let _ = closed.wait_for(|closed| *closed).await;
    }
}

impl Connection {
    /// Takes over a stream on which the preamble has been written.
    pub(crate) fn start<R, W>(reader: R, writer: W, limits: Limits) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let limit = Arc::new(ConcurrencyLimit::new(limits.calls));
        let link = Arc::new(Link { calls: Locked::default(), closed: watch::Sender::new(false), limits });
        let (queue, queued) = mpsc::unbounded_channel();
        let (writes, reads) = (Ended(link.clone()), Ended(link.clone()));
        tokio::spawn(async move { write(writer, queued, &writes.0).await });
        tokio::spawn(async move { read(reader, &reads.0).await });
        Self { link, queue, limit }
    }

    /// The reason why no call can be made any more, if so.
    pub(crate) fn broken(&self) -> Option<Cause> {
        self.link.calls.lock().broken().cloned()
    }

    /// As [`Calls::in_flight`].
    pub(crate) fn in_flight(&self) -> usize {
        self.link.calls.lock().in_flight()
    }

    /// Makes a call. If the returned future is dropped, the response is dropped when it comes.
    pub(crate) async fn call<M: Message>(
        &self,
        payload: &Payload<'_, M>,
        deadline: Instant,
    ) -> Result<Answer, CallFault> {
        let timed_out = || CallFault::NotSent(Cause::TimedOut);
        let permit = timeout_at(deadline, self.limit.acquire()).await.map_err(|_| timed_out())?;
        let permit = Arc::new(permit);
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        let left = u32::try_from(left).unwrap_or(u32::MAX).min(i32::MAX as u32);
        if left == 0 {
            return Err(timed_out());
        }
        let (id, mut answer) = self.link.calls.lock().begin().map_err(CallFault::NotSent)?;
        let leave = Leave { link: &self.link, id: Some(id) };
        let frame = frame::request(id, left, payload)
            .ok_or_else(|| CallFault::NotSent(Cause::said("the request is longer than 2 GiB")))?;
        if self.queue.send(Queued { id, frame, _permit: permit.clone() }).is_err() {
            self.link.fail(Cause::said(STOPPED));
        }
        match timeout_at(deadline, &mut answer).await {
            Ok(Ok(result)) => {
                let overloaded =
                    matches!(&result, Err(CallFault::Refused(exception)) if exception.of_overloaded_server());
                self.limit.answered(overloaded);
                leave.answered(result)
            }
            Ok(Err(_)) => Err(CallFault::Unanswered(Cause::said("closed"))),
            Err(_) => Err(leave.now()),
        }
    }
}

/// Frees the id of a call when its caller leaves.
struct Leave<'a> {
    link: &'a Link,
    id: Option<u32>,
}

impl Leave<'_> {
    fn answered<T>(mut self, result: T) -> T {
        self.id = None;
        result
    }

    fn now(mut self) -> CallFault {
        match self.id.take() {
            Some(id) => self.link.calls.lock().abandon(id),
            None => CallFault::Unanswered(Cause::TimedOut),
        }
    }
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.link.calls.lock().abandon(id);
        }
    }
}

/// The longest wait for a connection that ends, to say or hear why.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The bytes up to which frames are gathered, and written at once.
const GATHER: usize = 64 << 10;

async fn write<W: AsyncWrite + Unpin>(mut writer: W, mut queued: mpsc::UnboundedReceiver<Queued>, link: &Link) {
    let mut bytes = Vec::new();
    // The ids of the frames in `bytes`, with where each ends.
    let mut ends = Vec::new();
    loop {
        let next = tokio::select! {
            next = queued.recv() => next,
            () = link.closed() => break,
        };
        let Some(mut next) = next else {
            link.fail(Cause::said("closed"));
            break;
        };
        bytes.clear();
        ends.clear();
        loop {
            if link.calls.lock().sending(next.id) {
                match bytes.is_empty() {
                    true => bytes = next.frame,
                    false => bytes.extend_from_slice(&next.frame),
                }
                ends.push((next.id, bytes.len()));
            }
            next = match queued.try_recv() {
                Ok(next) if bytes.len() + next.frame.len() <= GATHER || bytes.is_empty() => next,
                Ok(next) => {
                    if !write_all(&mut writer, &bytes, &ends, link).await {
                        return;
                    }
                    bytes.clear();
                    ends.clear();
                    next
                }
                Err(_) => break,
            };
        }
        if !write_all(&mut writer, &bytes, &ends, link).await {
            return;
        }
        if bytes.capacity() > GATHER {
            bytes = Vec::new();
        }
    }
    // The server sees the end of the connection by the close as well.
    let _ = timeout_at(Instant::now() + LAST_WORDS, writer.shutdown()).await;
}

/// Writes frames. If that breaks off, fails the connection, and the frames whose end was not written as not sent.
async fn write_all<W: AsyncWrite + Unpin>(writer: &mut W, bytes: &[u8], ends: &[(u32, usize)], link: &Link) -> bool {
    let mut written = 0;
    let broke = loop {
        if written == bytes.len() {
            // An encrypted stream writes what it holds back.
            let flushed = tokio::select! {
                flushed = writer.flush() => flushed,
                () = link.closed() => return false,
            };
            match flushed {
                Ok(()) => return true,
                Err(error) => break error,
            }
        }
        let step = tokio::select! {
            step = writer.write(&bytes[written..]) => step,
            () = link.closed() => return false,
        };
        match step {
            Ok(0) => break std::io::ErrorKind::WriteZero.into(),
            Ok(more) => written += more,
            Err(error) => break error,
        }
    };
    {
        let mut calls = link.calls.lock();
        ends.iter().filter(|(_, end)| *end > written).for_each(|(id, _)| calls.cut(*id));
    }
    // A server that closes a connection may have said why, which tells more.
    let _ = timeout_at(Instant::now() + LAST_WORDS, link.closed()).await;
    link.fail(Cause::io("writing to the server", broke));
    false
}

async fn read<R: AsyncRead + Unpin>(reader: R, link: &Link) {
    let mut incoming = Incoming { reader: BufReader::with_capacity(GATHER, reader), read: Instant::now() };
    let cause = loop {
        let frame = tokio::select! {
            frame = incoming.frame(link) => frame,
            () = link.closed() => return,
        };
        let answered = frame.and_then(|frame| {
            let Some(frame) = frame else { return Ok(()) };
            let response = frame::response(frame).map_err(|what| Cause::said(format!("malformed: {what}")))?;
            link.calls.lock().answer(response)
        });
        if let Err(cause) = answered {
            break cause;
        }
        if let Some(cause) = link.is_done() {
            break cause;
        }
    };
    tracing::debug!(%cause, "a connection ends");
    link.fail(cause);
}

/// The header of a response is at its beginning, and shorter than this.
const BEGINNING: usize = 4096;

struct Incoming<R> {
    reader: BufReader<R>,
    /// The time when bytes came last.
    read: Instant,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    /// The next frame. `None` if it is too long: its call has failed.
    async fn frame(&mut self, link: &Link) -> Result<Option<Bytes>, Cause> {
        let mut length = BytesMut::with_capacity(4);
        self.fill(&mut length, 4, link).await?;
        let length = length.get_u32() as usize;
        if length > link.limits.frame {
            self.skip(length, link).await?;
            return Ok(None);
        }
        // The length that a server announces is not allocated before it comes.
        let mut frame = BytesMut::with_capacity(length.min(1 << 20));
        self.fill(&mut frame, length, link).await?;
        Ok(Some(frame.freeze()))
    }

    /// Fails the call whose response is too long, and passes over the response, so that others go on.
    async fn skip(&mut self, length: usize, link: &Link) -> Result<(), Cause> {
        let mut bytes = BytesMut::with_capacity(BEGINNING);
        self.fill(&mut bytes, length.min(BEGINNING), link).await?;
        let mut left = length - bytes.len();
        let call = frame::call_of(bytes.split().freeze());
        if !call.is_some_and(|id| link.calls.lock().too_large(id, length)) {
            return Err(Cause::said(format!("a frame of {length} bytes is longer than the limit")));
        }
        while left > 0 {
            let some = left.min(GATHER);
            self.fill(&mut bytes, some, link).await?;
            bytes.clear();
            left -= some;
        }
        Ok(())
    }

    /// Reads until there are `length` bytes.
    async fn fill(&mut self, bytes: &mut BytesMut, length: usize, link: &Link) -> Result<(), Cause> {
        while bytes.len() < length {
            if bytes.len() == bytes.capacity() {
                bytes.reserve((length - bytes.len()).min(bytes.len()));
            }
            let mut limited = (&mut self.reader).take((length - bytes.len()) as u64);
            match timeout_at(link.patience(self.read), limited.read_buf(bytes)).await {
                Ok(Ok(0)) => return Err(Cause::said("the server closed the connection")),
                Ok(Ok(_)) => self.read = Instant::now(),
                Ok(Err(error)) => return Err(Cause::io("reading from the server", error)),
                Err(_) => link.still_waits(self.read)?,
            }
        }
        Ok(())
    }
}

impl Link {
    /// The end of the wait for bytes, if the last ones came at `read`.
    fn patience(&self, read: Instant) -> Instant {
        let calls = self.calls.lock();
        let since = if calls.broken().is_some() { calls.oldest() } else { calls.silent() };
        match since {
            Some(since) => since.max(read) + self.limits.read_timeout,
            None => Instant::now() + self.limits.idle_timeout.min(self.limits.read_timeout),
        }
    }

    /// The reason why a connection ends that takes no calls any more, and has answered those that it had.
    fn is_done(&self) -> Option<Cause> {
        let calls = self.calls.lock();
        calls.broken().filter(|_| calls.in_flight() == 0).cloned()
    }

    /// After a wait without bytes: whether to go on.
    fn still_waits(&self, read: Instant) -> Result<(), Cause> {
        let mut calls = self.calls.lock();
        let is_over = |since: Instant| since.max(read) + self.limits.read_timeout <= Instant::now();
        match calls.silent() {
            Some(since) if is_over(since) => {
                calls.retire(Cause::TimedOut);
                // Calls that have just begun get their time.
                if calls.oldest().is_none_or(is_over) { Err(Cause::TimedOut) } else { Ok(()) }
            }
            None if read + self.limits.idle_timeout <= Instant::now() => {
                // No call can begin between the look and the close.
                calls.fail(Cause::Idle);
                Err(Cause::Idle)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use prost::Message;
    use tokio::io::DuplexStream;

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
        assert!(matches!(called, Err(CallFault::Unanswered(Cause::Said(why))) if why.contains("limit")));
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
}
