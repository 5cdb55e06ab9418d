//! Execution of an operation: whether it may have happened, so whether it may be retried, and whether its outcome is
//! unknown.

use crate::{Delay, Idempotency};

/// The meaning of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// True if the server may have executed the request, or may still do so: it was sent, and the response is lost or
    /// does not tell.
    pub may_have_executed: bool,
    /// The earliest time of a retry, if the failure may pass.
    pub delay: Option<Delay>,
}

/// The state of an operation: whether one of its attempts may have executed. Of several writes in one request each has
/// its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    idempotency: Idempotency,
    may_have_executed: bool,
}

impl Execution {
    /// Makes the state of an operation of which nothing was sent yet.
    #[must_use]
    pub fn new(idempotency: Idempotency) -> Self {
        Self { idempotency, may_have_executed: false }
    }

    /// The same after one more attempt, which may have executed or not.
    #[must_use]
    pub fn or_may_have_executed(self, may_have_executed: bool) -> Self {
        Self { may_have_executed: self.may_have_executed || may_have_executed, ..self }
    }

    /// Notes a failed attempt. Returns the delay of the next one, or `None` if there may be none.
    pub fn failed(&mut self, failure: Failure) -> Option<Delay> {
        *self = self.or_may_have_executed(failure.may_have_executed);
        let is_final = self.may_have_executed && self.idempotency == Idempotency::NonIdempotent;
        failure.delay.filter(|_| !is_final)
    }

    /// Returns whether the outcome is unknown if there is no other attempt: it is a write, and an attempt may have
    /// executed.
    #[must_use]
    pub fn outcome_is_unknown(&self) -> bool {
        self.may_have_executed && self.idempotency.is_write()
    }

    /// The error that the operation ends with: `unknown` changes it if the outcome is unknown.
    pub fn error<E>(&self, error: E, unknown: impl FnOnce(E) -> E) -> E {
        if self.outcome_is_unknown() { unknown(error) } else { error }
    }
}

#[cfg(test)]
mod tests {
    use super::Idempotency::{Idempotent, NonIdempotent, Nonce, ReadOnly, ServerTimestamped};
    use super::*;

    const LOST: Failure = Failure { may_have_executed: true, delay: Some(Delay::Backoff) };
    const REFUSED: Failure = Failure { may_have_executed: false, delay: Some(Delay::Overloaded) };

    #[test]
    fn what_may_have_executed_is_retried_if_twice_is_no_worse() {
        for (idempotency, is_retried, is_unknown) in [
            (ReadOnly, true, false),
            (Idempotent, true, true),
            (ServerTimestamped, true, true),
            (Nonce, true, true),
            (NonIdempotent, false, true),
        ] {
            let mut execution = Execution::new(idempotency);
            assert_eq!(execution.failed(REFUSED), Some(Delay::Overloaded), "{idempotency:?}");
            assert!(!execution.outcome_is_unknown(), "{idempotency:?}");
            assert_eq!(execution.failed(LOST).is_some(), is_retried, "{idempotency:?}");
            // A later attempt without an effect does not take the earlier one back.
            assert_eq!(execution.failed(REFUSED).is_some(), is_retried, "{idempotency:?}");
            assert_eq!(execution.outcome_is_unknown(), is_unknown, "{idempotency:?}");
            let told = execution.error("refused", |_| "unknown");
            assert_eq!(told, if is_unknown { "unknown" } else { "refused" });
        }
    }

    #[test]
    fn a_failure_that_does_not_pass_is_final() {
        for may_have_executed in [false, true] {
            let mut execution = Execution::new(Idempotent);
            assert_eq!(execution.failed(Failure { may_have_executed, delay: None }), None);
            assert_eq!(execution.outcome_is_unknown(), may_have_executed);
        }
    }
}
