//! Drops that are cut off, and rows of the catalog that are not valid.

use super::*;

/// Killed at any operation, a drop is finished by whoever opens the table next: with another layout, without rows.
#[test]
fn a_drop_that_is_killed_is_finished() {
    for applied in [false, true] {
        for transactions in [false, true] {
            let how = How { reads: false, applied, transactions, compare_and_write: true };
            for second in 0..8 {
                let (mut killed, mut after) = (true, 0);
                while killed {
                    let memory = Memory::new();
                    let table: Table<FromTo, i64, _> = Table::open(memory.clone(), "t").unwrap();
                    table.put(&FromTo { from: 1, to: 2 }, &1).unwrap();
                    Table::<u8, i64, _>::open(&memory, "other").unwrap().put(&1, &1).unwrap();
                    let dying = Failing::new(&memory, how, after);
                    // It may be killed while it is opened, then nothing is dropped.
                    killed = match Table::<FromTo, i64, _>::open(dying, "t") {
                        Ok(table) => table.drop_table().is_err(),
                        Err(_) => true,
                    };
                    let begun = memory.table("rowkey.layouts").unwrap().get(b"xt").unwrap().is_some();
                    let dropped =
                        begun || !killed || memory.table("rowkey.layouts").unwrap().get(b"tt").unwrap().is_none();
                    // Whoever finishes it can be killed, too.
                    drop(Table::<(i8, i8), String, _>::open(Failing::new(&memory, how, second), "t"));
                    let opened = Table::<(i8, i8), String, _>::open(&memory, "t");
                    assert_eq!(opened.is_ok(), dropped, "killed after {after}, {second}: {:?}", dump(&memory));
                    if let Ok(opened) = opened {
                        assert_eq!(opened.count(..).unwrap(), 0);
                    } else {
                        assert_eq!(table.count(..).unwrap(), 1);
                    }
                    assert_eq!(Table::<u8, i64, _>::open(&memory, "other").unwrap().get(&1).unwrap(), Some(1));
                    after += 1;
                }
                assert!(after > 3);
            }
        }
    }
}

#[test]
fn a_drop_of_a_wide_table_that_is_killed_is_finished() {
    let how = How { reads: false, applied: false, transactions: true, compare_and_write: true };
    let (mut killed, mut after) = (true, 0);
    while killed {
        let memory = Memory::new();
        let wide = CellsDatabase::new(memory.clone());
        let table: WideTable<FromTo, _> = WideTable::open(&wide, "t", &schema()).unwrap();
        table.mutate(&FromTo { from: 1, to: 2 }, &Mutation::new().put("a:q", "v")).unwrap();
        killed = CellsDatabase::new(Failing::new(&memory, how, after)).drop_table("t").is_err();
        let other = TableSchema::new().family("b", FamilySchema::new().ttl(Duration::from_secs(9)));
        let dropped = after > 0;
        match WideTable::<u32, _>::open(&wide, "t", &other) {
            Ok(table) => assert_eq!((table.count(..).unwrap(), dropped), (0, true)),
            Err(error) => assert!(!dropped, "killed after {after}: {error}"),
        }
        after += 1;
    }
    assert!(after > 3);
}

/// Whatever stands in the catalog, a table opens or says why it does not.
#[test]
fn rows_of_the_catalog_that_are_not_valid_are_errors() {
    for garbage in [&b""[..], b"\xff", b"\n", b"0", b"0 \xff\n", b"enum{", b"u64, u64\0"] {
        for kind in *b"tfbvwFB" {
            for compare_and_write in [false, true] {
                let memory = Memory::new();
                let kept = memory.table("rowkey.layouts").unwrap();
                kept.write(Batch::new().put([kind, b't'], garbage).put([kind, b'w'], garbage)).unwrap();
                let how = How { reads: false, applied: false, transactions: false, compare_and_write };
                let db = Failing::never(&memory, how);
                let plain = Table::<FromTo, i64, _>::open(db.clone(), "t").map(drop);
                let said = format!("{kind:?} {garbage:?}: {plain:?}");
                assert_eq!(
                    plain.is_err(),
                    matches!(kind, b't' | b'v') || kind == b'f' && !garbage.is_empty(),
                    "{said}"
                );
                let wide = CellsDatabase::new(db);
                let _ = WideTable::<FromTo, _>::open(&wide, "w", &schema());
                let _ = WideTable::<FromTo, _>::rename_field(&&wide, "w", "from", "x");
            }
        }
    }
}

/// A write through a handle from before a drop is an error on `Memory`, whether or not another table has the name by
/// then.
#[test]
fn a_handle_of_a_dropped_table_does_not_write() {
    for made_again in [false, true] {
        let db = Memory::new();
        let before: Table<u32, i64, _> = Table::open(&db, "t").unwrap();
        let kept: Table<u32, i64, _> = Table::open(&db, "kept").unwrap();
        before.put(&1, &1).unwrap();
        let mut batch = WriteBatch::new();
        batch.put(&kept, &1, &1).unwrap().put(&before, &2, &2).unwrap();
        db.drop_table("t").unwrap();
        let again = made_again.then(|| db.table("t").unwrap());

        let gone = |told: Result<(), Error>| {
            assert!(matches!(&told, Err(Error::NoSuchTable(name)) if name == "t"), "{told:?}")
        };
        gone(before.put(&1, &1));
        gone(before.delete(&1));
        gone(before.increment(&1, 1).map(drop));
        gone(before.update(&1, |_| Some(1)).map(drop));
        gone(before.delete_rows(..).map(drop));
        gone(before.store().transact(&mut |_| Ok(Batch::new().put("a", "b").clone())));
        gone(batch.write(&db));
        let mut mixed = WriteBatch::new();
        mixed.put(&kept, &1, &1).unwrap().put(&before, &2, &2).unwrap();
        gone(mixed.write(&db));

        assert_eq!((before.get(&1).unwrap(), before.count(..).unwrap()), (None, 0));
        assert_eq!(kept.count(..).unwrap(), 0, "a batch is refused whole");
        if let Some(again) = again {
            assert_eq!(again.get(b"\0\0\0\x02").unwrap(), None);
            db.write(&[("t", Batch::new().put("a", "b"))]).unwrap();
            assert_eq!(again.get(b"a").unwrap().as_deref(), Some(&b"b"[..]));
        }
    }
}
