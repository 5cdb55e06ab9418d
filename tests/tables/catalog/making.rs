//! Tables that are made, and tables that are opened because they are there.

use rowkey::ErrorKind;
use rowkey::store::Store;

use super::*;

const HOW: How = How { reads: false, applied: false, transactions: false, compare_and_write: true };

fn new() -> NewTable {
    NewTable::new().split_at(["m"])
}

#[test]
fn what_is_not_there_is_not_opened_and_nothing_is_made() {
    let memory = Memory::new();
    let wide = CellsDatabase::new(memory.clone());
    let absent = |error: Option<Error>| matches!(error, Some(Error::NoSuchTable(name)) if name == "t");
    let nothing_is_opened = || {
        assert!(absent(Table::<FromTo, (), _>::open_existing(&memory, "t").err()));
        assert!(absent(WideTable::<FromTo, _>::open_existing(&wide, "t", &schema()).err()));
        assert!(absent(wide.open_table("t", &schema()).err()));
    };
    nothing_is_opened();
    assert_eq!(memory.tables().unwrap(), [""; 0], "not even the catalog");
    Table::<u8, (), _>::open(&memory, "other").unwrap();
    let before = dump(&memory);
    nothing_is_opened();
    assert_eq!(dump(&memory), before);

    let made: Table<FromTo, i64, _> = Table::create(&memory, "t", &new()).unwrap();
    made.put(&FromTo { from: 1, to: 2 }, &3).unwrap();
    let opened: Table<FromTo, i64, _> = Table::open_existing(&memory, "t").unwrap();
    assert_eq!(opened.get(&FromTo { from: 1, to: 2 }).unwrap(), Some(3));
    assert!(matches!(Table::<FromTo, String, _>::open_existing(&memory, "t"), Err(Error::ValueCodec { .. })));
    assert!(matches!(Table::<ToFrom, i64, _>::open_existing(&memory, "t"), Err(Error::Fields { .. })));
    opened.drop_table().unwrap();
    nothing_is_opened();

    let made: WideTable<FromTo, _> = WideTable::create(&wide, "t", &schema(), &new()).unwrap();
    made.mutate(&FromTo { from: 1, to: 2 }, &Mutation::new().put("a:q", "v")).unwrap();
    let opened: WideTable<FromTo, _> = WideTable::open_existing(&wide, "t", &schema()).unwrap();
    assert_eq!(opened.count(..).unwrap(), 1);
    assert!(matches!(WideTable::<ToFrom, _>::open_existing(&wide, "t", &schema()), Err(Error::Schema { .. })));
}

#[test]
fn what_is_there_is_not_made_and_stays_as_it_is() {
    let memory = Memory::new();
    let wide = CellsDatabase::new(memory.clone());
    let table: Table<FromTo, i64, _> = Table::open(memory.clone(), "t").unwrap();
    table.put(&FromTo { from: 1, to: 2 }, &3).unwrap();
    WideTable::<FromTo, _>::create(&wide, "w", &schema(), &new()).unwrap();
    let before = dump(&memory);
    let there = |error: Option<Error>| error.is_some_and(|error| error.kind() == ErrorKind::AlreadyExists);
    assert!(there(Table::<FromTo, i64, _>::create(&memory, "t", &new()).err()));
    assert!(there(WideTable::<FromTo, _>::create(&wide, "w", &schema(), &new()).err()));
    let other = TableSchema::new().family("b", FamilySchema::new());
    assert!(there(WideTable::<FromTo, _>::create(&wide, "w", &other, &new()).err()));
    // Whatever it holds.
    assert!(there(Table::<u8, i64, _>::create(&memory, "t", &new()).err()));
    assert!(there(Table::<FromTo, String, _>::create(&memory, "t", &new()).err()));
    assert!(there(WideTable::<u8, _>::create(&wide, "t", &schema(), &new()).err()));
    for reserved in ["rowkey.layouts", "rowkey.new"] {
        assert!(matches!(Table::<u8, i64, _>::create(&memory, reserved, &new()), Err(Error::ReservedName(_))));
        assert!(matches!(Table::<u8, i64, _>::open_existing(&memory, reserved), Err(Error::ReservedName(_))));
        assert!(matches!(WideTable::<u8, _>::create(&wide, reserved, &schema(), &new()), Err(Error::ReservedName(_))));
        let opened = WideTable::<u8, _>::open_existing(&wide, reserved, &schema());
        assert!(matches!(opened, Err(Error::ReservedName(_))));
    }
    let bad = NewTable::new().split_at(["m", "a"]);
    assert!(matches!(Table::<u8, i64, _>::create(&memory, "bad", &bad), Err(Error::SplitPoint { index: 1, .. })));
    let said = WideTable::<u8, _>::create(&wide, "bad", &schema(), &bad).unwrap_err();
    assert!(matches!(said, Error::SplitPoint { index: 1, .. }));
    let unknown = NewTable::new().option("compression", "zstd");
    assert!(matches!(Table::<u8, i64, _>::create(&memory, "bad", &unknown), Err(Error::TableOption { .. })));
    assert_eq!(dump(&memory), before);
}

