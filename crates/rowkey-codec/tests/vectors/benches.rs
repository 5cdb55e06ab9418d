//! The keys of `bench/`, which are written by hand too.

use std::path::{Path, PathBuf};

use rowkey_codec::ir::Table;
use rowkey_design::{Design, File};

/// The path of a file of `bench/`.
pub(crate) fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench").join(file)
}

/// The text of a file of `bench/`.
pub(crate) fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap()
}

/// The tables that a language's keys by hand are of.
pub(crate) fn tables(language: &str) -> Vec<Table> {
    let name = format!("{language}/keys.rowkey.toml");
    let design = Design::parse([File { name: name.clone(), text: read(&name) }]);
    design.unwrap_or_else(|problems| panic!("{problems}")).tables.values().flat_map(Table::of_design).collect()
}
