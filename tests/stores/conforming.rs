//! Every store and database of the crate, and every pointer to one, held to its laws.

use std::sync::Arc;

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use rowkey::KeyRange;
use rowkey::conformance;
use rowkey::store::{Batch, Costs, Database, Memory, Metered, RowBatch, Rows, Scan, Store, SubStore};
use rowkey_testkit::cases;

fn table() -> Arc<dyn Store> {
    Memory::new().table("rows").expect("memory opens any table")
}

#[test]
fn memory() {
    conformance::database(Memory::new);
}

#[test]
fn a_table_of_memory() {
    conformance::store(table);
}

#[test]
fn pointers_to_a_store() {
    // One over another: what any of them does not pass on is missing at the top.
    conformance::store(|| -> Box<dyn Store> {
        let leaked: &'static dyn Store = Box::leak(Box::new(table()));
        let shared: Arc<dyn Store> = Arc::new(leaked);
        Box::new(shared)
    });
}

#[test]
fn pointers_to_a_database() {
    conformance::database(|| -> Box<dyn Database> {
        let leaked: &'static Memory = Box::leak(Box::new(Memory::new()));
        let shared: Arc<dyn Database> = Arc::new(leaked);
        Box::new(shared)
    });
}

#[test]
fn sub_store() {
    conformance::database(|| SubStore::new(table()));
}

#[test]
fn a_table_of_a_sub_store_among_others() {
    conformance::store(|| {
        let database = SubStore::new(table());
        for neighbour in ["", "a", "a\0", "aa", "b"] {
            let rows = database.table(neighbour).unwrap();
            rows.compare_and_write(b"\0", None, Some(b"a neighbour's")).unwrap();
            rows.compare_and_write(b"\xff\xff\xff", None, Some(b"a neighbour's")).unwrap();
        }
        database.table("a\x01").unwrap()
    });
}

#[test]
fn sub_store_in_a_sub_store() {
    conformance::database(|| SubStore::new(SubStore::new(table()).table("inner").unwrap()));
}

#[test]
fn a_metered_database() {
    conformance::database(|| Metered::new(Memory::new()));
}

