//! Memory of scans, measured: their batches, and for each stream what its window and a row or two take.

use futures_util::TryStreamExt;
use peak_alloc::PeakAlloc;
use rowkey::RowKey;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore, AsyncWideTable};
use rowkey::store::Scan;
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey_bigtable::{Bigtable, BigtableOptions};
use tokio::runtime::Runtime;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BUCKETS: usize = 16;
const KIB: usize = 1 << 10;
/// The bytes that a stream may receive before it is read, 256 KiB. Frames are held in the buffers that they came in,
/// which are larger.
const WINDOW: usize = 2 * 256 * KIB;
/// The number of copies of a row that a stream has at once: as it came, decoded, and as cells; a buffer that grows
/// counts twice.
const COPIES: usize = 5;
/// The memory of connections and a runtime.
const SLACK: usize = 2 << 20;

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 16))]
struct Crash {
    #[rowkey(desc)]
    at: u64,
}

fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let output = run();
    (MEMORY.peak_usage() - before, output)
}

/// Few large rows and many small ones, of more bytes in all than may be held.
#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn scans_hold_what_they_are_asked_for() {
    let host = std::env::var("BIGTABLE_EMULATOR_HOST").expect("BIGTABLE_EMULATOR_HOST is the address of an emulator");
    let options = BigtableOptions::new("p", format!("m{}", std::process::id())).emulator(host);
    let runtime = Runtime::new().unwrap();
    let db = runtime.block_on(Bigtable::connect(options)).unwrap();
    let schema = TableSchema::new().family("a", FamilySchema::new());
    for (name, rows, size) in [("large", 256, 512 * KIB), ("small", 60_000, KIB)] {
        let table: AsyncWideTable<Crash, _> =
            runtime.block_on(AsyncWideTable::open(db.clone(), name, &schema)).unwrap();
        for at in (0..rows).collect::<Vec<u64>>().chunks(8 * KIB * KIB / size) {
            let of_chunk: Vec<_> =
                at.iter().map(|at| (Crash { at: *at }, Mutation::new().put_at("a:v", 1, vec![7; size]))).collect();
            runtime.block_on(table.mutate_many(of_chunk.iter().map(|(key, row)| (key, row.clone())))).unwrap();
        }
        for bytes in [1, 4 << 20] {
            for reverse in [false, true] {
                let (merged, count) = peak(|| {
                    runtime.block_on(async {
                        let mut scan = table.scan(.., Columns::all()).batch_bytes(bytes);
                        if reverse {
                            scan = scan.reverse();
                        }
                        let mut count = 0;
                        while let Some(row) = scan.next().await {
                            row.unwrap();
                            count += 1;
                            if count % (rows / 16) == 0 {
                                // The bytes that come meanwhile are held too.
                                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                            }
                        }
                        count
                    })
                });
                assert_eq!(count, rows);
                let limit = 2 * bytes + BUCKETS * (WINDOW + COPIES * size) + SLACK;
                let all = rows as usize * size;
                println!("{name}, {bytes} bytes, reverse: {reverse}: {merged} of {all} bytes are held by a merge");
                assert!(merged <= limit, "{merged} are held, which should be {limit} at most");
                let store = runtime.block_on(db.open_table(name, table.store().schema())).unwrap();
                let (plain, ()) = peak(|| {
                    runtime.block_on(async {
                        let scan = Scan::all().reverse(reverse).batch_rows(usize::MAX).batch_bytes(bytes);
                        let mut batches = store.scan(&scan, &Columns::all());
                        let mut count = 0;
                        while let Some(batch) = batches.try_next().await.unwrap() {
                            assert!(batch.bytes() < bytes + 2 * size + 100);
                            if count % (rows / 16) == 0 {
                                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                            }
                            count += 1;
                        }
                    })
                });
                let limit = 3 * bytes + WINDOW + COPIES * size + SLACK;
                println!("{name}, {bytes} bytes, reverse: {reverse}: {plain} bytes are held by a scan");
                assert!(plain <= limit, "{plain} are held, which should be {limit} at most");
            }
        }
    }
}
