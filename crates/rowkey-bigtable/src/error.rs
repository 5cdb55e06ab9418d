//! Errors of Bigtable.

use rowkey::{Error, ErrorKind};
use tonic::Status;

use crate::client::large;
use crate::client::retry::{is_broken, is_ended};
use crate::client::tokens::kind_before;
use crate::code::Code;

/// The status that Bigtable returned, or the reason why it could not be reached. [`Error::engine_error`] finds it in an
/// [`Error`].
///
/// ```
/// use rowkey::Error;
/// use rowkey_bigtable::{BigtableError, Code};
///
/// fn is_over_quota(error: &Error) -> bool {
///     error.engine_error::<BigtableError>().is_some_and(|error| error.code() == Code::ResourceExhausted)
/// }
/// # assert!(!is_over_quota(&Error::EmptyKey));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("Bigtable: {doing}: {}{}", Described(status), Attempts(*attempts))]
pub struct BigtableError {
    doing: &'static str,
    attempts: u32,
    status: Box<Status>,
}

impl BigtableError {
    pub(crate) fn new(doing: &'static str, attempts: u32, status: Status) -> Self {
        Self { doing, attempts, status: Box::new(status) }
    }

    /// The code of the last attempt's status.
    pub fn code(&self) -> Code {
        Code::of(self.status.code())
    }

    /// The message of the last attempt's status.
    pub fn message(&self) -> &str {
        self.status.message()
    }

    /// The number of attempts.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The key of the row that is too large to be read: for the service, or for this client
    /// ([`largest_row`](crate::BigtableOptions::largest_row)).
    ///
    /// A scan has returned all rows before it, of a salted table those of all buckets, and another one that starts
    /// [after its key](rowkey::nonblocking::TableStream::after_key) returns those after it. Of the row itself fewer
    /// columns can be read, or columns page by page.
    pub fn large_row(&self) -> Option<Vec<u8>> {
        large::row(&self.status)
    }

    /// The status, with its details.
    #[cfg(feature = "unstable-client")]
    pub fn status(&self) -> &Status {
        &self.status
    }
}

/// As an error of the store, with its kind.
impl From<BigtableError> for Error {
    fn from(error: BigtableError) -> Self {
        let kind = match (kind_before(&error.status), error.code()) {
            _ if is_ended(&error.status) => ErrorKind::Other,
            // The call ended while it waited for a token.
            (Some(ErrorKind::Busy), Code::DeadlineExceeded) => ErrorKind::DeadlineExceeded,
            (Some(kind), _) => kind,
            (None, _) if is_broken(&error.status) => ErrorKind::Busy,
            (None, code) => kind_of(code),
        };
        match error.large_row() {
            Some(row) => Self::engine_at(kind, row, error),
            None => Self::engine_of(kind, error),
        }
    }
}

fn kind_of(code: Code) -> ErrorKind {
    match code {
        Code::NotFound => ErrorKind::NotFound,
        Code::AlreadyExists => ErrorKind::AlreadyExists,
        Code::PermissionDenied | Code::Unauthenticated => ErrorKind::PermissionDenied,
        Code::Unavailable | Code::ResourceExhausted | Code::Aborted => ErrorKind::Busy,
        Code::DeadlineExceeded => ErrorKind::DeadlineExceeded,
        Code::Cancelled => ErrorKind::Cancelled,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => ErrorKind::InvalidInput,
        Code::Unimplemented => ErrorKind::Unsupported,
        Code::DataLoss => ErrorKind::Damaged,
        Code::Ok | Code::Unknown | Code::Internal => ErrorKind::Other,
    }
}

struct Described<'s>(&'s Status);

impl std::fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(status) = self;
        write!(f, "{:?}", status.code())?;
        if !status.message().is_empty() {
            write!(f, ": {}", status.message().escape_debug())?;
        }
        let mut cause = std::error::Error::source(status);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

struct Attempts(u32);

impl std::fmt::Display for Attempts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 | 1 => Ok(()),
            attempts => write!(f, " (after {attempts} attempts)"),
        }
    }
}
