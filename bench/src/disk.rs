//! The engine on disk beside itself, used by hand: what keys, tables and the store's promises cost.

use std::hint::black_box;
use std::path::Path;

use fjall::{Keyspace, KeyspaceCreateOptions, PersistMode};
use redb::{ReadableDatabase, ReadableTable};
use rowkey::store::Database;
use rowkey::{OwnedKey, RowKey, Table, WriteBatch};
use rowkey_fjall::{Durability, Fjall};

use crate::keys::{Ints, Salted, Values};
use crate::measure::{Bench, OURS, Work, timed};
use crate::scans::lent;

const BY_FJALL: &str = "fjall itself";
const UNSALTED: &str = "unsalted";
const BATCH: usize = 1000;
/// A peer of the engine, not of ours: it has one file, and syncs every commit.
const BY_REDB: &str = "redb";
const REDB: redb::TableDefinition<&[u8], &[u8]> = redb::TableDefinition::new("rows");

pub fn measure(bench: &mut Bench) {
    let value = "v".repeat(32);
    writes(bench, &value);
    scans(bench, &value);
}

/// Each run writes to a table that is new: what stands in memory is a good part of what a write costs.
fn writes(bench: &mut Bench, value: &String) {
    const PUT: &str = "fjall: put";
    const BATCHES: &str = "fjall: batch of 1,000";
    const SYNCED: &str = "fjall: batch of 1,000, on the disk before it is answered";
    if ![PUT, BATCHES, SYNCED].iter().any(|name| bench.wants(name)) {
        return;
    }
    let keys = Values::new().many(bench.size(20_000), Values::ints);
    let directory = tempfile::tempdir().unwrap();
    let db = Fjall::open(directory.path().join("ours")).unwrap();
    let raw = fjall::Database::builder(directory.path().join("theirs")).open().unwrap();
    let ours_to_a_new_table = |write: &dyn Fn(&Table<Ints, String, Fjall>)| {
        db.drop_table("new").unwrap();
        let table = Table::open(db.clone(), "new").unwrap();
        timed(|| write(&table)).0
    };
    let theirs_to_a_new_table = |write: &dyn Fn(&Keyspace)| {
        raw.delete_keyspace(keyspace(&raw, "new")).unwrap();
        let keyspace = keyspace(&raw, "new");
        timed(|| write(&keyspace)).0
    };
    let put_all_by_fjall = |keyspace: &Keyspace, mode| {
        for part in keys.chunks(BATCH) {
            let mut batch = raw.batch().durability(Some(mode));
            part.iter().for_each(|key| batch.insert(keyspace, key.encode(), value.as_str()));
            batch.commit().unwrap();
        }
    };
    bench.measure(
        Work::new(PUT, keys.len())
            .passes(5)
            .timed(OURS, || ours_to_a_new_table(&|table| keys.iter().for_each(|key| table.put(key, value).unwrap())))
            .timed(BY_FJALL, || {
                theirs_to_a_new_table(&|keyspace| {
                    keys.iter().for_each(|key| keyspace.insert(key.encode(), value.as_str()).unwrap());
                })
            })
            .goal(BY_FJALL, 1.1),
    );
    let synced = db.durability(Durability::Synced);
    let redb = redb::Database::create(directory.path().join("redb")).unwrap();
    bench.measure(
        Work::new(SYNCED, keys.len())
            .passes(5)
            .timed(OURS, || ours_to_a_new_table(&|table| put_all(&synced, table, &keys, value)))
            .timed(BY_FJALL, || theirs_to_a_new_table(&|keyspace| put_all_by_fjall(keyspace, PersistMode::SyncData)))
            .timed(BY_REDB, || {
                let start = redb.begin_write().unwrap();
                start.delete_table(REDB).unwrap();
                start.commit().unwrap();
                timed(|| put_all_by_redb(&redb, &keys, value)).0
            })
            .goal(BY_FJALL, 1.1),
    );
    bench.measure(
        Work::new(BATCHES, keys.len())
            .passes(5)
            .timed(OURS, || ours_to_a_new_table(&|table| put_all(&db, table, &keys, value)))
            .timed(BY_FJALL, || theirs_to_a_new_table(&|keyspace| put_all_by_fjall(keyspace, PersistMode::Buffer)))
            .goal(BY_FJALL, 1.1),
    );
}

