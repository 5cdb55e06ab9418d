//! Faults of one call.

use std::borrow::Cow;

use rowkey_retry::{Delay, Failure};

use super::cause::Cause;
use super::exception::{Exception, Reaction};

/// The fault of one call. It tells first whether the server may have executed it.
#[derive(Debug, Clone)]
pub(crate) enum CallFault {
    /// The server did not get the whole call, so it did nothing.
    NotSent(Cause),
    /// The call was sent, and no response came.
    Unanswered(Cause),
    /// The server answered with an exception. If its class is one that says so, it did nothing.
    Refused(Exception),
    /// The server carried out the call, and its response is larger than the limit: the number of its bytes.
    TooLarge(usize),
    /// The response is malformed. The server may have carried out the call.
    Malformed(Cow<'static, str>),
}

impl CallFault {
    /// A malformed response, and the reason.
    pub(crate) const fn malformed(what: &'static str) -> Self {
        Self::Malformed(Cow::Borrowed(what))
    }

    /// Returns whether the server may have carried out the call, or may still do so.
    pub(crate) fn may_have_executed(&self) -> bool {
        match self {
            Self::Unanswered(_) | Self::TooLarge(_) | Self::Malformed(_) => true,
            Self::Refused(exception) => exception.may_have_executed(),
            Self::NotSent(_) => false,
        }
    }

    /// Returns when the call may succeed, or `None` if it would fail again.
    pub(crate) fn delay(&self) -> Option<Delay> {
        match self {
            Self::NotSent(Cause::Idle) => Some(Delay::Immediate),
            Self::NotSent(Cause::Security(_)) | Self::TooLarge(_) | Self::Malformed(_) => None,
            Self::NotSent(_) | Self::Unanswered(_) => Some(Delay::Backoff),
            Self::Refused(exception) => match exception.reaction() {
                Reaction::Fail | Reaction::Reopen => None,
                Reaction::Repeat => Some(Delay::Immediate),
                _ if exception.overloaded() => Some(Delay::Overloaded),
                _ => Some(Delay::Backoff),
            },
        }
    }

    pub(crate) fn failure(&self) -> Failure {
        Failure { may_have_executed: self.may_have_executed(), delay: self.delay() }
    }

    /// Returns why a look-up failed of which this was a call.
    pub(crate) fn into_cause(self) -> Cause {
        match self {
            Self::NotSent(cause) | Self::Unanswered(cause) => cause,
            Self::Refused(exception) => Cause::said(exception.to_string()),
            Self::TooLarge(bytes) => Cause::said(too_large(bytes)),
            Self::Malformed(what) => Cause::said(what),
        }
    }

    /// Returns whether the server may be gone: the call has no response, and no other call had one meanwhile.
    pub(crate) fn doubts_server(&self) -> bool {
        matches!(self, Self::Unanswered(cause) if !matches!(cause, Cause::Slow))
    }
}

/// The words on a response with more bytes than [`response_bytes`](crate::Options::response_bytes).
pub(crate) fn too_large(bytes: usize) -> String {
    format!("the response has {bytes} bytes, more than the limit of one")
}
