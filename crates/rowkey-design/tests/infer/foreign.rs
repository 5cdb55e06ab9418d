//! Random keys in the encodings of other programs: tuples of FoundationDB, keys of OrderedCode, constants, delimiters
//! of two characters. They are written by hand, after what those programs document.

use std::collections::BTreeSet;

use rowkey::LayoutBuf;

use crate::judge::Case;
use crate::written::{Dice, Part, binary, binary_time, part, place, scattered, textual, time, uuid4};

/// A kind of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tuple,
    OrderedCode,
    Constants,
    Delimiters,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Tuple, Kind::OrderedCode, Kind::Constants, Kind::Delimiters];

const WORDS: [&str; 8] = ["orders", "users", "sessions", "idx", "meta", "events", "devices", "app"];

fn pick<T: Copy>(dice: &mut Dice, of: &[T]) -> T {
    of[dice.below(of.len() as u64) as usize]
}

/// Content in which each zero is followed by `ff`.
fn escaped(content: &[u8]) -> Vec<u8> {
    content.iter().flat_map(|byte| if *byte == 0 { vec![0, 0xff] } else { vec![*byte] }).collect()
}

/// Content of a tuple that ends with a zero.
fn ended(code: u8, content: &[u8]) -> Vec<u8> {
    [&[code], escaped(content).as_slice(), &[0]].concat()
}

/// An integer as the bindings pack it: the code says the sign and the size.
fn packed(number: i64) -> Vec<u8> {
    let size = number.unsigned_abs();
    let bytes = (1..=8).find(|bytes| *bytes == 8 || size < 1 << (8 * bytes)).filter(|_| size > 0).unwrap_or(0);
    let written = if number < 0 { !size } else { size }.to_be_bytes();
    let code = if number < 0 { 0x14 - bytes as u8 } else { 0x14 + bytes as u8 };
    [&[code], &written[8 - bytes..]].concat()
}

fn element(dice: &mut Dice) -> Part {
    let many = pick(dice, &[20, 300, 5_000, 90_000, 20_000_000]);
    match dice.below(12) {
        0 | 1 => part("fdb[text]", move |dice, _| ended(2, place(dice.popular(many)).as_bytes())),
        2 => part("fdb[text]", move |dice, _| ended(2, format!("user{}", dice.popular(many)).as_bytes())),
        3 => part("fdb[text]", |dice, _| ended(2, pick(dice, &WORDS).as_bytes())),
        4 | 5 => part("fdb[int]", move |dice, _| packed(dice.popular(many) as i64)),
        6 => part("fdb[int]", move |dice, _| packed(dice.below(2 * many) as i64 - many as i64)),
        7 => part("fdb[int]", |_, row| packed(row as i64)),
        8 => part("fdb[bytes]", move |dice, _| ended(1, &scattered(dice.popular(many), 8))),
        9 => part("fdb[uuid]", |dice, _| [vec![0x30], uuid4(dice)].concat()),
        10 => part("fdb[bool]", |dice, _| vec![0x26 + dice.below(2) as u8]),
        _ => tuple_time(dice),
    }
}

fn tuple_time(dice: &mut Dice) -> Part {
    match dice.below(6) {
        0 => {
            let from = dice.below(1 << 40);
            part("fdb[versionstamp]", move |dice, row| {
                let commit = from + row * 1_000 + dice.below(1_000);
                [&[0x33], commit.to_be_bytes().as_slice(), &[0, dice.below(3) as u8, 0, 0]].concat()
            })
        }
        1 => part("fdb[f64]", |dice, _| {
            let number = dice.below(1_000_000) as f64 / 100.0;
            [vec![0x21], (number.to_bits() | 1 << 63).to_be_bytes().to_vec()].concat()
        }),
        2 => time("fdb[int]", "seconds", |at| packed(at as i64), dice),
        3 => time("fdb[int]", "microseconds", |at| packed(at as i64), dice),
        _ => time("fdb[int]", "milliseconds", |at| packed(at as i64), dice),
    }
}

