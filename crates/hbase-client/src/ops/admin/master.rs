//! Calls of the active master, or of another server, and the procedures that they start.

use prost::Message;
use rowkey_retry::Idempotency;
use tokio::time::Instant;
use tracing::Instrument;

use super::Admin;
use crate::model::error::{CallFault, Cause, Error, Exception, Reaction, Result};
use crate::model::server::{ServerName, Service};
use crate::model::table_name::TableName;
use crate::ops::executor::Executor;
use crate::ops::retry::{Polls, RetryDecision};
use crate::pb;
use crate::pb::get_procedure_result_response::State as Progress;
use crate::rpc::{Answer, Payload};

impl Admin {
    /// Starts a procedure on a table, and waits until it is done.
    pub(super) async fn procedure(
        &self,
        operation: &'static str,
        method: &'static str,
        request: &impl Message,
        table: &TableName,
        deadline: Instant,
    ) -> Result<()> {
        let done = self.run(method, request, deadline).await.map_err(|error| error.of_operation(operation, table));
        // Its regions may be others now.
        self.executor.locator.forget_table(table);
        done
    }

    pub(super) async fn run(&self, method: &'static str, request: &impl Message, deadline: Instant) -> Result<()> {
        let response: pb::ProcedureResponse = self.change(method, request, deadline).await?;
        match response.proc_id {
            Some(id) => self.wait(id, deadline).await,
            None => Ok(()),
        }
    }

    async fn wait(&self, id: u64, deadline: Instant) -> Result<()> {
        let request = pb::GetProcedureResultRequest { proc_id: id };
        let unknown = |why: String| Error::unavailable(Cause::said(why)).outcome_unknown();
        let mut polls = Polls::new(deadline);
        loop {
            // The method's name begins with a small letter.
            let looked = self.read("getProcedureResult", &request, deadline).await;
            let response: pb::GetProcedureResultResponse = looked.map_err(Error::outcome_unknown)?;
            match (response.state(), response.exception) {
                (Progress::Running, _) => {}
                (Progress::NotFound, _) => return Err(unknown(format!("the master does not know procedure {id}"))),
                (Progress::Finished, None) => return Ok(()),
                (Progress::Finished, Some(exception)) => {
                    let exception = exception.generic_exception.unwrap_or_default();
                    let (class, message) = (exception.class_name(), exception.message());
                    return Err(Error::of_procedure(Exception::named(class, message.as_bytes())));
                }
            }
            if !polls.wait().await {
                return Err(unknown(format!("procedure {id} is not done in time")));
            }
        }
    }

    pub(super) async fn read<T: Message + Default>(
        &self,
        method: &'static str,
        request: &impl Message,
        deadline: Instant,
    ) -> Result<T> {
        self.call(&Payload::new(method, request), Idempotency::ReadOnly, deadline).await
    }

    /// Changes something. A procedure has a nonce, and the other changes are the same if they are made twice.
    pub(super) async fn change<T: Message + Default>(
        &self,
        method: &'static str,
        request: &impl Message,
        deadline: Instant,
    ) -> Result<T> {
        self.call(&Payload::new(method, request), Idempotency::Idempotent, deadline).await
    }

    async fn call<T: Message + Default, M: Message>(
        &self,
        payload: &Payload<'_, M>,
        idempotency: Idempotency,
        deadline: Instant,
    ) -> Result<T> {
        self.call_of(Service::Master, payload, idempotency, deadline).await
    }

    /// Calls a service of the active master, with retries that are safe, until a response or the deadline.
    pub(super) async fn call_of<T: Message + Default, M: Message>(
        &self,
        service: Service,
        payload: &Payload<'_, M>,
        idempotency: Idempotency,
        deadline: Instant,
    ) -> Result<T> {
        let span = tracing::debug_span!("hbase call", method = payload.method, server = "master");
        self.calls(None, service, payload, idempotency, deadline).instrument(span).await
    }

    /// Calls a service of a server, with retries that are safe, until a response or the deadline.
    pub(super) async fn call_at<T: Message + Default, M: Message>(
        &self,
        server: &ServerName,
        service: Service,
        payload: &Payload<'_, M>,
        idempotency: Idempotency,
        deadline: Instant,
    ) -> Result<T> {
        let span = tracing::debug_span!("hbase call", method = payload.method, %server);
        self.calls(Some(server), service, payload, idempotency, deadline).instrument(span).await
    }

    /// The calls of a server; if none is given, of whichever master is the active one.
    async fn calls<T: Message + Default, M: Message>(
        &self,
        server: Option<&ServerName>,
        service: Service,
        payload: &Payload<'_, M>,
        idempotency: Idempotency,
        deadline: Instant,
    ) -> Result<T> {
        Executor::in_runtime()?;
        let mut attempts = self.executor.attempts(idempotency, deadline);
        loop {
            let found = match server {
                Some(server) => Ok(server.clone()),
                None => self.executor.locator.master(deadline).await,
            };
            let failed = match found {
                Ok(server) => {
                    match self.ask(&server, service, payload, deadline).await.and_then(|answer| answer.read()) {
                        Ok(response) => return Ok(response),
                        Err(fault) => attempts.failed(fault).map(|error| error.at_server(server.address())),
                    }
                }
                Err(cause) => RetryDecision::unreachable(cause),
            };
            attempts.wait(failed).await?;
        }
    }

    async fn ask<M: Message>(
        &self,
        server: &ServerName,
        service: Service,
        payload: &Payload<'_, M>,
        deadline: Instant,
    ) -> Result<Answer, CallFault> {
        let deadline = self.executor.call_deadline(deadline);
        let connection = self.executor.pool.connection(server.address(), service, deadline).await;
        let connection = connection.inspect_err(|_| self.executor.locator.forget_master(server))?;
        let answer = connection.call(payload, deadline).await;
        match &answer {
            Err(CallFault::Refused(exception)) if exception.reaction() == Reaction::LeaveServer => {
                self.executor.pool.leave(server.address());
                self.executor.locator.forget_master(server);
            }
            Err(CallFault::Unanswered(_)) => self.executor.locator.forget_master(server),
            _ => {}
        }
        answer
    }
}
