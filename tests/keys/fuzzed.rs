//! The fuzz targets' entries (`fuzz/`) on random input, with stable Rust.

use proptest::prelude::*;
use proptest::sample::select;
use rowkey::laws;
use rowkey_testkit::{cases, fuzzed};

/// Pieces of a shape in any order: now and then they are one, mostly almost.
const PIECES: &[&str] = &[
    "u8",
    "i64",
    "f32",
    "bool",
    "text",
    "decimal",
    "bytes",
    "bytes[2]",
    "bytes[",
    "option<",
    "list<",
    ">",
    "(",
    ")",
    "()",
    "enum{",
    "enum{1: (",
    "2",
    ": ",
    ", ",
    "}",
    " desc",
    " raw",
    " nulls_last",
    " nulls_first",
    "salt(4 xxh3) ",
    "salt(",
    "md5(",
    "md5(3 by 0) ",
    " by 0",
    ") ",
    "own",
    "text['#']",
    "text[rest-1]",
    "dec[",
    "const['t']",
    "uint[3]",
    "fdb[any]",
    "fdb[text]",
    "ordered[text]",
    "ordered[i64]",
    "groups[8]",
    "utf[java]",
    "char[3]",
    "char[3 zeros]",
    "'",
    "]",
    "\u{0}",
    "é",
];

fn pieces() -> impl Strategy<Value = String> {
    proptest::collection::vec(select(PIECES), 0..12).prop_map(|pieces| pieces.concat())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![6 => select(&[0u8, 1, 2, 4, 6, 7, 0x7f, 0x80, 0xfd, 0xfe, 0xff][..]), 1 => any::<u8>()];
    proptest::collection::vec(byte, 0..80)
}

/// A text with some of its bytes changed, left out or doubled.
fn torn(text: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
    let tear = (any::<prop::sample::Index>(), 0..3u8, any::<u8>());
    (text, proptest::collection::vec(tear, 0..4)).prop_map(|(text, tears)| {
        let mut bytes = text.into_bytes();
        for (at, how, byte) in tears {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte & 0x7f,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[at]),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(200, 1_000)) })]

    #[test]
    fn decode(pick in 0..8u8, key in bytes(), shape in pieces()) {
        fuzzed::decode(&[&[pick], key.as_slice()].concat());
        fuzzed::decode(&[shape.as_bytes(), b"\n", &key].concat());
    }

    #[test]
    fn cursor(flags in any::<u8>(), bytes in bytes(), text in "[0-9a-f]{0,40}") {
        fuzzed::cursor(&[&[flags], bytes.as_slice()].concat());
        fuzzed::cursor(text.as_bytes());
        fuzzed::cursor(b"\x01b\0\xfe\xfd\xff\x02\xfd\xfe\xfe\xff");
    }

    #[test]
    fn shape(pieces in pieces(), torn in torn(laws::layouts().prop_map(|layout| layout.shape()))) {
        fuzzed::shape(pieces.as_bytes());
        fuzzed::shape(&torn);
    }

    #[test]
    fn layout_json(torn in torn(laws::layouts().prop_map(|layout| layout.to_json()))) {
        fuzzed::layout_json(&torn);
    }
}
