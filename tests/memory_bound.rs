//! What scans and loads hold in memory, measured: about the bytes that they are asked for, and a row for each batch,
//! however large the rows are.
//!
//! The allocator counts a buffer that grows twice, as it was and as it will be, so a limit has room for one batch more.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_lite::StreamExt;
use futures_lite::future::block_on;
use peak_alloc::PeakAlloc;
use rowkey::jobs::{BulkLoad, ParallelScan};
use rowkey::merge::MergedRows;
use rowkey::migrate::{Conversion, Migration};
use rowkey::nonblocking::{AsyncDatabase, AsyncStore, AsyncTable, Blocking, Unblock};
use rowkey::secondary::Primary;
use rowkey::store::{
    Batch, CallOptions, Database, Guarantees, Readable, RowBatch, Rows, Scan, Store, SubStore, TableId,
};
use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, OneColumn, TableSchema, WideStore};
use rowkey::{Error, KeyRange, Memory, RowKey, Table};
use rowkey_fjall::FjallOptions;
use rowkey_testkit::{Restrict, Slow, cases};
use tokio::runtime::Builder;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Whatever else a test and its harness take.
const SLACK: usize = 128 << 10;
const BUCKETS: u8 = 16;

/// One test at a time: the memory is that of the process.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How much memory is taken at most, beyond what is taken when it begins.
fn peak(run: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    run();
    MEMORY.peak_usage() - before
}

#[track_caller]
fn within(what: &str, peak: usize, limit: usize) {
    assert!(peak <= limit + SLACK, "{what}: {peak} bytes are held, which should be {limit} at most");
}

/// What a scan may hold that has so many batches, the largest row being so large.
fn limit(bytes: usize, batches: usize, row: usize) -> usize {
    bytes + batches * row + bytes / batches + row
}

/// Few large rows and many small ones.
fn rows() -> [(u16, usize); 2] {
    [(8, 256 << 10), (cases(100, 300) as u16, 1000)]
}
const BOUNDS: [usize; 2] = [1, 384 << 10];

fn key(bucket: u8, row: u16) -> [u8; 3] {
    let [high, low] = row.to_be_bytes();
    [bucket, high, low]
}

/// A table of 16 buckets.
fn filled(table: Arc<dyn Store>, rows: u16, size: usize) -> Arc<dyn Store> {
    let value = vec![7; size];
    for (bucket, row) in (0..BUCKETS).flat_map(|bucket| (0..rows).map(move |row| (bucket, row))) {
        table.write(Batch::new().put(key(bucket, row), &value)).unwrap();
    }
    table
}

fn read_all(rows: &mut dyn Rows) -> usize {
    let (mut batch, mut all) = (RowBatch::new(), 0);
    loop {
        rows.next_batch(&mut batch).unwrap();
        match batch.len() {
            0 => return all,
            more => all += more,
        }
    }
}

fn buckets() -> impl Iterator<Item = Vec<KeyRange>> {
    (0..BUCKETS).map(|bucket| vec![KeyRange::prefix([bucket])])
}

