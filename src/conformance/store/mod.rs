//! The laws of stores and databases.

mod between;
pub(crate) mod bounds;
mod databases;
pub(crate) mod laws;
pub(crate) mod making;
pub(crate) mod meetings;
mod reentry;
pub(crate) mod refusals;
mod scans;
mod skips;
mod threads;
mod transactions;
mod writes;

use self::laws::Random;
use crate::store::{Database, Store};

/// Checks a store. `make` returns a new empty store each time.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::Database;
///
/// rowkey::conformance::store(|| Memory::new().table("rows").unwrap());
/// ```
///
/// # Panics
///
/// If a law fails.
#[track_caller]
pub fn store<S: Store + 'static>(make: impl Fn() -> S) {
    let on_a_new_one = |laws: fn(&dyn Store)| laws(&make());
    on_a_new_one(scans::bounds);
    on_a_new_one(scans::ranges);
    on_a_new_one(scans::long_bounds);
    on_a_new_one(scans::reverse);
    on_a_new_one(scans::limits);
    on_a_new_one(scans::batches);
    on_a_new_one(skips::skips);
    on_a_new_one(writes::empty_key);
    on_a_new_one(refusals::failed_rows);
    on_a_new_one(refusals::limits);
    on_a_new_one(writes::values);
    on_a_new_one(writes::order);
    on_a_new_one(writes::deletes);
    on_a_new_one(writes::get_many);
    on_a_new_one(writes::increments);
    on_a_new_one(writes::compare_and_write);
    on_a_new_one(transactions::transactions);
    on_a_new_one(scans::snapshots);
    on_a_new_one(threads::increments);
    on_a_new_one(threads::updates);
    on_a_new_one(threads::batches);
    on_a_new_one(between::one_table);
    on_a_new_one(transactions::threads);
    reentry::in_a_store(make());
    on_a_new_one(bounds::deadlines);
    on_a_new_one(bounds::cancels);
    on_a_new_one(bounds::waits);
    // Last, as it takes the longest.
    for seed in super::seeds() {
        writes::model(&make(), &mut Random(seed));
    }
}

/// Checks a database, and the tables that it opens. `make` returns a new empty database each time.
///
/// A name that exceeds the engine's limits may be refused; `a`, `ab` and `b` must be accepted.
///
/// # Panics
///
/// If a law fails.
#[track_caller]
pub fn database<D: Database + 'static>(make: impl Fn() -> D) {
    let on_a_new_one = |laws: fn(&dyn Database)| laws(&make());
    on_a_new_one(databases::names);
    on_a_new_one(databases::isolation);
    on_a_new_one(databases::drops);
    on_a_new_one(making::open_absent);
    on_a_new_one(making::create_existing);
    on_a_new_one(making::create_refused);
    on_a_new_one(making::create_once);
    on_a_new_one(making::split_points);
    on_a_new_one(databases::writes);
    on_a_new_one(refusals::failed_rows_across_tables);
    on_a_new_one(refusals::limits_of_names);
    on_a_new_one(databases::threads);
    on_a_new_one(transactions::across_tables);
    reentry::in_a_database(make());
    on_a_new_one(between::across_tables);
    on_a_new_one(transactions::threads_across_tables);
    on_a_new_one(bounds::of_a_database);
    on_a_new_one(bounds::waits_across_tables);
    // Last, as they take the longest.
    store(|| laws::done("one-table", make().table("a")));
}
