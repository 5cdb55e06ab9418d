//! The suites of `rowkey`.

use rowkey::conformance;

use crate::{connect, runtime};

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn wide_tables() {
    let runtime = runtime();
    let handle = runtime.handle().clone();
    let spawned = handle.clone();
    conformance::async_wide_database(|| connect(&handle), move |future| drop(spawned.spawn(future)));
}
