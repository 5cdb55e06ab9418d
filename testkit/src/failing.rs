//! A database that fails from some operation on, as if its process was killed there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rowkey::Memory;
use rowkey::store::{Atomicity, Database};

use crate::{Cue, Cued, Fate, Op, Random, Restrict};

/// The operations that are counted, and the guarantees of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// True if every operation counts; false if writes alone do.
    pub reads: bool,
    /// True if the first operation that fails is applied all the same.
    pub applied: bool,
    /// True if there are transactions.
    pub transactions: bool,
    /// True if there is compare-and-write.
    pub compare_and_write: bool,
}

/// No transactions.
pub const WITHOUT: How = How { reads: false, applied: false, transactions: false, compare_and_write: true };

/// A database in memory whose process is killed at some operation, or stalls there.
pub type Failing = Cued<dyn Database, Deaths>;

/// The operations at which a [`Failing`] dies or stalls.
#[derive(Clone)]
pub struct Deaths {
    how: How,
    left: Arc<AtomicI64>,
    interrupts: Arc<Mutex<VecDeque<Interrupt>>>,
    /// Of random stalls, if there are any.
    stalls: Option<Arc<AtomicU64>>,
}

/// The number of the operation before which it comes, counted from the interruption before, and its action.
type Interrupt = (u64, Box<dyn FnOnce() + Send>);

impl Failing {
    /// Fails from operation `after` on, counted from 0.
    pub fn new(memory: &Memory, how: How, after: i64) -> Self {
        let mut guarantees =
            memory.guarantees().transactions(how.transactions).compare_and_write(how.compare_and_write);
        if !how.transactions {
            guarantees.batch = Atomicity::Row;
        }
        Self::over(Arc::new(Restrict::database(Arc::new(memory.clone()), guarantees)), Deaths::new(how, after))
    }

    /// Fails only after [`Deaths::die`] or [`Deaths::die_after`].
    pub fn never(memory: &Memory, how: How) -> Self {
        Self::new(memory, how, i64::MAX / 2)
    }

    /// One operation in fifty stalls for some milliseconds.
    pub fn stalling(memory: &Memory, how: How, seed: u64) -> Self {
        let never = Self::never(memory, how);
        never.with(|deaths| deaths.stalls = Some(Arc::new(AtomicU64::new(seed))))
    }
}

impl Deaths {
    /// Fails from the write `after` on, counted from 0. Reads still work.
    pub fn after(after: i64) -> Self {
        Self::new(How { transactions: true, ..WITHOUT }, after)
    }

    fn new(how: How, after: i64) -> Self {
        Self { how, left: Arc::new(AtomicI64::new(after)), interrupts: Arc::default(), stalls: None }
    }

    /// Runs `by` before operation `at`, as if the process had stalled there. Reads count too. Each of several
    /// interruptions is counted from the one before.
    pub fn interrupt(&self, at: u64, by: impl FnOnce() + Send + 'static) {
        self.interrupts.lock().unwrap_or_else(PoisonError::into_inner).push_back((at, Box::new(by)));
    }

    /// Removes the next interruption, and all after it. Returns whether there was one.
    pub fn take_interrupt(&self) -> bool {
        let mut interrupts = self.interrupts.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *interrupts).pop_front().is_some()
    }

    /// Every later operation fails.
    pub fn die(&self) {
        self.die_after(0);
    }

    /// Fails after this many more operations.
    pub fn die_after(&self, more: i64) {
        self.left.store(more, Ordering::SeqCst);
    }

    fn stall(&self) {
        if let Some(seed) = &self.stalls {
            let random = Random(seed.fetch_add(1, Ordering::Relaxed)).below(u64::MAX);
            if random.is_multiple_of(50) {
                thread::sleep(Duration::from_micros(random % 4000));
            }
        }
        let mut interrupts = self.interrupts.lock().unwrap_or_else(PoisonError::into_inner);
        match interrupts.front_mut() {
            Some((0, _)) => {
                let due = interrupts.pop_front();
                drop(interrupts);
                due.into_iter().for_each(|(_, by)| by());
            }
            Some((at, _)) => *at -= 1,
            None => {}
        }
    }
}

impl Cue for Deaths {
    fn before(&self, op: Op) -> Fate {
        // A transaction is one operation.
        if matches!(op, Op::Readable | Op::Commit) {
            return Fate::Done;
        }
        self.stall();
        let writes = matches!(op, Op::Create | Op::Drop | Op::Write);
        if !writes && !self.how.reads {
            return Fate::Done;
        }
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => Fate::Done,
            0 if writes && self.how.applied => Fate::Unsaid,
            _ => Fate::Fails,
        }
    }
}
