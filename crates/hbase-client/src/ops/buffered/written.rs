//! The outcome of a buffered write: its handle, and failures that no handle has told of.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::model::error::{Cause, Error, Result};
use crate::ops::batch::{Outcome, Write};
use crate::sync::Locked;

/// A write that failed, and why.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FailedWrite {
    /// The write, which may be tried again as it is.
    pub write: Write,
    /// The error. Its kind tells whether the write may have been made all the same.
    pub error: Error,
}

/// A handle to a buffered write. Dropping it does not cancel the write; the next [`flush`](crate::BufferedMutator::flush) then
/// reports its failure.
pub struct Written {
    pub(super) done: oneshot::Receiver<Result<Outcome, FailedWrite>>,
    pub(super) failures: Arc<Locked<Failures>>,
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

pub(super) fn stopped() -> Error {
    Error::unavailable(Cause::runtime_stopped())
}

/// The caller that waits for a write, and the write's room.
pub(super) struct Waiting {
    pub(super) done: oneshot::Sender<Result<Outcome, FailedWrite>>,
    pub(super) _room: OwnedSemaphorePermit,
}

/// A write that was taken. If it is dropped before it is sent, it has failed.
pub(super) struct Taken {
    pub(super) write: Option<(Write, Waiting)>,
    pub(super) failures: Arc<Locked<Failures>>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Some((write, waiting)) = self.write.take() {
            failed(waiting, FailedWrite { write, error: stopped() }, &self.failures);
        }
    }
}

/// Tells of a failure whoever waits for the write, or else the next flush.
pub(super) fn failed(waiting: Waiting, failed: FailedWrite, failures: &Locked<Failures>) {
    if let Err(Err(failed)) = waiting.done.send(Err(failed)) {
        failures.lock().push(failed);
    }
}

/// Failures that nobody has heard of.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) writes: Vec<FailedWrite>,
    pub(super) bytes: usize,
    /// Nobody will ask for them.
    pub(super) closed: bool,
}

impl Failures {
    pub(super) fn push(&mut self, failed: FailedWrite) {
        if self.closed {
            tracing::error!(error = %failed.error, "a write failed, and nobody asked for it");
            return;
        }
        self.bytes += failed.write.size() + failed.error.exception().map_or(0, |told| told.stack_trace().len());
        self.writes.push(failed);
    }

    pub(super) fn take(&mut self) -> Vec<FailedWrite> {
        self.bytes = 0;
        std::mem::take(&mut self.writes)
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written").finish_non_exhaustive()
    }
}
