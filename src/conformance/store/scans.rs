//! Laws of scans: bounds, ranges, direction, limit, batches, snapshots.

use super::laws::{
    Model, compare, compare_rows, done, equal, expected, fill, holds, put, range, read, read_batch, read_on,
};
use crate::keys::range::KeyRange;
use crate::store::{Batch, Scan, Store};

pub(super) fn bounds(store: &dyn Store) {
    let empty = Model::new();
    compare("read-your-writes", store, &empty, &Scan::all());
    compare("read-your-writes", store, &empty, &Scan::all().reverse(true));
    let mut first = Model::new();
    put(store, &mut first, b"k", b"the first");
    compare("read-your-writes", store, &first, &Scan::new(vec![range(b"a", Some(b"z"))]));
    done("delete", store.write(Batch::new().delete("k")));
    let model = fill(store);
    for (key, value) in &model {
        equal("read-your-writes", "a row that was put", done("read-your-writes", store.get(key)), Some(value.clone()));
    }

    // Each bound by itself, so that a failure names the right law.
    for reverse in [false, true] {
        let keys = |start: &[u8], end: &[u8]| -> Vec<Vec<u8>> {
            let scan = Scan::new(vec![range(start, Some(end))]).reverse(reverse);
            read(store, &scan).into_iter().map(|(key, _)| key).collect()
        };
        for (start, end) in [(&b"a"[..], &b"b"[..]), (b"a\0", b"aa"), (b"b\0", b"c"), (b"\0", b"\xff\xff")] {
            let keys = keys(start, end);
            holds("start-inclusive", keys.iter().any(|key| key == start), "the start of a range is not in it");
            holds("end-exclusive", !keys.iter().any(|key| key == end), "the end of a range is in it");
        }
    }
    compare("no-end", store, &model, &Scan::all());
    compare("no-end", store, &model, &Scan::new(vec![range(b"b", None)]));
    compare("no-end", store, &model, &Scan::new(vec![range(b"\xff\xff", None)]));
    compare("no-range", store, &model, &Scan::new(vec![]));
    compare("no-range", store, &model, &Scan::new(vec![]).reverse(true));

    for key in model.keys() {
        compare("point", store, &model, &Scan::new(vec![KeyRange::point(key.as_slice())]));
        compare("point", store, &model, &Scan::new(vec![KeyRange::point(key.as_slice())]).reverse(true));
        compare("every-range", store, &model, &Scan::new(vec![KeyRange::prefix(key.as_slice())]));
    }
    compare("point", store, &model, &Scan::new(vec![KeyRange::point("absent")]));
    // Bounds that are not keys of rows.
    compare("every-range", store, &model, &Scan::new(vec![range(b"a\0\x01", Some(b"bb"))]));
}

pub(super) fn ranges(store: &dyn Store) {
    let model = fill(store);
    let all: [Vec<KeyRange>; 6] = [
        vec![range(b"a", Some(b"aa")), range(b"b", Some(b"c"))],
        vec![range(b"\0", Some(b"\0\0")), range(b"b", Some(b"b\0")), range(b"\xff", None)],
        // No rows in the first range, the middle, the last.
        vec![range(b"\0\x01", Some(b"\0\x02")), range(b"a", Some(b"b")), range(b"d", Some(b"e"))],
        vec![range(b"a", Some(b"a\0")), range(b"d", Some(b"e")), range(b"\xff", None)],
        vec![range(b"d", Some(b"e")), range(b"f", Some(b"g"))],
        model.keys().step_by(2).map(|key| KeyRange::point(key.as_slice())).collect(),
    ];
    for ranges in all {
        compare("every-range", store, &model, &Scan::new(ranges.clone()));
        compare("every-range", store, &model, &Scan::new(ranges.clone()).batch_rows(1));
        compare("every-range", store, &model, &Scan::new(ranges).reverse(true));
    }
    // `Scan::new` would merge these two.
    let adjacent = vec![range(b"a", Some(b"b")), range(b"b", Some(b"c"))];
    for batch_rows in [1, 3, 100] {
        let scan = Scan { ranges: adjacent.clone(), ..Scan::all().batch_rows(batch_rows) };
        compare("every-range", store, &model, &scan);
        compare("every-range", store, &model, &scan.reverse(true));
    }
}

/// Bounds and keys to look up may come from anywhere.
pub(super) fn long_bounds(store: &dyn Store) {
    let model = fill(store);
    let long = |last: u8| [&[b'a'; 70_000][..], &[last]].concat();
    for reverse in [false, true] {
        for ranges in [
            vec![range(&long(b'a'), None)],
            vec![range(b"a", Some(&long(b'a')))],
            vec![range(&long(b'a'), Some(&long(b'b')))],
            vec![range(b"a", Some(&long(b'a'))), KeyRange::prefix(long(b'b')), range(&long(b'c'), Some(b"b"))],
        ] {
            compare("long-bounds", store, &model, &Scan::new(ranges).reverse(reverse));
        }
    }
    equal("long-bounds", "a row of a key that can't be", done("long-bounds", store.get(&long(b'a'))), None);
}

