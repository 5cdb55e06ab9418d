//! Random layouts and keys, crossed with Rust both ways: bytes, refusals, ranges.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, FieldValues, TypeBuf};
use rowkey::{LayoutBuf, Value, laws};
use rowkey_codec::ir::{Codec, Field, Key, Order, Table, Type};
use rowkey_codec::names::JAVA;
use serde_json::{Value as Json, json};

use crate::lines;
use crate::project::Project;

/// Layouts of other programs' keys.
const FOREIGN: [&str; 22] = [
    "text['#'], dec[10], u8",
    "text['::'], text['::'], be[i64]",
    "dec['#'], int['#'], hex['#'], text[end]",
    "minus[99 2 '#'], minus[18446744073709551616 '/'], u8",
    "minus[9223372036854775807 19], hexbytes['#'], hexbytes[4 upper]",
    "hex[4 upper], hex[32], dec[19], dec[39]",
    "date['yyyyMMdd' '_'], dec[end]",
    "date['yyyy-MM-dd''T''HH:mm:ss.SSS''Z''' '|'], date['yyyyDDD'], reversed['.'], text[3]",
    "uuid[text] desc, reversed[end]",
    "text[until '#'], text[end after '#']",
    "u32, text[until '::'], dec[4 after '::']",
    "u8, hexbytes[end after '\\x00']",
    "text[rest-12], u64, u32",
    "const['t'], i64, const['_r'], i64",
    "u8, const['_r'], const['x']",
    "ordered[text], ordered[i64], ordered[bytes]",
    "ordered[be i64], ordered[micros], ordered[be micros], ordered[text]",
    "uint[3], uint[5] desc, uint[9], le[u16], le[i32], le[u128], be[i8], be[i128]",
    "char[5], char[4 zeros] desc, u8",
    "hash(sha256 hex[7 upper '_'] by 0 2) text['_'], u8, text['#'], dec[10]",
    "salt(20 hash_code[java] dec[2 '-'] by 0) text['#'], u32",
    "salt(300 murmur3[32] hex[3 upper] by 0 2) char[8 zeros], i64 desc, u16",
];

struct Dice(TestRunner);

impl Dice {
    fn new() -> Self {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        Self(TestRunner::new_with_rng(Config::default(), rng))
    }

    fn draw<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.0).unwrap().current()
    }

    fn below(&mut self, end: usize) -> usize {
        self.draw(&(0..end))
    }
}

fn layouts(count: usize, dice: &mut Dice) -> Vec<LayoutBuf> {
    let mut layouts: Vec<LayoutBuf> = FOREIGN.iter().map(|shape| shape.parse().unwrap()).collect();
    let any = laws::layouts();
    while layouts.len() < count + FOREIGN.len() {
        let layout = dice.draw(&any);
        layouts.extend(Codec::of(&[Table::new(layout.clone())], &JAVA).is_ok().then_some(layout));
    }
    layouts
}

/// A layout with the same types of values, of which other programs' encodings can't write each.
fn loose(layout: &LayoutBuf) -> LayoutBuf {
    let loose = |field: &FieldBuf| match field.ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) if !matches!(foreign.values(), Scalar::Foreign(_)) => {
            FieldBuf { ty: TypeBuf::Scalar(foreign.values()), ..field.clone() }
        }
        _ => FieldBuf { desc: false, ..field.clone() },
    };
    let fields = layout.fields().iter().map(loose).collect();
    LayoutBuf::checked("Loose".into(), Lead::None, Vec::new(), fields).unwrap_or_else(|_| layout.clone())
}

/// The line of bytes: those of a key, or of none.
fn of_bytes(layout: &LayoutBuf, key: &Key, bytes: &[u8]) -> String {
    match layout.decode(bytes) {
        Ok(values) => lines::key(key, &values, &lines::hex(bytes)),
        Err(_) => lines::refuse(key, &lines::hex(bytes)),
    }
}

/// The same bytes with one that is changed, missing, or more.
fn damaged(mut bytes: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    let at = dice.below(bytes.len() + 1);
    match (dice.below(4), bytes.get_mut(at)) {
        (0, Some(byte)) => *byte ^= 1 << dice.below(8),
        (1, Some(byte)) => *byte = [0, 1, 2, 0xfd, 0xfe, 0xff][dice.below(6)],
        (2, _) => bytes.truncate(at),
        (_, _) => bytes.insert(at, [0, 1, 0x66, 0xff][dice.below(4)]),
    }
    bytes
}

fn is_constant(field: &Field) -> bool {
    matches!(field.ty, Type::Constant(_))
}

/// The steps that fix fields up to a place, and the number of fields that are fixed then.
fn fixing(key: &Key, values: &[Value], to: usize) -> (Vec<Json>, usize) {
    let fields = key.fields.iter().zip(values).take(to).filter(|(field, _)| !is_constant(field));
    let steps = fields.map(|(field, value)| json!([field.ident, lines::value_of(key, &field.ty, value)])).collect();
    let rest = &key.fields[to..];
    (steps, if rest.iter().all(is_constant) { key.fields.len() } else { to })
}

