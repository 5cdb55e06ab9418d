//! The page of a design that was checked: a run's page without time.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use rowkey::KeyRange;
use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::file::Count;
use rowkey_design::internal::load::{WriteLoad, places_as_text};
use rowkey_design::internal::report;
use rowkey_design::internal::sketch::Sketch;
use rowkey_design::{CheckOptions, Design, Finding, Report, Severity};

use super::legend::{legend, marks};
use super::scale::{class, count};
use super::{Capacity, Measure, PageText, Rate, Remark, frame, label};

/// The places of a write that are drawn, and the steps of the key space.
const PLACES: usize = 40;
const STEPS: usize = 240;
/// The ranges of a query, and the tables and queries of a page, that are told.
const RANGES: usize = 3;
const TABLES: usize = 100;
const QUERIES: usize = 50;

/// The marks of the ranges of queries.
const MARKS: [(&str, &str, &str); 2] =
    [("range", "M4 1h16v10h-16z", "what one run reads"), ("point", "M12 0v12", "a split point")];

/// A page of a checked design: each table's keys, where its writes land, the ranges of its queries, and the findings.
///
/// It loads nothing and has no script.
pub fn checked(design: &Design, options: &CheckOptions, report: &Report) -> String {
    frame::page(&text(design, report), None, &tables(design, options))
}

/// The tables of a design as a part of a page that has the style [`STYLE`](super::STYLE): their keys, where writes
/// land, the ranges of queries.
pub fn sketched(design: &Design, options: &CheckOptions) -> String {
    tables(design, options).into_string()
}

fn tables(design: &Design, options: &CheckOptions) -> Markup {
    let sketches = design.sketches(options);
    let capacities: Vec<Capacity> = sketches.iter().map(capacity).collect();
    // Tables of one cluster: their servers take the same.
    let each = capacities.first().copied().filter(|_| sketches.iter().any(|sketch| !sketch.loads.is_empty()));
    html! {
        @if let Some(each) = each { section aria-label="Legend" { (legend(each, &Measure::ALL[..1])) } }
        @for (sketch, capacity) in sketches.iter().zip(&capacities).take(TABLES) { (table(sketch, *capacity)) }
        @if sketches.len() > TABLES { p { (sketches.len() - TABLES) " more tables are not shown." } }
    }
}

fn text(design: &Design, report: &Report) -> PageText {
    let names: Vec<&str> = design.tables.keys().map(String::as_str).collect();
    let title = match names.as_slice() {
        [name] => format!("Table {name}"),
        names => report::counted(names.len(), "table"),
    };
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| report::counted(report.count(severity), severity.word()));
    let found = format!("{errors}, {warnings}, {notes}, {} allowed", report.allowed.len());
    let sentence = match report.findings.iter().max_by_key(|finding| finding.severity) {
        Some(worst) => format!("{found}. The worst: {}.", worst.message),
        None => format!("{found}: nothing to say."),
    };
    PageText {
        title: label::short(&title),
        sentences: vec![sentence],
        facts: Vec::new(),
        assumed: report.assumed.clone(),
        unjudged: report.unjudged.iter().map(|unjudged| unjudged.question.clone()).collect(),
        remarks: report.findings.iter().map(remark).collect(),
    }
}

fn remark(finding: &Finding) -> Remark {
    let of = finding.of.as_ref().map_or(String::new(), |of| format!(", {of}"));
    Remark {
        severity: finding.severity.word().to_owned(),
        rule: format!("{} in {}{of}:", finding.rule.id, finding.table),
        message: finding.message.clone(),
        witness: finding.witness.clone(),
        remedy: finding.remedy.as_ref().map_or(String::new(), |remedy| remedy.text.clone()),
    }
}

fn capacity(sketch: &Sketch<'_>) -> Capacity {
    let writes = Rate { each: sketch.capacity.each, is_assumed: sketch.is_rate_assumed };
    let units = Capacity::ROWS;
    Capacity { writes, reads: Rate { each: f64::INFINITY, is_assumed: true }, units }
}

fn table(sketch: &Sketch<'_>, capacity: Capacity) -> Markup {
    html! {
        article {
            h2 { (label::short(sketch.name)) }
            p class="muted" { (label::short(&sketch.layout.shape())) }
            h3 { "Keys" }
            @let origin = if sketch.are_made_up { "Made up" } else { "Of the sample" };
            p class="muted" { (origin) ", field by field." }
            div class="scroll key" tabindex="0" role="region" aria-label="Keys" {
                (PreEscaped(report::svg(&sketch.keys, sketch.layout)))
            }
            @if !sketch.loads.is_empty() {
                h3 { "Where writes land" }
                @for load in sketch.loads.iter().take(QUERIES) { (write(load, capacity.writes)) }
            }
            @if !sketch.queries.is_empty() {
                h3 { "What queries read" }
                p class="muted" {
                    "From the first key to the last: a step for each end of a range"
                    @if sketch.splits.is_some() { ", and for each split point" }
                    ", however many keys are between."
                }
                @let steps = Steps::of(sketch);
                (marks(if steps.shown_splits().is_empty() { &MARKS[..1] } else { &MARKS }))
                @for cost in sketch.queries.iter().take(QUERIES) { (query(sketch, cost, &steps)) }
            }
        }
    }
}

