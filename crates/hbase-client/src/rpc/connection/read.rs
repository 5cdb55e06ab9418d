//! The task that reads responses, and passes over those that are too long.

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, BufReader};
use tokio::time::{Instant, timeout_at};

use super::super::frame;
use super::{GATHER, Link};
use crate::model::error::{Cause, too_large};

pub(super) async fn read<R: AsyncRead + Unpin>(reader: R, link: &Link) {
    let mut incoming = Incoming { reader: BufReader::with_capacity(GATHER, reader), read: Instant::now(), few: 0 };
    let cause = loop {
        let frame = tokio::select! {
            frame = incoming.frame(link) => frame,
            () = link.closed() => return,
        };
        let answered = frame.and_then(|frame| {
            let Some(frame) = frame else { return Ok(()) };
            let response =
                frame::response(frame).map_err(|what| Cause::said(format!("the response can't be decoded: {what}")))?;
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

/// The bytes a second that a response comes with at least, as long as it is waited for: fewer are as none, or one that
/// never ends would keep a connection for ever.
const STEADY: f64 = 1024.0;

/// The header of a response is at its beginning, and shorter than this.
const BEGINNING: usize = 4096;

struct Incoming<R> {
    reader: BufReader<R>,
    /// The time when enough bytes came last: the first ones of a response, its last ones, or a part of it.
    read: Instant,
    /// The bytes since then.
    few: usize,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    /// The next frame. `None` if it is too long: its call has failed.
    async fn frame(&mut self, link: &Link) -> Result<Option<Bytes>, Cause> {
        let mut length = BytesMut::with_capacity(4);
        self.fill(&mut length, 4, link).await?;
        self.has_read();
        let length = length.get_u32() as usize;
        if length > link.limits.frame {
            self.skip(length, link).await?;
            return Ok(None);
        }
        // The length that a server announces is not allocated before it comes.
        let mut frame = BytesMut::with_capacity(length.min(1 << 20));
        self.fill(&mut frame, length, link).await?;
        self.has_read();
        Ok(Some(frame.freeze()))
    }

    /// Notes that enough bytes came.
    fn has_read(&mut self) {
        (self.read, self.few) = (Instant::now(), 0);
    }

    /// Fails the call whose response is too long, and passes over the response, so that others go on.
    async fn skip(&mut self, length: usize, link: &Link) -> Result<(), Cause> {
        let mut bytes = BytesMut::with_capacity(BEGINNING);
        self.fill(&mut bytes, length.min(BEGINNING), link).await?;
        let mut left = length - bytes.len();
        let call = frame::call_of(bytes.split().freeze());
        if !call.is_some_and(|id| link.calls.lock().too_large(id, length)) {
            return Err(Cause::said(too_large(length)));
        }
        while left > 0 {
            let some = left.min(GATHER);
            self.fill(&mut bytes, some, link).await?;
            bytes.clear();
            left -= some;
        }
        self.has_read();
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
                Ok(Ok(some)) => {
                    self.few += some;
                    if self.few as f64 >= STEADY * link.limits.read_timeout.as_secs_f64() {
                        self.has_read();
                    }
                }
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
