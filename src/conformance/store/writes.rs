//! Laws of writes by one caller at a time.

use super::laws::{Model, Random, Show, compare, done, equal, fill, holds, put, range, refused};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, Scan, Store, Write};

pub(super) fn empty_key(store: &dyn Store) {
    let law = "empty-key";
    let mut model = Model::new();
    put(store, &mut model, b"k", b"before");
    let is_empty_key = |error: &Error| matches!(error, Error::EmptyKey);
    let is_refusal = |error: &Error| matches!(error, Error::EmptyKey | Error::Unsupported(_));

    refused(law, "a put of the empty key", store.write(Batch::new().put("", "v")), is_empty_key);
    refused(law, "a delete of the empty key", store.write(Batch::new().delete("")), is_empty_key);
    let mut mixed = Batch::new();
    mixed.put("k", "after").put("", "v").put("l", "after");
    if store.guarantees().batch >= Atomicity::Table {
        refused(law, "a batch with an empty key", store.write(&mixed), is_empty_key);
        compare("whole-batch", store, &model, &Scan::all());
    }
    refused(law, "an increment of the empty key", store.increment(b"", 1), is_refusal);
    for (expected, new) in [(None, None), (None, Some(&b"v"[..])), (Some(&b"v"[..]), None)] {
        let answer = store.compare_and_write(b"", expected, new);
        refused(law, "a compare-and-write of the empty key", answer, is_refusal);
    }

    match store.get(b"") {
        Ok(None) | Err(Error::EmptyKey) => {}
        other => holds(law, false, format_args!("reading the empty key returns {other:?}")),
    }
    match store.get_many(&[b"", b"absent"]) {
        Ok(values) => equal(law, "reading the empty key among others", values, vec![None, None]),
        Err(error) => refused(law, "reading the empty key among others", Err::<(), _>(error), is_empty_key),
    }
}

pub(super) fn values(store: &dyn Store) {
    let mut model = Model::new();
    put(store, &mut model, b"empty", b"");
    equal("empty-value", "an empty value", done("empty-value", store.get(b"empty")), Some(vec![]));
    equal("empty-value", "no value", done("empty-value", store.get(b"absent")), None);
    compare("empty-value", store, &model, &Scan::all());

    let limits = store.guarantees().limits;
    let within = |len: usize, max: Option<usize>| len.min(max.unwrap_or(len));
    let large: Vec<u8> = (0..within(64 * 1024, limits.value)).map(|byte| (byte % 251) as u8).collect();
    put(store, &mut model, b"large", &large);
    put(store, &mut model, &vec![b'k'; within(1024, limits.key)], b"a long key");
    holds("large-value", done("large-value", store.get(b"large")) == Some(large), "64 KiB come back changed");
    compare("large-value", store, &model, &Scan::all());

    for value in [&b"shorter"[..], b"", b"longer than that"] {
        put(store, &mut model, b"large", value);
        equal(
            "read-your-writes",
            "a value put again",
            done("read-your-writes", store.get(b"large")),
            Some(value.into()),
        );
    }
    compare("read-your-writes", store, &model, &Scan::all());
}

pub(super) fn order(store: &dyn Store) {
    let law = "batch-order";
    let mut batch = Batch::new();
    batch.put("put twice", "first").put("deleted", "v").delete("put after all");
    batch.put("put twice", "second").delete("deleted").put("put after all", "v");
    done(law, store.write(&batch));
    let mut model = Model::new();
    model.insert(b"put twice".into(), b"second".into());
    model.insert(b"put after all".into(), b"v".into());
    compare(law, store, &model, &Scan::all());
    for key in [&b"put twice"[..], b"deleted", b"put after all"] {
        equal(law, "a row written twice in a batch", done(law, store.get(key)), model.get(key).cloned());
    }
    done(law, store.write(&Batch::new()));
    compare(law, store, &model, &Scan::all());
}

