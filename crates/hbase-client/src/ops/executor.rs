//! Executor of calls: one call to the region of a row, retried until its deadline.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use prost::Message;
use rowkey_retry::Idempotency;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use crate::cluster::regions::{Locator, Place, SYSTEM_PRIORITY};
use crate::config::options::Options;
use crate::model::error::{CallFault, Cause, Error, Reaction, Result};
use crate::model::region::Location;
use crate::model::row::CellBlock;
use crate::model::server::Service;
use crate::model::table_name::TableName;
use crate::ops::request::RegionRequest;
use crate::ops::retry::{Attempts, Counters, RetryDecision, moved_since};
use crate::rpc::{Answer, Dialing, Limits, Payload, Pool};

/// The state that all tables of a client share.
pub(crate) struct Executor {
    pub(crate) options: Options,
    pub(crate) pool: Arc<Pool>,
    pub(crate) locator: Locator,
    pub(crate) counters: Counters,
    /// The number of the client that a nonce is from.
    pub(crate) nonce_group: u64,
}

impl Executor {
    pub(crate) fn new(options: Options) -> Result<Self> {
        let dialing = Dialing {
            user: options.user.clone(),
            timeout: options.connect_timeout,
            connections: options.connections,
            resolve: options.resolve.clone(),
            limits: Limits {
                frame: options.response_bytes,
                calls: options.calls,
                read_timeout: options.read_timeout,
                idle_timeout: options.idle_timeout,
            },
            #[cfg(any(feature = "tls", feature = "kerberos"))]
            security: options.security.ready()?,
        };
        let pool = Arc::new(Pool::new(dialing));
        let locator = Locator::new(&options, pool.clone());
        Ok(Self { options, pool, locator, counters: Counters::default(), nonce_group: nonce() })
    }

