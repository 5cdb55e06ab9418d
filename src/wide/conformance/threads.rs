//! Laws of writes by several callers at once.

use std::sync::atomic::{AtomicI64, Ordering};

use super::laws::{done, equal, holds, mutate, rows};
use crate::store::Scan;
use crate::store::conformance::threads::{THREADS, in_threads, read_while_writing};
use crate::wide::{Check, Column, Columns, Mutation, WideStore};

const ROW: &[u8] = b"row";

/// Every mutation writes one number to columns of three families, by puts, and by deletes and puts.
pub(super) fn atomic_rows(store: &dyn WideStore) {
    const WRITES: u64 = 150;
    if !store.guarantees().atomic_rows {
        return;
    }
    let law = "whole-mutation";
    let write = |number: u64| {
        let value = number.to_string();
        let deleted =
            if number.is_multiple_of(2) { Mutation::new().delete_row() } else { Mutation::new().delete_family("b") };
        let first = deleted.put("a:first", value.as_str());
        mutate(law, store, ROW, first.put("ab:", value.as_str()).put("b:last", value.as_str()));
    };
    write(0);
    let look = |cells: &[String]| {
        let value = |cell: &String| cell.rsplit_once('=').map(|(_, value)| value.to_owned());
        let whole = cells.len() == 3 && cells.iter().all(|cell| value(cell) == value(&cells[0]));
        holds(law, whole, format_args!("columns that are always written together are {cells:?}"));
    };
    let get = || look(&super::laws::text(done(law, store.get(ROW, &Columns::all())).as_bytes()));
    let scan = |reverse: bool| {
        let found = rows(law, store, &Scan::all().reverse(reverse), &Columns::all());
        equal(law, "how many rows there are", found.len(), 1);
        look(&found[0].1);
    };
    read_while_writing(&|| (1..=WRITES).for_each(write), &[&get, &|| scan(false), &|| scan(true)]);
}

/// Eight threads add to two counters at once.
pub(super) fn increments(store: &dyn WideStore) {
    const EACH: i64 = 40;
    if !store.guarantees().increment {
        return;
    }
    let law = "lost-increment";
    let both = [(Column::from("ab:n"), 1), (Column::from("b:m"), 2)];
    let mut sums = in_threads(|| {
        let add = || (0..EACH).map(|_| done(law, store.increment(ROW, &both))).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let other = scope.spawn(add);
            let mut sums = add();
            sums.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            sums
        })
    });
    sums.sort_unstable();
    let should_be: Vec<Vec<i64>> = (1..=2 * THREADS * EACH).map(|sum| vec![sum, 2 * sum]).collect();
    equal(law, "all sums that were answered, sorted", sums, should_be);
}

pub(super) fn updates(store: &dyn WideStore) {
    const EACH: i64 = 30;
    if !store.guarantees().check_and_mutate {
        return;
    }
    let law = "lost-update";
    let tried = AtomicI64::new(0);
    in_threads(|| {
        let mut written = 0;
        while written < EACH {
            tried.fetch_add(1, Ordering::Relaxed);
            let row = done(law, store.get(ROW, &Columns::of("ab:n")));
            let before = row.value("ab:n").map(<[u8]>::to_vec);
            let number =
                before.as_deref().map_or(0, |bytes| String::from_utf8_lossy(bytes).parse::<i64>().unwrap_or(0));
            let check = before.map_or_else(|| Check::absent("ab:n"), |value| Check::equal("ab:n", value));
            let mutation = Mutation::new().put("ab:n", (number + 1).to_string());
            written += i64::from(done(law, store.check_and_mutate(ROW, &check, &mutation)));
        }
        vec![()]
    });
    let row = done(law, store.get(ROW, &Columns::of("ab:n")));
    let sum = (THREADS * EACH).to_string();
    let tried = tried.into_inner();
    equal(
        law,
        format_args!("a number that was counted up, tried {tried} times,"),
        row.value("ab:n"),
        Some(sum.as_bytes()),
    );
}
