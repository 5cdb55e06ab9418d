//! Bytes to keys.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hint::black_box;

use rowkey::{LayoutBuf, OwnedKey, RowKey};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::encode::{bytekey_to, memcomparable_to, storekey_bytes_to, storekey_to};
use crate::keys::{ByHand, Bytes, BytesDesc, Ints, KEYS, Lent, Salted, Text, TextDesc, Values, Words, WordsDesc};
use crate::measure::{BEST_PEER, BY_HAND, Bench, OURS, Work};

pub fn measure(bench: &mut Bench) {
    let mut values = Values::new();
    let ints = values.many(KEYS, Values::ints);
    bench.measure(
        work("decode u64 + i64 + u32", &ints)
            .peer("foundationdb-tuple", unpack(ints.iter().map(|key| (key.user, key.at, key.event))))
            .peer("memcomparable", memcomparable(&ints))
            .peer("storekey", storekey(&ints))
            .peer("bytekey2", bytekey(&ints))
            .goal(BY_HAND, 1.1),
    );

    // bytekey2 reads past the end of a text, into a number that is not UTF-8, and panics.
    let words = values.many(KEYS, Values::words);
    let owned = |work: Work<'static>, words: &[Words]| {
        work.peer("foundationdb-tuple", unpack(words.iter().map(|key| (key.first.clone(), key.at, key.second.clone()))))
            .peer("memcomparable", memcomparable(words))
            .peer("storekey", storekey(words))
    };
    bench.measure(goals(owned(work("decode text of 16 + i64 + text of 38, owned", &words), &words)));
    let descending: Vec<_> = words.iter().cloned().map(WordsDesc::from).collect();
    bench.measure(goals(owned(work("decode text of 16 + i64 + text of 38, owned, desc text", &descending), &words)));

    // bytekey2 does not escape text, so a 00 ends it: shown, but no peer.
    let texts = values.many(KEYS / 8, |values| Text { text: values.text(1024) });
    let owned = |work: Work<'static>, texts: &[Text]| {
        work.peer("foundationdb-tuple", unpack(texts.iter().map(|key| key.text.clone())))
            .peer("memcomparable", memcomparable(texts))
            .peer("storekey", storekey(texts))
            .run("bytekey2, unescaped", bytekey(texts))
    };
    bench.measure(goals(owned(work("decode 1 KiB of text, owned", &texts), &texts)));
    let descending: Vec<_> = texts.iter().map(|key| TextDesc { text: key.text.clone() }).collect();
    bench.measure(goals(owned(work("decode 1 KiB of text, owned, desc", &descending), &texts)));

    let bytes = values.many(KEYS / 8, |values| Bytes { bytes: values.half_zeros(1024) });
    let owned = |work: Work<'static>, bytes: &[Bytes]| {
        work.peer("foundationdb-tuple", unpack(bytes.iter().map(|key| key.bytes.clone())))
            .peer("memcomparable", memcomparable(bytes))
            .peer(
                "storekey",
                round_trip(bytes, storekey_bytes_to, |key| Bytes {
                    bytes: storekey::Reader::new(key).read_vec().unwrap(),
                }),
            )
    };
    bench.measure(goals(owned(work("decode 1 KiB of bytes, half of them 00, owned", &bytes), &bytes)));
    let descending: Vec<_> = bytes.iter().map(|key| BytesDesc { bytes: key.bytes.clone() }).collect();
    bench.measure(goals(owned(work("decode 1 KiB of bytes, half of them 00, owned, desc", &descending), &bytes)));

    for len in [16, 200] {
        bench.measure(borrowed(len, &mut values));
    }

    let salted: Vec<_> = ints.iter().cloned().map(Salted::from).collect();
    bench.measure(work("decode a key of 20 bytes with an xxh3 salt", &salted).goal(BY_HAND, 1.3));

    let layout = LayoutBuf::from(&Ints::LAYOUT);
    let keys = encoded(&ints, Ints::encode_to);
    bench.measure(
        Work::new("decode a key of 20 bytes by layout alone", KEYS)
            .run(OURS, each(keys.clone(), |key| layout.decode(key).unwrap()))
            .run("typed", each(keys, |key| Ints::decode(key).unwrap()))
            .goal("typed", 6.0),
    );
}

