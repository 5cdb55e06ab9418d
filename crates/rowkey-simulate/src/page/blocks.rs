//! A run as blocks in a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::grid::{Columns, Grid, busiest_server};
use super::legend::takes;
use super::scale::{CLASSES, class, class_words, elapsed, ticks};
use super::{Capacity, Drawn, Measure, RowOrder, labels};
use crate::wrap::wrapped;

/// A terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Its width in columns; less than 20 is taken as 20.
    pub columns: usize,
    /// True if it shows ASCII alone.
    pub is_ascii: bool,
}

/// The rows of a picture at most.
const ROWS: usize = 32;
/// The characters of each class.
const SHADES: [char; CLASSES] = [' ', '·', '░', '▒', '▓', '█', '!'];
const ASCII: [char; CLASSES] = [' ', '.', ':', '-', '=', '#', '!'];
/// No count is known.
const UNKNOWN: char = '?';

/// A run as lines of text: a line for each range of keys, a character for each time, and a legend. Lines are no wider
/// than the terminal, and end without blanks.
pub fn blocks(run: &Drawn<'_>, measure: Measure, order: RowOrder, capacity: Capacity, terminal: Terminal) -> String {
    let width = terminal.columns.max(20);
    let each = capacity.of(measure);
    let characters = if terminal.is_ascii { ASCII } else { SHADES };
    let label_width = (width * 2 / 5).min(36);
    let columns = Columns::of([run].into_iter(), width - label_width - 2);
    let grid = Grid::of_keys(run, columns, ROWS);
    let labels = labels(&grid.starts, run.layout, &run.times);
    let labels: Vec<String> = labels.iter().map(|label| fitted(label, label_width, terminal)).collect();
    let label_width = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let bar = if terminal.is_ascii { '|' } else { '│' };
    let mut lines = Vec::new();
    for row in grid.order(order, measure, capacity) {
        let blanks = " ".repeat(label_width - labels[row].width());
        let cells = grid.row(row).iter().map(|cell| match cell.regions {
            0 => UNKNOWN,
            _ => characters[class(cell.of(measure).0, each)],
        });
        lines.push(format!("{}{blanks} {bar}{}", labels[row], cells.collect::<String>()));
    }
    lines.push(axis(columns, label_width + 2, width));
    let told: Vec<String> = shown(run, measure).into_iter().map(|measure| takes(measure, capacity)).collect();
    let which = if told.len() > 1 { format!("Shown are {}. ", measure.word()) } else { String::new() };
    lines.extend(wrapped(&format!("{which}{}", told.join(" ")).replace('\u{a0}', " "), " ", width));
    let classes = if each.each.is_finite() { CLASSES } else { 2 };
    let colours = (1..classes).map(|class| format!("{} {}", characters[class], class_words(class, each).0));
    let unknown = grid.has_unknown().then(|| format!("{UNKNOWN} unknown"));
    lines.extend(wrapped(&colours.chain(unknown).collect::<Vec<_>>().join("  "), "  ", width));
    let (splits, moves) = (run.splits.len(), run.moves.len());
    let words = |number, one: &str, more: &str| format!("{number} {}", if number == 1 { one } else { more });
    let merges = match run.merges.len() {
        0 => String::new(),
        merges => format!(", {}", words(merges, "merge", "merges")),
    };
    let marks = format!("{}, {}{merges}", words(splits, "split", "splits"), words(moves, "move", "moves"));
    lines.push(fitted(&marks, width, terminal));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The measure that is shown, and the other one if there is any of it.
fn shown(run: &Drawn<'_>, measure: Measure) -> Vec<Measure> {
    let others = Measure::ALL.into_iter().filter(|other| *other != measure && busiest_server(run, *other) > 0.0);
    std::iter::once(measure).chain(others).collect()
}

/// A text that takes some columns at most; in ASCII without other characters.
fn fitted(text: &str, width: usize, terminal: Terminal) -> String {
    let ascii = |c: char| {
        if c.is_ascii() {
            c.to_string()
        } else if c == '…' {
            "~".into()
        } else {
            "?".into()
        }
    };
    let text: String = if terminal.is_ascii { text.chars().map(ascii).collect() } else { text.to_owned() };
    if text.width() <= width {
        return text;
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < width
    };
    let start: String = text.chars().take_while(fits).collect();
    start + if terminal.is_ascii { "~" } else { "…" }
}

/// The times, each where it begins, but for those that another would touch.
fn axis(columns: Columns, left: usize, width: usize) -> String {
    let mut line = " ".repeat(left);
    for tick in ticks(columns.end_ms()) {
        let (at, time) = (left + columns.at(tick), elapsed(tick));
        let is_apart = at > line.len() || line.len() == left;
        if is_apart && at + time.len() <= width {
            line += &" ".repeat(at - line.len());
            line += &time;
        }
    }
    line
}