/// Every way to scan a table; `own` is what the engine takes for a scan of its own: for one, and for one of each
/// bucket.
fn scans(engine: &str, store: &Arc<dyn Store>, rows: u16, size: usize, own: impl Fn(&dyn Fn(&Scan), Scan) -> usize) {
    let (row, all) = (size + 3, usize::from(rows) * usize::from(BUCKETS));
    let merged = |scan: &Scan| MergedRows::open(&**store, scan, buckets(), 1);
    for (bytes, reverse) in BOUNDS.into_iter().flat_map(|bytes| [(bytes, false), (bytes, true)]) {
        let what = |way: &str| format!("{engine}, rows of {size}, {way}, {bytes} bytes, reverse: {reverse}");
        let scan = Scan::all().reverse(reverse).batch_rows(usize::MAX).batch_bytes(bytes);
        let check = |way: &str, batches: usize, run: &dyn Fn(&Scan)| {
            let limit =
                limit(bytes, batches, row) + own(run, Scan::all().reverse(reverse).batch_rows(1).batch_bytes(1));
            within(&what(way), peak(|| run(&scan)), limit);
        };
        check("plain", 1, &|scan| assert_eq!(read_all(&mut *store.scan(scan)), all));
        check("skips", 1, &|scan| {
            let mut open = store.scan(scan);
            let mut batch = RowBatch::new();
            for bucket in 0..BUCKETS {
                open.skip_to(&key(if reverse { BUCKETS - 1 - bucket } else { bucket }, rows / 2));
                open.next_batch(&mut batch).unwrap();
                assert!(!batch.is_empty());
            }
        });
        let batches = usize::from(BUCKETS) + 1;
        check("salted, by rows", batches, &|scan| {
            let mut merged = merged(scan);
            let mut seen = 0;
            while merged.next_row().unwrap().is_some() {
                seen += 1;
            }
            assert_eq!(seen, all);
        });
        check("salted, by batches", batches, &|scan| assert_eq!(read_all(&mut merged(scan)), all));
        check("salted, read ahead", 3 * usize::from(BUCKETS) + 1, &|scan| {
            // Scans that wait are read ahead.
            let slow = Restrict::store(Arc::clone(store), store.guarantees().slow_scans(true));
            assert_eq!(read_all(&mut MergedRows::open(&slow, scan, buckets(), 1)), all);
        });
        if !reverse {
            let ahead = 3;
            check("parallel", 2 * (2 * ahead + 2), &|scan| {
                let ranges = buckets().flatten().collect();
                let parallel = ParallelScan::rows(Arc::clone(store), ranges).threads(2).ahead(ahead);
                // Each thread holds so much.
                let parallel = parallel.batch_bytes(scan.batch_bytes / 2);
                assert_eq!(parallel.start().map(|batch| batch.unwrap().len()).sum::<usize>(), all);
            });
        }
    }
}

#[test]
fn scans_of_memory() {
    let _turn = turn();
    for (rows, size) in rows() {
        let store = filled(Memory::new().table("t").unwrap(), rows, size);
        scans("memory", &store, rows, size, |_, _| 0);
    }
}

/// What fjall reads and caches for a scan is its own: what it takes when the scan is read by single rows, twice, as it
/// need not come at the same moment.
#[test]
fn scans_of_fjall() {
    let _turn = turn();
    for (rows, size) in rows() {
        let directory = tempfile::tempdir().unwrap();
        let database = FjallOptions::new().cache_bytes(0).open(directory.path().join("db")).unwrap();
        let store = filled(database.table("t").unwrap(), rows, size);
        scans("fjall", &store, rows, size, |run, by_row| {
            let by_rows = || peak(|| run(&by_row));
            by_rows().max(by_rows())
        });
    }
}

#[test]
fn scans_of_a_store_in_a_store() {
    let _turn = turn();
    for (rows, size) in rows() {
        let database = SubStore::new(Memory::new().table("beneath").unwrap());
        let store = filled(database.table("t").unwrap(), rows, size);
        for bytes in BOUNDS {
            // With the prefix and without.
            let peak = peak(|| {
                read_all(&mut *store.scan(&Scan::all().batch_rows(usize::MAX).batch_bytes(bytes)));
            });
            within("a store in a store", peak, limit(bytes, 2, size + 5));
        }
    }
}

