//! Go's text: lines, as gofmt indents them, and literals.

/// The most characters of a function's head that gofmt has on one line with an empty body.
const LONGEST_HEAD: usize = 100;

/// Lines of a file.
#[derive(Debug, Default)]
pub(super) struct Code {
    text: String,
    depth: usize,
    marks: usize,
    lists: usize,
}

impl Code {
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            (0..self.depth).for_each(|_| self.text.push('\t'));
            self.text += line;
        }
        self.text.push('\n');
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// A line that closes a block and opens another.
    pub(super) fn reopen(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.open(line);
    }

    pub(super) fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// The end of a function, and the line after it.
    pub(super) fn end(&mut self) {
        self.close("}");
        self.line("");
    }

    /// A name of a variable that this function does not have yet.
    pub(super) fn mark(&mut self) -> String {
        self.marks += 1;
        if self.marks == 1 { "mark".to_owned() } else { format!("mark{}", self.marks) }
    }

    /// A name of a list that this function does not have yet.
    pub(super) fn list(&mut self) -> String {
        self.lists += 1;
        if self.lists == 1 { "list".to_owned() } else { format!("list{}", self.lists) }
    }

    /// Begins a function.
    pub(super) fn function(&mut self, line: impl AsRef<str>) {
        (self.marks, self.lists) = (0, 0);
        self.open(line);
    }

    /// A function without statements: on one line, if gofmt has it there.
    pub(super) fn empty_function(&mut self, line: &str) {
        if line.len() <= LONGEST_HEAD {
            self.line(format!("{line} {{}}"));
        } else {
            self.open(format!("{line} {{"));
            self.close("}");
        }
        self.line("");
    }

    /// The text, which ends with one line break.
    pub(super) fn finish(self) -> String {
        self.text.trim_end().to_owned() + "\n"
    }
}

/// The names of an index and an item in a loop over a value, which can be an item itself.
pub(super) fn loop_names(value: &str) -> (String, String) {
    let Some(outer) = value.strip_prefix("item") else { return ("i".to_owned(), "item".to_owned()) };
    let digits = outer.len() - outer.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let depth = outer[..digits].parse().unwrap_or(1) + 1;
    (format!("i{depth}"), format!("item{depth}"))
}

/// A string literal of these bytes.
pub(super) fn literal(bytes: &[u8]) -> String {
    let mut literal = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => literal += &format!("\\x{byte:02x}"),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_ascii() {
        assert_eq!(literal("a\"\\é\n".as_bytes()), r#""a\"\\\xc3\xa9\x0a""#);
    }
}
