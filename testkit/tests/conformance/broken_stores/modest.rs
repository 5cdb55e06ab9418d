//! Stores that promise as little as they may: they pass, as the suite asks for what is declared and no more.

use rowkey::conformance;
use rowkey::store::SubStore;
use rowkey_testkit::Restrict;

use crate::broken_stores::table;

#[test]
fn a_modest_store_passes() {
    conformance::store(|| Restrict::none(table()));
}

#[test]
fn a_modest_database_passes() {
    conformance::database(|| SubStore::new(Restrict::none(table())));
}
