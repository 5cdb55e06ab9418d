//! A response's body: frames, and an end.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame};
use prost::bytes::Bytes;
use tokio::time::{Sleep, sleep};
use tonic::Status;
use tonic::codegen::http::HeaderMap;

pub(crate) enum End {
    Trailers(HeaderMap),
    Reset,
    Never,
}

pub(crate) struct Frames {
    frames: VecDeque<Bytes>,
    end: Option<End>,
    /// What was written before a reset would not be sent, if the reset came at once.
    sent: Pin<Box<Sleep>>,
}

impl Frames {
    pub(crate) fn new(frames: impl IntoIterator<Item = Bytes>, end: End) -> Self {
        Self { frames: frames.into_iter().collect(), end: Some(end), sent: Box::pin(sleep(Duration::from_millis(100))) }
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(frame) = self.frames.pop_front() {
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
            Some(End::Never) => {
                self.end = Some(End::Never);
                Poll::Pending
            }
        }
    }
}
