//! The suites of `rowkey`.

use rowkey::clock::SystemClock;
use rowkey::conformance;
use rowkey::nonblocking::AsyncWideDatabase;
use rowkey::wide::OneColumn;
use rowkey_hbase::HBase;

use crate::split::Split;
use crate::{Databases, runtime};

fn wide<D: AsyncWideDatabase + 'static>(of: impl Fn(HBase) -> D) {
    let (runtime, databases) = (runtime(), Databases::new());
    let (handle, spawned) = (runtime.handle(), runtime.handle().clone());
    conformance::async_wide_database(|| of(databases.connect(handle)), move |future| drop(spawned.spawn(future)));
    databases.end(handle);
}

fn plain<D: AsyncWideDatabase + 'static>(of: impl Fn(HBase) -> D) {
    let (runtime, databases) = (runtime(), Databases::new());
    let (handle, spawned) = (runtime.handle(), runtime.handle().clone());
    let make = || OneColumn::database(of(databases.connect(handle)));
    conformance::async_database(make, move |future| drop(spawned.spawn(future)));
    databases.end(handle);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn wide_tables() {
    wide(Split);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn plain_tables() {
    plain(Split);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn wide_tables_of_one_region() {
    wide(|database| database);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn plain_tables_of_one_region() {
    plain(|database| database);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn wide_tables_stamped_by_this_process() {
    wide(|database| database.with_clock(SystemClock));
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn plain_tables_stamped_by_this_process() {
    plain(|database| database.with_clock(SystemClock));
}
