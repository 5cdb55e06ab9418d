//! The bytes of a trace as CSV, on their way to its reader.

use std::io::{self, BufRead, Read};

/// A reader that gives so many bytes at most until it is allowed more: the reader of CSV keeps a record whole. It knows
/// whether all of them end inside of quotes, of which the reader of CSV says nothing.
pub(super) struct Bounded<'r, R> {
    reader: &'r mut R,
    left: u64,
    at: At,
    has_ended: bool,
}

/// The place of the next byte in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Begin,
    Plain,
    Quoted,
    /// After a quote in a quoted field: it ends the field, unless another follows.
    Quote,
}

impl At {
    const fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Begin | Self::Quote, b'"') | (Self::Quoted, _) => Self::Quoted,
            (_, b',' | b'\n' | b'\r') => Self::Begin,
            _ => Self::Plain,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the record is too long")]
pub(super) struct TooLong;

impl<'r, R> Bounded<'r, R> {
    pub(super) const fn new(reader: &'r mut R) -> Self {
        Self { reader, left: 0, at: At::Begin, has_ended: false }
    }

    /// Allows so many bytes.
    pub(super) const fn allow(&mut self, bytes: u64) {
        self.left = bytes;
    }

    /// True if there are no more bytes, and a quote is open.
    pub(super) fn ends_open(&self) -> bool {
        self.has_ended && self.at == At::Quoted
    }

    fn follow(&mut self, bytes: &[u8]) {
        // Most traces have no quotes: then the last byte alone counts.
        let from = if self.at == At::Quoted || bytes.contains(&b'"') { 0 } else { bytes.len().saturating_sub(1) };
        self.at = bytes[from..].iter().fold(self.at, |at, byte| at.after(*byte));
    }
}

impl<R: BufRead> Read for Bounded<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        let most = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.reader.read(&mut bytes[..most])?;
        self.left -= read as u64;
        self.has_ended = read == 0;
        self.follow(&bytes[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever pieces bytes come in, a quote is open after them just if a record would go on.
    #[test]
    fn a_quote_is_open_until_it_is_closed() {
        for (text, is_open) in [
            ("a,b\n", false),
            ("a,\"b", true),
            ("a,\"b\"", false),
            ("a,\"b\"\"", true),
            ("a,\"b\"\"\",c", false),
            ("\"a,\nb", true),
            ("a\"b,c", false),
            ("a,b\n\"c", true),
            ("\"a\",\"", true),
            ("\"", true),
            ("\"\"", false),
            ("", false),
        ] {
            for piece in 1..=text.len().max(1) {
                let mut rest = text.as_bytes();
                let mut reader = Bounded::new(&mut rest);
                reader.allow(100);
                let mut bytes = vec![0; piece];
                while reader.read(&mut bytes).unwrap() > 0 {}
                assert_eq!(reader.ends_open(), is_open, "{text:?} in pieces of {piece}");
            }
        }
    }
}
