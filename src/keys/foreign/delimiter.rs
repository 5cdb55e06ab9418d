//! The bytes that end a field of a text key.

use std::fmt;
use std::ops::Bound;

use super::Beginning;
use crate::keys::encode::FieldSpan;
use crate::keys::range::successor;

/// The bytes after a field, by which it is found where it ends: one to eight, as `#`, `::` or a zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Delimiter {
    bytes: [u8; Self::MOST],
    len: u8,
}

impl Delimiter {
    /// The number of bytes that a delimiter has at most.
    pub const MOST: usize = 8;

    /// The delimiter of these bytes; `None` if there is none of them, or more than eight.
    ///
    /// ```
    /// use rowkey::foreign::Delimiter;
    ///
    /// assert_eq!(Delimiter::new(b"::").unwrap().as_bytes(), b"::");
    /// assert!(Delimiter::new(b"").is_none() && Delimiter::new(b"123456789").is_none());
    /// ```
    pub const fn new(of: &[u8]) -> Option<Self> {
        if of.is_empty() || of.len() > Self::MOST {
            return None;
        }
        let mut bytes = [0; Self::MOST];
        let mut i = 0;
        while i < of.len() {
            bytes[i] = of[i];
            i += 1;
        }
        Some(Self { bytes, len: of.len() as u8 })
    }

    /// The delimiter that is this character.
    pub const fn of_char(char: char) -> Self {
        let mut utf8 = [0; 4];
        let len = char.encode_utf8(&mut utf8).len();
        let mut bytes = [0; Self::MOST];
        let mut i = 0;
        while i < len {
            bytes[i] = utf8[i];
            i += 1;
        }
        Self { bytes, len: len as u8 }
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8] {
        self.bytes.split_at(self.len as usize).0
    }

    /// Returns whether it is this one, in a constant too.
    pub(super) const fn is(&self, other: &Self) -> bool {
        u64::from_le_bytes(self.bytes) == u64::from_le_bytes(other.bytes) && self.len == other.len
    }

    /// The number of bytes.
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether the bytes of a field, followed by this delimiter, are found again up to it.
    pub(super) fn ends(&self, content: &[u8]) -> bool {
        let whole = [content, self.as_bytes()].concat();
        memchr::memmem::find(&whole, self.as_bytes()) == Some(content.len())
    }

    /// The fields that end with this delimiter and begin so; `None` if there are none.
    ///
    /// A shorter field and the delimiter can begin so too, as `a` and `::` do with `a:`. They are left out.
    pub(super) fn starting(&self, start: &[u8]) -> Option<Beginning> {
        let delimiter = self.as_bytes();
        if memchr::memmem::find(start, delimiter).is_some() {
            return None;
        }
        let rest = |len: usize| start.ends_with(&delimiter[..len]).then(|| [start, &delimiter[len..]].concat());
        let mut shorter: Vec<Vec<u8>> = (1..delimiter.len()).filter_map(rest).collect();
        if shorter.is_empty() {
            return Some(Beginning::With(start.to_vec()));
        }
        shorter.sort_unstable();
        // One that begins with another, as `a:::` and `a::::` where `:::` ends a field, is left out with that one.
        shorter.dedup_by(|longer, other| longer.starts_with(other));
        let (mut ranges, mut low) = (Vec::new(), Some(start.to_vec()));
        for shorter in shorter {
            let Some(from) = low else { break };
            low = successor(&shorter);
            ranges.push(FieldSpan::Range(Bound::Included(from), Bound::Excluded(shorter)));
        }
        let high = successor(start).map_or(Bound::Unbounded, Bound::Excluded);
        ranges.extend(low.map(|low| FieldSpan::Range(Bound::Included(low), high)));
        Some(Beginning::In(ranges))
    }

    /// Reads a delimiter as [`Display`](fmt::Display) writes it; returns what comes after it.
    pub(super) fn read(text: &str) -> Option<(Self, &str)> {
        let mut rest = text.strip_prefix('\'')?;
        let mut bytes = Vec::new();
        loop {
            let mut chars = rest.chars();
            match chars.next()? {
                '\'' => return Some((Self::new(&bytes)?, chars.as_str())),
                '\\' => {
                    let hex = chars.as_str().strip_prefix('x')?;
                    let (digits, after) = hex.split_at_checked(2)?;
                    bytes.push(u8::from_str_radix(digits, 16).ok()?);
                    rest = after;
                }
                char if char.is_ascii_graphic() => {
                    bytes.push(char as u8);
                    rest = chars.as_str();
                }
                _ => return None,
            }
        }
    }
}

/// In quotes: graphic ASCII as it is, but for the quote and the backslash, and other bytes as in `\x00`.
impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("'")?;
        for &byte in self.as_bytes() {
            match byte {
                b'\'' | b'\\' => write!(f, "\\x{byte:02x}")?,
                b'!'..=b'~' => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str("'")
    }
}

impl fmt::Debug for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_read_as_it_is_written() {
        for bytes in [&b"#"[..], b"::", b"\0", b"'", b"\\", b" ", b"\xc3\xa9", b"12345678"] {
            let delimiter = Delimiter::new(bytes).unwrap();
            let text = format!("{delimiter} ]");
            assert_eq!(Delimiter::read(&text), Some((delimiter, " ]")), "{text}");
        }
        for text in ["", "#", "''", "'#", "'\\x0'", "'\\y00'", "'123456789'", "'é'"] {
            assert_eq!(Delimiter::read(text), None, "{text}");
        }
        assert_eq!(Delimiter::of_char('é').as_bytes(), "é".as_bytes());
    }

    #[test]
    fn what_would_end_too_early_is_found() {
        let colons = Delimiter::new(b"::").unwrap();
        assert!(colons.ends(b"") && colons.ends(b"a:b"));
        assert!(!colons.ends(b"a::b") && !colons.ends(b"a:"));
    }
}
