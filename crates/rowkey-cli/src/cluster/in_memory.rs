//! Rows in memory, of which it is counted what a server counts.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::Bound;

use super::Keys;
use super::range::{Order, Range, Rows};

/// Rows, with the numbers of calls, and of rows that HBase counts as read: each that is returned, and one where a scan
/// finds no other.
pub(super) struct InMemory {
    pub(super) keys: BTreeSet<Vec<u8>>,
    pub(super) calls: Cell<usize>,
    pub(super) counted: Cell<usize>,
}

impl InMemory {
    pub(super) fn of(keys: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { keys: keys.into_iter().collect(), calls: Cell::new(0), counted: Cell::new(0) }
    }
}

impl Rows for InMemory {
    type Error = Infallible;

    async fn read(&self, range: &Range, order: Order, most: usize) -> Result<Keys, Infallible> {
        let Range { start, is_after, end } = range;
        assert!(end.is_empty() || start < end, "{range:?}");
        let start = if *is_after { Bound::Excluded(start) } else { Bound::Included(start) };
        let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end) };
        let all = self.keys.range::<Vec<u8>, _>((start, end)).cloned();
        let read: Keys = match order {
            Order::Forwards => all.take(most).collect(),
            Order::Backwards => all.rev().take(most).collect(),
        };
        self.calls.set(self.calls.get() + 1);
        self.counted.set(self.counted.get() + read.len() + usize::from(read.len() < most));
        Ok(read)
    }
}
