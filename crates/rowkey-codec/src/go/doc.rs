//! Comments.

use super::code::Code;
use crate::docs;

/// The characters of a line of a comment.
const WIDTH: usize = 110;

/// Writes a text as a comment. No line begins as a list, a heading or a link does, which gofmt would write otherwise.
pub(super) fn comment(code: &mut Code, text: &str) {
    let mut lines: Vec<String> = Vec::new();
    for line in docs::wrapped(&quoted(text), WIDTH) {
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

/// The text with quotes of two characters as gofmt writes them: “ for two backquotes but not for more, ” for two
/// apostrophes.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let backquotes = rest.len() - rest.trim_start_matches('`').len();
        let (from, to) = match backquotes {
            2 => ("``", "“"),
            0 if rest.starts_with("''") => ("''", "”"),
            0 => {
                let other = rest.chars().next().map_or(1, char::len_utf8);
                (&rest[..other], &rest[..other])
            }
            more => (&rest[..more], &rest[..more]),
        };
        quoted += to;
        rest = &rest[from.len()..];
    }
    quoted
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_quotes_as_gofmt_has_them() {
        for (text, due) in [
            ("''x'' and ``y``", "”x” and “y“"),
            ("''' ''''", "”' ””"),
            ("```go``` `` ` é``", "```go``` “ ` é“"),
            ("it's `u8`", "it's `u8`"),
        ] {
            let mut code = Code::default();
            comment(&mut code, text);
            assert_eq!(code.finish(), format!("// {due}\n"));
        }
    }
}
