//! Codes of gRPC statuses.

/// The code of a gRPC status, as [its documentation](https://grpc.io/docs/guides/status-codes/) defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// No error.
    Ok,
    /// The operation was cancelled.
    Cancelled,
    /// An error without another code.
    Unknown,
    /// An argument that is wrong whatever the state of the instance.
    InvalidArgument,
    /// The deadline expired before the operation ended, which may have been applied.
    DeadlineExceeded,
    /// A table, family or instance that does not exist.
    NotFound,
    /// The entity to create already exists.
    AlreadyExists,
    /// The caller has no right to do it.
    PermissionDenied,
    /// A quota, or the memory of a server, is used up.
    ResourceExhausted,
    /// The instance is not in the state that the operation needs.
    FailedPrecondition,
    /// The operation ended early, by a conflict with another one.
    Aborted,
    /// A value is beyond its range.
    OutOfRange,
    /// The operation does not exist here.
    Unimplemented,
    /// An invariant of the service is broken.
    Internal,
    /// The service can't be reached now.
    Unavailable,
    /// Data is lost or damaged.
    DataLoss,
    /// The credentials are missing or invalid.
    Unauthenticated,
}

impl Code {
    pub(crate) fn of(code: tonic::Code) -> Self {
        match code {
            tonic::Code::Ok => Self::Ok,
            tonic::Code::Cancelled => Self::Cancelled,
            tonic::Code::Unknown => Self::Unknown,
            tonic::Code::InvalidArgument => Self::InvalidArgument,
            tonic::Code::DeadlineExceeded => Self::DeadlineExceeded,
            tonic::Code::NotFound => Self::NotFound,
            tonic::Code::AlreadyExists => Self::AlreadyExists,
            tonic::Code::PermissionDenied => Self::PermissionDenied,
            tonic::Code::ResourceExhausted => Self::ResourceExhausted,
            tonic::Code::FailedPrecondition => Self::FailedPrecondition,
            tonic::Code::Aborted => Self::Aborted,
            tonic::Code::OutOfRange => Self::OutOfRange,
            tonic::Code::Unimplemented => Self::Unimplemented,
            tonic::Code::Internal => Self::Internal,
            tonic::Code::Unavailable => Self::Unavailable,
            tonic::Code::DataLoss => Self::DataLoss,
            tonic::Code::Unauthenticated => Self::Unauthenticated,
        }
    }
}
