//! Reads that do not fit into one request, or into one filter.

use futures_util::TryStreamExt;
use rowkey::KeyRange;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore};
use rowkey::store::Scan;
use rowkey::wide::{CellIter, Columns, Compare, Condition, FamilySchema, Mutation, TableSchema};

use crate::{connect, runtime};

/// Longer than a filter may be.
const LONG: usize = 30_000;

fn schema() -> TableSchema {
    TableSchema::new()
        .family("a", FamilySchema::new().max_versions(9))
        .family("b.c", FamilySchema::new().max_versions(9))
}

/// The rows of a scan: key and cells, as text.
async fn scanned(store: &dyn AsyncWideStore, scan: &Scan, columns: &Columns) -> Vec<String> {
    let batches: Vec<_> = store.scan(scan, columns).try_collect().await.unwrap();
    let row = |(key, cells): (&[u8], &[u8])| {
        let cells: Vec<_> = CellIter::new(cells)
            .map(|cell| format!("{}@{}={}", cell.column(), cell.timestamp, cell.value.escape_ascii()))
            .collect();
        format!("{} {}", key.escape_ascii(), cells.join(" "))
    };
    batches.iter().flat_map(|batch| batch.iter().map(row)).collect()
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn a_selection_that_is_longer_than_a_filter_reads_the_same() {
    let runtime = runtime();
    let db = connect(runtime.handle());
    runtime.block_on(async {
        let store = db.table("t", &schema()).await.unwrap();
        for row in 0..6 {
            let mut mutation = Mutation::new();
            for (family, qualifier, at) in (0..40).map(|n| (["a", "b.c"][n % 2], n / 8, n as i64)) {
                mutation = mutation.put_at((family, format!("q{qualifier}")), 7 + at, format!("v{}", (at + row) % 5));
            }
            store.mutate(format!("r{row}").as_bytes(), &mutation).await.unwrap();
        }
        let long = "v".repeat(LONG);
        let chosen = || Columns::all().qualifier_range("a", "q1".."q4").family("b.c");
        let reads = [
            chosen(),
            chosen().versions(3),
            chosen().versions(9).time(12..40),
            chosen().value(Compare::GreaterOrEqual, "v3").versions(2),
            chosen().limit(3),
            chosen().limit(2).offset(2),
            chosen().offset(7),
            chosen().first_only(),
            chosen().rows_where(Condition::equal("a:q2", "v1")),
            chosen().rows_where(Condition::absent("a:q9")).limit(4),
            Columns::of("a:q3").versions(2).value(Compare::NotEqual, "v2"),
        ];
        for columns in reads {
            // Qualifiers that no row has.
            let longer = (0..3000).fold(columns.clone(), |columns, n| columns.column(("a", format!("q3x{n:05}"))));
            for scan in [Scan::all(), Scan::all().reverse(true), Scan::all().limit(2)] {
                let rows = scanned(&*store, &scan, &columns).await;
                assert_eq!(scanned(&*store, &scan, &longer).await, rows, "{columns:?}");
                assert!(!rows.is_empty(), "{columns:?}");
            }
            let (one, other) = (store.get(b"r3", &columns).await.unwrap(), store.get(b"r3", &longer).await.unwrap());
            assert_eq!(one, other, "{columns:?}");
        }
        // Every value sorts before this one.
        let all = scanned(&*store, &Scan::all(), &chosen().versions(9)).await;
        let compared = |compare| chosen().value(compare, long.clone()).versions(9);
        assert_eq!(scanned(&*store, &Scan::all(), &compared(Compare::Less)).await, all);
        assert!(scanned(&*store, &Scan::all(), &compared(Compare::Greater)).await.is_empty());
        // A condition has to be in the filter.
        let error = store.get(b"r1", &chosen().rows_where(Condition::equal("a:q1", long.clone()))).await.unwrap_err();
        assert_eq!(error.kind(), rowkey::ErrorKind::InvalidInput, "{error}");
        let condition = Condition::equal("a:q1", long);
        let error = store.check_and_mutate(b"r1", &condition, &Mutation::new().put("a:q1", "x")).await.unwrap_err();
        assert_eq!(error.kind(), rowkey::ErrorKind::InvalidInput, "{error}");
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn more_keys_and_ranges_than_a_request_takes() {
    let runtime = runtime();
    let db = connect(runtime.handle());
    runtime.block_on(async {
        let store = db.table("t", &schema()).await.unwrap();
        // Keys of 100 bytes: 12,000 of them are three requests.
        let key = |n: usize| format!("{n:0100}").into_bytes();
        let rows: Vec<_> = (0..12_000).map(|n| (key(n), Mutation::new().put_at("a:n", 1, n.to_string()))).collect();
        store.mutate_many(&rows).await.unwrap();
        let asked: Vec<Vec<u8>> = (0..24_000).rev().map(|n| key(n / 2 * 3)).collect();
        let asked: Vec<&[u8]> = asked.iter().map(Vec::as_slice).collect();
        let found = store.get_many(&asked, &Columns::all()).await.unwrap();
        for (index, row) in found.iter().enumerate() {
            let n = (23_999 - index) / 2 * 3;
            let value = (n < 12_000).then(|| n.to_string());
            assert_eq!(row.value("a:n"), value.as_deref().map(str::as_bytes), "{index}");
        }
        // Every third row, a range each.
        let ranges: Vec<_> = (0..12_000).step_by(3).map(|n| KeyRange::point(key(n))).collect();
        let expected: Vec<String> =
            (0..12_000).step_by(3).map(|n| format!("{} a:n@1={n}", key(n).escape_ascii())).collect();
        for limit in [None, Some(1), Some(2500), Some(4000), Some(4001)] {
            let scan = Scan::new(ranges.clone()).limit(limit);
            let most = limit.map_or(usize::MAX, |limit| limit as usize);
            let forward: Vec<_> = expected.iter().take(most).cloned().collect();
            assert_eq!(scanned(&*store, &scan, &Columns::all()).await, forward, "{limit:?}");
            let backward: Vec<_> = expected.iter().rev().take(most).cloned().collect();
            assert_eq!(scanned(&*store, &scan.reverse(true), &Columns::all()).await, backward, "{limit:?}");
        }
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn bounds_that_are_longer_than_a_key_can_be() {
    let runtime = runtime();
    let db = connect(runtime.handle());
    runtime.block_on(async {
        let store = db.table("t", &schema()).await.unwrap();
        let longest = vec![b'k'; 4096];
        for key in [b"a".to_vec(), longest.clone(), b"z".to_vec()] {
            store.mutate(&key, &Mutation::new().put_at("a:n", 1, "")).await.unwrap();
        }
        let longer = |last: u8| [&longest[..], &[last]].concat();
        for (start, end, rows) in [
            (b"a".to_vec(), Some(longer(0)), 2),
            (longer(0), None, 1),
            (longer(1), Some(longer(2)), 0),
            (longest.clone(), Some(longer(0)), 1),
            (longer(0), Some(b"z\0".to_vec()), 1),
            (b"b".to_vec(), Some(longest.clone()), 0),
        ] {
            let Some(range) = KeyRange::new(start, end) else { panic!() };
            for reverse in [false, true] {
                let scan = Scan::new(vec![range.clone()]).reverse(reverse);
                assert_eq!(scanned(&*store, &scan, &Columns::all()).await.len(), rows, "{range:?}");
            }
        }
        assert!(store.get(&longer(0), &Columns::all()).await.unwrap().is_empty());
    });
}
