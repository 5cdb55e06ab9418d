//! Java source that is written line by line, as google-java-format has it.

use crate::docs::wrapped;

/// The most characters of a line.
const WIDTH: usize = 100;

/// The length below which arguments fill lines (`MAX_ITEM_LENGTH_FOR_FILLING`); longer ones, and parameters, which have a
/// type, have a line each.
const SHORT: usize = 10;

/// A file that is being written.
#[derive(Default)]
pub(super) struct Source {
    text: String,
    depth: usize,
}

impl Source {
    pub(super) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text += &" ".repeat(2 * self.depth);
            self.text += line;
        }
        self.text.push('\n');
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line that begins a block.
    pub(super) fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
    }

    /// A method that begins, its parameters on a line of their own where it is too long.
    pub(super) fn method(&mut self, head: &str, parameters: &str) {
        self.call(head, &[parameters.to_owned()], " {");
        self.depth += 1;
    }

    /// A part of a class's body.
    pub(super) fn within() -> Self {
        Self { depth: 1, ..Self::default() }
    }

    /// Adds a part that was written for this place.
    pub(super) fn append(&mut self, part: Self) {
        self.text += &part.text;
    }

    /// Begins a block whose head was just written.
    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    /// Ends a block with other characters than a brace alone.
    pub(super) fn end(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(tail);
    }

    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// The end of a block and the beginning of the next: `} else {`.
    pub(super) fn next(&mut self, between: &str) {
        self.depth -= 1;
        self.open(&format!("}} {between}"));
    }

    /// A record that begins, with the interface that it implements on a line of its own where that is too long.
    pub(super) fn record(&mut self, head: &str, components: &[String], implements: &str) {
        let line = format!("{head}({}) {implements} {{", components.join(", "));
        if implements.is_empty() {
            self.call(head, components, " {");
        } else if self.fits(&line, 0) {
            self.line(&line);
        } else {
            self.call(head, components, "");
            self.line(&format!("    {implements} {{"));
        }
        self.depth += 1;
    }

    /// `head(arguments)tail`, broken where it is too long.
    pub(super) fn call(&mut self, head: &str, arguments: &[String], tail: &str) {
        let line = format!("{head}({}){tail}", arguments.join(", "));
        if self.fits(&line, 0) {
            return self.line(&line);
        }
        self.line(&format!("{head}("));
        self.arguments(arguments, &format!("){tail}"), 4);
    }

    /// `name = head(arguments);`, broken where it is too long: after the `=` at first.
    pub(super) fn assign(&mut self, name: &str, head: &str, arguments: &[String]) {
        let call = format!("{head}({});", arguments.join(", "));
        if self.fits(&format!("{name} = {call}"), 0) {
            return self.line(&format!("{name} = {call}"));
        }
        self.line(&format!("{name} ="));
        if self.fits(&call, 4) {
            return self.line(&format!("    {call}"));
        }
        self.line(&format!("    {head}("));
        self.arguments(arguments, ");", 8);
    }

    fn arguments(&mut self, arguments: &[String], tail: &str, indent: usize) {
        let blanks = " ".repeat(indent);
        let joined = format!("{}{tail}", arguments.join(", "));
        if self.fits(&joined, indent) {
            return self.line(&format!("{blanks}{joined}"));
        }
        if arguments.iter().all(|argument| argument.chars().count() < SHORT && !argument.contains(' ')) {
            return self.filled(arguments, tail, indent);
        }
        for (i, argument) in arguments.iter().enumerate() {
            let end = if i + 1 == arguments.len() { tail } else { "," };
            let room = WIDTH.saturating_sub(2 * self.depth + indent);
            self.line(&format!("{blanks}{}{end}", broken(argument, room, end.len(), &blanks, self.depth)));
        }
    }

    /// Short arguments, as many on a line as it takes.
    fn filled(&mut self, arguments: &[String], tail: &str, indent: usize) {
        let blanks = " ".repeat(indent);
        let mut line = String::new();
        for (i, argument) in arguments.iter().enumerate() {
            let argument = format!("{argument}{}", if i + 1 == arguments.len() { tail } else { "," });
            let longer = if line.is_empty() { argument.clone() } else { format!("{line} {argument}") };
            line = if self.fits(&longer, indent) {
                longer
            } else {
                self.line(&format!("{blanks}{line}"));
                argument
            };
        }
        self.line(&format!("{blanks}{line}"));
    }

    fn fits(&self, line: &str, indent: usize) -> bool {
        2 * self.depth + indent + line.chars().count() <= WIDTH
    }

    /// A comment of documentation, a paragraph each, then tags. Texts of a design are to be [`plain`].
    pub(super) fn doc(&mut self, paragraphs: &[String], tags: &[(String, String)]) {
        let one = format!("/** {} */", paragraphs.join(" "));
        if paragraphs.len() == 1 && tags.is_empty() && self.fits(&one, 0) {
            return self.line(&one);
        }
        let width = WIDTH - 2 * self.depth - 3;
        self.line("/**");
        for (i, paragraph) in paragraphs.iter().enumerate() {
            if i > 0 {
                self.line(" *");
            }
            let paragraph = if i > 0 { format!("<p>{paragraph}") } else { paragraph.clone() };
            wrapped(&paragraph, width).iter().for_each(|line| self.line(&format!(" * {line}")));
        }
        if !tags.is_empty() {
            self.line(" *");
        }
        for (name, text) in tags {
            let text = format!("@param {name} {text}");
            let first = wrapped(&text, width).into_iter().next().unwrap_or_default();
            let rest = wrapped(text.get(first.len()..).unwrap_or_default(), width - 4);
            self.line(&format!(" * {first}"));
            rest.iter().for_each(|line| self.line(&format!(" *     {line}")));
        }
        self.line(" */");
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// An argument that is longer than its line: of a literal parts that begin with a blank, as many words a line as there is
/// room for; of a call its argument on the next line.
fn broken(argument: &str, room: usize, end: usize, blanks: &str, depth: usize) -> String {
    if argument.chars().count() + end <= room {
        return argument.to_owned();
    }
    let Some(text) = argument.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        let Some((call, rest)) = argument.split_once('(') else { return argument.to_owned() };
        return format!("{call}(\n{}{blanks}    {rest}", " ".repeat(2 * depth));
    };
    let mut left = text;
    let mut parts: Vec<String> = Vec::new();
    let mut room = room.saturating_sub(2);
    while !left.is_empty() {
        let most = if left.len() <= room { room.saturating_sub(end) } else { room };
        let ends = left.match_indices(' ').map(|(at, _)| at).filter(|at| *at > 0).chain([left.len()]);
        let fitting = ends.clone().take_while(|at| *at <= most).last();
        let (part, rest) = left.split_at(fitting.or_else(|| ends.into_iter().next()).unwrap_or(left.len()));
        parts.push(format!("\"{part}\""));
        left = rest;
        // The others are four further, behind a plus.
        room = if parts.len() == 1 { room.saturating_sub(6) } else { room };
    }
    parts.join(&format!("\n{}{blanks}    + ", " ".repeat(2 * depth)))
}