/// Elements of which the first may be that of a subspace or directory, the same in each key.
fn tuple(dice: &mut Dice, count: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = (1..count).map(|_| element(dice)).collect();
    match dice.below(6) {
        0 => {
            let word = pick(dice, &WORDS);
            parts[0] = part("fdb[text]", move |_, _| ended(2, word.as_bytes()));
        }
        1 => {
            let directory = 1 + dice.below(400) as i64;
            parts[0] = part("fdb[int]", move |_, _| packed(directory));
        }
        _ => {}
    }
    let last = if dice.below(2) == 0 { tuple_time(dice) } else { element(dice) };
    parts.push(last);
    parts
}

/// A number in as few bytes as OrderedCode takes: its two's complement, of which as many first bits are inverted.
fn ordered_number(number: i64) -> Vec<u8> {
    let bytes = (1..10).find(|bytes| (-(1_i128 << (7 * bytes - 1))..1 << (7 * bytes - 1)).contains(&number.into()));
    let bytes = bytes.unwrap_or(10) as usize;
    let mut written = i128::from(number).to_be_bytes()[16 - bytes..].to_vec();
    (0..bytes).for_each(|bit| written[bit / 8] ^= 0x80 >> (bit % 8));
    written
}

/// The content of a field before zeros are escaped.
fn ordered(dice: &mut Dice) -> Part {
    let many = pick(dice, &[20, 300, 5_000, 90_000, 20_000_000]);
    match dice.below(12) {
        0 | 1 => part("ordered[text]", move |dice, _| place(dice.popular(many)).into_bytes()),
        2 => part("ordered[text]", move |dice, _| format!("user{}", dice.popular(many)).into_bytes()),
        3 => part("ordered[text]", |dice, _| pick(dice, &WORDS).as_bytes().to_vec()),
        4 => part("ordered[text]", |dice, _| pick(dice, &["", "mobile", "web", "tablet"]).as_bytes().to_vec()),
        5 | 6 => part("ordered[i64]", move |dice, _| ordered_number(dice.popular(many) as i64)),
        7 => part("ordered[i64]", move |dice, _| ordered_number(dice.below(2 * many) as i64 - many as i64)),
        8 => part("ordered[bytes]", move |dice, _| scattered(dice.popular(many), 8 + many as usize % 3 * 4)),
        9 => part("ordered[be i64]", move |dice, _| dice.popular(many).to_be_bytes().to_vec()),
        _ => ordered_time(dice),
    }
}

fn ordered_time(dice: &mut Dice) -> Part {
    match dice.below(4) {
        0 => time("ordered[i64]", "seconds", |at| ordered_number(at as i64), dice),
        1 => time("ordered[i64]", "milliseconds", |at| ordered_number(at as i64), dice),
        2 => {
            let micros = time("ordered[be micros]", "microseconds", |at| at.to_be_bytes().to_vec(), dice);
            Part { unit: None, ..micros }
        }
        _ => {
            let micros = time("ordered[micros]", "microseconds", |at| ordered_number(at as i64), dice);
            Part { unit: None, ..micros }
        }
    }
}

/// Fields between which is `00 01`; an empty one is `00 00`, and those at the end are not there.
fn joined(contents: &[Vec<u8>]) -> Vec<u8> {
    let filled = contents.iter().rposition(|content| !content.is_empty()).map_or(1, |last| last + 1);
    let fields: Vec<Vec<u8>> = contents[..filled]
        .iter()
        .map(|content| if content.is_empty() { vec![0, 0] } else { escaped(content) })
        .collect();
    fields.join(&[0, 1][..])
}

/// A constant as a shape has it.
fn constant(bytes: &'static [u8]) -> Part {
    let text: String = bytes
        .iter()
        .map(|byte| if byte.is_ascii_graphic() { char::from(*byte).to_string() } else { format!("\\x{byte:02x}") })
        .collect();
    part(&format!("const['{text}']"), move |_, _| bytes.to_vec())
}

