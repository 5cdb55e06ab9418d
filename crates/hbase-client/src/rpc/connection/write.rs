//! The task that writes requests, many at once.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::{GATHER, Link, Queued};
use crate::model::error::Cause;

/// The longest wait for a connection that ends, to say or hear why.
const LAST_WORDS: Duration = Duration::from_millis(200);

pub(super) async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut queued: mpsc::UnboundedReceiver<Queued>,
    link: &Link,
) {
    let mut bytes = Vec::new();
    // The ids of the frames in `bytes`, with where each ends.
    let mut ends = Vec::new();
    loop {
        let next = tokio::select! {
            next = queued.recv() => next,
            () = link.closed() => break,
        };
        let Some(mut next) = next else {
            link.fail(Cause::said("the client closed the connection"));
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
