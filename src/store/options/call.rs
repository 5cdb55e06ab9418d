//! A running call: its deadline, and waiting within it.

use std::borrow::Cow;
use std::fmt;
use std::sync::{
    Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult,
};
use std::thread;
use std::time::{Duration, Instant};

use super::CallOptions;
use crate::store::error::Error;
use crate::store::{Cancel, Cancelled};

/// A running call of a handle with [`CallOptions`]. For authors of engines.
///
/// ```
/// use std::sync::Mutex;
/// use std::time::Duration;
///
/// use rowkey::store::CallOptions;
/// use rowkey::Error;
///
/// let turn = Mutex::new(());
/// let options = CallOptions::new().timeout(Duration::from_millis(20));
/// let held = turn.lock();
///
/// let call = options.begin("write", "t")?;
/// assert_eq!(call.lock_mutex(&turn).unwrap_err().to_string(), r#"deadline exceeded: write, table "t""#);
/// # drop(held);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Call<'c>(
    /// Boxed: most calls have no bounds, and then moving one moves a single word.
    pub(super) Option<Box<Bounds<'c>>>,
);

#[derive(Clone)]
pub(super) struct Bounds<'c> {
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: Option<&'c Cancel>,
    pub(super) doing: &'static str,
    pub(super) table: Cow<'c, str>,
}

