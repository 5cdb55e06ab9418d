//! Writes that are gathered, and sent many in one call.

mod sending;
mod written;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::sleep;

use self::sending::{Queued, Sending};
pub use self::written::{FailedWrite, Written};
use self::written::{Failures, Taken, Waiting, stopped};
use super::batch::Write;
use super::executor::Executor;
use crate::model::error::{Cause, Error, Result};
use crate::model::table_name::TableName;
use crate::sync::Locked;
use crate::time::bounded;

/// Gathers writes to a table, and sends many in one call: when enough bytes have come, when the first of them has
/// waited long enough, or at a [`flush`](Self::flush).
///
/// One batch is sent at a time, so writes to a row keep their order. But HBase may stamp those of one batch with the
/// same millisecond, and then a delete hides a put, increment or append that comes after it: see
/// [`Delete`](crate::Delete). While a batch is under way, as many bytes again are gathered; then
/// [`mutate`](Self::mutate) waits.
///
/// All of it is bounded in time: a batch, and the wait of `mutate`, by the table's
/// [timeout](crate::Table::with_timeout); a `flush` and a `close` by twice as much, however many tasks flush: the batch
/// that is under way, and one of all that was taken before.
///
/// Each failure is reported once: by the write's handle, [`Written`], or, if that was dropped, by the next `flush` or
/// [`close`](Self::close). If the `BufferedMutator` is dropped without `close`, what it has gathered is still sent, as
/// long as the runtime runs, and failures are only logged. A write that was taken when the runtime stops has failed.
///
/// ```no_run
/// # async fn example(table: hbase_client::Table) -> hbase_client::Result<()> {
/// use hbase_client::{BufferOptions, Put};
///
/// let visits = table.buffered_mutator(BufferOptions::new());
/// for visit in 0..100_000 {
///     visits.mutate(Put::new(format!("ada-{visit:06}")).value("f", "page", "/cart")).await?;
/// }
/// for failed in visits.close().await {
///     eprintln!("{:?}: {}", failed.write.row(), failed.error);
/// }
/// # Ok(())
/// # }
/// ```
pub struct BufferedMutator {
    queue: mpsc::UnboundedSender<Queued>,
    room: Arc<Semaphore>,
    most: u32,
    failures: Arc<Locked<Failures>>,
    /// The number of flushes that wait for the buffered writes.
    flushes: Arc<AtomicUsize>,
    timeout: Duration,
    /// The runtime of the task. None if there was none.
    runtime: Option<Handle>,
    /// Closed once the task has ended, and its failures are known.
    task: watch::Receiver<()>,
}

/// Thresholds at which a [`BufferedMutator`] sends the writes that it has buffered.
#[derive(Debug, Clone, Copy)]
#[doc(alias = "BufferedMutatorParams")]
pub struct BufferOptions {
    bytes: u32,
    interval: Duration,
}

impl BufferOptions {
    /// The default: 2 MiB, and 100 ms.
    pub fn new() -> Self {
        Self { bytes: 2 << 20, interval: Duration::from_millis(100) }
    }

    /// Sets the size of the buffered writes, keys and values counted, at which they are sent. At most twice as many
    /// bytes are kept. Default: 2 MiB.
    #[doc(alias = "hbase.client.write.buffer")]
    #[must_use]
    pub fn flush_bytes(mut self, bytes: usize) -> Self {
        const MOST: usize = 1 << 29;
        self.bytes = bytes.clamp(1, MOST) as u32;
        self
    }

    /// Sets the longest time that a write waits in the buffer. Default: 100 ms.
    #[doc(alias = "hbase.client.write.buffer.periodicflush.timeout.ms")]
    #[must_use]
    pub fn flush_interval(mut self, interval: Duration) -> Self {
        self.interval = bounded(interval);
        self
    }
}

