//! The answers of tables as the text of a page.

use rowkey_design::internal::cost::WriteCost;
use rowkey_design::internal::design::Engine;
use rowkey_design::internal::file;

use super::{facts, takes};
use crate::page::{Capacity, PageText, Rate};
use crate::run::Answer;
use crate::simulation::{Declared, Simulates};

/// The rates that one server takes, for the colours of a picture.
pub fn capacity(declared: &Declared<'_>) -> Capacity {
    let takes = takes(declared);
    let region = declared.cluster().and_then(|cluster| cluster.region.as_ref());
    let is_said = declared.engine() == Engine::DynamoDb;
    let is_assumed = |said: Option<file::Rate>| said.is_none() && !is_said;
    let writes = Rate { each: takes.writes, is_assumed: is_assumed(region.and_then(|region| region.writes)) };
    let reads = Rate { each: takes.reads, is_assumed: is_assumed(region.and_then(|region| region.reads)) };
    let units = match takes.write_cost {
        WriteCost::Units => ["write units", "read units"],
        _ => Capacity::ROWS,
    };
    Capacity { writes, reads, units }
}

/// The text of a page with the runs of these tables, which are simulated.
pub fn page_text(answers: &[&Answer], simulates: Simulates) -> PageText {
    let mut text = watched_text(answers);
    if simulates == Simulates::Regions {
        let bounds = "Simulated is HBase as its sources say. It was held against recordings of a real HBase with \
                      regions of 8 MiB; with regions of their real size, of 10 GB, none was recorded.";
        text.assumed.push(bounds.to_owned());
    }
    text
}

/// The text of a page with the runs of these tables, as they were watched.
pub fn watched_text(answers: &[&Answer]) -> PageText {
    let names: Vec<&str> = answers.iter().map(|answer| answer.table.as_str()).collect();
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        for (name, value) in facts(answer) {
            let found = rows.iter().position(|(known, _)| *known == name);
            let row = found.unwrap_or_else(|| {
                rows.push((name, Vec::new()));
                rows.len() - 1
            });
            rows[row].1.resize(at, String::new());
            rows[row].1.push(value);
        }
    }
    if answers.iter().any(|answer| !answer.seen.is_empty()) {
        rows.push(("seen".to_owned(), answers.iter().map(|answer| answer.seen.join("; ")).collect()));
    }
    rows.iter_mut().for_each(|(_, values)| values.resize(answers.len(), String::new()));
    let sentences = match answers {
        [only] => vec![only.sentence.clone()],
        all => all.iter().map(|answer| format!("{}: {}", answer.table, answer.sentence)).collect(),
    };
    let mut assumed: Vec<String> = Vec::new();
    for one in answers.iter().flat_map(|answer| &answer.assumed) {
        if !assumed.contains(one) {
            assumed.push(one.clone());
        }
    }
    PageText { title: names.join(", "), sentences, facts: rows, assumed, unjudged: Vec::new(), remarks: Vec::new() }
}
