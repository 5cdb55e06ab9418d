//! The suite of wide stores is worth what it refuses: stores with one fault each, and the law that has to name it.

mod databases;
mod stores;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// What the suite said of it.
fn verdict(suite: impl FnOnce()) -> Option<String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
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
