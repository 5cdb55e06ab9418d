//! Stores and databases with one fault each, and the law that has to name it; and such as pass.

mod across_tables;
pub(crate) mod bounds;
mod databases;
mod modest;
pub(crate) mod reentry;
mod refusals;
mod regions;
pub(crate) mod sound;
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

/// Faults that make the suite wait until its patience is at an end. [`waiting`](crate::waiting) tests them at the same
/// time.
macro_rules! waiting {
    ($make:expr, $suite:ident: $($fault:ident => $law:literal,)*) => {
        pub(crate) const WAITING: &[crate::waiting::Case] = &[$((
            concat!(module_path!(), "::", stringify!($fault)),
            || {
                let suite = || conformance::$suite(|| $make(Fault::$fault));
                rowkey_testkit::assert_named(rowkey_testkit::verdict(suite), $law);
            },
        ),)*];
    };
}
use waiting;

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").unwrap()
}
