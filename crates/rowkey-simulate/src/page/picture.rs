//! The cells of a grid as paths of SVG, one for each class of colours: a row is one unit high, a column one wide.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::grid::{Cell, Grid};
use super::scale::{CLASSES, class};
use super::{Drawn, Measure, Rate};

/// The cells of each class but the first, which is the ground. In its place are the cells of which nothing is known, as
/// of the time after a run.
pub(super) fn paths(grid: &Grid, order: &[usize], measure: Measure, capacity: Rate) -> [String; CLASSES] {
    let mut paths = [const { String::new() }; CLASSES];
    for (y, row) in order.iter().enumerate() {
        let drawn = |cell: &Cell| match class(cell.of(measure).0, capacity) {
            0 => (cell.regions == 0).then_some(0),
            class => Some(class),
        };
        let classes: Vec<Option<usize>> = grid.row(*row).iter().map(drawn).collect();
        let mut x = 0;
        for same in classes.chunk_by(|a, b| a == b) {
            if let Some(class) = same[0] {
                _ = write!(paths[class], "M{x} {y}h{0}v1h-{0}z", same.len());
            }
            x += same.len();
        }
    }
    paths
}

/// A line under each cell of which a part is known.
pub(super) fn parts(grid: &Grid, order: &[usize]) -> String {
    let mut path = String::new();
    for (y, row) in order.iter().enumerate() {
        for (x, _) in grid.row(*row).iter().enumerate().filter(|(_, cell)| cell.is_part) {
            _ = write!(path, "M{x}.1 {y}.9h.8");
        }
    }
    path
}

/// The marks of a run: a dash where a region was split, as wide as a column, a line across it where regions were merged,
/// and a dot where one moved. Strokes give them their thickness.
pub(super) struct Marks {
    pub(super) splits: String,
    pub(super) moves: String,
    pub(super) merges: String,
}

impl Marks {
    pub(super) fn of(run: &Drawn<'_>, grid: &Grid, order: &[usize]) -> Self {
        let mut places = vec![0; grid.rows];
        order.iter().enumerate().for_each(|(y, row)| places[*row] = y);
        // What happens at the end of a run is of its last column.
        let last = run.intervals.last().map_or(0, |interval| grid.columns.at(interval.t_ms.saturating_sub(1)));
        let column = |t_ms| grid.columns.at(t_ms).min(last);
        let splits = run.splits.iter().map(|split| {
            let row = grid.row_of(&split.at.0);
            // The line between two rows, or the middle of the row that the split is in.
            let is_between = grid.starts.get(row).is_some_and(|start| *start == split.at.0);
            (column(split.t_ms), places[row], is_between)
        });
        let splits: BTreeSet<_> = splits.collect();
        let merges = run.merges.iter().flat_map(|merge| {
            let rows = merge.others.iter().map(|other| places[grid.row_of(&other.0)]);
            rows.map(|row| (column(merge.t_ms), row))
        });
        let merges: BTreeSet<_> = merges.collect();
        let moves = run.moves.iter().map(|moved| (column(moved.t_ms), places[grid.row_of(&moved.start.0)]));
        let moves: BTreeSet<_> = moves.collect();
        let dash = |(x, y, is_between)| format!("M{x} {y}{}h1", if is_between { "" } else { ".5" });
        let dot = |(x, y)| format!("M{x}.5 {y}.5h0");
        let line = |(x, y)| format!("M{x}.5 {y}v1");
        Self {
            splits: splits.into_iter().map(dash).collect(),
            moves: moves.into_iter().map(dot).collect(),
            merges: merges.into_iter().map(line).collect(),
        }
    }
}
