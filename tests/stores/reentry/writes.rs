//! The ways to write to a database, through handles of its own.

use std::ops::ControlFlow;
use std::sync::Arc;

use rowkey::ids::{BlockCounter, IdError};
use rowkey::jobs::{BulkLoad, ParallelScan};
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Batch, Database, Metered, Store, SubStore};
use rowkey::wide::{CellsDatabase, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, KeyRange, Table, WideTable, WriteBatch};

use crate::reentry::Db;

pub(crate) struct Write {
    pub(crate) name: &'static str,
    /// Whether it is there only with transactions.
    pub(crate) transaction: bool,
    pub(crate) run: fn(&Db) -> Result<(), Error>,
}

const fn write(name: &'static str, run: fn(&Db) -> Result<(), Error>) -> Write {
    Write { name, transaction: false, run }
}

const fn transaction(name: &'static str, run: fn(&Db) -> Result<(), Error>) -> Write {
    Write { name, transaction: true, run }
}

fn one() -> Batch {
    std::mem::take(Batch::new().put("written", "v"))
}

fn rows(db: &Db) -> Arc<dyn Store> {
    db.table("rows").unwrap()
}

fn numbers(db: &Db) -> Table<u64, u64, Db> {
    Table::open(Arc::clone(db), "numbers").unwrap()
}

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new())
}

fn other_migration(db: &Db) -> Migration<u64, u64, (u64, u64), u64, Db> {
    let keys = Conversion::keys(|key| (key, 0), |(key, _)| key);
    Migration::open(Arc::clone(db), "moving", "old", "new", keys).unwrap()
}

/// What the writes below open: an opening inside a closure makes no table.
pub(crate) fn make_tables(db: &Db) {
    let (_, _) = (rows(db), db.table("more").unwrap());
    numbers(db).put(&1, &0).unwrap();
    Primary::<u64, u64, _>::open(Arc::clone(db), "users").unwrap();
    other_migration(db);
    if db.guarantees().transactions {
        WideTable::<u64, _>::open(CellsDatabase::new(Arc::clone(db)), "wide", &schema()).unwrap();
    }
}

pub(crate) const WRITES: &[Write] = &[
    write("a put", |db| numbers(db).put(&1, &7)),
    write("a delete", |db| numbers(db).delete(&2)),
    write("an update", |db| numbers(db).update(&1, |n| n).map(drop)),
    write("a deletion of a prefix", |db| numbers(db).delete_rows(5..)),
    write("a load", |db| {
        numbers(db).bulk_load().threads(2).run([Ok((1, 7)), Ok((2, 7))]).map(drop).map_err(|error| error.source)
    }),
    write("a load of rows", |db| {
        let store = rows(db);
        BulkLoad::to_store(&store).run([Ok(("k", "v"))]).map(drop).map_err(|error| error.source)
    }),
    write("a put by the threads of a scan", |db| {
        let (db, all) = (Arc::clone(db), vec![KeyRange::all()]);
        let put = move |_| Box::new([numbers(&db).put(&1, &7)].into_iter()) as Box<dyn Iterator<Item = _> + Send>;
        ParallelScan::new(all, put).threads(1).run(|()| ControlFlow::<()>::Continue(())).map(drop)
    }),
    write("a batch", |db| rows(db).write(&one())),
    write("an increment", |db| rows(db).increment(b"counter", 1).map(drop)),
    write("a compare-and-write", |db| rows(db).compare_and_write(b"absent", None, None).map(drop)),
    write("a compare-and-write that does not hold", |db| {
        rows(db).compare_and_write(b"absent", Some(b"v"), None).map(drop)
    }),
    write("a deletion of ranges", |db| rows(db).delete_ranges(&[KeyRange::prefix("w")])),
    write("a deletion of all", |db| rows(db).delete_ranges(&[KeyRange::all()])),
    transaction("a transaction", |db| rows(db).transact(&mut |_| Ok(one()))),
    transaction("a transaction that writes nothing", |db| rows(db).transact(&mut |_| Ok(Batch::new()))),
    transaction("a transaction across tables", |db| db.transact(&["more", "rows"], &mut |_| Ok(vec![one()]))),
    write("a write across tables", |db| Database::write(db, &[("rows", &one()), ("more", &one())])),
    write("a batch of typed writes", |db| {
        let (mut batch, numbers) = (WriteBatch::new(), numbers(db));
        batch.put(&numbers, &1, &7)?.delete(&numbers, &2);
        batch.write(db)
    }),
    write("an opening of a table, and its drop", |db| {
        db.table("new")?;
        db.drop_table("new")
    }),
    write("an opening of a typed table, and its drop", |db| Table::<u64, u64, _>::open(db, "new.typed")?.drop_table()),
    write("a write that makes a table, and its drop", |db| {
        Database::write(db, &[("new.written", &one())])?;
        db.drop_table("new.written")
    }),
    write("a drop", |db| db.drop_table("more").and_then(|()| db.table("more").map(drop))),
    write("a write through another handle", |db| Metered::new(db).table("rows")?.write(&one())),
    write("a put of a primary row", |db| Primary::<u64, u64, _>::open(Arc::clone(db), "users")?.put(&2, &7)),
    write("an update of a primary row", |db| {
        Primary::<u64, u64, _>::open(Arc::clone(db), "users")?.update(&2, |n| n.or(Some(7))).map(drop)
    }),
    write("a put of a migrated row", |db| other_migration(db).put(&(1, 0), &7)),
    write("an update of a migrated row", |db| other_migration(db).update(&(1, 0), |n| n.or(Some(7))).map(drop)),
    write("a backfill", |db| {
        let moving = other_migration(db);
        // Where it is done already there is nothing to write.
        numbers(db).put(&1, &7)?;
        moving.backfill().run().map(drop)
    }),
    write("a number of a counter", |db| {
        match BlockCounter::new(rows(db), "block", 1).and_then(|counter| counter.next()) {
            Ok(_) => Ok(()),
            Err(IdError::Store(error)) => Err(error),
            Err(other) => panic!("{other}"),
        }
    }),
    transaction("a mutation of a wide row", |db| {
        let wide: WideTable<u64, _> = WideTable::open(CellsDatabase::new(Arc::clone(db)), "wide", &schema())?;
        wide.mutate(&1, &Mutation::new().put("f:q", "v"))
    }),
    transaction("an increment of a wide row", |db| {
        let wide: WideTable<u64, _> = WideTable::open(CellsDatabase::new(Arc::clone(db)), "wide", &schema())?;
        wide.increment(&1, "f:n", 1).map(drop)
    }),
    write("a write to a table that holds a database", |db| SubStore::new(rows(db)).table("inner")?.write(&one())),
];
