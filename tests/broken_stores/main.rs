//! The conformance suite is worth what it refuses: stores and databases, each with one fault, and the law that has to
//! name it.

mod across_tables;
mod databases;
mod modest;
mod modest_store;
mod stores;
mod transactions;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use rowkey::store::{Database, Memory, Store};

/// What the suite said of it.
fn verdict(suite: impl FnOnce()) -> Option<String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        // A broken law is what these tests ask for, in whatever thread; any other panic shows as always.
        let show = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let law = panic.payload().downcast_ref::<String>().is_some_and(|message| message.starts_with("the law `"));
            if !law {
                show(panic);
            }
        }));
    });
    let panic = catch_unwind(AssertUnwindSafe(suite)).err()?;
    Some(panic.downcast_ref::<String>().expect("the suite panics with a message").clone())
}

#[track_caller]
fn assert_named(verdict: Option<String>, law: &str) {
    let verdict = verdict.expect("the suite should have refused this");
    assert!(verdict.starts_with(&format!("the law `{law}` does not hold")), "not named {law:?}: {verdict}");
}

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
