//! Texts of a design as comments of a program: whatever they hold, they end where the comment does.

/// The lines of a text, without characters that a compiler or a reader could take for something else, and of at most
/// this many characters where words allow it.
///
/// Control characters, invisible ones and marks of direction become blanks. What ends a comment of the language is the
/// emitter's to escape.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let shown = |char: char| if is_shown(char) { char } else { ' ' };
    let text: String = text.chars().map(shown).collect();
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn is_shown(char: char) -> bool {
    let is_mark = matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !char.is_control() && !is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_no_line_break_and_no_mark_of_direction() {
        let lines = wrapped("one\r\ntwo\u{2028}three \u{202e}four\0 five", 9);
        assert_eq!(lines, ["one two", "three", "four five"]);
        assert_eq!(wrapped(" \n", 9), [""; 0]);
    }
}
