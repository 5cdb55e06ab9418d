//! Comments.

use super::code::Code;
use crate::docs;

/// The characters of a line of a comment.
const WIDTH: usize = 110;

/// Writes a text as a comment. No line begins as a list, a heading or a link does, which gofmt would write otherwise.
pub(super) fn comment(code: &mut Code, text: &str) {
    let mut lines: Vec<String> = Vec::new();
    for line in docs::wrapped(text, WIDTH) {
        match lines.last_mut() {
            Some(last) if is_markup(&line) => {
                last.push(' ');
                *last += &line;
            }
            _ => lines.push(line),
        }
    }
    lines.iter().for_each(|line| code.line(format!("// {line}")));
}

fn is_markup(line: &str) -> bool {
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    is_numbered || line.starts_with(['-', '*', '+', '•', '#', '[', '='])
}

/// A text as a sentence: with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
