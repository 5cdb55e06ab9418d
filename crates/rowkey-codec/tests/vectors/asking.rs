//! Questions on layouts: random rows, damaged keys, and the ranges of prefixes, each with the answer that Rust gives.

use std::ops::Bound;

use rowkey::untyped::FieldValues;
use rowkey::{KeyRange, LayoutBuf, Value, laws};
use rowkey_codec::ir::{Codec, End, Key, Order, Table, TextField, Type};
use rowkey_codec::names::Style;
use rowkey_testkit::Random;
use serde_json::{Value as Json, json};

use crate::random::{Amount, Due, drawn, hex, runner, seed, to_json};

/// The drawing of questions on some layouts.
pub(crate) struct Asking<'a> {
    tables: &'a [Table],
    codec: Codec,
    dice: Random,
    ask: &'a mut dyn FnMut(String, Due),
}

impl<'a> Asking<'a> {
    pub(crate) fn new(tables: &'a [Table], style: &Style, ask: &'a mut dyn FnMut(String, Due)) -> Self {
        Self { tables, codec: Codec::of(tables, style).unwrap(), dice: Random(seed()), ask }
    }

    pub(crate) fn all(&mut self, amount: Amount) {
        let mut runner = runner();
        for at in 0..self.tables.len() {
            let (layout, key) = (self.tables[at].layout(), self.codec.keys[at].clone());
            let (drawing, mut round, mut keys) = (laws::rows(layout), 0, 0);
            while round < amount.rounds || keys < amount.keys {
                let rows = drawn(&drawing, &mut runner);
                let rows: Vec<Vec<Value>> = rows.into_iter().filter(|row| layout.encode(row).is_ok()).collect();
                rows.iter().for_each(|row| self.keys(at, layout, row));
                if !rows.is_empty() && round < amount.rounds {
                    self.ranges(at, layout, &key, &rows);
                }
                round += 1;
                keys += rows.len() as u64;
            }
        }
    }

    fn ask(&mut self, question: String, due: Due) {
        (self.ask)(question, due);
    }

    fn keys(&mut self, at: usize, layout: &LayoutBuf, row: &[Value]) {
        let key = layout.encode(row).unwrap();
        self.ask(format!("encode\t{at}\t{}", to_json(row)), Due::Hex(hex(&key)));
        self.decode(at, layout, &key);
        for _ in 0..2 {
            let key = damaged(key.clone(), &mut self.dice);
            self.decode(at, layout, &key);
        }
    }

    fn decode(&mut self, at: usize, layout: &LayoutBuf, key: &[u8]) {
        let due = layout.decode(key).map_or_else(Due::Refused, |values| Due::Values(at, values));
        self.ask(format!("decode\t{at}\t{}", hex(key)), due);
    }

    fn ranges(&mut self, at: usize, layout: &LayoutBuf, key: &Key, rows: &[Vec<Value>]) {
        let mut pick = || rows[self.dice.below(rows.len() as u64) as usize].clone();
        let (row, other) = (pick(), pick());
        for fixed in 0..=key.most_fixed() {
            let is_constant =
                |field: usize| matches!(key.fields.get(field).map(|field| &field.ty), Some(Type::Constant(_)));
            // A prefix has the constants that come next.
            if is_constant(fixed) {
                continue;
            }
            let mut ask = |kind: &str, given: Json, condition: Option<&FieldValues>| {
                let found = layout.ranges_by_bucket(&row[..fixed], condition);
                let due = found.unwrap_or_else(|error| panic!("{}: {kind} {given}: {error}", key.shape));
                let condition = if kind.is_empty() { Json::Null } else { json!({kind: given}) };
                let question = format!("ranges\t{at}\t{}\t{condition}", to_json(&row[..fixed]));
                self.ask(question, Due::Ranges(of_ranges(&due)));
            };
            if fixed == 0 || fixed >= key.least_fixed() {
                ask("", Json::Null, None);
            }
            if fixed == key.most_fixed() {
                break;
            }
            let field = &key.fields[fixed];
            let (a, b) = (row[fixed].clone(), other[fixed].clone());
            if fixed + 1 >= key.least_fixed() && !is_constant(fixed + 1) {
                let condition = FieldValues::In(vec![a.clone(), b.clone()]);
                ask("in", json!([a.to_json(), b.to_json()]), Some(&condition));
            }
            if fixed < key.least_fixed() {
                continue;
            }
            if key.order(&field.ty) != Order::None {
                for (low, high) in [(0, 1), (1, 0), (2, 1), (0, 2)] {
                    let [low, high] = [(low, &a), (high, &b)].map(|(kind, value)| bound(kind, value));
                    let condition = FieldValues::Between(low.1, high.1);
                    ask("range", json!([low.0, high.0]), Some(&condition));
                }
            }
            for start in beginnings(&field.ty, &a) {
                let condition = FieldValues::StartsWith(start.clone());
                if layout.ranges_by_bucket(&row[..fixed], Some(&condition)).is_ok() {
                    ask("starts_with", start.to_json(), Some(&condition));
                }
            }
            if let (Type::HostPath { .. }, Value::Text(text)) = (&field.ty, &a) {
                let host = text.split('/').next().unwrap_or_default();
                ask("under", json!(host), Some(&FieldValues::Under(host.to_owned())));
            }
        }
    }
}

pub(crate) fn of_ranges(by_bucket: &[Vec<KeyRange>]) -> Json {
    let range = |range: &KeyRange| json!([hex(range.start()), range.end().map(hex)]);
    by_bucket.iter().map(|ranges| ranges.iter().map(range).collect::<Json>()).collect()
}

fn bound(kind: u8, value: &Value) -> (Json, Bound<Value>) {
    match kind {
        0 => (json!(["included", value.to_json()]), Bound::Included(value.clone())),
        1 => (json!(["excluded", value.to_json()]), Bound::Excluded(value.clone())),
        _ => (Json::Null, Bound::Unbounded),
    }
}

/// Beginnings of a value: none of it, half of it, all.
fn beginnings(ty: &Type, value: &Value) -> Vec<Value> {
    match value {
        _ if !ty.can_be_begun() => Vec::new(),
        Value::Text(text) => {
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            let mut starts = vec![String::new(), half, text.clone()];
            if let Type::TextField(TextField { end: End::Before(delimiter) | End::Until(delimiter), .. }) = ty {
                // With a part of the delimiter behind it, a shorter text begins so too.
                let parts = (1..delimiter.len()).filter_map(|len| std::str::from_utf8(&delimiter[..len]).ok());
                starts.extend(parts.flat_map(|part| [part.to_owned(), format!("{text}{part}")]).collect::<Vec<_>>());
            }
            starts.into_iter().map(Value::Text).collect()
        }
        Value::Bytes(bytes) => [&[], &bytes[..bytes.len() / 2], bytes].map(|start| Value::Bytes(start.to_vec())).into(),
        _ => Vec::new(),
    }
}

/// Bytes with a meaning in the format, and their inversions.
const BYTES: [u8; 10] = [0x00, 0x01, 0x02, 0x2e, 0x66, 0x7f, 0x80, 0xfd, 0xfe, 0xff];

fn damaged(mut key: Vec<u8>, dice: &mut Random) -> Vec<u8> {
    let at = dice.below(key.len() as u64 + 1) as usize;
    let byte = dice.one_of(&BYTES);
    match dice.below(4) {
        0 => key.truncate(at),
        1 => key.insert(at, byte),
        2 if at < key.len() => drop(key.remove(at)),
        _ if at < key.len() => key[at] = byte,
        _ => key.push(byte),
    }
    key
}