/// What lends its text: `Cow`, as a key's text may hold escapes.
fn borrowed(len: usize, values: &mut Values) -> Work<'static> {
    let owned = values.many(KEYS, |values| (values.u64(), values.text(len), values.i64()));
    let keys = encoded(&owned, RowKey::encode_to);
    for key in &keys {
        let (ours, hand) = (Lent::decode(key).unwrap(), Lent::take(key).unwrap());
        assert_eq!((ours.user, &ours.text, ours.at), (hand.user, &hand.text, hand.at));
    }
    Work::new(format!("decode u64 + text of {len} + i64, borrowed"), KEYS)
        .run(OURS, each(keys.clone(), |key| drop(black_box(Lent::decode(key).unwrap()))))
        .run(BY_HAND, each(keys, |key| drop(black_box(Lent::take(key).unwrap()))))
        .peer("foundationdb-tuple", {
            let keys = encoded(&owned, |key, out| _ = foundationdb_tuple::pack_into(key, out));
            each(keys, |key| drop(black_box(foundationdb_tuple::unpack::<(u64, Cow<'_, str>, i64)>(key).unwrap())))
        })
        .peer("storekey", {
            let keys = encoded(&owned, storekey_to);
            each(keys, |key| drop(black_box(storekey::decode_borrow::<Lent<'_>>(key).unwrap())))
        })
        .goal(BY_HAND, 1.3)
        .goal(BEST_PEER, 0.7)
}

/// Ours and by hand, which have to agree on every key.
fn work<K: ByHand + OwnedKey + PartialEq + Debug + 'static>(name: &str, keys: &[K]) -> Work<'static> {
    let bytes = encoded(keys, K::encode_to);
    for (key, bytes) in keys.iter().zip(&bytes) {
        assert_eq!(K::take(bytes).as_ref(), Some(key), "{name}");
        assert_eq!(&K::decode(bytes).unwrap(), key, "{name}");
    }
    Work::new(name, keys.len())
        .run(OURS, each(bytes.clone(), |key| K::decode(key).unwrap()))
        .run(BY_HAND, each(bytes, |key| K::take(key).unwrap()))
}

/// Peers know no descending text; theirs ascends.
fn goals(work: Work<'_>) -> Work<'_> {
    work.goal(BY_HAND, 1.2).goal(BEST_PEER, 0.6)
}

fn encoded<K>(keys: &[K], write: impl Fn(&K, &mut Vec<u8>)) -> Vec<Vec<u8>> {
    let bytes = |key| {
        let mut out = Vec::new();
        write(key, &mut out);
        out
    };
    keys.iter().map(bytes).collect()
}

fn each<T>(keys: Vec<Vec<u8>>, read: impl Fn(&[u8]) -> T) -> impl FnMut() {
    move || keys.iter().for_each(|key| _ = black_box(read(black_box(key))))
}

/// Keys in a peer's form, once they are seen to come back.
fn round_trip<K: PartialEq + Debug + 'static>(
    keys: &[K],
    write: impl Fn(&K, &mut Vec<u8>),
    read: impl Fn(&[u8]) -> K + 'static,
) -> Box<dyn FnMut()> {
    let bytes = encoded(keys, write);
    bytes.iter().zip(keys).for_each(|(bytes, key)| assert_eq!(&read(bytes), key));
    Box::new(each(bytes, read))
}

fn unpack<T>(keys: impl Iterator<Item = T>) -> Box<dyn FnMut()>
where
    T: foundationdb_tuple::TuplePack + for<'a> foundationdb_tuple::TupleUnpack<'a> + PartialEq + Debug + 'static,
{
    let keys: Vec<T> = keys.collect();
    let write = |key: &T, out: &mut Vec<u8>| _ = foundationdb_tuple::pack_into(key, out);
    round_trip(&keys, write, |key| foundationdb_tuple::unpack(key).unwrap())
}

fn memcomparable<K: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(keys: &[K]) -> Box<dyn FnMut()> {
    round_trip(keys, memcomparable_to, |key| memcomparable::from_slice(key).unwrap())
}

fn storekey<K: storekey::Encode + storekey::Decode + PartialEq + Debug + 'static>(keys: &[K]) -> Box<dyn FnMut()> {
    round_trip(keys, storekey_to, |key| storekey::decode(key).unwrap())
}

fn bytekey<K: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(keys: &[K]) -> Box<dyn FnMut()> {
    round_trip(keys, bytekey_to, |key| bytekey2::deserialize(key).unwrap())
}
