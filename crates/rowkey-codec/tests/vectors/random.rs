//! Random layouts and values, and damaged keys: what Rust writes, reads, refuses and selects, the other language does.

use std::process::Command;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRng, TestRunner};
use rowkey::{DecodeError, Value, laws};
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::Style;
use rowkey_testkit::cases;
use serde_json::Value as Json;

use crate::asking::Asking;
use crate::{golden, program};

/// Layouts that few random ones have a part of.
const OFTEN_MISSED: [&str; 12] = [
    "u8, (decimal) raw",
    "(list<u16>) raw",
    "option<option<text>>, option<option<option<u8>>> desc nulls_first",
    "enum{0: (), 7: (const['ab'], u8, (u8 desc, text desc) desc)} desc, ()",
    "const['t'], i64, const['_r'], const['x'], text raw",
    "md5(3 by 0 1) u8, const['#'], host_path desc, bytes desc",
    "list<(text desc, list<option<i16>>)> desc, host_path raw",
    "text[':::'], text['aba'], u8",
    "salt(3 xxh3 by 0) u8, text['a\\xff\\xff'], u8",
    "text[3], text[2 'aa'] desc, text[end]",
    "u8, text[until 'aa'], text[end after 'aa']",
    "text desc, decimal, decimal desc, quadkey[5] desc, quadkey[3], instant desc, duration, list<(text, u16)>",
];

/// The questions on some layouts, each with the answer that Rust gives.
pub(crate) struct Crossing {
    pub(crate) tables: Vec<Table>,
    pub(crate) questions: Vec<String>,
    due: Vec<Due>,
}

/// A right answer.
pub(crate) enum Due {
    Hex(String),
    Ranges(Json),
    Values(usize, Vec<Value>),
    /// With the field and the offset of this error, on the first line of the answer: `!`, field, offset, with tabs.
    Refused(DecodeError),
}

/// The number of questions about a layout.
#[derive(Clone, Copy)]
pub(crate) struct Amount {
    /// The number of times that random rows are drawn and their ranges asked for.
    pub(crate) rounds: u32,
    /// The number of keys, at least.
    pub(crate) keys: u64,
}

impl Amount {
    /// The number of this run: few keys; in the long run `ROWKEY_KEYS`, or so many that 300 layouts have 10⁵.
    fn of_this_run() -> Self {
        let keys = std::env::var("ROWKEY_KEYS").map_or(0, |keys| keys.parse().expect("a number of keys"));
        Self { rounds: cases(8, 60), keys: keys.max(cases(0, 334).into()) }
    }
}

/// The golden layouts of other programs, and random ones that have code: 20, or 300 in the long run. `ROWKEY_LAYOUTS`
/// is a number of random ones alone.
pub(crate) fn tables(style: &Style) -> Vec<Table> {
    let mut runner = runner();
    let has_code = |table: &Table| Codec::of(std::slice::from_ref(table), style).is_ok();
    let (mut tables, random) = match std::env::var("ROWKEY_LAYOUTS") {
        Ok(layouts) => (Vec::new(), layouts.parse().expect("a number of layouts")),
        Err(_) => {
            let own = OFTEN_MISSED.map(|shape| shape.parse().unwrap());
            let fixed = golden::foreign_layouts().into_iter().chain(own);
            (fixed.map(Table::new).filter(has_code).collect(), cases(20, 300) as usize)
        }
    };
    let due = tables.len() + random;
    while tables.len() < due {
        tables.extend(Some(Table::new(drawn(&laws::layouts(), &mut runner))).filter(has_code));
    }
    tables
}

/// Asks one process about all keys and ranges of this run, and returns a line on how many there were. Questions are
/// drawn while others are answered, so that there can be more than memory holds.
pub(crate) fn cross(tables: &[Table], style: &Style, program: &mut Command) -> String {
    let (mut asked, mut wrong, mut number) = (0, Vec::new(), 0);
    let ask = |ask: &mut dyn FnMut(String, Due)| Asking::new(tables, style, ask).all(Amount::of_this_run());
    program::stream(program, ask, |question, due, answer| {
        asked += 1;
        if let Some(line) = due.wrong(tables, question, answer) {
            number += 1;
            wrong.extend(Some(line).filter(|_| number <= MOST_SHOWN));
        }
    });
    assert!(number == 0, "{number} of {asked} are wrong:\n{}", wrong.join("\n"));
    format!("{} layouts, {asked} questions", tables.len())
}

const MOST_SHOWN: usize = 20;

impl Crossing {
    /// Questions about these layouts, with random rows in this number of rounds.
    pub(crate) fn of(tables: Vec<Table>, style: &Style, rounds: u32) -> Self {
        let (mut questions, mut all) = (Vec::new(), Vec::new());
        let mut ask = |question: String, due: Due| {
            questions.push(question);
            all.push(due);
        };
        Asking::new(&tables, style, &mut ask).all(Amount { rounds, keys: 0 });
        Self { tables, questions, due: all }
    }

    /// Checks all answers, and returns a line on how many there were.
    pub(crate) fn check(&self, answers: &[String]) -> String {
        let (wrong, asked) = (self.wrong(answers), self.questions.len());
        let shown = wrong[..wrong.len().min(MOST_SHOWN)].join("\n");
        assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{shown}", wrong.len());
        format!("{} layouts, {asked} questions", self.tables.len())
    }

    /// Lines for each wrong answer.
    pub(crate) fn wrong(&self, answers: &[String]) -> Vec<String> {
        let all = self.questions.iter().zip(&self.due).zip(answers);
        all.filter_map(|((question, due), answer)| due.wrong(&self.tables, question, answer)).collect()
    }
}

impl Due {
    /// Lines on an answer, if it is another one.
    fn wrong(&self, tables: &[Table], question: &str, answer: &str) -> Option<String> {
        let at: usize = question.split('\t').nth(1)?.parse().ok()?;
        let shape = tables[at].layout().shape();
        let is_right = match self {
            Self::Hex(due) => answer == due,
            Self::Ranges(due) => serde_json::from_str(answer).is_ok_and(|json: Json| json == *due),
            Self::Refused(error) => is_told(error, &shape, answer),
            Self::Values(at, values) => {
                let json: Result<Json, _> = serde_json::from_str(answer);
                json.is_ok_and(|json| tables[*at].layout().values_from_json(&json).as_ref() == Ok(values))
            }
        };
        let due = match self {
            _ if is_right => return None,
            Self::Hex(hex) => hex.clone(),
            Self::Ranges(ranges) => ranges.to_string(),
            Self::Refused(error) => format!("{} at {}: {error}", error.field(), error.offset()),
            Self::Values(_, values) => to_json(values).to_string(),
        };
        Some(format!("{shape}\n  {question}\n  {answer}\n  {due}"))
    }
}

/// Returns whether an answer has the field and the offset of an error.
fn is_told(error: &DecodeError, shape: &str, answer: &str) -> bool {
    let mut told = answer.strip_prefix('!').unwrap_or("no field").split('\t');
    let field = told.next().unwrap_or_default();
    let offset: Option<usize> = told.next().and_then(|offset| offset.parse().ok());
    if shape.contains("ordered[") {
        // What is between two fields of OrderedCode can be taken as of either.
        return offset.is_some();
    }
    field == error.field() && offset == Some(error.offset())
}

pub(crate) fn seed() -> u64 {
    std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

pub(crate) fn runner() -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(Config::default().rng_algorithm, &bytes))
}

pub(crate) fn drawn<S: Strategy>(strategy: &S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).unwrap().current()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn to_json(values: &[Value]) -> Json {
    values.iter().map(Value::to_json).collect()
}
