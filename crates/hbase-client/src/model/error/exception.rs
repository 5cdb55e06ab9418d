//! Exceptions of servers, and what each of HBase's classes means for the next attempt.

use std::fmt;
use std::sync::Arc;

use crate::model::server::{Address, ServerName};
use crate::pb;

/// An exception of a server, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    class: Arc<str>,
    stack_trace: Arc<str>,
    do_not_retry: bool,
    overloaded: bool,
}

/// The reaction of a client to an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// The region is not there: look it up again.
    Relocate,
    /// The region is there and will serve soon: back off and keep what is known.
    BackOff,
    /// The server did its part, and the rest has to be asked for: call again at once.
    Repeat,
    /// The server is going, or not ready: drop the connection and look the region up again.
    LeaveServer,
    /// The scanner is gone: open another one where the scan stands.
    Reopen,
    /// The call would fail again.
    Fail,
}

/// The classes that mean something to a client, by their whole names. A subclass has a line of its own.
const REACTIONS: &[(&str, Reaction)] = {
    use Reaction::{BackOff, LeaveServer, Relocate, Reopen, Repeat};
    &[
        ("org.apache.hadoop.hbase.NotServingRegionException", Relocate),
        ("org.apache.hadoop.hbase.exceptions.RegionMovedException", Relocate),
        ("org.apache.hadoop.hbase.regionserver.WrongRegionException", Relocate),
        ("org.apache.hadoop.hbase.client.RegionOfflineException", Relocate),
        ("org.apache.hadoop.hbase.exceptions.RegionOpeningException", BackOff),
        ("org.apache.hadoop.hbase.RegionTooBusyException", BackOff),
        ("org.apache.hadoop.hbase.CallQueueTooBigException", BackOff),
        ("org.apache.hadoop.hbase.CallDroppedException", BackOff),
        ("org.apache.hadoop.hbase.quotas.RpcThrottlingException", BackOff),
        ("org.apache.hadoop.hbase.PleaseHoldException", BackOff),
        ("org.apache.hadoop.hbase.client.LockTimeoutException", BackOff),
        ("org.apache.hadoop.hbase.exceptions.TimeoutIOException", BackOff),
        ("org.apache.hadoop.hbase.ipc.CallTimeoutException", BackOff),
        ("org.apache.hadoop.hbase.MultiActionResultTooLarge", Repeat),
        ("org.apache.hadoop.hbase.RetryImmediatelyException", Repeat),
        ("org.apache.hadoop.hbase.regionserver.RegionServerStoppedException", LeaveServer),
        ("org.apache.hadoop.hbase.regionserver.RegionServerAbortedException", LeaveServer),
        ("org.apache.hadoop.hbase.ipc.ServerNotRunningYetException", LeaveServer),
        ("org.apache.hadoop.hbase.MasterNotRunningException", LeaveServer),
        ("org.apache.hadoop.hbase.PleaseRestartMasterException", LeaveServer),
        ("org.apache.hadoop.hbase.exceptions.MasterStoppedException", LeaveServer),
        ("org.apache.hadoop.hbase.YouAreDeadException", LeaveServer),
        ("org.apache.hadoop.hbase.UnknownScannerException", Reopen),
        ("org.apache.hadoop.hbase.regionserver.LeaseException", Reopen),
        ("org.apache.hadoop.hbase.exceptions.ScannerResetException", Reopen),
        ("org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException", Reopen),
    ]
};

/// `DoNotRetryIOException` and its subclasses in HBase 2.6. An exception of one action in a batch comes without the
/// flag `do_not_retry`, so its class has to tell.
const DO_NOT_RETRY: &[&str] = &[
    "org.apache.hadoop.hbase.ConcurrentTableModificationException",
    "org.apache.hadoop.hbase.DoNotRetryIOException",
    "org.apache.hadoop.hbase.InvalidFamilyOperationException",
    "org.apache.hadoop.hbase.NamespaceExistException",
    "org.apache.hadoop.hbase.NamespaceNotFoundException",
    "org.apache.hadoop.hbase.NotAllMetaRegionsOnlineException",
    "org.apache.hadoop.hbase.TableExistsException",
    "org.apache.hadoop.hbase.TableNotDisabledException",
    "org.apache.hadoop.hbase.TableNotEnabledException",
    "org.apache.hadoop.hbase.TableNotFoundException",
    "org.apache.hadoop.hbase.UnknownRegionException",
    "org.apache.hadoop.hbase.client.DoNotRetryRegionException",
    "org.apache.hadoop.hbase.client.NoServerForRegionException",
    "org.apache.hadoop.hbase.client.OperationTimeoutExceededException",
    "org.apache.hadoop.hbase.client.RowTooBigException",
    "org.apache.hadoop.hbase.constraint.ConstraintException",
    "org.apache.hadoop.hbase.coprocessor.CoprocessorException",
    "org.apache.hadoop.hbase.exceptions.FailedSanityCheckException",
    "org.apache.hadoop.hbase.exceptions.MergeRegionException",
    "org.apache.hadoop.hbase.exceptions.OperationConflictException",
    "org.apache.hadoop.hbase.exceptions.RequestTooBigException",
    "org.apache.hadoop.hbase.exceptions.UnknownProtocolException",
    "org.apache.hadoop.hbase.io.hfile.CorruptHFileException",
    "org.apache.hadoop.hbase.ipc.BadAuthException",
    "org.apache.hadoop.hbase.ipc.EmptyServiceNameException",
    "org.apache.hadoop.hbase.ipc.FatalConnectionException",
    "org.apache.hadoop.hbase.ipc.UnknownServiceException",
    "org.apache.hadoop.hbase.ipc.UnsupportedCellCodecException",
    "org.apache.hadoop.hbase.ipc.UnsupportedCompressionCodecException",
    "org.apache.hadoop.hbase.ipc.UnsupportedCryptoException",
    "org.apache.hadoop.hbase.ipc.WrongVersionException",
    "org.apache.hadoop.hbase.quotas.QuotaExceededException",
    "org.apache.hadoop.hbase.quotas.SpaceLimitingException",
    "org.apache.hadoop.hbase.quotas.ThrottlingException",
    "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
    "org.apache.hadoop.hbase.regionserver.RowTooBigException",
    "org.apache.hadoop.hbase.security.AccessDeniedException",
    "org.apache.hadoop.hbase.security.visibility.InvalidLabelException",
    "org.apache.hadoop.hbase.security.visibility.LabelAlreadyExistsException",
];

