//! The permit of a request among the concurrent ones, and its deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use rowkey::Error;
use rowkey::store::{CallOptions, Cancel};
use tokio::sync::OwnedSemaphorePermit;

use crate::Service;
use crate::failure::Failure;

/// A request's turn. It ends when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Turn {
    _permit: Arc<OwnedSemaphorePermit>,
    timeout: Duration,
    deadline: Instant,
    cancel: Cancel,
}

impl Turn {
    /// For all calls of the request together.
    pub(crate) fn options(&self) -> CallOptions {
        CallOptions::new().deadline(self.deadline).cancel(&self.cancel)
    }

    /// For each batch of a stream.
    pub(crate) fn options_of_batches(&self) -> CallOptions {
        CallOptions::new().timeout(self.timeout).cancel(&self.cancel)
    }

    /// For a write that goes on when the request's time is over.
    pub(crate) fn options_of_writes(&self) -> CallOptions {
        CallOptions::new().cancel(&self.cancel)
    }

    /// Waits for what is not a call of the engine, in the request's time.
    pub(crate) async fn within<T>(&self, doing: &'static str, future: impl Future<Output = T>) -> Result<T, Error> {
        self.options().begin(doing, "")?.bound(future, tokio::time::sleep).await
    }
}

impl<D: Send + Sync> FromRequestParts<Arc<Service<D>>> for Turn {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service<D>>) -> Result<Self, Failure> {
        let Ok(permit) = Arc::clone(&service.turns).try_acquire_owned() else {
            return Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests at a time"));
        };
        let most = Duration::from_millis(service.limits.timeout_ms);
        let timeout = match parts.headers.get("request-timeout-ms") {
            None => most,
            Some(value) => {
                let millis = value.to_str().ok().and_then(|digits| digits.parse().ok()).ok_or_else(|| {
                    Failure::new(StatusCode::BAD_REQUEST, "request-timeout-ms is not a number of milliseconds")
                })?;
                most.min(Duration::from_millis(millis))
            }
        };
        let deadline = Instant::now() + timeout;
        Ok(Self { _permit: Arc::new(permit), timeout, deadline, cancel: service.cancel.clone() })
    }
}