pub(super) fn reverse(store: &dyn Store) {
    let model = fill(store);
    for batch_rows in [1, 2, 100] {
        let scan = Scan::all().reverse(true).batch_rows(batch_rows);
        compare("reverse", store, &model, &scan);
        compare("reverse", store, &model, &Scan { ranges: vec![range(b"a\0", Some(b"b\0"))], ..scan.clone() });
        compare("reverse", store, &model, &Scan { ranges: vec![range(b"a\xff", None)], ..scan });
    }
}

pub(super) fn limits(store: &dyn Store) {
    let model = fill(store);
    let rows = model.len() as u64;
    let two = vec![range(b"a", Some(b"aa")), range(b"b", Some(b"c"))];
    for limit in [0, 1, 2, 6, 7, rows - 1, rows, rows + 1, u64::MAX] {
        for batch_rows in [1, 3, 100] {
            for reverse in [false, true] {
                let scan = Scan::all().limit(limit).batch_rows(batch_rows).reverse(reverse);
                compare("limit", store, &model, &scan);
                compare("limit", store, &model, &Scan { ranges: two.clone(), ..scan });
            }
        }
    }
}

pub(super) fn batches(store: &dyn Store) {
    let mut model = Model::new();
    let mut batch = Batch::new();
    for number in 0..300_u32 {
        let key = number.to_be_bytes();
        let value = vec![b'v'; 1 + number as usize % 50];
        batch.put(key, value.as_slice());
        model.insert(key.to_vec(), value);
    }
    done("read-your-writes", store.write(&batch));
    for batch_rows in [1, 7, 256, 299, 300, 301, usize::MAX] {
        compare("batch-rows", store, &model, &Scan::all().batch_rows(batch_rows));
        compare("batch-rows", store, &model, &Scan::all().batch_rows(batch_rows).reverse(true));
    }
    // One row, two or three, many, all; with batches that span ranges.
    let tens: Vec<KeyRange> =
        (0..30).map(|ten: u32| range(&(ten * 10).to_be_bytes(), Some(&(ten * 10 + 5).to_be_bytes()))).collect();
    for batch_bytes in [1, 60, 1000, usize::MAX] {
        for reverse in [false, true] {
            let scan = Scan::all().batch_bytes(batch_bytes).reverse(reverse);
            compare("batch-bytes", store, &model, &scan);
            compare("batch-bytes", store, &model, &scan.clone().batch_rows(7).limit(290));
            compare("batch-bytes", store, &model, &Scan { ranges: tens.clone(), ..scan });
        }
    }
    // Scans that are read alternately do not affect each other. A scan that is dropped early affects nothing.
    let scan = Scan::all().batch_rows(10);
    let (mut one, mut other) = (store.scan(&scan), store.scan(&scan));
    let mut seen = read_batch(&mut *one, &scan);
    read_batch(&mut *other, &scan);
    drop(other);
    seen.extend(read_on(&mut *one, &scan));
    compare_rows("batch-rows", &scan, &seen, &expected(&model, &scan));
}

pub(super) fn snapshots(store: &dyn Store) {
    let mut model = fill(store);
    // A scan that is opened after a write returns it, whatever was scanned before.
    compare("read-your-writes", store, &model, &Scan::all());
    put(store, &mut model, b"aaa", b"new");
    put(store, &mut model, b"b", b"changed");
    compare("read-your-writes", store, &model, &Scan::all());
    compare("read-your-writes", store, &model, &Scan::all().reverse(true));
    if !store.guarantees().snapshot_scans {
        return;
    }
    for reverse in [false, true] {
        for read_before in [0, 1, 5] {
            let scan = Scan::all().batch_rows(1).reverse(reverse);
            let before = expected(&model, &scan);
            let mut rows = store.scan(&scan);
            let mut seen = Vec::new();
            for _ in 0..read_before {
                seen.extend(read_batch(&mut *rows, &scan));
            }
            put(store, &mut model, &[b'a', b'z', read_before, u8::from(reverse)], b"put while a scan was open");
            put(store, &mut model, b"ba", &[read_before, u8::from(reverse)]);
            model.retain(|key, _| !key.starts_with(b"a\0"));
            done("delete-ranges", store.delete_ranges(&[KeyRange::prefix(b"a\0")]));
            seen.extend(read_on(&mut *rows, &scan));
            compare_rows("snapshot", &scan, &seen, &before);
            compare("read-your-writes", store, &model, &scan);
            put(store, &mut model, b"a\0", b"again");
            put(store, &mut model, b"a\0\xff", b"again");
        }
    }
}
