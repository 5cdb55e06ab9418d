use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::cause::Cause;
use crate::exception::Exception;
use crate::regions::{Location, readable};
use crate::rpc::CallFault;
use crate::server::Address;
use crate::table_name::TableName;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed, and where: its kind, the last exception of a server, the server, the region, the row, and the
/// number of attempts. Clones share it.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    why: Why,
    place: Place,
    attempts: u32,
}

#[derive(Clone)]
enum Why {
    Said(String),
    Cause(Cause),
    Exception(Exception),
}

/// Where something failed, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// What was done to the table, if it was no row's.
    pub(crate) operation: Option<&'static str>,
    pub(crate) table: Option<TableName>,
    pub(crate) region: Option<Bytes>,
    pub(crate) server: Option<Address>,
    pub(crate) row: Option<Bytes>,
}

/// What to do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request can't be sent as it is. Nothing was changed.
    Invalid,
    /// There is no such table. Nothing was changed. While HBase truncates a table, it knows none for a moment.
    TableNotFound,
    /// The table is disabled. Nothing was changed.
    TableDisabled,
    /// The server refuses the request, and would refuse it again; or it did so until the time was over. Nothing was changed.
    Refused,
    /// No server could be asked in time. Nothing was changed.
    Unavailable,
    /// The client and a server do not trust each other: TLS or Kerberos failed, or the server does not let the user in.
    /// Nothing was changed.
    Security,
    /// The request was sent, and no answer came, or an exception that does not say whether anything was done: a write may have been
    /// carried out or not. Read the row to find out.
    OutcomeUnknown,
    /// The answer, or a row of a scan, is larger than [`answer_bytes`](crate::Options::answer_bytes). Read less of the row at a
    /// time, or scan it [in pieces](crate::Scan::in_pieces).
    TooLarge,
    /// A server sent what is not HBase's protocol.
    Malformed,
}

