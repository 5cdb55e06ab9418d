//! Codecs of values, and names that are reserved.

use super::*;

#[test]
fn values_of_another_codec_are_refused() {
    let db = Memory::new();
    let counts: Table<u8, i64, _> = Table::open(&db, "t").unwrap();
    counts.put(&1, &7).unwrap();
    let error = Table::<u8, String, _>::open(&db, "t").unwrap_err();
    assert!(
        matches!(&error, Error::ValueCodec { table, stored, given } if (&**table, &**stored, &**given) == ("t", "i64", "text")),
        "{error:?}"
    );
    assert!(Table::<u8, u64, _>::open(&db, "t").is_err());
    // As bytes, and for its keys alone, any table opens.
    assert_eq!(Table::<u8, Vec<u8>, _>::open(&db, "t").unwrap().get(&1).unwrap(), Some(vec![0, 0, 0, 0, 0, 0, 0, 7]));
    assert_eq!(Table::<u8, (), _>::open(&db, "t").unwrap().keys(..).count(), 1);
    assert!(matches!(catalog::change_codec::<u64>(&db, "other"), Err(Error::NoSuchTable(_))));
    catalog::change_codec::<u64>(&db, "t").unwrap();
    assert!(Table::<u8, i64, _>::open(&db, "t").is_err());
    assert_eq!(Table::<u8, u64, _>::open(&db, "t").unwrap().get(&1).unwrap(), Some(7));
    catalog::change_codec::<Vec<u8>>(&db, "t").unwrap();
    Table::<u8, i64, _>::open(&db, "t").unwrap();
    // A secondary table's values are its claims.
    let mut primary = Primary::<u8, i64, _>::open(&db, "t").unwrap();
    primary.secondary("t.by_value", |key: &u8, value: &i64| [((*value, *key), ())]).unwrap();
    assert!(matches!(Table::<(i64, u8), String, _>::open(&db, "t.by_value"), Err(Error::ValueCodec { .. })));
}

#[test]
fn reserved_names_are_refused() {
    let reserved = |error: Error| assert!(matches!(error, Error::ReservedName(_)), "{error:?}");
    let memory = Memory::new();
    let over_wide = OneColumn::database(CellsDatabase::new(Memory::new()));
    let dbs: [&dyn Database; 2] = [&memory, &over_wide];
    for name in ["rowkey.layouts", "rowkey.migrations", "rowkey.plain.layouts", "rowkey.plain.migrations", "rowkey."] {
        for db in dbs {
            reserved(Table::<u8, (), _>::open(db, name).unwrap_err());
            reserved(Primary::<u8, (), _>::open(db, name).unwrap_err());
            let mut primary = Primary::<u8, (), _>::open(db, "t").unwrap();
            reserved(primary.secondary(name, |key: &u8, (): &()| [(*key, ())]).unwrap_err());
            reserved(Cells::open(db, name, &schema()).unwrap_err());
            reserved(match NameIds::<3>::open(db, name, "kind").unwrap_err() {
                rowkey::ids::IdError::Store(error) => error,
                other => panic!("{other:?}"),
            });
            let wide = CellsDatabase::new(db);
            reserved(WideTable::<u8, _>::open(&wide, name, &schema()).unwrap_err());
            let same = || Conversion::keys(|key: u8| key, |key: u8| key);
            reserved(Migration::<u8, (), u8, (), _>::open(db, "m", name, "new", same()).unwrap_err());
            reserved(Migration::<u8, (), u8, (), _>::open(db, "n", "old", name, same()).unwrap_err());
        }
    }
    // Over wide tables the engine's own names lead nowhere else: what the crate keeps there stays whole.
    let kept = dump(&over_wide)["rowkey.layouts"].clone();
    let table = over_wide.table("rowkey.plain.layouts").unwrap();
    table.write(Batch::new().put("tt", "stray")).unwrap();
    assert_eq!(dump(&over_wide)["rowkey.layouts"], kept);
    let names = over_wide.tables().unwrap();
    assert!(names.contains(&"rowkey.plain.layouts".to_owned()) && names.contains(&"rowkey.layouts".to_owned()));
}

/// Migrations of plain tables over wide ones stand beside those of a plain database that has the cells.
#[test]
fn what_is_kept_over_wide_tables_stands_beside_what_is_kept_beneath() {
    let memory = Memory::new();
    let over_wide = OneColumn::database(CellsDatabase::new(memory.clone()));
    let same = || Conversion::keys(|key: u8| u16::from(key), |key: u16| key as u8);
    Migration::<u8, (), u16, (), _>::open(&memory, "m", "old", "new", same()).unwrap();
    let kept = dump(&memory)["rowkey.migrations"].clone();
    let migration =
        Migration::<u8, (), u16, (), _>::open(&over_wide, "m", "old of wide", "new of wide", same()).unwrap();
    migration.put(&7, &()).unwrap();
    assert_eq!(dump(&memory)["rowkey.migrations"], kept);
}
