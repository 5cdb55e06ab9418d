//! Page tokens: where a scan or a job stopped, as text that a client keeps and sends back.

use std::fmt;
use std::str::FromStr;

use crate::keys::error::{CursorError, Hex};
use crate::keys::fingerprint::Fingerprint;

/// The end of a page of a scan, to read the next page: the page's last key, and the fingerprint of its layout.
///
/// A page returns it, and `TableScan::after` takes it. Between two requests it is text
/// (`to_string`, `parse`), which is opaque and safe in a URL: lower-case hex of a version byte (01), the fingerprint
/// (8 bytes), the key, and a checksum (the last 4 bytes of XXH3-64 of all before it).
///
/// It is not secret and not signed. The scan checks it, so a cursor that somebody made up can only lead to rows of the
/// same scan.
///
/// ```
/// use rowkey::{Cursor, CursorError};
///
/// assert_eq!("0123".parse::<Cursor>(), Err(CursorError::Malformed("it is too short")));
/// ```
#[doc(alias = "page token")]
#[doc(alias = "continuation token")]
#[doc(alias = "pagination")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor {
    fingerprint: Fingerprint,
    key: Vec<u8>,
}

/// A [`Cursor`], or an `Option` of one: where a scan goes on. Without a cursor it begins at the start.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a cursor",
    label = "not a cursor",
    note = "parse a cursor that was kept as text: `text.parse::<rowkey::Cursor>()?`; to go on after a key, write `after_key(&key)`"
)]
pub trait IntoCursor {
    /// Returns the cursor, if there is one.
    fn into_cursor(self) -> Option<Cursor>;
}

impl IntoCursor for Cursor {
    fn into_cursor(self) -> Option<Cursor> {
        Some(self)
    }
}

impl IntoCursor for Option<Cursor> {
    fn into_cursor(self) -> Option<Cursor> {
        self
    }
}

const VERSION: u8 = 1;
const FINGERPRINT: usize = 8;
const CHECKSUM: usize = 4;

impl Cursor {
    /// The cursor after this key.
    pub(crate) fn new(fingerprint: Fingerprint, key: &[u8]) -> Self {
        Self { fingerprint, key: key.to_vec() }
    }

    /// The fingerprint of the key's layout.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The last key of the page, in bytes.
    pub fn key(&self) -> &[u8] {
        &self.key
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let [.., a, b, c, d] = xxhash_rust::xxh3::xxh3_64(bytes).to_be_bytes();
    [a, b, c, d]
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.fingerprint.0.to_be_bytes());
        bytes.extend_from_slice(&self.key);
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        Hex(&bytes).fmt(f)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let digit = |byte: &u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let digits: Option<Vec<u8>> = text.as_bytes().iter().map(digit).collect();
        let digits = digits.ok_or(CursorError::Malformed("it is not lower-case hex"))?;
        if digits.len() % 2 != 0 {
            return Err(CursorError::Malformed("it has an odd number of digits"));
        }
        let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        let cut = CursorError::Malformed("it is too short");
        let Some((content, found)) = bytes.split_last_chunk::<CHECKSUM>() else { return Err(cut) };
        let [VERSION, content @ ..] = content else {
            return Err(if content.is_empty() { cut } else { CursorError::Malformed("its version is unknown") });
        };
        let Some((fingerprint, key)) = content.split_first_chunk::<FINGERPRINT>() else { return Err(cut) };
        if checksum(&bytes[..bytes.len() - CHECKSUM]) != *found {
            return Err(CursorError::Malformed("its checksum is wrong"));
        }
        Ok(Self { fingerprint: Fingerprint(u64::from_be_bytes(*fingerprint)), key: key.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back() {
        let cursor = Cursor::new(Fingerprint(7), b"\0key\xff");
        assert_eq!(cursor.to_string(), "010000000000000007006b6579ff8a5e7e01");
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
    }

    #[test]
    fn what_was_altered_anywhere_is_refused() {
        let text = Cursor::new(Fingerprint(u64::MAX), b"abc").to_string();
        for at in 0..text.len() {
            assert!(text[..at].parse::<Cursor>().is_err(), "cut at {at}");
            let mut altered = text.clone().into_bytes();
            altered[at] = if altered[at] == b'0' { b'1' } else { b'0' };
            assert!(String::from_utf8(altered).unwrap().parse::<Cursor>().is_err(), "altered at {at}");
        }
        assert!(text.to_uppercase().parse::<Cursor>().is_err());
        assert!("ü0".parse::<Cursor>().is_err());
    }
}
