//! Answers of a [`Mock`](crate::Mock): whole, broken, hostile.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use prost::Message;
use prost::bytes::{BufMut, Bytes, BytesMut};
use rowkey_bigtable::client::proto::RetryInfo;
use rowkey_bigtable::client::proto::RpcStatus;
use tonic::body::Body;
use tonic::codegen::http::{self, HeaderMap, HeaderValue};
use tonic::{Code, Status};

use crate::frames::Frames;
use crate::server::Answer;

/// A status without messages.
pub fn status(code: Code, message: &str) -> Answer {
    let response = Status::new(code, message).into_http();
    Box::pin(async move { response })
}

/// A status that asks for a pause before the next attempt.
pub fn wait(code: Code, pause: Duration) -> Answer {
    let info = RetryInfo { retry_delay: pause.try_into().ok() };
    let detail = prost_types::Any {
        type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(),
        value: info.encode_to_vec(),
    };
    let details = RpcStatus { code: code.into(), message: String::new(), details: vec![detail] };
    let response = Status::with_details(code, "wait", details.encode_to_vec().into()).into_http();
    Box::pin(async move { response })
}

/// No answer at all.
pub fn never() -> Answer {
    Box::pin(pending())
}

/// Headers alone, as the server wrote them.
pub fn headers(headers: &[(&'static str, &'static str)]) -> Answer {
    let mut response = http::Response::new(Body::empty());
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    for (name, value) in headers {
        response.headers_mut().insert(*name, HeaderValue::from_static(value));
    }
    Box::pin(async move { response })
}

/// The response of a proxy: an HTTP status, headers, a page, and then an end.
pub fn page(status: u16, headers: &[(&'static str, &'static str)], page: &'static str, end: End) -> Answer {
    let answer = bytes([Bytes::from_static(page.as_bytes())], end);
    let headers = headers.to_vec();
    Box::pin(async move {
        let mut response = answer.await;
        *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
        response.headers_mut().clear();
        for (name, value) in headers {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    })
}

/// The end of a response with messages.
#[derive(Clone, Debug)]
pub enum End {
    /// With trailers.
    Trailers(Vec<(&'static str, String)>),
    /// The stream is reset.
    Reset,
    /// None: the last message comes again and again.
    Again,
    /// None: nothing more comes.
    Never,
}

impl End {
    /// With this status.
    pub fn of(code: Code) -> Self {
        Self::Trailers(vec![("grpc-status", i32::from(code).to_string())])
    }
}

/// Messages, and then an end.
pub fn messages<M: Message>(messages: impl IntoIterator<Item = M>, end: End) -> Answer {
    let frames = messages.into_iter().map(|message| frame(&message.encode_to_vec()));
    bytes(frames, end)
}

/// A message with its head.
pub fn frame(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(message.len() + 5);
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.put_slice(message);
    frame.freeze()
}

/// Messages, and then an end. The bytes that the connection has taken of them are counted.
pub fn counted<M: Message>(messages: impl IntoIterator<Item = M>, taken: &Arc<AtomicUsize>, end: End) -> Answer {
    let frames = messages.into_iter().map(|message| frame(&message.encode_to_vec()));
    response(ends(frames, end).counted(taken))
}

/// Messages, each after a pause, and then an end.
pub fn paced<M: Message>(messages: impl IntoIterator<Item = M>, pace: Duration, end: End) -> Answer {
    let frames = messages.into_iter().map(|message| frame(&message.encode_to_vec()));
    response(ends(frames, end).paced(pace))
}

/// Bytes as they are, and then an end.
pub fn bytes(frames: impl IntoIterator<Item = Bytes>, end: End) -> Answer {
    response(ends(frames, end))
}

fn ends(frames: impl IntoIterator<Item = Bytes>, end: End) -> Frames {
    let end = match end {
        End::Trailers(said) => {
            let mut trailers = HeaderMap::new();
            for (name, value) in said {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    trailers.insert(name, value);
                }
            }
            crate::frames::End::Trailers(trailers)
        }
        End::Reset => crate::frames::End::Reset,
        End::Again => crate::frames::End::Again,
        End::Never => crate::frames::End::Never,
    };
    Frames::new(frames, end)
}

fn response(frames: Frames) -> Answer {
    let mut response = http::Response::new(Body::new(frames));
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    Box::pin(async move { response })
}
