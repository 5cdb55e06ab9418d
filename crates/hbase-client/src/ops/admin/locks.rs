//! Locks of the master, by which programs keep out of each other's way.

use std::fmt;
use std::time::Duration;

use rowkey_retry::Idempotency;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tracing::Instrument;

use super::Admin;
use crate::model::error::{Cause, Error, Result};
use crate::model::server::Service;
use crate::model::table_name::TableName;
use crate::ops::executor::Executor;
use crate::ops::retry::Polls;
use crate::pb;
use crate::pb::lock_heartbeat_response::LockStatus;
use crate::rpc::Payload;

/// An exclusive lock that this program holds, until it is [released](Self::release) or dropped. A task tells the master
/// that the program is alive; the master takes the lock back when it has not heard of it for 30 seconds, or for its
/// `hbase.master.procedure.remote.lock.timeout`.
#[doc(alias = "EntityLock")]
pub struct TableLock {
    table: TableName,
    /// The task ends when this is dropped.
    end: Option<oneshot::Sender<()>>,
    ended: oneshot::Receiver<bool>,
}

/// The time for which a master that does not say keeps a lock.
const TIMEOUT: Duration = Duration::from_secs(30);

impl Admin {
    /// Takes the exclusive lock of a table's name, and waits until those who asked before have released it.
    ///
    /// Procedures of the table with this name (alter, drop, split) wait for it too, those of this program as well. So
    /// take a name that no table has to keep programs from each other alone.
    ///
    /// # Errors
    ///
    /// If another program holds it until the timeout, or the user may not: it needs the right to create or administer
    /// the table of this name.
    #[doc(alias = "LockServiceClient")]
    pub async fn lock(&self, table: impl Into<TableName>, description: &str) -> Result<TableLock> {
        let (table, deadline) = (table.into(), self.deadline());
        table.check()?;
        Executor::in_runtime()?;
        // A task of its own: if nobody waits for it any more, it gives the lock back, or its place in the queue.
        let (tell, told) = oneshot::channel();
        let (admin, of, description) = (self.clone(), table.clone(), description.to_owned());
        let acquiring = async move {
            let mut tell = tell;
            let acquired = admin.acquire(of, &description, deadline, &mut tell).await;
            let _ = tell.send(acquired);
        };
        tokio::spawn(acquiring.in_current_span());
        told.await.unwrap_or_else(|_| Err(Error::unavailable(Cause::said("the lock is not wanted any more"))))
    }

    async fn acquire(
        &self,
        table: TableName,
        description: &str,
        deadline: Instant,
        wanted: &mut oneshot::Sender<Result<TableLock>>,
    ) -> Result<TableLock> {
        let (nonce_group, nonce) = self.nonce();
        let request = pb::LockRequest {
            lock_type: pb::LockType::Exclusive.into(),
            table_name: Some(table.to_pb()),
            description: Some(description.to_owned()),
            nonce_group,
            nonce,
        };
        let told = |error: Error| error.of_operation("lock", &table);
        let payload = Payload::new("RequestLock", &request);
        let response: pb::LockResponse =
            self.call_of(Service::Lock, &payload, Idempotency::Idempotent, deadline).await.map_err(told)?;
        let (id, mut polls) = (response.proc_id, Polls::new(deadline));
        let timeout = loop {
            if let Some(timeout) = self.heartbeat(id, true, deadline).await.map_err(told)? {
                break timeout;
            }
            let waits = tokio::select! {
                waits = polls.wait() => waits,
                () = wanted.closed() => false,
            };
            if !waits {
                let _ = self.heartbeat(id, false, Instant::now() + self.executor.options.attempt_timeout).await;
                return Err(told(Error::unavailable(Cause::said("another program holds the lock"))));
            }
        };
        let (end, stop) = oneshot::channel();
        let (tell, ended) = oneshot::channel();
        tokio::spawn(keep(self.clone(), id, timeout, stop, tell).in_current_span());
        Ok(TableLock { table, end: Some(end), ended })
    }

    /// Tells the master that this program still wants the lock, or does not. Returns for how long it is locked then;
    /// `None` if it is not.
    async fn heartbeat(&self, id: u64, keep_alive: bool, deadline: Instant) -> Result<Option<Duration>> {
        let request = pb::LockHeartbeatRequest { proc_id: id, keep_alive: Some(keep_alive) };
        let payload = Payload::new("LockHeartbeat", &request);
        let response: pb::LockHeartbeatResponse =
            self.call_of(Service::Lock, &payload, Idempotency::Idempotent, deadline).await?;
        let timeout = response.timeout_ms.map_or(TIMEOUT, |millis| Duration::from_millis(millis.into()));
        Ok((response.lock_status() == LockStatus::Locked).then_some(timeout))
    }
}

/// Keeps a lock until it is to end, and tells whether it was held all the time.
async fn keep(
    admin: Admin,
    id: u64,
    mut timeout: Duration,
    mut stop: oneshot::Receiver<()>,
    ended: oneshot::Sender<bool>,
) {
    let mut until = Instant::now() + timeout;
    let mut is_held = true;
    while is_held {
        tokio::select! {
            _ = &mut stop => break,
            () = sleep(timeout / 4) => {}
        }
        match admin.heartbeat(id, true, until).await {
            Ok(Some(still)) => (timeout, until) = (still, Instant::now() + still),
            _ => is_held = false,
        }
    }
    is_held &= Instant::now() < until;
    let deadline = Instant::now() + admin.executor.options.attempt_timeout;
    // If it fails, the lock ends with its time.
    let _ = admin.heartbeat(id, false, deadline).await;
    let _ = ended.send(is_held);
}

impl TableLock {
    /// The name that is locked.
    pub fn table(&self) -> &TableName {
        &self.table
    }

    /// Releases it. Returns whether it was held until now: if not, a program may have taken it meanwhile.
    pub async fn release(mut self) -> bool {
        self.end.take();
        (&mut self.ended).await.unwrap_or(false)
    }
}

impl fmt::Debug for TableLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableLock").field("table", &self.table).finish_non_exhaustive()
    }
}
