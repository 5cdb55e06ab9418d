//! The answers for people.

use rowkey_design::internal::cost::WriteCost;
use rowkey_design::internal::file::{Bytes, Count};
use rowkey_design::internal::quote::terminal;
use unicode_width::UnicodeWidthStr as _;

use crate::run::{Answer, Bars, HotRegion, QueryAnswer};
use crate::wrap::{self, paragraph};

/// The answers of a table as text: the sentence, the facts, and what is assumed.
pub fn text(answer: &Answer) -> String {
    text_within(answer, usize::MAX)
}

/// The same, wrapped at a width of `columns`.
pub fn text_within(answer: &Answer, columns: usize) -> String {
    let mut text = paragraph(&format!("{}: {}", terminal(&answer.table), terminal(&answer.sentence)), columns) + "\n";
    let facts: Vec<_> = facts(answer).iter().map(|(name, value)| (terminal(name), terminal(value))).collect();
    let at = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0) + 4;
    for line in facts.iter().flat_map(|(name, value)| wrap::named(name, at, value, columns)) {
        text += &line;
        text.push('\n');
    }
    for seen in &answer.seen {
        text += &paragraph(&format!("seen: {}", terminal(seen)), columns);
    }
    for assumed in &answer.assumed {
        text += &paragraph(&format!("assumed: {}", terminal(assumed)), columns);
    }
    text
}

/// The place of a region: its server, its first key, and the key before which it ends.
pub(super) fn place(hottest: &HotRegion) -> String {
    let HotRegion { server, server_name, label, end_label, .. } = hottest;
    let server = named(*server, server_name.as_ref());
    match end_label {
        Some(end) => format!("on server {server}, from {label} to before {end}"),
        None => format!("on server {server}, from {label} to the end"),
    }
}

/// A server by its number, and its host and port where it has any.
pub(super) fn named(server: u32, name: Option<&String>) -> String {
    name.map_or_else(|| server.to_string(), |name| format!("{server} ({name})"))
}

/// A size of regions: in MiB where it is whole ones, as servers of HBase tell it.
fn size(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    match bytes {
        0 => Bytes(0.0).to_string(),
        _ if !bytes.is_multiple_of(MIB) => Bytes(bytes as f64).to_string(),
        _ if bytes < 10_240 * MIB => format!("{} MiB", bytes / MIB),
        _ => format!("{:.1} GiB", (bytes / MIB) as f64 / 1024.0),
    }
}

/// A rate with three digits, or all of a whole one; never 0 but of nothing.
pub(super) fn rate(rate: f64) -> String {
    match rate {
        100.0.. => Count(rate.round()).to_string(),
        0.01.. => Count(rate).to_string(),
        _ if rate > 0.0 => "under 0.01".to_owned(),
        _ => "0".to_owned(),
    }
}

/// A part in percent, or so many times the whole.
pub(super) fn percent(part: f64) -> String {
    match (part * 100.0).round() {
        0.0 if part > 0.0 => "under 1 %".to_owned(),
        1000.0.. => format!("{} times", Count(part.round())),
        percent => format!("{percent} %"),
    }
}

/// The word for a region, or for a range of an engine whose own are not simulated.
pub(super) const fn region_word(are_ranges: bool) -> &'static str {
    if are_ranges { "range" } else { "region" }
}

/// The numbers of a table: a name and a value.
pub fn facts(answer: &Answer) -> Vec<(String, String)> {
    let rate = |of: f64| format!("{}/s", rate(of));
    let bars = |bars: &Bars, told: &dyn Fn(f64) -> String| {
        let [of_run, least, greatest] = [bars.of_run, bars.least, bars.greatest].map(told);
        if least == greatest { of_run } else { format!("{of_run} ({least} to {greatest})") }
    };
    let region = region_word(answer.regions.are_ranges);
    let known = answer.known.map_or(String::new(), |known| format!(", by {} of the time", percent(known)));
    let known_rate = |of: f64| rate(of) + &known;
    let mut facts = vec![("writes".to_owned(), known_rate(answer.writes))];
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    if answer.write_unit != WriteCost::Rows.unit() {
        fact("one write", answer.write_unit.clone());
    }
    if let Some(sustained) = &answer.sustained {
        let later = bars(sustained, &rate);
        let first = answer.sustained_at_first.map(|first| format!("{} at first, {later} later", rate(first)));
        fact("writes before a server saturates", first.unwrap_or(later));
    }
    if answer.reads > 0.0 {
        fact("reads", known_rate(answer.reads));
        fact("one read", answer.read_unit.clone());
        fact("rows read", rate(answer.rows_read));
    }
    if let Some(sustained) = &answer.sustained_reads {
        fact("reads before a server saturates", bars(sustained, &rate));
    }
    if let Some(reader) = &answer.busiest_reader {
        fact("reads on the busiest server", bars(reader, &percent));
    }
    let hot = |bars: String, hottest: &HotRegion| format!("{bars}: {}", place(hottest));
    if let (Some(share), Some(hottest)) = (&answer.hottest_reader, &answer.hottest_read) {
        fact(&format!("reads in the hottest {region}"), hot(bars(share, &percent), hottest));
    }
    if let Some(hottest) = &answer.hottest_written {
        fact("writes on the busiest server", bars(&answer.busiest_server, &percent));
        fact(&format!("writes in the hottest {region}"), hot(bars(&answer.hottest_region, &percent), hottest));
    }
    fact(&format!("Gini's coefficient of {region}s"), format!("{:.2}", answer.gini));
    let regions = &answer.regions;
    let empty = if regions.empty > 0 { format!(", {} empty", Count(regions.empty as f64)) } else { String::new() };
    let unknown =
        if regions.unknown > 0 { format!(", {} unknown", Count(regions.unknown as f64)) } else { String::new() };
    let [median, most] = [regions.median_bytes, regions.most_bytes].map(size);
    fact(
        &format!("{region}s at the end"),
        format!("{}{empty}{unknown}: {median} in the middle, {most} at most", regions.count),
    );
    if let Some(keys) = answer.keys {
        fact("stored bytes that are row keys", percent(keys));
    }
    if let Some(keys) = answer.keys_written {
        fact("written bytes that are row keys", percent(keys));
    }
    fact("node-hours", format!("{}{}", Count(tenths(answer.node_hours)), answer.used.map_or(String::new(), work)));
    for query in &answer.queries {
        let deleted = query.passes_deleted.then(|| {
            if answer.regions.are_ranges {
                return "; beside deleted rows, which it passes over (H17), and which are not counted".to_owned();
            }
            let all = rate(answer.rows_read);
            format!("; beside deleted rows, which it passes over (H17): all queries read {all} of rows")
        });
        fact(&format!("query {:?}", query.query), cost(query) + &deleted.unwrap_or_default());
    }
    facts
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// The part of the servers that work.
fn work(used: f64) -> String {
    match tenths(used) {
        times if times > 1.0 => format!(", and work for {} times as many", Count(times)),
        _ => format!(", {} of them at work", percent(used.min(1.0))),
    }
}

/// The reads, seeks and servers of one run of a query, in words.
fn cost(query: &QueryAnswer) -> String {
    let read = match query.read_per_returned.map(tenths) {
        None => "reads a number of rows that a sample of keys would tell".to_owned(),
        Some(1.0) => "reads no more rows than it returns".to_owned(),
        Some(read) => format!("reads {} for each that it returns", Count(read).of("row")),
    };
    let servers = query.servers.map_or("servers unknown".to_owned(), |servers| Count(servers).of("server"));
    format!("{read}, {}, {servers}", Count(query.seeks as f64).of("seek"))
}
