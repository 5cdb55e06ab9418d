//! The suite of wide stores is worth what it refuses: stores with one fault each, and the law that has to name it.

mod bounds;
mod databases;
pub(crate) mod sound;
mod stores;

/// A test for each fault: the suite refuses what has it, and names the law.
macro_rules! refused {
    ($suite:expr; $($fault:ident => $law:literal,)*) => {
        /// Named as the faults are.
        #[expect(non_snake_case)]
        mod refused {
            use super::*;

            $(#[test]
            fn $fault() {
                rowkey_testkit::assert_named(rowkey_testkit::verdict(|| $suite(Fault::$fault)), $law);
            })*
        }
    };
}
use refused;
