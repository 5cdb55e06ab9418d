//! `rowkey suggest`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::CheckOptions;
use rowkey_design::file::{Bytes, Count};
use rowkey_design::suggest::{Candidate, Suggestions, described, to_toml};
use serde_json::{Value as Json, json};

use crate::failure::Failure;

/// Searches for better keys of a table: orders of fields, directions, salts, secondary tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rowkey suggest designs/metrics.rowkey.toml tsdb")]
pub(crate) struct Args {
    /// The design's file or folder.
    design: PathBuf,
    /// The table.
    table: String,
    /// The cluster that the table is for. Default: the first of the design.
    #[arg(long)]
    cluster: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let design = crate::designs::read(std::slice::from_ref(&args.design))?;
    let mut options = CheckOptions::new(crate::designs::today());
    options.cluster.clone_from(&args.cluster);
    let Some(suggestions) = design.suggest(&args.table, &options) else {
        let known: Vec<&str> = design.tables.keys().map(String::as_str).collect();
        return Err(Failure::new(format!("there is no table {:?}; the design has {}", args.table, known.join(", "))));
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        write!(out, "{}", crate::output::printed(&to_json(&suggestions)))?;
    } else {
        write!(out, "{}", text(&suggestions))?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(suggestions: &Suggestions) -> String {
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
        let rows = if query.full_scan { "all".to_owned() } else { Count(query.rows_read.round()).to_string() };
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

fn to_json(suggestions: &Suggestions) -> Json {
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
    json!({
        "candidates": suggestions.candidates.iter().map(candidate).collect::<Vec<_>>(), "tried": suggestions.tried,
        "assumed": suggestions.assumed, "reasons": suggestions.reasons, "remarks": suggestions.remarks,
    })
}
