//! Keys: their bytes, order, layouts and prefixes; fields of types of other crates; places, hosts.

mod derive;
mod fdb_tuple;
mod foreign;
mod foreign_binary;
mod format;
mod fuzzed;
mod geo;
mod golden;
mod hosts;
mod imports;
mod order;
mod ordered_code;
mod selects;
mod text_keys;
mod traps;
mod typed_foreign;
