//! Timeouts, deadlines and cancellation of calls.

mod bound;
mod call;
mod within;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use self::call::Bounds;
pub use self::call::Call;
pub(crate) use self::within::{Handle, Within, handles};
use super::bounded::{BoundedRows, Failed};
use super::{Cancel, Rows};
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
/// After [`Error::DeadlineExceeded`] and [`Error::Cancelled`] nothing was written, and nothing will be, also where an
/// operation makes several calls: a write through a [`Primary`](crate::secondary::Primary) or a
/// [`Migration`](crate::migrate::Migration) on a database without transactions, the creation of a table, a mutation of
/// a wide row whose cells are written one by one. If such an operation is stopped after the call that decides it, or if
/// its outcome is not known, the error is [`Error::OutcomeUnknown`]. It leaves what a crash at that point would leave,
/// and the same recovery applies. See [the guide](crate::guide::errors).
///
/// Batches that are not atomic name the writes that failed: [`Error::Rows`]. Jobs and loads go on batch by batch, and
/// an error ends them where they are.
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

    /// No bounds. [`Store::options`](super::Store::options) returns this for a store without options.
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

    /// Returns whether there are no bounds.
    #[inline]
    pub fn is_unbounded(&self) -> bool {
        self.timeout.is_none() && self.deadline.is_none() && self.cancel.is_none()
    }

    /// Returns whether there is a timeout.
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

/// A scan whose first batch is the error, and then the end.
pub(crate) fn failed(error: Error) -> Box<dyn Rows> {
    Box::new(Failed(Some(error)))
}