impl Bounds<'_> {
    #[cold]
    pub(super) fn check(&self) -> Result<(), Error> {
        let Self { cancel, doing, table, .. } = self;
        if cancel.is_some_and(Cancel::is_cancelled) {
            return Err(Error::Cancelled { doing, table: table.clone().into_owned() });
        }
        if self.remaining() == Some(Duration::ZERO) {
            return Err(self.late());
        }
        Ok(())
    }

    pub(super) fn late(&self) -> Error {
        Error::DeadlineExceeded { doing: self.doing, table: self.table.clone().into_owned() }
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn sleep(&self, pause: Duration) -> Result<(), Error> {
        let pause = self.remaining().map_or(pause, |left| left.min(pause));
        match self.cancel {
            Some(cancel) => cancel.sleep(pause),
            None => thread::sleep(pause),
        }
        self.check()
    }

    #[cold]
    fn poll<G>(&self, mut try_lock: impl FnMut() -> Option<G>) -> Result<G, Error> {
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(guard) = try_lock() {
                return Ok(guard);
            }
            self.sleep(pause)?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// The first and the longest pause between two attempts to take a lock. Each pause is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Maximum time of one wait for something that the token does not wake.
const SLICE: Duration = Duration::from_millis(5);

impl Call<'_> {
    /// Checks whether the call may go on.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`], [`Error::DeadlineExceeded`].
    #[inline]
    pub fn check(&self) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |bounds| bounds.check())
    }

    /// Time left until the deadline; `None` without one.
    pub fn remaining(&self) -> Option<Duration> {
        self.0.as_ref()?.remaining()
    }

    /// The error of a call that the engine ends a little before its deadline, when too little time is left for any
    /// request; `None` without a deadline.
    pub fn deadline_exceeded(&self) -> Option<Error> {
        let bounds = self.0.as_ref()?;
        bounds.deadline.map(|_| bounds.late())
    }

    /// A future that completes when the call's token is cancelled; `None` without a token.
    pub fn cancelled(&self) -> Option<Cancelled> {
        Some(self.0.as_ref()?.cancel?.cancelled())
    }

    /// The options for the calls that this call makes: its deadline and its token.
    pub fn rest(&self) -> CallOptions {
        match &self.0 {
            None => CallOptions::new(),
            Some(bounds) => CallOptions { timeout: None, deadline: bounds.deadline, cancel: bounds.cancel.cloned() },
        }
    }

    /// Sleeps for `pause`, or until the call has to end.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), after the sleep.
    pub fn sleep(&self, pause: Duration) -> Result<(), Error> {
        match &self.0 {
            Some(bounds) => bounds.sleep(pause),
            None => {
                thread::sleep(pause);
                Ok(())
            }
        }
    }

    /// Takes a lock. Without bounds it calls `lock`, which waits. With bounds it calls `try_lock`, which does not wait,
    /// again and again until the call has to end. Calls with bounds do not queue: under contention, calls without
    /// bounds may go first.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    #[inline]
    pub fn lock<G>(&self, lock: impl FnOnce() -> G, try_lock: impl FnMut() -> Option<G>) -> Result<G, Error> {
        match &self.0 {
            None => Ok(lock()),
            Some(bounds) => bounds.poll(try_lock),
        }
    }

    /// Takes a lock that can be waited for up to some time, such as those of the crate `parking_lot`. Without bounds it
    /// calls `lock`. With bounds it calls `try_lock_for`, again and again until the call has to end. So calls with
    /// bounds queue as others do.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    #[inline]
    pub fn lock_queued<G>(
        &self,
        lock: impl FnOnce() -> G,
        try_lock_for: impl FnMut(Duration) -> Option<G>,
    ) -> Result<G, Error> {
        match &self.0 {
            None => Ok(lock()),
            Some(_) => self.wait(try_lock_for),
        }
    }

    /// Takes a mutex, as [`lock`](Self::lock). Poisoning is ignored.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    #[inline]
    pub fn lock_mutex<'m, T>(&self, mutex: &'m Mutex<T>) -> Result<MutexGuard<'m, T>, Error> {
        self.lock(|| mutex.lock().unwrap_or_else(PoisonError::into_inner), || taken(mutex.try_lock()))
    }

    /// Takes a lock for reading, as [`lock`](Self::lock). Poisoning is ignored.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    #[inline]
    pub fn lock_read<'l, T>(&self, lock: &'l RwLock<T>) -> Result<RwLockReadGuard<'l, T>, Error> {
        self.lock(|| lock.read().unwrap_or_else(PoisonError::into_inner), || taken(lock.try_read()))
    }

    /// Takes a lock for writing, as [`lock`](Self::lock). Poisoning is ignored.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    #[inline]
    pub fn lock_write<'l, T>(&self, lock: &'l RwLock<T>) -> Result<RwLockWriteGuard<'l, T>, Error> {
        self.lock(|| lock.write().unwrap_or_else(PoisonError::into_inner), || taken(lock.try_write()))
    }

    /// Waits with a function that waits at most for the given time and returns `None` if nothing came, such as a
    /// channel or a condition variable.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn wait<T>(&self, mut wait: impl FnMut(Duration) -> Option<T>) -> Result<T, Error> {
        loop {
            self.check()?;
            let slice = self.remaining().unwrap_or(Duration::MAX);
            let is_woken = self.0.as_ref().is_none_or(|bounds| bounds.cancel.is_none());
            let slice = slice.min(if is_woken { Duration::from_secs(60) } else { SLICE });
            if let Some(found) = wait(slice) {
                return Ok(found);
            }
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = self.0.as_ref().map(|bounds| (bounds.doing, &*bounds.table, bounds.deadline));
        f.debug_tuple("Call").field(&bounds).finish()
    }
}

