//! The verdict of a suite on something that it has to refuse.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The message of the suite's panic; `None` if it passed.
pub fn verdict(suite: impl FnOnce()) -> Option<String> {
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

/// Asserts that the suite refused it, and named the law.
///
/// # Panics
///
/// If it did not.
#[track_caller]
pub fn assert_named(verdict: Option<String>, law: &str) {
    let verdict = verdict.expect("the suite should have refused this");
    assert!(verdict.starts_with(&format!("the law `{law}` does not hold")), "not named {law:?}: {verdict}");
}
