//! Interoperability with Google's `cbt`: it reads what this crate writes; this crate reads, counts on and opens what
//! `cbt` writes and creates.

use std::process::Command;
use std::time::Duration;

use rowkey::foreign::{Before, Minus, Segment, Str, UpTo};
use rowkey::nonblocking::{AsyncTable, AsyncWideDatabase, AsyncWideTable};
use rowkey::wide::{Columns, FamilySchema, Mutation, OneColumn, Row, TableSchema};
use rowkey::{Error, RowKey};
use rowkey_bigtable::Bigtable;

use crate::{PROJECT, emulator, instance, options_of, runtime};

/// `cbt` on an instance.
struct Cbt(String);

/// Column, microseconds since 1970 as a date, value.
type Cell = (String, String, Vec<u8>);

impl Cbt {
    fn run(&self, args: &[&str]) -> Vec<u8> {
        let path = std::env::var_os("ROWKEY_CBT").expect("ROWKEY_CBT is the path of cbt");
        let mut command = Command::new(path);
        command.args(["-project", PROJECT, "-instance", &self.0]).args(args).env("TZ", "UTC");
        let output = command.env("BIGTABLE_EMULATOR_HOST", emulator()).output().unwrap();
        assert!(output.status.success(), "cbt {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// The rows of a table.
    fn read(&self, args: &[&str]) -> Vec<(Vec<u8>, Vec<Cell>)> {
        let (output, mut rows) = (self.run(args), Vec::new());
        let mut lines = output.split(|byte| *byte == b'\n');
        while let Some(line) = lines.next() {
            if line.starts_with(b"----") {
                rows.push((lines.next().unwrap().to_vec(), Vec::new()));
            } else if let Some(cell) = line.strip_prefix(b"  ") {
                let cell = str::from_utf8(cell).unwrap();
                let (column, at) = cell.split_once(" @ ").unwrap();
                let value = unquoted(str::from_utf8(lines.next().unwrap()).unwrap().trim());
                rows.last_mut().unwrap().1.push((column.trim().to_owned(), at.to_owned(), value));
            }
        }
        rows
    }
}

/// The bytes of a text in quotes of Go.
fn unquoted(text: &str) -> Vec<u8> {
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_else(|| panic!("{text}"));
    let (mut bytes, mut chars) = (Vec::new(), text.chars());
    while let Some(char) = chars.next() {
        let byte = match (char, char == '\\') {
            (_, true) => match chars.next().unwrap() {
                'x' => u8::from_str_radix(&chars.by_ref().take(2).collect::<String>(), 16).unwrap(),
                'a' => 7,
                'b' => 8,
                't' => b'\t',
                'n' => b'\n',
                'v' => 11,
                'f' => 12,
                'r' => b'\r',
                other @ ('\\' | '"') => other as u8,
                other => panic!("\\{other}"),
            },
            (char, false) => {
                bytes.extend(char.encode_utf8(&mut [0; 4]).bytes());
                continue;
            }
        };
        bytes.push(byte);
    }
    bytes
}

fn cell(column: &str, at: &str, value: impl AsRef<[u8]>) -> Cell {
    (column.to_owned(), at.to_owned(), value.as_ref().to_vec())
}

async fn connected() -> (Bigtable, Cbt) {
    let instance = instance();
    (Bigtable::connect(options_of(&instance)).await.unwrap(), Cbt(instance))
}

fn cells(row: &Row) -> Vec<(String, i64, Vec<u8>)> {
    row.cells().map(|cell| (cell.column().to_string(), cell.timestamp, cell.value.to_vec())).collect()
}

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 16, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64,
}

const LAST: u128 = 9_999_999_999;

/// A key of another program: a user, `#`, and seconds that count down.
#[derive(RowKey, Clone, Debug, PartialEq)]
struct Event {
    #[rowkey(with = Before<Str, '#'>)]
    user: Segment<'#'>,
    #[rowkey(with = Minus<LAST>)]
    at: UpTo<LAST>,
}

/// An argument of a program has no zero byte, nor has this key.
#[derive(RowKey, Clone, Debug, PartialEq)]
struct Named {
    kind: u8,
    #[rowkey(raw)]
    name: String,
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn cbt_reads_wide_rows_and_counters() {
    runtime().block_on(async {
        let (db, cbt) = connected().await;
        let schema = TableSchema::new()
            .family("a", FamilySchema::new().max_versions(3))
            .family("b.c", FamilySchema::new().ttl(Duration::from_secs(90)).max_versions(2))
            .family("n", FamilySchema::new());
        let table = db.table("wide", &schema).await.unwrap();
        let all = Mutation::new()
            .put_at("a:q", 1, "one")
            .put_at("a:q", 2, "two")
            .put_at("a:q", 1_700_000_000_123, [0, 255, b'"', b'\\'])
            .put_at("a:", 5, "")
            .put_at("b.c:x", 4_102_444_800_000, "ä");
        table.mutate(b"r1", &all).await.unwrap();
        table.mutate_many(&[(b"r2".to_vec(), Mutation::new().put_at("a:q", 0, "zero"))]).await.unwrap();
        for by in [7, -10] {
            table.increment(b"r3", &[("n:count".into(), by)]).await.unwrap();
        }
        let mut rows = cbt.read(&["read", "wide"]);
        let counted = rows.pop().unwrap();
        let date = |at: &str| format!("1970/01/{at}");
        let first = [
            cell("a:", &date("01-00:00:00.005000"), ""),
            cell("a:q", "2023/11/14-22:13:20.123000", [0, 255, b'"', b'\\']),
            cell("a:q", &date("01-00:00:00.002000"), "two"),
            cell("a:q", &date("01-00:00:00.001000"), "one"),
            cell("b.c:x", "2100/01/01-00:00:00.000000", "ä"),
        ];
        let second = [cell("a:q", &date("01-00:00:00.000000"), "zero")];
        assert_eq!(rows, [(b"r1".to_vec(), first.to_vec()), (b"r2".to_vec(), second.to_vec())]);
        // The sum before is a version of its own, until it is collected, if a millisecond has passed.
        let [(column, _, value), ..] = counted.1.as_slice() else { panic!("{counted:?}") };
        assert_eq!((column.as_str(), value.as_slice()), ("n:count", &(-3_i64).to_be_bytes()[..]));
        let described = String::from_utf8(cbt.run(&["ls", "wide"])).unwrap();
        for (family, rule) in [("a", "versions() > 3"), ("b.c", "(versions() > 2 || age() > "), ("n", "versions() > 1")]
        {
            let line = described.lines().find(|line| line.split_whitespace().next() == Some(family));
            assert!(line.is_some_and(|line| line.contains(rule)), "{family}: {described}");
        }
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn cbt_reads_typed_keys_and_plain_tables() {
    runtime().block_on(async {
        let (db, cbt) = connected().await;
        let schema = TableSchema::new().family("a", FamilySchema::new());
        let visits: AsyncWideTable<Visit, _> = AsyncWideTable::open(db.clone(), "visits", &schema).await.unwrap();
        let mut expected = Vec::new();
        for at in 0..20 {
            let visit = Visit { user: format!("user {}", at % 7), at: 1_700_000_000_000 + at };
            visits.mutate(&visit, &Mutation::new().put_at("a:q", at, visit.user.as_str())).await.unwrap();
            expected.push((visit.encode(), visit.user));
        }
        expected.sort();
        let found: Vec<_> = cbt.read(&["read", "visits"]);
        let found: Vec<_> = found.into_iter().map(|(key, cells)| (key, cells[0].2.clone())).collect();
        let expected: Vec<_> = expected.into_iter().map(|(key, user)| (key, user.into_bytes())).collect();
        assert_eq!(found, expected);
        let buckets: std::collections::BTreeSet<u8> = found.iter().map(|(key, _)| key[0]).collect();
        assert!(buckets.len() > 2, "{buckets:?}");

        let plain: AsyncTable<Named, String, _> =
            AsyncTable::open(OneColumn::database(db.clone()), "plain").await.unwrap();
        let named = |name: &str| Named { kind: 1, name: name.to_owned() };
        plain.put(&named("a"), &"first".into()).await.unwrap();
        plain.put(&named("b"), &"second".into()).await.unwrap();
        let found = cbt.read(&["read", "plain"]);
        let of = |rows: &[(Vec<u8>, Vec<Cell>)]| -> Vec<_> {
            rows.iter().map(|(key, cells)| (key.clone(), cells[0].0.clone(), cells[0].2.clone())).collect()
        };
        let row = |key: &[u8], value: &str| (key.to_vec(), "v:".to_owned(), value.as_bytes().to_vec());
        assert_eq!(of(&found), [row(b"\x01a", "first"), row(b"\x01b", "second")]);
        // And the other way: `cbt` writes a row that is newer.
        cbt.run(&["set", "plain", "\u{1}b", "v:=of cbt@4000000000000000"]);
        assert_eq!(plain.get(&named("b")).await.unwrap().as_deref(), Some("of cbt"));
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn what_cbt_writes_is_read_and_counted_on() {
    runtime().block_on(async {
        let (db, cbt) = connected().await;
        let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(9));
        let table = db.table("t", &schema).await.unwrap();
        // The bytes of a counter.
        cbt.run(&["set", "t", "r", "a:q=x@5000", "a:q=y@1700000000123000", "a:n=ABCDEFGH@1000", "a:text=seven@1000"]);
        let row = table.get(b"r", &Columns::all().versions(9)).await.unwrap();
        let expected = [
            ("a:n".to_owned(), 1, b"ABCDEFGH".to_vec()),
            ("a:q".to_owned(), 1_700_000_000_123, b"y".to_vec()),
            ("a:q".to_owned(), 5, b"x".to_vec()),
            ("a:text".to_owned(), 1, b"seven".to_vec()),
        ];
        assert_eq!(cells(&row), expected);
        let before = i64::from_be_bytes(*b"ABCDEFGH");
        assert_eq!(table.increment(b"r", &[("a:n".into(), 2)]).await.unwrap(), [before + 2]);
        let looked_up = cbt.read(&["lookup", "t", "r", "columns=a:n", "cells-per-column=1"]);
        assert_eq!(looked_up[0].1[0].2, b"ABCDEFGJ");
        let error = table.increment(b"r", &[("a:text".into(), 1)]).await.unwrap_err();
        assert!(matches!(&error, Error::NotACounterCell { column, len: 5, .. } if column == "a:text"), "{error}");

        // Sums that the server keeps.
        cbt.run(&["createtable", "sums", "families=s:never:intsum"]);
        for by in ["5", "-20"] {
            cbt.run(&["addtocell", "sums", "r", &format!("s:c={by}@1000")]);
        }
        let all = TableSchema::new().family("s", FamilySchema::new().max_versions(u32::MAX));
        let sums = db.open_table("sums", &all).await.unwrap();
        let row = sums.get(b"r", &Columns::all()).await.unwrap();
        assert_eq!(cells(&row), [("s:c".to_owned(), 1, (-15_i64).to_be_bytes().to_vec())]);
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn tables_of_cbt_open() {
    runtime().block_on(async {
        let (db, cbt) = connected().await;
        cbt.run(&["createtable", "made", "families=a:maxversions=3,b:maxage=1h||maxversions=2"]);
        cbt.run(&["createfamily", "made", "c"]);
        cbt.run(&["setgcpolicy", "made", "c", "maxage=2d"]);
        let all = FamilySchema::new().max_versions(u32::MAX);
        let schema = TableSchema::new()
            .family("a", FamilySchema::new().max_versions(3))
            .family("b", FamilySchema::new().max_versions(2).ttl(Duration::from_secs(3600)))
            .family("c", all.ttl(Duration::from_secs(2 * 86_400)));
        assert_eq!(db.schema("made").await.unwrap().as_ref(), Some(&schema));
        let refused = |error: Error, family: &str| match error {
            Error::Schema { table, differences } => {
                assert!(table == "made" && differences.contains(&format!("family {family}")), "{differences}");
            }
            other => panic!("{other}"),
        };
        refused(db.open_table("made", &schema.clone().family("d", all)).await.err().unwrap(), "d");
        refused(db.table("made", &schema.clone().family("a", all)).await.err().unwrap(), "a");
        let table = db.table("made", &schema).await.unwrap();
        table.mutate(b"r", &Mutation::new().put_at("a:q", 1, "v")).await.unwrap();
        assert_eq!(cbt.read(&["read", "made"]).len(), 1);
        table.mutate(b"r", &Mutation::new().delete_row()).await.unwrap();
        // The first typed program says what its keys are; another one is refused.
        let visits: AsyncWideTable<Visit, _> = AsyncWideTable::open(db.clone(), "made", &schema).await.unwrap();
        let visit = Visit { user: "ada".into(), at: 7 };
        visits.mutate(&visit, &Mutation::new().put_at("a:q", 1, "v")).await.unwrap();
        assert_eq!(visits.count(..).await.unwrap(), 1);
        let other = AsyncWideTable::<(u8, u8), _>::open(db.clone(), "made", &schema).await.err().unwrap();
        assert!(matches!(other, Error::Schema { .. } | Error::Layout { .. }), "{other}");
        // `cbt` changes a rule: then the program's schema is not the table's.
        cbt.run(&["setgcpolicy", "made", "a", "maxversions=7"]);
        refused(AsyncWideTable::<Visit, _>::open(db.clone(), "made", &schema).await.err().unwrap(), "a");
        let now = schema.clone().family("a", FamilySchema::new().max_versions(7));
        AsyncWideTable::<Visit, _>::open(db.clone(), "made", &now).await.unwrap();
        cbt.run(&["setgcpolicy", "made", "a", "maxversions=7 && maxversions=8"]);
        refused(db.open_table("made", &now).await.err().unwrap(), "a");
        // Dropped and created by `cbt`: what was known of its keys is of another table.
        cbt.run(&["deletetable", "made"]);
        assert_eq!(db.schema("made").await.unwrap(), None);
        let again = TableSchema::new().family("z", FamilySchema::new());
        AsyncWideTable::<(u8, u8), _>::open(db.clone(), "made", &again).await.unwrap();
        assert_eq!(db.tables().await.unwrap(), ["made"]);
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn delimited_keys_of_another_program_are_typed() {
    runtime().block_on(async {
        let (db, cbt) = connected().await;
        cbt.run(&["createtable", "events", "families=d:maxversions=1"]);
        for key in ["ada#8399999999", "ada#8399999998", "ada2#8300000000", "bob#8399999999"] {
            cbt.run(&["set", "events", key, &format!("d:of={key}@1000")]);
        }
        let schema = TableSchema::new().family("d", FamilySchema::new().max_versions(1));
        let store = db.open_table("events", &schema).await.unwrap();
        let events: AsyncWideTable<Event, _> = AsyncWideTable::external(db.clone(), store);
        let at = |seconds: u128| UpTo::try_from(seconds).unwrap();
        let event = |user: &str, seconds| Event { user: user.parse().unwrap(), at: at(seconds) };
        let ada: Segment<'#'> = "ada".parse().unwrap();
        let of_ada = events.scan(Event::prefix().user(&ada), Columns::all()).rows().await.unwrap();
        let found: Vec<_> =
            of_ada.iter().map(|(key, row)| (key.clone(), row.value("d:of").unwrap().to_vec())).collect();
        let expected = [
            (event("ada", 1_600_000_001), b"ada#8399999998".to_vec()),
            (event("ada", 1_600_000_000), b"ada#8399999999".to_vec()),
        ];
        assert_eq!(found, expected);
        let since = Event::prefix().user(&ada).at_range(at(1_600_000_001)..);
        assert_eq!(events.scan(since, Columns::all()).rows().await.unwrap().len(), 1);
        events.mutate(&event("bob", 9_999_999_999), &Mutation::new().put_at("d:of", 1, "ours")).await.unwrap();
        let keys: Vec<_> = cbt.read(&["read", "events", "prefix=bob#"]).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, [b"bob#0000000000".to_vec(), b"bob#8399999999".to_vec()]);
        // Nothing was written of the keys' layout.
        assert_eq!(db.tables().await.unwrap(), ["events"]);
    });
}
