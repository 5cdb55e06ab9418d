//! A token that cancels calls from another thread.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Cancels the calls of every handle that has this token: [`CallOptions::cancel`](super::CallOptions::cancel).
///
/// Clones share one state. Cancellation is permanent: use a new token for the next request.
#[doc(alias = "CancellationToken")]
#[doc(alias = "abort")]
///
/// ```
/// use rowkey::store::{CallOptions, Cancel, Database};
/// use rowkey::{Error, Memory};
///
/// let cancel = Cancel::new();
/// let table = Memory::new().with_options(&CallOptions::new().cancel(&cancel)).table("t")?;
/// assert_eq!(table.get(b"k")?, None);
/// cancel.cancel(); // from any thread
/// assert!(matches!(table.get(b"k"), Err(Error::Cancelled { .. })));
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    /// Held while `cancelled` is set, so that nobody who waits misses it.
    waiting: Mutex<Waiting>,
    woken: Condvar,
}

/// The tasks that wait for a token, by the numbers of their futures.
#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    tasks: BTreeMap<u64, Waker>,
}

impl Cancel {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels: waiting calls end soon, later calls at once, with [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn cancel(&self) {
        let mut waiting = self.waiting();
        self.0.cancelled.store(true, Ordering::Release);
        let tasks = std::mem::take(&mut waiting.tasks);
        drop(waiting);
        self.0.woken.notify_all();
        tasks.into_values().for_each(Waker::wake);
    }

    /// Returns whether the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// A future that completes when the token is cancelled. For authors of asynchronous engines, to race against the
    /// future of a call.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled { cancel: self.clone(), number: None }
    }

    /// Sleeps for `pause`, or until cancelled.
    pub(super) fn sleep(&self, pause: Duration) {
        // A spurious wake-up is harmless: the caller checks its condition again.
        drop(self.0.woken.wait_timeout_while(self.waiting(), pause, |_| !self.is_cancelled()));
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The future of [`Cancel::cancelled`].
#[derive(Debug)]
#[must_use = "a future does nothing before it is polled"]
pub struct Cancelled {
    cancel: Cancel,
    /// Its number among the tasks that wait, once it waits.
    number: Option<u64>,
}

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { cancel, number } = self.get_mut();
        let waker = context.waker().clone();
        let mut waiting = cancel.waiting();
        if cancel.is_cancelled() {
            return Poll::Ready(());
        }
        let number = *number.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        let earlier = waiting.tasks.insert(number, waker);
        drop(waiting);
        // Outside of the lock: a waker may own its task, and that a future of this token.
        drop(earlier);
        Poll::Pending
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            let waker = self.cancel.waiting().tasks.remove(&number);
            drop(waker);
        }
    }
}

/// Equal if both are clones of one token.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cancel {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::task::Wake;
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_sleeper_wakes_when_it_is_cancelled() {
        let cancel = Cancel::new();
        let begun = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| cancel.sleep(Duration::from_secs(600)));
            cancel.clone().cancel();
        });
        assert!(begun.elapsed() < Duration::from_secs(300));
        cancel.sleep(Duration::from_secs(600));
        assert!(begun.elapsed() < Duration::from_secs(300), "a cancelled token ends every sleep");
    }

    #[test]
    fn tasks_wake_when_it_is_cancelled_and_are_forgotten_when_they_are_dropped() {
        struct Count(AtomicU32);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let (cancel, count) = (Cancel::new(), Arc::new(Count(AtomicU32::new(0))));
        let waker = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&waker);
        let [mut one, mut other, mut dropped] = [cancel.cancelled(), cancel.cancelled(), cancel.cancelled()];
        for _ in 0..2 {
            for future in [&mut one, &mut other, &mut dropped] {
                assert!(Pin::new(future).poll(&mut context).is_pending());
            }
        }
        drop(dropped);
        assert_eq!(cancel.waiting().tasks.len(), 2);
        cancel.cancel();
        assert_eq!(count.0.load(Ordering::Relaxed), 2);
        for mut future in [one, other, cancel.cancelled()] {
            assert!(Pin::new(&mut future).poll(&mut context).is_ready());
        }
    }

    /// A waker that owns a future of the token, as one that owns its task may.
    #[test]
    fn a_waker_is_dropped_outside_of_the_lock() {
        struct Owner {
            _future: Mutex<Cancelled>,
        }
        impl Wake for Owner {
            fn wake(self: Arc<Self>) {}
        }
        let cancel = Cancel::new();
        let waker = || {
            let mut owned = cancel.cancelled();
            assert!(Pin::new(&mut owned).poll(&mut Context::from_waker(Waker::noop())).is_pending());
            Waker::from(Arc::new(Owner { _future: Mutex::new(owned) }))
        };
        let mut future = cancel.cancelled();
        for _ in 0..2 {
            assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker())).is_pending());
        }
        drop(future);
        assert!(cancel.waiting().tasks.is_empty());
    }

    #[test]
    fn clones_are_one_token_and_others_are_not() {
        let (one, other) = (Cancel::new(), Cancel::new());
        assert_eq!(one, one.clone());
        assert_ne!(one, other);
        one.clone().cancel();
        assert!(one.is_cancelled() && !other.is_cancelled());
    }
}