    /// The attempts of an operation.
    pub(crate) fn attempts(&self, idempotency: Idempotency, deadline: Instant) -> Attempts<'_> {
        Attempts::new(&self.options, &self.counters, idempotency, deadline)
    }

    /// The deadline of one call of an operation.
    pub(crate) fn call_deadline(&self, deadline: Instant) -> Instant {
        deadline.min(Instant::now() + self.options.attempt_timeout)
    }

    pub(crate) async fn locate(
        &self,
        table: &TableName,
        place: Place<'_>,
        deadline: Instant,
    ) -> Result<Arc<Location>, RetryDecision> {
        self.locator.find(table, place, deadline).await.map_err(|missing| RetryDecision::missing(missing, table))
    }

    pub(crate) async fn cluster_id(&self, deadline: Instant) -> Result<String> {
        Self::in_runtime()?;
        let mut attempts = self.attempts(Idempotency::ReadOnly, deadline);
        loop {
            let asked = timeout_at(deadline, self.locator.cluster_id()).await;
            match asked.unwrap_or(Err(Cause::TimedOut)) {
                Ok(id) => return Ok(id),
                Err(cause) => attempts.wait(RetryDecision::unreachable(cause)).await?,
            }
        }
    }

    /// Makes one call for rows.
    pub(crate) async fn attempt<M: Message>(
        &self,
        location: &Location,
        payload: &Payload<'_, M>,
        deadline: Instant,
    ) -> Result<Answer, CallFault> {
        self.attempt_of(Service::Client, location, payload, deadline).await
    }

    async fn attempt_of<M: Message>(
        &self,
        service: Service,
        location: &Location,
        payload: &Payload<'_, M>,
        deadline: Instant,
    ) -> Result<Answer, CallFault> {
        let address = location.server.address();
        let connection = self.pool.connection(address, service, deadline).await;
        // A server that cannot be reached may be gone, and its regions elsewhere. Of a caller without patience it says
        // nothing.
        if connection.is_err() && Instant::now() < deadline {
            self.locator.forget(location);
        }
        let connection = connection?;
        self.counters.calls.fetch_add(1, Ordering::Relaxed);
        let span = tracing::trace_span!("hbase attempt", method = payload.method, server = %address);
        connection.call(payload, deadline).instrument(span).await
    }

    /// Updates the location of a region by an exception. A call with a nonce needs the number of the region's opening,
    /// which meta alone tells.
    pub(crate) fn learn(&self, location: &Location, exception: &crate::Exception, idempotency: Idempotency) {
        match exception.reaction() {
            Reaction::Relocate => {
                let followed = exception.moved_to().filter(|_| idempotency != Idempotency::Nonce);
                if !followed.is_some_and(|(server, opening)| self.locator.moved(location, server, opening)) {
                    self.locator.forget(location);
                }
            }
            Reaction::LeaveServer => {
                self.pool.leave(location.server.address());
                self.locator.forget(location);
            }
            Reaction::BackOff | Reaction::Repeat | Reaction::Reopen | Reaction::Fail => {}
        }
    }

    /// Sends a request to the region of a row until it is answered, as often as that is safe and the deadline allows.
    /// Returns the location that answered, too.
    pub(crate) async fn on_row<Q: RegionRequest>(
        &self,
        table: &TableName,
        row: &[u8],
        request: &Q,
        deadline: Instant,
    ) -> Result<(Arc<Location>, Q::Output)> {
        Self::in_runtime()?;
        let span = tracing::debug_span!("hbase call", method = Q::METHOD, %table);
        self.repeat_on_row(table, row, request, deadline).instrument(span).await
    }

    /// Checks that there is a runtime, which connections and timers need.
    pub(crate) fn in_runtime() -> Result<()> {
        Handle::try_current().map(drop).map_err(|_| Error::no_runtime())
    }

    async fn repeat_on_row<Q: RegionRequest>(
        &self,
        table: &TableName,
        row: &[u8],
        request: &Q,
        deadline: Instant,
    ) -> Result<(Arc<Location>, Q::Output)> {
        let (idempotency, cells) = (request.idempotency(), request.cells());
        let priority = table.is_system().then_some(SYSTEM_PRIORITY);
        let mut attempts = self.attempts(idempotency, deadline);
        // The location to which a call was sent whose response was lost, and the time of the last loss.
        let mut unanswered: Option<(Arc<Location>, Instant)> = None;
        loop {
            // A region that was opened since does not know the nonce.
            if let (Idempotency::Nonce, Some((before, lost))) = (idempotency, &unanswered)
                && let Err(cause) = self.locator.look_again(before, *lost, deadline).await
            {
                let next = RetryDecision::unreachable(cause).map(|error| error.at(before, row));
                attempts.wait(next).await?;
                continue;
            }
            let next = match self.locate(table, Place::At(row), deadline).await {
                Ok(location) => {
                    let reopened = unanswered.as_ref().is_some_and(|(before, _)| *before != location);
                    if reopened && idempotency == Idempotency::Nonce {
                        return Err(moved_since(&location, row).after(attempts.made()));
                    }
                    let message = request.message(&location.region);
                    let payload = Payload { method: Q::METHOD, message: &message, cells: &cells, priority };
                    let answer = self.attempt_of(Q::SERVICE, &location, &payload, self.call_deadline(deadline)).await;
                    match answer.and_then(|answer| request.read(answer.read()?, CellBlock(answer.cells))) {
                        Ok(output) => return Ok((location, output)),
                        Err(fault) => {
                            if let CallFault::Refused(exception) = &fault {
                                self.learn(&location, exception, idempotency);
                            }
                            if fault.doubts_server() && idempotency != Idempotency::Nonce {
                                // If nothing is found, what is known is used again.
                                let _ = self.locator.look_again(&location, doubt(Instant::now()), deadline).await;
                            }
                            if fault.may_have_executed() {
                                let (_, lost) = unanswered.get_or_insert_with(|| (location.clone(), Instant::now()));
                                *lost = Instant::now();
                            }
                            attempts.failed(fault).map(|error| error.at(&location, row))
                        }
                    }
                }
                Err(next) => next,
            };
            attempts.wait(next).await?;
        }
    }
}

/// The least time between look-ups of a region whose server does not answer.
const DOUBTED: Duration = Duration::from_secs(1);

/// The time since when meta has to have told the location of a region whose server does not answer.
pub(crate) fn doubt(now: Instant) -> Instant {
    now.checked_sub(DOUBTED).unwrap_or(now)
}

/// A number that no other call has. Servers take 0 for none.
pub(crate) fn nonce() -> u64 {
    fastrand::u64(1..)
}
