//! The conformance suite is worth what it refuses: stores and databases, each with one fault, and the law that has to
//! name it.

mod across_tables;
mod bounds;
mod databases;
mod modest;
mod modest_store;
mod reentry;
mod refusals;
mod regions;
mod sound;
mod sound_store;
mod stores;
mod transactions;
mod verdict;

use std::sync::Arc;

use rowkey::store::{Database, Memory, Store};
use verdict::{assert_named, verdict};

/// A test for each fault: the suite refuses what `$make` makes of it, and names the law.
macro_rules! refused {
    ($make:expr, $suite:ident: $($fault:ident => $law:literal,)*) => {
        /// Named as the faults are.
        #[expect(non_snake_case)]
        mod refused {
            use super::*;

            $(#[test]
            fn $fault() {
                $crate::assert_named($crate::verdict(|| conformance::$suite(|| $make(Fault::$fault))), $law);
            })*
        }
    };
}
use refused;

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").unwrap()
}

/// Between the halves of what should be one operation: longer than all else that it does, so that who meets it meets it here.
fn in_between() {
    std::thread::sleep(std::time::Duration::from_millis(1));
}
