//! Every operation of what is built over a database.

use std::sync::Arc;

use rowkey::ids::{BlockCounter, IdError, NameIds};
use rowkey::jobs::{BulkLoad, ParallelScan};
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::{Primary, Secondary};
use rowkey::splits::{Splits, Weight};
use rowkey::store::{CallOptions, Database, Store};
use rowkey::wide::{CellsDatabase, Column, Columns, Condition, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, KeyRange, Table, WideTable, WriteBatch, catalog};

use crate::bounds::Db;

pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) writes: bool,
    pub(crate) run: Box<dyn Fn() -> Result<(), Error> + Send + Sync>,
}

#[derive(Default)]
struct Operations(Vec<Operation>);

impl Operations {
    fn add(&mut self, name: &'static str, writes: bool, run: impl Fn() -> Result<(), Error> + Send + Sync + 'static) {
        self.0.push(Operation { name, writes, run: Box::new(run) });
    }

    fn reads(&mut self, name: &'static str, run: impl Fn() -> Result<(), Error> + Send + Sync + 'static) {
        self.add(name, false, run);
    }

    fn writes(&mut self, name: &'static str, run: impl Fn() -> Result<(), Error> + Send + Sync + 'static) {
        self.add(name, true, run);
    }
}

fn of_ids(error: IdError) -> Error {
    match error {
        IdError::Store(error) => error,
        other => panic!("{other}"),
    }
}

/// The kinds of operations.
const KINDS: [fn(&Db, &CallOptions, &mut Operations); 6] =
    [databases, tables, wide_tables, secondary_tables, migrations, ids];

/// Operations by handles with these options. What they need is there already, and was opened over `db` as it is.
pub(crate) fn operations(db: &Db, options: &CallOptions) -> Vec<Operation> {
    (0..KINDS.len()).flat_map(|kind| operations_of(kind, db, options)).collect()
}

/// The operations of one kind, counted from 0; none if there are not so many.
pub(crate) fn operations_of(kind: usize, db: &Db, options: &CallOptions) -> Vec<Operation> {
    let mut all = Operations::default();
    KINDS.iter().skip(kind).take(1).for_each(|of_kind| of_kind(db, options, &mut all));
    all.0
}

fn databases(db: &Db, options: &CallOptions, all: &mut Operations) {
    let with = |run: fn(&Db) -> Result<(), Error>| {
        let (db, options) = (db.clone(), options.clone());
        move || run(&db.with_options(&options))
    };
    Table::<(u8, u8), i64, _>::open(db, "renamed").unwrap();
    all.writes("Table::open", with(|db| Table::<u16, i64, _>::open(db, "new").map(drop)));
    all.writes("Primary::open", with(|db| Primary::<u16, i64, _>::open(db.clone(), "new").map(drop)));
    all.writes("change_codec", with(|db| catalog::change_codec::<u64>(db, "renamed")));
    let rows = [1, 2].map(|n| Table::<u8, i64, _>::open(db.clone(), &format!("rows {n}")).unwrap());
    all.writes("a batch across tables", {
        let db = db.with_options(options);
        move || {
            let mut batch = WriteBatch::new();
            for table in &rows {
                batch.put(table, &9, &9)?;
            }
            batch.write(&db)
        }
    });
    all.reads("a list of tables", with(|db| db.tables().map(drop)));
}

