//! What keeps every law passes, however slow it is and however it keeps them.

use std::time::Duration;

use rowkey::conformance;
use rowkey::store::SubStore;

use crate::sound_store::{Optimistic, Slow};
use crate::table;

#[test]
fn a_slow_store_passes() {
    conformance::store(|| Slow(table(), Duration::from_millis(1)));
}

#[test]
fn a_database_whose_transactions_hold_nobody_up_passes() {
    conformance::database(|| SubStore::new(Optimistic::new(table())));
}

#[test]
fn a_slow_database_whose_transactions_hold_nobody_up_passes() {
    conformance::database(|| SubStore::new(Slow(Optimistic::new(table()), Duration::from_micros(100))));
}
