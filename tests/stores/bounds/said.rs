//! What an error says was written is true: each operation is stopped at each of its calls, before the call is carried
//! out and before its answer.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use futures_lite::future::block_on;
use rowkey::ids::NameIds;
use rowkey::migrate::{Conversion, Migration};
use rowkey::nonblocking::{AsyncTable, Blocking, BoxFuture, Unblock};
use rowkey::secondary::Primary;
use rowkey::store::{CallOptions, Database, NewTable, SubStore};
use rowkey::wide::{CellsDatabase, OneColumn};
use rowkey::{Error, ErrorKind, Memory, Table};
use rowkey_testkit::{Stopped, every};

use crate::bounds::operations::operations_of;
use crate::bounds::{Db, rows};

/// What goes on batch by batch: an error ends it where it is.
const BATCHES: [&str; 5] = ["bulk_load", "a bulk load of bytes", "purge", "Secondary::rebuild", "Migration::backfill"];

type Row = (String, Vec<u8>, Vec<u8>);

/// What is stopped: `over` a database with or without transactions.
#[derive(Clone, Copy)]
struct Engine {
    name: &'static str,
    transactions: bool,
    over: fn(Db) -> Db,
    /// At every which of its many calls an operation is stopped. The long run stops it at each.
    every: usize,
}

impl Engine {
    fn calls(self, index: usize) -> impl Iterator<Item = u32> {
        let every = every(self.every);
        (index % every..).step_by(every).map(|calls| calls as u32)
    }
}

const ENGINES: [Engine; 6] = [
    Engine { name: "no transactions", transactions: false, over: |db| db, every: 1 },
    Engine { name: "transactions", transactions: true, over: |db| db, every: 1 },
    Engine { name: "SubStore, no transactions", transactions: false, over: sub_tables, every: 3 },
    Engine { name: "SubStore", transactions: true, over: sub_tables, every: 3 },
    Engine {
        name: "OneColumn",
        transactions: true,
        over: |db| Arc::new(OneColumn::database(CellsDatabase::new(db))),
        every: 17,
    },
    Engine {
        name: "OneColumn, asynchronous",
        transactions: true,
        over: |db| {
            let wide = OneColumn::database(Unblock::in_place(CellsDatabase::new(db)));
            Arc::new(Blocking::on(wide, |call: BoxFuture<'static, ()>| drop(thread::spawn(|| block_on(call)))))
        },
        every: 41,
    },
];

fn sub_tables(db: Db) -> Db {
    Arc::new(SubStore::new(db.table("all").unwrap()))
}

/// All that a user sees, once all that will ever be done is done.
fn seen(memory: &Memory, engine: Engine) -> Vec<Row> {
    let db = (engine.over)(Arc::new(Stopped::new(Arc::new(memory.clone()), engine.transactions)));
    let names = db.tables().unwrap();
    let has = |name: &str| names.iter().any(|table| table == name);
    if has("moved") {
        // Whoever writes the row next completes what was committed, and takes a lock that is left.
        let keys = Conversion::keys(|n: u8| (n,), |(n,)| n);
        let moving = Migration::<u8, i64, (u8,), i64, _>::open(db.clone(), "move", "old", "moved", keys).unwrap();
        moving.lock_timeout(Duration::ZERO).update(&(1,), |n| n).unwrap();
    }
    let mut all = Vec::new();
    if has("users.by_name") {
        let mut users = Primary::<u8, String, _>::open(db.clone(), "users").unwrap().write_timeout(Duration::ZERO);
        let entries = |id: &u8, name: &String| [((name.clone(), *id), ())];
        let by_name = users.secondary("users.by_name", entries).unwrap();
        by_name.rebuild().run().unwrap();
        assert!(by_name.verify().run().unwrap().is_clean());
        all.extend(by_name.scan(..).map(|row| ("by_name".into(), format!("{:?}", row.unwrap().0).into(), Vec::new())));
    }
    if has("names") {
        let names: NameIds = NameIds::open(&db, "names", "kind").unwrap();
        all.extend(names.find("new").unwrap().map(|id| ("id".into(), id.to_vec(), Vec::new())));
    }
    let own = ["rowkey.migrations", "users.by_name"];
    all.extend(rows(&*db).into_iter().filter(|(table, ..)| !own.contains(&table.as_str())));
    all.extend(db.tables().unwrap().into_iter().map(|table| (table, Vec::new(), Vec::new())));
    all
}

/// An error of an operation that was stopped, what was there before, and what is there now.
struct Case<'c> {
    error: &'c Error,
    before: &'c [Row],
    now: &'c [Row],
}

impl Case<'_> {
    fn holds(&self) -> bool {
        match (self.error, self.error.kind()) {
            (Error::OutcomeUnknown { table, source }, _) => {
                self.now != self.before
                    && !table.is_empty()
                    && !table.contains("rowkey.")
                    && !source.to_string().contains("rowkey.")
            }
            (Error::Rows(failed), _) => failed.iter().all(|row| {
                let value = |rows: &[Row]| {
                    let is_same = |(table, key, _): &&Row| (table.as_str(), key.as_slice()) == (row.table(), row.key());
                    rows.iter().find(is_same).map(|(.., value)| value.clone())
                };
                row.error().kind() == ErrorKind::OutcomeUnknown || value(self.now) == value(self.before)
            }),
            (error, ErrorKind::Cancelled) => self.now == self.before && !error.to_string().contains("rowkey."),
            _ => false,
        }
    }
}

