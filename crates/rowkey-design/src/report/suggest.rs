//! The candidates for a key.

use serde_json::json;

use super::printed;
use crate::file::{Bytes, Count};
use crate::suggest::{Candidate, Suggestions, described, to_toml};

/// The candidates for a key for people: a table, why the first is first, and its TOML.
pub fn suggestions_as_text(suggestions: &Suggestions) -> String {
    let mut text = String::new();
    let rows = suggestions.candidates.iter().enumerate().map(|(i, candidate)| row(i + 1, candidate));
    let header = ["", "key", "writes land in", "refused", "ranges and rows a query", "bytes a key"].map(str::to_owned);
    let table: Vec<[String; 6]> = std::iter::once(header).chain(rows).collect();
    let widths: Vec<usize> =
        (0..6).map(|column| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    for row in &table {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text += &format!("\n{} keys were tried. * is the design's own.\n", suggestions.tried);
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

fn row(number: usize, candidate: &Candidate) -> [String; 6] {
    let score = &candidate.score;
    let places = score.places.map_or_else(|| "?".to_owned(), |places| format!("{} places", Count(places.round())));
    let queries = score.queries.iter().map(|query| {
        let read = || query.rows_read.map_or("?".to_owned(), |rows| Count(rows.round()).to_string());
        let rows = if query.full_scan { "all".to_owned() } else { read() };
        format!("{}/{rows}", Count(query.ranges))
    });
    [
        format!("{number}{}", if candidate.current { "*" } else { "" }),
        described(&candidate.table),
        places,
        format!("{:.0} %", score.refused * 100.0),
        queries.collect::<Vec<_>>().join(" "),
        Bytes(score.key_bytes).to_string(),
    ]
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
