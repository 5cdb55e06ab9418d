//! Attempts of an operation: its requests, its token, and the error that it ends with.

use std::time::{Duration, Instant};

use rowkey::Error;
use rowkey::store::Call;
use rowkey_retry::{Execution, Idempotency};
use tonic::{Code, Request, Status};

use super::bounds::pause;
use super::codec::Outgoing;
use super::headers::{Cookies, Route};
use super::retry::{self, is_broken};
use super::tokens::{Tokens, Used};
use super::{Client, request_to, timed_out};
use crate::error::BigtableError;

/// An operation, as its errors name it, and where it goes.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) doing: &'static str,
    pub(super) table: String,
    pub(super) route: Route,
    pub(super) idempotency: Idempotency,
}

/// The attempts of an operation: whether one may have been executed, and when the next one is.
#[derive(Debug)]
pub(super) struct Attempts {
    pub(super) operation: Operation,
    pub(super) retry: rowkey_retry::Attempts,
    pub(super) cookies: Cookies,
    execution: Execution,
    tokens: Tokens,
    /// The token of the last attempt.
    used: Used,
    /// True once an attempt was made because the service refused the token of the one before.
    pub(super) is_reauthorized: bool,
}

impl Attempts {
    pub(super) fn new(operation: Operation, client: &Client) -> Self {
        Self {
            execution: retry::execution(operation.idempotency),
            operation,
            retry: retry::attempts(client.options().retry_for),
            cookies: Cookies::default(),
            tokens: client.inner.tokens.clone(),
            used: Used::default(),
            is_reauthorized: false,
        }
    }

    /// The request of an attempt.
    pub(super) fn request<Q>(&self, message: Outgoing<Q>, time: Option<Duration>) -> Request<Outgoing<Q>> {
        let mut request = request_to(message, &self.operation.route, &self.cookies, time);
        request.extensions_mut().insert(self.used.clone());
        request
    }

    /// Returns whether the service refused the token of an attempt, and the next one will have another: once in an
    /// operation.
    pub(super) fn takes_new_token(&mut self, status: &Status) -> bool {
        let is_refused = status.code() == Code::Unauthenticated && !is_broken(status) && !self.is_reauthorized;
        self.is_reauthorized |= is_refused;
        is_refused && self.tokens.refused(&self.used)
    }

    pub(super) fn begin(&mut self, call: &Call<'_>) -> Result<(), Error> {
        call.check().map_err(|ended| self.ended(ended, false))?;
        // Timers and connections would panic.
        tokio::runtime::Handle::try_current().map_err(|error| self.outcome(Error::engine(error)))?;
        self.retry.begin();
        Ok(())
    }

    /// Waits for the next attempt, which is at once if there is a new token for it. Or returns the error that the
    /// operation ends with. `sent`: the request may have been.
    pub(super) async fn failed(&mut self, status: Status, sent: bool, call: &Call<'_>) -> Result<(), Error> {
        if self.takes_new_token(&status) {
            return Ok(());
        }
        self.cookies.keep(&status);
        let delay = self.execution.failed(retry::failure(&status, sent));
        let next = delay.and_then(|delay| Some((delay, self.retry.next_backoff(delay, Instant::now())?)));
        let Some((delay, pause_for)) = next else { return Err(self.error(status)) };
        pause(call, delay, pause_for).await.map_err(|ended| self.ended(ended, false))
    }

    pub(super) fn error(&self, status: Status) -> Error {
        self.outcome(BigtableError::new(self.operation.doing, self.retry.made(), status).into())
    }

    /// The status of an attempt that took too long, whose request may have been `sent`.
    pub(super) fn lateness(&self, sent: bool) -> Status {
        let waited = if sent { None } else { self.tokens.lateness(Code::Unavailable) };
        waited.unwrap_or_else(timed_out)
    }

    /// The call had to end while an attempt was made, whose request may have been `sent`.
    pub(super) fn ended(&self, error: Error, sent: bool) -> Error {
        let error = if sent { error } else { self.explained(error) };
        self.outcome_of(self.execution.or_may_have_executed(sent), error)
    }

    /// The end of a call, with the reason if it waited for a token.
    pub(super) fn explained(&self, ended: Error) -> Error {
        let is_late = matches!(ended, Error::DeadlineExceeded { .. });
        match self.tokens.lateness(Code::DeadlineExceeded).filter(|_| is_late) {
            Some(status) => BigtableError::new(self.operation.doing, self.retry.made(), status).into(),
            None => ended,
        }
    }

    fn outcome(&self, error: Error) -> Error {
        self.outcome_of(self.execution, error)
    }

    /// The error of a request that ends, by what may have become of it.
    pub(super) fn outcome_of(&self, execution: Execution, error: Error) -> Error {
        let table = || self.operation.table.clone();
        execution.error(error, |error| Error::OutcomeUnknown { table: table(), source: Box::new(error) })
    }
}