/// Rows of 8 columns, and of one.
#[test]
fn scans_of_wide_rows() {
    let _turn = turn();
    for ((rows, size), columns) in rows().into_iter().flat_map(|rows| [(rows, 8_u8), (rows, 1)]) {
        let schema = TableSchema::new().family("a", FamilySchema::new());
        let cells = Cells::open(&Memory::new(), "t", &schema).unwrap();
        let (row, cell) = (size + 100 * usize::from(columns), size / usize::from(columns) + 100);
        for (bucket, row) in (0..BUCKETS).flat_map(|bucket| (0..rows).map(move |row| (bucket, row))) {
            let put =
                |mutation: Mutation, column| mutation.put_at(("a", [column]), 1, vec![7; size / usize::from(columns)]);
            cells.mutate(&key(bucket, row), &(0..columns).fold(Mutation::new(), put)).unwrap();
        }
        let all = usize::from(rows) * usize::from(BUCKETS);
        for (bytes, reverse, piece) in BOUNDS.into_iter().flat_map(|bytes| {
            [(bytes, false, None), (bytes, true, None), (bytes, false, Some(1)), (bytes, true, Some(1))]
        }) {
            let what = format!("wide rows of {columns} times {size}, {bytes} bytes, reverse: {reverse}, {piece:?}");
            let scan = Scan::all().reverse(reverse).batch_rows(usize::MAX).batch_bytes(bytes);
            let asked = piece.map_or(Columns::all(), |cells| Columns::all().piece(cells));
            let pieces = piece.map_or(1, |_| usize::from(columns));
            // The row that is read is held beside the batches of entries and of rows, while it is put together; in
            // reverse its entries too. Of pieces, read forward, only these.
            let one = if piece.is_some() && !reverse { cell } else { row };
            let read = if reverse { 2 * one + 2 * one } else { 2 * one };
            let found = peak(|| assert_eq!(read_all(&mut *cells.scan(&scan, &asked)), all * pieces));
            within(&what, found, limit(bytes, 2, cell.max(one)) + read);

            let salted = peak(|| {
                let open = |scan: &Scan| cells.scan(scan, &asked);
                let mut merged = MergedRows::open_with(open, &scan, buckets(), 1);
                assert_eq!(read_all(&mut merged), all * pieces);
            });
            let each = usize::from(BUCKETS) * (one + read + cell);
            within(&format!("salted {what}"), salted, limit(bytes, 17, one) + each);
        }
        let store = OneColumn::new(cells.clone(), "a:\0");
        let found = peak(|| {
            assert_eq!(read_all(&mut *store.scan(&Scan::all().batch_rows(usize::MAX).batch_bytes(512 << 10))), all)
        });
        within("one column", found, limit(512 << 10, 4, cell) + 3 * cell);
        let store = OneColumn::new(Unblock::in_place(cells.clone()), "a:\0");
        let found = peak(|| {
            let mut batches = AsyncStore::scan(&store, &Scan::all().batch_rows(usize::MAX).batch_bytes(512 << 10));
            let mut rows = 0;
            while let Some(batch) = block_on(batches.next()) {
                rows += batch.unwrap().len();
            }
            assert_eq!(rows, all);
        });
        within("one column of an asynchronous table", found, limit(512 << 10, 4, cell) + 3 * cell);
    }
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq)]
#[rowkey(salt(buckets = 16))]
struct Image {
    number: u32,
}

#[test]
fn scans_of_tables() {
    let _turn = turn();
    let images: Table<Image, Vec<u8>, _> = Table::open(Memory::new(), "images").unwrap();
    let size = 256 << 10;
    (0..200).for_each(|number| images.put(&Image { number }, &vec![7; size]).unwrap());
    let bytes = 1 << 20;
    let found = peak(|| {
        let mut scan = images.scan(..).batch_bytes(bytes);
        let mut next = 0;
        while let Some((image, _)) = scan.next_row().unwrap() {
            assert_eq!(image.number, next);
            next += 1;
        }
        assert_eq!(next, 200);
    });
    within("a table of 16 buckets", found, limit(bytes, 17, size + 5));
    // By default too: 200 rows are 50 MiB.
    let found = peak(|| assert_eq!(images.count(..).unwrap(), 200));
    within("a count", found, limit(4 << 20, 1, size + 5));
    let found = peak(|| {
        let mut scan = images.scan(..);
        while scan.next_row().unwrap().is_some() {}
    });
    within("a scan by default", found, limit(4 << 20, 17, size + 5));
}

