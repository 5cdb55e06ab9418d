//! The candidates for a key.

use serde_json::json;

use super::columns::aligned;
use super::printed;
use crate::file::{Bytes, Count, whole};
use crate::load::places_as_text;
use crate::suggest::{Candidate, QueryScore, Suggestions, described, to_toml};

/// The candidates for a key for people: a table, why the first is first, and its TOML.
pub fn suggestions_as_text(suggestions: &Suggestions) -> String {
    let mut text = keys(&suggestions.candidates) + &queries(&suggestions.candidates);
    let tried = Count(suggestions.tried as f64).of("key");
    let were = if suggestions.tried == 1 { "was" } else { "were" };
    text += &format!("\n{tried} {were} tried. * is the design's own.\n");
    if suggestions.candidates.iter().any(|candidate| candidate.score.refused >= 0.005) {
        text +=
            "refused: of writes that come whether or not they are taken; clients that wait for answers write less.\n";
    }
    for assumed in &suggestions.assumed {
        text += &format!("assumed: {assumed}\n");
    }
    if let [best, ..] = &suggestions.candidates[..] {
        text += &format!("\nThe first, {}, is before\n", described(&best.table));
        for reason in &suggestions.reasons {
            text += &format!("- {reason}\n");
        }
        for remark in &suggestions.remarks {
            text += &format!("not well under it either: {remark}\n");
        }
        if !best.current {
            text += &format!("\n{}", to_toml(&best.table));
        }
    }
    text
}

fn number(index: usize, candidate: &Candidate) -> String {
    format!("{}{}", index + 1, if candidate.current { "*" } else { "" })
}

/// A line for each key.
fn keys(candidates: &[Candidate]) -> String {
    let row = |(index, candidate): (usize, &Candidate)| {
        let score = &candidate.score;
        vec![
            number(index, candidate),
            described(&candidate.table),
            score.places.map_or("?".to_owned(), places_as_text),
            format!("{:.0} %", score.refused * 100.0),
            Bytes(score.key_bytes).to_string(),
        ]
    };
    let header = ["", "key", "writes land in", "refused", "bytes a key"].map(str::to_owned).to_vec();
    aligned(&std::iter::once(header).chain(candidates.iter().enumerate().map(row)).collect::<Vec<_>>())
}

/// A line for each query, with its ranges and rows under each key.
fn queries(candidates: &[Candidate]) -> String {
    let Some(names) = candidates.first().map(|best| &best.score.queries).filter(|queries| !queries.is_empty()) else {
        return String::new();
    };
    let of_keys = candidates.iter().enumerate().map(|(index, candidate)| number(index, candidate));
    let header: Vec<String> = std::iter::once("ranges/rows of a run".to_owned()).chain(of_keys).collect();
    let row = |(i, query): (usize, &QueryScore)| {
        let under = candidates.iter().filter_map(|candidate| Some(run(candidate.score.queries.get(i)?)));
        std::iter::once(query.name.clone()).chain(under).collect()
    };
    let rows = names.iter().enumerate().map(row);
    format!("\n{}", aligned(&std::iter::once(header).chain(rows).collect::<Vec<_>>()))
}

/// The ranges and rows of one run of a query.
fn run(query: &QueryScore) -> String {
    let read = || query.rows_read.map_or("?".to_owned(), |rows| whole(rows, Count));
    format!("{}/{}", Count(query.ranges), if query.full_scan { "all".to_owned() } else { read() })
}

/// The candidates for a key for programs.
pub fn suggestions_as_json(suggestions: &Suggestions) -> String {
    let candidate = |candidate: &Candidate| {
        let score = &candidate.score;
        let queries = score.queries.iter().map(|query| {
            json!({
                "query": query.name, "ranges": query.ranges, "rows_read": query.rows_read,
                "rows_read_per_returned": query.amplification, "full_scan": query.full_scan,
            })
        });
        json!({
            "key": described(&candidate.table), "shape": candidate.table.layout.shape(), "current": candidate.current,
            "places": score.places, "refused": score.refused, "work": score.work, "tables": score.tables,
            "key_bytes": score.key_bytes, "queries": queries.collect::<Vec<_>>(), "toml": to_toml(&candidate.table),
        })
    };
    printed(&json!({
        "candidates": suggestions.candidates.iter().map(candidate).collect::<Vec<_>>(), "tried": suggestions.tried,
        "assumed": suggestions.assumed, "reasons": suggestions.reasons, "remarks": suggestions.remarks,
    }))
}
