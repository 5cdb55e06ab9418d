//! The suites of `rowkey`.

use rowkey::clock::SystemClock;
use rowkey::conformance;
use rowkey::nonblocking::{AsyncWideDatabase, Blocking};
use rowkey::wide::{OneColumn, WideDatabase};
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

/// A purge is a flush and a major compaction.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn what_a_purge_removes_does_not_come_back() {
    let (runtime, databases) = (runtime(), Databases::new());
    let (handle, spawned) = (runtime.handle(), runtime.handle().clone());
    let database = databases.connect(handle);
    let table = format!("{}:a", database.namespace());
    let admin = database.client().admin();
    let blocking = Blocking::on(database, move |future| drop(spawned.spawn(future)));
    conformance::wide_purge(
        |schema| blocking.table("a", schema).expect("a table"),
        |_| {
            handle.block_on(async {
                admin.flush(table.as_str()).await.expect("a flush");
                admin.major_compact(table.as_str()).await.expect("a major compaction");
            });
        },
    );
    databases.end(handle);
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
