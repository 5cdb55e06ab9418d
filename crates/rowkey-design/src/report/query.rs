//! The rows that a query reads, and the commands and programs that read them.

use std::fmt::Write as _;

use serde_json::json;

use super::printed;
use crate::cost::OrderFit;
use crate::design::Engine;
use crate::explain::{CostLevel, PREFIX_FILTER, Page, Plan, Snippets};
use crate::file::{Bytes, Count, whole};
use crate::quote::{hbase_binary, terminal};

/// The ranges of a query for people, ready to paste.
pub fn query_as_text(plan: &Plan<'_>) -> String {
    let mut text = String::new();
    // A string takes all that is written.
    let _ = write(&mut text, plan, &plan.snippets());
    text
}

fn write(out: &mut String, plan: &Plan<'_>, snippets: &[Snippets]) -> std::fmt::Result {
    let cost = &plan.cost;
    writeln!(out, "query {} of {}", terminal(&format!("{:?}", cost.query.name.as_str())), terminal(plan.table))?;
    for (field, values) in &plan.by {
        let made_up = if plan.made_up.contains(field) { "  (made up)" } else { "" };
        let date = plan.dates.iter().find(|(of, _)| of == field);
        let date = date.map_or_else(String::new, |(_, date)| format!("  ({})", terminal(date)));
        writeln!(out, "  {} = {}{date}{made_up}", terminal(field), terminal(values))?;
    }
    for field in &cost.filter {
        writeln!(out, "  {}: filtered after the rows are read", terminal(field))?;
    }
    for field in &plan.unused {
        writeln!(out, "note: the value of {} chooses no rows", terminal(field))?;
    }
    let levels = CostLevel::ALL
        .map(|level| if level == plan.level { format!("[{}]", level.words()) } else { level.words().to_owned() });
    writeln!(out, "\ncost     {}", levels.join(" < "))?;
    let count = |number: Option<f64>| number.map_or_else(|| "not known".to_owned(), |number| whole(number, Count));
    let number = |out: &mut String, name: &str, number: Option<f64>| writeln!(out, "{name:8} {}", count(number));
    number(out, "ranges", Some(cost.range_count() as f64))?;
    number(out, "read", cost.rows_read)?;
    number(out, "returned", cost.rows_returned)?;
    let bytes = cost.bytes_read.map_or_else(|| "not known".to_owned(), |bytes| whole(bytes, Bytes));
    writeln!(out, "bytes    {bytes}")?;
    let most = |number: Option<f64>| match number {
        Some(_) if !plan.made_up.is_empty() => format!("{} at most", count(number)),
        _ => count(number),
    };
    writeln!(out, "regions  {}", most(cost.regions.map(|regions| regions as f64)))?;
    let at_most = if cost.servers.is_some() { " at most" } else { "" };
    writeln!(out, "servers  {}{at_most}", count(cost.servers))?;
    let page = match Page::of(plan.engine) {
        Page::Rows(rows) => format!("{rows} rows"),
        Page::Bytes(bytes) => Bytes(bytes).to_string(),
    };
    writeln!(out, "calls    {} (at {page} a call)", count(plan.calls()))?;
    notes(plan, snippets).iter().try_for_each(|note| writeln!(out, "note: {}", terminal(note)))?;
    let (hbase, bigtable) = (plan.is_for(Engine::HBase), plan.is_for(Engine::Bigtable));
    if hbase {
        writeln!(out, "\n# HBase's shell")?;
        snippets.iter().try_for_each(|range| writeln!(out, "{}", range.hbase))?;
    }
    if bigtable {
        writeln!(out, "\n# cbt, in bash")?;
        for (range, snippets) in cost.ranges.iter().flatten().zip(snippets) {
            if snippets.cbt_wider {
                let from = if range.start().first() == Some(&0) { ", from the table's first row on" } else { "" };
                writeln!(out, "# reads more than the range{from}: no argument can hold its zero byte")?;
            }
            writeln!(out, "{}", snippets.cbt)?;
        }
    }
    if hbase {
        writeln!(out, "\n// Java")?;
        snippets.iter().try_for_each(|range| writeln!(out, "{}", range.java))?;
    }
    if bigtable {
        writeln!(out, "\n// Go")?;
        snippets.iter().try_for_each(|range| writeln!(out, "{}", range.go))?;
    }
    if let Some((fields, asked)) = plan.partitions() {
        let fields = terminal(&fields.join(", "));
        match asked {
            Some(asked) => writeln!(out, "\n# {}, one for each value of {fields}", Count(asked).of("partition"))?,
            None => writeln!(out, "\n# every partition: the engine hashes {fields}")?,
        }
    } else if !hbase && !bigtable {
        writeln!(out, "\n# from a key, before another, in hex")?;
        let hex = |key: &[u8]| data_encoding::HEXLOWER.encode(key);
        for range in cost.ranges.iter().flatten() {
            let start = if range.start().is_empty() { "the first key".to_owned() } else { hex(range.start()) };
            writeln!(out, "{start}  {}", range.end().map_or("the end".to_owned(), hex))?;
        }
    }
    Ok(())
}

