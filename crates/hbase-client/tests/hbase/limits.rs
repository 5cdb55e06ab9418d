//! Large cells, long rows, many rows, and how much memory they take: what is allocated meanwhile, by the test as well.
//! These tests run alone.

use std::process::Command;
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::join_all;
use hbase_client::{Action, Client, ErrorKind, Family, Get, Increment, Put, Row, Scan, Table, TableSchema};

use crate::{MEMORY, client, cluster, create, options};

const MIB: usize = 1 << 20;

/// Runs some work, and checks the bytes that were allocated meanwhile beyond those before.
async fn peak<T>(what: &str, most: usize, work: impl Future<Output = T>) -> T {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work.await;
    let peak = MEMORY.peak_usage().saturating_sub(before);
    println!("{what}: {:.1} MiB, at most {:.1}", peak as f64 / MIB as f64, most as f64 / MIB as f64);
    assert!(peak <= most, "{what}: {peak} bytes");
    result
}

async fn table(client: &Client, name: &str, splits: &[&str]) -> Table {
    cluster().start_missing().await;
    create(&client.admin(), &TableSchema::new(name).family(Family::new("f")), splits).await;
    client.table(name)
}

#[tokio::test]
#[ignore = "needs a server"]
async fn cells_of_ten_megabytes() {
    const CELL: usize = 10_000_000;
    let client = client();
    let table = table(&client, "limits_cells", &["b", "c"]).await;
    let rows = ["a", "b", "c", "d", "e"];
    let value = |row: &str| row.repeat(CELL);
    for row in rows {
        let put = Put::new(row).value("f", "x", value(row));
        // The put, its frame, and the value of which the put is made.
        peak("a put of 10 MB", 3 * CELL, table.put(put)).await.unwrap();
    }
    let whole = |row: &Row| {
        row.value("f", "x").is_some_and(|cell| cell.len() == CELL && cell.iter().all(|b| *b == row.key()[0]))
    };
    let read = peak("a get of 10 MB", 3 * CELL, table.get("a")).await.unwrap();
    assert!(whole(&read));
    drop(read);
    for row in peak("five gets of 10 MB at once", 12 * CELL, table.get_many(rows)).await {
        assert!(whole(&row.unwrap()));
    }
    for scan in [Scan::new(), Scan::new().reverse()] {
        let mut scanner = table.scan(scan);
        let read = async {
            let mut read = 0;
            while let Some(row) = scanner.next().await.unwrap() {
                assert!(whole(&row));
                read += 1;
            }
            read
        };
        assert_eq!(peak("a scan of five cells of 10 MB", 10 * CELL, read).await, 5);
    }
    let actions = rows.map(|row| Action::from(Put::new(row).value("f", "x", value(row))));
    for result in peak("a batch of five puts of 10 MB", 6 * CELL, table.batch(actions.into())).await {
        result.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_row_of_a_million_cells() {
    const CELLS: usize = 1_000_000;
    let client = client();
    let table = table(&client, "limits_row", &[]).await;
    for from in (0..CELLS).step_by(20_000) {
        let cells = (from..from + 20_000).fold(Put::new("row"), |put, at| put.value("f", format!("{at:07}"), "v"));
        table.put(cells).await.unwrap();
    }
    table.put(Put::new("rows").value("f", "x", "v")).await.unwrap();
    let size = {
        let row = table.get("row").await.unwrap();
        assert_eq!(row.len(), CELLS);
        row.size()
    };
    println!("the row has {size} bytes");
    let small = Client::new(options().response_bytes(6 * MIB)).unwrap();
    let small = small.table(table.name());

    let pieces = async {
        let mut scanner = small.scan(Scan::new().allow_partial_rows());
        let (mut cells, mut rows) = (0, 0);
        while let Some(piece) = scanner.next().await.unwrap() {
            for cell in piece.cells().filter(|cell| cell.row() == b"row") {
                assert_eq!(cell.qualifier(), format!("{cells:07}").as_bytes());
                cells += 1;
            }
            rows += usize::from(piece.key() == b"rows");
        }
        (cells, rows)
    };
    assert_eq!(peak("a long row in pieces of 2 MiB", 16 * MIB, pieces).await, (CELLS, 1));

    let whole = peak("a long row whole", 3 * size + 8 * MIB, async {
        let rows: Vec<Row> = table.scan(Scan::new()).try_collect().await.unwrap();
        rows.iter().map(Row::len).collect::<Vec<_>>()
    });
    assert_eq!(whole.await, [CELLS, 1]);

    // A row over the limit is an error, which comes before the memory is taken. Other calls do not notice.
    let over = peak("a long row over the limit", 24 * MIB, async {
        let (got, scanned, others) = tokio::join!(
            small.get("row"),
            async { small.scan(Scan::new().start("row")).next().await },
            join_all((0..20).map(|_| small.increment(Increment::new("counter").add("f", "n", 1))))
        );
        others.into_iter().for_each(|result| drop(result.unwrap()));
        [got.unwrap_err().kind(), scanned.unwrap_err().kind()]
    });
    assert_eq!(over.await, [ErrorKind::TooLarge; 2]);
    let count = small.get("counter").await.unwrap();
    assert_eq!(count.value("f", "n"), Some(&20u64.to_be_bytes()[..]));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_million_rows() {
    const ROWS: usize = 1_000_000;
    let client = Client::new(options().timeout(Duration::from_secs(300))).unwrap();
    let splits: Vec<_> = (1..16).map(|at| format!("{:07}", at * ROWS / 16)).collect();
    let splits: Vec<_> = splits.iter().map(String::as_str).collect();
    let table = table(&client, "limits_rows", &splits).await;
    let put = |row| Action::from(Put::new(format!("{row:07}")).value("f", "x", [b'v'; 100]));
    let before = MEMORY.current_usage();
    let puts: Vec<_> = (0..ROWS).map(put).collect();
    let given = MEMORY.current_usage() - before;
    println!("a million puts are {:.1} MiB", given as f64 / MIB as f64);
    // Per action its step and its result; and the calls that are under way.
    let written = peak("a batch of a million puts", 400 * ROWS + 96 * MIB, table.batch(puts)).await;
    written.into_iter().for_each(|result| drop(result.unwrap()));

    let slow = |scan: Scan, pause: Duration| {
        let mut scanner = table.scan(scan);
        async move {
            let mut rows = 0;
            while let Some(batch) = scanner.next_batch().await.unwrap() {
                rows += batch.len();
                tokio::time::sleep(pause).await;
            }
            rows
        }
    };
    // Three answers, the one that is read, and where their rows are.
    let scan =
        peak("a scan of a million rows, taken slowly", 16 * MIB, slow(Scan::new(), Duration::from_millis(40))).await;
    assert_eq!(scan, ROWS);
    let scan = || Scan::new().bytes_per_call(256 << 10).start("0500000").stop_before("0600000");
    let scans = join_all((0..16).map(|_| slow(scan(), Duration::from_millis(10))));
    let rows = peak("16 scans with answers of 256 KiB, taken slowly", 16 * 2 * MIB, scans).await;
    assert_eq!(rows, [100_000; 16]);
}

/// The number of scanners that the servers have open.
fn open_scanners() -> usize {
    let of = |server: usize| {
        let id = std::fs::read_to_string(crate::folder().join(format!("regionserver-{server}.pid"))).unwrap();
        let histogram = Command::new("jcmd").args([id.trim(), "GC.class_histogram"]).output().expect("jcmd").stdout;
        let histogram = String::from_utf8_lossy(&histogram);
        assert!(histogram.contains("RSRpcServices"), "{histogram}");
        let line = histogram.lines().find(|line| line.contains("RSRpcServices$RegionScannerHolder "));
        line.map_or(0, |line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
    };
    (1..=3).map(of).sum()
}

#[tokio::test]
#[ignore = "needs a server"]
async fn what_is_dropped_leaves_nothing() {
    let client = client();
    let table = table(&client, "limits_dropped", &["250", "500", "750"]).await;
    let put = |row| Action::from(Put::new(format!("{row:03}")).value("f", "x", "v".repeat(2000)));
    table.batch((0..1000).map(put).collect()).await.into_iter().for_each(|result| drop(result.unwrap()));
    let before = open_scanners();
    let worker = async |worker: usize| {
        let mut dropped = 0;
        for turn in 0..200 {
            let row = format!("{:03}", (worker * 131 + turn * 17) % 1000);
            let work = async {
                match turn % 4 {
                    0 => drop(table.get(&*row).await.unwrap()),
                    1 => drop(table.increment(Increment::new("counter").add("f", "n", 1)).await.unwrap()),
                    2 => drop(table.get_many((0..50).map(|at| Get::new(format!("{at:03}")))).await),
                    _ => {
                        let mut scanner = table.scan(Scan::new().start(&row).rows_per_call(20));
                        while scanner.next().await.unwrap().is_some() {}
                    }
                }
            };
            let patience = Duration::from_micros(fastrand::u64(0..60_000));
            dropped += usize::from(tokio::time::timeout(patience, work).await.is_err());
        }
        dropped
    };
    let dropped: usize = join_all((0..16).map(worker)).await.into_iter().sum();
    assert!(dropped > 500, "{dropped}");
    // The calls that were left are answered, and scanners closed.
    let settled = async {
        loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let dump = client.dump();
            let calls = dump.lines().filter(|line| line.starts_with("connection"));
            if calls.clone().all(|line| line.ends_with(", 0 calls in flight")) && open_scanners() <= before {
                return;
            }
        }
    };
    if tokio::time::timeout(Duration::from_secs(15), settled).await.is_err() {
        panic!("{} of {before} scanners are open: {}", open_scanners(), client.dump());
    }
    println!("{dropped} of 3200 operations were dropped; scanners: {before} before, {} after", open_scanners());
}