/// Classes of exceptions that HBase gives to one action, after it has carried out the others.
const OF_ONE_ACTION: &[&str] = &[
    "org.apache.hadoop.hbase.exceptions.FailedSanityCheckException",
    "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
    "org.apache.hadoop.hbase.regionserver.WrongRegionException",
];

/// More of a class's name, and of a stack trace, is not kept.
const LONGEST: [usize; 2] = [1 << 10, 64 << 10];

fn shortened(text: &str, longest: usize) -> Arc<str> {
    let mut end = longest.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].into()
}

impl Exception {
    pub(crate) fn from_response(response: pb::ExceptionResponse) -> Self {
        Self {
            do_not_retry: response.do_not_retry(),
            overloaded: response.server_overloaded(),
            class: shortened(response.exception_class_name(), LONGEST[0]),
            stack_trace: shortened(response.stack_trace(), LONGEST[1]),
        }
    }

    /// The exception of one action, region or procedure: its class, and a text that begins with the class too.
    pub(crate) fn named(class: &str, text: &[u8]) -> Self {
        Self {
            class: shortened(class, LONGEST[0]),
            stack_trace: shortened(&String::from_utf8_lossy(text), LONGEST[1]),
            do_not_retry: DO_NOT_RETRY.contains(&class),
            overloaded: false,
        }
    }

    /// The whole name of its Java class.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// Its message: the first line of the stack trace, without the class.
    pub fn message(&self) -> &str {
        let line = self.stack_trace.lines().next().unwrap_or_default();
        line.strip_prefix(&*self.class).map_or(line, |rest| rest.trim_start_matches(':').trim())
    }

    /// The text of the exception in the response: the message and, by the server's configuration, the stack trace. It is
    /// cut after 64 KiB.
    pub fn stack_trace(&self) -> &str {
        &self.stack_trace
    }

    /// Returns whether the exception says that the same call would fail again.
    pub fn do_not_retry(&self) -> bool {
        self.do_not_retry
    }

    pub(crate) fn reaction(&self) -> Reaction {
        let known = REACTIONS.iter().find(|(class, _)| *class == &*self.class).map(|(_, reaction)| *reaction);
        match known {
            // Scanners end by classes that must not be repeated as they are.
            Some(reaction @ (Reaction::Reopen | Reaction::LeaveServer)) => reaction,
            _ if self.do_not_retry || DO_NOT_RETRY.contains(&&*self.class) => Reaction::Fail,
            Some(reaction) => reaction,
            None => Reaction::BackOff,
        }
    }

    /// Returns whether nothing is known of the class: neither when a retry may succeed, nor that none ever will.
    pub(crate) fn is_unknown(&self) -> bool {
        let known = REACTIONS.iter().any(|(class, _)| *class == &*self.class);
        !known && self.reaction() != Reaction::Fail
    }

    /// Returns whether the exception may be that of other actions of the region as well, which were not carried out
    /// either. The classes that HBase gives to one action alone are not.
    pub(crate) fn is_of_several(&self) -> bool {
        self.reaction() == Reaction::Fail && !OF_ONE_ACTION.contains(&&*self.class)
    }

    /// Returns whether the call may have been carried out: the class is unknown, or the server's write to its log (WAL)
    /// timed out. Such a log may be read when the region is opened elsewhere.
    pub(crate) fn may_have_executed(&self) -> bool {
        const LOG: &str = "org.apache.hadoop.hbase.exceptions.TimeoutIOException";
        self.is_unknown() || (&*self.class == LOG && self.reaction() != Reaction::Fail)
    }

