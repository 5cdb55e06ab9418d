//! Errors of HBase's client as errors of a store.

use hbase_client::ErrorKind as Hbase;
use rowkey::store::Call;
use rowkey::{Error, ErrorKind};

/// The error of a call on `table`. [`Error::engine_error`] finds the client's error in it.
///
/// An operation of the client ends with its call. If that is over, the error says so, unless the client knows a cause
/// that time would not have mended.
pub(crate) fn error(table: &str, error: hbase_client::Error, call: &Call<'_>) -> Error {
    match error.kind() {
        Hbase::TableNotFound => return Error::NoSuchTable(table.to_owned()),
        Hbase::TableExists => return Error::TableExists(table.to_owned()),
        Hbase::OutcomeUnknown => {
            let source = match call.check() {
                Err(ended) => ended,
                // A step before the one that decides an operation leaves its error alone, which may be retryable.
                Ok(()) => of_kind(error.failure_kind(), error),
            };
            return Error::OutcomeUnknown { table: table.to_owned(), source: Box::new(source) };
        }
        Hbase::Busy | Hbase::Unavailable => {
            if let Err(ended) = call.check() {
                return ended;
            }
            // The client ends a little before the call, when no attempt can be made any more.
            if let Some(late) = call.deadline_exceeded().filter(|_| error.is_timeout()) {
                return late;
            }
        }
        _ => {}
    }
    of_client(error)
}

/// The client's error as that of an engine.
pub(crate) fn of_client(error: hbase_client::Error) -> Error {
    of_kind(error.kind(), error)
}

fn of_kind(kind: Hbase, error: hbase_client::Error) -> Error {
    let kind = match kind {
        Hbase::Busy | Hbase::Unavailable | Hbase::TableDisabled => ErrorKind::Busy,
        Hbase::Invalid | Hbase::TooLarge | Hbase::FamilyNotFound => ErrorKind::InvalidInput,
        Hbase::NamespaceNotFound => ErrorKind::NotFound,
        Hbase::NamespaceExists => ErrorKind::AlreadyExists,
        Hbase::NotACounter => ErrorKind::Mismatch,
        Hbase::AccessDenied | Hbase::Security => ErrorKind::PermissionDenied,
        Hbase::Malformed => ErrorKind::Damaged,
        _ => ErrorKind::Other,
    };
    match error.row().filter(|row| !row.is_empty()).cloned() {
        Some(row) => Error::engine_at(kind, row, error),
        None => Error::engine_of(kind, error),
    }
}
