//! Wide rows.

mod cases;
mod conforming;
mod drawn;
mod engines;
mod large;
mod latest;
mod laws;
mod pieces;
mod recorded;
mod replay;
mod typed;

use rowkey::Memory;
use rowkey::conformance;
use rowkey::wide::{Cells, CellsDatabase, FamilySchema, OneColumn, TableSchema};

#[test]
fn one_column_of_a_wide_table_is_a_store() {
    let schema = TableSchema::new().family("other", FamilySchema::new()).family("v", FamilySchema::new());
    conformance::store(|| OneColumn::new(Cells::open(&Memory::new(), "t", &schema).unwrap(), "v:q"));
    conformance::database(|| OneColumn::database(CellsDatabase::new(Memory::new())));
}
