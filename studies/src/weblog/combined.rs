//! A line of the "combined" log format, as Apache and nginx write it.
//!
//! ```text
//! 2001:db8::7 - ada [17/May/2015:12:05:03 +0200] "GET /a?b HTTP/1.1" 200 5213 "-" "Mozilla/5.0 (\"quoted\")"
//! visitor  ident user           time                  request    status size referrer        agent
//! ```
//!
//! `-` is nothing. Quoted fields have escapes: `\"`, `\\`, C's for white space, `\xhh` for any byte. A user may hold
//! blanks. Further fields after the agent are passed over.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A visit.
#[derive(Debug, PartialEq)]
pub struct Line<'a> {
    /// An address, or a host's name.
    pub visitor: &'a str,
    /// When it was asked.
    pub at: Timestamp,
    /// All else.
    pub hit: Hit,
}

/// A request and its response. Bytes that are not UTF-8 are replaced.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Who logged in.
    pub user: Option<String>,
    /// `GET /a?b HTTP/1.1`.
    pub request: Option<String>,
    /// HTTP's status.
    pub status: Option<u16>,
    /// Bytes of the response, headers not counted.
    pub size: u64,
    /// The page that led here.
    pub referrer: Option<String>,
    /// The program that asked.
    pub agent: Option<String>,
}

/// Why a line is not of the format.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Malformed {
    /// It is empty.
    #[error("the line is empty")]
    Empty,
    /// It ends before this field.
    #[error("the line ends before the {0}")]
    Missing(&'static str),
    /// This field is quoted, and does not end.
    #[error("the {0} has no closing quote")]
    Unclosed(&'static str),
    /// A field is not what it should be.
    #[error("the {what} is {found:?}")]
    Wrong {
        /// The field.
        what: &'static str,
        /// Its beginning.
        found: String,
    },
}

/// Reads a line, its end taken off.
pub fn parse(line: &[u8]) -> Result<Line<'_>, Malformed> {
    if line.is_empty() {
        return Err(Malformed::Empty);
    }
    let (visitor, rest) = word(line, "visitor")?;
    let (_identity, rest) = word(rest, "identity")?;
    // A user may hold blanks and brackets, but no quote that is not escaped: so the time's end is found first.
    let (user_and_time, rest) = split_once(rest, b"] \"").ok_or(Malformed::Missing("time"))?;
    let open = user_and_time.windows(2).rposition(|two| two == b" [").ok_or(Malformed::Missing("time"))?;
    let (user, time) = (&user_and_time[..open], &user_and_time[open + 2..]);
    let (request, rest) = until_quote(rest, "request")?;
    let (status, rest) = word(rest, "status")?;
    let (size, rest) = word(rest, "size")?;
    let (referrer, rest) = quoted(rest, "referrer")?;
    let (agent, _more) = quoted(rest, "agent")?;
    Ok(Line {
        visitor: std::str::from_utf8(visitor)
            .ok()
            .filter(|v| !v.is_empty())
            .ok_or_else(|| wrong("visitor", visitor))?,
        at: timestamp(time).ok_or_else(|| wrong("time", time))?,
        hit: Hit {
            user: text(user.to_vec()),
            request,
            status: number(status, "status")?,
            size: number(size, "size")?.unwrap_or(0),
            referrer,
            agent,
        },
    })
}

/// Up to the next blank, and what comes after it.
fn word<'a>(rest: &'a [u8], what: &'static str) -> Result<(&'a [u8], &'a [u8]), Malformed> {
    match rest {
        [] => Err(Malformed::Missing(what)),
        _ => Ok(split_once(rest, b" ").unwrap_or((rest, b""))),
    }
}

fn quoted<'a>(rest: &'a [u8], what: &'static str) -> Result<(Option<String>, &'a [u8]), Malformed> {
    match rest {
        [] => Err(Malformed::Missing(what)),
        [b'"', rest @ ..] => until_quote(rest, what),
        _ => Err(wrong(what, word(rest, what)?.0)),
    }
}

/// The field up to its closing quote, its escapes resolved, the blank after it passed over, and the rest.
fn until_quote<'a>(field: &'a [u8], what: &'static str) -> Result<(Option<String>, &'a [u8]), Malformed> {
    let mut bytes = Vec::new();
    let mut rest = field;
    loop {
        rest = match rest {
            [] => return Err(Malformed::Unclosed(what)),
            [b'"'] => return Ok((text(bytes), b"")),
            [b'"', b' ', rest @ ..] => return Ok((text(bytes), rest)),
            [b'"', ..] => return Err(wrong(what, field)),
            [b'\\', escape, more @ ..] => {
                let (byte, more) = match (escape, more) {
                    (b'"' | b'\\', _) => (*escape, more),
                    (b'n', _) => (b'\n', more),
                    (b'r', _) => (b'\r', more),
                    (b't', _) => (b'\t', more),
                    (b'v', _) => (0x0b, more),
                    (b'b', _) => (0x08, more),
                    (b'x', [high, low, more @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                        (hex(*high) << 4 | hex(*low), more)
                    }
                    // Neither server writes this escape: it is kept as it is.
                    _ => (b'\\', &rest[1..]),
                };
                bytes.push(byte);
                more
            }
            [byte, more @ ..] => {
                bytes.push(*byte);
                more
            }
        }
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

fn timestamp(time: &[u8]) -> Option<Timestamp> {
    Timestamp::strptime("%d/%b/%Y:%H:%M:%S %z", time).ok()
}

fn number<N: std::str::FromStr>(digits: &[u8], what: &'static str) -> Result<Option<N>, Malformed> {
    if digits == b"-" {
        return Ok(None);
    }
    let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    number.map(Some).ok_or_else(|| wrong(what, digits))
}

fn text(bytes: Vec<u8>) -> Option<String> {
    (bytes != b"-").then(|| String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into()))
}

fn split_once<'a>(bytes: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let start = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..start], &bytes[start + at.len()..]))
}

/// The reason quotes what it found, though not pages of it.
fn wrong(what: &'static str, found: &[u8]) -> Malformed {
    Malformed::Wrong { what, found: String::from_utf8_lossy(found).chars().take(40).collect() }
}
