//! Literals, docstrings, and lines with an indent.

use crate::docs::wrapped;

/// The most characters of a line.
pub(super) const WIDTH: usize = 120;

/// A text literal. Quotes within are escaped by number, so that no formatter prefers others.
pub(super) fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '\\' => quoted += "\\\\",
            '"' => quoted += "\\x22",
            ' '..='~' => quoted.push(char),
            other => quoted += &format!("\\U{:08x}", u32::from(other)),
        }
    }
    quoted + "\""
}

/// A literal of bytes.
pub(super) fn bytes(bytes: &[u8]) -> String {
    let mut quoted = String::from("b\"");
    for &byte in bytes {
        match byte {
            b'\\' => quoted += "\\\\",
            b'"' => quoted += "\\x22",
            b' '..=b'~' => quoted.push(char::from(byte)),
            other => quoted += &format!("\\x{other:02x}"),
        }
    }
    quoted + "\""
}

/// Lines of a module, each with its indent.
#[derive(Debug, Default)]
pub(super) struct Lines(pub(super) String);

impl Lines {
    pub(super) fn line(&mut self, indent: usize, text: &str) {
        if !text.is_empty() {
            self.0 += &" ".repeat(4 * indent);
            self.0 += text;
        }
        self.0.push('\n');
    }

    /// A docstring of paragraphs.
    pub(super) fn doc<'t>(&mut self, indent: usize, paragraphs: impl IntoIterator<Item = &'t str>) {
        let safe = |text: &str| text.replace('\\', "\\\\").replace('"', "'");
        let mut lines: Vec<String> = Vec::new();
        for paragraph in paragraphs {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(wrapped(paragraph, 100).iter().map(|line| safe(line)));
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let one_line = lines.len() < 2;
        match lines.split_first() {
            Some((only, [])) => self.line(indent, &format!("\"\"\"{only}\"\"\"")),
            Some((first, rest)) => {
                self.line(indent, &format!("\"\"\"{first}"));
                rest.iter().for_each(|line| self.line(indent, line));
            }
            None => {}
        }
        if !one_line {
            self.line(indent, "\"\"\"");
        }
    }

    /// An assignment of a text, which is split where it is too long for a line.
    pub(super) fn text(&mut self, indent: usize, target: &str, text: &str) {
        let whole = literal(text);
        if 4 * indent + target.len() + 3 + whole.len() <= WIDTH {
            return self.line(indent, &format!("{target} = {whole}"));
        }
        self.line(indent, &format!("{target} = ("));
        if 4 * indent + 4 + whole.len() <= WIDTH {
            self.line(indent + 1, &whole);
        } else {
            let chars: Vec<char> = text.chars().collect();
            chars.chunks(80).for_each(|part| self.line(indent + 1, &literal(&String::from_iter(part))));
        }
        self.line(indent, ")");
    }
}
