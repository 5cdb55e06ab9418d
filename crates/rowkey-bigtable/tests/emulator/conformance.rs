//! The suites of `rowkey`.

use rowkey::conformance;
use rowkey::wide::OneColumn;

use crate::{connect, runtime};

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn wide_tables() {
    let runtime = runtime();
    let handle = runtime.handle().clone();
    let spawned = handle.clone();
    conformance::async_wide_database(|| connect(&handle), move |future| drop(spawned.spawn(future)));
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn plain_tables() {
    let runtime = runtime();
    let handle = runtime.handle().clone();
    let spawned = handle.clone();
    let make = || OneColumn::database(connect(&handle));
    conformance::async_database(make, move |future| drop(spawned.spawn(future)));
}
