//! The rows that each query reads, for people and for programs.

use serde_json::{Value as Json, json};

use crate::check::Report;
use crate::cost::{OrderFit, QueryCost};
use crate::design::{Query, WriteKind};
use crate::file::{Bytes, Count, Rate, whole};
use crate::load::Rates;
use crate::problem::Located;
use crate::quote::terminal;
use crate::resolve::{Design, TableDesign};
use crate::rules::context::CheckOptions;

use super::columns::aligned;

/// A line for each query, and what they do not count; nothing for a design without queries.
pub(super) fn text(report: &Report, design: &Design, options: &CheckOptions) -> String {
    let header = ["query", "ranges", "rows read", "for each returned", "bytes read", "regions", "servers"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (table, costs) in design.query_costs(options) {
        rows.extend(costs.iter().map(|cost| row(table, cost)));
    }
    if rows.len() > 1 { aligned(&rows) + &uncounted(report, design) + "\n" } else { String::new() }
}

/// A line for each query that passes over deleted rows, which are not among those that it is said to read.
fn uncounted(report: &Report, design: &Design) -> String {
    let mut lines = String::new();
    for (name, table) in &design.tables {
        let deletes = table.table.write.iter().filter(|write| write.kind == Some(WriteKind::Delete));
        let rate: f64 = deletes.filter_map(|write| Some(Rates::of_write(write)?.mean)).sum();
        let many = if rate > 0.0 { format!(", {} of them", Rate(rate)) } else { String::new() };
        let passes = |query: &&Located<Query>| report.passes_deleted(name, query.name.as_str());
        for query in table.table.query.iter().filter(passes) {
            let query = terminal(&format!("{name}: {}", query.name.as_str()));
            lines += &format!("not counted for {query}: the deleted rows that it passes over{many} (H17)\n");
        }
    }
    lines
}

fn row(table: &TableDesign, cost: &QueryCost<'_>) -> Vec<String> {
    let of = secondary(table, cost).unwrap_or(&table.name);
    let count = |number: Option<f64>| number.map_or("?".to_owned(), |number| Count(number).to_string());
    let mut ranges = Count(cost.range_count() as f64).to_string();
    if cost.full_scan {
        ranges += " (all)";
    }
    vec![
        format!("{of}: {}", cost.query.name.value),
        ranges,
        cost.rows_read.map_or("?".to_owned(), |rows| whole(rows, Count)),
        count(cost.amplification().map(|times| (times * 10.0).round() / 10.0)),
        cost.bytes_read.map_or("?".to_owned(), |bytes| whole(bytes, Bytes)),
        count(cost.regions.map(|regions| regions as f64)),
        count(cost.servers),
    ]
}

fn secondary<'t>(table: &'t TableDesign, cost: &QueryCost<'_>) -> Option<&'t str> {
    cost.secondary.and_then(|i| table.table.secondary.get(i)).map(|secondary| secondary.name.as_str())
}

/// The same for programs; `null` where a number is not known.
pub(super) fn json(report: &Report, design: &Design, options: &CheckOptions) -> Json {
    let mut all = Vec::new();
    for (table, costs) in design.query_costs(options) {
        all.extend(costs.iter().map(|cost| {
            json!({
                "table": table.name.value,
                "query": cost.query.name.value,
                "secondary": secondary(table, cost),
                "full_scan": cost.full_scan,
                "ranges": cost.range_count(),
                "rows_read": cost.rows_read,
                "passes_deleted": report.passes_deleted(&table.name, cost.query.name.as_str()),
                "rows_returned": cost.rows_returned,
                "read_per_returned": cost.amplification(),
                "bytes_read": cost.bytes_read,
                "regions": cost.regions,
                "servers": cost.servers,
                "order": match cost.order {
                    OrderFit::Free => "free",
                    OrderFit::Key => "key",
                    OrderFit::Reverse => "reverse",
                    OrderFit::Merge { reverse: false } => "merge",
                    OrderFit::Merge { reverse: true } => "reverse merge",
                    OrderFit::Sort => "sort",
                    OrderFit::Unknown => "unknown",
                },
            })
        }));
    }
    all.into()
}
