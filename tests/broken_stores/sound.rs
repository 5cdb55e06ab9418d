//! What keeps every law passes, however slow it is and however it keeps them.

use rowkey::conformance;
use rowkey::store::SubStore;

use crate::sound_store::{Optimistic, Slow};
use crate::table;

#[test]
fn a_slow_store_passes() {
    conformance::database(|| SubStore::new(Slow(table())));
}

#[test]
fn a_store_whose_transactions_hold_nobody_up_passes() {
    conformance::database(|| SubStore::new(Optimistic::new(table())));
}

#[test]
fn a_slow_store_whose_transactions_hold_nobody_up_passes() {
    conformance::store(|| Slow(Optimistic::new(table())));
}