    /// Returns whether the server or the region is overloaded: a retry should come later than after other exceptions.
    pub(crate) fn overloaded(&self) -> bool {
        self.overloaded
            || matches!(
                &*self.class,
                "org.apache.hadoop.hbase.CallQueueTooBigException"
                    | "org.apache.hadoop.hbase.CallDroppedException"
                    | "org.apache.hadoop.hbase.RegionTooBusyException"
                    | "org.apache.hadoop.hbase.quotas.RpcThrottlingException"
            )
    }

    /// Returns whether the server is overloaded, and not one of its regions.
    pub(crate) fn of_overloaded_server(&self) -> bool {
        self.overloaded() && !self.is("RegionTooBusyException")
    }

    /// Returns whether `class` is the simple name of the exception's class.
    pub(crate) fn is(&self, class: &str) -> bool {
        self.class.rsplit(['.', '$']).next() == Some(class)
    }

    /// The server that now has the region, as a `RegionMovedException` says, with the number of the region's opening
    /// there.
    pub(crate) fn moved_to(&self) -> Option<(ServerName, i64)> {
        if !self.is("RegionMovedException") {
            return None;
        }
        let after = |name: &str| {
            let rest = &self.stack_trace[self.stack_trace.find(name)? + name.len()..];
            let end = rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len());
            Some(rest[..end].trim_end_matches('.'))
        };
        let host = after("hostname=").filter(|host| !host.is_empty())?;
        let port = after("port=")?.parse().ok()?;
        let start_code = after("startCode=")?.parse().ok()?;
        let number = after("locationSeqNum=")?.parse().ok()?;
        Some((ServerName::new(Address::new(host, port), start_code), number))
    }
}

/// More of a message is not shown: some have the whole schema of a table.
const SHOWN: usize = 300;

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (class, message) = (self.class.rsplit('.').next().unwrap_or_default(), self.message());
        match message {
            "" => f.write_str(class),
            _ if message.len() > SHOWN => write!(f, "{class}: {}…", shortened(message, SHOWN)),
            _ => write!(f, "{class}: {message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str, do_not_retry: bool) -> Exception {
        Exception::from_response(pb::ExceptionResponse {
            exception_class_name: Some(class.into()),
            stack_trace: Some(format!("{class}: why\n\tat x.y(Z.java)")),
            do_not_retry: Some(do_not_retry),
            ..Default::default()
        })
    }

    #[test]
    fn a_class_is_matched_by_its_whole_name() {
        let nsre = "org.apache.hadoop.hbase.NotServingRegionException";
        assert_eq!(of(nsre, false).reaction(), Reaction::Relocate);
        assert_eq!(of("x.NotServingRegionException", false).reaction(), Reaction::BackOff);
        assert_eq!(of(&format!("{nsre}2"), false).reaction(), Reaction::BackOff);
        assert_eq!(of("x.y.New", true).reaction(), Reaction::Fail);
        assert_eq!(of(nsre, false).message(), "why");
        assert_eq!(of(nsre, false).to_string(), "NotServingRegionException: why");
    }

    #[test]
    fn a_long_message_is_cut_where_it_is_shown() {
        let long = Exception::named("a.B", format!("a.B: {}ä", "x".repeat(299)).as_bytes());
        assert_eq!(long.to_string(), format!("B: {}…", "x".repeat(299)));
        assert_eq!(long.message().len(), 301);
    }

    #[test]
    fn do_not_retry_is_honoured_but_for_scanners_and_going_servers() {
        assert_eq!(of("org.apache.hadoop.hbase.NotServingRegionException", true).reaction(), Reaction::Fail);
        assert_eq!(of("org.apache.hadoop.hbase.UnknownScannerException", true).reaction(), Reaction::Reopen);
        let stopped = "org.apache.hadoop.hbase.exceptions.MasterStoppedException";
        assert_eq!(of(stopped, true).reaction(), Reaction::LeaveServer);
        let action = Exception::named(DO_NOT_RETRY[0], b"x");
        assert!(action.do_not_retry() && action.reaction() == Reaction::Fail);
    }

    #[test]
    fn no_class_is_listed_twice() {
        let mut names: Vec<_> = REACTIONS.iter().map(|(class, _)| *class).chain(DO_NOT_RETRY.iter().copied()).collect();
        let listed = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), listed);
    }

    #[test]
    fn the_new_place_of_a_region_is_read() {
        let class = "org.apache.hadoop.hbase.exceptions.RegionMovedException";
        let text = "Region moved to: hostname=h.example port=16020 startCode=17. As of locationSeqNum=9.";
        let moved = Exception::named(class, format!("{class}: {text}\n\tat a.B.c").as_bytes());
        assert_eq!(moved.moved_to(), Some((ServerName::new(Address::new("h.example", 16020), 17), 9)));
        let text = "Region moved to: hostname=h port=99999 startCode=17. As of locationSeqNum=9.";
        assert_eq!(Exception::named(class, text.as_bytes()).moved_to(), None);
        assert_eq!(Exception::named(class, b"hostname=").moved_to(), None);
        assert_eq!(Exception::named("a.Other", text.as_bytes()).moved_to(), None);
    }
}
