//! Rows of cells in columns, for people.

use crate::quote::terminal;

/// A cell longer than this, in characters, is cut.
const WIDEST: usize = 120;

/// Each row on a line, its cells under each other. The text of a cell may be hostile.
pub(super) fn aligned(rows: &[Vec<String>]) -> String {
    let cell = |text: &String| match text.char_indices().nth(WIDEST) {
        Some((end, _)) => terminal(&text[..end]) + "…",
        None => terminal(text),
    };
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in &rows {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
