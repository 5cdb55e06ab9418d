//! The conformance suites are worth what they refuse: stores and databases with one fault each, and the law that has to
//! name it. A store that keeps every law passes, however little it promises and however slow it is.

mod broken_async;
mod broken_stores;
mod broken_wide;
mod slow;
mod sound_store;
mod waiting;

/// Between the halves of what should be one operation: longer than all else that it does, so that who meets it meets it
/// here.
fn in_between() {
    std::thread::sleep(std::time::Duration::from_millis(1));
}
