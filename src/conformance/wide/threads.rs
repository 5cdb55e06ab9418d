//! Laws of writes by several callers at once.

use super::laws::{done, equal, holds, mutate, rows};
use crate::conformance::store::meetings::{THREADS, in_threads, read_while_writing};
use crate::store::Scan;
use crate::wide::{Column, Columns, Condition, EditOrder, Mutation, WideStore};

const ROW: &[u8] = b"row";

/// Every mutation writes one number to columns of three families: by puts, and by deletes and puts if those take effect
/// in order.
pub(super) fn atomic_rows(store: &dyn WideStore) {
    if !store.guarantees().atomic_rows {
        return;
    }
    let law = "whole-mutation";
    let in_order = store.guarantees().edit_order == Some(EditOrder::AsGiven);
    let write = |number: u64| {
        let value = number.to_string();
        let deleted = match (in_order, number % 2) {
            (true, 0) => Mutation::new().delete_row(),
            (true, _) => Mutation::new().delete_family("b"),
            // Here a delete would hide the put.
            (false, _) => Mutation::new(),
        };
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
    read_while_writing(&write, &[&get, &|| scan(false), &|| scan(true)]);
}

/// Eight threads add to two counters at once.
pub(super) fn increments(store: &dyn WideStore) {
    if !store.guarantees().increment {
        return;
    }
    let law = "lost-increment";
    let both = [(Column::from("ab:n"), 1), (Column::from("b:m"), 2)];
    let sums = in_threads(2 * THREADS, |caller| {
        let mut sums = Vec::new();
        while caller.goes_on() {
            sums.push(caller.call(|| done(law, store.increment(ROW, &both))));
        }
        sums
    });
    let mut sums = sums.concat();
    sums.sort_unstable();
    let calls = sums.len();
    for (is, sum) in sums.into_iter().zip(1..) {
        let what = format_args!("sums {sum} of the {calls} that were returned, sorted,").to_string();
        equal(law, what, is, vec![sum, 2 * sum]);
    }
}

pub(super) fn updates(store: &dyn WideStore) {
    if !store.guarantees().check_and_mutate {
        return;
    }
    let law = "lost-update";
    let written = in_threads(THREADS, |caller| {
        let (mut tried, mut written) = (0, 0);
        while caller.goes_on() {
            tried += 1;
            let row = done(law, store.get(ROW, &Columns::of("ab:n")));
            let before = row.value("ab:n").map(<[u8]>::to_vec);
            let number =
                before.as_deref().map_or(0, |bytes| String::from_utf8_lossy(bytes).parse::<i64>().unwrap_or(0));
            let check = before.map_or_else(|| Condition::absent("ab:n"), |value| Condition::equal("ab:n", value));
            let mutation = Mutation::new().put("ab:n", (number + 1).to_string());
            let update = || done(law, store.check_and_mutate(ROW, &check, &mutation));
            written += i64::from(caller.call(update));
        }
        [tried, written]
    });
    let [tried, written] = [0, 1].map(|which| written.iter().map(|counts| counts[which]).sum::<i64>());
    let row = done(law, store.get(ROW, &Columns::of("ab:n")));
    let what = format_args!("a number that was counted up, tried {tried} times,").to_string();
    equal(law, what, row.value("ab:n"), Some(written.to_string().as_bytes()));
}
