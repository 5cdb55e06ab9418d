//! The error of an operation: its kind, the exception or the cause, and the place.

mod cause;
mod exception;
mod fault;
#[cfg(feature = "tls")]
pub(crate) mod refusal;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

pub(crate) use self::cause::Cause;
pub use self::exception::Exception;
pub(crate) use self::exception::Reaction;
pub(crate) use self::fault::{CallFault, too_large};
use crate::model::names::InvalidName;
use crate::model::region::{Location, readable};
use crate::model::server::Address;
use crate::model::table_name::TableName;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of an operation: its kind, the last exception of a server, the server, the region, the row, and the number
/// of attempts. Clones share it.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    /// As if nothing had been changed.
    kind: ErrorKind,
    is_outcome_unknown: bool,
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

/// The place of a failure, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The operation on a table or a namespace, if it was not on a row.
    pub(crate) operation: Option<Arc<str>>,
    pub(crate) table: Option<TableName>,
    pub(crate) region: Option<Bytes>,
    pub(crate) server: Option<Address>,
    pub(crate) row: Option<Bytes>,
}

/// The kind of an error, which tells how to handle it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request can't be sent as it is. Nothing was changed.
    Invalid,
    /// There is no such table. Nothing was changed. Also returned for a moment while HBase truncates the table.
    TableNotFound,
    /// The table is disabled. Nothing was changed.
    TableDisabled,
    /// The table is enabled, and has to be disabled for this. Nothing was changed.
    #[doc(alias = "TableNotDisabledException")]
    TableEnabled,
    /// There is a table with this name already. Nothing was changed.
    #[doc(alias = "TableExistsException")]
    TableExists,
    /// There is no such namespace. Nothing was changed.
    #[doc(alias = "NamespaceNotFoundException")]
    NamespaceNotFound,
    /// There is a namespace with this name already. Nothing was changed.
    #[doc(alias = "NamespaceExistException")]
    NamespaceExists,
    /// The table has no such family. Nothing was changed.
    #[doc(alias = "NoSuchColumnFamilyException")]
    FamilyNotFound,
    /// The value to be incremented is not one of eight bytes. Nothing was changed.
    NotACounter,
    /// The user may not do this. Nothing was changed.
    #[doc(alias = "AccessDeniedException")]
    AccessDenied,
    /// The server refuses the request, and would refuse it again. Nothing was changed.
    #[doc(alias = "DoNotRetryIOException")]
    Refused,
    /// Servers answered, and did not serve the request until the time was over: its region was not online, or they had
    /// too much to do. Nothing was changed. It may be tried later.
    #[doc(alias = "NotServingRegionException")]
    #[doc(alias = "RegionTooBusyException")]
    #[doc(alias = "CallQueueTooBigException")]
    #[doc(alias = "PleaseHoldException")]
    Busy,
    /// No server could be asked in time. Nothing was changed. It may be tried later.
    Unavailable,
    /// The client and a server do not trust each other: TLS or Kerberos failed, or the server does not let the user in.
    /// Nothing was changed.
    Security,
    /// The request was sent, and no response came, or an exception that does not say whether anything was done: a write
    /// may have been carried out or not. Read the row to find out.
    OutcomeUnknown,
    /// The response, or a row of a scan, is larger than [`response_bytes`](crate::Options::response_bytes). Read less
    /// of the row at a time, or scan it [in pieces](crate::Scan::allow_partial_rows). Of a write: a cell is larger than
    /// the server takes (`hbase.server.keyvalue.maxsize`), and nothing was changed.
    TooLarge,
    /// A server sent what is not HBase's protocol. A read, and a write that may be retried, was retried once.
    Malformed,
}

impl From<InvalidName> for Error {
    fn from(InvalidName(why): InvalidName) -> Self {
        Self::invalid(why)
    }
}

