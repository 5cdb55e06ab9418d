//! A row whose key is not one of its table's is told with the table, the key and the reason, wherever it is met.

use std::error::Error as _;

use rowkey::ids::NameIds;
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::splits::Splits;
use rowkey::store::{Batch, Database};
use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{DecodeError, Error, Memory, RowKey, Table, WideTable};

#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    host: String,
    day: u8,
}

const WHY: &str = "Visit.host at byte 1: the terminator 00 is missing";

/// A database in which somebody has put a row under another kind of key.
fn with_foreign_row(table: &str) -> Memory {
    let db = Memory::new();
    Table::<Visit, (), _>::open(&db, table).unwrap();
    db.table(table).unwrap().write(Batch::new().put(*b"b", *b"")).unwrap();
    db
}

#[track_caller]
fn told(error: &Error, due: &str) {
    assert_eq!(error.to_string(), due);
    assert!(error.source().unwrap().downcast_ref::<DecodeError>().is_some());
}

#[test]
fn in_scans_of_a_table() {
    let table: Table<Visit, (), _> = Table::open(with_foreign_row("visits"), "visits").unwrap();
    let due = format!("key 62 of table \"visits\" does not decode: {WHY}");
    let splits = Splits::new(vec![b"m".to_vec()]).unwrap();
    let errors = [
        table.scan(..).next().unwrap().unwrap_err(),
        table.scan(..).next_row().unwrap_err(),
        table.scan(..).page(10).unwrap_err(),
        table.keys(..).next().unwrap().unwrap_err(),
        table.first(..).unwrap_err(),
        table.last(..).unwrap_err(),
        table.scan(..).parallel(&splits).start().find_map(Result::err).unwrap(),
    ];
    for error in errors {
        told(&error, &due);
    }
    let Error::Key { table: name, key, source } = table.first(..).unwrap_err() else { panic!() };
    assert_eq!((name.as_str(), key.as_slice(), source.field()), ("visits", &b"b"[..], "host"));
}

#[test]
fn in_a_secondary_table() {
    let mut primary = Primary::<Visit, (), _>::open(with_foreign_row("visits"), "visits").unwrap();
    let by_day = primary.secondary("by_day", |visit: &Visit, (): &()| [((visit.day, visit.clone()), ())]).unwrap();
    let error = by_day.rebuild().run().unwrap_err();
    told(&error, &format!("key 62 of table \"visits\" does not decode: {WHY}"));
}

#[test]
fn in_a_migration() {
    let conversion = Conversion::keys(|visit: Visit| (visit.day, visit.host), |(day, host)| Visit { host, day });
    let db = with_foreign_row("visits");
    let migration: Migration<Visit, (), (u8, String), (), _> =
        Migration::open(&db, "m", "visits", "new", conversion).unwrap();
    let error = migration.backfill().run().unwrap_err();
    told(&error, &format!("key 62 of table \"visits\" does not decode: {WHY}"));
}

#[test]
fn in_a_table_of_names() {
    let db = Memory::new();
    let names: NameIds = NameIds::open(&db, "names", "metric").unwrap();
    db.table("names").unwrap().write(Batch::new().put(*b"metric\0\x01cpu", *b"")).unwrap();
    let error = names.starting("c", 10).unwrap_err();
    assert!(
        error.to_string().starts_with("key 6d65747269630001637075 of table \"names\" does not decode: "),
        "{error}"
    );
}

#[test]
fn in_a_wide_table() {
    let db = Memory::new();
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let table: WideTable<Visit, _> = WideTable::open(CellsDatabase::new(db.clone()), "wide", &schema).unwrap();
    let visit = Visit { host: "a".into(), day: 1 };
    table.mutate(&visit, &Mutation::new().put("a:q", "1")).unwrap();
    // An entry of the row that is no cell.
    let (first, _) = db.table("wide").unwrap().scan_first();
    let row = &first[..first.iter().position(|byte| *byte == 0).unwrap() + 1];
    let foreign = [row, b"zz"].concat();
    db.table("wide").unwrap().write(Batch::new().put(foreign.clone(), *b"")).unwrap();
    let hex: String = foreign.iter().map(|byte| format!("{byte:02x}")).collect();
    let due = format!("key {hex} of table \"wide\" does not decode: ");
    let purge = table.purge().run().unwrap_err();
    let scan = table.scan(.., Columns::all()).next().unwrap().unwrap_err();
    let backwards = table.scan(.., Columns::all()).reverse().next().unwrap().unwrap_err();
    for error in [scan, backwards, purge] {
        assert!(error.to_string().starts_with(&due), "{error}");
        assert!(error.source().is_some());
    }
    assert!(table.get(&visit, &Columns::all()).unwrap_err().to_string().contains("of table \"wide\""));
}

#[test]
fn decoded_by_hand() {
    let decode = || -> Result<Visit, Error> { Ok(Visit::decode(b"b")?) };
    told(&decode().unwrap_err(), &format!("a key does not decode: {WHY}"));
}

trait First {
    fn scan_first(&self) -> (Vec<u8>, Vec<u8>);
}

impl First for std::sync::Arc<dyn rowkey::store::Store> {
    fn scan_first(&self) -> (Vec<u8>, Vec<u8>) {
        let mut batch = rowkey::store::RowBatch::new();
        self.scan(&rowkey::store::Scan::all()).next_batch(&mut batch).unwrap();
        let (key, value) = batch.get(0).unwrap();
        (key.to_vec(), value.to_vec())
    }
}
