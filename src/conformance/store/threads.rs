//! Laws of writes by several callers at once.

use super::laws::{done, equal, holds, read};
use super::meetings::{THREADS, in_threads, read_while_writing};
use crate::store::{Atomicity, Batch, Scan, Store};

pub(super) fn increments(store: &dyn Store) {
    if !store.guarantees().increment {
        return;
    }
    let law = "lost-increment";
    let sums = in_threads(THREADS, |caller| {
        let mut sums = Vec::new();
        while caller.goes_on() {
            sums.push(caller.call(|| done(law, store.increment(b"counter", 1))));
        }
        sums
    });
    let mut sums = sums.concat();
    sums.sort_unstable();
    let calls = sums.len();
    for (sum, should_be) in sums.into_iter().zip(1..) {
        equal(law, format_args!("sum {should_be} of the {calls} that were returned, sorted,"), sum, should_be);
    }
    equal(law, "the sum at the end", done(law, store.increment(b"counter", 0)), calls as i64);
}

pub(super) fn updates(store: &dyn Store) {
    if !store.guarantees().compare_and_write {
        return;
    }
    let law = "lost-update";
    let value = |number: u64| number.to_string().into_bytes();
    let written = in_threads(THREADS, |caller| {
        let mut written = 0;
        while caller.goes_on() {
            let before = done(law, store.get(b"k"));
            let number = before.as_deref().map_or(0, |bytes| String::from_utf8_lossy(bytes).parse().unwrap_or(0));
            let after = value(number + 1);
            let update = || done(law, store.compare_and_write(b"k", before.as_deref(), Some(&after)));
            written += u64::from(caller.call(update));
        }
        written
    });
    let sum = value(written.iter().sum());
    equal(law, "a number that was counted up", done(law, store.get(b"k")), Some(sum));
}

/// All rows have the same number, and each batch writes all of them: a scan that returns two numbers has read part of a
/// batch.
pub(super) fn batches(store: &dyn Store) {
    const ROWS: u8 = 16;
    let guarantees = store.guarantees();
    if guarantees.batch < Atomicity::Table || !guarantees.snapshot_scans {
        return;
    }
    let law = "whole-batch";
    let write = |number: u64| {
        let mut batch = Batch::new();
        for row in 1..=ROWS {
            // Deleted and put again in each batch: every scan must find it.
            if row == ROWS / 2 {
                batch.delete([row]);
            }
            batch.put([row], number.to_be_bytes());
        }
        done(law, store.write(&batch));
    };
    write(0);
    let look = |scan: Scan| {
        let rows = read(store, &scan);
        let whole = rows.len() == usize::from(ROWS) && rows.iter().all(|(_, value)| *value == rows[0].1);
        holds(law, whole, format_args!("rows that are always written together are {rows:?}"));
    };
    read_while_writing(
        &write,
        &[&|| look(Scan::all()), &|| look(Scan::all().batch_rows(4)), &|| {
            look(Scan::all().batch_rows(4).reverse(true))
        }],
    );
}