pub(super) fn deletes(store: &dyn Store) {
    done("delete", store.write(Batch::new().delete("absent")));
    let mut model = fill(store);
    done("delete", store.write(Batch::new().delete("a\0").delete("absent")));
    model.remove(&b"a\0"[..]);
    equal("delete", "a deleted row", done("delete", store.get(b"a\0")), None);
    compare("delete", store, &model, &Scan::all());

    let law = "delete-ranges";
    let lists: [Vec<KeyRange>; 5] = [
        vec![],
        vec![range(b"d", Some(b"e"))],
        vec![range(b"a\0\0", Some(b"aa"))],
        vec![KeyRange::point("\0"), range(b"b", Some(b"c"))],
        vec![range(b"\xfe", None)],
    ];
    for ranges in lists {
        done(law, store.delete_ranges(&ranges));
        model.retain(|key, _| !ranges.iter().any(|range| range.contains(key)));
        compare(law, store, &model, &Scan::all());
    }
    done(law, store.delete_ranges(&[KeyRange::all()]));
    compare(law, store, &Model::new(), &Scan::all());
}

pub(super) fn get_many(store: &dyn Store) {
    let law = "get-many";
    let model = fill(store);
    let orders: [&[&[u8]]; 5] =
        [&[], &[b"b", b"a"], &[b"c", b"c", b"a", b"c"], &[b"absent", b"a", b"absent"], &[b"\xff\xff", b"\0", b"a\0"]];
    for keys in orders {
        let should_be: Vec<Option<Vec<u8>>> = keys.iter().map(|&key| model.get(key).cloned()).collect();
        equal(law, format_args!("the values of {keys:?}"), done(law, store.get_many(keys)), should_be);
    }
}

pub(super) fn increments(store: &dyn Store) {
    let law = "increment";
    if !store.guarantees().increment {
        let unsupported = |error: &Error| matches!(error, Error::Unsupported(_));
        return refused("unsupported", "an increment", store.increment(b"k", 1), unsupported);
    }
    let mut value = 0_i64;
    for by in [5, 0, -7, i64::MAX, 1, i64::MAX, i64::MIN, i64::MIN, -1] {
        value = value.wrapping_add(by);
        equal(law, format_args!("the sum after {by} more"), done(law, store.increment(b"counter", by)), value);
        let bytes = value.to_be_bytes().to_vec();
        equal(law, "the counter's bytes", done(law, store.get(b"counter")), Some(bytes));
    }
    done(law, store.write(Batch::new().put("put", 41_i64.to_be_bytes())));
    equal(law, "a counter that was put", done(law, store.increment(b"put", 1)), 42);
    done(law, store.write(Batch::new().delete("put")));
    equal(law, "a counter that was deleted", done(law, store.increment(b"put", 1)), 1);
    // However many increments come in one millisecond, a later write is later.
    for round in 0..10_u8 {
        for sum in 1..=5 {
            equal(law, "a counter after its row was deleted", done(law, store.increment(b"over", 1)), sum);
        }
        if round % 2 == 0 {
            done(law, store.write(Batch::new().put("over", [round])));
            equal(law, "a put after increments", done(law, store.get(b"over")), Some(vec![round]));
        }
        done(law, store.write(Batch::new().delete("over")));
        equal(law, "a delete after increments", done(law, store.get(b"over")), None);
    }

    for len in [0, 1, 7, 9, 16] {
        let value = vec![1; len];
        done("not-a-counter", store.write(Batch::new().put("text", value.as_slice())));
        match store.increment(b"text", 1) {
            Err(Error::NotACounter { key, len: said }) => {
                equal("not-a-counter", "the key that the error names", key, b"text".to_vec());
                equal("not-a-counter", "the length that the error names", said, len);
            }
            other => holds("not-a-counter", false, format_args!("a value of {len} bytes plus one is {other:?}")),
        }
        equal("not-a-counter", "the value", done("not-a-counter", store.get(b"text")), Some(value));
    }
}