fn tables(db: &Db, options: &CallOptions, all: &mut Operations) {
    let plain = Table::<u8, i64, _>::open(db.clone(), "rows").unwrap();
    (0..9).for_each(|n| plain.put(&n, &i64::from(n)).unwrap());
    let table = plain.with_options(options);
    assert_eq!(table.options(), options);
    let with = |run: fn(&Table<u8, i64, Db>) -> Result<(), Error>| {
        let table = table.clone();
        move || run(&table)
    };
    all.reads("get", with(|table| table.get(&1).map(drop)));
    all.reads("get_many", with(|table| table.get_many([1, 2]).map(drop)));
    all.reads("scan", with(|table| table.scan(..).try_for_each(|row| row.map(drop))));
    all.reads("keys", with(|table| table.keys(..).try_for_each(|key| key.map(drop))));
    all.reads("first", with(|table| table.first(..).map(drop)));
    all.reads("last", with(|table| table.last(..).map(drop)));
    all.reads("first_at_or_after", with(|table| table.first_at_or_after(&2).map(drop)));
    all.reads("count", with(|table| table.count(..).map(drop)));
    all.reads("page", with(|table| table.scan(..).batch_rows(1).page(3).map(drop)));
    all.reads(
        "first_of_each",
        with(|table| table.scan(..).first_of_each(|n| *n..=*n).try_for_each(|row| row.map(drop))),
    );
    all.reads(
        "a parallel scan",
        with(|table| {
            let splits = Splits::new([[3], [6]]).unwrap();
            table.scan(..).parallel(&splits).threads(2).start().try_for_each(|rows| rows.map(drop))
        }),
    );
    all.reads(
        "a parallel scan of bytes",
        with(|table| {
            let ranges = vec![KeyRange::all()];
            ParallelScan::rows(table.store().clone(), ranges).start().try_for_each(|rows| rows.map(drop))
        }),
    );
    all.reads(
        "split points",
        with(|table| match Splits::from_store(2, table.store(), &KeyRange::all(), Weight::Rows) {
            Err(rowkey::splits::SplitsError::Store(error)) => Err(error),
            other => other.map(drop).map_err(Error::engine),
        }),
    );
    all.writes("put", with(|table| table.put(&1, &7)));
    all.writes("delete", with(|table| table.delete(&1)));
    all.writes("delete_rows", with(|table| table.delete_rows(1..2)));
    all.writes("update", with(|table| table.update(&1, |n| Some(n.unwrap_or(0) + 1)).map(drop)));
    all.writes("increment", with(|table| table.increment(&1, 1).map(drop)));
    all.writes(
        "bulk_load",
        with(|table| {
            table.bulk_load().threads(2).run((0..9).map(|n| Ok((n, 1)))).map(drop).map_err(|error| error.source)
        }),
    );
    all.writes(
        "a bulk load of bytes",
        with(|table| {
            let rows = (1..9_u8).map(|n| Ok(([n], [0; 8])));
            BulkLoad::to_store(table.store()).run(rows).map(drop).map_err(|error| error.source)
        }),
    );
    let dropped = Table::<u8, i64, _>::open(db.clone(), "dropped").unwrap().with_options(options);
    all.writes("drop_table", move || dropped.clone().drop_table());
}

type Wide = WideTable<u8, CellsDatabase<Db>>;

fn wide_tables(db: &Db, options: &CallOptions, all: &mut Operations) {
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let plain = WideTable::<u8, _>::open(CellsDatabase::new(db.clone()), "wide", &schema).unwrap();
    for at in 1..4 {
        plain.mutate(&1, &Mutation::new().put_at("a:q", at, "v")).unwrap();
    }
    let table = plain.with_options(options);
    assert_eq!(table.options(), options);
    let with = |run: fn(&Wide) -> Result<(), Error>| {
        let table = table.clone();
        move || run(&table)
    };
    all.reads("wide get", with(|table| table.get(&1, &Columns::all()).map(drop)));
    all.reads("wide get_many", with(|table| table.get_many([1, 2], &Columns::all()).map(drop)));
    all.reads("wide exists", with(|table| table.exists(&1).map(drop)));
    all.reads("wide scan", with(|table| table.scan(.., Columns::all()).try_for_each(|row| row.map(drop))));
    all.reads("wide count", with(|table| table.count(..).map(drop)));
    all.reads("wide first_at_or_after", with(|table| table.first_at_or_after(&1, Columns::all()).map(drop)));
    all.reads("wide page", with(|table| table.scan(.., Columns::all()).page(3).map(drop)));
    all.writes("wide mutate", with(|table| table.mutate(&1, &Mutation::new().put("a:q", "w"))));
    all.writes("wide mutate with timestamps", with(|table| table.mutate(&1, &Mutation::new().put_at("a:q", 9, "w"))));
    all.writes("wide delete", with(|table| table.delete(&1)));
    let many = |table: &WideTable<u8, _>| table.mutate_many([(1, Mutation::new().put("a:q", "w"))]);
    all.writes("wide mutate_many", with(many));
    all.writes("purge", with(|table| table.purge().run().map(drop)));
    if db.guarantees().transactions {
        all.writes("wide increment", with(|table| table.increment(&1, "a:n", 1).map(drop)));
        all.writes(
            "wide check_and_mutate",
            with(|table| {
                let check = Condition::absent(Column::from("a:none"));
                table.check_and_mutate(&1, &check, &Mutation::new().put("a:q", "w")).map(drop)
            }),
        );
    }
    let (db, options) = (db.clone(), options.clone());
    let wide = move || CellsDatabase::new(db.with_options(&options));
    let (open, alter, rename) = (wide.clone(), wide.clone(), wide);
    let of = schema.clone();
    all.writes("WideTable::open", move || WideTable::<u8, _>::open(open(), "wide.new", &of).map(drop));
    let more = schema.family("a", FamilySchema::new().max_versions(2));
    all.writes("WideTable::alter", move || WideTable::<u8, _>::alter(&alter(), "wide", &more).map(drop));
    all.reads("WideTable::rename_field", move || {
        match WideTable::<u8, _>::rename_field(&rename(), "wide", "none", "any") {
            Err(Error::Fields { .. }) => Ok(()),
            other => other,
        }
    });
}

