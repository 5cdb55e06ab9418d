//! Which failures are tried again, and when.

use std::error::Error as StdError;
use std::time::{Duration, Instant};

use prost::Message;
use tonic::{Code, ConnectError, Status};

use super::proto::{RetryInfo, RpcStatus};

/// The pauses between attempts, and when the last one was.
#[derive(Debug)]
pub(crate) struct Retry {
    retry_for: Duration,
    pause: Duration,
    /// When the first failure since the last progress was.
    since: Option<Instant>,
    attempts: u32,
}

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

impl Retry {
    pub(crate) fn new(retry_for: Duration) -> Self {
        Self { retry_for, pause: FIRST_PAUSE, since: None, attempts: 0 }
    }

    /// Counts an attempt.
    pub(crate) fn begin(&mut self) {
        self.attempts = self.attempts.saturating_add(1);
    }

    /// The number of attempts.
    pub(crate) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Something came: the next failure is the first one again.
    pub(crate) fn progress(&mut self) {
        self.pause = FIRST_PAUSE;
        self.since = None;
    }

    /// How long to wait before the next attempt; `None` if the time for them is over. The server's own wish goes first.
    /// Half of a pause is random, so that clients that failed together do not come back together.
    pub(crate) fn pause(&mut self, wish: Option<Duration>) -> Option<Duration> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let pause = wish.unwrap_or_else(|| self.pause.mul_f64(0.5 + fastrand::f64() / 2.0));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        (since.elapsed() + pause < self.retry_for).then_some(pause)
    }
}

/// How long the server asks to wait before the next attempt.
pub(crate) fn wish(status: &Status) -> Option<Duration> {
    let status = RpcStatus::decode(status.details()).ok()?;
    let detail = status.details.iter().find(|detail| detail.type_url.ends_with("/google.rpc.RetryInfo"))?;
    let delay = RetryInfo::decode(detail.value.as_slice()).ok()?.retry_delay?;
    Duration::try_from(delay).ok()
}

/// Whether the same request may succeed if it is sent again.
pub(crate) fn is_transient(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Aborted | Code::DeadlineExceeded)
        || is_broken(status)
        || wish(status).is_some()
        // What proxies make of a stream that was reset.
        || (status.code() == Code::Internal && RESETS.iter().any(|reset| status.message().contains(reset)))
}

const RESETS: [&str; 3] = ["RST_STREAM", "Received unexpected EOS", "Received Rst stream"];

/// Whether the connection failed, and no server sent this status.
pub(crate) fn is_broken(status: &Status) -> bool {
    status.source().is_some()
}

/// Whether the request was not sent: the connection could not be made.
pub(crate) fn is_unsent(status: &Status) -> bool {
    let mut cause = status.source();
    while let Some(error) = cause {
        if error.is::<ConnectError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Whether the server refused the request, so that nothing was written.
pub(crate) fn is_refusal(status: &Status) -> bool {
    !is_broken(status)
        && matches!(
            status.code(),
            Code::InvalidArgument
                | Code::NotFound
                | Code::AlreadyExists
                | Code::PermissionDenied
                | Code::Unauthenticated
                | Code::FailedPrecondition
                | Code::OutOfRange
                | Code::Unimplemented
                | Code::ResourceExhausted
        )
}