pub(super) fn compare_and_write(store: &dyn Store) {
    if !store.guarantees().compare_and_write {
        let unsupported = |error: &Error| matches!(error, Error::Unsupported(_));
        let answer = store.compare_and_write(b"k", None, Some(b"v"));
        return refused("unsupported", "a compare-and-write", answer, unsupported);
    }
    let law = "compare-and-write";
    let values: [Option<&[u8]>; 4] = [None, Some(b""), Some(b"v"), Some(b"vv")];
    for stored in values {
        for expected in values {
            for new in values {
                let mut batch = Batch::new();
                match stored {
                    Some(value) => batch.put("k", value),
                    None => batch.delete("k"),
                };
                done(law, store.write(&batch));
                let case = format!("with {stored:?} there, {expected:?} expected and {new:?} to be written");
                let written = done(law, store.compare_and_write(b"k", expected, new));
                equal(law, format_args!("{case}, whether it wrote"), written, stored == expected);
                let after = if stored == expected { new } else { stored };
                let is = done(law, store.get(b"k"));
                equal(law, format_args!("{case}, the value after"), is, after.map(<[u8]>::to_vec));
            }
        }
    }
    holds(law, done(law, store.get(b"k\0")).is_none(), "a key that was not written exists");
}

/// Random writes, reads and scans, compared with a sorted map.
pub(super) fn model(store: &dyn Store, random: &mut Random) {
    let law = "model";
    let guarantees = store.guarantees();
    let mut model = Model::new();
    for _ in 0..250 {
        match random.below(12) {
            0 => {
                let ranges = Scan::new(random.ranges()).ranges;
                done(law, store.delete_ranges(&ranges));
                model.retain(|key, _| !ranges.iter().any(|range| range.contains(key)));
            }
            1 if guarantees.increment => {
                let (key, by) = (random.key(), random.below(100) as i64);
                let stored = model.get(&key).map(Vec::as_slice);
                let sum = <[u8; 8]>::try_from(stored.unwrap_or(&[0; 8])).map(|bytes| i64::from_be_bytes(bytes) + by);
                match (store.increment(&key, by), sum) {
                    (Ok(is), Ok(should_be)) if is == should_be => drop(model.insert(key, is.to_be_bytes().into())),
                    (Err(Error::NotACounter { .. }), Err(_)) => {}
                    (is, should_be) => holds(law, false, format_args!("an increment: {is:?}, not {should_be:?}")),
                }
            }
            2 if guarantees.compare_and_write => {
                let key = random.key();
                let stored = model.get(&key).cloned();
                let expected = if random.chance(2) { stored.clone() } else { random.chance(2).then(|| random.value()) };
                let new = random.chance(2).then(|| random.value());
                let written = done(law, store.compare_and_write(&key, expected.as_deref(), new.as_deref()));
                equal(law, "whether a compare-and-write wrote", written, stored == expected);
                match new {
                    Some(value) if written => drop(model.insert(key, value)),
                    None if written => drop(model.remove(&key)),
                    _ => {}
                }
            }
            _ => {
                let batch = random_batch(random);
                done(law, store.write(&batch));
                for write in batch.writes() {
                    match write {
                        Write::Put(key, value) => model.insert(key.to_vec(), value.to_vec()),
                        Write::Delete(key) => model.remove(key),
                    };
                }
            }
        }
        let key = random.key();
        equal(law, Show(&[(key.clone(), vec![])][..]), done(law, store.get(&key)), model.get(&key).cloned());
        compare(law, store, &model, &random.scan());
    }
    compare(law, store, &model, &Scan::all());
}

fn random_batch(random: &mut Random) -> Batch {
    let mut batch = Batch::new();
    for _ in 0..=random.below(8) {
        match random.chance(3) {
            true => batch.delete(random.key()),
            false => batch.put(random.key(), random.value()),
        };
    }
    batch
}