/// Every table lies in one sorted run, and the engine by itself gets the same files: what is in memory, and in how many
/// files the rest is, would else be half of what is measured.
fn scans(bench: &mut Bench, value: &String) {
    const SCAN: &str = "fjall: scan, typed keys from lent rows";
    const SALTED: &str = "fjall: scan, salted, 16 buckets, typed keys from lent rows";
    if ![SCAN, SALTED].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.size(1_000_000);
    let keys = Values::new().many(n, Values::ints);
    let directory = tempfile::tempdir().unwrap();
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    fill(&ours, "plain", &keys, value);
    fill(&ours, "salted", &keys.iter().cloned().map(Salted::from).collect::<Vec<_>>(), value);
    at_rest(&ours);
    copy(&ours, &theirs);

    let db = Fjall::open(&ours).unwrap();
    let plain: Table<Ints, String, Fjall> = Table::open(db.clone(), "plain").unwrap();
    let salted: Table<Salted, String, Fjall> = Table::open(db, "salted").unwrap();
    let raw = fjall::Database::builder(&theirs).open().unwrap();
    let by_fjall = |keyspace: &Keyspace| {
        for row in keyspace.iter() {
            black_box(row.into_inner().unwrap());
        }
    };
    let (plain_keyspace, salted_keyspace) = (keyspace(&raw, "=plain"), keyspace(&raw, "=salted"));
    let redb = redb::Database::create(directory.path().join("redb")).unwrap();
    put_all_by_redb(&redb, &keys, value);
    let by_redb = || {
        for row in redb.begin_read().unwrap().open_table(REDB).unwrap().iter().unwrap() {
            black_box(row.unwrap());
        }
    };
    bench.measure(
        Work::new(SCAN, n)
            .passes(3)
            .run(OURS, || lent(&plain))
            .run(BY_FJALL, || by_fjall(&plain_keyspace))
            .run(BY_REDB, by_redb)
            .goal(BY_FJALL, 1.15),
    );
    bench.measure(
        Work::new(SALTED, n)
            .run(OURS, || lent(&salted))
            .run(UNSALTED, || lent(&plain))
            .run("fjall itself, bucket by bucket", || by_fjall(&salted_keyspace))
            .goal(UNSALTED, 1.5),
    );
}

fn keyspace(db: &fjall::Database, name: &str) -> Keyspace {
    db.keyspace(name, KeyspaceCreateOptions::default).unwrap()
}

fn fill<K: OwnedKey>(path: &Path, name: &str, keys: &[K], value: &String) {
    let db = Fjall::open(path).unwrap();
    let table: Table<K, String, Fjall> = Table::open(db.clone(), name).unwrap();
    put_all(&db, &table, keys, value);
}

fn put_all<K: OwnedKey>(db: &Fjall, table: &Table<K, String, Fjall>, keys: &[K], value: &String) {
    for part in keys.chunks(BATCH) {
        let mut batch = WriteBatch::new();
        part.iter().for_each(|key| _ = batch.put(table, key, value).unwrap());
        batch.write(db).unwrap();
    }
}

fn put_all_by_redb(db: &redb::Database, keys: &[Ints], value: &str) {
    for part in keys.chunks(BATCH) {
        let batch = db.begin_write().unwrap();
        {
            let mut table = batch.open_table(REDB).unwrap();
            part.iter().for_each(|key| _ = table.insert(&*key.encode(), value.as_bytes()).unwrap());
        }
        batch.commit().unwrap();
    }
}

fn at_rest(path: &Path) {
    let db = fjall::Database::builder(path).open().unwrap();
    for name in db.list_keyspace_names() {
        let keyspace = keyspace(&db, &name);
        keyspace.rotate_memtable_and_wait().unwrap();
        keyspace.major_compact().unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
