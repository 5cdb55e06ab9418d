//! The words of SQL, as Phoenix reads them.

use std::ops::Range;

use super::Reading;

/// A word, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A name without quotes, or a keyword, in upper case.
    Bare(String),
    /// A name in double quotes.
    Quoted(String),
    /// Text in single quotes.
    Text(String),
    /// Bytes: `X'0102'`.
    Bytes(Vec<u8>),
    /// A number.
    Number(String),
    /// Any other character.
    Mark(char),
}

/// Splits a text; comments and white space are left out.
pub(super) fn tokens(text: &str, reading: &mut Reading) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text.get(start..).and_then(|rest| rest.chars().next()) {
        let rest = &text[start..];
        let len = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("--") || rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            match token(rest) {
                Some((word, len)) => {
                    tokens.push(Token { word, at: start..start + len });
                    len
                }
                None => {
                    reading.problem(
                        start..start + first.len_utf8(),
                        "this is not ended, or not hex",
                        "close the quotes",
                    );
                    return Vec::new();
                }
            }
        };
        start += len;
    }
    tokens
}

fn token(rest: &str) -> Option<(Word, usize)> {
    let name = |c: char| c == '_' || c.is_alphanumeric();
    let first = rest.chars().next()?;
    if let Some(hex) = rest.strip_prefix("X'").or_else(|| rest.strip_prefix("x'")) {
        let (digits, _) = hex.split_once('\'')?;
        return Some((Word::Bytes(bytes(digits)?), digits.len() + 3));
    }
    Some(match first {
        '"' => {
            let (name, _) = rest[1..].split_once('"')?;
            (Word::Quoted(name.to_owned()), name.len() + 2)
        }
        '\'' => text(rest)?,
        c if c.is_ascii_digit() => {
            let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            (Word::Number(rest[..len].to_owned()), len)
        }
        c if name(c) => {
            let len = rest.find(|c: char| !name(c)).unwrap_or(rest.len());
            (Word::Bare(rest[..len].to_uppercase()), len)
        }
        c => (Word::Mark(c), c.len_utf8()),
    })
}

/// Text in single quotes: a quote in it is doubled, a backslash is before an escaped character.
fn text(quoted: &str) -> Option<(Word, usize)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices().skip(1).peekable();
    while let Some((i, c)) = characters.next() {
        match c {
            '\'' if characters.peek().is_some_and(|(_, next)| *next == '\'') => {
                characters.next();
                text.push(c);
            }
            '\'' => return Some((Word::Text(text), i + 1)),
            '\\' => text.push(characters.next()?.1),
            c => text.push(c),
        }
    }
    None
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| Some(pair.first()? << 4 | pair.get(1)?));
    pairs.collect()
}
