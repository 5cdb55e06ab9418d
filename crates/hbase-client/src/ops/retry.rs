//! Retries of one operation: the decision after each failed attempt, and the pauses up to the deadline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rowkey_retry::{Backoff, Delay, Execution, Failure, Idempotency};
use tokio::time::{Instant, sleep};

use crate::cluster::regions::Missing;
use crate::config::options::Options;
use crate::model::error::{CallFault, Cause, Error, Result};
use crate::model::region::Location;
use crate::model::table_name::TableName;

/// The decision after an attempt of an operation has failed: a retry, or the operation's error if it has no delay.
#[derive(Debug)]
pub(crate) struct RetryDecision {
    pub(crate) error: Error,
    pub(crate) delay: Option<Delay>,
}

impl RetryDecision {
    pub(crate) fn fail(error: Error) -> Self {
        Self { error, delay: None }
    }

    /// A call failed.
    pub(crate) fn of_call(fault: CallFault, execution: &mut Execution) -> Self {
        Self::after(fault.failure(), fault, execution)
    }

    fn after(failure: Failure, fault: CallFault, execution: &mut Execution) -> Self {
        let delay = execution.failed(failure);
        Self { error: Error::of_call(fault), delay }.with_outcome(execution)
    }

    /// A call failed that changes nothing.
    pub(crate) fn of_read(fault: CallFault) -> Self {
        Self::of_call(fault, &mut Execution::new(Idempotency::ReadOnly))
    }

    /// No server could be asked.
    pub(crate) fn unreachable(cause: Cause) -> Self {
        let delay = (!cause.is_security()).then_some(Delay::Backoff);
        Self { error: Error::unavailable(cause), delay }
    }

    /// A region was not found.
    pub(crate) fn missing(missing: Missing, table: &TableName) -> Self {
        match missing {
            Missing::Table => Self::fail(Error::no_table(table)),
            Missing::Disabled => Self::fail(Error::disabled(table)),
            Missing::Now(cause) => Self::unreachable(cause).map(|error| error.of_table(table)),
        }
    }

    pub(crate) fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        Self { error: change(self.error), ..self }
    }

    /// The same after the attempts before.
    pub(crate) fn with_outcome(self, execution: &Execution) -> Self {
        self.map(|error| execution.error(error, Error::outcome_unknown))
    }
}

/// The error of a call with a nonce whose response was lost: where its region is now, its nonce is not known.
pub(crate) fn moved_since(location: &Location, row: &[u8]) -> Error {
    Error::unavailable(Cause::said(
        "the response was lost, and the region has moved to a server that does not know the nonce",
    ))
    .outcome_unknown()
    .at(location, row)
}

/// The last error that told more than that its time was over.
#[derive(Default)]
pub(crate) struct Told(Option<Error>);

impl Told {
    pub(crate) fn note(&mut self, error: &Error) {
        if !error.is_timeout() {
            self.0 = Some(error.clone());
        }
    }

    /// An attempt without a response tells less than those before it.
    pub(crate) fn instead_of(&mut self, error: Error) -> Error {
        self.0.take().filter(|_| error.is_timeout()).unwrap_or(error)
    }
}

/// The calls of a client so far, the attempts after the first ones, and those that an overloaded server refused.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) calls: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) overloads: AtomicU64,
}

