//! Rows in Bigtable's emulator that Rust and another language write and read, with Google's own client of that language.
//! `servers/bigtable/test` starts the emulator and runs these.

mod go;
mod python;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use rowkey::nonblocking::AsyncWideTable;
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{LayoutBuf, RowKey};
use rowkey_bigtable::{Bigtable, BigtableOptions};
use rowkey_codec::ir::Table;
use rowkey_codec::{Language, Package, generate};
use rowkey_testkit::cases;

pub(crate) const PROJECT: &str = "p";
pub(crate) const USERS: u64 = 1000;

/// The keys of both sides.
#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 16, by(user)))]
pub(crate) struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64,
    page: u32,
}

/// Keys of no table.
#[derive(RowKey)]
struct Other {
    _user: String,
}

/// The tables whose keys are generated.
fn tables() -> [Table; 2] {
    [Table::new(LayoutBuf::from(&Visit::LAYOUT)), Table::new(LayoutBuf::from(&Other::LAYOUT))]
}

/// Writes the generated package into a folder.
pub(crate) fn generated(language: Language, folder: &Path) {
    for (path, text) in generate(&tables(), language, &Package::new("rowkeys")).unwrap() {
        write_file(&folder.join(path), &text);
    }
}

pub(crate) fn write_file(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

pub(crate) fn visit(i: u64) -> Visit {
    Visit { user: format!("user{}", i % USERS), at: i as i64 * 7919 - 300_000_000, page: i as u32 }
}

/// The number of rows: 10⁵ in the long run.
pub(crate) fn rows() -> u64 {
    cases(10_000, 100_000).into()
}

/// An empty table of an instance of its own, and the instance.
pub(crate) async fn table(name: &str) -> (AsyncWideTable<Visit, Bigtable>, String) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let emulator = std::env::var("BIGTABLE_EMULATOR_HOST").expect("the address of an emulator");
    let instance = format!("codec{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let db = Bigtable::connect(BigtableOptions::new(PROJECT, &instance).emulator(emulator)).await.unwrap();
    let schema = TableSchema::new().family("f", FamilySchema::new().max_versions(1));
    (AsyncWideTable::open(db, name, &schema).await.unwrap(), instance)
}

pub(crate) async fn write(table: &AsyncWideTable<Visit, Bigtable>, rows: u64) {
    let all: Vec<u64> = (0..rows).collect();
    for some in all.chunks(1000) {
        let rows: Vec<_> = some.iter().map(|i| (visit(*i), Mutation::new().put("f:v", format!("rust{i}")))).collect();
        table.mutate_many(rows.iter().map(|(key, mutation)| (key, mutation.clone()))).await.unwrap();
    }
}

/// Checks that a language wrote all rows, and that a scan over all buckets has them in one order.
pub(crate) async fn check(table: &AsyncWideTable<Visit, Bigtable>, rows: u64, language: &str) {
    let mut due: Vec<u64> = (0..rows).collect();
    due.sort_by_key(|i| {
        let Visit { user, at, page } = visit(*i);
        (user, std::cmp::Reverse(at), page)
    });
    let mut scan = table.scan(.., Columns::all());
    for i in due {
        let (key, row) = scan.next().await.unwrap().unwrap();
        assert_eq!(key, visit(i));
        assert_eq!(row.value("f:v"), Some(format!("{language}{i}").as_bytes()));
    }
    assert!(scan.next().await.is_none());
}
