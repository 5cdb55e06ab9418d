//! Keys to bytes.

use std::hint::black_box;

use rowkey::{LayoutBuf, RowKey, Value};
use serde::Serialize;

use crate::by_hand;
use crate::keys::{ByHand, Bytes, BytesDesc, Ints, KEYS, Salted, Text, TextDesc, Values, Words, WordsDesc};
use crate::measure::{BY_HAND, Bench, OURS, Work};

pub fn measure(bench: &mut Bench) {
    let mut values = Values::new();
    let ints = values.many(KEYS, Values::ints);
    ints.iter().for_each(|key| assert_eq!(key.to_array(), by_hand::ints(key.user, key.at, key.event)));
    bench.measure(
        Work::new("encode u64 + i64 + u32, to an array", KEYS)
            .run(OURS, || ints.iter().for_each(|key| _ = black_box(black_box(key).to_array())))
            .run(BY_HAND, || {
                for key in &ints {
                    let key = black_box(key);
                    black_box(by_hand::ints(key.user, key.at, key.event));
                }
            })
            .goal(BY_HAND, 1.1),
    );
    bench.measure(
        peers(work("encode u64 + i64 + u32, reused Vec", &ints), &ints, |key, out| {
            foundationdb_tuple::pack_into(&(key.user, key.at, key.event), out);
        })
        .peer("storekey", each(&ints, storekey_to))
        .peer("bytekey2", each(&ints, bytekey_to))
        .goal(BY_HAND, 1.1),
    );

    let words = values.many(KEYS, Values::words);
    let descending: Vec<_> = words.iter().cloned().map(WordsDesc::from).collect();
    bench.measure(
        peers(work("encode text of 16 + i64 + text of 38", &words), &words, |key, out| {
            foundationdb_tuple::pack_into(&(key.first.as_str(), key.at, key.second.as_str()), out);
        })
        .peer("storekey", each(&words, storekey_to))
        .run("bytekey2, unescaped", each(&words, bytekey_to))
        .goal(BY_HAND, 1.2),
    );
    bench.measure(descends(work("encode text of 16 + i64 + text of 38, desc text", &descending), &words));

    let texts = values.many(KEYS / 8, |values| Text { text: values.text(1024) });
    let descending: Vec<_> = texts.iter().map(|key| TextDesc { text: key.text.clone() }).collect();
    bench.measure(
        peers(work("encode 1 KiB of text", &texts), &texts, |key, out| {
            foundationdb_tuple::pack_into(&key.text.as_str(), out);
        })
        .peer("storekey", each(&texts, storekey_to))
        .run("bytekey2, unescaped", each(&texts, bytekey_to))
        .goal(BY_HAND, 1.2),
    );
    bench.measure(descends(work("encode 1 KiB of text, desc", &descending), &texts));

    // bytekey2 neither ends nor escapes bytes, so it has no such key.
    let bytes = values.many(KEYS / 8, |values| Bytes { bytes: values.half_zeros(1024) });
    let descending: Vec<_> = bytes.iter().map(|key| BytesDesc { bytes: key.bytes.clone() }).collect();
    bench.measure(
        peers(work("encode 1 KiB of bytes, half of them 00", &bytes), &bytes, |key, out| {
            foundationdb_tuple::pack_into(&key.bytes.as_slice(), out);
        })
        .peer("storekey", each(&bytes, storekey_bytes_to))
        .goal(BY_HAND, 1.2),
    );
    bench.measure(descends(work("encode 1 KiB of bytes, half of them 00, desc", &descending), &bytes));

    let salted: Vec<_> = ints.iter().cloned().map(Salted::from).collect();
    bench.measure(work("encode a key of 20 bytes with an xxh3 salt", &salted).goal(BY_HAND, 1.3));

    let layout = LayoutBuf::from(&Ints::LAYOUT);
    let plain: Vec<_> = ints.iter().map(plain).collect();
    plain.iter().zip(&ints).for_each(|(plain, key)| assert_eq!(layout.encode(plain).unwrap(), key.encode()));
    bench.measure(
        Work::new("encode a key of 20 bytes by layout alone", KEYS)
            .run(OURS, each(&plain, |key, out| layout.encode_to(key, out).unwrap()))
            .run("typed", each(&ints, Ints::encode_to))
            .goal("typed", 6.0),
    );
}

fn plain(key: &Ints) -> [Value; 3] {
    [Value::Unsigned(key.user.into()), Value::Signed(key.at.into()), Value::Unsigned(key.event.into())]
}

/// Every key into the same buffer.
pub fn each<K>(keys: &[K], write: impl Fn(&K, &mut Vec<u8>)) -> impl FnMut() {
    let mut out = Vec::with_capacity(4096);
    move || {
        for key in keys {
            out.clear();
            write(black_box(key), &mut out);
            black_box(out.as_slice());
        }
    }
}

/// Ours and by hand, which have to agree on every byte.
fn work<'k, K: ByHand>(name: &str, keys: &'k [K]) -> Work<'k> {
    for key in keys {
        let mut by_hand = Vec::new();
        key.put(&mut by_hand);
        assert_eq!(key.encode(), by_hand, "{name}");
    }
    Work::new(name, keys.len()).run(OURS, each(keys, K::encode_to)).run(BY_HAND, each(keys, K::put))
}

/// What descends costs at most so much more than what ascends; peers know no descending text.
fn descends<'k, K: ByHand>(work: Work<'k>, ascending: &'k [K]) -> Work<'k> {
    work.run("by hand, ascending", each(ascending, K::put)).goal("by hand, ascending", 1.4)
}

fn peers<'k, K: Serialize>(work: Work<'k>, keys: &'k [K], tuple: impl Fn(&K, &mut Vec<u8>) + 'k) -> Work<'k> {
    work.peer("foundationdb-tuple", each(keys, tuple)).peer("memcomparable", each(keys, memcomparable_to))
}

pub fn memcomparable_to<K: Serialize>(key: &K, out: &mut Vec<u8>) {
    key.serialize(&mut memcomparable::Serializer::new(out)).unwrap();
}

pub fn bytekey_to<K: Serialize>(key: &K, out: &mut Vec<u8>) {
    bytekey2::serialize_into(out, key).unwrap();
}

pub fn storekey_to<K: storekey::Encode>(key: &K, out: &mut Vec<u8>) {
    storekey::encode(out, key).unwrap();
}

/// A slice at once: its form of `Vec<u8>` is that of any `Vec`, element by element.
pub fn storekey_bytes_to(key: &Bytes, out: &mut Vec<u8>) {
    storekey::Writer::new(out).write_slice(&key.bytes).unwrap();
}

impl From<Words> for WordsDesc {
    fn from(Words { first, at, second }: Words) -> Self {
        Self { first, at, second }
    }
}

impl From<Ints> for Salted {
    fn from(Ints { user, at, event }: Ints) -> Self {
        Self { user, at, event }
    }
}
