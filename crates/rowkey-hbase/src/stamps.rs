//! Timestamps of writes that are given none.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hbase_client as hbase;
use rowkey::Error;
use rowkey::clock::Clock;
use rowkey::wide::ClockOf;

use crate::guarantees::TIMESTAMPS;

/// The most milliseconds that a cell's time may be ahead for that to be a clock's, of another process: a day. A time
/// beyond that was given. It is the time of what replaces its cell, but not of what this process writes elsewhere.
const MOST_AHEAD: i64 = 24 * 60 * 60 * 1000;

/// The clock that stamps writes that are given no timestamp.
#[derive(Clone, Debug, Default)]
pub(crate) enum Stamps {
    /// The server's. A write is not retried once the server may have stamped it.
    #[default]
    Server,
    /// This process's. Duplicates are identical, so writes are retried.
    Process(Arc<Process>),
}

pub(crate) struct Process {
    clock: Box<dyn Clock>,
    /// The latest time of a write, by a clock. However that goes, no write has an earlier one.
    written: AtomicI64,
    /// The time of the last delete. What is put after it has a later one.
    deleted: AtomicI64,
}

impl Stamps {
    pub(crate) fn of(clock: impl Clock + 'static) -> Self {
        let none = || AtomicI64::new(-1);
        Self::Process(Arc::new(Process { clock: Box::new(clock), written: none(), deleted: none() }))
    }

    pub(crate) fn clock(&self) -> ClockOf {
        match self {
            Self::Server => ClockOf::Server,
            Self::Process(_) => ClockOf::Process,
        }
    }

    pub(crate) fn is_server(&self) -> bool {
        matches!(self, Self::Server)
    }

    /// Stamps the mutations of a row that are made at once. `deletes`: a delete among them has no timestamp.
    /// `since`: the time of the cell that they replace.
    ///
    /// # Errors
    ///
    /// [`Error::Timestamp`] if the clock is beyond the last that HBase keeps.
    pub(crate) fn stamp(
        &self,
        mutations: Vec<hbase::Mutation>,
        deletes: bool,
        since: Option<i64>,
    ) -> Result<Vec<hbase::Mutation>, Error> {
        let Self::Process(process) = self else { return Ok(mutations) };
        let at = process.now(deletes, since.unwrap_or(0))?;
        Ok(mutations.into_iter().map(|mutation| mutation.stamped_at(at)).collect())
    }

    /// A cell of this time is to be removed up to its time: what this process puts after that is later.
    pub(crate) fn remove(&self, at: i64) {
        if let Self::Process(process) = self
            && is_of_a_clock(at, process.next())
        {
            process.deleted.fetch_max(at, Ordering::AcqRel);
        }
    }
}

/// Returns whether a cell's time may be that of a clock, by the time of this process's next write.
fn is_of_a_clock(at: i64, next: i64) -> bool {
    at.saturating_sub(next) <= MOST_AHEAD
}

impl Process {
    /// The time of a write now, if it replaces nothing.
    fn next(&self) -> i64 {
        let after_delete = self.deleted.load(Ordering::Acquire).saturating_add(1);
        self.clock.now().max(self.written.load(Ordering::Acquire)).max(after_delete)
    }

    fn now(&self, deletes: bool, since: i64) -> Result<u64, Error> {
        let next = self.next();
        let now = next.max(since);
        let at = u64::try_from(now).ok().filter(|_| now <= TIMESTAMPS.last).ok_or(Error::Timestamp(now))?;
        if is_of_a_clock(now, next) {
            self.written.fetch_max(now, Ordering::AcqRel);
            if deletes {
                self.deleted.fetch_max(now, Ordering::AcqRel);
            }
        }
        Ok(at)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("written", &self.written)
            .field("deleted", &self.deleted)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(clock: impl Clock + 'static) -> Arc<Process> {
        let Stamps::Process(process) = Stamps::of(clock) else { panic!("a clock was given") };
        process
    }

    #[test]
    fn a_put_after_a_delete_has_a_later_time_whatever_the_clock_says() {
        let process = process(|| 1000);
        assert_eq!(
            [false, true, false, false, true, true, false].map(|deletes| process.now(deletes, 0).unwrap()),
            [1000, 1000, 1001, 1001, 1001, 1002, 1003]
        );
    }

    #[test]
    fn no_write_is_earlier_than_the_one_before() {
        let clock = AtomicI64::new(5000);
        let process = process(move || clock.fetch_sub(2000, Ordering::Relaxed));
        assert_eq!([0, 7000, 0].map(|since| process.now(false, since).unwrap()), [5000, 7000, 7000]);
    }

    /// Such as those of programs whose timestamps are `Long.MAX_VALUE - now`.
    #[test]
    fn a_time_that_is_no_clocks_is_of_its_cell_alone() {
        let (last, clock) = (i64::MAX - 1, 1_700_000_000_000);
        let process = process(move || clock);
        assert_eq!([false, true].map(|deletes| process.now(deletes, last).unwrap()), [last as u64; 2]);
        Stamps::Process(Arc::clone(&process)).remove(last);
        assert_eq!(process.now(false, 0).unwrap(), clock as u64);
        // That of a clock which is ahead is kept.
        assert_eq!(
            [false, true].map(|deletes| process.now(deletes, clock + MOST_AHEAD).unwrap()),
            [1_700_086_400_000; 2]
        );
        assert_eq!(process.now(false, 0).unwrap(), 1_700_086_400_001);
    }

    #[test]
    fn a_clock_beyond_what_is_kept_is_refused() {
        assert_eq!(process(|| -5).now(false, 0).unwrap(), 0);
        let last = process(|| i64::MAX - 1);
        assert_eq!(last.now(true, 0).unwrap(), i64::MAX as u64 - 1);
        assert!(matches!(last.now(false, 0), Err(Error::Timestamp(i64::MAX))));
    }
}
