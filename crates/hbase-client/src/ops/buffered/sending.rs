//! The task that gathers buffered writes, and sends them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::BufferOptions;
use super::written::{FailedWrite, Failures, Taken, Waiting, failed, stopped};
use crate::model::error::Result;
use crate::model::table_name::TableName;
use crate::ops::batch::{self, Action, Outcome};
use crate::ops::executor::Executor;
use crate::sync::Locked;

/// Sent to the task.
pub(super) enum Queued {
    Write(Taken),
    Flush(oneshot::Sender<Vec<FailedWrite>>),
}

/// The task that sends.
pub(super) struct Sending {
    pub(super) executor: Arc<Executor>,
    pub(super) table: TableName,
    pub(super) timeout: Duration,
    pub(super) options: BufferOptions,
    pub(super) queued: mpsc::UnboundedReceiver<Queued>,
    pub(super) failures: Arc<Locked<Failures>>,
    pub(super) flushes: Arc<AtomicUsize>,
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
    pub(super) async fn run(mut self) {
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