/// The line of a prefix, of a range at its end, of several values, of a beginning, or of a domain.
fn of_ranges(layout: &LayoutBuf, key: &Key, values: &[Value], others: &[Value], dice: &mut Dice) -> Option<String> {
    let to = dice.below(key.most_fixed() + 1);
    let is_step = to == 0 || !is_constant(&key.fields[to - 1]);
    let (mut steps, fixed) = fixing(key, values, to);
    let next = key.fields.iter().enumerate().take(key.most_fixed()).skip(to).find(|(_, field)| !is_constant(field));
    let kind = dice.below(5);
    let (Some((at, field)), 1..) = (next, kind) else {
        let is_selected = is_step && (to == 0 || to >= key.least_fixed());
        let ranges = layout.ranges_by_bucket(&values[..fixed], None).ok().filter(|_| is_selected)?;
        return Some(lines::ranges(key, &steps, &ranges));
    };
    let value_of = |value: &Value| lines::value_of(key, &field.ty, value);
    let (value, other) = (&values[at], &others[at]);
    let (name, argument, condition) = match (kind, value) {
        (1, _) => ("In", json!([value_of(value), value_of(other)]), FieldValues::In(vec![value.clone(), other.clone()])),
        (2, _) if key.order(&field.ty) != Order::None => {
            let mut bound = |value: &Value| match dice.below(3) {
                0 => (Json::Null, Bound::Unbounded),
                1 => (value_of(value), Bound::Included(value.clone())),
                _ => (value_of(value), Bound::Excluded(value.clone())),
            };
            let ((low, from), (high, end)) = (bound(value), bound(other));
            let is_included = |bound: &Bound<Value>| matches!(bound, Bound::Included(_));
            let argument = json!([low, is_included(&from), high, is_included(&end)]);
            ("Range", argument, FieldValues::Between(from, end))
        }
        (3, Value::Text(text)) if field.ty.can_be_begun() => {
            let start: String = text.chars().take(dice.below(4)).collect();
            ("StartsWith", json!(start), FieldValues::StartsWith(Value::Text(start)))
        }
        (3, Value::Bytes(bytes)) if field.ty.can_be_begun() => {
            let start = bytes[..dice.below(bytes.len() + 1)].to_vec();
            ("StartsWith", json!(lines::hex(&start)), FieldValues::StartsWith(Value::Bytes(start)))
        }
        (4, Value::Text(page)) if matches!(field.ty, Type::HostPath { .. }) => {
            let host = page.split('/').next().unwrap_or_default().to_owned();
            ("Under", json!(host), FieldValues::Under(host))
        }
        _ => return None,
    };
    // A constant at the end is fixed with the field before it, which Rust's condition is of.
    let is_last = key.fields[at + 1..].iter().all(is_constant) && at + 1 < key.fields.len();
    let is_told = at + usize::from(name == "In") >= key.least_fixed() && !is_last;
    let ranges = layout.ranges_by_bucket(&values[..at], Some(&condition)).ok().filter(|_| is_told)?;
    steps.push(json!([format!("{}{name}", field.ident), argument]));
    Some(lines::ranges(key, &steps, &ranges))
}

#[test]
fn keys_and_ranges_are_those_of_rust() {
    let is_long = std::env::var_os("ROWKEY_LONG").is_some();
    let (count, rows_of_each) = if is_long { (300, 400) } else { (20, 60) };
    let mut dice = Dice::new();
    let layouts = layouts(count, &mut dice);
    let project = Project::new(&layouts);
    let (mut all, mut kinds) = (Vec::new(), [0; 4]);
    for (layout, key) in layouts.iter().zip(&project.codec.keys) {
        let (strategy, others) = (laws::rows(layout), laws::rows(&loose(layout)));
        let mut rows: Vec<Vec<Value>> = Vec::new();
        while rows.len() < rows_of_each {
            rows.extend(dice.draw(&strategy));
            rows.extend(dice.draw(&others).into_iter().filter(|values| layout.encode(values).is_err()));
        }
        let mut last = None;
        for values in &rows {
            let Ok(bytes) = layout.encode(values) else {
                let line = format!("unwritable\t{}\t{}\n", key.ident, lines::record(key, &key.fields, values));
                all.push(line);
                kinds[0] += 1;
                continue;
            };
            all.push(lines::key(key, values, &lines::hex(&bytes)));
            let line = of_bytes(layout, key, &damaged(bytes, &mut dice));
            kinds[if line.starts_with("refuse") { 1 } else { 2 }] += 1;
            all.push(line);
            if let Some(line) = last.replace(values).and_then(|last| of_ranges(layout, key, values, last, &mut dice)) {
                all.push(line);
                kinds[3] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 100), "unwritable, refused, damaged but valid, ranges: {kinds:?}");
    project.check(&all);
}
