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

/// One test for all faults that make the suite wait until its patience is at an end: they wait at the same time.
macro_rules! refused_at_once {
    ($make:expr, $suite:ident: $($fault:ident => $law:literal,)*) => {
        #[test]
        fn what_waits_is_refused() {
            std::thread::scope(|scope| {
                $(scope.spawn(|| {
                    let suite = || conformance::$suite(|| $make(Fault::$fault));
                    rowkey_testkit::assert_named(rowkey_testkit::verdict(suite), $law);
                });)*
            });
        }
    };
}
use refused_at_once;

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").unwrap()
}
