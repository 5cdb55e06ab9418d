//! The timestamps of writes that were not given one.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::clock::Clock;

/// So many rows are told apart; those that are not share how far their time has come.
const STRIPES: usize = 4096;

/// A clock that does not go back in a row, and goes on behind a delete and behind a version that is to be kept: what is put
/// after it would be hidden else, or take its place.
pub(super) struct Stamps {
    clock: Arc<dyn Clock>,
    /// The least timestamp of the next write.
    least: Box<[AtomicI64]>,
}

impl Stamps {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, least: (0..STRIPES).map(|_| AtomicI64::new(0)).collect() }
    }

    pub(super) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// The timestamps of one mutation.
    pub(super) fn of_row(&self, row: &[u8]) -> Stamp<'_> {
        let stripe = xxhash_rust::xxh3::xxh3_64(row) % STRIPES as u64;
        Stamp { stamps: self, least: &self.least[stripe as usize], now: None, ahead: false }
    }
}

/// The timestamps of one mutation: its clock stands still, but for a step behind a delete that a put follows.
pub(super) struct Stamp<'s> {
    stamps: &'s Stamps,
    least: &'s AtomicI64,
    now: Option<i64>,
    /// Whether it goes by a cell in the future, which is not to take the row's clock along.
    ahead: bool,
}

impl Stamp<'_> {
    fn now(&mut self) -> i64 {
        let Self { stamps, least, now, .. } = self;
        *now.get_or_insert_with(|| stamps.now().max(least.load(Ordering::Relaxed)))
    }

    fn at_least(&self, least: i64) {
        if !self.ahead {
            self.least.fetch_max(least, Ordering::Relaxed);
        }
    }

    /// No earlier than a cell that was looked at: what follows from it is not hidden behind it.
    pub(super) fn not_before(mut self, cell: Option<i64>) -> Self {
        if let Some(cell) = cell.filter(|&cell| cell > self.now()) {
            self.now = Some(cell);
            self.ahead = true;
        }
        self
    }

    /// The timestamp of what takes the place of a cell: a later one, if both are to be kept.
    pub(super) fn after(mut self, cell: Option<i64>, kept: bool) -> i64 {
        let now = self.put(false, kept);
        match cell {
            Some(cell) if cell > now => cell.saturating_add(1),
            Some(cell) if cell == now && kept => {
                self.at_least(now.saturating_add(1));
                now.saturating_add(1)
            }
            _ => now,
        }
    }

    /// `behind` a delete that would hide it; `kept` beside the versions that come after it.
    pub(super) fn put(&mut self, behind: bool, kept: bool) -> i64 {
        let now = self.now().saturating_add(i64::from(behind));
        self.now = Some(now);
        self.at_least(now.saturating_add(i64::from(kept)));
        now
    }

    pub(super) fn delete(&mut self) -> i64 {
        let now = self.now();
        self.at_least(now.saturating_add(1));
        now
    }

    /// A delete of one version; whether that is of this very moment.
    pub(super) fn delete_at(&mut self, at: i64) -> bool {
        let now = at == self.now();
        if now {
            self.delete();
        }
        now
    }
}
