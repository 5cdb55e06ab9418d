//! Timestamps of writes that are given none.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hbase_client as hbase;
use rowkey::clock::Clock;
use rowkey::wide::ClockOf;

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
    /// The time of the last delete. What is put after it has a later one, however the clock goes.
    deleted: AtomicI64,
}

impl Stamps {
    pub(crate) fn of(clock: impl Clock + 'static) -> Self {
        Self::Process(Arc::new(Process { clock: Box::new(clock), deleted: AtomicI64::new(-1) }))
    }

    pub(crate) fn clock(&self) -> ClockOf {
        match self {
            Self::Server => ClockOf::Server,
            Self::Process(_) => ClockOf::Process,
        }
    }

    /// Stamps the mutations of a row that are made at once. `deletes`: a delete among them has no timestamp.
    pub(crate) fn stamp(&self, mutations: Vec<hbase::Mutation>, deletes: bool) -> Vec<hbase::Mutation> {
        let Self::Process(process) = self else { return mutations };
        let at = process.now(deletes);
        mutations.into_iter().map(|mutation| mutation.stamped_at(at)).collect()
    }
}

impl Process {
    fn now(&self, deletes: bool) -> u64 {
        let now = self.clock.now();
        let now = now.max(self.deleted.load(Ordering::Acquire).saturating_add(1));
        if deletes {
            self.deleted.fetch_max(now, Ordering::AcqRel);
        }
        u64::try_from(now).unwrap_or_default()
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("deleted", &self.deleted).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_after_a_delete_has_a_later_time_whatever_the_clock_says() {
        let Stamps::Process(process) = Stamps::of(|| 1000) else { panic!("a clock was given") };
        assert_eq!(
            [false, true, false, false, true, true, false].map(|deletes| process.now(deletes)),
            [1000, 1000, 1001, 1001, 1001, 1002, 1003]
        );
        let Stamps::Process(early) = Stamps::of(|| -5) else { panic!("a clock was given") };
        assert_eq!(early.now(false), 0);
    }
}
