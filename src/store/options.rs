//! Timeouts, deadlines and cancellation of calls.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult,
};
use std::thread;
use std::time::{Duration, Instant};

use super::bounded::{BoundedRows, Failed};
use super::{Cancel, Database, Rows, Store};
use crate::store::error::Error;

/// Bounds the calls of a handle: a timeout per call, a deadline for all, a [`Cancel`] token. Default: no bounds.
///
/// `with_options` of a database, a store or a table returns a handle with these options. It leads to the same rows as
/// the handle it was called on. Everything opened through it has the same options.
///
/// ```
/// use std::time::Duration;
///
/// use rowkey::store::{CallOptions, Database};
/// use rowkey::{Error, Memory, Table};
///
/// let names: Table<u64, String, _> = Table::open(Memory::new(), "names")?;
/// let in_time = names.with_options(&CallOptions::new().timeout(Duration::from_secs(2)));
/// in_time.put(&7, &"Ada".into())?;
///
/// let too_late = names.with_options(&CallOptions::new().timeout(Duration::ZERO));
/// assert!(matches!(too_late.put(&7, &"Bob".into()), Err(Error::DeadlineExceeded { .. })));
/// assert_eq!(names.get(&7)?.as_deref(), Some("Ada"));
/// # Ok::<(), Error>(())
/// ```
///
/// - `with_options` **replaces** the options of the handle. It does not add to them.
/// - A call that begins after its deadline, or after cancellation, is refused. A call that waits (for a lock, a server,
///   a pause between attempts) stops waiting then.
/// - **One operation has one deadline.** If it makes several calls of a store, the timeout counts from its start, over
///   all its calls and the pauses between them. For work that goes on batch by batch (scans; the jobs that copy, check,
///   load or purge) the timeout counts for each batch, while a deadline or a token ends the whole.
/// - A batch of rows that has been read is returned even if the deadline passed meanwhile. The next one is an error,
///   and the scan has ended.
///
/// # What is written
///
/// After [`Error::DeadlineExceeded`] and [`Error::Cancelled`] the call has written nothing, as far as the engine writes
/// atomically: a row, a batch within its [atomicity](super::Guarantees::batch), a transaction.
///
/// An operation that consists of several such writes may have done some of them: [`Store::delete_ranges`], a batch that
/// is atomic only by row, the creation of a typed or a wide table, a change through a
/// [`Primary`](crate::secondary::Primary) or a [`Migration`](crate::migrate::Migration) on a database without
/// transactions. It leaves what a crash at that point would leave, and the same recovery applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallOptions {
    timeout: Option<Duration>,
    deadline: Option<Instant>,
    cancel: Option<Cancel>,
}

static NONE: CallOptions = CallOptions::new();

impl CallOptions {
    /// No bounds.
    pub const fn new() -> Self {
        Self { timeout: None, deadline: None, cancel: None }
    }

    /// No bounds. [`Store::options`] returns this for a store without options.
    pub fn none() -> &'static Self {
        &NONE
    }

    /// Sets the timeout of each call, from its start.
    #[doc(alias = "time-out")]
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the deadline of all calls of the handle.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the token that cancels the calls of the handle.
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }

    /// Whether there are no bounds.
    #[inline]
    pub fn is_unbounded(&self) -> bool {
        self.timeout.is_none() && self.deadline.is_none() && self.cancel.is_none()
    }

    /// Whether there is a timeout.
    pub(crate) fn is_timed(&self) -> bool {
        self.timeout.is_some()
    }

    /// Begins a call. For authors of engines, to call in every method, before a lock is taken. Errors name the
    /// operation `doing` and the table.
    ///
    /// # Errors
    ///
    /// [`Error::DeadlineExceeded`], [`Error::Cancelled`], as [`Call::check`].
    #[inline]
    pub fn begin<'c>(&'c self, doing: &'static str, table: &'c str) -> Result<Call<'c>, Error> {
        if self.is_unbounded() {
            return Ok(Call(None));
        }
        self.begin_bounded(doing, Cow::Borrowed(table))
    }

    /// As [`begin`](Self::begin), for a call that uses several tables.
    ///
    /// # Errors
    ///
    /// As [`begin`](Self::begin).
    #[inline]
    pub fn begin_across<'t>(
        &self,
        doing: &'static str,
        tables: impl IntoIterator<Item = &'t str>,
    ) -> Result<Call<'_>, Error> {
        if self.is_unbounded() {
            return Ok(Call(None));
        }
        let tables: Vec<&str> = tables.into_iter().collect();
        self.begin_bounded(doing, Cow::Owned(tables.join(", ")))
    }

    #[cold]
    fn begin_bounded<'c>(&'c self, doing: &'static str, table: Cow<'c, str>) -> Result<Call<'c>, Error> {
        let bounds = Bounds { deadline: self.deadline_from_now(), cancel: self.cancel.as_ref(), doing, table };
        bounds.check()?;
        Ok(Call(Some(Box::new(bounds))))
    }

    /// A timeout that the clock can't represent is no bound.
    fn deadline_from_now(&self) -> Option<Instant> {
        let timed_out = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        self.deadline.into_iter().chain(timed_out).min()
    }

    /// These options with a deadline, counted from now, in place of the timeout. For an operation that makes several
    /// calls of a store: make them through a handle with these options, and they share one deadline.
    #[must_use]
    pub fn from_now(&self) -> Self {
        Self { timeout: None, deadline: self.deadline_from_now(), cancel: self.cancel.clone() }
    }

    /// Applies these options to a scan: each batch is a call. Without bounds it returns the scan itself.
    pub fn rows(&self, table: &str, rows: Box<dyn Rows>) -> Box<dyn Rows> {
        if self.is_unbounded() { rows } else { Box::new(BoundedRows::new(rows, self.clone(), table)) }
    }
}

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
    Option<Box<Bounds<'c>>>,
);