/// A constant before the fields, or between two of them.
fn constants(dice: &mut Dice, count: usize) -> Vec<Part> {
    let end = pick(dice, &["#", ":", "|", "/"]);
    let tags: [&[u8]; 4] = match end {
        "#" => [b"user#", b"evt#", b"order#", b"s#"],
        ":" => [b"u:", b"device:", b"tenant:", b"m:"],
        "|" => [b"log|", b"v1|", b"metric|", b"a|"],
        _ => [b"dev/", b"prod/", b"img/", b"doc/"],
    };
    let magic: [&[u8]; 6] = [b"\xca\xfe\xba\xbe", b"RKEY", b"\x07", b"\x01\x02", b"t", b"\x9dBIN"];
    let between: [&[u8]; 3] = [b"_r", b"_i", b"\xfe\xed"];
    let is_text = dice.below(2) == 0;
    let mut parts: Vec<Part> = Vec::new();
    if is_text {
        (2..count).for_each(|_| parts.push(textual(dice, end)));
        parts.push(textual(dice, ""));
        parts.insert(0, constant(pick(dice, &tags)));
    } else {
        (2..count).for_each(|_| parts.push(binary(dice)));
        let at = dice.below(count as u64 - 1) as usize;
        parts.insert(at, binary_time(dice));
        if count > 2 && dice.below(3) == 0 {
            parts.insert(1, constant(pick(dice, &between)));
        } else {
            parts.insert(0, constant(pick(dice, &magic)));
        }
    }
    parts
}

/// Fields of text that a delimiter of two characters ends; the last one may be a number in binary.
fn delimiters(dice: &mut Dice, count: usize) -> Vec<Part> {
    let end = pick(dice, &["::", "#:", "||", "__", "--", "~~", "::", "|#"]);
    let mut parts: Vec<Part> = (1..count).map(|_| textual(dice, end)).collect();
    parts.push(match dice.below(4) {
        0 => time("be[i64]", "milliseconds", |at| at.to_be_bytes().to_vec(), dice),
        _ => textual(dice, ""),
    });
    parts
}

/// Keys of one more layout; none if too few of them differ.
fn case(dice: &mut Dice, kind: Kind) -> Option<Case> {
    let count = 2 + dice.below(3) as usize;
    let parts = match kind {
        Kind::Tuple => tuple(dice, count),
        Kind::OrderedCode => {
            let mut parts: Vec<Part> = (1..count).map(|_| ordered(dice)).collect();
            let last = if dice.below(2) == 0 { ordered_time(dice) } else { ordered(dice) };
            parts.push(last);
            parts
        }
        Kind::Constants => constants(dice, count),
        Kind::Delimiters => delimiters(dice, count),
    };
    let shapes: Vec<&str> = parts.iter().map(|part| part.shape.as_str()).collect();
    let layout: LayoutBuf = shapes.join(", ").parse().expect("a shape by hand");
    let mut keys = BTreeSet::new();
    for row in 0..120 + dice.below(3_000) {
        let fields: Vec<Vec<u8>> = parts.iter().map(|part| (part.write)(dice, row)).collect();
        let key = if kind == Kind::OrderedCode { joined(&fields) } else { fields.concat() };
        assert!(layout.decode(&key).is_ok(), "{layout}: {key:02x?}");
        keys.insert(key);
    }
    let units = parts.iter().map(|part| part.unit).collect();
    (keys.len() >= 100).then(|| Case { layout, units, keys: keys.into_iter().collect() })
}

/// Each kind in turn.
pub(crate) fn cases(seed: u64) -> impl Iterator<Item = (Kind, Case)> {
    let mut dice = Dice(seed);
    KINDS.into_iter().cycle().map(move |kind| {
        let case = std::iter::repeat_with(|| case(&mut dice, kind)).flatten().next();
        (kind, case.expect("a case"))
    })
}
