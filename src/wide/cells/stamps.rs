//! The timestamps of writes that were not given one.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::clock::Clock;

/// So many rows are told apart; those that are not share how far their time has come.
const STRIPES: usize = 1024;

/// A clock that does not go back in a row, and goes on behind a delete: a put after it would be hidden else.
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
        Stamp { now: None, deleted: false, stamps: self, least: &self.least[stripe as usize] }
    }
}

/// The timestamps of one mutation: its clock stands still, but for a step behind each delete that a put follows.
pub(super) struct Stamp<'s> {
    now: Option<i64>,
    deleted: bool,
    stamps: &'s Stamps,
    least: &'s AtomicI64,
}

impl Stamp<'_> {
    fn now(&mut self) -> i64 {
        let Self { now, stamps, least, .. } = self;
        *now.get_or_insert_with(|| stamps.now().max(least.load(Ordering::Relaxed)).max(0))
    }

    pub(super) fn put(&mut self) -> i64 {
        let now = self.now();
        if !std::mem::take(&mut self.deleted) {
            self.least.fetch_max(now, Ordering::Relaxed);
            return now;
        }
        *self.now.insert(self.least.load(Ordering::Relaxed).max(now.saturating_add(1)))
    }

    /// A delete of one version, which may be of this very moment.
    pub(super) fn delete_at(&mut self, at: i64) {
        if at == self.now() {
            self.delete();
        }
    }

    pub(super) fn delete(&mut self) -> i64 {
        let now = self.now();
        self.deleted = true;
        self.least.fetch_max(now.saturating_add(1), Ordering::Relaxed);
        now
    }
}
