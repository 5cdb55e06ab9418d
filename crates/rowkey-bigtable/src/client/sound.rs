//! A channel whose statuses can be read.
//!
//! tonic panics if a server's `grpc-status-details-bin` is not base64. Such a header is removed before tonic sees it. A
//! response that ends without a status was cut on its way: that is an error of the connection, and no end of a scan. A
//! response that is not one of gRPC is a proxy's: tonic would read its page as messages, so its HTTP status is made a
//! status of gRPC. A request that the server says it did not process is told apart from one that broke.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use futures_util::future::BoxFuture;
use http_body::{Body, Frame, SizeHint};
use tonic::Code;
use tonic::codegen::{Bytes, Service, StdError, http};
use tonic::transport::Channel;

use super::causes::{Unprocessed, causes};

type Request = http::Request<tonic::body::Body>;
type SoundResponse = http::Response<SoundBody>;

/// A channel for one request, of which it removes what tonic can't read. It lets go of the channel when it sends.
#[derive(Debug)]
pub(super) struct Sound(Option<Channel>);

impl Sound {
    pub(super) fn new(channel: Channel) -> Self {
        Self(Some(channel))
    }
}

impl Service<Request> for Sound {
    type Response = SoundResponse;
    type Error = StdError;
    type Future = BoxFuture<'static, Result<SoundResponse, StdError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        match &mut self.0 {
            Some(channel) => channel.poll_ready(context).map_err(StdError::from),
            None => Poll::Ready(Err(SENT.into())),
        }
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let sending = self.0.take().map(|mut channel| channel.call(request));
        Box::pin(async move {
            let mut response = sending.ok_or(SENT)?.await.map_err(told)?;
            if let Some(status) = of_no_server(&response) {
                return Ok(status.into_http().map(|body| SoundBody { body, needs_status: false }));
            }
            let is_ok = response.status() == http::StatusCode::OK;
            let headers = response.headers_mut();
            remove_unreadable(headers);
            // No compression was offered. tonic would say that the server does not know the method.
            headers.remove("grpc-encoding");
            let needs_status = is_ok && !headers.contains_key(STATUS);
            Ok(response.map(|body| SoundBody { body, needs_status }))
        })
    }
}

/// Says of an error before the response whether the server has begun with the request.
fn told(error: tonic::transport::Error) -> StdError {
    let is_unprocessed = causes(&error).filter_map(|cause| cause.downcast_ref()).any(refuses);
    if is_unprocessed { Unprocessed(error).into() } else { error.into() }
}

/// Returns whether the error says that the server did not process the stream: it was refused, or it came after the last
/// one that a server that goes away has looked at. (h2 gives that error to later streams alone.)
fn refuses(error: &h2::Error) -> bool {
    error.is_remote() && (error.is_go_away() || error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

/// The status of a response that no server of gRPC sent.
/// <https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md>
fn of_no_server<B>(response: &http::Response<B>) -> Option<tonic::Status> {
    let (status, headers) = (response.status(), response.headers());
    let content_type = headers.get(http::header::CONTENT_TYPE);
    let is_grpc = content_type.is_none_or(|content_type| content_type.as_bytes().starts_with(b"application/grpc"));
    let is_ok = status == http::StatusCode::OK;
    let says = headers.get(STATUS).is_some_and(|code| is_ok || code != "0");
    if says || (is_ok && is_grpc) {
        return None;
    }
    let code = match status.as_u16() {
        400 | 431 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502..=504 => Code::Unavailable,
        _ => Code::Unknown,
    };
    let content_type = content_type.and_then(|content_type| content_type.to_str().ok()).unwrap_or("no type");
    let content_type = content_type.get(..MOST_QUOTED).unwrap_or(content_type);
    Some(tonic::Status::new(
        code,
        format!("the response, HTTP {status} with {content_type}, is no server's of Bigtable"),
    ))
}

/// The most bytes of a header that are quoted.
const MOST_QUOTED: usize = 64;

const SENT: &str = "a channel for one request was used twice";

/// A response's body, with its trailers.
pub(super) struct SoundBody {
    body: tonic::body::Body,
    needs_status: bool,
}

impl Body for SoundBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let mut polled = Pin::new(&mut self.body).poll_frame(context);
        let is_end = match &mut polled {
            Poll::Ready(Some(Ok(frame))) => frame.trailers_mut().is_some_and(|trailers| {
                remove_unreadable(trailers);
                self.needs_status &= !trailers.contains_key(STATUS);
                true
            }),
            Poll::Ready(None) => true,
            Poll::Ready(Some(Err(_))) | Poll::Pending => false,
        };
        if is_end && self.needs_status {
            self.needs_status = false;
            return Poll::Ready(Some(Err(cut())));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        !self.needs_status && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// No server sent this: it has a source.
fn cut() -> tonic::Status {
    let mut status = tonic::Status::unavailable("the response was cut");
    status.set_source(Arc::new(WithoutStatus));
    status
}

#[derive(Debug, thiserror::Error)]
#[error("it ends without a status")]
struct WithoutStatus;

const STATUS: &str = "grpc-status";
const DETAILS: &str = "grpc-status-details-bin";

/// As tonic reads it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn remove_unreadable(headers: &mut http::HeaderMap) {
    if headers.get(DETAILS).is_some_and(|details| BASE64.decode(details.as_bytes()).is_err()) {
        headers.remove(DETAILS);
    }
}

#[cfg(test)]
mod tests {
    use tonic::transport::Endpoint;

    use super::*;

    #[tokio::test]
    async fn a_channel_is_let_go_when_its_request_is_sent() {
        let channel = Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
        let mut sound = Sound::new(channel);
        std::future::poll_fn(|context| sound.poll_ready(context)).await.unwrap();
        let request = || Request::new(tonic::body::Body::empty());
        let sent = sound.call(request());
        assert!(sound.0.is_none());
        assert!(sent.await.is_err(), "nobody listens");
        assert!(sound.call(request()).await.is_err_and(|error| error.to_string() == SENT));
    }
}
