//! Errors as responses.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rowkey::{CursorError, Error, ErrorKind};
use serde_json::json;

/// An error of the engine, or of what the client sent.
pub(crate) struct Refused(pub(crate) Error);

impl<E: Into<Error>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl Refused {
    pub(crate) fn cursor(error: CursorError) -> Self {
        Self(error.into())
    }
}

fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorKind::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        ErrorKind::Busy | ErrorKind::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
        // The outcome is unknown too: the client may send the visit again.
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self(error) = self;
        (status(error.kind()), Json(json!({ "error": error.to_string() }))).into_response()
    }
}
