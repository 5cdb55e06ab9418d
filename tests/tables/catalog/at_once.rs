//! Tables that several open at once.

use super::*;

/// Somebody else opens a table at any operation of an opening: programs that disagree are never both accepted, what one
/// that is accepted needs is there, and one of the two is.
#[test]
fn of_two_that_open_a_table_at_once_and_disagree_one_does() {
    type Open = fn(&dyn Database) -> bool;
    let plain: [Open; 2] =
        [|db| Table::<FromTo, (), _>::open(db, "t").is_ok(), |db| Table::<ToFrom, (), _>::open(db, "t").is_ok()];
    let wide: [Open; 2] = [
        |db| WideTable::<FromTo, _>::open(&CellsDatabase::new(db), "t", &schema()).is_ok(),
        |db| WideTable::<ToFrom, _>::open(&CellsDatabase::new(db), "t", &schema()).is_ok(),
    ];
    let raw: [Open; 2] = [
        |db| Cells::open(db, "t", &schema().row_key::<FromTo>()).is_ok(),
        |db| Cells::open(db, "t", &schema().row_key::<ToFrom>()).is_ok(),
    ];
    let untyped: [Open; 2] = [raw[0], |db| Cells::open(db, "t", &schema()).is_ok()];
    let grown: [Open; 2] = [
        |db| Table::<grown::Four, (), _>::open(db, "t").is_ok(),
        |db| Table::<grown::Renamed, (), _>::open(db, "t").is_ok(),
    ];
    for pair in [plain, wide, raw, untyped, grown] {
        for (first, second) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            let mut at = 0;
            loop {
                let memory = Memory::new();
                let how = How { reads: false, applied: false, transactions: false, compare_and_write: true };
                let db = Failing::never(&memory, how);
                let (theirs, beside) = (Arc::new(std::sync::Mutex::new(false)), memory.clone());
                let told = Arc::clone(&theirs);
                db.interrupt(at, move || *told.lock().unwrap() = second(&beside));
                let mine = first(&db);
                if db.take_interrupt() {
                    break;
                }
                let theirs = *theirs.lock().unwrap();
                assert!(mine != theirs, "interrupted at {at}: {mine}, {theirs}: {:?}", dump(&memory));
                assert_eq!((first(&memory), second(&memory)), (mine, theirs), "interrupted at {at}");
                at += 1;
            }
            assert!(at > 5);
        }
    }
}

/// The same with one that knows more variants: both are accepted, and cursors of the other go on.
#[test]
fn cursors_go_on_of_a_table_that_is_opened_meanwhile() {
    for at in 0.. {
        let memory = Memory::new();
        let how = How { reads: false, applied: false, transactions: false, compare_and_write: true };
        let db = Failing::never(&memory, how);
        let beside = memory.clone();
        let (tell, cursor) = std::sync::mpsc::channel();
        db.interrupt(at, move || {
            if let Ok(two) = Table::<Two, (), _>::open(&beside, "t") {
                (0..5).try_for_each(|n| two.put(&Two { n, of: OfTwo::A }, &())).unwrap();
                tell.send(two.scan(..).page(2).unwrap().next.unwrap()).unwrap();
            }
        });
        let four = Table::<Four, (), _>::open(&db, "t");
        if db.take_interrupt() {
            assert!(at > 5);
            return;
        }
        if let Ok(cursor) = cursor.try_recv() {
            let page = Table::<Four, (), _>::open(&memory, "t").unwrap().scan(..).after(cursor).page(9).unwrap();
            assert_eq!(page.rows.len(), 3, "interrupted at {at}");
        }
        four.unwrap();
    }
}

#[test]
fn what_changes_row_keys_takes_back_no_change_of_families() {
    let versions = |n| TableSchema::new().family("f", FamilySchema::new().max_versions(n));
    let db = CellsDatabase::new(Memory::new());
    WideTable::<Two, _>::open(&db, "t", &versions(1)).unwrap();
    // Somebody else alters the table before each alteration.
    let theirs = versions(5).family("g", FamilySchema::new()).row_key::<Two>();
    let beside = Altering::over(db.clone(), move |db, name, schema| {
        db.alter(name, &theirs)?;
        db.alter(name, schema)
    });
    WideTable::<Two, _>::rename_field(&beside, "t", "n", "number").unwrap();
    let kept = |table: &str| db.schema(table).unwrap().unwrap().families;
    assert_eq!((kept("t")["f"].max_versions, kept("t").len()), (5, 2));

    WideTable::<Two, _>::open(&db, "u", &versions(1)).unwrap();
    let opened = WideTable::<Three, _>::open(&beside, "u", &versions(1));
    assert!(matches!(opened, Err(Error::Schema { .. })), "{opened:?}");
    assert_eq!((kept("u")["f"].max_versions, kept("u").len()), (5, 2));
}
