//! A token that cancels calls from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
    /// Held while `cancelled` is set, so that no sleeper misses it. Other waiters (wakers of tasks) would be registered
    /// here.
    sleepers: Mutex<()>,
    woken: Condvar,
}

impl Cancel {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels: waiting calls end soon, later calls at once, with [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn cancel(&self) {
        let sleepers = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.cancelled.store(true, Ordering::Release);
        drop(sleepers);
        self.0.woken.notify_all();
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Sleeps for `pause`, or until cancelled.
    pub(super) fn sleep(&self, pause: Duration) {
        let sleepers = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        // A spurious wake-up is harmless: the caller checks its condition again.
        drop(self.0.woken.wait_timeout_while(sleepers, pause, |()| !self.is_cancelled()));
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
    fn clones_are_one_token_and_others_are_not() {
        let (one, other) = (Cancel::new(), Cancel::new());
        assert_eq!(one, one.clone());
        assert_ne!(one, other);
        one.clone().cancel();
        assert!(one.is_cancelled() && !other.is_cancelled());
    }
}
