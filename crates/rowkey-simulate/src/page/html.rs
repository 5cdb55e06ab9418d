//! The page of one run, or of several side by side.

use maud::{Markup, html};
use serde_json::{Value as Json, json};

use super::grid::{Columns, Grid};
use super::legend::{legend, marks};
use super::map::Map;
use super::scale::elapsed;
use super::table::table;
use super::{Capacity, Drawn, Measure, PageText, RowOrder, frame, hotter, label, labels};
use crate::run::{Known, SplitPolicy};

/// The cells of a page: more would make it too long.
const CELLS: usize = 16_000;
/// The rows and columns of a picture at most.
const ROWS: usize = 92;
const COLUMNS: usize = 125;
/// The designs of a page at most.
const DESIGNS: usize = 12;

/// A page with the pictures and tables of runs, which have one scale of colours and one axis of time: the first 12.
///
/// It loads nothing, is at most 2 MB, and needs its script only to tell of single cells: pictures and tables are there
/// without.
pub fn html(text: &PageText, runs: &[Drawn<'_>], capacity: Capacity) -> String {
    let shown = &runs[..runs.len().min(DESIGNS)];
    let cells = CELLS / shown.len().max(1);
    let columns = Columns::of(shown.iter(), COLUMNS.min(cells.isqrt() * 6 / 5));
    let rows = ROWS.min(cells / columns.count);
    let designs: Vec<Design<'_>> = shown.iter().map(|run| Design::of(run, columns, rows)).collect();
    let has = |measure: Measure| designs.iter().any(|design| design.keys.greatest(measure) > 0.0);
    let measures = match Measure::ALL.map(has) {
        [true, true] => &Measure::ALL[..],
        [false, true] => &Measure::ALL[1..],
        [_, false] => &Measure::ALL[..1],
    };
    let words = measures.iter().map(|measure| measure.word()).collect::<Vec<_>>();
    let names: Vec<String> = shown.iter().map(|run| label::short(run.name)).collect();
    let body = html! {
        (frame::facts(&text.facts, &names))
        section class="controls" aria-label="Picture" {
            (choice("order", "Rows", &RowOrder::ALL.map(RowOrder::words), &["key", "hot"], "key"))
            @if measures.len() > 1 { (choice("measure", "Rates of", &words, &words, hotter(shown, capacity).word())) }
        }
        section aria-label="Legend" {
            (legend(capacity, measures))
            (marks(&marks_of(&designs)))
        }
        p id="how" class="muted" hidden { "Point at a cell, or go to a picture with Tab and from cell to cell with the arrow keys." }
        div class="designs" {
            @for (i, design) in designs.iter().enumerate() { (design.html(2 * i, capacity, measures)) }
        }
        @if runs.len() > shown.len() { p { (runs.len() - shown.len()) " more designs are not shown." } }
    };
    let grids: Vec<Json> = designs.iter().flat_map(|design| design.json(capacity, measures)).collect();
    let each = |measure: Measure| Some(capacity.of(measure).each).filter(|each| each.is_finite());
    let data = json!({
        "step": columns.step_ms, "columns": columns.count, "grids": grids,
        "each": {"writes": each(Measure::Writes), "reads": each(Measure::Reads)},
        "units": {"writes": capacity.unit(Measure::Writes), "reads": capacity.unit(Measure::Reads)},
    });
    frame::page(text, Some(&data), &body)
}

/// A choice of one among several, which styles act on.
fn choice(name: &str, title: &str, words: &[&str], ids: &[&str], chosen: &str) -> Markup {
    html! {
        fieldset {
            legend { (title) }
            @for (words, id) in words.iter().zip(ids) {
                input type="radio" name=(name) id={ (name) "-" (id) } checked[*id == chosen];
                label for={ (name) "-" (id) } { (words) }
            }
        }
    }
}

/// The marks of each picture.
const MARKS: [(&str, &str, &str); 2] =
    [("split", "M4 6h16", "a region was split"), ("move", "M12 6h0", "a region moved to another server")];
const MERGE: (&str, &str, &str) = ("merge", "M12 1v10", "regions were merged");
const PART: (&str, &str, &str) =
    ("part", "M4 10h16", "a part is known: a region was opened anew, or a server was silent");
const UNKNOWN: &str = "M4 1h16v10h-16z";

/// The marks of pictures, of which some are on few of them.
fn marks_of(designs: &[Design<'_>]) -> Vec<(&'static str, &'static str, &'static str)> {
    let has_merges = designs.iter().any(|design| !design.run.merges.is_empty());
    let is_silent = designs.iter().any(|design| design.has(Known::None));
    let unknown = match (is_silent, designs.iter().any(|design| design.keys.has_unknown())) {
        (true, _) => Some(("unknown", UNKNOWN, "unknown: no server told of it")),
        (false, true) => Some(("unknown", UNKNOWN, "after the end of a run")),
        (false, false) => None,
    };
    let has_parts = designs.iter().any(|design| design.has(Known::Part));
    MARKS.into_iter().chain(has_merges.then_some(MERGE)).chain(has_parts.then_some(PART)).chain(unknown).collect()
}

/// A run with its grids.
struct Design<'d> {
    run: &'d Drawn<'d>,
    keys: Grid,
    key_labels: Vec<String>,
    servers: Grid,
    server_labels: Vec<String>,
}

impl<'d> Design<'d> {
    fn of(run: &'d Drawn<'d>, columns: Columns, rows: usize) -> Self {
        let keys = Grid::of_keys(run, columns, rows);
        let servers = Grid::of_servers(run, columns, rows.clamp(1, 16));
        let key_labels = labels(&keys.starts, run.layout, &run.times);
        let server = |row: usize| match servers.joined {
            1 => match run.settings.server_names.get(row) {
                Some(name) => format!("server {row}, {}", label::short(name)),
                None => format!("server {row}"),
            },
            joined => format!("servers {} to {}", row * joined, (row + 1) * joined - 1),
        };
        let server_labels = (0..servers.rows).map(server).collect();
        Self { run, keys, key_labels, servers, server_labels }
    }

    /// True if it has regions of which so much is known for a while.
    fn has(&self, known: Known) -> bool {
        let mut regions = self.run.intervals.iter().flat_map(|interval| &interval.regions);
        regions.any(|region| region.known == known)
    }

    fn html(&self, number: usize, capacity: Capacity, measures: &[Measure]) -> Markup {
        let settings = self.run.settings;
        let name = label::short(self.run.name);
        html! {
            article {
                h2 { (name) }
                p class="muted" { (label::short(&settings.load)) " · " (cluster(self.run)) }
                h3 { "Key ranges" }
                p class="muted" { (self.keys_told()) }
                @for measure in measures {
                    @for order in RowOrder::ALL {
                        (self.map(&self.keys, number, &self.key_labels, order, *measure, capacity))
                    }
                }
                p class="told" role="status" {}
                h3 { "Servers" }
                @for measure in measures {
                    (self.map(&self.servers, number + 1, &self.server_labels, RowOrder::Key, *measure, capacity))
                }
                p class="told" role="status" {}
                @for measure in measures {
                    (table(&self.keys, &self.key_labels, *measure, &format!("Table: {}/s by key range, {name}", capacity.unit(*measure))))
                    (table(&self.servers, &self.server_labels, *measure, &format!("Table: {}/s by server, {name}", capacity.unit(*measure))))
                }
            }
        }
    }

    fn map(
        &self,
        grid: &Grid,
        number: usize,
        labels: &[String],
        order: RowOrder,
        measure: Measure,
        capacity: Capacity,
    ) -> Markup {
        let by_server = grid.starts.is_empty();
        let what = if by_server { "server" } else { "key range" };
        let rows = grid.order(order, measure, capacity);
        let name = format!("{} by {what} and time, {}", measure.word(), label::short(self.run.name));
        let map = Map {
            run: self.run,
            grid,
            number,
            labels,
            order,
            rows: &rows,
            measure,
            capacity: capacity.of(measure),
            name,
        };
        let order = match order {
            _ if by_server => "",
            RowOrder::Key => "by-key",
            RowOrder::HotFirst => "by-hot",
        };
        html! { div class={ "view " (measure.word()) " " (order) } { (map.html()) } }
    }

    /// The meaning of a row, a column and a cell of the key ranges.
    fn keys_told(&self) -> String {
        let rows = match self.keys.joined {
            1 => "A row is a range of keys that ends where a region ever ended".to_owned(),
            joined => format!("A row is {joined} ranges of keys, each ending where a region ever ended"),
        };
        let step = self.keys.columns.step_ms;
        let intervals = step.div_ceil(self.run.settings.interval_ms.max(1));
        let column = match intervals {
            1 => format!("a column {}", elapsed(step)),
            intervals => format!("a column {}, {intervals} intervals", elapsed(step)),
        };
        let joined = self.keys.joined > 1 || intervals > 1;
        let hottest = if joined { ", the hottest of them at its hottest" } else { "" };
        format!("{rows}; {column}. A cell shows the region that has the range at that time{hottest}.")
    }

    fn json(&self, capacity: Capacity, measures: &[Measure]) -> [Json; 2] {
        let grid = |grid: &Grid, labels: &[String]| {
            let cells = || (0..grid.rows).flat_map(|row| grid.row(row));
            let mut json = json!({
                "labels": labels, "servers": grid.starts.is_empty(),
                "regions": cells().map(|cell| cell.regions).collect::<Vec<_>>(),
            });
            for measure in measures {
                json[measure.word()] = json!({
                    "rates": cells().map(|cell| rounded(cell.of(*measure).0)).collect::<Vec<_>>(),
                    "at": cells().map(|cell| cell.of(*measure).1).collect::<Vec<_>>(),
                    "hot": grid.order(RowOrder::HotFirst, *measure, capacity),
                });
            }
            json
        };
        [grid(&self.keys, &self.key_labels), grid(&self.servers, &self.server_labels)]
    }
}

/// A rate with a digit after the point where it is small.
fn rounded(rate: f64) -> Json {
    if rate < 10.0 && rate.fract() != 0.0 { json!((rate * 10.0).round() / 10.0) } else { json!(rate.round() as u64) }
}

/// The cluster of a run in words.
fn cluster(run: &Drawn<'_>) -> String {
    let settings = run.settings;
    let servers = if settings.servers == 1 { "1 server".to_owned() } else { format!("{} servers", settings.servers) };
    let engine = label::short(&settings.engine);
    // What a watched cluster does with regions is its own, whatever the design says.
    if !settings.server_names.is_empty() {
        return format!("{servers}, {engine}");
    }
    let policy = match settings.split_policy {
        SplitPolicy::Stepping => "stepping",
        SplitPolicy::Increasing => "increasing",
        SplitPolicy::Constant => "constant",
        SplitPolicy::Disabled => return format!("{servers}, {engine}, no splits"),
    };
    let (unit, bytes) = if settings.max_filesize >= 1 << 30 { ("GiB", 1 << 30) } else { ("MiB", 1 << 20) };
    let size = super::scale::count(settings.max_filesize as f64 / f64::from(bytes));
    format!("{servers}, {engine}, regions split at {size} {unit} ({policy})")
}
