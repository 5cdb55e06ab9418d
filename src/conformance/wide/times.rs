//! Laws of timestamps: their range, whose clock gives them, and what a write without one does to versions in the
//! future.

use super::laws::{DAY, done, equal, holds, is_timestamp, is_unsupported, mutate, now, refused, row_is, values_are};
use crate::wide::{ClockOf, Columns, Deletes, Mutation, UntimedDeletes, UntimedPuts, WideStore};

fn all() -> Columns {
    Columns::all().versions(9)
}

/// Edits with a timestamp, of each kind that every store with timestamps supports.
fn edits(at: i64) -> [Mutation; 3] {
    let fine = || Mutation::new().put("a:q", "v");
    [fine().put_at("a:q", at, "v"), fine().delete_version("a:q", at), fine().delete_column_until("a:q", at)]
}

/// The range of timestamps.
pub(super) fn range(store: &dyn WideStore) {
    let law = "timestamp-range";
    mutate(law, store, b"r", Mutation::new().put("a:q", "before"));
    let Some(timestamps) = store.guarantees().timestamps else {
        for mutation in edits(7) {
            refused("unsupported", "a write with a timestamp", store.mutate(b"r", &mutation), is_unsupported);
        }
        return values_are("unsupported", store, b"r", &all(), &["a:q=before"]);
    };
    let in_unit = timestamps.unit.timestamps();
    holds(law, [0, 1].contains(&timestamps.first), format_args!("the first is {}", timestamps.first));
    holds(law, timestamps.last <= in_unit.last, format_args!("the last, {}, does not fit its unit", timestamps.last));
    holds(law, timestamps.last > now() + 365 * DAY, format_args!("the last, {}, is soon", timestamps.last));
    // No store accepts those before 1970.
    let before = Some(timestamps.first - 1).filter(|at| *at >= 0);
    for at in [before, timestamps.last.checked_add(1)].into_iter().flatten() {
        for mutation in edits(at) {
            refused(law, "a write with another timestamp", store.mutate(b"r", &mutation), is_timestamp);
        }
    }
    values_are(law, store, b"r", &all(), &["a:q=before"]);
    let ends = [timestamps.first, timestamps.first + 1, timestamps.last - 1, timestamps.last];
    let written = ends.iter().fold(Mutation::new(), |mutation, &at| mutation.put_at("b:q", at, "v"));
    mutate(law, store, b"ends", written);
    let named = ends.map(|at| format!("b:q@{at}=v"));
    let [first, second, third, last] = named.each_ref().map(String::as_str);
    row_is(law, store, b"ends", &all(), &[last, third, second, first]);
    mutate(law, store, b"ends", Mutation::new().delete_version("b:q", timestamps.last));
    row_is(law, store, b"ends", &all(), &[third, second, first]);
    mutate(law, store, b"ends", Mutation::new().delete_column_until("b:q", timestamps.last - 1));
    row_is(law, store, b"ends", &all(), &[]);
}

/// The clock that stamps a write without a timestamp.
pub(super) fn clock(store: &dyn WideStore) {
    let law = "clock";
    let Some(clock) = store.guarantees().clock else { return };
    for _ in 0..3 {
        let before = now();
        mutate(law, store, b"r", Mutation::new().put("ab:q", "v"));
        let after = now();
        let row = done(law, store.get(b"r", &Columns::all()));
        let at = row.cells().next().map(|cell| cell.timestamp);
        let within = match clock {
            ClockOf::Process => before..=after,
            // The clock may be off, but not by hours.
            ClockOf::Server => before - DAY / 24..=after + DAY / 24,
        };
        let stamped = at.is_some_and(|at| within.contains(&at));
        holds(law, stamped, format_args!("a put between {before} and {after} is at {at:?}"));
    }
}

/// The effect of a put without a timestamp if there is a version in the future, or a delete.
pub(super) fn puts(store: &dyn WideStore) {
    let law = "untimed-put";
    let guarantees = store.guarantees();
    let Some(puts) = guarantees.untimed_puts else { return };
    let future = now() + DAY;
    let put = || Mutation::new().put("b:q", "now");
    mutate(law, store, b"version", Mutation::new().put_at("b:q", future, "future").put_at("b:other", future, "other"));
    mutate(law, store, b"version", put());
    let left = match puts {
        UntimedPuts::Latest => &["b:other=other", "b:q=now"][..],
        UntimedPuts::AtClock => &["b:other=other", "b:q=future", "b:q=now"],
    };
    values_are(law, store, b"version", &all(), left);

    let Some(deletes) = guarantees.deletes else { return };
    let left = match (puts, deletes) {
        (UntimedPuts::AtClock, Deletes::Hide) => &[][..],
        (UntimedPuts::Latest, _) | (_, Deletes::Erase) => &["b:q=now"],
    };
    let column = Mutation::new().delete_column_until("b:q", future);
    let of_family = [Mutation::new().delete_family_until("b", future), Mutation::new().delete_row_until(future)];
    let of_family = of_family.into_iter().filter(|_| guarantees.delete_family_until);
    for (row, delete) in [b"1", b"2", b"3"].into_iter().zip(std::iter::once(column).chain(of_family)) {
        mutate(law, store, row, delete);
        mutate(law, store, row, put());
        values_are(law, store, row, &all(), left);
    }
}

/// The effect of a delete without a timestamp on a version in the future.
pub(super) fn deletes(store: &dyn WideStore) {
    let law = "untimed-delete";
    let Some(deletes) = store.guarantees().untimed_deletes else { return };
    let future = now() + DAY;
    let kinds =
        [Mutation::new().delete_column("b:q"), Mutation::new().delete_family("b"), Mutation::new().delete_row()];
    for (row, delete) in [b"1", b"2", b"3"].into_iter().zip(kinds) {
        mutate(law, store, row, Mutation::new().put_at("b:q", 5, "past").put_at("b:q", future, "future"));
        mutate(law, store, row, delete);
        let left = match deletes {
            UntimedDeletes::All => &[][..],
            UntimedDeletes::UntilClock => &["b:q=future"],
        };
        values_are(law, store, row, &all(), left);
        equal(law, "whether the row exists", done(law, store.exists(row)), !left.is_empty());
    }
}
