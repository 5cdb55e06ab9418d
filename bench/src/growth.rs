//! How costs grow: with a key's length, its fields, a salt's buckets, a table's rows.

use std::hint::black_box;
use std::sync::Arc;

use rowkey::store::{self, Database};
use rowkey::{Memory, OwnedKey, RowKey};

use crate::encode::each;
use crate::keys::{ByHand, Ints, Text, Values};
use crate::measure::{BY_HAND, Bench, OURS, Work};
use crate::memory::{Tree, mix};
use crate::scans;

pub const KEY_LENGTH: [&str; 2] = ["growth: encode, bytes of text", "growth: decode, bytes of text"];
pub const FIELDS: [&str; 2] = ["growth: encode, fields of u64", "growth: decode, fields of u64"];
pub const BUCKETS: [&str; 1] = ["growth: salted scan, buckets"];
pub const ROWS: [&str; 3] =
    ["growth: put, rows in Memory", "growth: get, rows in Memory", "growth: scan, rows in Memory"];

pub fn measure(bench: &mut Bench) {
    key_length(bench);
    fields(bench);
    buckets(bench);
    rows(bench);
}

fn decode<'k, K: OwnedKey>(keys: &'k [Vec<u8>]) -> impl FnMut() + use<'k, K> {
    || keys.iter().for_each(|key| _ = black_box(K::decode(black_box(key)).unwrap()))
}

fn key_length(bench: &mut Bench) {
    let [encoding, decoding] = KEY_LENGTH;
    let mut values = Values::new();
    for len in [8, 64, 512, 4 << 10, 16 << 10, 64 << 10] {
        let n = (bench.size(1 << 20) / len).clamp(16, 2048);
        let keys = values.many(n, |values| Text { text: values.text(len) });
        let bytes: Vec<_> = keys.iter().map(RowKey::encode).collect();
        let by_hand = || bytes.iter().for_each(|key| _ = black_box(Text::take(black_box(key)).unwrap()));
        let work = |name| Work::new(name, n).at(len as u64);
        bench.measure(work(encoding).run(OURS, each(&keys, Text::encode_to)).run(BY_HAND, each(&keys, Text::put)));
        bench.measure(work(decoding).run(OURS, decode::<Text>(&bytes)).run(BY_HAND, by_hand));
    }
}

fn fields(bench: &mut Bench) {
    /// Keys of this many fields.
    macro_rules! keys {
        ($($n:literal $name:ident: $($field:ident)*;)*) => {$(
            #[derive(RowKey)]
            struct $name { $($field: u64),* }

            let keys = Values::new().many(2048, |values| $name { $($field: values.u64()),* });
            let bytes: Vec<_> = keys.iter().map(RowKey::encode).collect();
            let work = |name| Work::new(name, keys.len()).at($n);
            bench.measure(work(FIELDS[0]).run(OURS, each(&keys, $name::encode_to)));
            bench.measure(work(FIELDS[1]).run(OURS, decode::<$name>(&bytes)));
        )*};
    }
    keys! {
        1 One: a;
        2 Two: a b;
        4 Four: a b c d;
        8 Eight: a b c d e f g h;
        16 Sixteen: a b c d e f g h i j k l m n o p;
    }
}

fn buckets(bench: &mut Bench) {
    let [name] = BUCKETS;
    if !bench.wants(name) {
        return;
    }
    let n = bench.size(200_000);
    let ints = Values::new().many(n, Values::ints);
    /// Keys of this many buckets.
    macro_rules! keys {
        ($($n:literal $name:ident)*) => {$(
            #[derive(RowKey)]
            #[rowkey(salt(buckets = $n))]
            struct $name { user: u64, at: i64, event: u32 }

            let keys = ints.iter().map(|&Ints { user, at, event }| $name { user, at, event });
            let table = scans::table(keys);
            bench.measure(Work::new(name, n).at($n).run(OURS, || scans::lent(&table)));
        )*};
    }
    keys!(1 By1 4 By4 16 By16 64 By64 256 By256);
}

fn rows(bench: &mut Bench) {
    let [putting, getting, scanning] = ROWS;
    if !ROWS.iter().any(|name| bench.wants(name)) {
        return;
    }
    let mut table: Arc<dyn store::Store> = Memory::new().table("rows").unwrap();
    let mut filled = 0;
    for rows in [3, 4, 5, 6, 7].map(|zeros| bench.size(10_usize.pow(zeros))) {
        (filled..rows as u64).for_each(|row| table.put(row));
        filled = rows as u64;
        let some = rows.min(10_000);
        // Other rows each time, as a large tree is not in the caches.
        let (mut puts, mut gets) = (0, 0);
        let work = |name, units| Work::new(name, units).at(rows as u64);
        bench.measure(work(getting, some).run(OURS, || {
            gets += some as u64;
            (gets..gets + some as u64).for_each(|n| _ = black_box(table.find(mix(n) % filled)));
        }));
        bench.measure(work(scanning, rows).run(OURS, || table.walk()));
        bench.measure(work(putting, some).run(OURS, || {
            puts += some as u64;
            (puts..puts + some as u64).for_each(|n| table.put(mix(n) % filled));
        }));
    }
}
