//! A channel whose statuses can be read.
//!
//! tonic panics if a server's `grpc-status-details-bin` is not base64. Such a header is removed before tonic sees it.

use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use futures_util::TryFutureExt;
use futures_util::future::MapOk;
use http_body::{Body, Frame, SizeHint};
use tonic::codegen::{Bytes, Service, http};
use tonic::transport::Channel;
use tonic::transport::channel::ResponseFuture;

type Request = http::Request<tonic::body::Body>;
type Response = http::Response<tonic::body::Body>;
type SoundResponse = http::Response<SoundBody>;

/// A channel that removes what tonic can't read.
#[derive(Clone, Debug)]
pub(super) struct Sound(pub(super) Channel);

impl Service<Request> for Sound {
    type Response = SoundResponse;
    type Error = tonic::transport::Error;
    type Future = MapOk<ResponseFuture, fn(Response) -> SoundResponse>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.0.call(request).map_ok(|mut response| {
            remove_unreadable(response.headers_mut());
            response.map(SoundBody)
        })
    }
}

/// A response's body, with its trailers.
pub(super) struct SoundBody(tonic::body::Body);

impl Body for SoundBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let mut polled = Pin::new(&mut self.0).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &mut polled
            && let Some(trailers) = frame.trailers_mut()
        {
            remove_unreadable(trailers);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

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
