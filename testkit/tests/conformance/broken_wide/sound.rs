//! Wide stores that keep every law: they pass, however slow they are and however they keep the laws.

use std::time::Duration;

use rowkey::conformance;
use rowkey::store::{Database, Memory};
use rowkey::wide::Cells;

use crate::sound_store::{Optimistic, slow};

pub(crate) fn slow_cells() {
    conformance::wide(|schema| {
        let store = slow(Memory::new().table("rows").unwrap(), Duration::from_micros(100));
        Cells::over(store, schema.clone()).unwrap()
    });
}

#[test]
fn cells_of_a_store_whose_transactions_hold_nobody_up_pass() {
    conformance::wide(|schema| {
        let store = Optimistic::new(Memory::new().table("rows").unwrap());
        Cells::over(store, schema.clone()).unwrap()
    });
}
