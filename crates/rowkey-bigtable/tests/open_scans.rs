//! Memory of hundreds of open scans, measured; and each goes on.

use futures_util::future::{join_all, try_join_all};
use peak_alloc::PeakAlloc;
use rowkey::RowKey;
use rowkey::nonblocking::{AsyncWideTable, TableStream};
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey_bigtable::{Bigtable, BigtableOptions};
use tokio::runtime::Runtime;
use tokio::time::{Duration, sleep};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;
/// The memory that may be left after the scans: that of connections.
const LEFT: usize = 30 * MIB;
/// Longer than it takes on a busy machine.
const LATE: Duration = Duration::from_secs(600);

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 16))]
struct Crash {
    #[rowkey(desc)]
    at: u64,
}

type Scan = TableStream<Crash, Row>;

/// The next rows of a scan, of which `read` were read before.
async fn go_on(scan: &mut Scan, read: &mut u64, of: (u64, bool), rows: u64) {
    let (all, reverse) = of;
    for _ in 0..rows.min(all - *read) {
        let (key, row) = scan.next().await.unwrap().unwrap();
        let at = if reverse { *read } else { all - 1 - *read };
        assert_eq!(key, Crash { at });
        assert_eq!(row.cells().next().unwrap().value.first_chunk(), Some(&at.to_be_bytes()));
        *read += 1;
    }
}

/// The scans of 16 buckets, and what they may hold: the memory of all scans, and for each stream what it takes anyway.
/// `ROWKEY_LONG=1` opens four times as many.
fn size() -> (usize, usize) {
    match std::env::var_os("ROWKEY_LONG").is_some_and(|long| long == "1") {
        true => (200, 100 * MIB),
        false => (50, 50 * MIB),
    }
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn many_open_scans_share_a_bounded_memory() {
    let host = std::env::var("BIGTABLE_EMULATOR_HOST").expect("BIGTABLE_EMULATOR_HOST is the address of an emulator");
    let options = BigtableOptions::new("p", format!("o{}", std::process::id())).emulator(host);
    // The emulator gathers the rows of all scans first.
    let options = options.attempt_timeout(LATE).retry_for(LATE);
    let (count, most) = size();
    let runtime = Runtime::new().unwrap();
    let schema = TableSchema::new().family("a", FamilySchema::new());
    // In each bucket is more than a scan may hold. All is read of the second alone.
    for (name, rows, size, to_the_end) in [("short", 8_000, 8, false), ("long", 1_600, 1_000, true)] {
        for reverse in [false, true] {
            // Of each client: what connections keep for their next scans counts too.
            let db = runtime.block_on(Bigtable::connect(options.clone())).unwrap();
            let table: AsyncWideTable<Crash, _> = runtime.block_on(AsyncWideTable::open(db, name, &schema)).unwrap();
            if !reverse {
                for at in (0..rows).collect::<Vec<u64>>().chunks(4_000) {
                    let value = |at: &u64| [&at.to_be_bytes()[..], &vec![7; size - 8]].concat();
                    let of_chunk: Vec<_> =
                        at.iter().map(|at| (Crash { at: *at }, Mutation::new().put_at("a:v", 1, value(at)))).collect();
                    let writes = of_chunk.iter().map(|(key, row)| (key, row.clone()));
                    runtime.block_on(table.mutate_many(writes)).unwrap();
                }
            }
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            runtime.block_on(async {
                let mut scans: Vec<(Scan, u64)> = (0..count)
                    .map(|_| table.scan(.., Columns::all()))
                    .map(|scan| if reverse { (scan.reverse(), 0) } else { (scan, 0) })
                    .collect();
                let mut rounds = 0;
                let held = |what: &str| {
                    let (now, peak) = (MEMORY.current_usage() - before, MEMORY.peak_usage() - before);
                    println!("{name}, reverse: {reverse}, {what}: {now} bytes are held, {peak} at most");
                    assert!(peak <= most, "{what}: {peak} bytes were held");
                    now
                };
                while scans.iter().any(|(_, read)| *read < rows) && (to_the_end || rounds < 2) {
                    let each = scans.iter_mut().map(|(scan, read)| go_on(scan, read, (rows, reverse), 300));
                    if rounds == 0 {
                        // All at once, and then one after the other.
                        join_all(each).await;
                    } else {
                        for one in each {
                            one.await;
                        }
                    }
                    rounds += 1;
                    // The bytes that fit into the windows come meanwhile.
                    sleep(Duration::from_millis(500)).await;
                    held(&format!("{rounds} rounds"));
                }
                if to_the_end {
                    for (scan, _) in &mut scans {
                        assert!(scan.next().await.is_none());
                    }
                } else {
                    // One goes on to its end, whatever the others hold.
                    let (mut scan, mut read) = scans.pop().unwrap();
                    go_on(&mut scan, &mut read, (rows, reverse), rows).await;
                    assert!(scan.next().await.is_none());
                    held("one to its end");
                }
                drop(scans);
                for _ in 0..100 {
                    if MEMORY.current_usage() - before <= LEFT {
                        break;
                    }
                    sleep(Duration::from_millis(100)).await;
                }
                assert!(held("dropped") <= LEFT);
                let ends = (0..4).map(async |_| table.scan(.., Columns::all()).limit(3).rows().await);
                assert!(try_join_all(ends).await.unwrap().iter().all(|rows| rows.len() == 3));
            });
        }
    }
}