impl Default for BufferOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl BufferedMutator {
    pub(crate) fn start(executor: Arc<Executor>, table: TableName, timeout: Duration, options: BufferOptions) -> Self {
        let most = options.bytes * 2;
        let (queue, queued) = mpsc::unbounded_channel();
        let failures = Arc::new(Locked::default());
        let flushes = Arc::<AtomicUsize>::default();
        let sending =
            Sending { executor, table, timeout, options, queued, failures: failures.clone(), flushes: flushes.clone() };
        let (alive, task) = watch::channel(());
        let runtime = Handle::try_current().ok();
        if let Some(runtime) = &runtime {
            runtime.spawn(async move {
                // Dropped after what the task has, also if its runtime stops.
                let _alive = alive;
                sending.run().await;
            });
        }
        Self { queue, room: Arc::new(Semaphore::new(most as usize)), most, failures, flushes, timeout, runtime, task }
    }

    /// Takes a write: a mutation, [several of one row](crate::RowMutations) at once, or one
    /// [with a condition](crate::CheckAndMutate). Waits while the writes that are gathered and under way are too many.
    ///
    /// # Errors
    ///
    /// If it can't be sent as it is, the `BufferedMutator` was begun outside of a runtime, or there is no room for it
    /// before the table's timeout is over. The error of an earlier write if failed writes whose [`Written`] was dropped
    /// fill the buffer: [`flush`](Self::flush) returns them. This write was not taken then.
    pub async fn mutate(&self, write: impl Into<Write>) -> Result<Written> {
        let write = write.into();
        write.check()?;
        let runtime = self.runtime.as_ref().ok_or_else(Error::no_runtime)?;
        let failed = |failures: &Failures| {
            let is_full = failures.bytes >= self.most as usize;
            failures.writes.first().filter(|_| is_full).map(|failed| failed.error.clone())
        };
        if let Some(error) = failed(&self.failures.lock()) {
            return Err(error);
        }
        let bytes = u32::try_from(write.size()).unwrap_or(u32::MAX).min(self.most);
        let late = {
            // Whoever waits may be in another runtime, or in none.
            let _in_runtime = Handle::try_current().is_err().then(|| runtime.enter());
            sleep(self.timeout)
        };
        let room = tokio::select! {
            biased;
            room = Arc::clone(&self.room).acquire_many_owned(bytes) => room.map_err(|_| stopped())?,
            () = late => return Err(full()),
        };
        let (sender, done) = oneshot::channel();
        let waiting = Waiting { done: sender, _room: room };
        let taken = Taken { write: Some((write, waiting)), failures: Arc::clone(&self.failures) };
        match self.send(Queued::Write(taken)) {
            Ok(()) => Ok(Written { done, failures: Arc::clone(&self.failures) }),
            Err(mpsc::error::SendError(Queued::Write(mut taken))) => {
                // It was not taken: this error tells of it.
                taken.write = None;
                Err(stopped())
            }
            Err(_) => Err(stopped()),
        }
    }

    /// Sends with the lock held. The task holds it as well when it closes the queue: tokio keeps what is sent at the
    /// same moment.
    fn send(&self, queued: Queued) -> Result<(), mpsc::error::SendError<Queued>> {
        let _failures = self.failures.lock();
        self.queue.send(queued)
    }

    /// Sends what was taken before, and waits until all of it has an outcome, at most twice the table's timeout.
    /// Returns the writes that failed since the last flush and whose [`Written`] were dropped before. Flushes of
    /// several tasks share a batch, and each returns what was taken before it.
    #[must_use = "these writes were not made"]
    pub async fn flush(&self) -> Vec<FailedWrite> {
        let (done, flushed) = oneshot::channel();
        self.flushes.fetch_add(1, Ordering::Relaxed);
        let _ = self.send(Queued::Flush(done));
        match flushed.await {
            Ok(failed) => failed,
            Err(_) => {
                // The runtime has stopped, or the task has: what was taken has failed.
                let _ = self.task.clone().changed().await;
                self.failures.lock().take()
            }
        }
    }

    /// As [`flush`](Self::flush), at the end.
    #[must_use = "these writes were not made"]
    pub async fn close(self) -> Vec<FailedWrite> {
        let failed = self.flush().await;
        self.failures.lock().closed = true;
        failed
    }
}

impl fmt::Debug for BufferedMutator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.room.available_permits();
        f.debug_struct("BufferedMutator").field("free_bytes", &free).finish_non_exhaustive()
    }
}

fn full() -> Error {
    Error::unavailable(Cause::said(
        "the writes that were taken before are not made in time: there is no room for this one",
    ))
}
