//! The law of [`Rows::skip_to`](crate::store::Rows::skip_to).

use super::laws::{Model, Row, Show, broken, compare_rows, done, expected, fill, read_batch, read_on};
use crate::keys::error::Hex;
use crate::keys::range::KeyRange;
use crate::store::{Batch, Scan, Store};

const LAW: &str = "skip-to";

pub(super) fn skips(store: &dyn Store) {
    let model = fill(store);
    let lists = [
        vec![KeyRange::all()],
        Scan::new(["\0", "a\0", "b", "c"].map(KeyRange::prefix).into()).ranges,
        model.keys().step_by(2).map(|key| KeyRange::point(key.as_slice())).collect(),
    ];
    let hints: [&[u8]; 6] = [b"", b"a", b"a\0\x01", b"b\0", b"d", b"\xff\xff\xff"];
    for ranges in lists {
        for (reverse, limit) in [(false, None), (true, None), (false, Some(4)), (true, Some(4))] {
            for batch_rows in [1, 4] {
                let scan =
                    Scan { ranges: ranges.clone(), ..Scan::all().reverse(reverse).limit(limit).batch_rows(batch_rows) };
                for hint in hints {
                    for batches in [0, 2] {
                        skip(store, &model, &scan, batches, hint);
                    }
                }
            }
        }
    }
    several(store, &model);
    long(store);
}

fn skip(store: &dyn Store, model: &Model, scan: &Scan, batches: usize, hint: &[u8]) {
    let mut rows = store.scan(scan);
    let read: Vec<Row> = (0..batches).flat_map(|_| read_batch(&mut *rows, scan)).collect();
    rows.skip_to(hint);
    let after = read_on(&mut *rows, scan);

    let all = expected(model, &Scan { limit: None, ..scan.clone() });
    let beyond = |key: &[u8]| if scan.reverse { key <= hint } else { key >= hint };
    let (wanted, useless): (Vec<Row>, Vec<Row>) =
        all[read.len().min(all.len())..].iter().cloned().partition(|(key, _)| beyond(key));
    let came = after.iter().take_while(|row| useless.contains(row)).count();
    let left = scan.limit.map_or(usize::MAX, |limit| limit as usize).saturating_sub(read.len() + came);
    let should_be = &wanted[..wanted.len().min(left)];
    if after[came..] != *should_be {
        let (after, hint, read) = (Show(&after[came..]), Hex(hint), read.len());
        broken(
            LAW,
            format_args!(
                "{} of which {read} rows were read, skipped to {hint}, goes on with\n  {after}\nand should with\n  {}",
                Show(scan),
                Show(should_be),
            ),
        );
    }
}

/// Several hints, forward and back again.
fn several(store: &dyn Store, model: &Model) {
    for (reverse, hints) in [(false, [&b"a"[..], b"\0", b"a\0\xff", b"c"]), (true, [b"c", b"\xff", b"b", b"a\0"])] {
        let scan = Scan::all().reverse(reverse).batch_rows(1);
        let mut rows = store.scan(&scan);
        let mut seen = Vec::new();
        for hint in hints {
            rows.skip_to(hint);
            rows.skip_to(hint);
            seen.extend(read_batch(&mut *rows, &scan));
        }
        seen.extend(read_on(&mut *rows, &scan));
        let beyond = |key: &[u8]| hints.iter().all(|&hint| if reverse { key <= hint } else { key >= hint });
        let is: Vec<Row> = seen.iter().filter(|(key, _)| beyond(key)).cloned().collect();
        let should_be: Vec<Row> = expected(model, &scan).into_iter().filter(|(key, _)| beyond(key)).collect();
        compare_rows(LAW, &scan, &is, &should_be);
        let in_order = seen.windows(2).all(|pair| (pair[0].0 < pair[1].0) != reverse && pair[0].0 != pair[1].0);
        if !in_order {
            broken(LAW, format_args!("{}, skipped several times, has {}", Show(&scan), Show(&seen[..])));
        }
    }
}

/// In a table with more rows than a batch, or a block of an engine.
fn long(store: &dyn Store) {
    let mut batch = Batch::new();
    let mut model = Model::new();
    done(LAW, store.delete_ranges(&[KeyRange::all()]));
    for number in 0..700_u16 {
        let key = number.to_be_bytes();
        batch.put(key, "v");
        model.insert(key.to_vec(), b"v".to_vec());
    }
    done(LAW, store.write(&batch));
    for (reverse, batches, hint) in
        [(false, 0, 699), (false, 1, 280), (false, 2, 600), (true, 0, 0), (true, 1, 500), (true, 2, 50)]
    {
        for batch_rows in [10, 256] {
            let scan = Scan::all().reverse(reverse).batch_rows(batch_rows);
            skip(store, &model, &scan, batches, &u16::to_be_bytes(hint));
        }
    }
}
