//! Scans, and what moves under them.

use std::time::Duration;

use futures_util::TryStreamExt;
use hbase_client::{
    Action, Client, Compare, ErrorKind, Family, Filter, IfMissing, Put, Row, RowPattern, Scan, Table, TableSchema,
};

use crate::{client, create, options};

/// A table of rows `00000`, `00001` … in four regions.
async fn table(client: &Client, name: &str, rows: usize) -> Table {
    create(&client.admin(), &TableSchema::new(name).family(Family::new("f")), &["00250", "00500", "00750"]).await;
    let table = client.table(name);
    fill(&table, rows).await;
    table
}

async fn fill(table: &Table, rows: usize) {
    let put = |row| Put::new(key(row)).value("f", "x", key(row)).value("f", "y", "y".repeat(50));
    let puts = (0..rows).map(|row| Action::from(put(row))).collect();
    for result in table.batch(puts).await {
        result.expect("written");
    }
}

fn key(row: usize) -> String {
    format!("{row:05}")
}

async fn read(table: &Table, scan: Scan) -> Vec<String> {
    let rows: Vec<Row> = table.scan(scan).try_collect().await.expect("rows");
    rows.iter().map(|row| String::from_utf8(row.key().to_vec()).expect("a key")).collect()
}

fn keys(rows: impl Iterator<Item = usize>) -> Vec<String> {
    rows.map(key).collect()
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_scan_has_the_rows_between_its_ends() {
    let client = client();
    let table = table(&client, "scans_ends", 1000).await;
    let all = || Scan::new().rows_per_call(37);
    assert_eq!(read(&table, Scan::new()).await, keys(0..1000));
    assert_eq!(read(&table, all()).await, keys(0..1000));
    assert_eq!(read(&table, all().reverse()).await, keys((0..1000).rev()));
    for (from, to) in [(100, 110), (240, 260), (250, 500), (249, 751), (0, 250), (999, 1000)] {
        let (start, stop) = (key(from), key(to));
        assert_eq!(read(&table, all().start(&start).stop_before(&stop)).await, keys(from..to));
        assert_eq!(read(&table, all().start_after(&start).stop_before(&stop)).await, keys(from + 1..to));
        assert_eq!(read(&table, all().start(&start).stop_with(&stop)).await, keys(from..(to + 1).min(1000)));
        let back = || all().reverse();
        assert_eq!(read(&table, back().start(&stop).stop_with(&start)).await, keys((from..(to + 1).min(1000)).rev()));
        assert_eq!(read(&table, back().start_after(&stop).stop_with(&start)).await, keys((from..to).rev()));
        assert_eq!(
            read(&table, back().start(&stop).stop_before(&start)).await,
            keys((from + 1..(to + 1).min(1000)).rev())
        );
        for limit in [1, 5, 300] {
            let limited = all().start(&start).limit(limit);
            assert_eq!(read(&table, limited).await, keys(from..(from + limit as usize).min(1000)));
        }
    }
    assert_eq!(read(&table, all().limit(0)).await, keys(0..0));
    assert_eq!(read(&table, all().start("00500").stop_before("00400")).await, keys(0..0));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_small_scan_is_one_call_and_filters_are_counted() {
    let client = client();
    let table = table(&client, "scans_small", 1000).await;
    let before = client.counters().calls;
    assert_eq!(read(&table, Scan::new().start("00100").limit(10)).await.len(), 10);
    assert_eq!(client.counters().calls - before, 1);

    let filter = Filter::column_value("f", "x", Compare::Less, "00003", IfMissing::Skip);
    let mut scanner = table.scan(Scan::new().filter(&filter).track_counts());
    let mut rows = 0;
    while let Some(row) = scanner.next().await.unwrap() {
        assert!(row.value("f", "x").is_some());
        rows += 1;
    }
    let counts = scanner.counts();
    assert_eq!((rows, counts.scanned, counts.filtered), (3, 1000, 997));
    assert_eq!(read(&table, Scan::new().filter(&Filter::row_prefix("0012"))).await, keys(120..130));
    let ranges = Filter::row_ranges(["00240".."00260", "00800".."00801"]);
    assert_eq!(read(&table, Scan::new().filter(&ranges)).await, keys((240..260).chain(800..801)));
    let last = Filter::fuzzy_row([RowPattern::new("0????").any(1..5)]);
    assert_eq!(read(&table, Scan::new().filter(&last)).await.len(), 1000);
    let both = Filter::all([Filter::row(Compare::GreaterOrEqual, "00990"), Filter::first_cell(), Filter::no_values()]);
    let rows: Vec<Row> = table.scan(Scan::new().filter(&both)).try_collect().await.unwrap();
    assert_eq!(
        rows.iter().map(|row| (row.len(), row.value("f", "x").map(<[u8]>::len))).collect::<Vec<_>>(),
        [(1, Some(0)); 10]
    );
}

#[tokio::test]
#[ignore = "needs a server"]
async fn long_rows_come_whole_or_in_pieces() {
    let client = client();
    create(&client.admin(), &TableSchema::new("scans_long").family("f"), &["b"]).await;
    let table = client.table("scans_long");
    for row in ["a", "b", "c"] {
        let cells = (0..3000).fold(Put::new(row), |put, at| put.value("f", key(at), "v".repeat(100)));
        table.put(cells).await.unwrap();
    }
    let small = || Scan::new().bytes_per_call(10_000);
    let rows: Vec<Row> = table.scan(small()).try_collect().await.unwrap();
    assert_eq!(
        rows.iter().map(|row| (row.key(), row.len())).collect::<Vec<_>>(),
        [(&b"a"[..], 3000), (b"b", 3000), (b"c", 3000)]
    );
    let pieces: Vec<Row> = table.scan(small().allow_partial_rows()).try_collect().await.unwrap();
    assert!(pieces.len() > 90, "{}", pieces.len());
    let cells =
        |row: &Row| row.cells().map(|cell| (cell.row().to_vec(), cell.qualifier().to_vec())).collect::<Vec<_>>();
    let whole: Vec<_> = rows.iter().flat_map(cells).collect();
    assert_eq!(pieces.iter().flat_map(cells).collect::<Vec<_>>(), whole);
    let limited: Vec<Row> = table.scan(small().limit(2)).try_collect().await.unwrap();
    assert_eq!(limited.iter().map(Row::len).collect::<Vec<_>>(), [3000, 3000]);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn splits_and_merges_under_a_scan_lose_no_row_and_repeat_none() {
    let client = client();
    let table = table(&client, "scans_split", 1000).await;
    let admin = client.admin();
    let mut changes = 0;
    for reverse in [false, true] {
        let scan = Scan::new().rows_per_call(10).read_ahead(1);
        let mut scanner = table.scan(if reverse { scan.reverse() } else { scan });
        let mut rows = Vec::new();
        while let Some(row) = scanner.next().await.expect("no error of a region ends a scan") {
            rows.push(String::from_utf8(row.key().to_vec()).unwrap());
            // A region that was just split has references to its parent's files, and may refuse to be split or merged.
            if rows.len() % 100 == 50 {
                let regions = table.regions().await.unwrap();
                let split = regions.iter().find(|(region, _)| region.contains(row.key())).unwrap();
                let middle = if reverse { 950usize.saturating_sub(rows.len()) } else { rows.len() + 50 };
                changes += usize::from(admin.split(&split.0, key(middle)).await.is_ok());
                let [a, b] = [0, 1].map(|at| regions[at].0.clone());
                changes += usize::from(admin.merge(&[a, b]).await.is_ok());
            }
        }
        let mut expected = keys(0..1000);
        if reverse {
            expected.reverse();
        }
        assert_eq!(rows, expected);
    }
    assert!(changes > 3, "{changes} splits and merges");
    assert!(client.counters().retries > 0, "the scans met regions that were gone");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_scan_whose_scanner_is_lost_has_rows_that_were_overwritten_since() {
    let client = client();
    let admin = client.admin();
    create(&admin, &TableSchema::new("scans_overwritten").family("f"), &[]).await;
    let table = client.table("scans_overwritten");
    let write = async |value: &str| {
        let puts = (0..500).map(|row| Put::new(format!("{row:03}")).value("f", "x", value).into());
        table.batch(puts.collect()).await.into_iter().for_each(|result| drop(result.unwrap()));
    };
    write("old").await;
    for reverse in [false, true] {
        let scan = Scan::new().rows_per_call(10);
        let mut scanner = table.scan(if reverse { scan.reverse() } else { scan });
        let mut rows = 0;
        while rows < 15 {
            scanner.next().await.unwrap().unwrap();
            rows += 1;
        }
        // Each time the region is closed it writes a file; more than a few are compacted, without what was overwritten.
        for at in 0..5 {
            admin.disable("scans_overwritten").await.unwrap();
            admin.enable("scans_overwritten").await.unwrap();
            write(&at.to_string()).await;
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        while scanner.next().await.unwrap().is_some() {
            rows += 1;
        }
        assert_eq!(rows, 500, "reverse: {reverse}");
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_dropped_scan_closes_and_others_go_on() {
    let client = client();
    let table = table(&client, "scans_dropped", 1000).await;
    for _ in 0..20 {
        let mut scanner = table.scan(Scan::new().rows_per_call(5));
        assert!(scanner.next().await.unwrap().is_some());
    }
    assert_eq!(read(&table, Scan::new()).await.len(), 1000);
    let missing = client.table("scans_none").scan(Scan::new()).next().await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::TableNotFound);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn many_scans_at_once_share_a_connection() {
    let table = table(&client(), "scans_many", 1000).await;
    let one = Client::new(options()).unwrap();
    let table = one.table(table.name());
    let scans = (0..16).map(|at| read(&table, Scan::new().rows_per_call(10 + at)));
    for rows in futures_util::future::join_all(scans).await {
        assert_eq!(rows, keys(0..1000));
    }
    let servers: std::collections::BTreeSet<_> =
        table.regions().await.unwrap().into_iter().map(|region| region.1).collect();
    let connections = one.dump().lines().filter(|line| line.contains("ClientService,")).count();
    // That of hbase:meta may be another server.
    assert!((servers.len()..=servers.len() + 1).contains(&connections), "{}", one.dump());
}
