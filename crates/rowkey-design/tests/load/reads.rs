//! The reads of a query on its busiest place, beside runs that are drawn: their keys encoded by the layout, and counted
//! by what of the key the runs differ in.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::{Design, File};

use super::{Case, Numbers, ROWS, RUNS, Ranks, TOLERANCE, cases, shares};

/// A query of one value of each of the first fields.
#[derive(Clone, Copy, Debug)]
struct Asked {
    fixed: usize,
    /// Whether it asks for rows of the last hour, where it fixes the time, or for the newest, where it does not.
    newest: bool,
}

/// The index of the time, if reads follow it.
fn front(case: &Case, asked: Asked) -> Option<usize> {
    case.time.filter(|&time| asked.newest && time <= asked.fixed)
}

fn fans_out(case: &Case, asked: Asked) -> bool {
    let by = |by: &[usize]| if by.is_empty() { case.fields.len() } else { by.iter().max().map_or(0, |last| last + 1) };
    case.salt.as_ref().is_some_and(|(_, fields)| by(fields) > asked.fixed)
}

/// The design: the query has the skew, the table's rows are even.
fn text(case: &Case, asked: Asked) -> String {
    let text = case.text();
    let mut text: String = text.lines().take_while(|line| !line.starts_with("[[")).fold(String::new(), |text, line| {
        let even = line.find(", skew").map_or(line.to_owned(), |at| format!("{} }}", &line[..at]));
        text + &even + "\n"
    });
    let fixed: Vec<usize> = (0..asked.fixed).collect();
    let names: Vec<_> = fixed.iter().map(|&i| format!("{:?}", case.name(i))).collect();
    text += &format!("[[table.t.query]]\nname = \"q\"\nfix = [{}]\nrate = \"1k/s\"\n", names.join(", "));
    for &i in fixed.iter().filter(|&&i| case.time != Some(i)) {
        text += &format!("skew.f{i} = \"zipf {}\"\n", case.fields[i].zipf);
    }
    match front(case, asked) {
        Some(time) if time < asked.fixed => text + "recent = \"1 h\"\n",
        Some(_) => text + "order = \"oldest\"\nlimit = 1\n",
        None => text,
    }
}

/// The share of the busiest place.
fn simulated(case: &Case, asked: Asked, layout: &LayoutBuf, seed: u64) -> f64 {
    let ranks: Vec<Ranks> = case.fields.iter().map(Ranks::new).collect();
    let mut numbers = Numbers(seed);
    let scatter = numbers.next() as u32 | 1;
    let lead = usize::from(case.salt.is_some());
    let width = |fields: usize| (0..fields).map(|i| if case.time == Some(i) { 8 } else { 4 }).sum::<usize>();
    let end = lead + width(front(case, asked).unwrap_or(asked.fixed));
    let start = if fans_out(case, asked) { lead } else { 0 };
    let mut places = HashMap::new();
    for run in 0..ROWS {
        let time = if asked.newest { run as i128 } else { i128::from(numbers.next() >> 24) };
        let values = (0..case.fields.len()).map(|i| match case.time == Some(i) {
            true => Value::Signed(1_700_000_000_000 + time),
            false => Value::Unsigned(u128::from(ranks[i].draw(numbers.uniform()).wrapping_mul(scatter))),
        });
        let key = layout.encode(&values.collect::<Vec<_>>()).expect("a key");
        *places.entry(key[start..end].to_vec()).or_insert(0) += 1;
    }
    shares(&places).1
}

#[test]
fn the_busiest_place_is_that_of_runs_that_are_drawn() {
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = (cases(), 0usize..5, any::<bool>());
    let (mut fronts, mut fanned, mut hashed, mut wrong) = (0, 0, 0, Vec::new());
    for number in 0..64 {
        let (case, fixed, newest) = strategy.new_tree(&mut runner).expect("a case").current();
        let asked = Asked { fixed: fixed.min(case.fields.len()), newest };
        let is_nothing = asked.fixed == 0 && front(&case, asked).is_none();
        if is_nothing || case.digest && fans_out(&case, asked) {
            continue;
        }
        let text = text(&case, asked);
        let design = Design::parse([File { name: "a".to_owned(), text: text.clone() }]);
        let design = design.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let table = &design.tables["t"];
        let keys = [KeyFacts::of(table, None)];
        let cost = QueryCost::of(&table.table.query[0], table, &keys, None, None);
        let load = cost.read_load(table, &keys[0], None).unwrap_or_else(|| panic!("no load\n{text}"));
        assert_eq!((load.front, load.fans_out), (front(&case, asked), fans_out(&case, asked)), "{text}");
        let said = load.busiest / load.reads;
        let runs = (0..RUNS).map(|run| simulated(&case, asked, &table.layout, RUNS * number + run));
        let drawn = runs.sum::<f64>() / RUNS as f64;
        // Which other values share the bucket of the most frequent is chance, and so is the most frequent of many.
        if said > drawn * (1.0 + TOLERANCE) || drawn > said * 2.0 + 30.0 / ROWS as f64 {
            wrong.push(format!("{said} drawn {drawn}\n{text}"));
        }
        fronts += usize::from(load.front.is_some());
        fanned += usize::from(load.fans_out);
        hashed += usize::from(case.salt.is_some() && !load.fans_out);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(fronts > 10 && fanned > 5 && hashed > 5, "{fronts} {fanned} {hashed}");
}