#[test]
fn what_is_done_is_counted() {
    let db = Metered::new(Memory::new());
    let store = db.table("rows").unwrap();
    let done = |what: &dyn Fn()| {
        let before = db.costs();
        what();
        let Costs { seeks, rows_read, cells_read, bytes_read, writes, cells_written, bytes_written, .. } =
            db.costs() - before;
        assert_eq!(rows_read, cells_read, "a plain row is one cell");
        ([seeks, rows_read, bytes_read], [writes, cells_written, bytes_written])
    };
    let mut batch = Batch::new();
    for n in 0..100_u8 {
        batch.put([n], vec![n; 9]);
    }
    let read = |scan: Scan| {
        let (mut rows, mut batch) = (store.scan(&scan), RowBatch::new());
        while rows.next_batch(&mut batch).is_ok() && !batch.is_empty() {}
    };
    let ranges = || vec![KeyRange::prefix([3]), KeyRange::new([50], Some([60])).unwrap()];
    assert_eq!(done(&|| store.write(&batch).unwrap()), ([0; 3], [1, 100, 1000]));
    assert_eq!(done(&|| drop(store.get(&[7]))), ([1, 1, 10], [0; 3]));
    assert_eq!(done(&|| drop(store.get(&[200]))), ([1, 0, 0], [0; 3]));
    assert_eq!(done(&|| drop(store.get_many(&[&[7], &[8], &[200]]))), ([3, 2, 20], [0; 3]));
    assert_eq!(done(&|| read(Scan::new(ranges()))), ([2, 11, 110], [0; 3]));
    assert_eq!(done(&|| read(Scan::all().reverse(true).limit(5))), ([1, 5, 50], [0; 3]));
    assert_eq!(done(&|| drop(store.increment(b"counter", 5))), ([0; 3], [1, 1, 15]));
    assert_eq!(done(&|| drop(store.compare_and_write(&[7], None, Some(b"no")))), ([0; 3], [0; 3]));
    assert_eq!(done(&|| drop(store.compare_and_write(b"new", None, Some(b"yes")))), ([0; 3], [1, 1, 6]));
    assert_eq!(done(&|| store.delete_ranges(&ranges()).unwrap()), ([0; 3], [1, 2, 0]));
    let move_row = || {
        store.transact(&mut |view| {
            let value = view.get(&[9])?.unwrap_or_default();
            let mut batch = Batch::new();
            batch.delete([9]).put(*b"nine", value);
            Ok(batch)
        })
    };
    assert_eq!(done(&|| move_row().unwrap()), ([1, 1, 10], [1, 2, 14]));
    let both = || db.write(&[("rows", Batch::new().put("a", "1")), ("more", Batch::new().put("b", "2").delete("c"))]);
    assert_eq!(done(&|| both().unwrap()), ([0; 3], [1, 3, 5]));

    let only_reads = || store.transact(&mut |view| view.get(&[8]).map(|_| Batch::new()));
    assert_eq!(done(&|| only_reads().unwrap()), ([1, 1, 10], [0; 3]));
    assert_eq!(done(&|| store.write(&Batch::new()).unwrap()), ([0; 3], [0; 3]));
    assert_eq!(done(&|| db.write(&[("rows", &Batch::new())]).unwrap()), ([0; 3], [0; 3]));
    assert_eq!(done(&|| store.delete_ranges(&[]).unwrap()), ([0; 3], [0; 3]));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(80, 300)) })]

    /// Hints at any time, of scans of many ranges or few rows.
    #[test]
    fn skips_leave_out_nothing_that_is_wanted(
        keys in btree_set(key(), 0..150),
        ranges in vec((key(), option::of(key())), 0..5),
        reverse: bool,
        limit in option::of(0..60_u64),
        batch_rows in prop_oneof![1..5_usize, 30..35_usize, Just(256)],
        steps in vec((0..3_usize, vec(key(), 0..3)), 0..8),
        on_both: bool,
    ) {
        let shared = SubStore::new(table());
        let store = if on_both { shared.table("t").unwrap() } else { table() };
        let mut batch = Batch::new();
        for key in &keys {
            batch.put(key.as_slice(), key.as_slice());
        }
        store.write(&batch).unwrap();
        let ranges: Vec<KeyRange> = ranges.into_iter().filter_map(|(start, end)| KeyRange::new(start, end)).collect();
        let scan = Scan::new(if ranges.is_empty() { vec![KeyRange::all()] } else { ranges });
        let scan = scan.reverse(reverse).limit(limit).batch_rows(batch_rows);
        let in_ranges = |key: &Vec<u8>| scan.ranges.iter().any(|range| range.contains(key));
        let mut all: Vec<Vec<u8>> = keys.into_iter().filter(in_ranges).collect();
        if reverse {
            all.reverse();
        }
        let mut rows = store.scan(&scan);
        let (mut batch, mut left, mut hinted) = (RowBatch::new(), limit.unwrap_or(u64::MAX), None::<Vec<u8>>);
        let beyond = |key: &[u8], hint: &Option<Vec<u8>>| {
            hint.as_deref().is_none_or(|hint| if reverse { key <= hint } else { key >= hint })
        };
        let mut all = all.as_slice();
        // At last, to the end.
        for (batches, hints) in steps.into_iter().chain([(1000, Vec::new())]) {
            for _ in 0..batches {
                rows.next_batch(&mut batch).unwrap();
                prop_assert!(batch.len() <= batch_rows && batch.len() as u64 <= left);
                left -= batch.len() as u64;
                for (key, value) in batch.iter() {
                    prop_assert_eq!(key, value);
                    let at = all.iter().position(|other| other == key);
                    let at = at.expect("each row comes once, in order");
                    prop_assert!(all[..at].iter().all(|passed| !beyond(passed, &hinted)));
                    all = &all[at + 1..];
                }
                if batch.is_empty() {
                    prop_assert!(left == 0 || all.iter().all(|passed| !beyond(passed, &hinted)));
                    break;
                }
            }
            for hint in hints {
                rows.skip_to(&hint);
                let further = hinted.as_ref().is_none_or(|before| if reverse { hint < *before } else { hint > *before });
                if further {
                    hinted = Some(hint);
                }
            }
        }
    }
}

/// Few bytes, so that keys begin alike.
fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(select(&[0_u8, 1, b'a', 0xff][..]), 1..5)
}
