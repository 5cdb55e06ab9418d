//! Connections: many calls at a time over one socket, in two tasks.

mod read;
mod write;

use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite};
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
    /// The longest time in which nothing comes, or too little, while a response is waited for.
    pub(crate) read_timeout: Duration,
    /// The longest time in which nothing comes or goes before the connection is closed.
    pub(crate) idle_timeout: Duration,
}

/// The bytes up to which frames are gathered to be written, or read, at once.
const GATHER: usize = 64 << 10;

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
        tokio::spawn(async move { write::write(writer, queued, &writes.0).await });
        tokio::spawn(async move { read::read(reader, &reads.0).await });
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
            Ok(Err(_)) => Err(CallFault::Unanswered(Cause::said("the client closed the connection"))),
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

#[cfg(test)]
mod tests;