impl Error {
    pub(crate) fn invalid(why: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, Why::Said(why.into()))
    }

    pub(crate) fn no_runtime() -> Self {
        Self::invalid("outside of a tokio runtime: the client needs one for its connections and its timers")
    }

    pub(crate) fn no_table(table: &TableName) -> Self {
        Self::new(ErrorKind::TableNotFound, Why::Said(format!("table {table} does not exist"))).of_table(table)
    }

    pub(crate) fn disabled(table: &TableName) -> Self {
        Self::new(ErrorKind::TableDisabled, Why::Said(format!("table {table} is disabled"))).of_table(table)
    }

    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, Why::Said(what.into()))
    }

    pub(crate) fn unavailable(cause: Cause) -> Self {
        let kind = if cause.is_security() { ErrorKind::Security } else { ErrorKind::Unavailable };
        Self::new(kind, Why::Cause(cause))
    }

    pub(crate) fn refused(exception: Exception) -> Self {
        let kind = match exception.reaction() {
            Reaction::Fail => kind_of(&exception),
            _ => ErrorKind::Busy,
        };
        Self::new(kind, Why::Exception(exception))
    }

    /// A procedure of the master that ended with an exception, and was rolled back.
    pub(crate) fn of_procedure(exception: Exception) -> Self {
        Self::new(kind_of(&exception), Why::Exception(exception))
    }

    fn new(kind: ErrorKind, why: Why) -> Self {
        Self(Arc::new(Inner { kind, is_outcome_unknown: false, why, place: Place::default(), attempts: 0 }))
    }

    /// The error of a call, as if it had changed nothing.
    pub(crate) fn of_call(fault: CallFault) -> Self {
        match fault {
            CallFault::NotSent(cause) | CallFault::Unanswered(cause) => Self::unavailable(cause),
            CallFault::Refused(exception) => Self::refused(exception),
            CallFault::TooLarge(bytes) => Self::new(ErrorKind::TooLarge, Why::Said(too_large(bytes))),
            CallFault::Malformed(what) => Self::malformed(what),
        }
    }

    /// The same error after an attempt whose outcome is not known.
    pub(crate) fn outcome_unknown(self) -> Self {
        self.with(|inner| inner.is_outcome_unknown = true)
    }

    pub(crate) fn after(self, attempts: u32) -> Self {
        self.with(|inner| inner.attempts = attempts)
    }

    pub(crate) fn of_table(self, table: &TableName) -> Self {
        self.with(|inner| inner.place.table = Some(table.clone()))
    }

    pub(crate) fn of_operation(self, operation: &'static str, table: &TableName) -> Self {
        let of_table = format!("`{operation}` of table {table}");
        self.of_table(table).with(|inner| inner.place.operation = Some(of_table.into()))
    }

    pub(crate) fn of_namespace(self, operation: &'static str, namespace: &str) -> Self {
        let of_namespace = format!("`{operation}` of namespace {namespace}");
        self.with(|inner| inner.place.operation = Some(of_namespace.into()))
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

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        if self.0.is_outcome_unknown { ErrorKind::OutcomeUnknown } else { self.0.kind }
    }

    /// The kind of the failure after which the outcome is unknown, as if nothing had been changed; of any other error
    /// its [`kind`](Self::kind). It tells whether a request that may be repeated may succeed later.
    ///
    /// ```
    /// use hbase_client::ErrorKind;
    ///
    /// # async fn example(table: hbase_client::Table) -> hbase_client::Result<()> {
    /// # let put = hbase_client::Put::new("r").value("f", "q", "v").at_most_once();
    /// let Err(error) = table.put(put).await else { return Ok(()) };
    /// if error.kind() == ErrorKind::OutcomeUnknown && error.failure_kind() == ErrorKind::Unavailable {
    ///     println!("the connection was lost: read the row");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn failure_kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns whether the same request may succeed later, and nothing was changed so far: [`Busy`](ErrorKind::Busy) or
    /// [`Unavailable`](ErrorKind::Unavailable).
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind(), ErrorKind::Busy | ErrorKind::Unavailable)
    }

    /// Returns whether the error says no more than that the time of the operation was over. Nothing was changed.
    #[doc(alias = "CallTimeoutException")]
    pub fn is_timeout(&self) -> bool {
        let of_time = matches!(&self.0.why, Why::Cause(Cause::TimedOut | Cause::Slow));
        of_time && self.kind() == ErrorKind::Unavailable
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

    /// The number of attempts.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }
}

