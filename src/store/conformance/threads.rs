//! Laws of writes by several callers at once.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::laws::{done, equal, holds, read, read_batch, read_on};
use crate::store::{Atomicity, Batch, Scan, Store};

/// How many write at once.
pub(crate) const THREADS: i64 = 4;

pub(super) fn increments(store: &dyn Store) {
    const EACH: i64 = 100;
    if !store.guarantees().increment {
        return;
    }
    let law = "lost-increment";
    let mut sums = in_threads(|| (0..EACH).map(|_| done(law, store.increment(b"counter", 1))).collect());
    sums.sort_unstable();
    equal(law, "all sums that were answered, sorted", sums, (1..=THREADS * EACH).collect::<Vec<_>>());
    equal(law, "the sum at the end", done(law, store.increment(b"counter", 0)), THREADS * EACH);
}

pub(super) fn updates(store: &dyn Store) {
    const EACH: u64 = 50;
    if !store.guarantees().compare_and_write {
        return;
    }
    let law = "lost-update";
    let value = |number: u64| number.to_string().into_bytes();
    in_threads(|| {
        let mut written = 0;
        while written < EACH {
            let before = done(law, store.get(b"k"));
            let number = before.as_deref().map_or(0, |bytes| String::from_utf8_lossy(bytes).parse().unwrap_or(0));
            let after = value(number + 1);
            written += u64::from(done(law, store.compare_and_write(b"k", before.as_deref(), Some(&after))));
        }
        vec![()]
    });
    let sum = value(THREADS as u64 * EACH);
    equal(law, "a number that was counted up", done(law, store.get(b"k")), Some(sum));
}

/// Two rows far apart hold the same number, and each batch writes both: a scan that finds two numbers saw a batch in
/// part.
pub(super) fn batches(store: &dyn Store) {
    const WRITES: u64 = 200;
    let guarantees = store.guarantees();
    if guarantees.batch < Atomicity::Table || !guarantees.snapshot_scans {
        return;
    }
    let both = |number: u64| {
        let mut batch = Batch::new();
        batch.put("a", number.to_be_bytes()).put("z", number.to_be_bytes());
        // Gone and back in each batch: no scan may miss it.
        batch.delete("m").put("m", number.to_be_bytes());
        batch
    };
    let law = "whole-batch";
    done(law, store.write(&both(0)));
    let look = |scan: &Scan| {
        let mut rows = store.scan(scan);
        let mut seen = read_batch(&mut *rows, scan);
        // The writers get their chance in the middle of the scan.
        thread::yield_now();
        seen.extend(read_on(&mut *rows, scan));
        let whole = seen.len() == 3 && seen.iter().all(|(_, value)| *value == seen[0].1);
        holds(law, whole, format_args!("rows that are always written together are {seen:?}"));
    };
    read_while_writing(
        &|| (1..=WRITES).for_each(|number| done(law, store.write(&both(number)))),
        &[&|| look(&Scan::all()), &|| look(&Scan::all().batch_rows(1)), &|| {
            look(&Scan::all().batch_rows(1).reverse(true))
        }],
    );
    equal(law, "rows at the end", read(store, &Scan::all()).len(), 3);
}

/// Does the work in several threads at once; what each answers, in one list.
pub(crate) fn in_threads<T: Send>(work: impl Fn() -> Vec<T> + Sync) -> Vec<T> {
    let all_there = Barrier::new(THREADS as usize);
    let wait_and_work = || {
        all_there.wait();
        work()
    };
    let results: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..THREADS).map(|_| scope.spawn(wait_and_work)).collect();
        running.into_iter().map(|thread| thread.join()).collect()
    });
    results.into_iter().flat_map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Reads over and over, each in a thread of its own, while another writes; a law that is broken in one of them panics
/// here.
pub(crate) fn read_while_writing(write: &(dyn Fn() + Sync), reads: &[&(dyn Fn() + Sync)]) {
    let written = AtomicBool::new(false);
    let all_there = Barrier::new(reads.len() + 1);
    let results = thread::scope(|scope| {
        let (written, all_there) = (&written, &all_there);
        let read_on = |read: &(dyn Fn() + Sync)| {
            all_there.wait();
            while !written.load(Ordering::Relaxed) {
                read();
            }
        };
        let readers: Vec<_> = reads.iter().map(|&read| scope.spawn(move || read_on(read))).collect();
        all_there.wait();
        let wrote = scope.spawn(write).join();
        written.store(true, Ordering::Relaxed);
        let mut results: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        results.push(wrote);
        results
    });
    if let Some(panic) = results.into_iter().find_map(Result::err) {
        resume_unwind(panic)
    }
}
