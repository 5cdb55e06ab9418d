//! Maps and lists as Ruby writes them, which all of HBase's texts are made of:
//! `{NAME => 'f', METADATA => {'k' => 'v'}, SPLITS => ['a', 'b']}`.

use std::ops::Range;

use super::ruby;

/// The quoting of texts in quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Single quotes around text that is not escaped, as HBase prints it.
    Printed,
    /// Ruby's own, with escapes and comments.
    Ruby,
}

/// A word or a text in quotes, and where it is without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) bytes: Vec<u8>,
    pub(super) at: Range<usize>,
    pub(super) quoted: bool,
}

impl Word {
    /// The text; characters that are none are replaced, for messages and comments.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Word(Word),
    Map(Vec<Pair>),
    List(Vec<Value>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) key: Word,
    /// The place of `=>`.
    pub(super) arrow: Range<usize>,
    pub(super) value: Value,
}

/// The first place that is not in the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

pub(super) type Parsed<T> = Result<T, Fault>;

/// Maps in maps: HBase has three.
const DEPTH: usize = 16;

pub(super) struct Maps<'t> {
    text: &'t str,
    pub(super) at: usize,
    quoting: Quoting,
    depth: usize,
    /// The quotes that may end the first name, and do not: HBase does not escape names.
    skipped_ends: usize,
}

impl<'t> Maps<'t> {
    pub(super) fn new(text: &'t str, quoting: Quoting) -> Self {
        Self { text, at: 0, quoting, depth: 0, skipped_ends: 0 }
    }

    /// Takes a later quote for the end of the first name.
    pub(super) fn skip_ends(mut self, skipped: usize) -> Self {
        self.skipped_ends = skipped;
        self
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn rest_at(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or("")
    }

    /// The rest of this line, without the white space before it.
    pub(super) fn same_line(&self) -> &'t str {
        self.rest().lines().next().unwrap_or("").trim_start()
    }

    pub(super) fn fault<T>(&self, expected: &'static str) -> Parsed<T> {
        Err(Fault { at: self.at, expected })
    }

    /// Skips white space and, in Ruby, comments.
    pub(super) fn space(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.quoting == Quoting::Printed || !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Takes a mark, with the white space before it.
    pub(super) fn mark(&mut self, mark: &str) -> bool {
        self.space();
        let there = self.rest().starts_with(mark);
        self.at += if there { mark.len() } else { 0 };
        there
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> Parsed<()> {
        if self.mark(mark) { Ok(()) } else { self.fault(mark) }
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.space();
        self.rest().is_empty()
    }

    pub(super) fn value(&mut self) -> Parsed<Value> {
        self.space();
        match self.rest().bytes().next() {
            Some(b'{') => Ok(Value::Map(self.map()?)),
            Some(b'[') => Ok(Value::List(self.list()?)),
            _ => Ok(Value::Word(self.word()?)),
        }
    }

    /// Reads `{KEY => value, …}`.
    pub(super) fn map(&mut self) -> Parsed<Vec<Pair>> {
        self.expect("{")?;
        let pairs = self.pairs("}")?;
        self.expect("}")?;
        Ok(pairs)
    }

    /// Reads pairs up to a mark.
    fn pairs(&mut self, end: &str) -> Parsed<Vec<Pair>> {
        self.deeper(|maps| {
            let mut pairs = Vec::new();
            maps.space();
            while !maps.rest().starts_with(end) {
                pairs.push(maps.pair()?);
                if !maps.mark(",") {
                    break;
                }
                maps.space();
            }
            Ok(pairs)
        })
    }

    fn list(&mut self) -> Parsed<Vec<Value>> {
        self.expect("[")?;
        self.deeper(|maps| {
            let mut values = Vec::new();
            while !maps.mark("]") {
                values.push(maps.value()?);
                if !maps.mark(",") {
                    maps.expect("]")?;
                    break;
                }
            }
            Ok(values)
        })
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH {
            return self.fault("fewer maps in maps");
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Reads the attributes of a table, whose last brace some versions of HBase leave out.
    pub(super) fn attributes(&mut self) -> Parsed<Vec<Pair>> {
        self.expect("{")?;
        let mut pairs = Vec::new();
        loop {
            pairs.push(self.pair()?);
            let before = self.at;
            if self.mark("}") || self.is_at_end() {
                return Ok(pairs);
            }
            self.expect(",")?;
            self.space();
            if self.rest().starts_with('{') {
                self.at = before;
                return Ok(pairs);
            }
        }
    }

    /// True if a pair begins here.
    pub(super) fn is_at_pair(&mut self) -> bool {
        self.space();
        let mut ahead = Maps { text: self.text, at: self.at, quoting: self.quoting, depth: 0, skipped_ends: 0 };
        ahead.word().is_ok() && ahead.mark("=>")
    }

    pub(super) fn pair(&mut self) -> Parsed<Pair> {
        let key = self.word()?;
        self.space();
        let start = self.at;
        self.expect("=>")?;
        let arrow = start..self.at;
        self.space();
        let value = if self.quoting == Quoting::Printed && key.bytes == b"NAME" && self.skipped_ends > 0 {
            let skipped = std::mem::take(&mut self.skipped_ends);
            Value::Word(self.printed(skipped)?)
        } else {
            self.value()?
        };
        Ok(Pair { key, arrow, value })
    }

    pub(super) fn word(&mut self) -> Parsed<Word> {
        self.space();
        match (self.rest().bytes().next(), self.quoting) {
            (Some(b'\''), Quoting::Printed) => self.printed(0),
            (Some(b'\'' | b'"'), Quoting::Ruby) => {
                let (bytes, len) =
                    ruby::string(self.rest()).map_err(|(at, expected)| Fault { at: self.at + at, expected })?;
                let at = self.at + 1..self.at + len - 1;
                self.at += len;
                Ok(Word { bytes, at, quoted: true })
            }
            _ => {
                let len = self.rest().find(|c: char| !bare(c)).unwrap_or(self.rest().len());
                if len == 0 {
                    return self.fault("a word or a text in quotes");
                }
                let at = self.at..self.at + len;
                self.at = at.end;
                Ok(Word { bytes: self.text[at.clone()].as_bytes().to_vec(), at, quoted: false })
            }
        }
    }

    /// Reads text that HBase has not escaped: a quote ends it where something else can begin after it.
    fn printed(&mut self, skipped: usize) -> Parsed<Word> {
        let start = self.at + 1;
        let inside = self.text.get(start..).unwrap_or("");
        let mut ends = inside.match_indices('\'').filter(|(end, _)| ends_text(&inside[end + 1..]));
        let Some((end, _)) = ends.nth(skipped) else { return self.fault("a quote that ends this text") };
        self.at = start + end + 1;
        let at = start..start + end;
        Ok(Word { bytes: self.text[at.clone()].as_bytes().to_vec(), at, quoted: true })
    }
}

/// The characters of words without quotes, such as `coprocessor$1` and `-1`.
fn bare(c: char) -> bool {
    c.is_alphanumeric() || "_$.-:".contains(c)
}

/// True if text in quotes can end before this. What follows a comma is not looked at: where it is wrong, the text is not
/// taken for longer.
fn ends_text(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with([',', '}', ']']) || rest.starts_with("=>")
}
