//! Explanations of keys, queries and regions of a table: keys back and forth between bytes and values, a query as
//! commands to paste, a list of regions field by field.

mod boundary;
mod line;
mod query;
mod regions;
mod snippet;
mod stream;
mod values;

use rowkey::LayoutBuf;

pub use self::boundary::Boundary;
pub use self::line::key_of_line;
pub use self::query::{CostLevel, Page, Plan};
pub use self::regions::{Region, Regions, RegionsError, regions};
pub use self::snippet::{PREFIX_FILTER, Snippets};
pub use self::stream::{ReadLine, Stopped, Told, stream, values_as_json};
pub use self::values::{ArgumentError, value_of, values_of};
pub use crate::forms::Times;
use crate::resolve::Design;

impl Design {
    /// The layout of the keys of a table or of a secondary table, by its name.
    pub fn layout_named(&self, name: &str) -> Option<&LayoutBuf> {
        if let Some(table) = self.tables.get(name) {
            return Some(&table.layout);
        }
        self.tables.values().find_map(|table| {
            let index = table.table.secondary.iter().position(|secondary| secondary.name.as_str() == name)?;
            table.secondary.get(index)
        })
    }

    /// The names of its tables and secondary tables.
    pub fn names_of_tables(&self) -> Vec<&str> {
        let secondaries = self.tables.values().flat_map(|table| &table.table.secondary);
        let secondaries = secondaries.map(|secondary| secondary.name.as_str());
        self.tables.keys().map(String::as_str).chain(secondaries).collect()
    }
}