type Users = Primary<u8, String, Db>;

fn secondary_tables(db: &Db, options: &CallOptions, all: &mut Operations) {
    let mut plain = Users::open(db.clone(), "users").unwrap();
    let by_name = plain.secondary("users.by_name", |id: &u8, name: &String| [((name.clone(), *id), ())]).unwrap();
    for id in 1..4 {
        plain.put(&id, &format!("name {id}")).unwrap();
    }
    let users = Arc::new(plain.with_options(options));
    assert_eq!(users.table().options(), options);
    let with = |run: fn(&Users) -> Result<(), Error>| {
        let users = Arc::clone(&users);
        move || run(&users)
    };
    all.reads("Primary::get", with(|users| users.get(&1).map(drop)));
    all.writes("Primary::put", with(|users| users.put(&1, &"new".into())));
    all.writes("Primary::delete", with(|users| users.delete(&1)));
    all.writes("Primary::update", with(|users| users.update(&1, |_| Some("other".into())).map(drop)));
    all.writes("Primary::delete_rows", with(|users| users.delete_rows(1..)));
    all.writes("Primary::batch", with(|users| users.batch().delete(&2).put(&3, &"new".into())?.write()));
    type ByName = Secondary<(String, u8), (), u8, String, Db>;
    let by_name = by_name.with_options(options);
    let of = |run: fn(&ByName) -> Result<(), Error>| {
        let by_name = by_name.clone();
        move || run(&by_name)
    };
    all.reads("Secondary::get", of(|by_name| by_name.get(&("name 1".into(), 1)).map(drop)));
    all.reads("Secondary::get_row", of(|by_name| by_name.get_row(&("name 1".into(), 1)).map(drop)));
    all.reads("Secondary::scan", of(|by_name| by_name.scan(..).try_for_each(|row| row.map(drop))));
    all.reads("Secondary::page", of(|by_name| by_name.scan_rows(..).page(2).map(drop)));
    let verify = |by_name: &ByName| by_name.verify().run().map(drop);
    // With transactions each batch is one.
    all.add("Secondary::verify", db.guarantees().transactions, of(verify));
    let rebuild = |by_name: &ByName| by_name.rebuild().run().map(drop);
    all.add("Secondary::rebuild", db.guarantees().transactions, of(rebuild));
}

type Moving = Migration<u8, i64, (u8,), i64, Db>;

fn migrations(db: &Db, options: &CallOptions, all: &mut Operations) {
    let old = Table::<u8, i64, _>::open(db.clone(), "old").unwrap();
    old.put(&1, &1).unwrap();
    let open = |db: &Db| Moving::open(db.clone(), "move", "old", "moved", Conversion::keys(|n| (n,), |(n,)| n));
    let moving = Arc::new(open(db).unwrap().with_options(options));
    let with = |run: fn(&Moving) -> Result<(), Error>| {
        let moving = Arc::clone(&moving);
        move || run(&moving)
    };
    all.reads("Migration::phase", with(|moving| moving.phase().map(drop)));
    all.reads("Migration::get", with(|moving| moving.get(&(1,)).map(drop)));
    all.reads("Migration::reading", with(|moving| moving.reading().map(drop)));
    all.writes("Migration::put", with(|moving| moving.put(&(1,), &2)));
    all.writes("Migration::delete", with(|moving| moving.delete(&(1,))));
    all.writes("Migration::update", with(|moving| moving.update(&(1,), |_| Some(3)).map(drop)));
    all.writes("Migration::increment", with(|moving| moving.update(&(1,), |n| n.map(|n| n + 1)).map(drop)));
    all.writes("Migration::backfill", with(|moving| moving.backfill().run().map(drop)));
    let (db, options) = (db.clone(), options.clone());
    all.reads("Migration::open", move || open(&db.with_options(&options)).map(drop));
}

fn ids(db: &Db, options: &CallOptions, all: &mut Operations) {
    let store = db.table("counters").unwrap();
    let counter = BlockCounter::new(store.with_options(options), "n", 1).unwrap();
    all.writes("BlockCounter::next", move || counter.next().map(drop).map_err(of_ids));
    NameIds::<3>::open(db, "names", "kind").unwrap();
    let (db, options) = (db.clone(), options.clone());
    all.writes("NameIds::id", move || {
        let names: NameIds = NameIds::open(&db.with_options(&options), "names", "kind").map_err(of_ids)?;
        names.id("new").map(drop).map_err(of_ids)
    });
}