/// A table's name that a migration has left is refused, and not made again.
#[test]
fn a_table_that_was_moved_is_neither_opened_nor_made() {
    let memory = Memory::new();
    let old: Table<FromTo, i64, _> = Table::open(memory.clone(), "old").unwrap();
    old.put(&FromTo { from: 1, to: 2 }, &3).unwrap();
    let keys = Conversion::keys(|FromTo { from, to }| ToFrom { to, from }, |ToFrom { to, from }| FromTo { from, to });
    let migration: Migration<FromTo, i64, ToFrom, i64, _> =
        Migration::open(memory.clone(), "m", "old", "new", keys).unwrap();
    migration.backfill().run().unwrap();
    migration.verify().run().unwrap();
    migration.cut_over().unwrap();
    migration.finish().unwrap();
    let moved = |error: Option<Error>| matches!(error, Some(Error::Moved { table, to, .. }) if (&*table, &*to) == ("old", "new"));
    let before = dump(&memory);
    assert!(moved(Table::<FromTo, i64, _>::open_existing(&memory, "old").err()));
    assert!(moved(Table::<FromTo, i64, _>::create(&memory, "old", &new()).err()));
    let wide = CellsDatabase::new(memory.clone());
    assert!(moved(WideTable::<FromTo, _>::create(&wide, "old", &schema(), &new()).err()));
    assert!(moved(WideTable::<FromTo, _>::open_existing(&wide, "old", &schema()).err()));
    assert_eq!(dump(&memory), before);
}

/// Killed at any operation, what was to be made is not there, or whoever opens it completes it.
#[test]
fn a_making_that_is_killed_is_completed_by_an_opening() {
    for applied in [false, true] {
        for (transactions, compare_and_write) in [(false, true), (true, true), (false, false)] {
            let how = How { reads: false, applied, transactions, compare_and_write };
            let (mut killed, mut after, mut completed) = (true, 0, 0);
            while killed {
                let memory = Memory::new();
                killed = Table::<FromTo, i64, _>::create(Failing::new(&memory, how, after), "t", &new()).is_err();
                let there = memory.tables().unwrap().contains(&"t".to_owned());
                assert!(there || killed);
                let existing = Table::<FromTo, i64, _>::open_existing(&memory, "t");
                assert_eq!(existing.is_ok(), there, "killed after {after}: {:?}", dump(&memory));
                let again = Table::<FromTo, i64, _>::create(&memory, "t", &new());
                assert_eq!(again.is_err(), there, "killed after {after}");
                completed += usize::from(killed && there);
                Table::<FromTo, i64, _>::open(&memory, "t").unwrap().put(&FromTo { from: 1, to: 2 }, &3).unwrap();
                assert!(matches!(Table::<FromTo, String, _>::open(&memory, "t"), Err(Error::ValueCodec { .. })));
                assert!(matches!(Table::<ToFrom, i64, _>::open(&memory, "t"), Err(Error::Fields { .. })));
                assert!(matches!(Table::<u8, i64, _>::open(&memory, "t"), Err(Error::Layout { .. })));
                after += 1;
            }
            assert!(after > 3 && completed > 2, "{after} {completed}");
        }
    }
}

