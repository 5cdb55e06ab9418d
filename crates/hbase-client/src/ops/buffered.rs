//! Writes that are gathered, and sent many in one call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, timeout_at};

use super::batch::{self, Action, Outcome, Write};
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

/// A write that failed, and why.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FailedWrite {
    /// The write, which may be tried again as it is.
    pub write: Write,
    /// The error. Its kind tells whether the write may have been made all the same.
    pub error: Error,
}

/// A handle to a buffered write. Dropping it does not cancel the write; the next [`flush`](BufferedMutator::flush) then
/// reports its failure.
pub struct Written {
    done: oneshot::Receiver<Result<Outcome, FailedWrite>>,
    failures: Arc<Locked<Failures>>,
}

impl Drop for Written {
    fn drop(&mut self) {
        self.done.close();
        if let Ok(Err(failed)) = self.done.try_recv() {
            self.failures.lock().push(failed);
        }
    }
}

impl Written {
    /// Waits until the write is made. It is sent with the others: this does not hasten it.
    ///
    /// # Errors
    ///
    /// As [`Table::batch`](crate::Table::batch). The outcome is unknown if the runtime stopped meanwhile.
    pub async fn outcome(mut self) -> Result<Outcome> {
        match (&mut self.done).await {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(failed)) => Err(failed.error),
            Err(_) => Err(stopped().outcome_unknown()),
        }
    }
}

fn stopped() -> Error {
    Error::unavailable(Cause::runtime_stopped())
}

fn full() -> Error {
    Error::unavailable(Cause::said(
        "the writes that were taken before are not made in time: there is no room for this one",
    ))
}

/// The caller that waits for a write, and the write's room.
struct Waiting {
    done: oneshot::Sender<Result<Outcome, FailedWrite>>,
    _room: OwnedSemaphorePermit,
}

enum Queued {
    Write(Taken),
    Flush(oneshot::Sender<Vec<FailedWrite>>),
}

/// A write that was taken. If it is dropped before it is sent, it has failed.
struct Taken {
    write: Option<(Write, Waiting)>,
    failures: Arc<Locked<Failures>>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some((write, waiting)) = self.write.take() {
            failed(waiting, FailedWrite { write, error: stopped() }, &self.failures);
        }
    }
}

/// Tells of a failure whoever waits for the write, or else the next flush.
fn failed(waiting: Waiting, failed: FailedWrite, failures: &Locked<Failures>) {
    if let Err(Err(failed)) = waiting.done.send(Err(failed)) {
        failures.lock().push(failed);
    }
}

/// Failures that nobody has heard of.
#[derive(Default)]
struct Failures {
    writes: Vec<FailedWrite>,
    bytes: usize,
    /// Nobody will ask for them.
    closed: bool,
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
    /// before the table's timeout is over. The error of an earlier write if so many have failed whose [`Written`] were
    /// dropped that they fill the buffer: [`flush`](Self::flush) returns them. This write was not taken then.
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

impl Failures {
    fn push(&mut self, failed: FailedWrite) {
        if self.closed {
            tracing::error!(error = %failed.error, "a write failed, and nobody asked for it");
            return;
        }
        self.bytes += failed.write.size() + failed.error.exception().map_or(0, |told| told.stack_trace().len());
        self.writes.push(failed);
    }

    fn take(&mut self) -> Vec<FailedWrite> {
        self.bytes = 0;
        std::mem::take(&mut self.writes)
    }
}

/// The task that sends.
struct Sending {
    executor: Arc<Executor>,
    table: TableName,
    timeout: Duration,
    options: BufferOptions,
    queued: mpsc::UnboundedReceiver<Queued>,
    failures: Arc<Locked<Failures>>,
    flushes: Arc<AtomicUsize>,
}

/// The buffered writes. If they are dropped before there are results, their outcome is unknown.
struct Gathered {
    actions: Vec<Action>,
    waiting: Vec<Waiting>,
    bytes: usize,
    /// The flushes that wait for it, and how many of its writes came before each.
    flushes: Vec<(usize, oneshot::Sender<Vec<FailedWrite>>)>,
    failures: Arc<Locked<Failures>>,
}

impl Gathered {
    fn writes(&mut self) -> impl Iterator<Item = (Action, Waiting)> + use<> {
        std::mem::take(&mut self.actions).into_iter().zip(std::mem::take(&mut self.waiting))
    }

