//! Batches of typed writes, and the databases that take them.

use std::sync::Arc;

use rowkey::store::{Database, Metered, SubStore};
use rowkey::wide::{CellsDatabase, OneColumn};
use rowkey::{Error, Memory, Table, WriteBatch};
use rowkey_fjall::Durability;

use crate::reentry::{Db, engines, fjall};

fn open<D: Database>(db: D) -> Table<u64, String, D> {
    Table::open(db, "rows").unwrap()
}

#[track_caller]
fn is_refused(answer: Result<(), Error>) {
    assert!(matches!(&answer, Err(Error::OtherDatabase { table }) if table == "rows"), "{answer:?}");
}

#[test]
fn a_batch_is_written_to_the_database_of_its_tables_alone() {
    let dbs: Vec<(&str, Db)> = engines().into_iter().chain(engines()).collect();
    for (at, (_, db)) in dbs.iter().enumerate() {
        let table = open(db);
        let mut batch = WriteBatch::new();
        batch.put(&table, &1, &"v".into()).unwrap();
        for (_, other) in dbs.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, other)| other) {
            let tables = other.tables().unwrap();
            is_refused(batch.write(other));
            assert_eq!(other.tables().unwrap(), tables, "nothing is made");
        }
        assert_eq!(table.get(&1).unwrap(), None);
        batch.write(db).unwrap();
        assert_eq!(table.get(&1).unwrap().as_deref(), Some("v"));
        table.drop_table().unwrap();
    }
}

#[test]
fn a_batch_over_two_databases_is_refused_by_both() {
    let (one, other) = (Memory::new(), Memory::new());
    let (here, there) = (open(&one), open(&other));
    let both = |deleted: bool| {
        let mut batch = WriteBatch::new();
        batch.put(&here, &1, &"v".into()).unwrap();
        match deleted {
            true => batch.delete(&there, &1),
            false => batch.put(&there, &1, &"v".into()).unwrap(),
        };
        assert_eq!(batch.len(), 2);
        batch
    };
    there.put(&1, &"before".into()).unwrap();
    for batch in [both(false), both(true)] {
        is_refused(batch.write(&one));
        is_refused(batch.write(&other));
        assert_eq!((here.count(..).unwrap(), there.get(&1).unwrap().as_deref()), (0, Some("before")));
    }
    let error = both(true).write(&one).unwrap_err().to_string();
    assert!(error.contains("table \"rows\" of another database"), "{error}");
    assert!(error.contains("one batch per database"), "{error}");
}

#[test]
fn all_handles_of_one_database_take_its_batches() {
    fn takes(tables_of: &(impl Database + ?Sized), db: &(impl Database + ?Sized)) {
        let table = open(tables_of);
        let mut batch = WriteBatch::new();
        batch.put(&table, &1, &"v".into()).unwrap();
        batch.write(db).unwrap();
        assert_eq!(table.get(&1).unwrap().as_deref(), Some("v"));
        table.delete(&1).unwrap();
    }
    let memory = Memory::new();
    let (boxed, metered): (Box<dyn Database>, _) = (Box::new(memory.clone()), Metered::new(memory.clone()));
    let shared: Arc<dyn Database> = Arc::new(memory.clone());
    let handles: [&dyn Database; 5] = [&memory, &&memory, &boxed, &shared, &metered];
    let fjall = fjall();
    let synced = fjall.durability(Durability::Synced);
    let on_disk: [&dyn Database; 2] = [&fjall, &synced];
    let beneath = memory.table("beneath").unwrap();
    let (sub, again) = (SubStore::new(Arc::clone(&beneath)), SubStore::new(beneath));
    let inside: [&dyn Database; 2] = [&sub, &again];
    let wide = CellsDatabase::new(Memory::new());
    let (column, again) = (OneColumn::database(wide.clone()), OneColumn::database(&wide));
    let columns: [&dyn Database; 2] = [&column, &again];
    for same in [&handles[..], &on_disk, &inside, &columns] {
        for tables_of in same {
            same.iter().for_each(|db| takes(*tables_of, *db));
        }
    }
}

/// Databases that are kept in one engine, beside each other and in each other.
#[test]
fn databases_in_one_engine_are_told_apart() {
    let memory = Memory::new();
    let table = |name: &str| memory.table(name).unwrap();
    let deep = SubStore::new(SubStore::new(table("a")).table("a").unwrap());
    let (a, b) = (SubStore::new(table("a")), SubStore::new(table("b")));
    let columns = OneColumn::database(CellsDatabase::new(memory.clone()));
    let dbs: [&dyn Database; 5] = [&memory, &a, &b, &deep, &columns];
    for (at, tables_of) in dbs.iter().enumerate() {
        let mut batch = WriteBatch::new();
        batch.put(&Table::<u64, String, _>::open(tables_of, "x").unwrap(), &1, &"v".into()).unwrap();
        for (other, db) in dbs.iter().enumerate() {
            assert_eq!(batch.write(*db).is_ok(), at == other, "the tables of {at}, written to {other}");
        }
        tables_of.drop_table("x").unwrap();
        tables_of.drop_table("rowkey.layouts").unwrap();
    }
}
