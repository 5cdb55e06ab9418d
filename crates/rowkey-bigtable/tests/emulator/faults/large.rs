//! Large cells, and rows of many cells.

use std::num::NonZeroUsize;

use futures_util::TryStreamExt;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore};
use rowkey::store::Scan;
use rowkey::wide::{CellIter, Columns, FamilySchema, Mutation, TableSchema};
use rowkey_bigtable::Bigtable;
use rowkey_testkit::cases;

use crate::{options, runtime};

const MIB: usize = 1 << 20;

/// Bytes of which no part is another one's.
fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut random = rowkey_testkit::Random(seed);
    (0..len / 8).flat_map(|_| random.below(u64::MAX).to_le_bytes()).collect()
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn cells_of_ten_mebibytes() {
    runtime().block_on(async {
        let db = Bigtable::connect(options()).await.unwrap();
        let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(9));
        let store = db.table("t", &schema).await.unwrap();
        let count = cases(4, 20) as u8;
        let value = |row: u8, cell: u8| bytes(u64::from(row) << 8 | u64::from(cell), 10 * MIB);
        for row in 0..count {
            // One alone, and others in one call: each is more than a request of many rows takes.
            let mutation = Mutation::new().put_at(("a", "one"), 1, value(row, 0)).put_at("a:two", 1, value(row, 1));
            if row % 2 == 0 {
                store.mutate(&[b'r', row], &mutation).await.unwrap();
            } else {
                let small = (vec![b's', row], Mutation::new().put_at("a:n", 1, "small"));
                store.mutate_many(&[(vec![b'r', row], mutation), small]).await.unwrap();
            }
        }
        for row in 0..count {
            let found = store.get(&[b'r', row], &Columns::all()).await.unwrap();
            assert!(found.value("a:one") == Some(&*value(row, 0)) && found.value("a:two") == Some(&*value(row, 1)));
        }
        for reverse in [false, true] {
            let mut batches = store.scan(&Scan::all().reverse(reverse).batch_bytes(MIB), &Columns::of("a:two"));
            let mut found = 0;
            while let Some(batch) = batches.try_next().await.unwrap() {
                assert_eq!(batch.len(), 1);
                for (key, cells) in batch.iter() {
                    let row = if reverse { count - 1 - found } else { found };
                    assert_eq!(key, [b'r', row]);
                    let cell = CellIter::new(cells).next().unwrap();
                    assert!(cell.value == value(row, 1), "row {row}");
                    found += 1;
                }
            }
            assert_eq!(found, count);
        }
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn a_row_of_two_hundred_thousand_cells() {
    const CELLS: usize = 200_000;
    /// Of each column. The emulator takes minutes for as many columns.
    const VERSIONS: usize = 500;
    runtime().block_on(async {
        let db = Bigtable::connect(options()).await.unwrap();
        let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(VERSIONS as u32));
        let store = db.table("t", &schema).await.unwrap();
        let name = |n: usize| format!("q{:06}", n / VERSIONS);
        // The newest is the first one.
        let time = |n: usize| (VERSIONS - n % VERSIONS) as i64;
        let all = || Columns::all().versions(u32::MAX);
        // No request has as many edits.
        let put = |cells: std::ops::Range<usize>| {
            cells.fold(Mutation::new(), |mutation, n| mutation.put_at(("a", name(n)), time(n), n.to_string()))
        };
        assert!(store.mutate(b"r", &put(0..100_001)).await.is_err());
        for start in (0..CELLS).step_by(50_000) {
            store.mutate(b"r", &put(start..start + 50_000)).await.unwrap();
        }
        store.mutate(b"s", &put(0..3)).await.unwrap();
        let row = store.get(b"r", &all()).await.unwrap();
        let mut n = 0;
        for cell in row.cells() {
            assert!(cell.qualifier == name(n).as_bytes() && cell.timestamp == time(n), "{n}");
            assert!(cell.value == n.to_string().as_bytes(), "{n}");
            n += 1;
        }
        assert_eq!(n, CELLS);
        let piece = NonZeroUsize::new(7777).unwrap();
        for reverse in [false, true] {
            let scan = Scan::all().reverse(reverse).batch_rows(2);
            let mut batches = store.scan(&scan, &all().piece(piece.get()));
            let mut pieces: Vec<(Vec<u8>, usize)> = Vec::new();
            while let Some(batch) = batches.try_next().await.unwrap() {
                assert!(batch.len() <= 2);
                pieces.extend(batch.iter().map(|(key, cells)| (key.to_vec(), CellIter::new(cells).count())));
            }
            let of_row = pieces.iter().filter(|(key, _)| key == b"r");
            let counts: Vec<usize> = of_row.map(|(_, cells)| *cells).collect();
            assert_eq!(counts.iter().sum::<usize>(), CELLS);
            let (last, full) = counts.split_last().unwrap();
            assert!(full.iter().all(|cells| *cells == piece.get()) && *last == CELLS % piece, "{counts:?}");
            assert_eq!(pieces.len(), counts.len() + 1);
        }
        // A part of it.
        let some = all().qualifier_range("a", name(150_000)..name(151_000));
        assert_eq!(store.get(b"r", &some).await.unwrap().cells().count(), 1000);
        let page = Columns::all().family("a").offset((CELLS / VERSIONS) as u64 - 10).limit(100);
        assert_eq!(store.get(b"r", &page).await.unwrap().cells().count(), 10);
    });
}
