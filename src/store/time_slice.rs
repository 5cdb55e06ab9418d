//! The time for which work on many rows keeps other writers waiting.

use std::time::{Duration, Instant};

/// The time for which an operation on many rows works before it lets others write.
///
/// A job, and any other operation of unbounded length, does its work in pieces: one transaction each, or one hold of a
/// lock. A piece ends when its slice is over, or with a number of rows and bytes that take no longer. It then has to
/// write what it has found, which takes about as long again; so a lock is held for some 20 ms, and for less than 50.
///
/// Ask [`is_over`](Self::is_over) after a row, not before the first: a thread that waits for a processor may find its
/// slice over at once, and a piece without rows is no progress.
///
/// ```
/// use rowkey::store::TimeSlice;
///
/// let mut rows = 0..1_000_000;
/// let mut pieces = 0;
/// while !rows.is_empty() {
///     // Take the lock here.
///     let slice = TimeSlice::begin();
///     while rows.next().is_some() && !slice.is_over() {}
///     pieces += 1;
/// }
/// assert!(pieces > 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TimeSlice(Instant);

impl TimeSlice {
    /// The length of a slice: 10 ms.
    pub const LENGTH: Duration = Duration::from_millis(10);

    /// Begins a slice now.
    #[must_use]
    pub fn begin() -> Self {
        Self(Instant::now())
    }

    /// Returns whether the slice is over, by the wall clock.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.elapsed() >= Self::LENGTH
    }
}
