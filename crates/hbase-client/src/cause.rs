use std::io;
use std::sync::Arc;

/// Why a connection or a look-up failed. It is cloned for all who wait for it.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Cause {
    #[error("{what}")]
    Io { what: &'static str, source: Arc<io::Error> },
    #[error("{0}")]
    Said(Arc<str>),
    #[error("no answer in time")]
    TimedOut,
    #[error("the connection was closed because it was idle")]
    Idle,
}

impl Cause {
    pub(crate) fn io(what: &'static str, source: io::Error) -> Self {
        Self::Io { what, source: Arc::new(source) }
    }

    pub(crate) fn said(text: impl AsRef<str>) -> Self {
        Self::Said(text.as_ref().into())
    }
}
