//! A database each of whose calls takes its time, before it looks at its options.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rowkey::Memory;
use rowkey::store::{Atomicity, Database};
use rowkey_testkit::{Cue, Cued, Fate, Op, Restrict};

/// How long a call takes, at least.
pub(crate) const DELAY: Duration = Duration::from_millis(8);

pub(crate) type Slow = Cued<dyn Database, Delay>;

#[derive(Clone)]
pub(crate) struct Delay {
    delay: Duration,
    begun: Arc<AtomicBool>,
    calls: Arc<AtomicU64>,
}

pub(crate) fn slow(memory: Memory, transactions: bool, delay: Duration) -> Slow {
    let mut promised = memory.guarantees();
    if !transactions {
        promised = promised.transactions(false).batch(Atomicity::Row);
    }
    let delay = Delay { delay, begun: Arc::default(), calls: Arc::default() };
    Cued::over(Arc::new(Restrict::database(Arc::new(memory), promised)), delay)
}

impl Delay {
    /// From now on calls take their time.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::SeqCst);
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Cue for Delay {
    fn before(&self, op: Op) -> Fate {
        // A transaction is one call.
        if !matches!(op, Op::Readable | Op::Commit) {
            self.calls.fetch_add(1, Ordering::SeqCst);
            if self.begun.load(Ordering::SeqCst) {
                sleep(self.delay);
            }
        }
        Fate::Done
    }
}
