//! Events to come, by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event within the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// A flush has written its file.
    Flushed,
    /// A flush that waited for fewer files waits no longer.
    FlushAnyway,
    /// A compaction has written its file.
    Compacted(u64),
    /// A region closes.
    Close,
    /// A region opens.
    Open,
    /// Files that were compacted are let go.
    Discharge,
    /// A memstore is old.
    Aged,
    /// It is asked whether a region needs a major compaction.
    Check,
    /// A region is to go to this server.
    Move(usize),
    /// The balancer runs.
    Balance,
}

/// An event of a region, if that was not closed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub(crate) at_ms: u64,
    /// Of one time the first that was put here is the first.
    number: u64,
    pub(crate) region: usize,
    pub(crate) epoch: u64,
    pub(crate) what: What,
}

/// All that will happen, in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    due: BinaryHeap<Reverse<Due>>,
    number: u64,
}

impl Queue {
    pub(crate) fn push(&mut self, at_ms: u64, (region, epoch): (usize, u64), what: What) {
        self.number += 1;
        self.due.push(Reverse(Due { at_ms, number: self.number, region, epoch, what }));
    }

    /// Takes the next out that happens by a time.
    pub(crate) fn pop_until(&mut self, at_ms: u64) -> Option<Due> {
        if self.due.peek()?.0.at_ms > at_ms {
            return None;
        }
        self.due.pop().map(|Reverse(due)| due)
    }
}

/// The first tick after a time, of a clock with this period and phase.
pub(crate) fn next_tick(after_ms: u64, period_ms: u64, phase_ms: u64) -> u64 {
    let period_ms = period_ms.max(1);
    let phase_ms = phase_ms % period_ms;
    match after_ms.checked_sub(phase_ms) {
        None => phase_ms,
        Some(since) => (since / period_ms + 1).saturating_mul(period_ms).saturating_add(phase_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, What, next_tick};

    #[test]
    fn what_is_due_comes_in_the_order_of_time_then_of_its_number() {
        let mut queue = Queue::default();
        for (at, region) in [(5, 0), (3, 1), (5, 2), (4, 3)] {
            queue.push(at, (region, 0), What::Open);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop_until(4)).map(|due| due.region).collect();
        assert_eq!(order, [1, 3]);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop_until(u64::MAX)).map(|due| due.region).collect();
        assert_eq!(order, [0, 2]);
    }

    #[test]
    fn ticks_come_after() {
        assert_eq!(next_tick(0, 500, 120), 120);
        assert_eq!(next_tick(120, 500, 120), 620);
        assert_eq!(next_tick(619, 500, 120), 620);
        assert_eq!(next_tick(7, 0, 3), 8);
        assert_eq!(next_tick(u64::MAX, u64::MAX, 1), u64::MAX);
    }
}
