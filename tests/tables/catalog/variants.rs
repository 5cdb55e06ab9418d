//! Scans and jobs that began before an enum got more variants continue.

use super::*;

#[test]
fn cursors_from_before_a_variant_was_added_go_on() {
    let db = Memory::new();
    let two: Table<Two, (), _> = Table::open(&db, "t").unwrap();
    (0..10).try_for_each(|n| two.put(&Two { n, of: OfTwo::B }, &())).unwrap();
    let of_two = two.scan(..).page(3).unwrap().next.unwrap();
    let three: Table<Three, (), _> = Table::open(&db, "t").unwrap();
    let of_three = three.scan(..).page(3).unwrap().next.unwrap();
    let four: Table<Four, (), _> = Table::open(&db, "t").unwrap();
    let of_four = four.scan(..).page(3).unwrap().next.unwrap();
    for cursor in [&of_two, &of_three, &of_four] {
        let page = four.scan(..).after(cursor.clone()).page(3).unwrap();
        assert_eq!(page.rows.iter().map(|(key, ())| key.n).collect::<Vec<_>>(), [3, 4, 5]);
    }
    // A program that began before does not know the later ones, and no other table's are taken.
    assert!(matches!(three.scan(..).after(of_four).page(3), Err(Error::Cursor(CursorError::OtherLayout { .. }))));
    let other: Table<Four, (), _> = Table::open(&db, "other").unwrap();
    assert!(matches!(other.scan(..).after(of_two).page(3), Err(Error::Cursor(CursorError::OtherLayout { .. }))));

    let wide = CellsDatabase::new(Memory::new());
    let two: WideTable<Two, _> = WideTable::open(&wide, "t", &schema()).unwrap();
    (0..10).try_for_each(|n| two.mutate(&Two { n, of: OfTwo::B }, &Mutation::new().put("a:q", ""))).unwrap();
    let of_two = two.scan(.., Columns::all()).page(3).unwrap().next.unwrap();
    WideTable::<Three, _>::open(&wide, "t", &schema()).unwrap();
    for _ in 0..2 {
        let four: WideTable<Four, _> = WideTable::open(&wide, "t", &schema()).unwrap();
        let page = four.scan(.., Columns::all()).after(of_two.clone()).page(3).unwrap();
        assert_eq!(page.rows.iter().map(|(key, _)| key.n).collect::<Vec<_>>(), [3, 4, 5]);
    }
}

#[test]
fn checks_of_a_secondary_table_from_before_a_variant_was_added_go_on() {
    use std::ops::ControlFlow::Break;

    let db = Memory::new();
    let mut two = Primary::<Two, u64, _>::open(&db, "t").unwrap();
    let by_value = two.secondary("t.by_value", |key: &Two, value: &u64| [((*value, key.clone()), ())]).unwrap();
    (0..10).try_for_each(|n| two.put(&Two { n, of: OfTwo::A }, &1)).unwrap();
    let stopped = [0, 1].map(|passes| {
        let mut left = passes;
        let report = by_value.verify().batch_rows(4).run_watched(|progress| {
            if left > 0 && progress.report.next.as_ref().is_some_and(|next| next.pass() == 1) {
                return std::ops::ControlFlow::Continue(());
            }
            left -= 1;
            Break(())
        });
        report.unwrap().next.unwrap()
    });
    let mut three = Primary::<Three, u64, _>::open(&db, "t").unwrap();
    let by_value = three.secondary("t.by_value", |key: &Three, value: &u64| [((*value, key.clone()), ())]).unwrap();
    for checkpoint in stopped {
        let report = by_value.verify().resume(checkpoint).run().unwrap();
        assert!(report.is_clean() && report.next.is_none(), "{report:?}");
    }
}

#[test]
fn jobs_of_a_migration_from_before_a_variant_was_added_go_on() {
    use std::ops::ControlFlow::{Break, Continue};

    type Of<K> = Migration<K, (), (u64, K), (), Memory>;
    fn open<K: rowkey::OwnedKey + rowkey::encode::OwnedField + Clone + 'static>(db: &Memory) -> Of<K> {
        let keys = Conversion::keys(|key: K| (7_u64, key), |(_, key): (u64, K)| key);
        Migration::open(db.clone(), "m", "old", "new", keys).unwrap()
    }

    let db = Memory::new();
    let two: Table<Two, (), _> = Table::open(&db, "old").unwrap();
    (0..10).try_for_each(|n| two.put(&Two { n, of: OfTwo::A }, &())).unwrap();
    let stopped = open::<Two>(&db).backfill().batch_rows(4).run_watched(|_| Break(())).unwrap();
    assert!(!stopped.is_done());
    assert!(open::<Three>(&db).backfill().run().unwrap().is_done());
    // Both passes of a verification.
    let mut passes = 0;
    open::<Three>(&db)
        .verify()
        .batch_rows(4)
        .run_watched(|_| {
            passes += 1;
            if passes == 5 { Break(()) } else { Continue(()) }
        })
        .unwrap();
    let report = open::<Four>(&db).verify().run().unwrap();
    assert!(report.is_done() && report.differences() == 0, "{report:?}");
}
