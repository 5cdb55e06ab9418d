//! Stores and databases with one fault each, and the law that has to name it; and such as pass.

mod across_tables;
mod bounds;
mod databases;
mod modest;
mod reentry;
mod refusals;
mod regions;
mod sound;
mod stores;
mod transactions;

use std::sync::Arc;

use rowkey::store::{Database, Memory, Store};

/// A test for each fault: the suite refuses what `$make` makes of it, and names the law.
macro_rules! refused {
    ($make:expr, $suite:ident: $($fault:ident => $law:literal,)*) => {
        /// Named as the faults are.
        #[expect(non_snake_case)]
        mod refused {
            use super::*;

            $(#[test]
            fn $fault() {
                rowkey_testkit::assert_named(rowkey_testkit::verdict(|| conformance::$suite(|| $make(Fault::$fault))), $law);
            })*
        }
    };
}
use refused;

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").unwrap()
}
