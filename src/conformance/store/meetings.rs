//! Makes callers meet in a store, so that laws about concurrent callers test something.
//!
//! Nothing can stop a store's operation half way to let another in. So each call is counted while it runs, and the
//! callers continue until enough calls have begun while another was running, however few processors there are and
//! however busy. This works for stores that block calls too: a blocked call is running.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Number of concurrent callers.
pub(crate) const THREADS: usize = 4;

/// Number of calls that have to begin while another is running.
const ENOUGH: u64 = 64;

/// Minimum number of calls per caller, however soon they have met.
const AT_LEAST: u64 = 20;

/// Callers that have not met by then give up, which breaks no law.
const LONGEST: Duration = Duration::from_secs(5);

struct Meetings {
    /// Number of calls that each caller has begun and ended: odd while one is running.
    calls: Vec<AtomicU64>,
    met: AtomicU64,
    failed: AtomicBool,
    begun: Instant,
}

/// One of the concurrent callers.
pub(crate) struct Caller<'m> {
    all: &'m Meetings,
    index: usize,
    calls: u64,
    /// For each caller it has to meet: the last of its calls that it met. A call is met only once.
    met: Vec<u64>,
}

impl Caller<'_> {
    /// Returns whether the caller should make more calls.
    pub(crate) fn goes_on(&self) -> bool {
        let enough = || self.calls >= AT_LEAST && self.all.met.load(Ordering::Relaxed) >= ENOUGH;
        !self.all.failed.load(Ordering::Relaxed) && !enough() && self.all.begun.elapsed() < LONGEST
    }

    /// A call that others can meet.
    pub(crate) fn call<T>(&mut self, operation: impl FnOnce() -> T) -> T {
        self.calls += 1;
        let own = &self.all.calls[self.index];
        own.fetch_add(1, Ordering::SeqCst);
        for (other, (calls, met)) in self.all.calls.iter().zip(&mut self.met).enumerate() {
            let call = calls.load(Ordering::SeqCst);
            if other != self.index && call % 2 == 1 && call != *met {
                *met = call;
                self.all.met.fetch_add(1, Ordering::Relaxed);
            }
        }
        let answer = operation();
        own.fetch_add(1, Ordering::SeqCst);
        answer
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.all.failed.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs `work` for each caller in a thread of its own. `looks_out` says how many callers, from the first on, a caller
/// has to meet.
fn at_once<T: Send>(
    callers: usize,
    looks_out: impl Fn(usize) -> usize,
    work: impl Fn(&mut Caller<'_>) -> T + Sync,
) -> Vec<T> {
    let all = Meetings {
        calls: (0..callers).map(|_| AtomicU64::new(0)).collect(),
        met: AtomicU64::new(0),
        failed: AtomicBool::new(false),
        begun: Instant::now(),
    };
    let all_there = Barrier::new(callers);
    let results: Vec<_> = thread::scope(|scope| {
        let (all, all_there, work) = (&all, &all_there, &work);
        let start = |index| {
            let mut caller = Caller { all, index, calls: 0, met: vec![0; looks_out(index)] };
            scope.spawn(move || {
                all_there.wait();
                work(&mut caller)
            })
        };
        let running: Vec<_> = (0..callers).map(start).collect();
        running.into_iter().map(|thread| thread.join()).collect()
    });
    results.into_iter().map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Runs `work` in several threads at once, each of which has to meet the others. Returns their results.
pub(crate) fn in_threads<T: Send>(threads: usize, work: impl Fn(&mut Caller<'_>) -> T + Sync) -> Vec<T> {
    at_once(threads, |_| threads, work)
}

/// Writes 1, 2, 3 and so on in one thread, and reads in others, each of which has to meet the writer.
pub(crate) fn read_while_writing(write: &(dyn Fn(u64) + Sync), reads: &[&(dyn Fn() + Sync)]) {
    at_once(
        1 + reads.len(),
        |caller| caller.min(1),
        |caller| {
            let mut number = 0;
            while caller.goes_on() {
                number += 1;
                match caller.index.checked_sub(1) {
                    None => caller.call(|| write(number)),
                    Some(reader) => caller.call(reads[reader]),
                }
            }
        },
    );
}
