//! The rows of a stream that a runtime reads.

use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use super::{Batches, Runtime, stopped, within};
use crate::nonblocking::feed::{Yielded, poll_batch};
use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch, Rows};

/// A scan whose stream a task reads, by at most one batch ahead. When it is dropped, so is the stream.
pub(super) struct StreamRows {
    shared: Arc<Shared>,
    /// The bounds of the wait for a batch, and the table that it is from.
    options: CallOptions,
    table: String,
    /// Goes on as long as the scan, whatever becomes of the handle that opened it.
    _runtime: Runtime,
}

struct Shared {
    state: Mutex<State>,
    /// Notified when the stream was opened, and when it yielded.
    told: Condvar,
}

#[derive(Default)]
struct State {
    is_open: bool,
    /// The item that the stream yielded and the reader has not taken yet; after the end, the end.
    yielded: Option<Yielded>,
    /// True if the reader was dropped.
    is_dropped: bool,
    /// The task, while it waits for the reader.
    task: Option<Waker>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits within the bounds of a call while a condition holds.
    fn wait_while(
        &self,
        options: &CallOptions,
        table: &str,
        holds: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'_, State>, Error> {
        within(options, table, |time| {
            let waited = self.told.wait_timeout_while(self.state(), time, |state| holds(state));
            let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            (!holds(&state)).then_some(state)
        })
    }

    fn wake(mut state: MutexGuard<'_, State>) {
        let task = state.task.take();
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl StreamRows {
    /// Opens and reads a stream on the runtime.
    pub(super) fn start(
        runtime: &Runtime,
        options: &CallOptions,
        table: &str,
        open: impl FnOnce() -> Batches + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), told: Condvar::new() });
        let reading = Reading { shared: Arc::clone(&shared), open: Some(open), batches: None };
        (runtime.0)(Box::pin(reading));
        Self { shared, options: options.clone(), table: table.to_owned(), _runtime: runtime.clone() }
    }

    /// Waits until the stream is open. If that takes too long, the first batch is the error.
    pub(super) fn wait_until_open(&self) {
        drop(self.shared.wait_while(&self.options, &self.table, |state| !state.is_open));
    }
}

impl Rows for StreamRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let waited = self.shared.wait_while(&self.options, &self.table, |state| state.yielded.is_none());
        let mut state = match waited {
            Ok(state) => state,
            Err(ended) => {
                // The scan has ended with its error, whatever comes.
                let mut state = self.shared.state();
                state.is_dropped = true;
                state.yielded = Some(Ok(None));
                Shared::wake(state);
                return Err(ended);
            }
        };
        match state.yielded.take() {
            Some(Ok(Some(rows))) => {
                Shared::wake(state);
                *batch = rows;
                Ok(())
            }
            end => {
                state.yielded = Some(Ok(None));
                end.transpose().map(drop)
            }
        }
    }
}

impl Drop for StreamRows {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.is_dropped = true;
        Shared::wake(state);
    }
}

/// The task that reads the stream.
struct Reading<O> {
    shared: Arc<Shared>,
    /// Opens the stream.
    open: Option<O>,
    batches: Option<Batches>,
}

impl<O> Unpin for Reading<O> {}

impl<O: FnOnce() -> Batches> Future for Reading<O> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if let Some(open) = this.open.take() {
            this.batches = Some(open());
            this.shared.state().is_open = true;
            this.shared.told.notify_all();
        }
        let waker = context.waker().clone();
        loop {
            let mut state = this.shared.state();
            if state.is_dropped {
                return Poll::Ready(());
            }
            let earlier = state.task.replace(waker.clone());
            let is_full = state.yielded.is_some();
            drop(state);
            // Outside of the lock: a waker may hold anything.
            drop(earlier);
            let Some(batches) = &mut this.batches else { return Poll::Ready(()) };
            if is_full {
                return Poll::Pending;
            }
            let yielded = ready!(poll_batch(batches, context));
            if !matches!(yielded, Ok(Some(_))) {
                this.batches = None;
            }
            this.shared.state().yielded = Some(yielded);
            this.shared.told.notify_all();
        }
    }
}

/// The task ended, or was dropped, before the stream.
impl<O> Drop for Reading<O> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        if !state.is_open || self.batches.is_some() {
            state.is_open = true;
            state.yielded.get_or_insert_with(|| Err(stopped()));
            drop(state);
            self.shared.told.notify_all();
        }
    }
}