#[test]
fn a_making_of_a_wide_table_that_is_killed_is_completed_by_an_opening() {
    for applied in [false, true] {
        let how = How { applied, ..HOW };
        let (mut killed, mut after, mut completed) = (true, 0, 0);
        while killed {
            let memory = Memory::new();
            let (dying, wide) =
                (CellsDatabase::new(Failing::new(&memory, how, after)), CellsDatabase::new(memory.clone()));
            killed = WideTable::<FromTo, _>::create(dying, "t", &schema(), &new()).is_err();
            let there = memory.tables().unwrap().contains(&"t".to_owned());
            let existing = WideTable::<FromTo, _>::open_existing(&wide, "t", &schema());
            assert_eq!(existing.is_ok(), there, "killed after {after}: {:?}", dump(&memory));
            assert_eq!(WideTable::<FromTo, _>::create(&wide, "t", &schema(), &new()).is_err(), there);
            completed += usize::from(killed && there);
            let opened: WideTable<FromTo, _> = WideTable::open(&wide, "t", &schema()).unwrap();
            opened.mutate(&FromTo { from: 1, to: 2 }, &Mutation::new().put("a:q", "v")).unwrap();
            assert_eq!(wide.tables().unwrap(), ["t"]);
            assert!(matches!(WideTable::<ToFrom, _>::open(&wide, "t", &schema()), Err(Error::Schema { .. })));
            after += 1;
        }
        assert!(after > 3 && completed > 1, "{after} {completed}");
    }
}

/// Somebody else makes, or opens, the table at any operation of its making: of two that make it one does.
#[test]
fn of_two_that_make_a_table_at_once_one_does() {
    type Make = fn(&dyn Database) -> Result<(), Error>;
    let plain: Make = |db| Table::<FromTo, i64, _>::create(db, "t", &new()).map(drop);
    let wide: Make = |db| WideTable::<FromTo, _>::create(&CellsDatabase::new(db), "t", &schema(), &new()).map(drop);
    let open_plain: Make = |db| Table::<FromTo, i64, _>::open(db, "t").map(drop);
    let open_wide: Make = |db| WideTable::<FromTo, _>::open(&CellsDatabase::new(db), "t", &schema()).map(drop);
    for (make, beside, makes) in [
        (plain, plain, true),
        (wide, wide, true),
        (plain, open_plain, false),
        (wide, open_wide, false),
        (open_wide, open_wide, false),
    ] {
        let mut at = 0;
        loop {
            let memory = Memory::new();
            let db = Failing::never(&memory, HOW);
            let (theirs, other) = (Arc::new(std::sync::Mutex::new(None)), memory.clone());
            let told = Arc::clone(&theirs);
            db.interrupt(at, move || *told.lock().unwrap() = Some(beside(&other)));
            let mine = make(&db);
            if db.take_interrupt() {
                break;
            }
            let theirs = theirs.lock().unwrap().take().unwrap();
            if makes {
                assert!(mine.is_ok() != theirs.is_ok(), "interrupted at {at}: {mine:?}, {theirs:?}");
            } else {
                theirs.unwrap();
            }
            if let Err(error) = mine {
                assert!(matches!(error, Error::TableExists(_)), "interrupted at {at}: {error}");
            }
            open_plain(&memory).or_else(|_| open_wide(&memory)).unwrap();
            at += 1;
        }
        assert!(at > 5);
    }
}

/// What an opening that was killed has kept of a table that it did not make is held against a making.
#[test]
fn a_making_agrees_with_what_is_kept() {
    let memory = Memory::new();
    Table::<FromTo, i64, _>::open(&memory, "t").unwrap();
    memory.drop_table("t").unwrap();
    let before = dump(&memory);
    assert!(matches!(Table::<u8, i64, _>::create(&memory, "t", &new()), Err(Error::Layout { .. })));
    assert_eq!(dump(&memory), before);
    let table: Table<FromTo, i64, _> = Table::create(&memory, "t", &new()).unwrap();
    assert_eq!(table.store().split_points().unwrap(), [[0; 0]; 0]);
}
