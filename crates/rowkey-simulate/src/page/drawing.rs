//! Runs as one SVG, for documents.

use std::fmt::Write as _;

use rowkey_design::internal::quote::xml;

use super::grid::{Columns, Grid};
use super::legend::takes;
use super::picture::{Marks, paths};
use super::scale::{CLASSES, class_words, elapsed, ticks};
use super::{Capacity, Drawn, Measure, RowOrder, label, labels};

/// The rows and columns of a picture at most, and its places in pixels.
const ROWS: usize = 60;
const COLUMNS: usize = 120;
const LEFT: usize = 320;
const WIDTH: usize = 600;
const ALL: usize = LEFT + WIDTH + 40;
const LINE: usize = 18;

/// The colours of light, which programs that know no styles show, and of dark.
const STYLE: &str = "\
.c1{fill:#d3e3f2}.c2{fill:#a9cae7}.c3{fill:#6ea7d7}.c4{fill:#2f79b7}.c5{fill:#0a4a88}.c6{fill:#e25303}.paper{fill:#fff}\
.ground{fill:#f0f2f4}text{fill:#1b2026}.muted{fill:#56606a}.mark{stroke:#1b2026}.halo{stroke:#fff}\
.mark,.halo{fill:none;vector-effect:non-scaling-stroke}\
@media (prefers-color-scheme:dark){.c1{fill:#1c3851}.c2{fill:#205884}.c3{fill:#3384be}.c4{fill:#72b2e0}.c5{fill:#c6e4f8}\
.c6{fill:#ff7d2e}.paper{fill:#14171a}.ground{fill:#20252a}text{fill:#e7eaed}.muted{fill:#a5afb9}.mark{stroke:#e7eaed}\
.halo{stroke:#14171a}}";

/// The pictures of runs one below the other, on one scale of colours and one axis of time.
pub fn svg(title: &str, runs: &[Drawn<'_>], measure: Measure, order: RowOrder, capacity: Capacity) -> String {
    let columns = Columns::of(runs.iter(), COLUMNS);
    let mut body = String::new();
    let mut y = 2 * LINE;
    text(&mut body, (LINE, y), "font-size=\"17\" font-weight=\"bold\"", title);
    y += LINE;
    for run in runs {
        y += LINE;
        text(&mut body, (LINE, y), "font-weight=\"bold\"", &label::short(run.name));
        y = picture(&mut body, run, columns, (measure, order, capacity), y + LINE / 2) + LINE;
    }
    y = legend(&mut body, measure, capacity, y + LINE);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{ALL}\" height=\"{y}\" viewBox=\"0 0 {ALL} {y}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{ALL}\" height=\"{y}\"/>\n{body}</svg>\n",
        xml(title)
    )
}

fn text(body: &mut String, (x, y): (usize, usize), attributes: &str, text: &str) {
    _ = writeln!(body, "<text x=\"{x}\" y=\"{y}\" {attributes}>{}</text>", xml(text));
}

fn picture(
    body: &mut String,
    run: &Drawn<'_>,
    columns: Columns,
    (measure, order, capacity): (Measure, RowOrder, Capacity),
    top: usize,
) -> usize {
    let grid = Grid::of_keys(run, columns, ROWS);
    let rows = grid.order(order, measure, capacity);
    let labels = labels(&grid.starts, run.layout, &run.times);
    let each = (400 / rows.len()).clamp(6, 26);
    let height = each * rows.len();
    for (row, label) in rows.iter().map(|row| &labels[*row]).enumerate().step_by(LINE.div_ceil(each)) {
        if row == 0 || height - row * each >= LINE {
            text(body, (LEFT - 8, top + row * each + 11), "text-anchor=\"end\" font-size=\"12\"", label);
        }
    }
    _ = writeln!(
        body,
        "<svg x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n<rect class=\"ground\" width=\"{0}\" height=\"{1}\"/>",
        columns.count,
        rows.len()
    );
    for (class, path) in paths(&grid, &rows, measure, capacity.of(measure)).iter().enumerate() {
        if !path.is_empty() {
            let class = if class == 0 { "paper".to_owned() } else { format!("c{class}") };
            _ = writeln!(body, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
    let marks = Marks::of(run, &grid, &rows);
    for (path, widths) in [(&marks.splits, [4, 2]), (&marks.moves, [8, 5])] {
        for (class, width) in ["halo", "mark"].into_iter().zip(widths).filter(|_| !path.is_empty()) {
            let cap = if widths[0] == 8 { " stroke-linecap=\"round\" shape-rendering=\"auto\"" } else { "" };
            _ = writeln!(body, "<path class=\"{class}\" stroke-width=\"{width}\"{cap} d=\"{path}\"/>");
        }
    }
    body.push_str("</svg>\n");
    for tick in ticks(columns.end_ms()) {
        let x = LEFT + (tick as f64 / columns.end_ms() as f64 * WIDTH as f64) as usize;
        let anchor = if x + 40 > ALL - 20 { "end" } else { "start" };
        let attributes = format!("class=\"muted\" font-size=\"12\" text-anchor=\"{anchor}\"");
        text(body, (x, top + height + 15), &attributes, &elapsed(tick));
    }
    top + height + LINE
}

fn legend(body: &mut String, measure: Measure, capacity: Capacity, top: usize) -> usize {
    text(body, (LINE, top), "", &takes(measure, capacity));
    let capacity = capacity.of(measure);
    let each = (ALL - 2 * LINE) / (CLASSES - 1);
    for class in 1..CLASSES {
        let (part, rate) = class_words(class, capacity);
        let x = LINE + (class - 1) * each;
        _ = writeln!(body, "<rect class=\"c{class}\" x=\"{x}\" y=\"{}\" width=\"14\" height=\"14\"/>", top + 9);
        text(body, (x + 20, top + 20), "", &part);
        text(body, (x + 20, top + 36), "class=\"muted\" font-size=\"12\"", &format!("{rate}/s"));
    }
    text(body, (LINE, top + 58), "class=\"muted\" font-size=\"12\"", "dash: a region was split; dot: a region moved");
    top + 4 * LINE
}
