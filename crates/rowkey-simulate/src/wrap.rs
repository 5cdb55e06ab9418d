//! Text in lines of a terminal's width.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The least columns that are left to a text beside its name.
const BESIDE: usize = 24;

/// The blanks before a name, and before a text below it.
const NAME: usize = 2;
const BELOW: usize = 4;

/// Words, or what stands between two of these, in lines of so many columns. A word that is longer is broken.
pub(crate) fn wrapped(text: &str, between: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(between) {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].width() + between.len() + word.width() <= columns {
            lines[last] = format!("{}{between}{word}", lines[last]);
            continue;
        }
        if lines[last].is_empty() {
            lines.pop();
        }
        lines.extend(broken(word, columns));
    }
    lines
}

/// A word in pieces of so many columns: one of no text.
fn broken(word: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut taken = 0;
    for c in word.chars() {
        let width = c.width().unwrap_or(0);
        let last = pieces.len() - 1;
        taken += width;
        match taken > columns && !pieces[last].is_empty() {
            true => {
                taken = width;
                pieces.push(c.to_string());
            }
            false => pieces[last].push(c),
        }
    }
    pieces
}

/// A name, and from a column on a text, whose lines stand below each other; or below the name, where little is left
/// beside it.
pub(crate) fn named(name: &str, at: usize, text: &str, columns: usize) -> Vec<String> {
    let indented = |text: &str, at: usize| {
        let lines = wrapped(text, " ", columns.saturating_sub(at).max(1));
        lines.into_iter().map(move |line| format!("{}{line}", " ".repeat(at)))
    };
    if at + BESIDE > columns {
        return indented(name, NAME).chain(indented(text, BELOW)).collect();
    }
    let mut lines: Vec<String> = indented(text, at).collect();
    if let Some(first) = lines.first_mut() {
        let start = format!("{}{name}", " ".repeat(NAME));
        *first = format!("{start}{}{}", " ".repeat(at.saturating_sub(start.width())), first.trim_start());
    }
    lines
}

/// A paragraph in lines of so many columns, each with its end.
pub fn paragraph(text: &str, columns: usize) -> String {
    wrapped(text, " ", columns.max(1)).iter().map(|line| format!("{line}\n")).collect()
}
