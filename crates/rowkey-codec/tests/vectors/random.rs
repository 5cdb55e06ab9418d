//! Random layouts and values, and damaged keys: what Rust writes, reads, refuses and selects, the other language does.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRng, TestRunner};
use rowkey::untyped::FieldValues;
use rowkey::{KeyRange, LayoutBuf, Value, laws};
use rowkey_codec::ir::{Codec, Key, Order, Table, Type};
use rowkey_codec::names::Style;
use rowkey_testkit::{Random, cases};
use serde_json::{Value as Json, json};

use crate::golden;

/// Layouts that few random ones have a part of.
const OFTEN_MISSED: [&str; 7] = [
    "u8, (decimal) raw",
    "(list<u16>) raw",
    "option<option<text>>, option<option<option<u8>>> desc nulls_first",
    "enum{0: (), 7: (const['ab'], u8, (u8 desc, text desc) desc)} desc, ()",
    "const['t'], i64, const['_r'], const['x'], text raw",
    "md5(3 by 0 1) u8, const['#'], host_path desc, bytes desc",
    "list<(text desc, list<option<i16>>)> desc, host_path raw",
];

/// The questions on some layouts, each with the answer that Rust gives.
pub(crate) struct Crossing {
    pub(crate) tables: Vec<Table>,
    pub(crate) questions: Vec<String>,
    due: Vec<Due>,
}

/// A right answer.
enum Due {
    Hex(String),
    Ranges(Json),
    Values(usize, Vec<Value>),
    Refused,
}

impl Crossing {
    /// Random layouts that have code, and the golden ones of other programs. In the long run 300 layouts with 10⁵ keys.
    pub(crate) fn new(style: &Style) -> Self {
        let mut runner = runner();
        let has_code = |table: &Table| Codec::of(std::slice::from_ref(table), style).is_ok();
        let own = OFTEN_MISSED.map(|shape| shape.parse().unwrap());
        let fixed = golden::foreign_layouts().into_iter().chain(own);
        let mut tables: Vec<Table> = fixed.map(Table::new).filter(has_code).collect();
        let fixed = tables.len();
        while tables.len() < fixed + cases(20, 300) as usize {
            tables.extend(Some(Table::new(drawn(&laws::layouts(), &mut runner))).filter(has_code));
        }
        Self::of(tables, style, cases(8, 60))
    }

    /// These layouts, with random rows in so many rounds.
    pub(crate) fn of(tables: Vec<Table>, style: &Style, rounds: u32) -> Self {
        let (mut runner, mut dice) = (runner(), Random(seed()));
        let codec = Codec::of(&tables, style).unwrap();
        let mut crossing = Self { tables, questions: Vec::new(), due: Vec::new() };
        for (at, key) in codec.keys.iter().enumerate() {
            let layout = crossing.tables[at].layout().clone();
            for _ in 0..rounds {
                let rows = drawn(&laws::rows(&layout), &mut runner);
                let rows: Vec<Vec<Value>> = rows.into_iter().filter(|row| layout.encode(row).is_ok()).collect();
                for row in &rows {
                    crossing.keys(at, &layout, row, &mut dice);
                }
                if !rows.is_empty() {
                    crossing.ranges(at, &layout, key, &rows, &mut dice);
                }
            }
        }
        crossing
    }

    fn ask(&mut self, question: String, due: Due) {
        self.questions.push(question);
        self.due.push(due);
    }

    fn keys(&mut self, at: usize, layout: &LayoutBuf, row: &[Value], dice: &mut Random) {
        let key = layout.encode(row).unwrap();
        self.ask(format!("encode\t{at}\t{}", to_json(row)), Due::Hex(hex(&key)));
        self.decode(at, layout, &key);
        for _ in 0..2 {
            self.decode(at, layout, &damaged(key.clone(), dice));
        }
    }

    fn decode(&mut self, at: usize, layout: &LayoutBuf, key: &[u8]) {
        let due = layout.decode(key).map_or(Due::Refused, |values| Due::Values(at, values));
        self.ask(format!("decode\t{at}\t{}", hex(key)), due);
    }

    fn ranges(&mut self, at: usize, layout: &LayoutBuf, key: &Key, rows: &[Vec<Value>], dice: &mut Random) {
        let mut pick = || rows[dice.below(rows.len() as u64) as usize].clone();
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

    /// Checks all answers, and returns a line on how many there were.
    pub(crate) fn check(&self, answers: &[String]) -> String {
        let (wrong, asked) = (self.wrong(answers), self.questions.len());
        assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
        format!("{} layouts, {asked} questions", self.tables.len())
    }

    /// Lines for each wrong answer.
    pub(crate) fn wrong(&self, answers: &[String]) -> Vec<String> {
        let mut wrong = Vec::new();
        for ((question, due), answer) in self.questions.iter().zip(&self.due).zip(answers) {
            let is_right = match due {
                Due::Hex(due) => answer == due,
                Due::Ranges(due) => serde_json::from_str(answer).is_ok_and(|json: Json| json == *due),
                Due::Refused => answer.starts_with('!'),
                Due::Values(at, values) => {
                    let json: Result<Json, _> = serde_json::from_str(answer);
                    json.is_ok_and(|json| self.tables[*at].layout().values_from_json(&json).as_ref() == Ok(values))
                }
            };
            if !is_right {
                let at: usize = question.split('\t').nth(1).unwrap().parse().unwrap();
                let due = match due {
                    Due::Hex(hex) => hex.clone(),
                    Due::Ranges(ranges) => ranges.to_string(),
                    Due::Refused => "refused".to_owned(),
                    Due::Values(_, values) => to_json(values).to_string(),
                };
                wrong.push(format!("{}\n  {question}\n  {answer}\n  {due}", self.tables[at].layout().shape()));
            }
        }
        wrong
    }
}

fn seed() -> u64 {
    std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

fn runner() -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(Config::default().rng_algorithm, &bytes))
}

fn drawn<S: Strategy>(strategy: &S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).unwrap().current()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn to_json(values: &[Value]) -> Json {
    values.iter().map(Value::to_json).collect()
}

fn of_ranges(by_bucket: &[Vec<KeyRange>]) -> Json {
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
            let half = text.chars().take(text.chars().count() / 2).collect();
            [String::new(), half, text.clone()].map(Value::Text).into()
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
