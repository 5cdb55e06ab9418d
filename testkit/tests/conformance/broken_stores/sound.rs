//! Stores that keep every law: they pass, however slow they are and however they keep the laws.

use std::sync::Arc;
use std::time::Duration;

use rowkey::conformance;
use rowkey::store::SubStore;

use crate::broken_stores::table;
use crate::sound_store::{Optimistic, slow};

pub(crate) fn slow_store() {
    conformance::store(|| slow(table(), Duration::from_micros(200)));
}

#[test]
fn a_database_whose_transactions_hold_nobody_up_passes() {
    conformance::database(|| SubStore::new(Optimistic::new(table())));
}

pub(crate) fn slow_database_whose_transactions_hold_nobody_up() {
    conformance::database(|| SubStore::new(slow(Arc::new(Optimistic::new(table())), Duration::from_micros(100))));
}
