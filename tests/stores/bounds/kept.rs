//! What is opened over a database with options has them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rowkey::migrate::{Conversion, Migration, Reading};
use rowkey::secondary::Primary;
use rowkey::store::{CallOptions, Cancel, Database, Metered, Store};
use rowkey::wide::{CellsDatabase, FamilySchema, TableSchema, WideDatabase};
use rowkey::{Memory, Table, WideTable};
use rowkey_fjall::{Durability, Fjall};

use crate::bounds::{Db, engines};

fn some_options() -> [CallOptions; 5] {
    let hour = Duration::from_secs(3600);
    [
        CallOptions::new(),
        CallOptions::new().timeout(hour),
        CallOptions::new().deadline(Instant::now() + hour),
        CallOptions::new().cancel(&Cancel::new()),
        CallOptions::new().timeout(hour).deadline(Instant::now() + hour).cancel(&Cancel::new()),
    ]
}

#[test]
fn options_are_kept_by_all_that_is_opened() {
    for engine in engines("kept") {
        for options in some_options() {
            let db: Db = engine.db.with_options(&options);
            assert_eq!(db.options(), &options, "{}", engine.name);
            let store = db.table("t").unwrap();
            assert_eq!(store.options(), &options, "{}", engine.name);
            assert_eq!(store.with_options(CallOptions::none()).options(), CallOptions::none());
            let table = Table::<u8, i64, _>::open(db.clone(), "table").unwrap();
            assert_eq!(table.options(), &options, "{}", engine.name);

            let wide = CellsDatabase::new(db.clone());
            assert_eq!(wide.options(), &options);
            let schema = TableSchema::new().family("a", FamilySchema::new());
            assert_eq!(WideTable::<u8, _>::open(wide, "wide", &schema).unwrap().options(), &options);
            let wide = CellsDatabase::new(engine.db.clone()).with_options(&options);
            assert_eq!(WideTable::<u8, _>::open(&wide, "wide", &schema).unwrap().options(), &options);
            assert_eq!(wide.table("bytes", &schema).unwrap().options(), &options);

            let mut users = Primary::<u8, String, _>::open(db.clone(), "users").unwrap();
            users.secondary("users.by", |_: &u8, name: &String| [(name.clone(), ())]).unwrap();
            assert_eq!(users.table().options(), &options);
            let keys = Conversion::keys(|n: u8| (n,), |(n,)| n);
            let moving = Migration::<u8, i64, (u8,), i64, _>::open(db, "move", "old", "moved", keys).unwrap();
            let Ok(Reading::Old(old)) = moving.reading() else { panic!("it has just begun") };
            assert_eq!(old.options(), &options, "{}", engine.name);
        }
    }
}

#[test]
fn other_options_take_the_place_of_those_from_before() {
    let [none, first, .., second] = some_options();
    for engine in engines("replaced") {
        let db = engine.db.with_options(&first).with_options(&second);
        assert_eq!(db.options(), &second);
        let table = Table::<u8, i64, _>::open(db, "t").unwrap();
        assert_eq!(table.with_options(&none).options(), &none);
        assert_eq!(table.with_options(&first).options(), &first);
        assert_eq!(table.options(), &second, "{}", engine.name);
    }
}

/// What a handle is besides its options, it stays.
#[test]
fn a_handle_with_options_counts_and_syncs_as_before() {
    let metered = Metered::new(Memory::new());
    let before = metered.costs();
    let bounded = metered.with_options(&CallOptions::new().timeout(Duration::from_secs(60)));
    let table = Table::<u8, i64, _>::open(bounded, "t").unwrap();
    table.with_options(CallOptions::none()).put(&1, &1).unwrap();
    assert!((metered.costs() - before).cells_written > 0);

    let directory = std::env::temp_dir().join(format!("rowkey-bounds-synced-{}", std::process::id()));
    let db = Fjall::open(&directory).unwrap().durability(Durability::Synced);
    let bounded = db.with_options(&CallOptions::new().timeout(Duration::from_secs(60)));
    assert_eq!(bounded.id(), db.id());
    let table: Arc<dyn Store> = bounded.table("t").unwrap();
    table.write(rowkey::store::Batch::new().put("k", "v")).unwrap();
    assert_eq!(db.table("t").unwrap().get(b"k").unwrap().as_deref(), Some(&b"v"[..]));
    drop((db, bounded, table));
    std::fs::remove_dir_all(directory).unwrap();
}
