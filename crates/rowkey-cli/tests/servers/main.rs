//! Output of `rowkey ddl`, `rowkey explain` and `rowkey import` at real servers. `servers/test-tools` of the repository
//! starts them and runs these tests. A test fails where its server is not there.

mod bigtable;
mod explain;
mod hbase;
mod phoenix;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::{Design, File};
use rowkey_testkit::hbase::{Programs, printed};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A design of this folder.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/designs").join(name)
}

fn design(path: &Path) -> Design {
    let text = std::fs::read_to_string(path).expect("a design");
    Design::parse([File { name: path.display().to_string(), text }]).expect("a design without mistakes")
}

/// A variable that `servers/test-tools` sets.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run servers/test-tools"))
}

/// The programs of HBase.
fn programs() -> Programs {
    Programs::new(variable("ROWKEY_HBASE"))
}

fn rowkey(args: &[&str]) -> String {
    printed(Command::new(env!("CARGO_BIN_EXE_rowkey")).args(args))
}

/// A file with this text, until it is dropped.
fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".rowkey.toml").tempfile().expect("a file");
    std::fs::write(file.path(), text).expect("a file");
    file
}

/// The DDL of what `rowkey import` reads from a text.
fn ddl_of_import(text: &str, from: &str, more: &[&str]) -> String {
    let text = file(text);
    let design = rowkey(&[&["import", "--from", from, &text.path().display().to_string()], more].concat());
    rowkey(&[
        "ddl",
        "--for",
        if from == "describe" { "hbase" } else { from },
        &file(&design).path().display().to_string(),
    ])
}

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// One of a few of these, so that leading fields repeat.
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

/// The keys in ranges, which is what a query's scans have to return.
fn within(keys: &BTreeSet<Vec<u8>>, ranges: &[KeyRange]) -> BTreeSet<Vec<u8>> {
    keys.iter().filter(|key| ranges.iter().any(|range| range.contains(key))).cloned().collect()
}

/// The keys whose first fields have these values, found by decoding: no range is used.
fn with(keys: &BTreeSet<Vec<u8>>, layout: &LayoutBuf, leading: &[Value]) -> BTreeSet<Vec<u8>> {
    let begins = |key: &Vec<u8>| layout.decode(key).expect("a key")[..leading.len()] == *leading;
    keys.iter().filter(|key| begins(key)).cloned().collect()
}