impl Error {
    pub(crate) fn invalid(why: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, Why::Said(why.into()))
    }

    pub(crate) fn no_table(table: &TableName) -> Self {
        Self::new(ErrorKind::TableNotFound, Why::Said(format!("table {table} does not exist"))).of_table(table)
    }

    pub(crate) fn disabled(table: &TableName) -> Self {
        Self::new(ErrorKind::TableDisabled, Why::Said(format!("table {table} is disabled"))).of_table(table)
    }

    pub(crate) fn malformed(what: &'static str) -> Self {
        Self::new(ErrorKind::Malformed, Why::Said(format!("a server sent {what} that cannot be read")))
    }

    pub(crate) fn unavailable(cause: Cause) -> Self {
        let kind = if cause.is_security() { ErrorKind::Security } else { ErrorKind::Unavailable };
        Self::new(kind, Why::Cause(cause))
    }

    pub(crate) fn refused(exception: Exception) -> Self {
        let kind = match exception.class() {
            "org.apache.hadoop.hbase.TableNotFoundException" => ErrorKind::TableNotFound,
            "org.apache.hadoop.hbase.TableNotEnabledException" => ErrorKind::TableDisabled,
            _ => ErrorKind::Refused,
        };
        Self::new(kind, Why::Exception(exception))
    }

    fn new(kind: ErrorKind, why: Why) -> Self {
        Self(Arc::new(Inner { kind, why, place: Place::default(), attempts: 0 }))
    }

    /// The error of a call. `changes`: whether a server may have changed something by it.
    pub(crate) fn of_call(fault: CallFault, changes: bool) -> Self {
        match fault {
            CallFault::NotSent(cause) => Self::unavailable(cause),
            CallFault::Unanswered(cause) if changes => Self::new(ErrorKind::OutcomeUnknown, Why::Cause(cause)),
            CallFault::Unanswered(cause) => Self::unavailable(cause),
            CallFault::Refused(exception) => Self::refused(exception),
            CallFault::TooLarge(bytes) => {
                Self::new(ErrorKind::TooLarge, Why::Said(format!("{bytes} bytes are more than the largest answer")))
            }
            CallFault::Malformed(what) => Self::malformed(what),
        }
    }

    /// The same error after an attempt whose outcome is not known.
    pub(crate) fn outcome_unknown(self) -> Self {
        self.with(|inner| inner.kind = ErrorKind::OutcomeUnknown)
    }

    pub(crate) fn after(self, attempts: u32) -> Self {
        self.with(|inner| inner.attempts = attempts)
    }

    pub(crate) fn of_table(self, table: &TableName) -> Self {
        self.with(|inner| inner.place.table = Some(table.clone()))
    }

    pub(crate) fn of_operation(self, operation: &'static str, table: &TableName) -> Self {
        self.of_table(table).with(|inner| inner.place.operation = Some(operation))
    }

    /// The table of a scan, and the row where it stands, if no more is known.
    pub(crate) fn of_scan(self, table: &TableName, row: &Bytes) -> Self {
        self.with(|inner| {
            inner.place.table.get_or_insert_with(|| table.clone());
            inner.place.row.get_or_insert_with(|| row.clone());
        })
    }

    pub(crate) fn at(self, location: &Location, row: &[u8]) -> Self {
        self.with(|inner| {
            inner.place = Place {
                operation: None,
                table: Some(location.region.table().clone()),
                region: Some(location.region.name().clone()),
                server: Some(location.server.address().clone()),
                row: Some(Bytes::copy_from_slice(row)),
            }
        })
    }

    pub(crate) fn at_server(self, server: &Address) -> Self {
        self.with(|inner| inner.place.server = Some(server.clone()))
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The exception that a server answered with last.
    pub fn exception(&self) -> Option<&Exception> {
        match &self.0.why {
            Why::Exception(exception) => Some(exception),
            _ => None,
        }
    }

    /// The table.
    pub fn table(&self) -> Option<&TableName> {
        self.0.place.table.as_ref()
    }

    /// The whole name of the region that was asked last.
    pub fn region(&self) -> Option<&Bytes> {
        self.0.place.region.as_ref()
    }

    /// The server that was asked last.
    pub fn server(&self) -> Option<&Address> {
        self.0.place.server.as_ref()
    }

    /// The row.
    pub fn row(&self) -> Option<&Bytes> {
        self.0.place.row.as_ref()
    }

    /// How many attempts were made.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, why, place, attempts } = &*self.0;
        let of_table = |(operation, table)| format!("`{operation}` of table {table}");
        let operation = place.operation.zip(place.table.as_ref()).map(of_table);
        if *kind == ErrorKind::OutcomeUnknown {
            let what = operation.as_deref().unwrap_or("the write");
            write!(f, "it is not known whether {what} was carried out: ")?;
        }
        match why {
            Why::Said(text) => f.write_str(text)?,
            Why::Cause(cause) => write!(f, "{cause}")?,
            Why::Exception(exception) => write!(f, "{exception}")?,
        }
        let mut places = Vec::from_iter(operation);
        places.extend(place.server.as_ref().map(|server| format!("server {server}")));
        places.extend(place.region.as_ref().map(|region| format!("region {}", readable(region))));
        places.extend(place.row.as_ref().map(|row| format!("row \"{}\"", readable(row))));
        if *attempts > 1 {
            places.push(format!("{attempts} attempts"));
        }
        if !places.is_empty() {
            write!(f, " ({})", places.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.why {
            // The cause itself is in the text above it.
            Why::Cause(cause) => std::error::Error::source(cause),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_and_where() {
        let exception = Exception::named("org.apache.hadoop.hbase.RegionTooBusyException", b"busy");
        let error = Error::refused(exception).at_server(&Address::new("h", 1)).after(3);
        assert_eq!(error.to_string(), "RegionTooBusyException: busy (server h:1, 3 attempts)");
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Refused, 3));
        let error = error.outcome_unknown();
        assert!(error.to_string().starts_with("it is not known"), "{error}");
        assert_eq!(error.exception().map(Exception::message), Some("busy"));
        let error = Error::invalid("why").of_operation("create", &"t".into());
        assert_eq!(error.to_string(), "why (`create` of table t)");
        let error = error.outcome_unknown().to_string();
        assert!(error.starts_with("it is not known whether `create` of table t was carried out: why"), "{error}");
    }

    #[test]
    fn only_a_change_without_an_answer_has_an_unknown_outcome() {
        let of = |fault, changes| Error::of_call(fault, changes).kind();
        assert_eq!(of(CallFault::Unanswered(Cause::TimedOut), true), ErrorKind::OutcomeUnknown);
        assert_eq!(of(CallFault::Unanswered(Cause::TimedOut), false), ErrorKind::Unavailable);
        assert_eq!(of(CallFault::NotSent(Cause::TimedOut), true), ErrorKind::Unavailable);
    }
}