/// The attempts of one operation, up to its deadline.
pub(crate) struct Attempts<'a> {
    counters: &'a Counters,
    attempts: rowkey_retry::Attempts,
    execution: Execution,
    told: Told,
    /// A response came that could not be decoded.
    malformed: bool,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(options: &Options, counters: &'a Counters, idempotency: Idempotency, deadline: Instant) -> Self {
        let mut attempts = attempts(Backoff::new(options.first_pause, options.longest_pause), deadline);
        attempts.begin();
        Self { counters, attempts, execution: Execution::new(idempotency), told: Told::default(), malformed: false }
    }

    /// The number of attempts, with the one that is under way.
    pub(crate) fn made(&self) -> u32 {
        self.attempts.made()
    }

    /// A response came, which is not all that is wanted: there is more time.
    pub(crate) fn extend(&mut self, deadline: Instant) {
        self.attempts.extend(deadline.into_std(), Instant::now().into_std());
    }

    /// The last attempt did a part of what is wanted: the next pause is a short one again.
    pub(crate) fn progress(&mut self) {
        self.attempts.progress();
    }

    /// A call of the operation failed. A response that can't be decoded is taken for a lost one, once: HBase 2.6.4
    /// under load has answered an increment with the right number of bytes, none of which were the cell's.
    pub(crate) fn failed(&mut self, fault: CallFault) -> RetryDecision {
        let again = matches!(fault, CallFault::Malformed(_)) && !std::mem::replace(&mut self.malformed, true);
        let delay = if again { Some(Delay::Backoff) } else { fault.delay() };
        RetryDecision::after(Failure { delay, ..fault.failure() }, fault, &mut self.execution)
    }

    /// Waits for the next attempt. Returns the operation's error if there is no further retry.
    pub(crate) async fn wait(&mut self, next: RetryDecision) -> Result<()> {
        let RetryDecision { error, delay } = next.with_outcome(&self.execution);
        let Some(delay) = delay else { return Err(error.after(self.made())) };
        self.counters.overloads.fetch_add(u64::from(delay == Delay::Overloaded), Ordering::Relaxed);
        let Some(pause) = self.attempts.next_backoff(delay, Instant::now().into_std()) else {
            return Err(self.told.instead_of(error).after(self.made()));
        };
        tracing::debug!(%error, attempt = self.made(), "an attempt failed");
        self.told.note(&error);
        sleep(pause).await;
        self.attempts.begin();
        self.counters.retries.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// The looks at something that takes its time, up to a deadline: soon, and then less often.
pub(crate) struct Polls(rowkey_retry::Attempts);

const FIRST_LOOK: Duration = Duration::from_millis(20);
const LATER_LOOK: Duration = Duration::from_millis(500);

impl Polls {
    pub(crate) fn new(deadline: Instant) -> Self {
        Self(attempts(Backoff::new(FIRST_LOOK, LATER_LOOK).without_jitter(), deadline))
    }

    /// Waits for the next look. Returns false if there is no time for one.
    pub(crate) async fn wait(&mut self) -> bool {
        let Some(pause) = self.0.next_backoff(Delay::Backoff, Instant::now().into_std()) else { return false };
        sleep(pause).await;
        true
    }
}

fn attempts(backoff: Backoff, deadline: Instant) -> rowkey_retry::Attempts {
    rowkey_retry::Attempts::new(backoff).until(deadline.into_std(), Instant::now().into_std())
}

#[cfg(test)]
mod tests {
    use rowkey_retry::Idempotency::{Idempotent, NonIdempotent, Nonce, ReadOnly, ServerTimestamped};

    use super::*;
    use crate::model::error::{ErrorKind, Exception};

    fn refused(class: &str) -> CallFault {
        CallFault::Refused(Exception::named(&format!("org.apache.hadoop.hbase.{class}"), b"why"))
    }

    fn decided(fault: &CallFault, idempotency: Idempotency) -> (Option<Delay>, ErrorKind) {
        let decision = RetryDecision::of_call(fault.clone(), &mut Execution::new(idempotency));
        (decision.delay, decision.error.kind())
    }

    #[test]
    fn only_a_change_that_may_have_executed_has_an_unknown_outcome() {
        let (later, now) = (Some(Delay::Backoff), Some(Delay::Immediate));
        let unknown = ErrorKind::OutcomeUnknown;
        // The fault, and the decision for a read, and for a write; what may have executed is not retried if it is not
        // idempotent.
        for (fault, read, write) in [
            (CallFault::NotSent(Cause::TimedOut), (later, ErrorKind::Unavailable), (later, ErrorKind::Unavailable)),
            (CallFault::NotSent(Cause::Idle), (now, ErrorKind::Unavailable), (now, ErrorKind::Unavailable)),
            (CallFault::NotSent(Cause::security("no")), (None, ErrorKind::Security), (None, ErrorKind::Security)),
            (CallFault::Unanswered(Cause::TimedOut), (later, ErrorKind::Unavailable), (later, unknown)),
            (CallFault::TooLarge(9), (None, ErrorKind::TooLarge), (None, unknown)),
            (CallFault::malformed("no"), (None, ErrorKind::Malformed), (None, unknown)),
            (refused("Strange"), (later, ErrorKind::Busy), (later, unknown)),
            (refused("exceptions.TimeoutIOException"), (later, ErrorKind::Busy), (later, unknown)),
            (refused("NotServingRegionException"), (later, ErrorKind::Busy), (later, ErrorKind::Busy)),
            (refused("MultiActionResultTooLarge"), (now, ErrorKind::Busy), (now, ErrorKind::Busy)),
            (refused("DoNotRetryIOException"), (None, ErrorKind::Refused), (None, ErrorKind::Refused)),
            (refused("UnknownScannerException"), (None, ErrorKind::Busy), (None, ErrorKind::Busy)),
        ] {
            assert_eq!(decided(&fault, ReadOnly), read, "{fault:?}");
            for idempotency in [Idempotent, ServerTimestamped, Nonce] {
                assert_eq!(decided(&fault, idempotency), write, "{fault:?}, {idempotency:?}");
            }
            let once = if write.1 == unknown { (None, unknown) } else { write };
            assert_eq!(decided(&fault, NonIdempotent), once, "{fault:?}");
        }
        let busy = refused("RegionTooBusyException");
        assert_eq!(decided(&busy, NonIdempotent), (Some(Delay::Overloaded), ErrorKind::Busy));
    }

    #[test]
    fn a_lost_attempt_before_leaves_the_outcome_unknown() {
        let mut execution = Execution::new(Idempotent);
        RetryDecision::of_call(CallFault::Unanswered(Cause::TimedOut), &mut execution);
        let next = RetryDecision::of_call(refused("NotServingRegionException"), &mut execution);
        assert_eq!((next.delay, next.error.kind()), (Some(Delay::Backoff), ErrorKind::OutcomeUnknown));
        let next = RetryDecision::unreachable(Cause::TimedOut).with_outcome(&execution);
        assert_eq!(next.error.kind(), ErrorKind::OutcomeUnknown);
    }
}
