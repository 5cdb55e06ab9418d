//! Cases that spend nearly all of their time waiting: they wait at the same time.

use std::thread;

use crate::{broken_stores, broken_wide};

/// The name of a case, and its test.
pub(crate) type Case = (&'static str, fn());

/// Each case has a thread of its own, which a failure names.
fn at_once(cases: impl IntoIterator<Item = Case>) {
    thread::scope(|scope| {
        for (name, case) in cases {
            thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, case).unwrap();
        }
    });
}

/// The suites have patience with these until it is at an end.
#[test]
fn what_waits_is_refused() {
    let cases = [
        broken_stores::bounds::stores::WAITING,
        broken_stores::bounds::databases::WAITING,
        broken_stores::reentry::stores::WAITING,
    ];
    assert!(cases.iter().all(|cases| !cases.is_empty()));
    at_once(cases.concat());
}

/// Each operation of these takes its time.
#[test]
fn what_is_slow_passes() {
    at_once([
        ("a slow store", broken_stores::sound::slow_store as fn()),
        (
            "a slow database whose transactions hold nobody up",
            broken_stores::sound::slow_database_whose_transactions_hold_nobody_up,
        ),
        ("slow cells", broken_wide::sound::slow_cells),
    ]);
}