/// Of each bucket one batch, and one ahead, whoever reads it.
#[test]
fn streams_of_tables() {
    let _turn = turn();
    let (db, size, bytes) = (Memory::new(), 256 << 10, 1 << 20);
    let images: Table<Image, Vec<u8>, _> = Table::open(&db, "images").unwrap();
    (0..200).for_each(|number| images.put(&Image { number }, &vec![7; size]).unwrap());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let engines: [(&str, Arc<dyn AsyncDatabase>); 3] = [
        ("in the pool", Arc::new(Unblock::new(db.clone()))),
        ("in place", Arc::new(Unblock::in_place(db.clone()))),
        ("slow", Arc::new(Slow::new(db.clone(), 1))),
    ];
    for (engine, db) in engines {
        let images = runtime.block_on(AsyncTable::<Image, Vec<u8>, _>::open(db, "images")).unwrap();
        let found = peak(|| {
            runtime.block_on(async {
                let mut scan = images.scan(..).batch_bytes(bytes);
                let mut next = 0;
                while let Some((image, _)) = scan.next_row().await.unwrap() {
                    assert_eq!(image.number, next);
                    next += 1;
                }
                assert_eq!(next, 200);
            });
        });
        // A server has a batch of its own.
        let batches = 16 * if engine == "slow" { 3 } else { 2 };
        within(&format!("a stream of 16 buckets, {engine}"), found, limit(bytes, batches, size + 5));
    }
    let blocking = Table::<Image, Vec<u8>, _>::open(Blocking::new(Unblock::new(db)).unwrap(), "images").unwrap();
    let found = peak(|| {
        let mut scan = blocking.scan(..).batch_bytes(bytes);
        while scan.next_row().unwrap().is_some() {}
    });
    within("16 buckets, blocking", found, limit(bytes, 3 * 16, size + 5));
}

#[test]
fn loads() {
    let _turn = turn();
    let (size, bytes, threads) = (256 << 10, 1 << 20, 2);
    let writes = || (0..300_u32).map(|n| Ok((n, vec![7_u8; size])));
    let batches = 2 * threads + 1;
    let found = peak(|| {
        let load = BulkLoad::new(|_: Vec<(u32, Vec<u8>)>| Ok(())).threads(threads).batch_bytes(bytes);
        assert_eq!(load.sized(|(_, value)| value.len()).run(writes()).unwrap().writes, 300);
    });
    within("a load", found, batches * (bytes + size));

    // What is sent is a copy.
    let store = Forgetful(Memory::new().table("t").unwrap());
    let found = peak(|| {
        let load = BulkLoad::to_store(&store).threads(threads).batch_bytes(bytes);
        load.run(writes().map(|row| row.map(|(n, value)| (n.to_be_bytes(), value)))).unwrap();
    });
    within("a load of a store", found, (batches + 3 * threads) * (bytes + size));
}

/// A store that keeps nothing.
struct Forgetful(Arc<dyn Store>);

impl Readable for Forgetful {
    fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        Ok(None)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.0.scan(scan)
    }
}

impl Store for Forgetful {
    fn id(&self) -> &TableId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self(self.0.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        self.0.guarantees()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        assert!(batch.bytes() < (1 << 20) + (256 << 10) + 4);
        Ok(())
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.0.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.0.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.0.delete_ranges(ranges)
    }
}