/// The places of a write, the busiest first, each a square.
fn write(load: &WriteLoad<'_>, capacity: Rate) -> Markup {
    let shares = load.frequencies.as_ref().map_or(Vec::new(), |frequencies| frequencies.most(PLACES));
    let all = load.frequencies.as_ref().map_or(0.0, |frequencies| frequencies.count());
    html! {
        div class="strip" {
            p { (label::short(load.write.name.as_str())) }
            @if let Some(peak) = load.peak.filter(|_| !shares.is_empty()) {
                svg class="places" viewBox={ "0 0 " (PLACES) " 1" } preserveAspectRatio="none" aria-hidden="true" {
                    @for (x, share) in shares.iter().enumerate() {
                        rect class={ "c" (class(share * peak, capacity)) } x={ (x) ".05" } width=".9" height=".9" {}
                    }
                }
            }
            p class="muted" {
                (write_told(load, capacity))
                @if all > PLACES as f64 { " Drawn are the busiest " (PLACES) "." }
            }
        }
    }
}

fn write_told(load: &WriteLoad<'_>, capacity: Rate) -> String {
    let Some((places, busiest)) = load.places.zip(load.busiest) else {
        return "Where it lands is not known: nothing says how many values its fields have.".to_owned();
    };
    let share = format!("{} % of them", percent(busiest));
    let rate = match load.peak {
        None => format!("{share}; no rate is declared"),
        Some(peak) if capacity.each.is_finite() => {
            let (rate, part) = (least(peak * busiest), percent(peak * busiest / capacity.each));
            format!("{share}, {rate}/s: {part} % of what one server takes")
        }
        Some(peak) => format!("{share}, {}/s", least(peak * busiest)),
    };
    format!("Writes of one moment land in {}; the busiest takes {rate}.", places_as_text(places))
}

fn percent(part: f64) -> String {
    least(part * 100.0)
}

/// A number with a digit after the point, where that says something.
fn least(number: f64) -> String {
    if number > 0.0 && number < 0.05 { "less than 0.1".to_owned() } else { count((number * 10.0).round() / 10.0) }
}

/// The key space in steps: from one end of a range, or split point, to the next.
struct Steps {
    ends: Vec<Vec<u8>>,
    joined: usize,
    splits: Vec<usize>,
}

impl Steps {
    fn of(sketch: &Sketch<'_>) -> Self {
        let ranges = sketch.queries.iter().flat_map(|query| query.ranges.iter().flatten());
        let mut ends: BTreeSet<&[u8]> = ranges.flat_map(|range| [Some(range.start()), range.end()]).flatten().collect();
        ends.insert(&[]);
        let points: Vec<&[u8]> = sketch.splits.iter().flat_map(|splits| splits.iter()).collect();
        ends.extend(&points);
        let ends: Vec<Vec<u8>> = ends.into_iter().map(<[u8]>::to_vec).collect();
        let mut steps = Self { joined: ends.len().div_ceil(STEPS), ends, splits: Vec::new() };
        steps.splits = points.iter().map(|point| steps.at(point)).collect();
        steps.splits.dedup();
        steps
    }

    /// The split points, if they are few enough to be told apart.
    fn shown_splits(&self) -> &[usize] {
        if self.splits.len() <= STEPS / 4 { &self.splits } else { &[] }
    }

    fn count(&self) -> usize {
        self.ends.len().div_ceil(self.joined)
    }

    /// The step that begins with a key.
    fn at(&self, key: &[u8]) -> usize {
        self.ends.partition_point(|end| end.as_slice() < key) / self.joined
    }

    /// The path of a query's ranges.
    fn path(&self, ranges: &[Vec<KeyRange>]) -> String {
        let mut spans: Vec<(usize, usize)> = ranges
            .iter()
            .flatten()
            .map(|range| (self.at(range.start()), range.end().map_or(self.count(), |end| self.at(end))))
            .map(|(from, to)| (from, to.max(from + 1)))
            .collect();
        spans.sort_unstable();
        spans.dedup();
        let mut path = String::new();
        for (from, to) in spans {
            _ = write!(path, "M{from} 0h{0}v1h-{0}z", to - from);
        }
        path
    }
}

fn query(sketch: &Sketch<'_>, cost: &QueryCost<'_>, steps: &Steps) -> Markup {
    html! {
        div class="strip" {
            p { (label::short(cost.query.name.as_str())) }
            svg class="ranges" viewBox={ "0 0 " (steps.count()) " 1" } preserveAspectRatio="none" aria-hidden="true" {
                path class="range" d=(steps.path(&cost.ranges)) {}
                path class="point" d=(steps.shown_splits().iter().map(|at| format!("M{at} 0v1")).collect::<String>()) {}
            }
            p class="muted" { (query_told(sketch, cost)) }
        }
    }
}

fn query_told(sketch: &Sketch<'_>, cost: &QueryCost<'_>) -> String {
    if cost.full_scan {
        return format!("The whole table{}.", rows(cost));
    }
    let starts: Vec<&KeyRange> = cost.ranges.iter().flatten().take(RANGES).collect();
    let from: Vec<String> =
        starts.iter().map(|range| label::label(range.start(), sketch.layout, &sketch.times)).collect();
    let more = if cost.range_count() > from.len() { ", and so on" } else { "" };
    let ranges = Count(cost.range_count() as f64).of("range");
    format!("{ranges}{}. From {}{more}.", rows(cost), from.join("; from "))
}

fn rows(cost: &QueryCost<'_>) -> String {
    let counted = |number: f64, what: &str| Count(number.ceil()).of(what);
    let mut told = match cost.rows_read {
        Some(read) => format!(", {} read", counted(read, "row")),
        None => ", not known how many rows".to_owned(),
    };
    if let Some(times) = cost.amplification() {
        told += &format!(", {} for each returned", Count((times * 10.0).round() / 10.0));
    }
    if let Some(servers) = cost.servers {
        told += &format!(", on {}", counted(servers, "server"));
    }
    told
}
