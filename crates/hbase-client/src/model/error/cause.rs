//! Causes of failed connections and look-ups.

use std::sync::Arc;
use std::{fmt, io};

/// The cause of a failed connection or look-up. It is cloned for all who wait for it.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Cause {
    #[error("{what}")]
    Io { what: &'static str, source: Arc<io::Error> },
    #[error("{0}")]
    Said(Arc<str>),
    /// The two ends do not trust each other. Nothing was carried out on the connection, and it is useless to try again.
    #[error("{0}")]
    Security(Arc<str>),
    #[error("no response in time")]
    TimedOut,
    /// As `TimedOut`, of a server that answered other calls meanwhile.
    #[error("no response in time")]
    Slow,
    #[error("the connection was closed because it was idle")]
    Idle,
}

/// The refusal of TLS that a stream's error carries, if any.
fn refusal(error: &io::Error) -> Option<String> {
    #[cfg(feature = "tls")]
    return super::refusal::refusal(error);
    #[cfg(not(feature = "tls"))]
    return error.get_ref().and(None);
}

impl Cause {
    pub(crate) fn io(what: &'static str, source: io::Error) -> Self {
        match refusal(&source) {
            Some(why) => Self::security(why),
            None => Self::Io { what, source: Arc::new(source) },
        }
    }

    pub(crate) fn security(text: impl AsRef<str>) -> Self {
        Self::Security(text.as_ref().into())
    }

    /// The same cause, of what was to be done at `place`.
    pub(crate) fn at(&self, place: impl fmt::Display) -> Self {
        let text = match self {
            Self::Io { what, source } => format!("{place}: {what}: {source}"),
            told => format!("{place}: {told}"),
        };
        if self.is_security() { Self::security(text) } else { Self::said(text) }
    }

    pub(crate) fn is_security(&self) -> bool {
        matches!(self, Self::Security(_))
    }

    /// A task ended without a result.
    pub(crate) fn runtime_stopped() -> Self {
        Self::said("the runtime stopped, or a task panicked")
    }

    pub(crate) fn said(text: impl AsRef<str>) -> Self {
        Self::Said(text.as_ref().into())
    }
}
