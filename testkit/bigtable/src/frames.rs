//! A response's body: frames, and an end.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body::{Body, Frame};
use prost::bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep};
use tonic::Status;
use tonic::codegen::http::HeaderMap;

pub(crate) enum End {
    Trailers(HeaderMap),
    Reset,
    Again,
    Never,
}

pub(crate) struct Frames {
    frames: VecDeque<Bytes>,
    end: Option<End>,
    /// The pause before each frame.
    pace: Option<(Duration, Pin<Box<Sleep>>)>,
    /// The counter of the bytes that were taken.
    taken: Option<Arc<AtomicUsize>>,
    /// The pause before a reset: if it came at once, the frames that were written before it would not be sent. In a
    /// runtime of one thread, the connection has sent them when this task runs again.
    sent: Pin<Box<Sleep>>,
}

impl Frames {
    pub(crate) fn new(frames: impl IntoIterator<Item = Bytes>, end: End) -> Self {
        let sent = Box::pin(sleep(Duration::from_millis(10)));
        Self { frames: frames.into_iter().collect(), end: Some(end), pace: None, taken: None, sent }
    }

    pub(crate) fn counted(mut self, taken: &Arc<AtomicUsize>) -> Self {
        self.taken = Some(Arc::clone(taken));
        self
    }

    pub(crate) fn paced(mut self, pace: Duration) -> Self {
        self.pace = Some((pace, Box::pin(sleep(pace))));
        self
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some((pace, sleep)) = &mut self.pace {
            ready!(sleep.as_mut().poll(context));
            sleep.as_mut().reset(Instant::now() + *pace);
        }
        if let Some(frame) = self.frames.pop_front() {
            if let Some(taken) = &self.taken {
                taken.fetch_add(frame.len(), Ordering::Relaxed);
            }
            if self.frames.is_empty() && matches!(self.end, Some(End::Again)) {
                self.frames.push_back(frame.clone());
            }
            return Poll::Ready(Some(Ok(Frame::data(frame))));
        }
        match self.end.take() {
            None => Poll::Ready(None),
            Some(End::Trailers(trailers)) => Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
            Some(End::Reset) => {
                if self.sent.as_mut().poll(context).is_pending() {
                    self.end = Some(End::Reset);
                    return Poll::Pending;
                }
                Poll::Ready(Some(Err(Status::internal("reset"))))
            }
            Some(endless @ (End::Never | End::Again)) => {
                self.end = Some(endless);
                Poll::Pending
            }
        }
    }
}
