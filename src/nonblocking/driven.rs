//! Synchronous code over an asynchronous engine, inside a future.
//!
//! The code that opens a table reads and writes the catalog in a dozen steps, and exists once, as synchronous code.
//! Here it runs in a thread. The calls that it makes of the engine run in the task that awaits it, so they need no
//! runtime but the caller's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use super::{Blocking, BoxFuture};
use crate::store::error::Error;
use crate::store::reentry::Inherited;

/// Runs `code` in a thread. If the future is dropped, the engine's calls end, and the thread with the next of them.
pub(super) fn driven<T, R>(
    engine: Arc<T>,
    code: impl FnOnce(Blocking<Arc<T>>) -> Result<R, Error> + Send + 'static,
) -> impl Future<Output = Result<R, Error>>
where
    T: ?Sized + Send + Sync + 'static,
    R: Send + 'static,
{
    let shared = Arc::new(Shared(Mutex::new(Inbox { given: Vec::new(), task: None, result: None, is_closed: false })));
    Driven { shared, start: Some((engine, code)), running: Vec::new() }
}

struct Driven<E, C, R> {
    shared: Arc<Shared<R>>,
    /// The engine and the code that the thread starts with, until the first poll.
    start: Option<(E, C)>,
    /// The engine's calls that have begun.
    running: Vec<BoxFuture<'static, ()>>,
}

struct Shared<R>(Mutex<Inbox<R>>);

/// The calls and the result that the thread leaves for the task.
struct Inbox<R> {
    given: Vec<BoxFuture<'static, ()>>,
    task: Option<Waker>,
    result: Option<Result<R, Error>>,
    /// True if the task is gone. Calls that come later are dropped.
    is_closed: bool,
}

impl<R> Shared<R> {
    fn inbox(&self) -> MutexGuard<'_, Inbox<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves something for the task. The value that `what` returns is dropped outside of the lock: it may hold
    /// anything.
    fn leave<T>(&self, what: impl FnOnce(&mut Inbox<R>) -> T) {
        let mut inbox = self.inbox();
        let dropped = what(&mut inbox);
        let task = inbox.task.take();
        drop(inbox);
        drop(dropped);
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl<T, C, R> Driven<Arc<T>, C, R>
where
    T: ?Sized + Send + Sync + 'static,
    C: FnOnce(Blocking<Arc<T>>) -> Result<R, Error> + Send + 'static,
    R: Send + 'static,
{
    fn start(&mut self) -> Result<(), Error> {
        let Some((engine, code)) = self.start.take() else { return Ok(()) };
        let of_calls = Arc::downgrade(&self.shared);
        let blocking = Blocking::on(engine, move |call: BoxFuture<'static, ()>| {
            // Dropped, if the task is gone.
            if let Some(shared) = of_calls.upgrade() {
                shared.leave(|inbox| match inbox.is_closed {
                    true => Some(call),
                    false => {
                        inbox.given.push(call);
                        None
                    }
                });
            }
        });
        let (shared, inherited) = (Arc::clone(&self.shared), Inherited::of_this_thread());
        let run = move || {
            inherited.enter();
            let result = catch_unwind(AssertUnwindSafe(|| code(blocking)));
            let result = result.unwrap_or_else(|panic| Err(Error::panicked("opening or dropping a table", &*panic)));
            shared.leave(|inbox| inbox.result.replace(result));
        };
        let started = thread::Builder::new().name("rowkey-driven".into()).spawn(run);
        started.map(drop).map_err(|error| Error::engine(format!("no thread can be started: {error}")))
    }
}

impl<E, C, R> Unpin for Driven<E, C, R> {}

impl<T, C, R> Future for Driven<Arc<T>, C, R>
where
    T: ?Sized + Send + Sync + 'static,
    C: FnOnce(Blocking<Arc<T>>) -> Result<R, Error> + Send + 'static,
    R: Send + 'static,
{
    type Output = Result<R, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.start()?;
        let waker = context.waker().clone();
        loop {
            let mut inbox = this.shared.inbox();
            if let Some(result) = inbox.result.take() {
                return Poll::Ready(result);
            }
            this.running.append(&mut inbox.given);
            let earlier = inbox.task.replace(waker.clone());
            drop(inbox);
            drop(earlier);
            let before = this.running.len();
            this.running.retain_mut(|call| call.as_mut().poll(context).is_pending());
            if this.running.len() == before {
                return Poll::Pending;
            }
        }
    }
}

impl<E, C, R> Drop for Driven<E, C, R> {
    fn drop(&mut self) {
        let mut inbox = self.shared.inbox();
        inbox.is_closed = true;
        let given = std::mem::take(&mut inbox.given);
        drop(inbox);
        // Outside of the lock: what a call drops may be anything.
        drop(given);
    }
}