/// Jobs that copy end a batch by its bytes: what each was told of is no more than the bound and the row that reaches
/// it.
#[test]
fn batches_of_jobs() {
    let _turn = turn();
    let db = Memory::new();
    let before: Table<u32, Vec<u8>, _> = Table::open(&db, "before").unwrap();
    (0..100).for_each(|n| before.put(&n, &vec![7; 1000]).unwrap());

    let mut users = Primary::<u32, Vec<u8>, _>::open(&db, "before").unwrap();
    let by_value = users.secondary("by_value", |n: &u32, value: &Vec<u8>| [(*n, value.clone())]).unwrap();
    let mut seen = Vec::new();
    let report = by_value.rebuild().batch_bytes(10_000).run_watched(|progress| {
        seen.push(progress.report.rows);
        ControlFlow::Continue(())
    });
    assert_eq!(report.unwrap().written, 100);
    // Each row is read and written.
    assert!(seen[..10].windows(2).all(|pair| pair[1] - pair[0] <= 5), "{seen:?}");

    let wider = Conversion::keys(u64::from, |n: u64| n as u32);
    let migration = Migration::<u32, Vec<u8>, u64, Vec<u8>, _>::open(&db, "wider", "before", "after", wider).unwrap();
    let mut seen = Vec::new();
    let report = migration.backfill().batch_bytes(10_000).run_watched(|progress| {
        seen.push(progress.report.rows);
        ControlFlow::Continue(())
    });
    assert_eq!(report.unwrap().written, 100);
    assert!(seen.windows(2).all(|pair| pair[1] - pair[0] <= 5), "{seen:?}");
}

/// Ranges are deleted by batches that are bounded by the bytes of their keys, not by their number alone.
#[test]
fn ranges_deleted_from_fjall() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let database = FjallOptions::new().cache_bytes(0).open(directory.path().join("db")).unwrap();
    let store = database.table("t").unwrap();
    let (keys, len) = (500_u16, 50_000);
    for n in 0..keys {
        store.write(Batch::new().put([&n.to_be_bytes()[..], &vec![7; len]].concat(), "")).unwrap();
    }
    let found = peak(|| store.delete_ranges(&[KeyRange::from_start([0])]).unwrap());
    // The engine keeps each key that was deleted. A batch is held as it is built, as the engine has it, and as it is
    // logged.
    within("deleted keys", found, usize::from(keys) * len + 5 * (4 << 20));
    assert_eq!(read_all(&mut *store.scan(&Scan::all())), 0);
}

/// What a purge holds does not grow with a row.
#[test]
fn a_long_row_is_purged() {
    let _turn = turn();
    let store = Memory::new().table("t").unwrap();
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let table = Cells::over(Arc::clone(&store), schema).unwrap();
    let columns = 30_000;
    for some in (0..columns).step_by(1000) {
        let name = |n: u32| ("a", format!("{n:0100}"));
        let mutation = (some..some + 1000).fold(Mutation::new(), |mutation, n| mutation.put_at(name(n), 7, "value"));
        table.mutate(b"row", &mutation).unwrap();
    }
    table.mutate(b"row", &Mutation::new().delete_row()).unwrap();
    let mut written = 0;
    let purge = || written = table.purge().batch_rows(usize::MAX).batch_bytes(usize::MAX).run().unwrap().written;
    // The keys of 1000 entries are held as they are found and as they are removed, of 256 as they are read.
    within("a purge of one row", peak(purge), 4 * 1000 * 150);
    assert_eq!((written, read_all(&mut *store.scan(&Scan::all()))), (u64::from(columns) + 1, 0));
}

/// What a deletion holds does not grow with its ranges.
#[test]
fn ranges_deleted_from_memory() {
    let _turn = turn();
    let store = Memory::new().table("t").unwrap();
    let rows = 60_000_u32;
    let mut batch = Batch::new();
    (0..rows).for_each(|n| _ = batch.put(n.to_be_bytes(), "v"));
    store.write(&batch).unwrap();
    drop(batch);
    let found = peak(|| store.delete_ranges(&[KeyRange::from_start([0])]).unwrap());
    // A reference to each row of a piece.
    within("deleted rows", found, 3 * 4096 * 24);
    assert_eq!(read_all(&mut *store.scan(&Scan::all())), 0);
}
