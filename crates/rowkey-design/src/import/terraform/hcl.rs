//! Terraform's language, as far as the values of a file stand in it: what it computes is [`Expression::Computed`].

use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Text(String),
    Number(String),
    /// `true`, or a reference such as `var.name`, by its parts.
    Reference(Vec<String>),
    List(Vec<Located>),
    Object(Vec<(String, Located)>),
    /// A function of one argument.
    Call(String, Box<Located>),
    Computed,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Located {
    pub(super) value: Expression,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Body {
    pub(super) attributes: Vec<(String, Located)>,
    pub(super) blocks: Vec<Block>,
}

impl Body {
    pub(super) fn get(&self, name: &str) -> Option<&Located> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn blocks(&self, kind: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) kind: String,
    pub(super) labels: Vec<String>,
    pub(super) at: Range<usize>,
    pub(super) body: Body,
}

/// The first place that is not in the language, and what is expected there.
pub(super) type Parsed<T> = Result<T, (usize, &'static str)>;

pub(super) struct Hcl<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

const DEPTH: usize = 32;

impl<'t> Hcl<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Skips white space and comments; line ends too where they end nothing.
    fn space(&mut self, lines: bool) {
        loop {
            let rest = self.rest();
            let blank = |c: char| c.is_whitespace() && (lines || c != '\n');
            self.at += rest.len() - rest.trim_start_matches(blank).len();
            let rest = self.rest();
            self.at += if rest.starts_with('#') || rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
        }
    }

    fn mark(&mut self, mark: &str) -> bool {
        let there = self.rest().starts_with(mark);
        self.at += if there { mark.len() } else { 0 };
        there
    }

    fn fail<T>(&self, expected: &'static str) -> Parsed<T> {
        Err((self.at, expected))
    }

    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        let is_name = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        is_name.then(|| {
            self.at += len;
            rest[..len].to_owned()
        })
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH {
            return self.fail("fewer braces in braces");
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Reads attributes and blocks up to a closing brace, or to the end of the file.
    pub(super) fn body(&mut self, is_file: bool) -> Parsed<Body> {
        let mut body = Body::default();
        loop {
            self.space(true);
            if self.rest().is_empty() && is_file || self.rest().starts_with('}') && !is_file {
                return Ok(body);
            }
            let start = self.at;
            let Some(name) = self.name() else { return self.fail("a name") };
            self.space(false);
            if self.rest().starts_with('=') && !self.rest().starts_with("==") {
                self.at += 1;
                let value = self.deeper(Self::expression)?;
                if body.get(&name).is_some() {
                    return Err((start, "each argument once"));
                }
                body.attributes.push((name, value));
                continue;
            }
            let mut labels = Vec::new();
            while !self.mark("{") {
                labels.push(match self.rest().starts_with('"') {
                    true => self.quoted()?.ok_or((self.at, "a label that is not computed"))?,
                    false => self.name().ok_or((self.at, "`=`, or a block"))?,
                });
                self.space(false);
            }
            let at = start..self.at;
            let inner = self.deeper(|hcl| hcl.body(false))?;
            if !self.mark("}") {
                return self.fail("`}`");
            }
            body.blocks.push(Block { kind: name, labels, at, body: inner });
        }
    }

    fn expression(&mut self) -> Parsed<Located> {
        self.space(false);
        let start = self.at;
        let value = self.primary()?;
        let end = self.at;
        self.space(false);
        let ends = self.rest().is_empty() || self.rest().starts_with(['\n', ',', ']', '}', ')']);
        if ends {
            return Ok(Located { value, at: start..end });
        }
        self.skip()?;
        Ok(Located { value: Expression::Computed, at: start..self.at })
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let rest = self.rest();
        match rest.bytes().next() {
            Some(b'"') => Ok(self.quoted()?.map_or(Expression::Computed, Expression::Text)),
            Some(b'<') if rest.starts_with("<<") => self.heredoc(),
            Some(b'[') => self.list(),
            Some(b'{') => self.object(),
            Some(b'0'..=b'9') => {
                let len = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
                self.at += len;
                Ok(Expression::Number(rest[..len].to_owned()))
            }
            _ => {
                let Some(name) = self.name() else {
                    self.skip()?;
                    return Ok(Expression::Computed);
                };
                if self.mark("(") {
                    self.space(true);
                    let argument = self.deeper(Self::expression)?;
                    self.space(true);
                    _ = self.mark(",");
                    self.space(true);
                    return if self.mark(")") {
                        Ok(Expression::Call(name, Box::new(argument)))
                    } else {
                        self.skip()?;
                        // The rest is the parenthesis that was open.
                        if self.mark(")") { Ok(Expression::Computed) } else { self.fail("`)`") }
                    };
                }
                let mut parts = vec![name];
                while self.rest().starts_with('.') {
                    self.at += 1;
                    match self.name() {
                        Some(part) => parts.push(part),
                        None => return self.skip().map(|()| Expression::Computed),
                    }
                }
                Ok(Expression::Reference(parts))
            }
        }
    }

    fn list(&mut self) -> Parsed<Expression> {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            self.space(true);
            if self.mark("]") {
                return Ok(Expression::List(values));
            }
            values.push(self.deeper(Self::expression)?);
            self.space(true);
            if !self.mark(",") && !self.rest().starts_with(']') {
                return self.fail("`,` or `]`");
            }
        }
    }

    fn object(&mut self) -> Parsed<Expression> {
        self.at += 1;
        let mut pairs = Vec::new();
        loop {
            self.space(true);
            if self.mark("}") {
                return Ok(Expression::Object(pairs));
            }
            let key = if self.rest().starts_with('"') { self.quoted()? } else { self.name() };
            self.space(false);
            let (Some(key), true) = (key, self.mark("=") || self.mark(":")) else {
                // `for` makes an object.
                self.skip()?;
                return if self.mark("}") { Ok(Expression::Computed) } else { self.fail("`}`") };
            };
            let value = self.deeper(Self::expression)?;
            pairs.push((key, value));
            self.space(false);
            _ = self.mark(",");
        }
    }

    /// Skips what Terraform computes: to the end of the line, or to a bracket that was open before.
    fn skip(&mut self) -> Parsed<()> {
        let mut open = 0usize;
        loop {
            self.space(open > 0);
            let Some(c) = self.rest().chars().next() else { return Ok(()) };
            match c {
                '"' => _ = self.quoted()?,
                '\n' | ',' | ']' | '}' | ')' if open == 0 => return Ok(()),
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open -= 1,
                _ => {}
            }
            self.at += if c == '"' { 0 } else { c.len_utf8() };
        }
    }

    /// Reads a string in quotes; none if it is a template.
    fn quoted(&mut self) -> Parsed<Option<String>> {
        let start = self.at;
        self.at += 1;
        let (mut text, mut template) = (String::new(), false);
        while let Some(c) = self.rest().chars().next() {
            let rest = &self.rest()[c.len_utf8()..];
            self.at += c.len_utf8();
            match c {
                '"' => return Ok((!template).then_some(text)),
                '\n' => break,
                '$' | '%' if rest.starts_with([c]) && rest[1..].starts_with('{') => {
                    text.push(c);
                    text.push('{');
                    self.at += 2;
                }
                '$' | '%' if rest.starts_with('{') => {
                    template = true;
                    self.template()?;
                }
                '\\' => {
                    let (c, len) = escape(rest).ok_or((self.at - 1, "an escape of Terraform"))?;
                    text.push(c);
                    self.at += len;
                }
                c => text.push(c),
            }
        }
        Err((start, "a quote that ends this string"))
    }

    /// Skips `{…}` in a string.
    fn template(&mut self) -> Parsed<()> {
        self.at += 1;
        self.deeper(Self::skip)?;
        while !self.mark("}") {
            let Some(c) = self.rest().chars().next() else { return self.fail("`}`") };
            self.at += c.len_utf8();
            self.deeper(Self::skip)?;
        }
        Ok(())
    }

    fn heredoc(&mut self) -> Parsed<Expression> {
        self.at += 2;
        _ = self.mark("-");
        let Some(end) = self.name() else { return self.fail("a name after <<") };
        let mut text = String::new();
        let after = self.rest().split_once('\n').map_or("", |(_, after)| after);
        self.at = self.text.len() - after.len();
        for line in after.split_inclusive('\n') {
            if line.trim() == end {
                self.at += line.trim_end().len();
                let is_template = text.contains("${") || text.contains("%{");
                return Ok(if is_template { Expression::Computed } else { Expression::Text(text) });
            }
            self.at += line.len();
            text.push_str(line);
        }
        self.fail("the end of this text")
    }
}

/// The character of an escape after a backslash, and the length of the escape.
fn escape(rest: &str) -> Option<(char, usize)> {
    let hex = |len: usize| {
        let digits = rest.get(1..=len)?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(|c| (c, len + 1))
    };
    match rest.chars().next()? {
        'n' => Some(('\n', 1)),
        'r' => Some(('\r', 1)),
        't' => Some(('\t', 1)),
        '"' => Some(('"', 1)),
        '\\' => Some(('\\', 1)),
        'u' => hex(4),
        'U' => hex(8),
        _ => None,
    }
}
