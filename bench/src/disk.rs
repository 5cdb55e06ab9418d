//! The engine on disk beside itself, used by hand: what keys, tables and the store's promises cost.

use std::hint::black_box;

use fjall::KeyspaceCreateOptions;
use rowkey::store::Fjall;
use rowkey::{OwnedKey, RowKey, Table, WriteBatch};

use crate::keys::{Ints, Salted, Values};
use crate::measure::{Bench, OURS, Work};
use crate::scans::lent;

const BY_FJALL: &str = "fjall itself";
const UNSALTED: &str = "unsalted";
const BATCH: usize = 1000;

pub fn measure(bench: &mut Bench) {
    const SCAN: &str = "fjall: scan, typed keys from lent rows";
    const SALTED: &str = "fjall: scan, salted, 16 buckets, typed keys from lent rows";
    const PUT: &str = "fjall: put";
    const BATCHES: &str = "fjall: batch of 1,000";
    if ![SCAN, SALTED, PUT, BATCHES].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.size(1_000_000);
    let ints = Values::new().many(n, Values::ints);
    let value = "v".repeat(32);
    let directory = tempfile::tempdir().unwrap();
    let db = Fjall::open(directory.path().join("ours")).unwrap();
    let plain: Table<Ints, String, Fjall> = table(&db, "plain", ints.iter().cloned(), &value);
    let salted: Table<Salted, String, Fjall> = table(&db, "salted", ints.iter().cloned().map(Salted::from), &value);
    let raw = fjall::Database::builder(directory.path().join("raw")).open().unwrap();
    let keyspace = raw.keyspace("plain", KeyspaceCreateOptions::default).unwrap();
    for part in ints.chunks(BATCH) {
        let mut batch = raw.batch();
        part.iter().for_each(|key| batch.insert(&keyspace, key.encode(), value.as_str()));
        batch.commit().unwrap();
    }

    bench.measure(
        Work::new(SCAN, n)
            .run(OURS, || lent(&plain))
            .run(BY_FJALL, || {
                for row in keyspace.iter() {
                    black_box(row.into_inner().unwrap());
                }
            })
            .goal(BY_FJALL, 1.15),
    );
    bench.measure(Work::new(SALTED, n).run(OURS, || lent(&salted)).run(UNSALTED, || lent(&plain)).goal(UNSALTED, 1.5));

    let some = &ints[..bench.size(10_000)];
    bench.measure(
        Work::new(PUT, some.len())
            .run(OURS, || some.iter().for_each(|key| plain.put(key, &value).unwrap()))
            .run(BY_FJALL, || some.iter().for_each(|key| keyspace.insert(key.encode(), value.as_str()).unwrap()))
            .goal(BY_FJALL, 1.1),
    );
    bench.measure(
        Work::new(BATCHES, some.len())
            .run(OURS, || put_all(&db, &plain, some.iter(), &value))
            .run(BY_FJALL, || {
                for part in some.chunks(BATCH) {
                    let mut batch = raw.batch();
                    part.iter().for_each(|key| batch.insert(&keyspace, key.encode(), value.as_str()));
                    batch.commit().unwrap();
                }
            })
            .goal(BY_FJALL, 1.1),
    );
}

fn table<K: OwnedKey>(
    db: &Fjall,
    name: &str,
    keys: impl Iterator<Item = K>,
    value: &String,
) -> Table<K, String, Fjall> {
    let table = Table::open(db.clone(), name).unwrap();
    let keys: Vec<K> = keys.collect();
    put_all(db, &table, keys.iter(), value);
    table
}

fn put_all<'k, K: OwnedKey + 'k>(
    db: &Fjall,
    table: &Table<K, String, Fjall>,
    keys: impl ExactSizeIterator<Item = &'k K>,
    value: &String,
) {
    let mut batch = WriteBatch::new();
    let last = keys.len().wrapping_sub(1);
    for (n, key) in keys.enumerate() {
        batch.put(table, key, value).unwrap();
        if n % BATCH == BATCH - 1 || n == last {
            std::mem::take(&mut batch).write(db).unwrap();
        }
    }
}
