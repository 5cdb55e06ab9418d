//! The suite of wide stores is worth what it refuses: stores with one fault each, and the law that has to name it.

mod bounds;
mod databases;
mod sound;
#[path = "../broken_stores/sound_store.rs"]
mod sound_store;
mod stores;
#[path = "../broken_stores/verdict.rs"]
mod verdict;

use verdict::{assert_named, verdict};

/// A test for each fault: the suite refuses what has it, and names the law.
macro_rules! refused {
    ($suite:expr; $($fault:ident => $law:literal,)*) => {
        /// Named as the faults are.
        #[expect(non_snake_case)]
        mod refused {
            use super::*;

            $(#[test]
            fn $fault() {
                $crate::assert_named($crate::verdict(|| $suite(Fault::$fault)), $law);
            })*
        }
    };
}
use refused;

/// Between the halves of what should be one operation: longer than all else that it does, so that who meets it meets it here.
fn in_between() {
    std::thread::sleep(std::time::Duration::from_millis(1));
}
