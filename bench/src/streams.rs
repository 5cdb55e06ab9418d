//! Scans as streams: what the thread pool costs over the same scan in the caller's thread, and what polling costs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use futures_lite::future::block_on;
use rowkey::nonblocking::{AsyncDatabase, AsyncTable, Unblock};
use rowkey::store::Database;
use rowkey::{Memory, OwnedKey, Table};
use rowkey_fjall::Fjall;

use crate::keys::{Salted, Values};
use crate::measure::{Bench, OURS, Work};

const SYNC: &str = "the synchronous scan";

pub fn measure(bench: &mut Bench) {
    const POOL: &str = "stream through the pool, typed rows";
    const POOL_FJALL: &str = "stream through the pool, fjall, typed rows";
    const READY: &str = "ready stream, salted, 16 buckets, typed rows";
    if ![POOL, POOL_FJALL, READY].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.size(1_000_000);
    let ints = Values::new().many(n, Values::ints);

    let memory = Memory::new();
    let plain = table(&memory, "plain", ints.iter().cloned());
    let salted = table(&memory, "salted", ints.iter().cloned().map(Salted::from));
    compare(bench, POOL, n, &plain, Unblock::new(memory.clone()), 1.25);
    compare(bench, READY, n, &salted, Unblock::in_place(memory.clone()), 1.11);

    let directory = tempfile::tempdir().unwrap();
    let fjall = Fjall::open(directory.path().join("db")).unwrap();
    let on_disk = table(&fjall, "plain", ints.iter().cloned());
    compare(bench, POOL_FJALL, n, &on_disk, Unblock::new(fjall.clone()), 1.25);
}

fn table<K, D>(db: &D, name: &str, keys: impl Iterator<Item = K>) -> Table<K, String, D>
where
    K: OwnedKey + Send + 'static,
    D: Database + Clone,
{
    let table: Table<K, String, D> = Table::open(db.clone(), name).unwrap();
    table.bulk_load().threads(1).run(keys.map(|key| Ok((key, "v".repeat(32))))).unwrap();
    table
}

/// Time by the wall: the pool's threads have clocks of their own.
fn compare<K: OwnedKey, D: Database>(
    bench: &mut Bench,
    name: &str,
    rows: usize,
    table: &Table<K, String, D>,
    db: impl AsyncDatabase,
    goal: f64,
) {
    let stream: AsyncTable<K, String, _> = block_on(AsyncTable::open(db, table.name())).unwrap();
    let streamed = || {
        wall(|| {
            block_on(async {
                let mut rows = stream.scan(..);
                while let Some(row) = rows.next().await {
                    black_box(row.unwrap());
                }
            });
        })
    };
    let scanned = || wall(|| table.scan(..).for_each(|row| _ = black_box(row.unwrap())));
    bench.measure(Work::new(name, rows).timed(OURS, streamed).timed(SYNC, scanned).goal(SYNC, goal));
}

fn wall(run: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    run();
    begun.elapsed()
}