fn notes(plan: &Plan<'_>, snippets: &[Snippets]) -> Vec<String> {
    let mut notes = Vec::new();
    let buckets = plan.cost.ranges.len();
    if buckets > 1 {
        let order = if plan.cost.order == OrderFit::Free { "" } else { " in order" };
        notes.push(format!(
            "the rows are in {buckets} salt buckets: the program scans the ranges of all, and merges what they return{order}"
        ));
    } else if snippets.len() > 1 && plan.partition.is_none() {
        notes.push(format!("the rows are in {} ranges: the program scans each", snippets.len()));
    }
    if plan.limit().is_some() && snippets.len() > 1 {
        notes.push("the limit is of each range: the program cuts what it merged again".to_owned());
    }
    let hbase = plan.is_for(Engine::HBase);
    let uncounted = |range: &Snippets| range.cbt_wider && !range.cbt.contains(" count=");
    if plan.limit().is_some() && plan.is_for(Engine::Bigtable) && snippets.iter().any(uncounted) {
        notes.push(
            "where cbt reads rows before those of the range, its command has no count: it would count them".to_owned(),
        );
    }
    if hbase && matches!(plan.cost.order, OrderFit::Reverse | OrderFit::Merge { reverse: true }) {
        notes.push(
            "a reverse scan of HBase's shell reads a row that is exactly STARTROW too, which is not the query's"
                .to_owned(),
        );
    }
    if hbase && plan.level != CostLevel::Get {
        notes.push(PREFIX_FILTER.to_owned());
        let same = snippets.iter().filter(|range| range.prefix).count();
        notes.push(match same {
            0 => "no range here is that of a prefix: ROWPREFIXFILTER reads other rows".to_owned(),
            same if same == snippets.len() => "here ROWPREFIXFILTER with the start row reads the same rows".to_owned(),
            same => format!(
                "of the ranges here {same} are those of a prefix: for the others ROWPREFIXFILTER reads other rows"
            ),
        });
    }
    notes
}

/// The same for programs.
pub fn query_as_json(plan: &Plan<'_>) -> String {
    let snippets = &plan.snippets();
    let cost = &plan.cost;
    let ranges =
        cost.ranges.iter().enumerate().flat_map(|(bucket, ranges)| ranges.iter().map(move |range| (bucket, range)));
    let ranges = ranges.zip(snippets).map(|((bucket, range), snippets)| {
        json!({
            "bucket": bucket, "start": hbase_binary(range.start()), "stop": range.end().map(hbase_binary),
            "hbase": snippets.hbase, "prefix": snippets.prefix, "cbt": snippets.cbt, "cbt_wider": snippets.cbt_wider,
            "java": snippets.java, "go": snippets.go,
        })
    });
    let by = plan.by.iter().map(|(field, values)| {
        let date = plan.dates.iter().find(|(of, _)| of == field).map(|(_, date)| date);
        json!({"field": field, "values": values, "date": date, "made_up": plan.made_up.contains(field)})
    });
    let (rows_a_call, bytes_a_call) = match Page::of(plan.engine) {
        Page::Rows(rows) => (Some(rows), None),
        Page::Bytes(bytes) => (None, Some(bytes)),
    };
    printed(&json!({
        "query": cost.query.name.as_str(), "table": plan.table, "by": by.collect::<Vec<_>>(), "filter": cost.filter,
        "unused": plan.unused, "rung": plan.level.words(), "range_count": cost.range_count(), "rows_read": cost.rows_read,
        "rows_returned": cost.rows_returned, "bytes_read": cost.bytes_read, "regions": cost.regions,
        "servers": cost.servers, "calls": plan.calls(), "rows_a_call": rows_a_call, "bytes_a_call": bytes_a_call, "ranges": ranges.collect::<Vec<_>>(),
        "notes": notes(plan, snippets),
    }))
}