/// How many times operations were stopped with an unknown outcome, and without one.
#[derive(Default)]
struct Stops {
    unknown: u32,
    unwritten: u32,
}

impl Stops {
    /// Stops an operation before each of its calls, or after each. `false` if there is none of that number.
    fn of(&mut self, kind: usize, index: usize, engine: Engine, after: bool) -> bool {
        for calls in engine.calls(index) {
            let memory = Memory::new();
            let stopped = Stopped::new(Arc::new(memory.clone()), engine.transactions);
            let db = (engine.over)(Arc::new(stopped.clone()));
            let mut all = operations_of(kind, &db, &CallOptions::new().cancel(stopped.token()));
            if index >= all.len() {
                return false;
            }
            let operation = all.swap_remove(index);
            if !operation.writes || BATCHES.contains(&operation.name) {
                break;
            }
            let before = seen(&memory, engine);
            stopped.stop_after(calls, after);
            let answer = (operation.run)();
            if !stopped.has_stopped() {
                answer.unwrap();
                break;
            }
            let Err(error) = &answer else { continue };
            let now = seen(&memory, engine);
            let what = if before == now { "nothing is" } else { "something is" };
            let when = if after { "after" } else { "before" };
            let (name, kind) = (operation.name, error.kind());
            assert!(
                Case { error, before: &before, now: &now }.holds(),
                "{name} of {}, stopped {when} call {calls}: {what} written, and the error is {kind}: {error}",
                engine.name
            );
            *(if kind == ErrorKind::OutcomeUnknown { &mut self.unknown } else { &mut self.unwritten }) += 1;
        }
        true
    }
}

fn say_what_is_written(kind: usize) {
    for engine in ENGINES {
        let mut stops = Stops::default();
        for index in 0.. {
            if ![false, true].into_iter().all(|after| stops.of(kind, index, engine, after)) {
                break;
            }
        }
        let Stops { unknown, unwritten } = stops;
        assert!(unknown > 0 && unwritten > 0, "{unknown} and {unwritten} cases of {} say too little", engine.name);
    }
}

#[test]
fn errors_of_databases_say_what_is_written() {
    say_what_is_written(0);
}

#[test]
fn errors_of_tables_say_what_is_written() {
    say_what_is_written(1);
}

#[test]
fn errors_of_wide_tables_say_what_is_written() {
    say_what_is_written(2);
}

#[test]
fn errors_of_secondary_tables_say_what_is_written() {
    say_what_is_written(3);
}

#[test]
fn errors_of_migrations_say_what_is_written() {
    say_what_is_written(4);
}

#[test]
fn errors_of_ids_say_what_is_written() {
    say_what_is_written(5);
}

/// Tables of an asynchronous engine are opened by the same code, and once more for their handle.
#[test]
fn errors_of_opening_in_asynchronous_code_say_what_is_written() {
    type Opened = Result<(), Error>;
    let open = |db| -> Opened { block_on(AsyncTable::<u8, i64, _>::open(db, "new")).map(drop) };
    let create = |db| -> Opened { block_on(AsyncTable::<u8, i64, _>::create(db, "new", &NewTable::new())).map(drop) };
    let drop_table =
        |db| -> Opened { block_on(async { AsyncTable::<u8, i64, _>::open(db, "old").await?.drop_table().await }) };
    let (mut unknown, mut unwritten) = (0, 0);
    for (name, run) in [("open", &open as &dyn Fn(Unblock<Db>) -> Opened), ("create", &create), ("drop", &drop_table)] {
        for after in [false, true] {
            for calls in 0.. {
                let memory = Memory::new();
                let stopped = Stopped::new(Arc::new(memory.clone()), false);
                let db: Db = Arc::new(stopped.clone());
                Table::<u8, i64, _>::open(&db, "old").unwrap();
                let before = seen(&memory, ENGINES[0]);
                stopped.stop_after(calls, after);
                let db: Db = db.with_options(&CallOptions::new().cancel(stopped.token()));
                let answer = run(Unblock::in_place(db));
                if !stopped.has_stopped() {
                    answer.unwrap();
                    break;
                }
                let Err(error) = &answer else { continue };
                let now = seen(&memory, ENGINES[0]);
                let case = Case { error, before: &before, now: &now };
                assert!(case.holds(), "{name}, after: {after}, call {calls}: {error:?}");
                *(if error.kind() == ErrorKind::OutcomeUnknown { &mut unknown } else { &mut unwritten }) += 1;
            }
        }
    }
    assert!(unknown > 0 && unwritten > 0, "{unknown} and {unwritten} cases say too little");
}