    /// Tells of one result.
    fn resolve(&self, (action, waiting): (Action, Waiting), result: Result<Outcome>) {
        match (result, action) {
            (Ok(outcome), _) => drop(waiting.done.send(Ok(outcome))),
            (Err(error), Action::Write(write)) => failed(waiting, FailedWrite { write, error }, &self.failures),
            // Nothing else was gathered.
            (Err(_), Action::Get(_)) => {}
        }
    }

    /// Tells of all results, and each flush of what failed before it.
    fn finish(mut self, results: Vec<Result<Outcome>>) {
        let mut writes = self.writes().zip(results);
        let mut told = 0;
        for (before, flush) in std::mem::take(&mut self.flushes) {
            writes.by_ref().take(before - told).for_each(|(write, result)| self.resolve(write, result));
            told = before;
            let failed = self.failures.lock().take();
            // Whoever flushed has left: the failures wait for the next one.
            if let Err(failed) = flush.send(failed) {
                failed.into_iter().for_each(|failed| self.failures.lock().push(failed));
            }
        }
        writes.for_each(|(write, result)| self.resolve(write, result));
    }
}

impl Drop for Gathered {
    fn drop(&mut self) {
        self.writes().for_each(|write| self.resolve(write, Err(stopped().outcome_unknown())));
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        let _failures = self.failures.lock();
        self.queued.close();
    }
}

impl Sending {
    async fn run(mut self) {
        while let Some(gathered) = self.gather().await {
            self.send(gathered).await;
        }
        let failed = self.failures.lock().take();
        if let Some(first) = failed.first() {
            tracing::error!(writes = failed.len(), error = %first.error, "writes failed, and nobody asked for them");
        }
    }

    /// Waits for writes until they are to be sent. `None` if no others will come.
    async fn gather(&mut self) -> Option<Gathered> {
        let failures = Arc::clone(&self.failures);
        let (actions, waiting, flushes) = (Vec::new(), Vec::new(), Vec::new());
        let mut gathered = Gathered { actions, waiting, bytes: 0, flushes, failures };
        let mut queued = self.queued.recv().await?;
        let until = Instant::now() + self.options.interval;
        loop {
            if self.put(queued, &mut gathered) {
                break;
            }
            // The writes that a flush waits for are one batch, whatever their bytes.
            let flushing = self.flushes.load(Ordering::Relaxed) > 0;
            if gathered.bytes >= self.options.bytes as usize && !flushing {
                return Some(gathered);
            }
            match timeout_at(until, self.queued.recv()).await {
                Ok(Some(next)) => queued = next,
                Ok(None) | Err(_) => return Some(gathered),
            }
        }
        // The other flushes that wait already need no batch of their own.
        for _ in 0..self.queued.len() {
            if self.flushes.load(Ordering::Relaxed) == 0 {
                break;
            }
            let Ok(queued) = self.queued.try_recv() else { break };
            self.put(queued, &mut gathered);
        }
        Some(gathered)
    }

    /// Puts to the rest what came. Returns whether it is a flush.
    fn put(&self, queued: Queued, gathered: &mut Gathered) -> bool {
        match queued {
            Queued::Flush(done) => {
                self.flushes.fetch_sub(1, Ordering::Relaxed);
                gathered.flushes.push((gathered.actions.len(), done));
                true
            }
            Queued::Write(mut taken) => {
                if let Some((write, waiting)) = taken.write.take() {
                    gathered.bytes += write.size();
                    gathered.actions.push(write.into());
                    gathered.waiting.push(waiting);
                }
                false
            }
        }
    }

    async fn send(&self, gathered: Gathered) {
        let results = batch::run(&self.executor, &self.table, &gathered.actions, Instant::now() + self.timeout).await;
        gathered.finish(results);
    }
}

impl fmt::Debug for BufferedMutator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.room.available_permits();
        f.debug_struct("BufferedMutator").field("free_bytes", &free).finish_non_exhaustive()
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written").finish_non_exhaustive()
    }
}
