//! What promises as little as it may passes: the suite asks for what is declared and no more.

use rowkey::conformance;
use rowkey::store::SubStore;

use crate::modest_store::Modest;
use crate::table;

#[test]
fn a_modest_store_passes() {
    conformance::store(|| Modest(table()));
}

#[test]
fn a_modest_database_passes() {
    conformance::database(|| SubStore::new(Modest(table())));
}