/// The guard, if the lock could be taken at once, poisoned or not.
fn taken<G>(lock: TryLockResult<G>) -> Option<G> {
    match lock {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::mpsc::channel;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn is_late<T>(result: Result<T, Error>) -> bool {
        matches!(result, Err(Error::DeadlineExceeded { doing: "test", table }) if table == "t")
    }

    fn is_cancelled<T>(result: Result<T, Error>) -> bool {
        matches!(result, Err(Error::Cancelled { doing: "test", table }) if table == "t")
    }

    #[test]
    fn the_nearer_of_time_out_and_deadline_counts() {
        let (soon, late) = (Instant::now(), Instant::now() + LONG);
        assert!(is_late(CallOptions::new().deadline(soon).begin("test", "t")));
        assert!(is_late(CallOptions::new().deadline(soon).timeout(LONG).begin("test", "t")));
        assert!(is_late(CallOptions::new().deadline(late).timeout(Duration::ZERO).begin("test", "t")));
        let both = CallOptions::new().deadline(late).timeout(Duration::from_secs(1));
        assert!(both.begin("test", "t").unwrap().remaining().unwrap() <= Duration::from_secs(1));
        let endless = CallOptions::new().timeout(Duration::MAX);
        assert_eq!(endless.begin("test", "t").unwrap().remaining(), None);
        assert_eq!(CallOptions::new().begin("test", "t").unwrap().remaining(), None);
    }

    #[test]
    fn the_rest_of_a_call_has_its_deadline() {
        let cancel = Cancel::new();
        let options = CallOptions::new().timeout(LONG).cancel(&cancel);
        let call = options.begin("test", "t").unwrap();
        let rest = call.rest();
        assert_eq!(
            rest,
            CallOptions { timeout: None, deadline: call.0.as_ref().unwrap().deadline, cancel: Some(cancel.clone()) }
        );
        assert_eq!(rest.from_now(), rest);
        cancel.cancel();
        assert!(is_cancelled(call.check()) && is_cancelled(rest.begin("test", "t")));
    }

    #[test]
    fn several_tables_are_named() {
        let options = CallOptions::new().timeout(Duration::ZERO);
        let error = options.begin_across("transaction", ["a", "b"]).unwrap_err();
        assert_eq!(error.to_string(), r#"deadline exceeded: transaction, table "a, b""#);
        let error = options.begin("list of tables", "").unwrap_err();
        assert_eq!(error.to_string(), "deadline exceeded: list of tables");
    }

    #[test]
    fn a_sleep_ends_with_the_call() {
        let begun = Instant::now();
        let late = CallOptions::new().timeout(Duration::from_millis(1));
        assert!(is_late(late.begin("test", "t").and_then(|call| call.sleep(LONG))));
        let cancel = Cancel::new();
        let options = CallOptions::new().cancel(&cancel);
        let call = options.begin("test", "t").unwrap();
        thread::scope(|scope| {
            scope.spawn(|| assert!(is_cancelled(call.sleep(LONG))));
            cancel.cancel();
        });
        assert!(begun.elapsed() < LONG);
        CallOptions::none().begin("test", "t").unwrap().sleep(Duration::from_millis(1)).unwrap();
    }

    #[test]
    fn a_lock_that_is_held_is_waited_for_until_the_call_ends() {
        let lock = Mutex::new(());
        let take = |options: &CallOptions| {
            let call = options.begin("test", "t")?;
            call.lock_mutex(&lock).map(drop)
        };
        let poisoned = catch_unwind(AssertUnwindSafe(|| {
            let _held = lock.lock();
            resume_unwind(Box::new("of the holder"))
        }));
        assert!(poisoned.is_err() && lock.is_poisoned());
        take(&CallOptions::new().timeout(LONG)).unwrap();
        let held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(is_late(take(&CallOptions::new().timeout(Duration::from_millis(2)))));
        let cancel = Cancel::new();
        thread::scope(|scope| {
            scope.spawn(|| assert!(is_cancelled(take(&CallOptions::new().cancel(&cancel)))));
            cancel.cancel();
        });
        let patient = CallOptions::new().timeout(LONG);
        thread::scope(|scope| {
            scope.spawn(|| take(&patient).unwrap());
            scope.spawn(|| take(CallOptions::none()).unwrap());
            drop(held);
        });
    }

    #[test]
    fn a_wait_ends_with_the_call_or_with_what_it_waits_for() {
        let (give, take) = channel();
        let wait = |options: &CallOptions| {
            options.begin("test", "t").and_then(|call| call.wait(|slice| take.recv_timeout(slice).ok()))
        };
        assert!(is_late(wait(&CallOptions::new().timeout(Duration::from_millis(2)))));
        give.send(7).unwrap();
        assert_eq!(wait(&CallOptions::new().timeout(LONG)).unwrap(), 7);
        give.send(8).unwrap();
        assert_eq!(wait(CallOptions::none()).unwrap(), 8);
        let cancel = Cancel::new();
        thread::scope(|scope| {
            scope.spawn(|| cancel.cancel());
            assert!(is_cancelled(wait(&CallOptions::new().cancel(&cancel))));
        });
    }
}