/// A text of a design in a comment of documentation, where it is neither markup nor an escape.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    for char in text.chars() {
        match char {
            '<' | '>' | '&' | '@' | '*' | '\\' | '{' | '}' => plain += &format!("&#{};", u32::from(char)),
            char => plain.push(char),
        }
    }
    plain
}

/// A text as a literal of Java.
pub(super) fn literal(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for char in text.chars() {
        match char {
            '"' | '\\' => literal.extend(['\\', char]),
            ' '..='~' => literal.push(char),
            // `\u000a` would end the line before it is read as a literal.
            '\0'..='\x7f' => literal += &format!("\\{:03o}", u32::from(char)),
            char => {
                let mut units = [0; 2];
                char.encode_utf16(&mut units).iter().for_each(|unit| literal += &format!("\\u{unit:04x}"));
            }
        }
    }
    literal.push('"');
    literal
}

/// Bytes as an expression of a `KeyBytes`.
pub(super) fn bytes(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("KeyBytes.ofHex(\"{hex}\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_design_end_no_comment_and_no_literal() {
        assert_eq!(plain("a */ \\u000a {@x}"), "a &#42;/ &#92;u000a &#123;&#64;x&#125;");
        assert_eq!(literal("\"\\u0022\n\u{1f600}"), r#""\"\\u0022\012\ud83d\ude00""#);
    }

    #[test]
    fn long_literals_are_broken_as_the_formatter_breaks_them() {
        let mut source = Source::within();
        let shape = "enum{1: (), 2: (u8)}, decimal, tile, uuid, instant desc, u64, i128, f64, f32 desc, char, ipaddr, \
            duration, bytes[4]";
        let shape = literal(&format!("{shape}{}", ", u8".repeat(22)));
        source.assign("Layout PLAIN", "Layout.plain", &["\"Orders\"".to_owned(), shape, "14".to_owned()]);
        let due = r#"  Layout PLAIN =
      Layout.plain(
          "Orders",
          "enum{1: (), 2: (u8)}, decimal, tile, uuid, instant desc, u64, i128, f64, f32 desc, char,"
              + " ipaddr, duration, bytes[4], u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8,"
              + " u8, u8, u8, u8, u8, u8, u8, u8, u8",
          14);
"#;
        assert_eq!(source.into_text(), due);
    }

    #[test]
    fn long_calls_are_broken() {
        let mut source = Source::default();
        let long = ["a".repeat(60), "b".repeat(60)];
        source.call("f", &long, ";");
        source.assign("int x", "f", &long[..1]);
        assert_eq!(source.into_text(), format!("f(\n    {},\n    {});\nint x = f({});\n", long[0], long[1], long[0]));
        let mut source = Source::default();
        source.call("f", &vec!["a".repeat(9); 10], ";");
        let seven = format!("{}, ", "a".repeat(9)).repeat(7);
        assert_eq!(source.into_text(), format!("f(\n    {seven}{0},\n    {0}, {0});\n", "a".repeat(9)));
    }
}