#[derive(Clone)]
struct Bounds<'c> {
    deadline: Option<Instant>,
    cancel: Option<&'c Cancel>,
    doing: &'static str,
    table: Cow<'c, str>,
}

impl Bounds<'_> {
    #[cold]
    fn check(&self) -> Result<(), Error> {
        let Self { cancel, doing, table, .. } = self;
        if cancel.is_some_and(Cancel::is_cancelled) {
            return Err(Error::Cancelled { doing, table: table.clone().into_owned() });
        }
        if self.remaining() == Some(Duration::ZERO) {
            return Err(Error::DeadlineExceeded { doing, table: table.clone().into_owned() });
        }
        Ok(())
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

/// How long to wait at a time for something that the token does not wake.
const SLICE: Duration = Duration::from_millis(5);

impl Call<'_> {
    /// Whether the call may go on.
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

/// A scan whose first batch is the error, and then the end.
pub(crate) fn failed(error: Error) -> Box<dyn Rows> {
    Box::new(Failed(Some(error)))
}

/// A handle with options, from which a handle with other options can be made.
pub(crate) trait Handle {
    fn call_options(&self) -> &CallOptions;
    fn with_call_options(&self, options: &CallOptions) -> Arc<Self>;
}

macro_rules! handles {
    ($($of:ident),*) => {$(
        impl<'a> $crate::store::options::Handle for dyn $of + 'a {
            #[inline]
            fn call_options(&self) -> &CallOptions {
                self.options()
            }
            fn with_call_options(&self, options: &CallOptions) -> Arc<Self> {
                self.with_options(options)
            }
        }
    )*};
}
handles!(Store, Database);
pub(crate) use handles;

/// A borrowed handle, or one made from it with other options.
pub(crate) enum Within<'h, H: ?Sized> {
    As(&'h H),
    Made(Arc<H>),
}

impl<'h, H: Handle + ?Sized> Within<'h, H> {
    /// The handle for the calls of one operation, which share one deadline from now on.
    #[inline]
    pub(crate) fn one_call(handle: &'h H) -> Self {
        match handle.call_options().timeout {
            None => Self::As(handle),
            Some(_) => Self::Made(handle.with_call_options(&handle.call_options().from_now())),
        }
    }

    /// The handle with `options`.
    pub(crate) fn options(handle: &'h H, options: &CallOptions) -> Self {
        if handle.call_options() == options { Self::As(handle) } else { Self::Made(handle.with_call_options(options)) }
    }
}

impl Within<'_, dyn Database + '_> {
    /// A table opened inside one operation, for use after it: with the options of the database, not of the operation.
    pub(crate) fn handed_out(&self, table: Arc<dyn Store>, options: &CallOptions) -> Arc<dyn Store> {
        match self {
            Self::As(_) => table,
            Self::Made(_) => table.with_options(options),
        }
    }
}

impl<H: ?Sized> Deref for Within<'_, H> {
    type Target = H;

    #[inline]
    fn deref(&self) -> &H {
        match self {
            Self::As(handle) => handle,
            Self::Made(handle) => handle,
        }
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
