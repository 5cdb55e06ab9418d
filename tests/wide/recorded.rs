//! Recorded responses of HBase and Bigtable, compared with those of `Cells`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rowkey::wide::{Cells, WideStore};
use rowkey::{Error, Memory};

use crate::cases::{Case, Time};
use crate::replay::{Subject, replay, schema};

/// When each case begins.
const NOW: i64 = 1_750_000_000_000;

struct InCells {
    table: Cells,
    clock: Arc<AtomicI64>,
    /// The milliseconds that the clock of `Cells` is ahead of it.
    ahead: Arc<AtomicI64>,
    /// The most that it has been ahead.
    most: AtomicI64,
}

impl InCells {
    fn new(case: &Case) -> Self {
        let clock = Arc::new(AtomicI64::new(NOW));
        let ahead = Arc::new(AtomicI64::new(0));
        let now = {
            let (clock, ahead) = (Arc::clone(&clock), Arc::clone(&ahead));
            move || clock.load(Ordering::Relaxed) + ahead.load(Ordering::Relaxed)
        };
        let table = Cells::open(&Memory::new(), "t", &schema(case)).unwrap().with_clock(now);
        Self { table, clock, ahead, most: AtomicI64::new(0) }
    }
}

impl Subject for InCells {
    fn table(&self) -> &dyn WideStore {
        &self.table
    }

    fn began(&self) -> i64 {
        NOW
    }

    fn stamp(&self, at: i64) -> Option<Time> {
        let own = NOW..=self.clock.load(Ordering::Relaxed) + 9;
        let most = self.most.load(Ordering::Relaxed);
        match at {
            at if own.contains(&at) => Some(Time::Server),
            at if most > 0 && own.contains(&(at - most)) => Some(Time::Clock),
            _ => None,
        }
    }

    fn pass(&self) {
        self.clock.fetch_add(2, Ordering::Relaxed);
    }

    fn set_ahead(&self, ahead: i64) {
        self.ahead.store(ahead, Ordering::Relaxed);
        self.most.fetch_max(ahead, Ordering::Relaxed);
    }

    fn flush(&self) {}

    fn purge(&self) -> Result<(), Error> {
        self.table.purge().run().map(drop)
    }

    fn split(&self, _: &[Vec<u8>]) {}

    fn is_within_a_millisecond(&self) -> bool {
        true
    }
}

/// Steps of HBase's cases that ask for what can't be said here: counts of cells by family, filters in another order
/// than the one that there is here.
const NOT_HERE: usize = 75;
/// The same of Bigtable's cases; and timestamps in microseconds, with what comes after them in their case.
const NOT_HERE_OF_BIGTABLE: usize = 80;
/// Steps that Bigtable has no request for. `Cells` is not asked them either.
const NOT_IN_BIGTABLE: usize = 106;

#[test]
fn cells_answers_as_hbase_did() {
    let cases = [include_str!("hbase.cases"), include_str!("pages.cases"), include_str!("hbase_more.cases")];
    let outcome = replay(&cases, &[], include_str!("differences.cases"), InCells::new);
    assert_eq!((outcome.not_here, outcome.not_there), (NOT_HERE, 0));
}

#[test]
fn cells_answers_as_bigtable_did() {
    let outcome =
        replay(&[include_str!("bigtable.cases")], &[], include_str!("bigtable.differences.cases"), InCells::new);
    assert_eq!((outcome.not_here, outcome.not_there), (NOT_HERE_OF_BIGTABLE, NOT_IN_BIGTABLE));
}