/// The kind of an exception after which the call would fail again.
fn kind_of(exception: &Exception) -> ErrorKind {
    // HBase has no classes of its own for them.
    const NOT_A_COUNTER: &str = "Field is not a long";
    const TOO_LARGE: &str = "exceeds limit of";
    match exception.class().strip_prefix("org.apache.hadoop.hbase.").unwrap_or_default() {
        "TableNotFoundException" => ErrorKind::TableNotFound,
        "TableNotEnabledException" => ErrorKind::TableDisabled,
        "TableNotDisabledException" => ErrorKind::TableEnabled,
        "TableExistsException" => ErrorKind::TableExists,
        "NamespaceNotFoundException" => ErrorKind::NamespaceNotFound,
        "NamespaceExistException" => ErrorKind::NamespaceExists,
        "regionserver.NoSuchColumnFamilyException" => ErrorKind::FamilyNotFound,
        "security.AccessDeniedException" => ErrorKind::AccessDenied,
        "DoNotRetryIOException" if exception.message().starts_with(NOT_A_COUNTER) => ErrorKind::NotACounter,
        "DoNotRetryIOException" if exception.message().contains(TOO_LARGE) => ErrorKind::TooLarge,
        _ => ErrorKind::Refused,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { is_outcome_unknown, why, place, attempts, .. } = &*self.0;
        let operation = place.operation.as_deref();
        if *is_outcome_unknown {
            let what = operation.unwrap_or("the write");
            write!(f, "it is not known whether {what} was carried out: ")?;
        }
        match why {
            Why::Said(text) => f.write_str(text)?,
            Why::Cause(cause) => write!(f, "{cause}")?,
            Why::Exception(exception) => write!(f, "{exception}")?,
        }
        let mut places = Vec::from_iter(operation.map(str::to_owned));
        if matches!(why, Why::Cause(_)) && operation.is_none() && place.region.is_none() {
            places.extend(place.table.as_ref().map(|table| format!("table {table}")));
        }
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
        write!(f, "{:?}: {self}", self.kind())
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
        assert_eq!((error.kind(), error.attempts(), error.is_retryable()), (ErrorKind::Busy, 3, true));
        let error = error.outcome_unknown();
        assert!(error.to_string().starts_with("it is not known"), "{error}");
        assert_eq!((error.kind(), error.failure_kind()), (ErrorKind::OutcomeUnknown, ErrorKind::Busy));
        assert!(!error.is_retryable());
        assert_eq!(error.exception().map(Exception::message), Some("busy"));
        let error = Error::invalid("why").of_operation("create", &"t".into());
        assert_eq!(error.to_string(), "why (`create` of table t)");
        let error = error.outcome_unknown().to_string();
        assert!(error.starts_with("it is not known whether `create` of table t was carried out: why"), "{error}");
    }

    #[test]
    fn what_can_be_told_apart_has_a_kind_of_its_own() {
        let kind = |class: &str, text: &str| {
            let class = format!("org.apache.hadoop.hbase.{class}");
            let error = Error::refused(Exception::named(&class, format!("{class}: {text}").as_bytes()));
            (error.kind(), error.is_retryable())
        };
        for (class, of) in [
            ("TableNotFoundException", ErrorKind::TableNotFound),
            ("TableNotEnabledException", ErrorKind::TableDisabled),
            ("TableNotDisabledException", ErrorKind::TableEnabled),
            ("TableExistsException", ErrorKind::TableExists),
            ("NamespaceNotFoundException", ErrorKind::NamespaceNotFound),
            ("NamespaceExistException", ErrorKind::NamespaceExists),
            ("regionserver.NoSuchColumnFamilyException", ErrorKind::FamilyNotFound),
            ("security.AccessDeniedException", ErrorKind::AccessDenied),
            ("DoNotRetryIOException", ErrorKind::Refused),
            ("quotas.SpaceLimitingException", ErrorKind::Refused),
        ] {
            assert_eq!(kind(class, "why"), (of, false), "{class}");
        }
        assert_eq!(kind("DoNotRetryIOException", "Field is not a long, it's 3 bytes wide").0, ErrorKind::NotACounter);
        for later in
            ["NotServingRegionException", "exceptions.RegionOpeningException", "PleaseHoldException", "Unknown"]
        {
            assert_eq!(kind(later, "why"), (ErrorKind::Busy, true), "{later}");
        }
        let procedure = Error::of_procedure(Exception::named("java.lang.Exception", b"why"));
        assert_eq!(procedure.kind(), ErrorKind::Refused);
    }
}
